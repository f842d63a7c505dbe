//! Between whom an IP packet of a guest travels.

use std::net::IpAddr;

/// The protocol of TCP (RFC 9293, section 3.1).
const TCP: u8 = 6;

/// The addresses of a packet, and the ports of one of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    source: IpAddr,
    destination: IpAddr,
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
