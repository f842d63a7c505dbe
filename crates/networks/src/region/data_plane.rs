//! The data plane of a router: what becomes of a packet (section VI.D.2).

use windtunnel_engine::{Handle, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::region::{
    AddressKind, Code, Content, ErrorKind, HOP_LIMIT, NO_AGREEMENT, NOT_ACCEPTED, RegionControl,
    RegionPacket, UNKNOWN_ADDRESS, UNKNOWN_REGION, UNKNOWN_SUB_REGION, protocol,
};
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route};

use super::context::RouterContext;
use super::control_plane::ControlPlane;
use super::path_vector::Exit;
use super::settings::Transit;
use crate::error_budget::ErrorBudget;
use crate::layer::{Actions, Destination, Interface, Notice};

/// The data plane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DataPlane {
    errors: ErrorBudget,
}

/// Where a packet comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The node itself.
    Here,
    /// A port.
    Port(Interface),
    /// A tunnel that ends here.
    Tunnel,
}

/// A packet with its header.
#[derive(Clone, Copy, Debug)]
struct Carried {
    packet: Packet,
    header: RegionPacket,
}

/// What a packet is under the header.
struct Payload {
    protocol: u8,
    kinds: Option<[AddressKind; 2]>,
    /// The size with the header; none: there is no room for it.
    network_size: Option<u16>,
}

impl Payload {
    fn of(packet: &Packet, context: &RouterContext, ends: [usize; 2]) -> Self {
        if packet.body.is_named() {
            // With the headers that it has on a link.
            let size = u16::try_from(packet.size()).ok();
            let header = context.settings.encoding.header();
            let network_size = size.and_then(|it| it.checked_add(header));
            return Self { protocol: protocol::NDN, kinds: None, network_size };
        }
        let ip = packet.ip_version().unwrap_or_default();
        let kinds = context.settings.kinds(ends);
        let protocol = match (kinds, ip) {
            (Some(_), _) => protocol::TYPED_ADDRESSES,
            (None, IpVersion::V4) => protocol::IPV4,
            (None, IpVersion::V6) => protocol::IPV6,
        };
        let overhead = context.settings.overhead(ends, ip);
        Self { protocol, kinds, network_size: packet.network_size.checked_add(overhead) }
    }
}

/// What a plane works with.
struct Plane<'a> {
    now: Time,
    context: &'a mut RouterContext,
    control: &'a ControlPlane,
    packets: &'a mut PacketStore,
    actions: &'a mut Actions,
}

impl DataPlane {
    /// The message from a neighbour in a packet that has come to its end, if it has one.
    pub(super) fn message_for(
        &self,
        context: &RouterContext,
        packet: &RegionPacket,
    ) -> Option<Handle> {
        match packet.content {
            Content::Message(it) if packet.between[1] == context.node => Some(it),
            _ => None,
        }
    }

    /// A host here sends an IP packet to a node of another region, or the NDN forwarder a packet to
    /// a neighbour there.
    #[expect(clippy::too_many_arguments, reason = "what a layer is called with, and its parts")]
    pub(super) fn carry(
        &mut self,
        now: Time,
        context: &mut RouterContext,
        control: &ControlPlane,
        packet: Packet,
        destination: Destination,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        if let Some(packet) =
            Self::without_header(now, context, control, packet, destination, actions)
        {
            self.carry_inside(now, context, control, packet, destination, packets, actions);
        }
    }

    /// Sends a packet without the header, as before the migration, if it cannot have it; otherwise
    /// returns it.
    fn without_header(
        now: Time,
        context: &mut RouterContext,
        control: &ControlPlane,
        packet: Packet,
        destination: Destination,
        actions: &mut Actions,
    ) -> Option<Packet> {
        if packet.body.is_named() {
            let [first, _] = destination.interfaces?;
            if now < context.ports[usize::from(first.0)].speaks_from {
                actions.send(first, packet);
                return None;
            }
            return Some(packet);
        }
        let to = context.settings.nodes[destination.node as usize].code;
        let ends = [context.node, destination.node].map(|it| it as usize);
        let has_route =
            to.region() == context.number() || control.route(context.settings.lookup, to).is_some();
        match destination.plain {
            Some(route) if !has_route && context.settings.kinds(ends).is_none() => {
                context.counters.sent_as_ip += 1;
                actions.delivered.push(Packet { route, ..packet });
                None
            }
            _ => Some(packet),
        }
    }

