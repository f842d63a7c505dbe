//! A byte of a packet that a link changes.

use std::num::NonZeroU8;

use etherparse::{IpNumber, IpSlice};

use crate::real::change_word;

/// How far into the data of a packet the byte is at the most, so that it is often one of the header
/// of the protocol that is tested.
const FIRST_BYTES: usize = 50;

/// The length of a UDP header, and where in it the checksum is (RFC 768).
const UDP_HEADER: usize = 8;
const UDP_CHECKSUM: usize = 6;

/// Which byte of a packet is changed, and how: both drawn at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corruption {
    /// Its place, modulo how many can be.
    pub place: u32,
    /// The bits that are inverted.
    pub bits: NonZeroU8,
}

impl Corruption {
    /// Changes a byte of a datagram's data; false if it has none.
    pub(crate) fn of_data(self, data: &mut [u8]) -> bool {
        let Some(place) = self.place_in(data.len()) else { return false };
        data[place] ^= self.bits.get();
        true
    }

    /// Changes a byte of an IP packet behind its header; false if there is none. In a UDP datagram
    /// it is one of the data, and the checksum is made right for it, so that whoever the data are
    /// for must notice; elsewhere the checksum is as it was.
    pub(crate) fn of_packet(self, bytes: &mut [u8]) -> bool {
        let Ok(ip) = IpSlice::from_slice(bytes) else { return false };
        let payload = ip.payload();
        let is_udp = payload.ip_number == IpNumber::UDP && !payload.fragmented;
        let start = bytes.len().saturating_sub(payload.payload.len());
        if !is_udp {
            return self.of_data(&mut bytes[start..]);
        }
        let Some(datagram) = bytes.get_mut(start..).filter(|it| it.len() > UDP_HEADER) else {
            return false;
        };
        // Whole words only, of which the checksum is the sum.
        let Some(place) = self.place_in((datagram.len() - UDP_HEADER) & !1) else { return false };
        let word = UDP_HEADER + (place & !1);
        let bits = u16::from(self.bits.get()) << if place % 2 == 0 { 8 } else { 0 };
        // Over IPv4 it may be left out, which is a zero; one that is zero is written as its complement.
        let is_left_out = datagram[UDP_CHECKSUM..][..2] == [0, 0];
        change_word(datagram, (word, UDP_CHECKSUM), |it| it ^ bits);
        let checksum = &mut datagram[UDP_CHECKSUM..][..2];
        if is_left_out {
            checksum.fill(0);
        } else if checksum == [0, 0] {
            checksum.fill(0xff);
        }
        true
    }

    fn place_in(self, length: usize) -> Option<usize> {
        (self.place as usize).checked_rem(length.min(FIRST_BYTES))
    }
}

#[cfg(test)]
mod tests {
    use etherparse::{PacketBuilder, SlicedPacket, TransportSlice};
    use proptest::prelude::*;

    use super::*;

    fn udp(data: &[u8], is_v6: bool) -> Vec<u8> {
        let builder = if is_v6 {
            PacketBuilder::ipv6([1; 16], [2; 16], 9)
        } else {
            PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 9)
        };
        let mut bytes = Vec::new();
        builder.udp(4433, 4434).write(&mut bytes, data).expect("it is short enough");
        bytes
    }

    proptest! {
        /// Of a datagram one byte of its data is another one, among the first; its headers are as
        /// they were, and its checksum is that of its data.
        #[test]
        fn a_datagram_has_one_other_byte_and_a_right_checksum(
            data in proptest::collection::vec(any::<u8>(), 2..200),
            place: u32,
            bits: NonZeroU8,
            is_v6: bool,
        ) {
            let before = udp(&data, is_v6);
            let mut after = before.clone();
            let is_changed = Corruption { place, bits }.of_packet(&mut after);
            prop_assert!(is_changed);
            let sliced = SlicedPacket::from_ip(&after).expect("its headers are as they were");
            let Some(TransportSlice::Udp(datagram)) = sliced.transport else {
                return Err(TestCaseError::fail("no datagram"));
            };
            let others = data.iter().zip(datagram.payload()).map(|(it, other)| it ^ other);
            let changed: Vec<_> = others.enumerate().filter(|(_, it)| *it != 0).collect();
            prop_assert!(matches!(changed[..], [(at, it)] if at < FIRST_BYTES && it == bits.get()));
            prop_assert_eq!(&udp(datagram.payload(), is_v6), &after, "as one made of these data");
        }

        #[test]
        fn any_bytes_may_be_given(mut bytes: Vec<u8>, place: u32, bits: NonZeroU8) {
            let before = bytes.clone();
            let corruption = Corruption { place, bits };
            let is_changed = corruption.of_packet(&mut bytes);
            prop_assert_eq!(is_changed, bytes != before);
            prop_assert_eq!(corruption.of_data(&mut bytes), !before.is_empty());
        }
    }

    #[test]
    fn a_checksum_that_is_left_out_stays_so() {
        let (mut bytes, checksum) = (udp(&[1; 60], false), 20 + UDP_CHECKSUM);
        bytes[checksum..][..2].fill(0);
        for place in 0..50 {
            assert!(Corruption { place, bits: NonZeroU8::MAX }.of_packet(&mut bytes));
            assert_eq!(bytes[checksum..][..2], [0, 0]);
        }
    }

    #[test]
    fn a_datagram_without_data_stays_as_it_is() {
        let (mut bytes, bits) = (udp(&[], false), NonZeroU8::MIN);
        assert!(!Corruption { place: 3, bits }.of_packet(&mut bytes));
        assert_eq!(bytes, udp(&[], false));
    }
}
