//! Segments as bytes, with the headers of IP. Written by other code than the host's, so that
//! neither hides what the other does wrong.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use etherparse::{
    Icmpv4Type, Icmpv6Type, IpEcn, IpHeaders, IpNumber, Ipv4Extensions, Ipv4Header, Ipv6Extensions,
    Ipv6FlowLabel, Ipv6Header, NetSlice, PacketBuilder, SlicedPacket, TcpHeader, TcpOptions,
    TransportSlice, icmpv4,
};

use crate::script::{ByteCounter, Ecn, Segment, SegmentFlags, TcpOption, TooBig};

const HOPS: u8 = 64;
const MAXIMUM_SEGMENT: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
/// Accurate ECN's counters, those of ECT(0) or those of ECT(1) first (RFC 9768, section 3.2.3).
const ECT0_FIRST: u8 = 172;
const ECT1_FIRST: u8 = 174;
/// How much of a packet a router returns: the headers.
const RETURNED: usize = 60;
/// The length of a counter in bytes.
const COUNTER: usize = 3;

/// The addresses of the host and of its peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    /// That of the host.
    pub(crate) own: IpAddr,
    /// That of the peer.
    pub(crate) peer: IpAddr,
}

/// A segment that the host sent, with the numbers that it has on the wire.
#[derive(Debug)]
pub(crate) struct SentSegment {
    pub(crate) segment: Segment,
    pub(crate) source_port: u16,
}

impl Wire {
    pub(crate) fn new(ipv6: bool) -> Self {
        if ipv6 {
            let address = |last| IpAddr::from(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last));
            Self { own: address(2), peer: address(1) }
        } else {
            let address = |last| IpAddr::from(Ipv4Addr::new(10, 0, 0, last));
            Self { own: address(2), peer: address(1) }
        }
    }

    /// The packet of a segment of the peer's; none if its options have no room.
    pub(crate) fn encode(&self, it: &Segment, ports: [u16; 2]) -> Option<Vec<u8>> {
        let mut options = Vec::new();
        for option in it.options.as_deref().unwrap_or_default() {
            write_option(option, &mut options);
        }
        let flags = it.ace.map_or(it.flags, |ace| it.flags.with_ace(ace));
        let bit = |number: u16| flags.has(SegmentFlags(1 << number));
        let header = TcpHeader {
            source_port: ports[0],
            destination_port: ports[1],
            sequence_number: it.sequence?,
            acknowledgment_number: it.acknowledgement.unwrap_or_default(),
            fin: bit(0),
            syn: bit(1),
            rst: bit(2),
            psh: bit(3),
            ack: bit(4),
            urg: bit(5),
            ece: bit(6),
            cwr: bit(7),
            ns: bit(8),
            window_size: it.window.unwrap_or_default(),
            urgent_pointer: it.urgent,
            options: TcpOptions::try_from_slice(&options).ok()?,
            ..TcpHeader::default()
        };
        let data = vec![b'y'; it.length as usize];
        let mut packet = Vec::new();
        let builder = PacketBuilder::ip(self.headers(it.ecn)?).tcp_header(header);
        builder.write(&mut packet, &data).ok()?;
        Some(packet)
    }

    /// The headers of a packet of the peer's.
    fn headers(&self, ecn: Option<Ecn>) -> Option<IpHeaders> {
        let ecn = match ecn {
            None | Some(Ecn::NotCapable) => IpEcn::NotEct,
            Some(Ecn::Ect0 | Ecn::Ect01) => IpEcn::Ect0,
            Some(Ecn::Ect1) => IpEcn::Ect1,
            Some(Ecn::Congestion) => IpEcn::CongestionExperienced,
        };
        match (self.peer, self.own) {
            (IpAddr::V4(peer), IpAddr::V4(own)) => {
                let header =
                    Ipv4Header::new(0, HOPS, IpNumber::TCP, peer.octets(), own.octets()).ok()?;
                let header = Ipv4Header { ecn, ..header };
                Some(IpHeaders::Ipv4(header, Ipv4Extensions::default()))
            }
            (IpAddr::V6(peer), IpAddr::V6(own)) => {
                let mut header = Ipv6Header {
                    traffic_class: 0,
                    flow_label: Ipv6FlowLabel::ZERO,
                    payload_length: 0,
                    next_header: IpNumber::TCP,
                    hop_limit: HOPS,
                    source: peer.octets(),
                    destination: own.octets(),
                };
                header.set_ecn(ecn);
                Some(IpHeaders::Ipv6(header, Ipv6Extensions::default()))
            }
            _ => None,
        }
    }

    /// The report of a router that a packet of the host's with `length` bytes of data and this
    /// number was too large; none if there are no such packets.
    pub(crate) fn encode_too_big(&self, it: &TooBig, ports: [u16; 2]) -> Option<Vec<u8>> {
        let header = TcpHeader {
            source_port: ports[0],
            destination_port: ports[1],
            sequence_number: it.sequence,
            ack: true,
            ..TcpHeader::default()
        };
        let reversed = Self { own: self.peer, peer: self.own };
        let mut dropped = Vec::new();
        let builder = PacketBuilder::ip(reversed.headers(None)?).tcp_header(header);
        builder.write(&mut dropped, &vec![b'x'; it.length as usize]).ok()?;
        dropped.truncate(RETURNED);
        let mut packet = Vec::new();
        let builder = PacketBuilder::ip(self.headers(None)?);
        let written = if self.own.is_ipv4() {
            let code = icmpv4::DestUnreachableHeader::FragmentationNeeded { next_hop_mtu: it.mtu };
            let report = Icmpv4Type::DestinationUnreachable(code);
            builder.icmpv4(report).write(&mut packet, &dropped)
        } else {
            let report = Icmpv6Type::PacketTooBig { mtu: it.mtu.into() };
            builder.icmpv6(report).write(&mut packet, &dropped)
        };
        written.ok().map(|()| packet)
    }

    /// What the host's packet has in it; none if it is not TCP.
    pub(crate) fn decode(&self, packet: &[u8]) -> Option<SentSegment> {
        let sliced = SlicedPacket::from_ip(packet).ok()?;
        let ecn = match sliced.net? {
            NetSlice::Ipv4(it) => it.header().ecn(),
            NetSlice::Ipv6(it) => it.header().to_header().ecn(),
            NetSlice::Arp(_) => return None,
        };
        let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { return None };
        let bits = [
            tcp.fin(),
            tcp.syn(),
            tcp.rst(),
            tcp.psh(),
            tcp.ack(),
            tcp.urg(),
            tcp.ece(),
            tcp.cwr(),
            tcp.ns(),
        ];
        let flags = bits.iter().rev().fold(0, |flags, bit| flags << 1 | u16::from(*bit));
        let segment = Segment {
            ecn: Some(match ecn {
                IpEcn::NotEct => Ecn::NotCapable,
                IpEcn::Ect0 => Ecn::Ect0,
                IpEcn::Ect1 => Ecn::Ect1,
                IpEcn::CongestionExperienced => Ecn::Congestion,
            }),
            flags: SegmentFlags(flags),
            ace: None,
            sequence: Some(tcp.sequence_number()),
            length: tcp.payload().len() as u32,
            acknowledgement: tcp.ack().then(|| tcp.acknowledgment_number()),
            window: Some(tcp.window_size()),
            urgent: tcp.urgent_pointer(),
            options: Some(read_options(tcp.options())),
        };
        Some(SentSegment { segment, source_port: tcp.source_port() })
    }

    /// The place of a port of the host's.
    pub(crate) fn own_port(&self, port: u16) -> SocketAddr {
        SocketAddr::new(self.own, port)
    }

    /// The place of a port of the peer's.
    pub(crate) fn peer_port(&self, port: u16) -> SocketAddr {
        SocketAddr::new(self.peer, port)
    }
}

