//! What becomes of a packet: at a border router by its hop fields, inside by the address of
//! the underlay.

use std::sync::Arc;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::{
    Current, ErrorReport, OneHop, PathHandle, PathReference, Position, ScionContent, ScionHeader,
    ScionPacket, Scmp, ScmpError, lifetime,
};
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route, udp};

use super::counters::ScionRouterCounters;
use super::inside::SystemNode;
use super::settings::{ScionSettings, System, host_address};
use crate::error_budget::ErrorBudget;
use crate::layer::{Actions, Interface};

/// So many nodes of one system may a packet pass.
const HOP_LIMIT: u8 = 64;

/// What all nodes share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) settings: Arc<ScionSettings>,
}

/// What a node knows of where it is, and what it counts.
#[derive(Clone, Debug)]
pub(super) struct NodeContext {
    pub(super) shared: Shared,
    pub(super) node: u32,
    /// Whether each port's link works.
    pub(super) is_up: Vec<bool>,
    pub(super) counters: ScionRouterCounters,
    pub(super) errors: ErrorBudget,
}

impl NodeContext {
    pub(super) fn place(&self) -> &SystemNode {
        &self.shared.settings.nodes[self.node as usize]
    }

    pub(super) fn system(&self) -> &System {
        self.shared.settings.system_of(self.node)
    }
}

/// A packet with its header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub(super) packet: Packet,
    pub(super) header: ScionPacket,
}

/// What the data plane works with, and what has come to its end.
pub(super) struct Plane<'a> {
    pub(super) now: Time,
    pub(super) context: &'a mut NodeContext,
    pub(super) packets: &'a mut PacketStore,
    pub(super) actions: &'a mut Actions,
    pub(super) arrived: &'a mut Vec<Packet>,
}