    /// Sends a packet under the header.
    #[expect(clippy::too_many_arguments, reason = "what a layer is called with, and its parts")]
    fn carry_inside(
        &mut self,
        now: Time,
        context: &mut RouterContext,
        control: &ControlPlane,
        packet: Packet,
        destination: Destination,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        context.counters.sent += 1;
        let to = destination.node;
        let ends = [context.node, to].map(|it| it as usize);
        let Payload { protocol, kinds, network_size } = Payload::of(&packet, context, ends);
        let Some(network_size) = network_size else {
            context.counters.too_big += 1;
            return packets.discard(&packet);
        };
        let is_hidden = context.settings.nodes[ends[0]].is_hidden;
        let header = RegionPacket {
            destination: context.settings.nodes[to as usize].code,
            source: if is_hidden { Code::UNSPECIFIED } else { context.code },
            encoding: context.settings.encoding,
            protocol,
            between: [context.node, to],
            dscp: packet.dscp(),
            interface: destination.interfaces.map(|it| it[1].0),
            kinds: kinds.unwrap_or_default(),
            flow_label: packet.flow_key().0 as u32 & 0xf_ffff,
            content: Content::Packet(packets.insert(packet)),
        };
        let (ecn, body, route) = (packet.ecn, Body::Region(header), Route::NONE);
        let packet = Packet { body, ecn, network_size, hops: 0, route };
        let mut plane = Plane { now, context, control, packets, actions };
        let carried = Carried { packet, header };
        match destination.interfaces {
            Some([first, _]) => self.leave_by(&mut plane, carried, first),
            None => self.forward(&mut plane, From::Here, carried),
        }
    }

    /// Sends a packet through the interface whose address its sender took.
    fn leave_by(&mut self, plane: &mut Plane<'_>, carried: Carried, first: Interface) {
        let is_up = plane.context.ports[usize::from(first.0)].is_up;
        if is_up && (!plane.context.leads_out(first) || plane.control.is_open(first)) {
            return self.pass_on(plane, carried, first);
        }
        plane.context.counters.unreachable += 1;
        plane.packets.discard(&carried.packet);
    }

    /// A packet has come by a port: of the region protocol, or of a tunnel's.
    #[expect(clippy::too_many_arguments, reason = "what a layer is called with, and its parts")]
    pub(super) fn receive(
        &mut self,
        now: Time,
        context: &mut RouterContext,
        control: &ControlPlane,
        from: Interface,
        packet: Packet,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let mut plane = Plane { now, context, control, packets, actions };
        match packet.body {
            Body::Region(header) => {
                let carried = Carried { packet, header };
                if plane.context.leads_out(from) && !control.is_open(from) {
                    plane.context.counters.without_agreement += 1;
                    return self.report(&mut plane, carried, ErrorKind::Unreachable(NO_AGREEMENT));
                }
                if !plane.accepts(from, &header) {
                    plane.context.counters.not_accepted += 1;
                    return self.report(&mut plane, carried, ErrorKind::Unreachable(NOT_ACCEPTED));
                }
                self.forward(&mut plane, From::Port(from), carried);
            }
            Body::Tunnelled(tunnelled) if tunnelled.between[1] == plane.context.node => {
                plane.context.counters.decapsulated += 1;
                match plane.packets.unwrap(tunnelled, packet.ecn) {
                    Ok(packet) => {
                        if let Body::Region(header) = packet.body {
                            self.forward(&mut plane, From::Tunnel, Carried { packet, header });
                        }
                    }
                    Err(packet) => {
                        plane.context.counters.unmarkable += 1;
                        plane.packets.discard(&packet);
                    }
                }
            }
            Body::Tunnelled(tunnelled) => plane.pass_through_tunnel(packet, tunnelled.between[1]),
            _ => plane.packets.discard(&packet),
        }
    }

