//! From a plan's flows to their hosts.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;
use windtunnel_applications::udp::UdpWorkload;
use windtunnel_applications::{Relay, Workload};
use windtunnel_engine::{Duration, Random, Streams, Time};
use windtunnel_packets::Route;
use windtunnel_transports::tcp::{Buffers, Reading, Socket, TcpOutbox, TcpSettings};

use super::running::Running;
use super::sockets::Sockets;
use super::stack_ends::Stacks;
use super::stack_host::StackHost;
use super::state::{Accepted, Class, HostSlot, Hosts, PlannedFlow};
use super::waiting::Waiting;
use crate::forwarding::Forwarding;
use crate::numbers::Numbers;
use crate::path::{self, PathKey};
use crate::plan::{FlowPlan, Plan, Sharing, StackData, StackSettings, Transport};
use crate::port_id::PortId;
use crate::side::Side;
use crate::transfers::Ideal;

impl Hosts {
    /// The hosts of all flows of a plan, on those paths.
    pub(crate) fn new(plan: &Plan, streams: &Streams, forwarding: &Forwarding) -> Self {
        let numbers = Numbers::of(&plan.flows);
        let mut hosts = Self {
            flows: Vec::with_capacity(plan.flows.len()),
            slots: Vec::with_capacity(2 * plan.flows.len()),
            classes: Vec::with_capacity(plan.flows.len()),
            sockets: Sockets::new(numbers.classes()),
            numbers,
            transfers: Vec::new(),
            waiting: BTreeMap::new(),
            delivered: VecDeque::new(),
            outbox: TcpOutbox::new(),
            stacks: Vec::new(),
            stack_hosts: Vec::new(),
            stack_bytes: Vec::new(),
        };
        let (mut number, mut shared) = (0, BTreeMap::new());
        for flow in &plan.flows {
            let paths = paths_of(flow, forwarding.sharing(), &mut number);
            hosts.add(plan, flow, &paths, forwarding, streams, &mut shared);
        }
        hosts
    }

    fn add(
        &mut self,
        plan: &Plan,
        flow: &FlowPlan,
        paths: &[[PathKey; 2]],
        forwarding: &Forwarding,
        streams: &Streams,
        shared: &mut BTreeMap<usize, u32>,
    ) {
        let mut random = streams.stream(&format!("flow {}", flow.name));
        let start = flow.start + delay_of_start(flow, &mut random);
        let place = PlannedFlow {
            start,
            first: self.slots.len() as u32,
            hosts: flow.parts().count() as u32 + 1,
            subflows: flow.multipath.as_ref().map_or(0, |it| it.paths.len() as u32),
            class: None,
            stack: None,
            has_many: flow.has_many_connections(),
            has_transfers: false,
            is_file: false,
            ideal: None,
        };
        match &flow.transport {
            Transport::Tcp { settings, workload } => {
                let has_transfers = workload.behaviour().transfers;
                let ideal = || Box::new(ideal(plan, flow, paths, forwarding, settings));
                self.flows.push(PlannedFlow {
                    class: Some(self.classes.len() as u32),
                    has_transfers,
                    is_file: matches!(workload, Workload::File(_)),
                    ideal: has_transfers.then(ideal),
                    ..place
                });
                self.add_classes(plan, flow, settings, paths, forwarding);
                let waiting = Waiting::OnStreams(workload.clone(), random);
                let ends = self.unless_named(flow, start, waiting);
                self.add_applications(flow, ends);
            }
            Transport::Udp(settings) => {
                let random = streams.stream(&format!("source {}", flow.name));
                let has_transfers = matches!(settings.workload, UdpWorkload::Frames(_));
                self.flows.push(PlannedFlow { has_transfers, ..place });
                let route = forwarding.route(paths[0][0]).expect("it was found before");
                let waiting = Waiting::Datagrams(Box::new((settings.clone(), random, route)));
                let [source, sink] = self.unless_named(flow, start, waiting);
                self.slot(0, flow.from, source, flow.stop);
                self.slot(1, flow.to, sink, Time::NEVER);
            }
            Transport::Stack { settings, data } => {
                let workload = flow.transport.workload();
                self.flows.push(PlannedFlow {
                    stack: Some(self.stacks.len() as u32),
                    has_transfers: workload.is_some_and(|it| it.behaviour().transfers),
                    is_file: matches!(workload, Some(Workload::File(_))),
                    ..place
                });
                let route = |it| forwarding.route(it).expect("it was found before");
                let routes: Vec<[Route; 2]> = paths.iter().map(|it| it.map(route)).collect();
                let own = routes[0][0];
                let seed = streams.stream(&format!("stack {}", flow.name)).bits();
                let number = self.flows.len() as u32 - 1;
                let (settings, ends) = (Arc::clone(settings), [flow.from, flow.to]);
                let sides = [Side::Sender, Side::Receiver];
                let hosts = sides.map(|it| self.host(&settings, ends[it as usize], it, shared));
                let mut stacks = Stacks::new(settings, number, ends, hosts, routes, seed);
                stacks.counts_packets = matches!(data, StackData::Packets);
                self.stacks.push(stacks);
                let waiting = match data {
                    StackData::Streams(it) => Waiting::OnStreams(it.clone(), random),
                    StackData::Packets => Waiting::OnStreams(Workload::Messages, random),
                    StackData::Datagrams(it) => {
                        Waiting::Datagrams(Box::new((it.clone(), random, own)))
                    }
                };
                let ends = self.unless_named(flow, start, waiting);
                self.add_applications(flow, ends);
            }
        }
    }

