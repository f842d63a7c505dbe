//! IP addresses and versions, and TCP segments and UDP datagrams encoded in IP
//! packets, for captures and for networks. Headers are those of RFC 791, RFC 8200, RFC 9293 and
//! RFC 768, all checksums are correct, and in captures the data are zeros.

mod received;
mod too_big;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use etherparse::{
    IpHeaders, IpNumber, Ipv4Header, Ipv6Header, PacketBuilder, TcpHeader, TcpOptionElement,
    TcpOptions, tcp_option,
};

pub use received::{MalformedSegment, ReceivedSegment, decode_segment};
pub use too_big::{TooBig, decode_too_big};

use crate::dscp::Dscp;
use crate::ecn::Ecn;
use crate::tcp::{Flags, SackBlock, Segment};
use crate::udp::Datagram;

/// Time to live, or hop limit: the default of IP (RFC 1700). Routers do not decrement that of simulated
/// packets.
pub(crate) const HOPS: u8 = 64;
/// The least MTU of a link over IPv6, in bytes (RFC 8200, section 5).
pub const LEAST_MTU_V6: u16 = 1280;

/// The length in bytes of an IPv6 header and the longest TCP header.
const MOST_HEADERS: usize = 40 + 60;

/// The payload of a packet of which the simulator knows only the length.
static ZEROS: [u8; u16::MAX as usize] = [0; u16::MAX as usize];

/// The version of IP that carries a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpVersion {
    /// IPv4, with a header of 20 bytes.
    #[default]
    V4,
    /// IPv6, with a header of 40 bytes.
    V6,
}

impl IpVersion {
    /// The length of its header in bytes.
    #[must_use]
    pub const fn header(self) -> u16 {
        match self {
            Self::V4 => 20,
            Self::V6 => 40,
        }
    }
}

/// One of the IPv4 addresses of a node, by the node's place in the plan: in 10.0.0.0/8, where the
/// three highest bits of the last 24 say which.
#[must_use]
pub fn address_of_node(node: usize, which: u8) -> Ipv4Addr {
    let [.., a, b, c] = ((node as u32 + 1) | (u32::from(which) << 21)).to_be_bytes();
    Ipv4Addr::new(10, a, b, c)
}

/// The same over IPv6: in fd00::/48, where the fourth group of digits says which.
#[must_use]
pub fn address_of_node_v6(node: usize, which: u8) -> Ipv6Addr {
    let number = (node as u64 + 1).to_be_bytes();
    let [.., a, b, c, d] = number.map(u16::from);
    Ipv6Addr::new(0xfd00, 0, 0, u16::from(which), 0, 0, a << 8 | b, c << 8 | d)
}

/// The node that has an address as its first one.
#[must_use]
pub fn node_of_address(address: IpAddr) -> Option<usize> {
    let number = match address {
        // The three highest bits of the last 24 are those of the first address.
        IpAddr::V4(it) => u64::from(it.to_bits() & 0x001f_ffff),
        IpAddr::V6(it) => it.to_bits() as u64,
    };
    let node = usize::try_from(number).ok()?.checked_sub(1)?;
    let own = match address {
        IpAddr::V4(_) => IpAddr::V4(address_of_node(node, 0)),
        IpAddr::V6(_) => IpAddr::V6(address_of_node_v6(node, 0)),
    };
    (own == address).then_some(node)
}

/// Source and destination of a packet, with ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Over IPv4.
    V4 {
        /// The sender.
        source: SocketAddrV4,
        /// The receiver.
        destination: SocketAddrV4,
    },
    /// Over IPv6.
    V6 {
        /// The sender.
        source: SocketAddrV6,
        /// The receiver.
        destination: SocketAddrV6,
    },
}

impl Addresses {
    /// From one to the other, if both are of the same version of IP.
    #[must_use]
    pub fn between(source: SocketAddr, destination: SocketAddr) -> Option<Self> {
        match (source, destination) {
            (SocketAddr::V4(source), SocketAddr::V4(destination)) => {
                Some(Self::V4 { source, destination })
            }
            (SocketAddr::V6(source), SocketAddr::V6(destination)) => {
                Some(Self::V6 { source, destination })
            }
            _ => None,
        }
    }

    /// The sender.
    #[must_use]
    pub fn source(&self) -> SocketAddr {
        match self {
            Self::V4 { source, .. } => SocketAddr::V4(*source),
            Self::V6 { source, .. } => SocketAddr::V6(*source),
        }
    }