impl Plane<'_> {
    /// A packet has come by a port.
    pub(super) fn receive(&mut self, from: Interface, packet: Packet) {
        let Body::Scion(header) = packet.body else { return self.packets.discard(&packet) };
        let carried = Carried { packet: Packet { hops: packet.hops + 1, ..packet }, header };
        let port = self.context.place().ports[usize::from(from.0)];
        match port.interface {
            Some(interface) => self.enter(interface, carried),
            None if header.underlay[1] == self.context.node => self.leave_or_end(carried),
            None => self.pass_inside(carried),
        }
    }

    /// Sends a packet that begins here: of a host, a control service or a router.
    pub(super) fn send(
        &mut self,
        content: ScionContent,
        payload: u16,
        to: u32,
        (path, position): (PathReference, Position),
        (hosts, ecn): (IpVersion, Ecn),
    ) {
        let node = self.context.node;
        let header = ScionPacket {
            between: [node, to],
            dscp: self.class(&content),
            underlay: [node; 2],
            path,
            position,
            hosts,
            content,
        };
        let size = u32::from(self.headers(&header)) + u32::from(payload);
        let body = Body::Scion(header);
        let packet = Packet { body, ecn, network_size: 0, hops: 0, route: Route::NONE };
        let Ok(network_size) = u16::try_from(size) else {
            self.context.counters.too_big += 1;
            return self.packets.discard(&packet);
        };
        self.context.counters.sent += 1;
        self.set_out(Carried { packet: Packet { network_size, ..packet }, header });
    }

    /// The class of what a packet holds: that of a host's packet, and the default one of what
    /// control services and routers say.
    fn class(&self, content: &ScionContent) -> Dscp {
        match content {
            ScionContent::Packet(it) => self.packets[*it].dscp(),
            ScionContent::Message(_) | ScionContent::Error { .. } | ScionContent::Echo { .. } => {
                Dscp::DEFAULT
            }
        }
    }

    /// The length of the headers of a packet.
    pub(super) fn headers(&self, header: &ScionPacket) -> u16 {
        let settings = &self.context.shared.settings;
        let path = match header.path {
            PathReference::Empty => 0,
            PathReference::OneHop(_) => OneHop::LENGTH,
            PathReference::Standard(it) => self.packets.path(it).length() as u16,
        };
        let address = host_address(header.hosts);
        settings.underlay_header() + ScionHeader::length(address, path)
    }

    /// Takes a packet that is here to where its path leads first.
    fn set_out(&mut self, mut carried: Carried) {
        match carried.header.path {
            PathReference::Empty => self.go(carried, carried.header.between[1]),
            PathReference::OneHop(interface) => match self.context.system().interface(interface) {
                Some(it) => self.go(carried, it.node),
                None => self.drop_invalid(&carried),
            },
            PathReference::Standard(handle) => {
                let Some(mut current) = self.current(&carried, handle) else {
                    return self.drop_invalid(&carried);
                };
                if current.is_last {
                    return self.go(carried, carried.header.between[1]);
                }
                if current.ends_section && !current.is_peering {
                    carried.header.position.advance(&current);
                    let Some(next) = self.current(&carried, handle) else {
                        return self.drop_invalid(&carried);
                    };
                    current = next;
                }
                match self.egress(&current) {
                    Some((number, node)) if node == self.context.node => {
                        // What a router says itself it need not check.
                        let is_error = matches!(carried.header.content, ScionContent::Error { .. });
                        if is_error || self.is_valid(&carried, handle, &current) {
                            self.cross(carried, current, number);
                        } else {
                            self.refuse(carried, &current);
                        }
                    }
                    Some((_, node)) => self.go(carried, node),
                    None => self.drop_invalid(&carried),
                }
            }
        }
    }

    /// The interface where a packet leaves the system, and its router.
    fn egress(&self, current: &Current) -> Option<(u16, u32)> {
        let [_, number] = current.hop.crossed(current.info.is_forward);
        self.context.system().interface(number).map(|it| (number, it.node))
    }

    fn current(&self, carried: &Carried, handle: PathHandle) -> Option<Current> {
        carried.header.position.current(self.packets.path(handle))
    }

    /// Takes a packet through the system to a node, or ends it here.
    fn go(&mut self, mut carried: Carried, to: u32) {
        carried.header.underlay = [self.context.node, to];
        carried.packet.hops = 0;
        if to == self.context.node {
            return self.leave_or_end(carried);
        }
        self.pass_inside(carried);
    }

    /// The underlay has brought a packet here: its path leads out here, or ends.
    fn leave_or_end(&mut self, carried: Carried) {
        match carried.header.path {
            PathReference::OneHop(number) if carried.header.position.hop == 0 => {
                let mut carried = carried;
                carried.header.position.hop = 1;
                self.send_out(carried, number);
            }
            PathReference::Standard(handle) => match self.current(&carried, handle) {
                Some(current) if !current.is_last => match self.egress(&current) {
                    Some((number, node)) if node == self.context.node => {
                        if self.is_valid(&carried, handle, &current) {
                            self.cross(carried, current, number);
                        } else {
                            self.refuse(carried, &current);
                        }
                    }
                    _ => self.drop_invalid(&carried),
                },
                Some(_) if carried.header.between[1] == self.context.node => self.end(carried),
                _ => self.drop_invalid(&carried),
            },
            _ if carried.header.between[1] == self.context.node => self.end(carried),
            _ => self.drop_invalid(&carried),
        }
    }

    fn end(&mut self, carried: Carried) {
        self.context.counters.received += 1;
        self.arrived.push(with(carried));
    }

    /// A packet has come in from another system.
    fn enter(&mut self, interface: u16, mut carried: Carried) {
        let handle = match carried.header.path {
            PathReference::Standard(it) => it,
            PathReference::OneHop(_) => {
                let control = self.context.system().control();
                carried.header.between[1] = control;
                return self.go(carried, control);
            }
            PathReference::Empty => return self.drop_invalid(&carried),
        };
        let Some(mut current) = self.current(&carried, handle) else {
            return self.drop_invalid(&carried);
        };
        if current.hop.crossed(current.info.is_forward)[0] != interface {
            return self.drop_invalid(&carried);
        }
        if !current.info.is_forward && !current.is_peering {
            carried.header.position.chain(&current.hop);
            current.info.segment_id =
                carried.header.position.segment_ids[usize::from(carried.header.position.section)];
        }
        if !self.is_valid(&carried, handle, &current) {
            return self.refuse(carried, &current);
        }
        if current.is_last {
            return self.arrive(carried);
        }
        if current.ends_section && !current.is_peering {
            carried.header.position.advance(&current);
            let Some(next) = self.current(&carried, handle) else {
                return self.drop_invalid(&carried);
            };
            current = next;
            if !self.is_valid(&carried, handle, &current) {
                return self.refuse(carried, &current);
            }
        }
        match self.egress(&current) {
            Some((number, node)) if node == self.context.node => {
                self.cross(carried, current, number);
            }
            Some((_, node)) => self.go(carried, node),
            None => {
                self.context.counters.invalid_path += 1;
                let code = ScmpError::UNKNOWN_INTERFACE;
                let pointer = self.pointer(&carried);
                self.report(carried, ErrorReport::Parameter(code, pointer));
            }
        }
    }

    /// A packet has come to the system where its path ends.
    fn arrive(&mut self, carried: Carried) {
        let to = carried.header.between[1];
        let nodes = &self.context.shared.settings.nodes;
        if nodes[to as usize].system != self.context.place().system {
            return self.drop_invalid(&carried);
        }
        self.go(carried, to);
    }

    /// Whether a hop field is the system's own, and has not expired.
    fn is_valid(&mut self, carried: &Carried, handle: PathHandle, current: &Current) -> bool {
        let Current { info, hop, .. } = current;
        let system = self.context.place().system;
        let number = carried.header.position.hop;
        let key = &self.context.shared.settings.systems[system as usize].key;
        let check = || key.is_right(info.segment_id, info.timestamp, hop);
        self.packets.is_right(handle, number, (system, info.segment_id), check)
            && !self.has_expired(current)
    }

    pub(super) fn has_expired(&self, current: &Current) -> bool {
        // A time that is not authentic can be beyond what a duration can say.
        let begins = Duration::from_secs(1) * u64::from(current.info.timestamp);
        Time::ZERO + begins + lifetime(current.hop.expiry) <= self.now
    }

    /// Sends a packet out of the system behind its current hop field.
    fn cross(&mut self, carried: Carried, current: Current, number: u16) {
        let mut next = carried;
        if current.info.is_forward && !current.is_peering {
            next.header.position.chain(&current.hop);
        }
        next.header.position.advance(&current);
        if self.can_send(carried, number) {
            self.send_out(next, number);
        }
    }

    /// Whether an interface takes a packet; one that it does not is dropped, and reported.
    fn can_send(&mut self, carried: Carried, number: u16) -> bool {
        let Some(interface) = self.context.system().interface(number).copied() else {
            return false;
        };
        let header = self.context.shared.settings.underlay_header();
        if !self.context.is_up[usize::from(interface.port.0)] {
            self.context.counters.interface_down += 1;
            self.report(carried, ErrorReport::ExternalInterfaceDown(number));
            return false;
        }
        if carried.packet.network_size - header > interface.mtu {
            self.context.counters.too_big += 1;
            self.report(carried, ErrorReport::TooBig(interface.mtu));
            return false;
        }
        true
    }

    fn send_out(&mut self, mut carried: Carried, number: u16) {
        let Some(interface) = self.context.system().interface(number).copied() else {
            return self.drop_invalid(&carried);
        };
        // Beacons have no sender to report to.
        if !self.context.is_up[usize::from(interface.port.0)] {
            self.context.counters.interface_down += 1;
            return self.packets.discard(&carried.packet);
        }
        self.context.counters.forwarded += 1;
        carried.header.underlay = [self.context.node, interface.neighbour_node];
        carried.packet.hops = 0;
        self.actions.send(interface.port, with(carried));
    }

    /// Takes a packet one node further inside the system.
    fn pass_inside(&mut self, carried: Carried) {
        let place = self.context.place();
        let to = &self.context.shared.settings.nodes[carried.header.underlay[1] as usize];
        let first = place.paths.get(to.member as usize).and_then(|it| it.first);
        let Some(port) = first.filter(|_| to.system == place.system) else {
            return self.drop_invalid(&carried);
        };
        let mtu = place.ports[usize::from(port.0)].mtu;
        if carried.packet.hops >= HOP_LIMIT {
            self.context.counters.hop_limit_exceeded += 1;
            return self.packets.discard(&carried.packet);
        }
        if !self.context.is_up[usize::from(port.0)] {
            self.context.counters.inside_down += 1;
            let crossed = match carried.header.path {
                PathReference::Standard(it) => {
                    carried.header.position.crossed(self.packets.path(it))
                }
                _ => [0; 2],
            };
            return self.report(carried, ErrorReport::InternalConnectivityDown(crossed));
        }
        if carried.packet.network_size > mtu {
            self.context.counters.too_big += 1;
            let mtu = mtu.saturating_sub(self.context.shared.settings.underlay_header());
            return self.report(carried, ErrorReport::TooBig(mtu));
        }
        self.context.counters.forwarded_inside += 1;
        self.actions.send(port, with(carried));
    }

    fn drop_invalid(&mut self, carried: &Carried) {
        self.context.counters.invalid_path += 1;
        self.packets.discard(&carried.packet);
    }
}

/// A packet with its header as it is now.
pub(super) fn with(Carried { packet, header }: Carried) -> Packet {
    Packet { body: Body::Scion(header), ..packet }
}

/// The length of a message's datagram.
pub(super) fn datagram(bytes: usize) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX).saturating_add(udp::HEADER)
}

/// The length of an echo message of a probe.
pub(super) const PROBE: u16 = Scmp::ECHO + 8;
