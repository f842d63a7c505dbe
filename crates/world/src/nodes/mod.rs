//! Nodes: the network layers on each, behind one door. A packet and the port that it came
//! by go in; what the layer wants done comes out.

mod consumer_log;
mod ndn;
mod processor;

pub(crate) use ndn::sample;

use std::sync::Arc;

use windtunnel_controllers::Settings as ControllerSettings;
use windtunnel_engine::{Streams, Time, prefetch};
use windtunnel_networks::layer::{
    Actions, Destination, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer,
};
use windtunnel_networks::ndn::fib::NextHop;
use windtunnel_networks::ndn::forwarder::Forwarder;
use windtunnel_networks::ndn::link_service::{LinkService, LinkServiceCounters};
use windtunnel_packets::ndn::wire::size::NameSize;
use windtunnel_packets::ndn::{LinkPacket, Name};
use windtunnel_packets::{Body, Packet, ProtocolNumber};
use windtunnel_transports::ndn::consumer::Consumer;

use crate::event::Event;
use crate::network::{Arrived, Network};
use crate::packet_log::SharedLog;
use crate::placements::end_of;
use crate::plan::Plan;
use crate::port_id::PortId;
use crate::routing::{self, Topology, Unreachable};
use ndn::NdnLayer;

/// A layer that was added to a node, and the messages that it takes in.
#[derive(Clone, Debug)]
struct Added {
    protocol: ProtocolNumber,
    ports: Box<[PortId]>,
    layer: Box<dyn NetworkLayer>,
}

/// Where a port's link ends.
#[derive(Clone, Copy, Debug)]
struct FarEnd {
    node: u32,
    interface: Interface,
}

/// What is between a node's NDN layer and a port; of a bare one nothing.
#[derive(Clone, Debug, Default)]
struct Face {
    link_service: Option<Box<LinkService>>,
    carrier: FaceCarrier,
}

/// What carries the packets of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FaceCarrier {
    /// The link of its port alone.
    #[default]
    Link,
    /// Its TCP connection, of which this is the end among the functions.
    Connection(u32),
    /// Another network layer of its node, to the neighbour.
    Layer(u32, Destination),
}

impl Face {
    fn is_bare(&self) -> bool {
        self.link_service.is_none() && self.carrier == FaceCarrier::Link
    }
}

impl FaceCarrier {
    /// Gives a packet to what carries it.
    fn send(self, network: &mut Network, now: Time, port: PortId, packet: Packet) {
        match self {
            Self::Link => network.emit(now, port, packet),
            Self::Connection(function) => network.enter_face(function, packet),
            Self::Layer(node, to) => network.carry(node, to, packet),
        }
    }
}

/// All nodes.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    /// The NDN layers of all nodes; none where nothing speaks NDN.
    ndn: Vec<NdnLayer>,
    /// The layers that were added, by node.
    added: Vec<Vec<Added>>,
    /// The protocol of those that carry IP packets from one domain to another.
    carrier: Option<ProtocolNumber>,
    far_ends: Vec<FarEnd>,
    /// By the port that they send through, if any is not bare.
    faces: Vec<Face>,
    /// For each consumer its node, and its place there.
    consumers: Vec<(u32, u32)>,
    actions: Actions,
    /// The next hops of names that were computed last.
    next_hops: Vec<routing::NextHop>,
}

/// The bits of an event's timer that are the layer's own; above them stands which of its
/// node's layers it is, NDN first.
const LAYER_SHIFT: u32 = Timer::LIMIT.ilog2();

impl Nodes {
    /// Those of a plan.
    ///
    /// # Errors
    /// [`Unreachable`] if a consumer has no path to a producer of its prefix.
    pub(crate) fn new(
        plan: &Plan,
        streams: &Streams,
        topology: &Topology,
    ) -> Result<Self, Unreachable> {
        let mut nodes = Self {
            ndn: Vec::new(),
            added: Vec::with_capacity(plan.nodes.len()),
            carrier: plan.domains.as_ref().map(|it| it.carrier.protocol()),
            far_ends: vec![FarEnd { node: 0, interface: Interface(0) }; 2 * plan.links.len()],
            faces: Vec::new(),
            consumers: Vec::with_capacity(plan.consumers.len()),
            actions: Actions::default(),
            next_hops: Vec::new(),
        };
        for node in 0..plan.nodes.len() {
            nodes.add(plan, streams, topology, node);
        }
        nodes.faces = faces(plan, &nodes.far_ends);
        if plan.has_ndn() {
            nodes.add_ndn(plan, streams, topology);
            nodes.add_applications(plan, streams);
            nodes.route(plan, topology);
            if plan.sky.is_none() {
                nodes.check_reachability(plan)?;
            }
        }
        Ok(nodes)
    }

