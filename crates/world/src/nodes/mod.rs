//! Nodes: the network layers on each, behind one door. A packet and the port that it came
//! by go in; what the layer wants done comes out.

mod ndn;

pub(crate) use ndn::sample;

use std::sync::Arc;

use windtunnel_engine::{Streams, Time, prefetch};
use windtunnel_networks::layer::{
    Actions, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer,
};
use windtunnel_networks::ndn::fib::NextHop;
use windtunnel_networks::ndn::forwarder::ForwarderCounters;
use windtunnel_packets::ndn::wire::size::NameSize;
use windtunnel_packets::{Body, Packet, ProtocolNumber};
use windtunnel_transports::ndn::consumer::Consumer;

use crate::event::{Event, Kind};
use crate::network::Network;
use crate::plan::Plan;
use crate::routing::{self, PortId, Topology, Unreachable};
use ndn::NdnLayer;

/// A layer that was added to a node, and the messages that it takes in.
#[derive(Debug)]
struct Added {
    protocol: ProtocolNumber,
    layer: Box<dyn NetworkLayer>,
}

#[derive(Debug)]
struct Node {
    /// The place of its first port among those of all nodes.
    first: u32,
    ndn: Option<Box<NdnLayer>>,
    others: Vec<Added>,
}

/// Where a port's link ends.
#[derive(Clone, Copy, Debug)]
struct FarEnd {
    node: u32,
    interface: Interface,
}

