//! The functions inside the network, each in its node: which packets they see, and when
//! they are called.

use windtunnel_engine::{Streams, Time};
use windtunnel_networks::bridge::{
    DestinationCounters, DestinationEdge, DestinationFunction, Keep, SourceCounters, SourceEdge,
    SourceFunction,
};
use windtunnel_networks::function::{FunctionActions, NetworkFunction, Tap};
use windtunnel_networks::tunnel::{TunnelCounters, TunnelEnd, WireGuardEnd};
use windtunnel_packets::{Packet, Route};
use windtunnel_queues::Backlog;
use windtunnel_transports::tcp::EndpointCounters;

use crate::alarm::Alarm;
use crate::event::{Event, Kind};
use crate::forwarding::Forwarding;
use crate::network::{Arrived, Network};
use crate::path::PathKey;
use crate::placements::{acknowledgement_path, source_of, tunnel_path};
use crate::plan::{Plan, TunnelCarrier, TunnelPlan};
use crate::port_id::PortId;
use crate::tcp_tunnel::TcpTunnelEnd;

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
#[derive(Clone, Debug)]
enum Function {
    Source(Box<SourceFunction>),
    Destination(Box<DestinationFunction>),
    TunnelEnd(TunnelEnd),
    WireGuardEnd(Box<WireGuardEnd>),
    TcpTunnelEnd(Box<TcpTunnelEnd>),
}

impl Function {
    fn get(&self) -> &dyn NetworkFunction {
        match self {
            Self::Source(it) => it.as_ref(),
            Self::Destination(it) => it.as_ref(),
            Self::TunnelEnd(it) => it,
            Self::WireGuardEnd(it) => it.as_ref(),
            Self::TcpTunnelEnd(it) => it.as_ref(),
        }
    }

    fn get_mut(&mut self) -> &mut dyn NetworkFunction {
        match self {
            Self::Source(it) => it.as_mut(),
            Self::Destination(it) => it.as_mut(),
            Self::TunnelEnd(it) => it,
            Self::WireGuardEnd(it) => it.as_mut(),
            Self::TcpTunnelEnd(it) => it.as_mut(),
        }
    }
}

/// A function in its node.
#[derive(Clone, Debug)]
struct Placed {
    function: Function,
    node: u32,
    /// The path of its own packets.
    route: Route,
    /// The port towards what it works with.
    port: PortId,
    /// If it is an end of a face: the port by which packets come to the layers here.
    face: Option<PortId>,
    alarm: Alarm,
}

impl Placed {
    /// A function at one of two nodes that work together, whose packets take that path.
    fn new(function: Function, [node, peer]: [usize; 2], own: PathKey, at: &Forwarding) -> Self {
        let towards = at.topology().path(node, peer).expect("it was found before");
        Self {
            function,
            node: node as u32,
            route: at.route(own).expect("it was found before"),
            port: towards[0],
            face: None,
            alarm: Alarm::NONE,
        }
    }
}

/// The two edges of a bridge.
fn edges(plan: &Plan, streams: &Streams, forwarding: &Forwarding, bridge: usize) -> [Placed; 2] {
    let it = &plan.bridges[bridge];
    let random = streams.stream(&format!("bridge {}", it.name));
    let source = SourceFunction::new(
        SourceEdge::new(it.source, random),
        it.source.keep == Keep::LowPriority,
    );
    let edge = DestinationEdge::new(it.destination);
    let destination = DestinationFunction::new(edge, bridge as u32);
    let own = acknowledgement_path(bridge, it);
    [
        Placed::new(Function::Source(Box::new(source)), [it.from, it.to], own, forwarding),
        Placed::new(
            Function::Destination(Box::new(destination)),
            [it.to, it.from],
            own,
            forwarding,
        ),
    ]
}

/// The end of a tunnel on one side.
fn tunnel_end(plan: &Plan, forwarding: &Forwarding, tunnel: usize, side: usize) -> Placed {
    let TunnelPlan { ends, carrier, .. } = &plan.tunnels[tunnel];
    let nodes = [side, 1 - side].map(|it| ends[it] as u32);
    let function = match carrier {
        TunnelCarrier::Ip(version) => Function::TunnelEnd(TunnelEnd::new(nodes, *version)),
        TunnelCarrier::WireGuard(it) => {
            Function::WireGuardEnd(Box::new(WireGuardEnd::new(nodes, *it)))
        }
        TunnelCarrier::Tcp(it) => {
            Function::TcpTunnelEnd(Box::new(TcpTunnelEnd::new(tunnel, side, it)))
        }
    };
    let own = tunnel_path(plan, tunnel, side);
    let placed = Placed::new(function, [ends[side], ends[1 - side]], own, forwarding);
    match plan.tunnels[tunnel].face() {
        Some(link) => {
            let port = PortId::new(link, side);
            Placed { port, face: Some(port.reversed()), ..placed }
        }
        None => placed,
    }
}