    fn add(&mut self, plan: &Plan, streams: &Streams, topology: &Topology, index: usize) {
        let ports = topology.ports(index);
        for (interface, port) in (0..).map(Interface).zip(ports) {
            self.far_ends[port.reversed().index()] = FarEnd { node: index as u32, interface };
        }
        let added = |maker: &Arc<dyn LayerMaker>| {
            let name = &plan.nodes[index].name;
            let protocol = maker.protocol();
            let random = streams.stream(&format!("layer {} of {name}", protocol.0));
            let interfaces = ports.len() as u16;
            let layer = maker.layer(NodeSetting { node: index, interfaces, random });
            Added { protocol, ports: ports.into(), layer }
        };
        let carrier = plan.domains.iter().map(|it| &it.carrier);
        let makers = plan.nodes[index].layers.iter().chain(carrier);
        self.added.push(makers.map(added).collect());
    }

    fn add_ndn(&mut self, plan: &Plan, streams: &Streams, topology: &Topology) {
        let watches_for_loops = routing::has_cycle(plan);
        let prefixes = plan.prefixes.iter().zip(&plan.formats);
        let sizes: Arc<[NameSize]> = prefixes.map(|(name, it)| it.name_size(name)).collect();
        for (index, node) in plan.nodes.iter().enumerate() {
            let (ports, sizes) = (topology.ports(index), Arc::clone(&sizes));
            self.ndn.push(NdnLayer::new(node, ports, streams, watches_for_loops, sizes));
        }
    }

    fn add_applications(&mut self, plan: &Plan, streams: &Streams) {
        for producer in &plan.producers {
            let format = plan.formats[producer.prefix];
            self.ndn[producer.node].add_producer(producer, format);
        }
        for consumer in &plan.consumers {
            let place = self.ndn[consumer.node].add_consumer(consumer, streams);
            self.consumers.push((consumer.node as u32, place));
        }
    }

    /// Fills the tables of names by the topology, if the next hop of any name is another one
    /// than before.
    pub(crate) fn route_if_changed(&mut self, plan: &Plan, topology: &Topology) {
        if !plan.has_ndn() {
            return;
        }
        let next_hops = routing::next_hops(plan, topology);
        let leads = |it: &routing::NextHop| (it.node, it.producer, it.port);
        if !next_hops.iter().map(leads).eq(self.next_hops.iter().map(leads)) {
            self.fill(plan, &next_hops);
            self.next_hops = next_hops;
        }
    }

    /// Fills the tables of names by the topology.
    pub(crate) fn route(&mut self, plan: &Plan, topology: &Topology) {
        if plan.has_ndn() {
            self.fill(plan, &routing::next_hops(plan, topology));
        }
    }

    fn fill(&mut self, plan: &Plan, next_hops: &[routing::NextHop]) {
        let mut tables = vec![ndn::Table::new(); plan.nodes.len()];
        let given = &plan.routing.given;
        for route in given {
            let prefix = plan.prefixes.iter().position(|it| *it == route.prefix);
            let face = self.interface(plan, route.node, route.link);
            match prefix {
                Some(prefix) => {
                    let next_hop = NextHop { face, cost: route.cost };
                    tables[route.node].entry(prefix).or_default().push(next_hop);
                }
                // Nobody announces it and nobody asks for it, but names below it may be
                // asked for.
                None => {
                    let hop = [NextHop { face, cost: route.cost }];
                    self.ndn[route.node].announce(&route.prefix, &hop);
                }
            }
        }
        for hop in next_hops {
            let prefix = plan.producers[hop.producer].prefix;
            let is_given =
                |it: &crate::RoutePlan| it.node == hop.node && it.prefix == plan.prefixes[prefix];
            if !given.iter().any(is_given) {
                let face = self.far_ends[hop.port.reversed().index()].interface;
                let next_hop = NextHop { face, cost: hop.cost };
                tables[hop.node].entry(prefix).or_default().push(next_hop);
            }
        }
        for (node, table) in tables.into_iter().enumerate() {
            self.ndn[node].route(&plan.prefixes, &plan.formats, table);
        }
    }