    /// Forwards a packet, or delivers it.
    fn forward(&mut self, plane: &mut Plane<'_>, from: From, mut carried: Carried) {
        let to = carried.header.destination;
        let own = plane.context.code;
        let is_for_region = to.region() == own.region();
        let is_here = is_for_region && carried.header.between[1] == plane.context.node;
        if from != From::Here && !is_here {
            carried.packet.hops += 1;
            if carried.packet.hops >= HOP_LIMIT {
                plane.context.counters.hop_limit_exceeded += 1;
                return self.report(plane, carried, ErrorKind::HopLimit);
            }
        }
        if is_here {
            return plane.deliver(carried);
        }
        let next = if is_for_region { plane.inside(&carried) } else { plane.outside(to, from) };
        match next {
            Ok(Next::Port(interface)) => self.pass_on(plane, carried, interface),
            Ok(Next::Tunnel(border, first)) => self.enter_tunnel(plane, carried, border, first),
            Err(kind) => {
                plane.context.counters.unreachable += 1;
                self.report(plane, carried, kind);
            }
        }
    }

    /// Sends a packet through a port, if it is not too big for that.
    fn pass_on(&mut self, plane: &mut Plane<'_>, carried: Carried, interface: Interface) {
        let mtu = plane.context.ports[usize::from(interface.0)].mtu;
        if carried.packet.network_size > mtu {
            plane.context.counters.too_big += 1;
            return self.report(plane, carried, ErrorKind::TooBig(u32::from(mtu)));
        }
        plane.actions.send(interface, carried.packet);
    }

    /// Sends a packet through a tunnel, if it is not too big with the tunnel's header for the
    /// link that it begins with.
    fn enter_tunnel(
        &mut self,
        plane: &mut Plane<'_>,
        carried: Carried,
        border: u32,
        first: Interface,
    ) {
        let transit = plane.context.settings.region(plane.context.number()).transit;
        let Transit::Tunnel(version) = transit else { return };
        let mtu = plane.context.ports[usize::from(first.0)].mtu.saturating_sub(version.header());
        if carried.packet.network_size > mtu {
            plane.context.counters.too_big += 1;
            return self.report(plane, carried, ErrorKind::TooBig(u32::from(mtu)));
        }
        plane.encapsulate(carried, border, first, version);
    }

    /// Drops a packet and tells its sender why, unless that is not told who it is, or the
    /// packet is itself a message.
    fn report(&mut self, plane: &mut Plane<'_>, carried: Carried, kind: ErrorKind) {
        let Carried { packet, header } = carried;
        let is_own = header.protocol == protocol::CONTROL;
        if is_own || header.source == Code::UNSPECIFIED || !self.errors.allows(plane.now) {
            return plane.packets.discard(&packet);
        }
        plane.context.counters.errors_sent += 1;
        let quoted = plane.packets.insert(packet);
        let encoding = header.encoding;
        let size = packet.network_size.saturating_add(encoding.header() + RegionControl::HEADER);
        let report = RegionPacket {
            destination: header.source,
            source: plane.context.code,
            encoding,
            protocol: protocol::CONTROL,
            between: [plane.context.node, header.between[0]],
            interface: None,
            kinds: [AddressKind::Absent; 2],
            dscp: Dscp::DEFAULT,
            flow_label: 0,
            content: Content::Error { kind, quoted },
        };
        let packet = Packet {
            body: Body::Region(report),
            ecn: Ecn::NotCapable,
            network_size: size.min(RegionControl::LARGEST_ERROR),
            hops: 0,
            route: Route::NONE,
        };
        self.forward(plane, From::Here, Carried { packet, header: report });
    }
}

/// What comes next for a packet.
#[derive(Clone, Copy, Debug)]
enum Next {
    Port(Interface),
    /// A tunnel to a border, which begins with that port.
    Tunnel(u32, Interface),
}

