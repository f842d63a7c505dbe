//! A packet as it travels on a link: its size and the fields that protocols look at,
//! not its bytes.

use crate::dns::DnsMessage;
use crate::dscp::Dscp;
use crate::ecn::Ecn;
use crate::flow_key::FlowKey;
use crate::ip::IpVersion;
use crate::message::{MESSAGE_WORDS, Message, ProtocolNumber};
use crate::ndn::wire::size::{CONGESTION_MARK_SIZE, LinkHeaders, link_packet_size, link_size};
use crate::ndn::{Data, Interest, LinkPacket, Nack, PacketFormat};
use crate::real::RealPacket;
use crate::region::{self, RegionPacket};
use crate::scion::{self, ScionPacket};
use crate::tcp::Segment;
use crate::tunnel::Tunnelled;
use crate::udp::Datagram;
use crate::wireguard;

/// A packet in transit. It fills one cache line, because with many packets in transit
/// a run's time is spent waiting for memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Packet {
    /// What it carries.
    pub body: Body,
    /// Its ECN field: whether routers may mark it, and whether they have.
    pub ecn: Ecn,
    /// The size of the network-layer packet in bytes, before link headers.
    pub network_size: u16,
    /// For an IP packet or one between regions: how many nodes forwarded it by their tables.
    pub hops: u8,
    /// For an IP packet: its next hop.
    pub route: Route,
}

/// The place of a packet's next hop in the network's list of hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route(pub u32);

impl Route {
    /// Of a packet that no path was computed for.
    pub const NONE: Self = Self(u32::MAX);
}

impl Default for Route {
    fn default() -> Self {
        Self::NONE
    }
}

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// A request for Data.
    Interest(Interest),
    /// The answer to an Interest.
    Data(Data),
    /// The NACK of an Interest.
    Nack(Nack),
    /// One of these, or a part of it, with link headers that few links need.
    LinkPacket(LinkPacket),
    /// A TCP segment.
    Segment(Segment),
    /// A UDP datagram.
    Datagram(Datagram),
    /// A message of the domain name system.
    Dns(DnsMessage),
    /// A message of a protocol that is spoken in the network itself.
    Message(Message),
    /// An IP packet inside another one.
    Tunnelled(Tunnelled),
    /// A packet of the region protocol.
    Region(RegionPacket),
    /// A SCION packet, in the underlay.
    Scion(ScionPacket),
    /// An IP packet of a real host.
    Real(RealPacket),
}

impl Body {
    /// Whether it is of NDN or CCNx: a packet, or a part of one.
    #[inline]
    #[must_use]
    pub fn is_named(&self) -> bool {
        matches!(self, Self::Interest(_) | Self::Data(_) | Self::Nack(_) | Self::LinkPacket(_))
    }
}

impl Packet {
    /// An NDN packet of that network-layer size.
    #[inline]
    #[must_use]
    pub fn ndn(body: Body, network_size: u16) -> Self {
        Self { body, ecn: Ecn::Capable, network_size, hops: 0, route: Route::default() }
    }

    /// A packet of that network-layer size with a message, whose first words are given; the
    /// others are 0. It must not be marked.
    #[must_use]
    pub fn message(protocol: ProtocolNumber, flow: u32, first: &[u32], network_size: u16) -> Self {
        let mut words = [0; MESSAGE_WORDS];
        words[..first.len()].copy_from_slice(first);
        let body = Body::Message(Message { protocol, flow, words });
        Self { body, ecn: Ecn::NotCapable, network_size, hops: 0, route: Route::default() }
    }

    /// The same with a congestion mark, if `marked`.
    #[inline]
    #[must_use]
    pub fn marked_if(self, marked: bool) -> Self {
        if marked { Self { ecn: Ecn::Congestion, ..self } } else { self }
    }

    /// Whether it carries a congestion mark.
    #[inline]
    #[must_use]
    pub fn marked(&self) -> bool {
        self.ecn == Ecn::Congestion
    }

    /// The protocol of the layer that takes it in at a node.
    #[inline]
    #[must_use]
    pub fn protocol(&self) -> ProtocolNumber {
        match &self.body {
            Body::Interest(_) | Body::Data(_) | Body::Nack(_) | Body::LinkPacket(_) => {
                ProtocolNumber::NDN
            }
            Body::Segment(_)
            | Body::Datagram(_)
            | Body::Dns(_)
            | Body::Tunnelled(_)
            | Body::Real(_) => ProtocolNumber::IP,
            Body::Message(message) => message.protocol,
            Body::Region(_) => region::PROTOCOL,
            Body::Scion(_) => scion::PROTOCOL,
        }
    }

    /// The nodes that it goes from and to, if it says them itself: a packet of a connection or
    /// flow has those of its flow, and one of NDN none.
    #[must_use]
    pub fn between(&self) -> Option<[u32; 2]> {
        match &self.body {
            Body::Dns(it) => Some(it.between),
            Body::Message(it) => wireguard::WireGuardMessage::of(it).map(|(_, between)| between),
            Body::Tunnelled(it) => Some(it.between),
            Body::Region(it) => Some(it.between),
            Body::Scion(it) => Some(it.between),
            _ => None,
        }
    }