    /// The receiver.
    #[must_use]
    pub fn destination(&self) -> SocketAddr {
        match self {
            Self::V4 { destination, .. } => SocketAddr::V4(*destination),
            Self::V6 { destination, .. } => SocketAddr::V6(*destination),
        }
    }

    /// The version of IP.
    #[must_use]
    pub fn version(&self) -> IpVersion {
        match self {
            Self::V4 { .. } => IpVersion::V4,
            Self::V6 { .. } => IpVersion::V6,
        }
    }

    /// The same flow's other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::V4 { source, destination } => {
                Self::V4 { source: destination, destination: source }
            }
            Self::V6 { source, destination } => {
                Self::V6 { source: destination, destination: source }
            }
        }
    }

    /// Gives the two ends these ports.
    pub fn set_ports(&mut self, ports: [u16; 2]) {
        match self {
            Self::V4 { source, destination } => {
                source.set_port(ports[0]);
                destination.set_port(ports[1]);
            }
            Self::V6 { source, destination } => {
                source.set_port(ports[0]);
                destination.set_port(ports[1]);
            }
        }
    }

    fn ports(&self) -> [u16; 2] {
        match self {
            Self::V4 { source, destination } => [source.port(), destination.port()],
            Self::V6 { source, destination } => [source.port(), destination.port()],
        }
    }

    /// The IP header, in which the lengths and checksums are filled in later.
    fn header(&self, dscp: Dscp, ecn: Ecn) -> IpHeaders {
        let (dscp, ecn) = (dscp.to_ip(), ecn.to_ip());
        match self {
            Self::V4 { source, destination } => {
                // May not be fragmented, so the identification means nothing
                // (RFC 6864, section 4.1): it is 0.
                let header = Ipv4Header {
                    dscp,
                    ecn,
                    time_to_live: HOPS,
                    dont_fragment: true,
                    source: source.ip().octets(),
                    destination: destination.ip().octets(),
                    ..Ipv4Header::default()
                };
                IpHeaders::Ipv4(header, Default::default())
            }
            Self::V6 { source, destination } => {
                let mut header = Ipv6Header {
                    hop_limit: HOPS,
                    source: source.ip().octets(),
                    destination: destination.ip().octets(),
                    ..Ipv6Header::default()
                };
                header.set_dscp(dscp);
                header.set_ecn(ecn);
                IpHeaders::Ipv6(header, Default::default())
            }
        }
    }
}

/// The IP packet of a TCP segment; its length is that of the IP header and
/// [`Segment::size`]. `multipath` is what it says about a multipath connection, if it does.
#[must_use]
pub fn encode_segment(
    segment: &Segment,
    ecn: Ecn,
    addresses: &Addresses,
    multipath: &[u8],
) -> Vec<u8> {
    let header = tcp_header(segment, multipath);
    encode_tcp(header, segment.dscp, ecn, addresses, &ZEROS[..usize::from(segment.length)])
}

/// The IP packet of a TCP segment with these data, which has no option of a multipath
/// connection.
#[must_use]
pub fn encode_segment_with(
    segment: &Segment,
    ecn: Ecn,
    addresses: &Addresses,
    data: &[u8],
) -> Vec<u8> {
    encode_tcp(tcp_header(segment, &[]), segment.dscp, ecn, addresses, data)
}

fn encode_tcp(
    header: TcpHeader,
    dscp: Dscp,
    ecn: Ecn,
    addresses: &Addresses,
    data: &[u8],
) -> Vec<u8> {
    let mut output = Vec::with_capacity(MOST_HEADERS + data.len());
    let [source_port, destination_port] = addresses.ports();
    let header = TcpHeader { source_port, destination_port, ..header };
    PacketBuilder::ip(addresses.header(dscp, ecn))
        .tcp_header(header)
        .write_to_vec(&mut output, data)
        .expect("a packet's size has 16 bits, so its lengths fit their fields");
    output
}

/// The IP packet of a UDP datagram.
#[must_use]
pub fn encode_datagram(datagram: &Datagram, ecn: Ecn, addresses: &Addresses) -> Vec<u8> {
    encode_udp(&ZEROS[..usize::from(datagram.length)], datagram.dscp, ecn, addresses)
}

