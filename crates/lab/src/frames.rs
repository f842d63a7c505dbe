//! Packets as Ethernet frames, with addresses made from the numbers of nodes
//! and flows: what a capture holds.

use std::net::{IpAddr, SocketAddrV4, SocketAddrV6};
use std::sync::Arc;

use etherparse::{EtherType, Ethernet2Header};
use windtunnel_dns::is_reply;
use windtunnel_packets::bridge::{self, EdgeAcknowledgement, EdgeAddresses};
use windtunnel_packets::dns::{self, DnsMessage};
use windtunnel_packets::ip::{
    self, Addresses, IpVersion, address_of_node as address, address_of_node_v6 as wide_address,
};
use windtunnel_packets::multipath::Multipath;
use windtunnel_packets::ndn::wire::size::{DataShape, NameSize, SignatureKind, data_size};
use windtunnel_packets::ndn::wire::{EncodeError, Name};
use windtunnel_packets::ndn::{self, Data, Nack, PacketFormat, PrefixId};
use windtunnel_packets::real::{RealPacket, set_ecn};
use windtunnel_packets::region;
use windtunnel_packets::tcp::Segment;
use windtunnel_packets::tunnel::{Encapsulation, connection, tunnel_of};
use windtunnel_packets::udp::{self, Content, Datagram};
use windtunnel_packets::wireguard;
use windtunnel_packets::{Body, Packet};
use windtunnel_scenario::{FrameContext, FrameError, FramePayload, LayerKind};
use windtunnel_world::{PathEnds, Plan, SeenPacket};

/// NDN's number in IEEE's registry.
const NDN: EtherType = EtherType(0x8624);

/// What a plan says that its packets' bytes depend on.
#[derive(Debug)]
pub(crate) struct Frames {
    plan: Arc<Plan>,
    /// By node, the number that its addresses are made from: in each domain they begin anew.
    numbers: Vec<usize>,
    /// The network layers that encode their own packets.
    layers: Vec<Arc<dyn LayerKind>>,
}

/// A node's hardware address: administered locally, and its number.
pub(crate) fn hardware_address(node: usize) -> [u8; 6] {
    let [.., a, b, c, d] = (node as u64 + 1).to_be_bytes();
    [2, 0, a, b, c, d]
}

/// The ports of a flow or connection: of who sends its data, and of who receives
/// them.
fn ports(number: u32) -> [u16; 2] {
    /// The ports that are given for a time (RFC 6335, section 6).
    const DYNAMIC: std::ops::RangeInclusive<u16> = 49_152..=65_535;
    const FIRST_RECEIVER: u16 = 5001;
    let senders = DYNAMIC.len() as u32;
    let receivers = u32::from(*DYNAMIC.start() - FIRST_RECEIVER);
    let sender = DYNAMIC.start() + (number % senders) as u16;
    [sender, FIRST_RECEIVER + (number / senders % receivers) as u16]
}

/// The addresses of the two edges between which an acknowledgement goes.
fn edges(path: Option<PathEnds>) -> EdgeAddresses {
    let PathEnds { source, destination, .. } = path.expect("an IP packet has two ends");
    EdgeAddresses { from: address(source, 0), to: address(destination, 0) }
}

/// The addresses of an IP packet whose header has this many bytes.
fn addresses(header: u16, number: u32, path: Option<PathEnds>) -> (EtherType, Addresses) {
    let PathEnds { source, destination, forth, addresses: which, .. } =
        path.expect("an IP packet has two ends");
    let mut ports = ports(number);
    if !forth {
        ports.reverse();
    }
    if header == IpVersion::V4.header() {
        let source = SocketAddrV4::new(address(source, which[0]), ports[0]);
        let destination = SocketAddrV4::new(address(destination, which[1]), ports[1]);
        (EtherType::IPV4, Addresses::V4 { source, destination })
    } else {
        let address = |node, which, port| SocketAddrV6::new(wide_address(node, which), port, 0, 0);
        let source = address(source, which[0], ports[0]);
        let destination = address(destination, which[1], ports[1]);
        (EtherType::IPV6, Addresses::V6 { source, destination })
    }
}

/// The addresses of a message of WireGuard's, whose IP header has this many bytes.
fn between_ends(header: u16, path: Option<PathEnds>) -> (EtherType, Addresses) {
    let (ether_type, mut addresses) = addresses(header, 0, path);
    addresses.set_ports([wireguard::PORT; 2]);
    (ether_type, addresses)
}