    /// The host of an end of the next stacks: that which all at the node share, or one of its own.
    fn host(
        &mut self,
        settings: &StackSettings,
        node: usize,
        side: Side,
        shared: &mut BTreeMap<usize, u32>,
    ) -> u32 {
        let (end, next) = ((self.stacks.len() as u32, side), self.stack_hosts.len() as u32);
        let shares = settings.maker_of(side).shares_host();
        let host = if shares { *shared.entry(node).or_insert(next) } else { next };
        match self.stack_hosts.get_mut(host as usize) {
            Some(host) => host.add(end),
            None => self.stack_hosts.push(StackHost::of(end)),
        }
        host
    }

    /// The connections between each two neighbouring hosts. Those that end at a proxy
    /// have its buffer.
    fn add_classes(
        &mut self,
        plan: &Plan,
        flow: &FlowPlan,
        settings: &Arc<TcpSettings>,
        paths: &[[PathKey; 2]],
        forwarding: &Forwarding,
    ) {
        let first = self.slots.len() as u32;
        let to_proxy = flow.split.as_ref().map(|it| {
            Arc::new(TcpSettings {
                buffers: Buffers { receive: Some(it.buffer), ..settings.buffers },
                socket: Socket { reading: Reading::AsTaken, ..settings.socket },
                ..(**settings).clone()
            })
        });
        let multipath = flow.multipath.as_ref().map(|it| Arc::clone(&it.settings));
        for (part, (keys, (nodes, _))) in (0..).zip(paths.iter().zip(flow.connections())) {
            let is_last = part as usize + 1 == paths.len();
            // The subflows of a connection join the same two hosts.
            let part = if multipath.is_some() { 0 } else { part };
            let settings = to_proxy.as_ref().filter(|_| !is_last).unwrap_or(settings);
            self.classes.push(Class {
                settings: Arc::clone(settings),
                applications: [first + part, first + part + 1],
                nodes,
                small_queues: keys.map(|it| {
                    let ports = || forwarding.ports(it);
                    settings.small_queues.unwrap_or_else(|| is_of_the_host(plan, ports()))
                }),
                routes: keys.map(|it| forwarding.route(it).expect("it was found before")),
                is_shared: forwarding.sharing() == Sharing::Flows
                    && flow.has_many_connections()
                    && !flow.has_own_paths(),
                multipath: multipath.clone(),
                accepted: Accepted::default(),
            });
        }
    }

