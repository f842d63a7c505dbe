//! TCP segments out of IP packets from a network: RFC 9293, sections 3.1 and 3.2; RFC 7323; RFC
//! 2018; RFC 9768. Anything may come from there; what is no whole, correct segment is an error.

use std::net::{SocketAddrV4, SocketAddrV6};

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, IpSlice, TcpSlice, tcp_option};
use thiserror::Error;

use super::{Addresses, IpVersion};
use crate::ecn::Ecn;
use crate::tcp::{ByteCounters, Flags, SackBlock, Segment, SynOptions};

/// The kinds of accurate ECN's option (RFC 9768, section 3.2.3): ECT(0) first, and ECT(1).
const CAPABLE_FIRST: u8 = 172;
const SCALABLE_FIRST: u8 = 174;

/// A segment, and what was around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedSegment<'a> {
    /// Its fields; of a SYN without its data, which its sender sends again.
    pub segment: Segment,
    /// Where it comes from, and where it goes.
    pub addresses: Addresses,
    /// The packet's ECN field.
    pub ecn: Ecn,
    /// Its data; of a SYN's, which is not taken, the segment has no length.
    pub data: &'a [u8],
}

/// Why bytes are not an IP packet with a TCP segment.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum MalformedSegment {
    /// The packet is not IPv4 or IPv6, or not all of it is there.
    #[error("not a whole IP packet")]
    Packet,
    /// It is a part of a larger one.
    #[error("a fragment")]
    Fragment,
    /// It carries something else.
    #[error("not a TCP segment")]
    Protocol,
    /// The header's own length is not possible.
    #[error("not a whole TCP header")]
    Header,
    /// Bytes have changed on their way.
    #[error("a wrong checksum")]
    Checksum,
}

/// The TCP segment in an IP packet. Options that are not known are ignored, and everything
/// behind one whose length is not possible.
pub fn decode_segment(packet: &[u8]) -> Result<ReceivedSegment<'_>, MalformedSegment> {
    use MalformedSegment::{Checksum, Fragment, Header, Packet, Protocol};
    let ip = IpSlice::from_slice(packet).map_err(|_| Packet)?;
    if ip.is_fragmenting_payload() {
        return Err(Fragment);
    }
    if ip.payload_ip_number() != IpNumber::TCP {
        return Err(Protocol);
    }
    let bytes = match &ip {
        IpSlice::Ipv4(ip) => ip.payload().payload,
        IpSlice::Ipv6(ip) => ip.payload().payload,
    };
    let tcp = TcpSlice::from_slice(bytes).map_err(|_| Header)?;
    let ports = [tcp.source_port(), tcp.destination_port()];
    let (addresses, ecn, expected) = match &ip {
        IpSlice::Ipv4(ip) => {
            let header = ip.header();
            // Over all bits, also the one that is reserved; with the checksum the sum is zero.
            if Sum16BitWords::new().add_slice(header.slice()).ones_complement() != 0 {
                return Err(Checksum);
            }
            let source = SocketAddrV4::new(header.source_addr(), ports[0]);
            let destination = SocketAddrV4::new(header.destination_addr(), ports[1]);
            let expected = tcp.calc_checksum_ipv4(header.source(), header.destination());
            (Addresses::V4 { source, destination }, header.ecn(), expected.map_err(|_| Packet)?)
        }
        IpSlice::Ipv6(ip) => {
            let header = ip.header();
            // Zero stands for a jumbogram (RFC 2675), which no segment of ours needs.
            if header.payload_length() == 0 {
                return Err(Packet);
            }
            let source = SocketAddrV6::new(header.source_addr(), ports[0], 0, 0);
            let destination = SocketAddrV6::new(header.destination_addr(), ports[1], 0, 0);
            let expected = tcp.calc_checksum_ipv6(header.source(), header.destination());
            (Addresses::V6 { source, destination }, header.ecn(), expected.map_err(|_| Packet)?)
        }
    };
    if !is_checksum(tcp.checksum(), expected) {
        return Err(Checksum);
    }
    let data = &bytes[usize::from(tcp.data_offset()) * 4..];
    let mut segment = Segment::new(0, tcp.sequence_number(), flags(&tcp));
    segment.acknowledgement = tcp.acknowledgment_number();
    segment.window = tcp.window_size();
    segment.length = if tcp.syn() { 0 } else { data.len() as u16 };
    take_options(&mut segment, tcp.options(), addresses.version());
    Ok(ReceivedSegment { segment, addresses, ecn: Ecn::of_ip(ecn), data })
}