    /// The size on a link in bytes: the true encoding with the NDNLPv2 headers
    /// that it needs, without the overhead of the link's own framing.
    #[inline]
    #[must_use]
    pub fn size(&self) -> u32 {
        let network_size = u32::from(self.network_size);
        let nack = match &self.body {
            Body::Segment(_)
            | Body::Datagram(_)
            | Body::Dns(_)
            | Body::Message(_)
            | Body::Tunnelled(_)
            | Body::Region(_)
            | Body::Scion(_)
            | Body::Real(_) => return network_size,
            Body::LinkPacket(link_packet) => {
                let mark = if self.marked() { CONGESTION_MARK_SIZE } else { 0 };
                return link_packet_size(u32::from(link_packet.headers) + mark, network_size);
            }
            Body::Nack(nack) if nack.interest.name.prefix.format() == PacketFormat::Ndn => {
                Some(nack.reason)
            }
            Body::Data(data) if data.name.prefix.format() == PacketFormat::Ndn => None,
            Body::Interest(interest) if interest.name.prefix.format() == PacketFormat::Ndn => None,
            // A mark is in the IP header, and what was refused comes back as it is.
            Body::Nack(_) | Body::Data(_) | Body::Interest(_) => return network_size,
        };
        if nack.is_none() && !self.marked() {
            return network_size;
        }
        let headers =
            LinkHeaders { congestion_mark: self.marked(), nack, ..LinkHeaders::default() };
        link_size(network_size, &headers)
    }

    /// An NDN or CCNx packet as a stream of bytes between two forwarders carries it, and its
    /// bytes there: one of CCNx without the headers of IP and UDP, and therefore without a mark.
    #[must_use]
    pub fn in_stream(self) -> (Self, u32) {
        let prefix = match &self.body {
            Body::Interest(it) => it.name.prefix,
            Body::Data(it) => it.name.prefix,
            Body::Nack(it) => it.interest.name.prefix,
            _ => return (self, self.size()),
        };
        match prefix.format() {
            PacketFormat::Ndn => (self, self.size()),
            PacketFormat::Ccnx => {
                let bytes = u32::from(self.network_size - prefix.format().encapsulation());
                (Self { ecn: Ecn::Capable, ..self }, bytes)
            }
        }
    }

    /// The TCP segment in it, if there is one.
    #[inline]
    #[must_use]
    pub fn segment(&self) -> Option<&Segment> {
        match &self.body {
            Body::Segment(segment) => Some(segment),
            _ => None,
        }
    }

    /// The version of IP of a segment, datagram or message about names.
    #[must_use]
    pub fn ip_version(&self) -> Option<IpVersion> {
        let payload = match &self.body {
            Body::Segment(it) => it.size(),
            Body::Datagram(it) => it.size(),
            Body::Dns(it) => return Some(it.version),
            _ => return None,
        };
        let is_v6 = self.network_size == payload + IpVersion::V6.header();
        Some(if is_v6 { IpVersion::V6 } else { IpVersion::V4 })
    }

    /// The class of its outermost header; the default one of what is neither IP nor between
    /// regions or autonomous systems.
    #[inline]
    #[must_use]
    pub fn dscp(&self) -> Dscp {
        match &self.body {
            Body::Segment(it) => it.dscp,
            Body::Datagram(it) => it.dscp,
            Body::Tunnelled(it) => it.dscp,
            Body::Region(it) => it.dscp,
            Body::Scion(it) => it.dscp,
            Body::Real(it) => it.dscp,
            _ => Dscp::DEFAULT,
        }
    }

    /// How a router identifies its flow: by the connection or flow of an IP packet, or
    /// the prefix of an NDN packet's name.
    #[inline]
    #[must_use]
    pub fn flow_key(&self) -> FlowKey {
        match &self.body {
            Body::Interest(it) => FlowKey::of_prefix(it.name.prefix.index() as u32),
            Body::Data(it) => FlowKey::of_prefix(it.name.prefix.index() as u32),
            Body::Nack(it) => FlowKey::of_prefix(it.interest.name.prefix.index() as u32),
            Body::LinkPacket(it) => FlowKey::of_prefix(it.prefix.index() as u32),
            Body::Segment(it) => FlowKey::of_connection(it.connection),
            Body::Datagram(it) => FlowKey::of_datagrams(it.flow),
            // Two servers have one port, and nothing but their addresses.
            Body::Dns(it) => {
                it.resolver.map_or(FlowKey::of_tunnel(it.between), FlowKey::of_resolver)
            }
            Body::Message(it) => FlowKey::of_messages(it.flow),
            Body::Tunnelled(it) => FlowKey::of_tunnel(it.between),
            Body::Region(it) => FlowKey::of_regions(it.flow()),
            // What the underlay shows are addresses of routers, as a tunnel's ends.
            Body::Scion(it) => FlowKey::of_tunnel(it.underlay),
            Body::Real(it) => it.flow,
        }
    }
}

const _: () = assert!(size_of::<Packet>() == 64);