    fn interface(&self, plan: &Plan, node: usize, link: usize) -> Interface {
        let side = usize::from(plan.links[link].nodes[0] != node);
        self.far_ends[PortId::new(link, side).reversed().index()].interface
    }

    fn check_reachability(&mut self, plan: &Plan) -> Result<(), Unreachable> {
        for (index, consumer) in plan.consumers.iter().enumerate() {
            if !self.ndn[consumer.node].knows(consumer.settings.prefix) {
                return Err(Unreachable::Consumer(index));
            }
        }
        Ok(())
    }

    /// Starts the layers of the nodes of the part.
    pub(crate) fn start(&mut self, network: &mut Network, is_here: impl Fn(usize) -> bool) {
        let mut actions = std::mem::take(&mut self.actions);
        for node in (0..self.added.len()).filter(|it| is_here(*it)) {
            if let Some(ndn) = self.ndn.get_mut(node) {
                ndn.start(&mut network.packets, &mut actions);
                let faces = &mut self.faces;
                act_for_ndn(faces, network, Time::ZERO, node as u32, ndn, &mut actions);
            }
            for (layer, it) in (1..).zip(&mut self.added[node]) {
                it.layer.start(&mut network.packets, &mut actions);
                act(network, Time::ZERO, node as u32, layer, &it.ports, &mut actions);
            }
        }
        self.actions = actions;
    }

    /// A consumer, by its place in the plan.
    pub(crate) fn consumer(&self, consumer: usize) -> &Consumer {
        let (node, place) = self.consumers[consumer];
        self.ndn[node as usize].consumer(place)
    }

    /// Has a consumer that has not begun driven by another controller.
    pub(crate) fn set_controller(&mut self, consumer: usize, controller: &ControllerSettings) {
        let (node, place) = self.consumers[consumer];
        self.ndn[node as usize].set_controller(place, controller);
    }

    /// Has what a consumer sends and receives logged.
    pub(crate) fn log_consumer(&mut self, consumer: usize, log: &SharedLog) {
        let (node, place) = self.consumers[consumer];
        self.ndn[node as usize].log_consumer(place, (consumer as u32, node), log);
    }

    /// A node's forwarder of NDN or CCNx packets; none where no node has one.
    pub(crate) fn forwarder(&self, node: usize) -> Option<&Forwarder> {
        self.ndn.get(node).map(NdnLayer::forwarder)
    }

    /// How many packets found no room before a node's forwarder.
    pub(crate) fn processing_drops(&self, node: usize) -> u64 {
        self.ndn.get(node).map_or(0, NdnLayer::processing_drops)
    }

    /// Fetches the layer that a port's packets come to.
    #[inline]
    pub(crate) fn prefetch_node(&self, port: PortId) {
        if let Some(ndn) = self.ndn.get(self.far_ends[port.index()].node as usize) {
            ndn.prefetch();
        }
    }

    /// Fetches what a packet of that name will meet that comes by a port: first where it
    /// looks first, then what lies behind that.
    #[inline]
    pub(crate) fn prefetch_name(&self, network: &Network, port: PortId, name: Name, first: bool) {
        let Some(ndn) = self.ndn.get(self.far_ends[port.index()].node as usize) else { return };
        ndn.prefetch_name(name, first);
        // With two ports a packet leaves by the other one.
        let others = ndn.ports().iter().filter(|it| **it != port.reversed());
        for other in others.filter(|_| ndn.ports().len() == 2) {
            if first {
                network.prefetch_port(*other);
            } else {
                network.prefetch_end_of(*other);
            }
        }
    }

    /// Fetches where a port leads to.
    #[inline]
    pub(crate) fn prefetch_far_end(&self, port: PortId) {
        prefetch(&self.far_ends[port.index()]);
    }