/// The IP packet of a UDP datagram with these data.
#[must_use]
pub fn encode_udp(data: &[u8], dscp: Dscp, ecn: Ecn, addresses: &Addresses) -> Vec<u8> {
    let mut output = Vec::with_capacity(MOST_HEADERS + data.len());
    let [source_port, destination_port] = addresses.ports();
    PacketBuilder::ip(addresses.header(dscp, ecn))
        .udp(source_port, destination_port)
        .write_to_vec(&mut output, data)
        .expect("a packet's size has 16 bits, so its lengths fit their fields");
    output
}

/// The IP packet that carries another packet, of that protocol number (RFC 2003; RFC 2473).
#[must_use]
pub fn encode_tunnelled(
    packet: &[u8],
    protocol: u8,
    dscp: Dscp,
    ecn: Ecn,
    addresses: &Addresses,
) -> Vec<u8> {
    let mut output = Vec::with_capacity(MOST_HEADERS + packet.len());
    PacketBuilder::ip(addresses.header(dscp, ecn))
        .write(&mut output, IpNumber(protocol), packet)
        .expect("a packet's size has 16 bits, so its lengths fit their fields");
    output
}

/// The TCP header of a segment, without ports and checksum.
fn tcp_header(segment: &Segment, multipath: &[u8]) -> TcpHeader {
    let has = |flag| segment.flags.has(flag);
    TcpHeader {
        sequence_number: segment.sequence,
        acknowledgment_number: segment.acknowledgement,
        // The nonce sum's bit became accurate ECN's AE.
        ns: has(Flags::AE),
        cwr: has(Flags::CWR),
        ece: has(Flags::ECE),
        ack: has(Flags::ACK),
        psh: has(Flags::PSH),
        rst: has(Flags::RST),
        syn: has(Flags::SYN),
        fin: has(Flags::FIN),
        window_size: segment.window,
        options: options(segment, multipath),
        ..TcpHeader::default()
    }
}

/// A segment's options in Linux's order, aligned to four bytes each; last accurate ECN's, or
/// those of Multipath TCP.
fn options(segment: &Segment, multipath: &[u8]) -> TcpOptions {
    let elements = known_options(segment);
    let mut bytes = elements.as_slice().to_vec();
    if !multipath.is_empty() {
        bytes.extend(multipath);
        return TcpOptions::try_from_slice(&bytes).expect("a segment has room for its options");
    }
    let Some(counters) = segment.byte_counters() else { return elements };
    let (kind, counters) = counters.wire();
    let counters: Vec<u8> = counters.flat_map(|it| it.to_be_bytes().into_iter().skip(1)).collect();
    let length = 2 + counters.len();
    bytes.resize(bytes.len() + length.next_multiple_of(4) - length, tcp_option::KIND_NOOP);
    bytes.extend([kind, length as u8]);
    bytes.extend(counters);
    TcpOptions::try_from_slice(&bytes).expect("a segment has room for its options")
}

/// The options that all implementations know.
fn known_options(segment: &Segment) -> TcpOptions {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted,
        Timestamp, WindowScale,
    };
    let timestamps = segment.flags.has(Flags::TIMESTAMPS);
    let timestamp = Timestamp(segment.timestamp, segment.echo);
    let mut elements = Vec::with_capacity(8);
    if segment.flags.has(Flags::SYN) {
        let offered = segment.syn_options();
        elements.push(MaximumSegmentSize(offered.maximum_segment));
        match (offered.sack_permitted, timestamps) {
            (true, true) => elements.extend([SelectiveAcknowledgementPermitted, timestamp]),
            (false, true) => elements.extend([Noop, Noop, timestamp]),
            (true, false) => elements.extend([Noop, Noop, SelectiveAcknowledgementPermitted]),
            (false, false) => {}
        }
        if let Some(scale) = offered.window_scale {
            elements.extend([Noop, WindowScale(scale)]);
        }
    } else {
        if timestamps {
            elements.extend([Noop, Noop, timestamp]);
        }
        let mut blocks = segment.sack_blocks().map(|SackBlock { start, end }| (start, end));
        if let Some(first) = blocks.next() {
            let others = [blocks.next(), blocks.next(), blocks.next()];
            elements.extend([Noop, Noop, SelectiveAcknowledgement(first, others)]);
        }
    }
    TcpOptions::try_from_elements(&elements).expect("a segment has room for its options")
}
