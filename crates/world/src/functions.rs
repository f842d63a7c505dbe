//! The functions inside the network, each in its node: which packets they see, and when
//! they are called.

use windtunnel_engine::{Streams, Time};
use windtunnel_networks::bridge::{
    DestinationCounters, DestinationEdge, DestinationFunction, Keep, SourceCounters, SourceEdge,
    SourceFunction,
};
use windtunnel_networks::function::{FunctionActions, LinkState, NetworkFunction, Tap};
use windtunnel_packets::{Packet, Route};
use windtunnel_queues::Backlog;

use crate::alarm::Alarm;
use crate::event::{Event, Kind};
use crate::forwarding::Forwarding;
use crate::network::Network;
use crate::placements::{own_path, source_of};
use crate::plan::Plan;
use crate::port_id::PortId;

/// What a bridge counted, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BridgeCounters {
    /// What the source edge counted.
    pub source: SourceCounters,
    /// What the destination edge counted.
    pub destination: DestinationCounters,
    /// The bytes of all clones made.
    pub cloned_bytes: u64,
    /// Those of all clones sent.
    pub resent_bytes: u64,
    /// Acknowledgements that arrived at the source edge.
    pub acknowledgements_received: u64,
    /// The bytes of all acknowledgements sent.
    pub acknowledgement_bytes: u64,
    /// The clones that the source edge holds.
    pub stalled: Backlog,
    /// What waits at the destination edge.
    pub waiting: Backlog,
}

/// A function at work.
#[derive(Debug)]
enum Function {
    Source(Box<SourceFunction>),
    Destination(Box<DestinationFunction>),
}

impl NetworkFunction for Function {
    fn receive(&mut self, now: Time, tap: Tap, packet: Packet, actions: &mut FunctionActions) {
        match self {
            Self::Source(it) => it.receive(now, tap, packet, actions),
            Self::Destination(it) => it.receive(now, tap, packet, actions),
        }
    }

    fn next_wake(&self, link: LinkState) -> Time {
        match self {
            Self::Source(it) => it.next_wake(link),
            Self::Destination(it) => it.next_wake(link),
        }
    }

    fn wake(&mut self, now: Time, link: LinkState, actions: &mut FunctionActions) {
        match self {
            Self::Source(it) => it.wake(now, link, actions),
            Self::Destination(it) => it.wake(now, link, actions),
        }
    }
}

/// A function in its node.
#[derive(Debug)]
struct Placed {
    function: Function,
    node: u32,
    /// The path of its own packets.
    route: Route,
    /// The port towards what it works with.
    port: PortId,
    alarm: Alarm,
}

/// All functions.
#[derive(Debug)]
pub(crate) struct Functions {
    functions: Vec<Placed>,
    actions: FunctionActions,
}

impl Functions {
    /// Those of a plan.
    pub(crate) fn new(plan: &Plan, streams: &Streams, forwarding: &Forwarding) -> Self {
        let mut functions = Vec::with_capacity(2 * plan.bridges.len());
        for (bridge, it) in plan.bridges.iter().enumerate() {
            let route = forwarding.route(own_path(bridge, it)).expect("it was found before");
            let first = |from, to| {
                let path = forwarding.topology().path(from, to);
                path.expect("it was found before")[0]
            };
            let random = streams.stream(&format!("bridge {}", it.name));
            let source = SourceFunction::new(
                SourceEdge::new(it.source, random),
                it.source.keep == Keep::LowPriority,
            );
            let edge = DestinationEdge::new(it.destination);
            let destination = DestinationFunction::new(edge, bridge as u32);
            functions.push(Placed {
                function: Function::Source(Box::new(source)),
                node: it.from as u32,
                route,
                port: first(it.from, it.to),
                alarm: Alarm::NONE,
            });
            functions.push(Placed {
                function: Function::Destination(Box::new(destination)),
                node: it.to as u32,
                route,
                port: first(it.to, it.from),
                alarm: Alarm::NONE,
            });
        }
        Self { functions, actions: FunctionActions::default() }
    }

    /// What a bridge counted, of which `destination` has the destination edge.
    pub(crate) fn bridge(&self, bridge: usize, destination: &Self) -> BridgeCounters {
        let at = source_of(bridge) as usize;
        let pair = (&self.functions[at].function, &destination.functions[at + 1].function);
        let (Function::Source(source), Function::Destination(destination)) = pair else {
            unreachable!("a bridge has a source edge and a destination edge")
        };
        BridgeCounters {
            source: *source.edge().counters(),
            destination: *destination.edge().counters(),
            cloned_bytes: source.cloned_bytes(),
            resent_bytes: source.resent_bytes(),
            acknowledgements_received: source.acknowledgements_received(),
            acknowledgement_bytes: destination.acknowledgement_bytes(),
            stalled: source.edge().backlog(),
            waiting: destination.edge().backlog(),
        }
    }

    /// A packet comes by a function.
    pub(crate) fn receive(
        &mut self,
        network: &mut Network,
        now: Time,
        function: u32,
        tap: Tap,
        packet: Packet,
    ) {
        let it = &mut self.functions[function as usize];
        it.function.receive(now, tap, packet, &mut self.actions);
        self.act(network, now, function);
    }

    /// A function's time may have come.
    pub(crate) fn wake(&mut self, network: &mut Network, now: Time, function: u32) {
        let it = &mut self.functions[function as usize];
        if it.alarm.rings(now) {
            let link = network.link_state(now, it.port);
            it.function.wake(now, link, &mut self.actions);
            self.act(network, now, function);
        }
    }

    /// Does what a function wants done, and schedules its next wake-up.
    fn act(&mut self, network: &mut Network, now: Time, function: u32) {
        let it = &mut self.functions[function as usize];
        for packet in self.actions.sent.drain(..) {
            network.send(now, it.node, it.route, packet);
        }
        for packet in self.actions.forwarded.drain(..) {
            network.send(now, it.node, packet.route, packet);
        }
        let next = it.function.next_wake(network.link_state(now, it.port));
        if next < Time::NEVER && it.alarm.set(next.max(now)) {
            network.schedule(next, Event::new(Kind::Function, function));
        }
    }
}