    /// A packet of a network layer has come by a port.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        network: &mut Network,
        now: Time,
        port: PortId,
        packet: &Packet,
    ) {
        if !matches!(&packet.body, Body::Interest(_) | Body::Data(_) | Body::Nack(_)) {
            return self.receive_other(network, now, port, packet);
        }
        let FarEnd { node, interface } = self.far_ends[port.index()];
        if let Some(ndn) = self.ndn.get_mut(node as usize) {
            let packets = &mut network.packets;
            ndn.receive(now, interface, packet, packets, &mut self.actions);
            act_for_ndn(&mut self.faces, network, now, node, ndn, &mut self.actions);
        }
    }

    /// Likewise, a part of a packet of NDN, or one of a layer that was added to a node.
    #[inline(never)]
    fn receive_other(&mut self, network: &mut Network, now: Time, port: PortId, packet: &Packet) {
        if let Body::LinkPacket(it) = &packet.body {
            return self.reassemble(network, now, port, it, packet.marked());
        }
        let protocol = match packet.protocol() {
            // Tunnels between nodes have paths; an IP packet without one is of the layer that
            // carries those of hosts.
            ProtocolNumber::IP => self.carrier,
            it => Some(it),
        };
        let Some(protocol) = protocol else { return network.packets.discard(packet) };
        let FarEnd { node, interface } = self.far_ends[port.index()];
        self.receive_message(network, now, node, protocol, interface, packet);
    }

    /// A link packet has come by a port; the packet that is whole with it is received.
    fn reassemble(
        &mut self,
        network: &mut Network,
        now: Time,
        port: PortId,
        link_packet: &LinkPacket,
        marked: bool,
    ) {
        let service = self.faces[port.reversed().index()].link_service.as_mut();
        let service = service.expect("both ends of a link have a link service, or none");
        if let Some(whole) = service.receive(now, link_packet, marked, &mut network.packets) {
            self.receive(network, now, port, &whole);
        }
    }

    /// What the link services of a node counted.
    pub(crate) fn link_service_counters(&self, node: usize) -> LinkServiceCounters {
        let ports = self.ndn.get(node).map_or(&[][..], NdnLayer::ports);
        let faces = ports.iter().filter_map(|it| self.faces.get(it.index()));
        let services = faces.filter_map(|it| it.link_service.as_ref());
        services.fold(LinkServiceCounters::default(), |sum, it| sum + *it.counters())
    }

    fn receive_message(
        &mut self,
        network: &mut Network,
        now: Time,
        node: u32,
        protocol: ProtocolNumber,
        from: Interface,
        packet: &Packet,
    ) {
        let Some((layer, it)) = added(&mut self.added, node, protocol) else {
            return network.packets.discard(packet);
        };
        it.layer.receive(now, from, packet, &mut network.packets, &mut self.actions);
        let port = it.ports[usize::from(from.0)].reversed();
        self.actions.delivered.retain(|packet| {
            let is_named = packet.body.is_named();
            if is_named {
                network.arrived.push(Arrived::ByFace(port, *packet));
            }
            !is_named
        });
        act(network, now, node, layer, &it.ports, &mut self.actions);
    }

    /// A host of a node sends an IP packet to another node that a layer is to carry it to.
    pub(crate) fn carry(
        &mut self,
        network: &mut Network,
        now: Time,
        node: u32,
        to: Destination,
        packet: Packet,
    ) {
        let carrier = self.carrier.expect("a path leads through a layer");
        let Some((layer, it)) = added(&mut self.added, node, carrier) else {
            return network.packets.discard(&packet);
        };
        it.layer.carry(now, packet, to, &mut network.packets, &mut self.actions);
        act(network, now, node, layer, &it.ports, &mut self.actions);
    }

    /// A port has gone down or come up: the layers that were added to its node learn it.
    pub(crate) fn link_changed(
        &mut self,
        network: &mut Network,
        now: Time,
        port: PortId,
        is_up: bool,
    ) {
        let FarEnd { node, interface } = self.far_ends[port.reversed().index()];
        for (layer, it) in (1..).zip(&mut self.added[node as usize]) {
            let actions = &mut self.actions;
            it.layer.link_changed(now, interface, is_up, &mut network.packets, actions);
            act(network, now, node, layer, &it.ports, actions);
        }
    }

    /// The layer of a node that takes in the messages of a protocol.
    pub(crate) fn layer(&self, node: usize, protocol: ProtocolNumber) -> Option<&dyn NetworkLayer> {
        let added = self.added[node].iter().find(|it| it.protocol == protocol)?;
        Some(added.layer.as_ref())
    }

    /// A timer of a layer has expired.
    pub(crate) fn wake(&mut self, network: &mut Network, now: Time, node: u32, timer: u32) {
        let (layer, own) = (timer >> LAYER_SHIFT, Timer(timer & (Timer::LIMIT - 1)));
        let actions = &mut self.actions;
        match layer.checked_sub(1) {
            None => {
                let ndn = &mut self.ndn[node as usize];
                ndn.wake(now, own, &mut network.packets, actions);
                act_for_ndn(&mut self.faces, network, now, node, ndn, actions);
            }
            Some(place) => {
                let it = &mut self.added[node as usize][place as usize];
                it.layer.wake(now, own, &mut network.packets, actions);
                act(network, now, node, layer, &it.ports, actions);
            }
        }
    }
}