/// Whether a checksum is the one that was calculated: both representations of zero are (RFC
/// 1071, section 2), and Linux sends the one that UDP needs.
fn is_checksum(checksum: u16, calculated: u16) -> bool {
    checksum == calculated || (checksum == u16::MAX && calculated == 0)
}

/// The flags; urgent data is data like any other (RFC 9293, section 3.8.5, lets nobody rely on
/// more).
fn flags(tcp: &TcpSlice<'_>) -> Flags {
    Flags::default()
        .with_if(Flags::FIN, tcp.fin())
        .with_if(Flags::SYN, tcp.syn())
        .with_if(Flags::RST, tcp.rst())
        .with_if(Flags::PSH, tcp.psh())
        .with_if(Flags::ACK, tcp.ack())
        .with_if(Flags::ECE, tcp.ece())
        .with_if(Flags::CWR, tcp.cwr())
        .with_if(Flags::AE, tcp.ns())
}

/// What a SYN offers that does not say it: RFC 9293, section 3.7.1.
fn without_options(version: IpVersion) -> SynOptions {
    let maximum_segment = match version {
        IpVersion::V4 => 536,
        IpVersion::V6 => 1220,
    };
    SynOptions { maximum_segment, window_scale: None, sack_permitted: false }
}

/// Takes what options say into the segment.
fn take_options(segment: &mut Segment, options: &[u8], version: IpVersion) {
    let is_syn = segment.flags.has(Flags::SYN);
    let mut offered = without_options(version);
    // Counters first: SACK blocks have the room that remains.
    let mut blocks: &[u8] = &[];
    for (kind, value) in Options(options) {
        match (kind, value) {
            (tcp_option::KIND_MAXIMUM_SEGMENT_SIZE, [high, low]) => {
                offered.maximum_segment = u16::from_be_bytes([*high, *low]);
            }
            (tcp_option::KIND_WINDOW_SCALE, [shift]) => offered.window_scale = Some(*shift),
            (tcp_option::KIND_SELECTIVE_ACK_PERMITTED, []) => offered.sack_permitted = true,
            (tcp_option::KIND_TIMESTAMP, [a, b, c, d, e, f, g, h]) => {
                segment.timestamp = u32::from_be_bytes([*a, *b, *c, *d]);
                segment.echo = u32::from_be_bytes([*e, *f, *g, *h]);
                segment.flags = segment.flags.with(Flags::TIMESTAMPS);
            }
            (tcp_option::KIND_SELECTIVE_ACK, _) if !is_syn => blocks = value,
            (CAPABLE_FIRST | SCALABLE_FIRST, _) if !is_syn => {
                if let Some(counters) = byte_counters(kind, value) {
                    segment.set_byte_counters(counters);
                }
            }
            _ => {}
        }
    }
    if is_syn {
        segment.set_syn_options(offered);
    }
    for block in blocks.chunks_exact(8) {
        let number = |at: usize| {
            u32::from_be_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
        };
        let (start, end) = (number(0), number(4));
        // An empty one would end the list.
        if start != end {
            segment.add_sack_block(SackBlock { start, end });
        }
    }
}

/// The counters of accurate ECN's option, if that of CE is among them.
fn byte_counters(kind: u8, value: &[u8]) -> Option<ByteCounters> {
    let mut counters = value.chunks_exact(3).map(|it| u32::from_be_bytes([0, it[0], it[1], it[2]]));
    let (first, congestion, third) = (counters.next()?, counters.next()?, counters.next());
    Some(match (kind, third) {
        (CAPABLE_FIRST, None) => ByteCounters::Capable { capable: first, congestion },
        (CAPABLE_FIRST, Some(scalable)) => {
            ByteCounters::All { capable: first, congestion, scalable }
        }
        (_, None) => ByteCounters::Scalable { scalable: first, congestion },
        (_, Some(capable)) => ByteCounters::All { capable, congestion, scalable: first },
    })
}

/// Options one after the other: their kinds and values.
struct Options<'a>(&'a [u8]);

impl<'a> Iterator for Options<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match *self.0 {
                [] | [tcp_option::KIND_END, ..] => return None,
                [tcp_option::KIND_NOOP, ref others @ ..] => self.0 = others,
                [kind, length, ..] => {
                    let (option, others) = self.0.split_at_checked(length.into())?;
                    // The length counts these two bytes.
                    let value = option.get(2..)?;
                    self.0 = others;
                    return Some((kind, value));
                }
                [_] => return None,
            }
        }
    }
}