/// Writes an option as it is, without what would align it.
fn write_option(option: &TcpOption, out: &mut Vec<u8>) {
    let mut with = |kind: u8, content: &[u8]| {
        out.extend([kind, content.len() as u8 + 2]);
        out.extend(content);
    };
    match option {
        TcpOption::Nop => out.push(1),
        TcpOption::End => out.push(0),
        TcpOption::MaximumSegment(size) => with(MAXIMUM_SEGMENT, &size.to_be_bytes()),
        TcpOption::WindowScale(bits) => with(WINDOW_SCALE, &[*bits]),
        TcpOption::SackPermitted => with(SACK_PERMITTED, &[]),
        TcpOption::Sack(blocks) => {
            let numbers: Vec<u8> =
                blocks.as_flattened().iter().flat_map(|it| it.to_be_bytes()).collect();
            with(SACK, &numbers);
        }
        TcpOption::Timestamps { value, echo } => {
            with(TIMESTAMPS, &[value.to_be_bytes(), echo.to_be_bytes()].concat());
        }
        TcpOption::ByteCounters(counters) => {
            let is_ect1_first = counters.first().is_some_and(|it| it.0 == ByteCounter::Ect1);
            let kind = if is_ect1_first { ECT1_FIRST } else { ECT0_FIRST };
            let counters: Vec<u8> =
                counters.iter().flat_map(|it| it.1.to_be_bytes().into_iter().skip(1)).collect();
            with(kind, &counters);
        }
        TcpOption::Other(_) => {}
    }
}

/// The options of a header; those behind one that is malformed are left out.
fn read_options(mut bytes: &[u8]) -> Vec<TcpOption> {
    let mut options = Vec::new();
    while let Some((&kind, rest)) = bytes.split_first() {
        let size = match kind {
            0 => break,
            1 => {
                options.push(TcpOption::Nop);
                bytes = rest;
                continue;
            }
            _ => usize::from(rest.first().copied().unwrap_or_default()),
        };
        let Some(content) = bytes.get(2..size) else { break };
        options.push(read_option(kind, content));
        bytes = &bytes[size..];
    }
    options
}

fn read_option(kind: u8, content: &[u8]) -> TcpOption {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |it, byte| it << 8 | u32::from(*byte));
    match (kind, content) {
        (MAXIMUM_SEGMENT, [_, _]) => TcpOption::MaximumSegment(number(content) as u16),
        (WINDOW_SCALE, [bits]) => TcpOption::WindowScale(*bits),
        (SACK_PERMITTED, []) => TcpOption::SackPermitted,
        (SACK, _) => TcpOption::Sack(
            content.chunks_exact(8).map(|it| [number(&it[..4]), number(&it[4..])]).collect(),
        ),
        (TIMESTAMPS, [_, _, _, _, _, _, _, _]) => {
            TcpOption::Timestamps { value: number(&content[..4]), echo: number(&content[4..]) }
        }
        (ECT0_FIRST | ECT1_FIRST, _) => {
            use ByteCounter::{Congestion, Ect0, Ect1};
            let order = if kind == ECT0_FIRST {
                [Ect0, Congestion, Ect1]
            } else {
                [Ect1, Congestion, Ect0]
            };
            let counters = content.chunks_exact(COUNTER).map(number);
            TcpOption::ByteCounters(order.into_iter().zip(counters).collect())
        }
        _ => TcpOption::Other(kind.to_string()),
    }
}
