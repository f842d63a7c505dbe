//! Ethernet frames of real hosts (IEEE 802.3), which a simulated network carries as a bridge does.

use std::net::{IpAddr, Ipv4Addr};

use windtunnel_engine::hash_twice;

use crate::dscp::Dscp;
use crate::ecn::Ecn;
use crate::flow_key::FlowKey;
use crate::real::RealHeader;

/// A hardware address.
pub type HardwareAddress = [u8; 6];

/// The addresses and the type, in bytes.
pub const FRAME_HEADER: usize = 14;
/// A tag of a virtual network (IEEE 802.1Q), in bytes, and the types before one.
const TAG: usize = 4;
const TAGGED: [u16; 2] = [0x8100, 0x88a8];
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// The bit of the first byte that addresses of several stations have.
const GROUP: u8 = 1;

/// What a bridge reads of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The station that it comes from.
    pub source: HardwareAddress,
    /// The one that it is sent to.
    pub destination: HardwareAddress,
    /// What queues and links see of it: of the IP packet inside, if there is one; else without class
    /// and ECN field. Its length is that of what the frame carries.
    pub header: RealHeader,
}

impl Frame {
    /// Reads a frame, from its addresses on and without its check sequence; none if there is not as
    /// much.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (header, carried) = bytes.split_first_chunk::<FRAME_HEADER>()?;
        let [destination, source] = [0, 6].map(|at| {
            let mut address = HardwareAddress::default();
            address.copy_from_slice(&header[at..at + 6]);
            address
        });
        let length = u16::try_from(carried.len()).ok()?;
        let header = match ip_packet(bytes) {
            Some((at, ip)) => RealHeader { length, link_header: at as u8, ..ip },
            None => RealHeader {
                source: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
                destination: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
                flow: flow(header),
                length,
                dscp: Dscp::DEFAULT,
                ecn: Ecn::NotCapable,
                link_header: FRAME_HEADER as u8,
            },
        };
        Some(Self { source, destination, header })
    }

    /// Whether it is sent to several stations.
    #[must_use]
    pub fn is_for_several(&self) -> bool {
        self.destination[0] & GROUP != 0
    }
}

/// Where in a frame the IP packet begins, and its header; none if it has none. Behind the packet there
/// may be padding.
fn ip_packet(frame: &[u8]) -> Option<(usize, RealHeader)> {
    let word = |at: usize| Some(u16::from_be_bytes(*frame.get(at..)?.first_chunk()?));
    let mut at = FRAME_HEADER;
    while TAGGED.contains(&word(at - 2)?) && at < FRAME_HEADER + 2 * TAG {
        at += TAG;
    }
    let length = match word(at - 2)? {
        IPV4 => usize::from(word(at + 2)?),
        IPV6 => 40 + usize::from(word(at + 4)?),
        _ => return None,
    };
    Some((at, RealHeader::parse(frame.get(at..at + length)?)?))
}

/// The flow of what is not IP: its addresses and its type.
fn flow(header: &[u8; FRAME_HEADER]) -> FlowKey {
    let words = header.chunks(2).map(|it| u64::from(it[0]) << 8 | u64::from(it[1]));
    FlowKey::of_real(hash_twice(words.fold(0, |sum, it| hash_twice(sum) ^ it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATIONS: [u8; 12] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];

    /// An IPv4 packet with the ECN field 1.
    fn packet() -> Vec<u8> {
        let mut bytes = Vec::new();
        let builder = etherparse::PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
        builder.udp(1, 2).write(&mut bytes, b"data").unwrap();
        crate::real::set_ecn(&mut bytes, Ecn::Scalable);
        bytes
    }

    #[test]
    fn a_frame_has_the_header_of_its_packet() {
        let (packet, own) = (packet(), RealHeader::parse(&packet()).unwrap());
        for tags in [&[][..], &[0x81, 0, 0, 7], &[0x88, 0xa8, 0, 7, 0x81, 0, 0, 8]] {
            for padding in [0, 14] {
                let frame = [&STATIONS[..], tags, &[8, 0], &packet, &vec![0; padding]].concat();
                let it = Frame::parse(&frame).unwrap();
                assert_eq!((it.destination[5], it.source[5]), (2, 1));
                let length = (tags.len() + packet.len() + padding) as u16;
                let link_header = (FRAME_HEADER + tags.len()) as u8;
                assert_eq!(it.header, RealHeader { length, link_header, ..own });
            }
        }
    }

    #[test]
    fn a_frame_without_ip_has_its_length_and_no_class() {
        let arp = [&STATIONS[..], &[8, 6], &[1; 28]].concat();
        let it = Frame::parse(&arp).unwrap();
        assert_eq!((it.header.length, it.header.ecn), (28, Ecn::NotCapable));
        assert!(!it.is_for_several());
        let for_all = [&[0xff; 6], &arp[6..]].concat();
        assert!(Frame::parse(&for_all).unwrap().is_for_several());
        assert_eq!(Frame::parse(&arp[..13]), None);
    }
}