/// All nodes.
#[derive(Debug)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    /// The ports of all nodes, node by node.
    ports: Vec<PortId>,
    far_ends: Vec<FarEnd>,
    /// For each consumer its node, and its place there.
    consumers: Vec<(u32, u32)>,
    actions: Actions,
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
            nodes: Vec::with_capacity(plan.nodes.len()),
            ports: Vec::with_capacity(2 * plan.links.len()),
            far_ends: vec![FarEnd { node: 0, interface: Interface(0) }; 2 * plan.links.len()],
            consumers: Vec::with_capacity(plan.consumers.len()),
            actions: Actions::default(),
        };
        for node in 0..plan.nodes.len() {
            nodes.add(plan, streams, topology, node);
        }
        if plan.has_ndn() {
            nodes.add_ndn(plan, streams, topology);
            nodes.add_applications(plan, streams);
            nodes.route(plan, topology);
            nodes.check_reachability(plan)?;
        }
        Ok(nodes)
    }

    fn add(&mut self, plan: &Plan, streams: &Streams, topology: &Topology, index: usize) {
        let first = self.ports.len() as u32;
        let ports = topology.ports(index);
        for (interface, port) in (0..).map(Interface).zip(ports) {
            self.far_ends[port.reversed().index()] = FarEnd { node: index as u32, interface };
        }
        self.ports.extend(ports);
        let interfaces = ports.len() as u16;
        let added = |maker: &Arc<dyn LayerMaker>| {
            let name = &plan.nodes[index].name;
            let protocol = maker.protocol();
            let random = streams.stream(&format!("layer {} of {name}", protocol.0));
            let layer = maker.layer(NodeSetting { node: index, interfaces, random });
            Added { protocol, layer }
        };
        let others = plan.nodes[index].layers.iter().map(added).collect();
        self.nodes.push(Node { first, ndn: None, others });
    }

    fn add_ndn(&mut self, plan: &Plan, streams: &Streams, topology: &Topology) {
        let watches_for_loops = routing::has_cycle(plan);
        let sizes: Arc<[NameSize]> = plan.prefixes.iter().map(NameSize::of).collect();
        for (index, (node, plan)) in self.nodes.iter_mut().zip(&plan.nodes).enumerate() {
            let interfaces = topology.ports(index).len() as u16;
            let sizes = Arc::clone(&sizes);
            let layer = NdnLayer::new(plan, interfaces, streams, watches_for_loops, sizes);
            node.ndn = Some(Box::new(layer));
        }
    }

    fn add_applications(&mut self, plan: &Plan, streams: &Streams) {
        for producer in &plan.producers {
            self.ndn(producer.node).add_producer(producer);
        }
        for consumer in &plan.consumers {
            let place = self.ndn(consumer.node).add_consumer(consumer, streams);
            self.consumers.push((consumer.node as u32, place));
        }
    }

    fn ndn(&mut self, node: usize) -> &mut NdnLayer {
        self.nodes[node].ndn.as_mut().expect("it is on every node where it is on any")
    }

    /// Fills the tables of names by the topology.
    pub(crate) fn route(&mut self, plan: &Plan, topology: &Topology) {
        if !plan.has_ndn() {
            return;
        }
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
                    self.ndn(route.node).announce(&route.prefix, &hop);
                }
            }
        }
        for hop in routing::next_hops(plan, topology) {
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
            self.ndn(node).route(&plan.prefixes, table);
        }
    }

    fn interface(&self, plan: &Plan, node: usize, link: usize) -> Interface {
        let side = usize::from(plan.links[link].nodes[0] != node);
        self.far_ends[PortId::new(link, side).reversed().index()].interface
    }

    fn check_reachability(&mut self, plan: &Plan) -> Result<(), Unreachable> {
        for (index, consumer) in plan.consumers.iter().enumerate() {
            if !self.ndn(consumer.node).knows(consumer.settings.prefix) {
                return Err(Unreachable::Consumer(index));
            }
        }
        Ok(())
    }

    /// Starts the layers of the nodes of the part.
    pub(crate) fn start(&mut self, network: &mut Network, is_here: impl Fn(usize) -> bool) {
        for node in (0..self.nodes.len()).filter(|it| is_here(*it)) {
            let mut actions = std::mem::take(&mut self.actions);
            if let Some(ndn) = &mut self.nodes[node].ndn {
                ndn.start(&mut actions);
            }
            self.act(network, Time::ZERO, node as u32, 0, &mut actions);
            for layer in 0..self.nodes[node].others.len() {
                self.nodes[node].others[layer].layer.start(&mut actions);
                self.act(network, Time::ZERO, node as u32, layer as u32 + 1, &mut actions);
            }
            self.actions = actions;
        }
    }

    /// A consumer, by its place in the plan.
    pub(crate) fn consumer(&self, consumer: usize) -> &Consumer {
        let (node, place) = self.consumers[consumer];
        let ndn = self.nodes[node as usize].ndn.as_ref();
        ndn.expect("a consumer's node speaks NDN").consumer(place)
    }

    /// What a node's NDN layer counted.
    pub(crate) fn counters(&self, node: usize) -> ForwarderCounters {
        self.nodes[node].ndn.as_ref().map_or_else(Default::default, |it| it.counters())
    }

    /// Fetches the layer that a port's packets come to.
    #[inline]
    pub(crate) fn prefetch_node(&self, port: PortId) {
        let node = &self.nodes[self.far_ends[port.index()].node as usize];
        if let Some(ndn) = &node.ndn {
            prefetch(ndn.as_ref());
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
        let FarEnd { node, interface } = self.far_ends[port.index()];
        let it = &mut self.nodes[node as usize];
        let mut actions = std::mem::take(&mut self.actions);
        let layer = match (&packet.body, &mut it.ndn) {
            (Body::Message(message), _) => {
                let takes = |it: &Added| it.protocol == message.protocol;
                let layer = it.others.iter().position(takes);
                if let Some(layer) = layer {
                    it.others[layer].layer.receive(now, interface, packet, &mut actions);
                }
                layer.map_or(0, |it| it as u32 + 1)
            }
            (_, Some(ndn)) => {
                ndn.receive(now, interface, packet, &mut actions);
                0
            }
            (_, None) => 0,
        };
        self.act(network, now, node, layer, &mut actions);
        self.actions = actions;
    }

    /// A timer of a layer has expired.
    pub(crate) fn wake(&mut self, network: &mut Network, now: Time, node: u32, timer: u32) {
        let it = &mut self.nodes[node as usize];
        let (layer, own) = (timer >> LAYER_SHIFT, Timer(timer & (Timer::LIMIT - 1)));
        let mut actions = std::mem::take(&mut self.actions);
        match layer.checked_sub(1) {
            None => it.ndn.iter_mut().for_each(|it| it.wake(now, own, &mut actions)),
            Some(other) => it.others[other as usize].layer.wake(now, own, &mut actions),
        }
        self.act(network, now, node, layer, &mut actions);
        self.actions = actions;
    }

    /// Does what a layer wants done.
    #[inline]
    fn act(
        &mut self,
        network: &mut Network,
        now: Time,
        node: u32,
        layer: u32,
        actions: &mut Actions,
    ) {
        let first = self.nodes[node as usize].first as usize;
        for (interface, packet) in actions.sends.drain(..) {
            network.offer(now, self.ports[first + usize::from(interface.0)], packet);
        }
        for (time, timer) in actions.timers.drain(..) {
            let timer = layer << LAYER_SHIFT | timer.0;
            network.schedule(time.max(now), Event::timer(Kind::Layer, node, timer));
        }
    }
}