impl Plane<'_> {
    /// Whether the own region takes in a packet that came by a port.
    fn accepts(&self, from: Interface, header: &RegionPacket) -> bool {
        let own = self.context.number();
        let comes_in = header.destination.region() == own && self.context.leads_out(from);
        let is_typed = header.protocol == protocol::TYPED_ADDRESSES;
        !(comes_in && is_typed) || self.context.settings.region(own).accepts_typed
    }

    /// Where a packet goes on that is for the own region.
    fn inside(&mut self, carried: &Carried) -> Result<Next, ErrorKind> {
        let to = carried.header.destination;
        let is_for_other =
            to.sub_region() != 0 && to.sub_region() != self.context.code.sub_region();
        let (first, unknown) = if is_for_other {
            self.context.counters.region_lookups += 1;
            let reached = self.control.nearest(to.sub_region());
            (reached.and_then(|it| it.first), UNKNOWN_SUB_REGION)
        } else {
            self.context.counters.address_lookups += 1;
            (self.towards(&carried.header), UNKNOWN_ADDRESS)
        };
        first.map(Next::Port).ok_or(ErrorKind::Unreachable(unknown))
    }

    /// Where a packet goes on to its receiver: to the address of an interface there it goes
    /// over the node at the other end of that one's link.
    fn towards(&self, header: &RegionPacket) -> Option<Interface> {
        let to = header.between[1];
        let settings = &self.context.settings;
        let neighbour = header.interface.and_then(|it| settings.neighbour_inside(to, it));
        let Some((neighbour, its_own)) = neighbour else { return self.control.reached(to)?.first };
        if neighbour == self.context.node {
            return self.context.ports[usize::from(its_own.0)].is_up.then_some(its_own);
        }
        self.control.reached(neighbour)?.first
    }

    /// Where a packet goes on that is for another region.
    fn outside(&mut self, to: Code, from: From) -> Result<Next, ErrorKind> {
        self.context.counters.region_lookups += 1;
        let unknown = ErrorKind::Unreachable(UNKNOWN_REGION);
        let route = self.control.route(self.context.settings.lookup, to).ok_or(unknown)?;
        let border = match route.exit {
            Exit::Here(interface) => return Ok(Next::Port(interface)),
            Exit::Border(it) => it,
        };
        let first = self.control.reached(border).and_then(|it| it.first).ok_or(unknown)?;
        let enters = match from {
            From::Port(port) => self.context.leads_out(port),
            From::Tunnel => true,
            From::Here => false,
        };
        let transit = self.context.settings.region(self.context.number()).transit;
        Ok(match transit {
            Transit::Tunnel(_) if enters => Next::Tunnel(border, first),
            _ => Next::Port(first),
        })
    }

    /// Gives a packet's payload to the host.
    fn deliver(&mut self, Carried { packet, header }: Carried) {
        match header.content {
            Content::Packet(inside) => match self.packets.unwrap_at(inside, packet.ecn) {
                Ok(packet) => {
                    self.context.counters.delivered += 1;
                    self.actions.delivered.push(packet);
                }
                Err(packet) => {
                    self.context.counters.unmarkable += 1;
                    self.packets.discard(&packet);
                }
            },
            Content::Error { kind, quoted } => {
                self.context.counters.errors_received += 1;
                if let ErrorKind::TooBig(mtu) = kind {
                    self.return_too_large(quoted, mtu);
                }
                self.packets.discard(&packet);
            }
            Content::Message(_) => {
                self.context.counters.malformed += 1;
                self.packets.discard(&packet);
            }
        }
    }

    /// Tells the host by how much the packet in one that is quoted has to be smaller.
    fn return_too_large(&mut self, quoted: Handle, mtu: u32) {
        let carried = self.packets[quoted];
        let excess = u32::from(carried.network_size).saturating_sub(mtu) as u16;
        if let Body::Region(RegionPacket { content: Content::Packet(inside), .. }) = carried.body {
            let notice = Notice::TooLarge { excess };
            self.actions.notices.push((self.packets[inside], notice));
        }
    }

    /// Puts a packet into a tunnel to another border.
    fn encapsulate(&mut self, carried: Carried, border: u32, first: Interface, version: IpVersion) {
        match self.packets.wrap(carried.packet, [self.context.node, border], version) {
            Ok(outer) => {
                self.context.counters.encapsulated += 1;
                self.actions.send(first, outer);
            }
            Err(packet) => {
                self.context.counters.too_big += 1;
                self.packets.discard(&packet);
            }
        }
    }

    /// Forwards a packet of a tunnel through the region, as IP does.
    fn pass_through_tunnel(&mut self, packet: Packet, to: u32) {
        self.context.counters.tunnel_lookups += 1;
        let hops = packet.hops + 1;
        let first = self.control.reached(to).and_then(|it| it.first);
        let carries =
            |it: Interface| self.context.ports[usize::from(it.0)].mtu >= packet.network_size;
        match first {
            Some(interface) if !carries(interface) => {
                self.context.counters.too_big += 1;
                self.packets.discard(&packet);
            }
            Some(interface) if hops < HOP_LIMIT => {
                self.actions.send(interface, Packet { hops, ..packet });
            }
            _ => {
                let counters = &mut self.context.counters;
                counters.hop_limit_exceeded += u64::from(first.is_some());
                counters.unreachable += u64::from(first.is_none());
                self.packets.discard(&packet);
            }
        }
    }
}