    fn add_applications(&mut self, flow: &FlowPlan, [sender, receiver]: [Running; 2]) {
        let proxies = flow.split.iter().flat_map(|it| &it.at);
        let proxies = proxies.map(|_| Running::Streams(Some(Box::<Relay>::default())));
        let all = std::iter::once(sender).chain(proxies).chain(std::iter::once(receiver));
        let nodes = std::iter::once(flow.from).chain(flow.parts().map(|it| it[1]));
        for (position, (running, node)) in (0..).zip(all.zip(nodes)) {
            self.slot(position, node, running, flow.stop);
        }
    }

    /// What runs at both ends of the flow that was added last from its start on: nothing, if it
    /// waits for the address of its name.
    fn unless_named(&mut self, flow: &FlowPlan, start: Time, waiting: Waiting) -> [Running; 2] {
        let index = self.flows.len() as u32 - 1;
        if flow.lookup.is_none() {
            return waiting.begin(index, start);
        }
        let idle = waiting.idle(index);
        self.waiting.insert(index, waiting);
        idle
    }

    fn slot(&mut self, position: u32, node: usize, running: Running, stop: Time) {
        self.slots.push(HostSlot {
            flow: self.flows.len() as u32 - 1,
            node: node as u32,
            position,
            running,
            wake: Time::NEVER,
            stop,
            open: SmallVec::new(),
            opened: 0,
            closed: None,
            begun: 0,
            transfers: 0,
            finished: None,
        });
    }
}

fn delay_of_start(flow: &FlowPlan, random: &mut Random) -> Duration {
    match flow.start_within {
        Duration::ZERO => Duration::ZERO,
        within => within.scaled(random.unit()),
    }
}

/// The paths of a flow's connections: of its data and back, between each two hosts.
fn paths_of(flow: &FlowPlan, sharing: Sharing, number: &mut u32) -> Vec<[PathKey; 2]> {
    let paths = flow.connections().map(|(part, _)| {
        let variant = path::variant(sharing, flow, *number);
        *number += 1;
        path::keys(part, variant)
    });
    paths.collect()
}

/// The least times of a flow's transfers.
fn ideal(
    plan: &Plan,
    flow: &FlowPlan,
    paths: &[[PathKey; 2]],
    forwarding: &Forwarding,
    settings: &TcpSettings,
) -> Ideal {
    // Of a flow that proxies split, the parts are one path.
    let each = if flow.multipath.is_some() { 1 } else { paths.len() };
    let sides = [Side::Sender, Side::Receiver];
    let each = paths.chunks(each).map(|it| sides.map(|from| ports(forwarding, it, from)));
    Ideal::new(plan, each, settings)
}

/// The ports from one end of a flow's connections to the other.
fn ports(forwarding: &Forwarding, paths: &[[PathKey; 2]], from: Side) -> Vec<PortId> {
    paths.iter().flat_map(|it| forwarding.ports(it[from as usize])).copied().collect()
}

/// Whether the first link of a path is that of a host's own interface. One that is the
/// narrowest of all stands for the network, and so does one that has only its own medium or
/// schedule, or leads up to a satellite: there, the queue is that of a router or a modem.
fn is_of_the_host(plan: &Plan, ports: &[PortId]) -> bool {
    let direction = |it: &PortId| &plan.links[it.link()].directions[it.direction()];
    let Some((first, others)) = ports.split_first() else { return false };
    let it = direction(first);
    let link = &plan.links[first.link()];
    let is_station = |node: &usize| plan.sky.iter().any(|it| it.is_station(*node));
    let is_of_a_modem = link.channel.is_some()
        || it.opportunities.is_some()
        || it.physical_layer.is_some()
        || link.nodes.iter().any(is_station) && plan.sky.iter().any(|it| it.moves(first.link()));
    let narrowest = others.iter().map(|it| direction(it).rate).min();
    !is_of_a_modem && narrowest.is_some_and(|narrowest| it.rate >= narrowest)
}