/// The addresses of a message about names: servers have the port of theirs, and a resolver one of
/// its own.
fn of_names(
    message: &DnsMessage,
    is_reply: bool,
    path: Option<PathEnds>,
) -> (EtherType, Addresses) {
    let (ether_type, mut addresses) = addresses(message.version.header(), 0, path);
    let mut both = [message.resolver.map_or(dns::PORT, |it| ports(it)[0]), dns::PORT];
    if is_reply {
        both.reverse();
    }
    addresses.set_ports(both);
    (ether_type, addresses)
}

/// What a segment says about its multipath connection.
fn multipath(segment: &Segment, ether_type: EtherType, path: Option<PathEnds>) -> Vec<u8> {
    let Some((path, speaker)) = path.and_then(|it| Some((it, it.speaker?))) else {
        return Vec::new();
    };
    let which = match segment.multipath() {
        Some(Multipath::AddAddress { address, .. }) => address,
        _ => 0,
    };
    // An echo repeats an address of the other end.
    let echo = matches!(segment.multipath(), Some(Multipath::AddAddress { echo: true, .. }));
    let node = if echo { path.destination } else { path.source };
    let told = match ip_version(ether_type) {
        IpVersion::V4 => IpAddr::V4(address(node, which)),
        IpVersion::V6 => IpAddr::V6(wide_address(node, which)),
    };
    speaker.encode(segment, told)
}

/// The number of what an EtherType says, among the protocols that a packet can hold.
fn protocol_of(ether_type: EtherType) -> u8 {
    match ether_type {
        EtherType::IPV6 => region::protocol::IPV6,
        EtherType(region::ETHER_TYPE) => region::protocol::REGION,
        _ => region::protocol::IPV4,
    }
}

/// The version of IP of a packet.
fn ip_version(ether_type: EtherType) -> IpVersion {
    if ether_type == EtherType::IPV6 { IpVersion::V6 } else { IpVersion::V4 }
}

/// The bytes of an edge's message.
fn acknowledgement(seen: &SeenPacket) -> Vec<u8> {
    let SeenPacket { packet, path, quoted, .. } = seen;
    let Body::Message(message) = &packet.body else { return Vec::new() };
    let of = EdgeAcknowledgement::from_words(&message.words);
    let is_v6 = packet.network_size == EdgeAcknowledgement::size(IpVersion::V6);
    let version = if is_v6 { IpVersion::V6 } else { IpVersion::V4 };
    let (_, addresses) = addresses(version.header(), of.connection, *quoted);
    of.message(addresses, edges(*path)).encode()
}

/// The name of what a packet asks for or brings, if it is a packet of CCNx.
fn ccnx_name(body: &Body) -> Option<ndn::Name> {
    let name = match body {
        Body::Interest(it) => it.name,
        Body::Data(it) => it.name,
        Body::Nack(it) => it.interest.name,
        _ => return None,
    };
    (name.prefix.format() == PacketFormat::Ccnx).then_some(name)
}

/// No layer encodes packets of this one's protocol.
fn no_layer(packet: &Packet) -> FrameError {
    let number = packet.protocol().0;
    format!("no network layer encodes packets of the protocol number {number}").into()
}

/// A frame of a real host, with the ECN field that it has now.
fn frame_of_host(seen: &SeenPacket, frame: RealPacket) -> Vec<u8> {
    let mut bytes = seen.message.clone().unwrap_or_default();
    if seen.packet.ecn != frame.ecn
        && let Some(packet) = bytes.get_mut(usize::from(frame.link_header)..)
    {
        set_ecn(packet, seen.packet.ecn);
    }
    bytes
}

impl Frames {
    pub(crate) fn new(plan: &Arc<Plan>, layers: &[Arc<dyn LayerKind>]) -> Self {
        Self { plan: Arc::clone(plan), numbers: plan.address_numbers(), layers: layers.to_vec() }
    }

    /// The frame of a packet that goes from one node to its neighbour.
    ///
    /// # Errors
    /// [`FrameError`] if it is too large.
    pub(crate) fn frame(
        &self,
        seen: &SeenPacket,
        nodes: [usize; 2],
    ) -> Result<Vec<u8>, FrameError> {
        if let Body::Real(it) = seen.packet.body
            && it.is_frame()
        {
            return Ok(frame_of_host(seen, it));
        }
        let [source, destination] = nodes.map(hardware_address);
        let (ether_type, bytes) = match ccnx_name(&seen.packet.body) {
            Some(name) => (EtherType::IPV4, self.ccnx(&seen.packet, name, nodes)?),
            None => self.encode(seen)?,
        };
        let header = Ethernet2Header { source, destination, ether_type };
        Ok([&header.to_bytes()[..], &bytes].concat())
    }