/// The layer of a node that takes in the messages of a protocol, and its place there.
fn added(all: &mut [Vec<Added>], node: u32, protocol: ProtocolNumber) -> Option<(u32, &mut Added)> {
    (1..).zip(&mut all[node as usize]).find(|(_, it)| it.protocol == protocol)
}

/// Does what a layer wants done: the first of its node, or another one.
#[inline]
fn act(
    network: &mut Network,
    now: Time,
    node: u32,
    layer: u32,
    ports: &[PortId],
    actions: &mut Actions,
) {
    send(network, now, ports, actions);
    for packet in actions.delivered.drain(..) {
        network.send(now, node, packet.route, packet);
    }
    for (packet, notice) in actions.notices.drain(..) {
        network.notify(packet, notice);
    }
    set_timers(network, now, node, layer, actions);
}

/// Sends what a layer asked for, each packet by its port.
#[inline]
fn send(network: &mut Network, now: Time, ports: &[PortId], actions: &mut Actions) {
    for (interface, packet) in actions.sends.drain(..) {
        network.emit(now, ports[usize::from(interface.0)], packet);
    }
}

/// Sets the timers that a layer of a node asked for.
#[inline]
fn set_timers(network: &mut Network, now: Time, node: u32, layer: u32, actions: &mut Actions) {
    for (time, timer) in actions.timers.drain(..) {
        let timer = layer << LAYER_SHIFT | timer.0;
        network.schedule(time.max(now), Event::timer(node, timer));
    }
}

/// Does what a node's NDN layer wants done, its first, which delivers nothing to hosts; through
/// faces, if any is not bare.
#[inline]
fn act_for_ndn(
    faces: &mut [Face],
    network: &mut Network,
    now: Time,
    node: u32,
    ndn: &NdnLayer,
    actions: &mut Actions,
) {
    if faces.is_empty() {
        send(network, now, ndn.ports(), actions);
    } else {
        send_by_faces(faces, network, now, ndn.ports(), actions);
    }
    set_timers(network, now, node, 0, actions);
}

/// Sends what a node asked for, where faces are not bare: by those of its ports.
#[inline(never)]
fn send_by_faces(
    faces: &mut [Face],
    network: &mut Network,
    now: Time,
    ports: &[PortId],
    actions: &mut Actions,
) {
    for (interface, packet) in actions.sends.drain(..) {
        let port = ports[usize::from(interface.0)];
        let Face { link_service, carrier } = &mut faces[port.index()];
        match link_service {
            None => carrier.send(network, now, port, packet),
            Some(service) => {
                // It has room, and is empty before and after.
                let whole_or_parts = &mut actions.requests;
                service.send(&packet, &mut network.packets, whole_or_parts);
                whole_or_parts.drain(..).for_each(|it| carrier.send(network, now, port, it));
            }
        }
    }
}

/// The faces at both ends of each link, by port; none at all if all are bare.
fn faces(plan: &Plan, far_ends: &[FarEnd]) -> Vec<Face> {
    let face = |port: PortId| {
        let mut settings = plan.links[port.link()].link_service;
        let across = plan.ndn_header(port.link());
        let room = |mtu: u16| mtu.saturating_sub(across.unwrap_or(0));
        settings.mtu = settings.mtu.map(room);
        let [own, far] = [port.reversed(), port].map(|it| far_ends[it.index()]);
        let interfaces = Some([own.interface, far.interface]);
        let layer =
            FaceCarrier::Layer(own.node, Destination { node: far.node, interfaces, plain: None });
        let carrier = across.map_or(FaceCarrier::Link, |_| layer);
        Face { link_service: LinkService::new(settings).map(Box::new), carrier }
    };
    let ports = (0..plan.links.len()).flat_map(|link| [0, 1].map(|it| PortId::new(link, it)));
    let mut faces: Vec<Face> = ports.map(face).collect();
    for (tunnel, it) in plan.tunnels.iter().enumerate() {
        for (link, side) in it.face().into_iter().flat_map(|it| [(it, 0), (it, 1)]) {
            let end = end_of(plan, tunnel, side);
            faces[PortId::new(link, side).index()].carrier = FaceCarrier::Connection(end);
        }
    }
    if faces.iter().all(Face::is_bare) { Vec::new() } else { faces }
}
