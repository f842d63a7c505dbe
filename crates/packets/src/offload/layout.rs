//! Where the fields of a packet are that is made of others, or that others are made of.

use std::ops::Range;

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, Ipv4Header, Ipv6Header};

use super::checksum::{is_right, set_of_ipv4};
use super::header::Segmented;

/// Within a TCP header (RFC 9293, section 3.1): the sequence number, the end of the acknowledgment
/// number, the flags, the checksum, and the least length.
pub(super) const SEQUENCE: Range<usize> = 4..8;
pub(super) const ACK_NUMBER_END: usize = 12;
pub(super) const FLAGS: usize = 13;
pub(super) const TCP_CHECKSUM: usize = 16;
pub(super) const TCP_MIN: usize = 20;
pub(super) const FIN: u8 = 0x01;
pub(super) const PSH: u8 = 0x08;
pub(super) const ACK: u8 = 0x10;
pub(super) const CWR: u8 = 0x80;
/// Within a UDP header (RFC 768): the checksum, and the length.
pub(super) const UDP_CHECKSUM: usize = 6;
pub(super) const UDP_HEADER: usize = 8;

/// A packet with data of TCP or UDP that the kernel can have been given together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) segmented: Segmented,
    /// The length of the IP header.
    pub(super) network: usize,
    /// The length of all headers.
    pub(super) header: usize,
}

impl Layout {
    /// That of a packet; none if it has no data, IPv4 options, IPv6 extensions or flags of TCP besides
    /// ACK and PSH, or is a fragment, or is longer or shorter than it says.
    pub(super) fn of(packet: &[u8]) -> Option<Self> {
        let (network, protocol) = network(packet)?;
        let (segmented, transport) = match (protocol, packet[0] >> 4) {
            (IpNumber::TCP, 4) => (Segmented::TcpV4, tcp_header(&packet[network..])?),
            (IpNumber::TCP, _) => (Segmented::TcpV6, tcp_header(&packet[network..])?),
            (IpNumber::UDP, _) => (Segmented::Udp, udp_header(&packet[network..])?),
            _ => return None,
        };
        let header = network + transport;
        (header < packet.len()).then_some(Self { segmented, network, header })
    }

    /// Where the checksum is, behind the IP header.
    pub(super) fn checksum(&self) -> usize {
        match self.segmented {
            Segmented::Udp => UDP_CHECKSUM,
            _ => TCP_CHECKSUM,
        }
    }

    /// The sum of the pseudo-header (RFC 9293, section 3.1; RFC 8200, section 8.1).
    pub(super) fn pseudo_header(&self, packet: &[u8]) -> Sum16BitWords {
        let is_v4 = self.network == Ipv4Header::MIN_LEN;
        let addresses = &packet[if is_v4 { 12 } else { 8 }..self.network];
        let protocol = if self.segmented == Segmented::Udp { IpNumber::UDP } else { IpNumber::TCP };
        Sum16BitWords::new()
            .add_slice(addresses)
            .add_2bytes([0, protocol.0])
            .add_2bytes(((packet.len() - self.network) as u16).to_be_bytes())
    }

    /// Whether all checksums of a packet are right.
    pub(super) fn has_right_checksums(&self, packet: &[u8]) -> bool {
        let is_v4 = self.network == Ipv4Header::MIN_LEN;
        let header = Sum16BitWords::new().add_slice(&packet[..self.network]);
        let whole = self.pseudo_header(packet).add_slice(&packet[self.network..]);
        (!is_v4 || is_right(header)) && is_right(whole)
    }
}

/// Sets the length of a packet in its IP header, and over IPv4 the checksum.
pub(super) fn set_length(header: &mut [u8], length: usize) {
    if header[0] >> 4 == 6 {
        header[4..6].copy_from_slice(&((length - Ipv6Header::LEN) as u16).to_be_bytes());
    } else {
        header[2..4].copy_from_slice(&(length as u16).to_be_bytes());
        set_of_ipv4(header);
    }
}

/// The length of an IP header without options, and what follows it.
fn network(packet: &[u8]) -> Option<(usize, IpNumber)> {
    let word = |at: usize| usize::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
    let (length, header, protocol) = match packet.first()? {
        0x45 if packet.len() >= Ipv4Header::MIN_LEN => {
            // With more than the flag "don't fragment" it is a fragment.
            if word(6) & !0x4000 != 0 {
                return None;
            }
            (word(2), Ipv4Header::MIN_LEN, IpNumber(packet[9]))
        }
        first if first >> 4 == 6 && packet.len() >= Ipv6Header::LEN => {
            (Ipv6Header::LEN + word(4), Ipv6Header::LEN, IpNumber(packet[6]))
        }
        _ => return None,
    };
    (length == packet.len()).then_some((header, protocol))
}

/// The length of a header of TCP with no flags besides ACK and PSH.
fn tcp_header(segment: &[u8]) -> Option<usize> {
    let length = usize::from(segment.get(ACK_NUMBER_END)? >> 4) * 4;
    let flags = segment.get(FLAGS)? & !PSH;
    (flags == ACK && (TCP_MIN..=segment.len()).contains(&length)).then_some(length)
}

/// The length of a header of UDP with a checksum.
fn udp_header(datagram: &[u8]) -> Option<usize> {
    let header: &[u8; UDP_HEADER] = datagram.first_chunk()?;
    let length = usize::from(u16::from_be_bytes([header[4], header[5]]));
    (length == datagram.len() && header[UDP_CHECKSUM..] != [0; 2]).then_some(UDP_HEADER)
}
