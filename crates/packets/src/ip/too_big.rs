//! Reports of routers that a packet is too large for the next link: RFC 1191, section 4 (ICMP) and
//! RFC 4443, section 3.2 (ICMPv6). Anything may come from a network; what is not such a report
//! about a whole TCP header's beginning is none.

use std::net::{SocketAddrV4, SocketAddrV6};

use etherparse::checksum::Sum16BitWords;
use etherparse::icmpv4::DestUnreachableHeader;
use etherparse::{
    Icmpv4Slice, Icmpv4Type, Icmpv6Slice, Icmpv6Type, IpNumber, IpSlice, Ipv4HeaderSlice,
    Ipv6HeaderSlice,
};

use super::Addresses;

/// What a router reports of a TCP segment that it has dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooBig {
    /// Where the segment came from, and where it went.
    pub addresses: Addresses,
    /// Its sequence number.
    pub sequence: u32,
    /// The length of its packet in bytes.
    pub length: u32,
    /// The largest packet that the next link carries, in bytes.
    pub mtu: u32,
}

/// The report in an IP packet, if there is one with a correct checksum, from a router that knows
/// the size of its next link.
#[must_use]
pub fn decode_too_big(packet: &[u8]) -> Option<TooBig> {
    let ip = IpSlice::from_slice(packet).ok().filter(|it| !it.is_fragmenting_payload())?;
    match (&ip, ip.payload_ip_number()) {
        (IpSlice::Ipv4(ip), IpNumber::ICMP) => of_icmp(ip.payload().payload),
        (IpSlice::Ipv6(ip), IpNumber::IPV6_ICMP) => {
            let (header, bytes) = (ip.header(), ip.payload().payload);
            let icmp = Icmpv6Slice::from_slice(bytes).ok()?;
            let is_whole = icmp.is_checksum_valid(header.source(), header.destination());
            of_icmp_v6(&icmp).filter(|_| is_whole)
        }
        _ => None,
    }
}

fn of_icmp(bytes: &[u8]) -> Option<TooBig> {
    // With the checksum the sum is zero.
    let is_whole = Sum16BitWords::new().add_slice(bytes).ones_complement() == 0;
    let icmp = Icmpv4Slice::from_slice(bytes).ok().filter(|_| is_whole)?;
    let reason = DestUnreachableHeader::FragmentationNeeded { next_hop_mtu: mtu_of(&icmp) };
    if icmp.icmp_type() != Icmpv4Type::DestinationUnreachable(reason) {
        return None;
    }
    let quoted = icmp.payload();
    let header = Ipv4HeaderSlice::from_slice(quoted).ok()?;
    let is_first = header.protocol() == IpNumber::TCP && !header.is_fragmenting_payload();
    let (ports, sequence) = tcp_of(quoted, header.slice().len()).filter(|_| is_first)?;
    let source = SocketAddrV4::new(header.source_addr(), ports[0]);
    let destination = SocketAddrV4::new(header.destination_addr(), ports[1]);
    let addresses = Addresses::V4 { source, destination };
    let (length, mtu) = (header.total_len().into(), mtu_of(&icmp).into());
    Some(TooBig { addresses, sequence, length, mtu })
}

/// The size of the next link, where the packet is the report.
fn mtu_of(icmp: &Icmpv4Slice<'_>) -> u16 {
    let [_, _, high, low] = icmp.bytes5to8();
    u16::from_be_bytes([high, low])
}

fn of_icmp_v6(icmp: &Icmpv6Slice<'_>) -> Option<TooBig> {
    let Icmpv6Type::PacketTooBig { mtu } = icmp.icmp_type() else { return None };
    let quoted = icmp.payload();
    let header = Ipv6HeaderSlice::from_slice(quoted).ok()?;
    let is_first = header.next_header() == IpNumber::TCP;
    let (ports, sequence) = tcp_of(quoted, header.slice().len()).filter(|_| is_first)?;
    let source = SocketAddrV6::new(header.source_addr(), ports[0], 0, 0);
    let destination = SocketAddrV6::new(header.destination_addr(), ports[1], 0, 0);
    let addresses = Addresses::V6 { source, destination };
    let length = u32::from(header.payload_length()) + header.slice().len() as u32;
    Some(TooBig { addresses, sequence, length, mtu })
}

/// The ports and the sequence number of a TCP header: all that a router has to quote (RFC 792).
fn tcp_of(quoted: &[u8], header: usize) -> Option<([u16; 2], u32)> {
    let &[a, b, c, d, e, f, g, h] = quoted.get(header..)?.first_chunk::<8>()?;
    let ports = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
    Some((ports, u32::from_be_bytes([e, f, g, h])))
}
