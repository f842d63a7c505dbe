//! Between whom an IP packet of a guest travels.

use std::net::IpAddr;

/// The protocol of TCP (RFC 9293, section 3.1).
const TCP: u8 = 6;

/// The addresses of a packet, and the ports of one of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    source: IpAddr,
    pub(crate) destination: IpAddr,
    /// Of the source and of the destination.
    pub(crate) ports: Option<[u16; 2]>,
}

impl Addresses {
    /// Those of a packet of IPv4 (RFC 791, section 3.1) or IPv6 (RFC 8200, section 3) without extension
    /// headers, which a kernel's TCP has none of; none of anything else.
    pub(crate) fn of(packet: &[u8]) -> Option<Self> {
        let first = *packet.first()?;
        let (source, destination, protocol, header) = match first >> 4 {
            4 => {
                let header = usize::from(first & 15) * 4;
                (four(packet, 12)?, four(packet, 16)?, *packet.get(9)?, header)
            }
            6 => (six(packet, 8)?, six(packet, 24)?, *packet.get(6)?, 40),
            _ => return None,
        };
        let port = |at: usize| array(packet, header + at).map(u16::from_be_bytes);
        let ports = || Some([port(0)?, port(2)?]);
        Some(Self { source, destination, ports: (protocol == TCP).then(ports).flatten() })
    }

    /// Whether it goes from the one to the other.
    pub(crate) fn are_between(&self, own: IpAddr, peer: IpAddr) -> bool {
        (self.source, self.destination) == (own, peer)
    }
}

fn array<const N: usize>(packet: &[u8], at: usize) -> Option<[u8; N]> {
    packet.get(at..at + N)?.try_into().ok()
}

fn four(packet: &[u8], at: usize) -> Option<IpAddr> {
    array::<4>(packet, at).map(IpAddr::from)
}

fn six(packet: &[u8], at: usize) -> Option<IpAddr> {
    array::<16>(packet, at).map(IpAddr::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Of any bytes at all something or nothing is read.
        #[test]
        fn any_bytes_are_read_or_refused(packet in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Some(addresses) = Addresses::of(&packet) {
                prop_assert!(matches!(packet[0] >> 4, 4 | 6));
                prop_assert_eq!(addresses.source.is_ipv4(), packet[0] >> 4 == 4);
            }
        }

        #[test]
        fn a_segment_has_its_addresses_and_ports(
            ends in any::<[[u8; 16]; 2]>(), ports in any::<[u16; 2]>(),
            is_six in any::<bool>(), words in 5_u8..=15, is_tcp in any::<bool>(),
        ) {
            let length = if is_six { 16 } else { 4 };
            let protocol = if is_tcp { TCP } else { 17 };
            let mut packet = vec![0; if is_six { 8 } else { 12 }];
            (packet[0], packet[if is_six { 6 } else { 9 }]) =
                (if is_six { 6 << 4 } else { 4 << 4 | words }, protocol);
            ends.iter().for_each(|it| packet.extend(&it[..length]));
            packet.resize(if is_six { 40 } else { 4 * usize::from(words) }, 0);
            ports.iter().for_each(|it| packet.extend(it.to_be_bytes()));
            let address = |it: [u8; 16]| match it.first_chunk::<4>().filter(|_| !is_six) {
                Some(four) => IpAddr::from(*four),
                None => IpAddr::from(it),
            };
            let addresses = Addresses::of(&packet).unwrap();
            prop_assert!(addresses.are_between(address(ends[0]), address(ends[1])));
            prop_assert_eq!(addresses.ports, is_tcp.then_some(ports));
            packet.pop();
            prop_assert_eq!(Addresses::of(&packet).unwrap().ports, None);
        }
    }
}