    /// The IP packet around a packet of CCNx, from one node to its neighbour.
    fn ccnx(
        &self,
        packet: &Packet,
        name: ndn::Name,
        nodes: [usize; 2],
    ) -> Result<Vec<u8>, FrameError> {
        let prefix = self.prefix(name.prefix);
        let bytes = match &packet.body {
            Body::Data(data) => ndn::encode_content_object(data, prefix)?,
            Body::Nack(it) => ndn::encode_ccnx_interest(&it.interest, prefix, Some(it.reason))?,
            Body::Interest(it) => ndn::encode_ccnx_interest(it, prefix, None)?,
            _ => Vec::new(),
        };
        let end = |it: usize| SocketAddrV4::new(address(self.numbers[it], 0), ndn::CCNX_PORT);
        let [source, destination] = nodes.map(end);
        Ok(ip::encode_udp(
            &bytes,
            packet.dscp(),
            packet.ecn,
            &Addresses::V4 { source, destination },
        ))
    }

    /// The bytes of a packet, and what they are: its layer knows, if it is neither of IP nor of NDN.
    fn encode(&self, seen: &SeenPacket) -> Result<(EtherType, Vec<u8>), FrameError> {
        let protocol = seen.packet.protocol();
        let Some(layer) = self.layers.iter().find(|it| it.protocol() == protocol) else {
            return self.encode_ip_or_ndn(seen);
        };
        let inside = |inside: &SeenPacket| {
            let (EtherType(ether_type), bytes) = self.encode(inside)?;
            Ok(FramePayload { ether_type, bytes })
        };
        let (plan, address_numbers) = (&*self.plan, &self.numbers[..]);
        let context = FrameContext { plan, address_numbers, inside: &inside };
        let payload = layer.frame(seen, &context)?;
        Ok((EtherType(payload.ether_type), payload.bytes))
    }