/// All functions.
#[derive(Clone, Debug)]
pub(crate) struct Functions {
    functions: Vec<Placed>,
    actions: FunctionActions,
}

impl Functions {
    /// Those of a plan.
    pub(crate) fn new(plan: &Plan, streams: &Streams, forwarding: &Forwarding) -> Self {
        let mut functions = Vec::with_capacity(2 * (plan.bridges.len() + plan.tunnels.len()));
        for bridge in 0..plan.bridges.len() {
            functions.extend(edges(plan, streams, forwarding, bridge));
        }
        for tunnel in 0..plan.tunnels.len() {
            functions.extend([0, 1].map(|it| tunnel_end(plan, forwarding, tunnel, it)));
        }
        Self { functions, actions: FunctionActions::default() }
    }

    /// Schedules the first wake-ups of the ends of tunnels that open a connection, where they
    /// are in this part.
    pub(crate) fn start(&mut self, network: &mut Network, is_here: impl Fn(usize) -> bool) {
        for function in 0..self.functions.len() as u32 {
            let it = &self.functions[function as usize];
            if matches!(it.function, Function::TcpTunnelEnd(_)) && is_here(it.node as usize) {
                self.act(network, Time::ZERO, function);
            }
        }
    }

    /// The node of a function.
    pub(crate) fn node(&self, function: u32) -> usize {
        self.functions[function as usize].node as usize
    }

    /// What the connection of a tunnel's end counted, if it is one.
    pub(crate) fn tunnel_connection(&self, function: u32) -> Option<EndpointCounters> {
        match &self.functions[function as usize].function {
            Function::TcpTunnelEnd(it) => Some(*it.connection()),
            _ => None,
        }
    }

    /// What the end of a tunnel counted, by its number.
    pub(crate) fn tunnel_end(&self, function: u32) -> TunnelCounters {
        match &self.functions[function as usize].function {
            Function::TunnelEnd(it) => *it.counters(),
            Function::WireGuardEnd(it) => *it.counters(),
            Function::TcpTunnelEnd(it) => it.counters(),
            Function::Source(_) | Function::Destination(_) => {
                unreachable!("this is the number of a tunnel's end")
            }
        }
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
        let packets = &mut network.packets;
        it.function.get_mut().receive(now, tap, packet, packets, &mut self.actions);
        self.act(network, now, function);
    }

    /// A function's time may have come.
    pub(crate) fn wake(&mut self, network: &mut Network, now: Time, function: u32) {
        let it = &mut self.functions[function as usize];
        if it.alarm.rings(now) {
            let link = network.link_state(now, it.port);
            it.function.get_mut().wake(now, link, &mut self.actions);
            self.act(network, now, function);
        }
    }

    /// Lets packets go on at the end of a tunnel that has received this many bytes of its
    /// connection. The other end, which has them, is the function beside it.
    fn deliver(&mut self, network: &mut Network, now: Time, function: u32, bytes: u64) {
        let Placed { node, face, .. } = self.functions[function as usize];
        while let Some(packet) = self.tcp_end(function ^ 1).next_received(bytes) {
            self.tcp_end(function).count_left();
            match face {
                Some(port) => network.arrived.push(Arrived::ByFace(port, packet)),
                None => network.send(now, node, packet.route, packet),
            }
        }
    }

    fn tcp_end(&mut self, function: u32) -> &mut TcpTunnelEnd {
        match &mut self.functions[function as usize].function {
            Function::TcpTunnelEnd(it) => it,
            _ => unreachable!("both ends of a tunnel are alike"),
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
        if let Function::TcpTunnelEnd(end) = &it.function {
            let received = end.connection().received_bytes;
            self.deliver(network, now, function, received);
        }
        let it = &mut self.functions[function as usize];
        let next = it.function.get().next_wake(network.link_state(now, it.port));
        if next < Time::NEVER && it.alarm.set(next.max(now)) {
            network.schedule(next, Event::new(Kind::Function, function));
        }
    }
}