    /// The bytes of a packet of IP or NDN, or of a function inside the network.
    fn encode_ip_or_ndn(&self, seen: &SeenPacket) -> Result<(EtherType, Vec<u8>), FrameError> {
        let SeenPacket { packet, path, .. } = seen;
        let path = &path.map(|it| self.with_numbers(it));
        let marked = packet.marked();
        Ok(match &packet.body {
            Body::Interest(interest) => {
                let prefix = self.prefix(interest.name.prefix);
                (NDN, ndn::encode_interest(interest, prefix, None, marked)?)
            }
            Body::Nack(nack) => {
                let prefix = self.prefix(nack.interest.name.prefix);
                (NDN, ndn::encode_interest(&nack.interest, prefix, Some(nack.reason), marked)?)
            }
            Body::Data(data) => {
                let signature = self.signature(data, packet.network_size);
                (NDN, ndn::encode_data(data, self.prefix(data.name.prefix), signature, marked)?)
            }
            Body::LinkPacket(link_packet) => {
                let inside = seen.inside.as_deref().expect("a link packet has one inside");
                let network_packet = self.network_packet(&inside.packet)?;
                let nack = match &inside.packet.body {
                    Body::Nack(nack) => Some(nack.reason),
                    _ => None,
                };
                let length = packet.network_size;
                let bytes =
                    ndn::encode_link_packet(link_packet, &network_packet, length, nack, marked)?;
                (NDN, bytes)
            }
            Body::Segment(segment) => {
                let header = packet.network_size - segment.size();
                // Both ends of a tunnel have the same ports.
                let number = match tunnel_of(segment.connection) {
                    Some((tunnel, _)) => connection(tunnel, 0),
                    None => segment.connection,
                };
                let (ether_type, addresses) = addresses(header, number, *path);
                let multipath = multipath(segment, ether_type, *path);
                (ether_type, ip::encode_segment(segment, packet.ecn, &addresses, &multipath))
            }
            Body::Datagram(Datagram { content: Some(Content { is_packet: true, .. }), .. })
            | Body::Real(_) => {
                let mut bytes = seen.message.clone().unwrap_or_default();
                if !bytes.is_empty() {
                    set_ecn(&mut bytes, packet.ecn);
                }
                let is_v6 = RealPacket::version(&bytes) == IpVersion::V6;
                (if is_v6 { EtherType::IPV6 } else { EtherType::IPV4 }, bytes)
            }
            Body::Datagram(datagram) => {
                let header = packet.network_size - datagram.size();
                let (ether_type, addresses) = addresses(header, datagram.flow, *path);
                let bytes = match seen.message.as_deref() {
                    Some(data) => ip::encode_udp(data, datagram.dscp, packet.ecn, &addresses),
                    None => ip::encode_datagram(datagram, packet.ecn, &addresses),
                };
                (ether_type, bytes)
            }
            Body::Dns(message) => {
                let data = seen.message.as_deref().unwrap_or_default();
                let (ether_type, addresses) = of_names(message, is_reply(data), *path);
                (ether_type, ip::encode_udp(data, packet.dscp(), packet.ecn, &addresses))
            }
            Body::Message(message) => match wireguard::WireGuardMessage::of(message) {
                Some((control, _)) => {
                    let data = control.encode(message);
                    let header = packet.network_size - udp::HEADER - data.len() as u16;
                    let (ether_type, addresses) = between_ends(header, *path);
                    (ether_type, ip::encode_udp(&data, packet.dscp(), packet.ecn, &addresses))
                }
                None if message.protocol == bridge::PROTOCOL => {
                    (EtherType::IPV4, acknowledgement(seen))
                }
                None => return Err(no_layer(packet)),
            },
            Body::Tunnelled(tunnelled) => {
                let header = tunnelled.version.header();
                if let Encapsulation::WireGuard { counter, .. } = tunnelled.encapsulation {
                    let (ether_type, addresses) = between_ends(header, *path);
                    let encrypted = packet.network_size - header - wireguard::OVERHEAD;
                    let data = wireguard::encode_data(tunnelled.between[1], counter, encrypted);
                    return Ok((
                        ether_type,
                        ip::encode_udp(&data, packet.dscp(), packet.ecn, &addresses),
                    ));
                }
                let (ether_type, addresses) = addresses(header, 0, *path);
                let inside = seen.inside.as_deref().expect("a tunnelled packet has one inside");
                let (inner_type, inner) = self.encode(inside)?;
                let protocol = protocol_of(inner_type);
                let (dscp, ecn) = (packet.dscp(), packet.ecn);
                (ether_type, ip::encode_tunnelled(&inner, protocol, dscp, ecn, &addresses))
            }
            Body::Region(_) | Body::Scion(_) => return Err(no_layer(packet)),
        })
    }

    /// The ends of a path, their nodes by the numbers that addresses are made from.
    fn with_numbers(&self, path: PathEnds) -> PathEnds {
        let [source, destination] = [path.source, path.destination].map(|it| self.numbers[it]);
        PathEnds { source, destination, ..path }
    }

    /// An Interest or Data bare; of a NACK the Interest.
    fn network_packet(&self, packet: &Packet) -> Result<Vec<u8>, EncodeError> {
        match &packet.body {
            Body::Data(data) => {
                let signature = self.signature(data, packet.network_size);
                ndn::encode_data(data, self.prefix(data.name.prefix), signature, false)
            }
            Body::Interest(interest) | Body::Nack(Nack { interest, .. }) => {
                ndn::encode_interest(interest, self.prefix(interest.name.prefix), None, false)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn prefix(&self, id: PrefixId) -> &Name<'static> {
        &self.plan.prefixes[id.index()]
    }

    /// How a Data of that size is signed: a packet carries no signature, but the
    /// producers that could have made it are known.
    fn signature(&self, data: &Data, network_size: u16) -> SignatureKind {
        let prefix = self.prefix(data.name.prefix);
        let signatures = self
            .plan
            .producers
            .iter()
            .filter(|it| self.plan.prefixes[it.prefix].is_prefix_of(prefix))
            .map(|it| it.producer.signature);
        signatures
            .into_iter()
            .find(|signature| {
                let shape = DataShape {
                    content_length: data.content,
                    freshness_period_ms: (data.freshness_ms > 0)
                        .then_some(u64::from(data.freshness_ms)),
                    signature: *signature,
                    ..DataShape::default()
                };
                let size = data_size(NameSize::of(prefix), data.name.segment, &shape);
                size == u32::from(network_size)
            })
            .unwrap_or_default()
    }
}
