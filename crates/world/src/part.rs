//! A part of a world: some of its nodes with their ports, and the events there, one after
//! another. A world that runs on one thread is one part.
//!
//! Every part has all components of the plan, so that a component has the same number in
//! each; only those on its own nodes are started. A port whose link leads to another part
//! keeps its packets until the parts meet; there they are given to the same port of the
//! other part, from where they arrive.

mod continuing;

use std::sync::Arc;

use windtunnel_engine::{Streams, Time};
use windtunnel_packets::Body;

use crate::agenda::Agenda;
use crate::channels::Channels;
use crate::event::{Event, Kind};
use crate::forwarding::Forwarding;
use crate::functions::Functions;
use crate::hosts::Hosts;
use crate::names::Names;
use crate::network::{Arrived, At, Network};
use crate::nodes::Nodes;
use crate::partition::Partition;
use crate::path::Hop;
use crate::plan::{ChangePlan, LinkPlan, Plan, SkyPlan};
use crate::port_id::PortId;
use crate::routing::Unreachable;
use crate::sessions::Sessions;
use crate::sky::Sky;

/// A part of a world.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// By node, whether it is in the part.
    here: Box<[bool]>,
    changes: Vec<ChangePlan>,
    /// The plan, if paths follow its changes.
    rerouting: Option<Arc<Plan>>,
    /// Where nodes are, if they move.
    sky: Option<Sky>,
    pub(crate) network: Network,
    pub(crate) channels: Channels,
    pub(crate) nodes: Nodes,
    pub(crate) functions: Functions,
    pub(crate) hosts: Hosts,
    pub(crate) sessions: Option<Sessions>,
    pub(crate) names: Option<Names>,
    /// Events that happened in every part.
    repeated: u64,
}

impl Part {
    /// One part of a partition of a plan's world, whose paths are these; `rerouting` is the
    /// plan if they follow its changes.
    ///
    /// # Errors
    /// [`Unreachable`] if a consumer has no path to a producer of its prefix.
    pub(crate) fn new(
        plan: &Plan,
        forwarding: Forwarding,
        partition: &Partition,
        part: usize,
        rerouting: Option<Arc<Plan>>,
    ) -> Result<Self, Unreachable> {
        let islands = partition.islands(part);
        let streams = Streams::new(plan.seed, plan.run);
        let is_here = |node: usize| partition.part(node) == part;
        let channels = Channels::new(plan, &streams);
        let mut nodes = Nodes::new(plan, &streams, forwarding.topology())?;
        let mut functions = Functions::new(plan, &streams, &forwarding);
        let mut hosts = Hosts::new(plan, &streams, &forwarding);
        let names = Names::new(plan, &forwarding);
        let mut network = Network::new(plan, &streams, forwarding, partition, part);
        let mut changes = plan.changes.clone();
        changes.extend(plan.sky.iter().flat_map(SkyPlan::changes));
        for (place, change) in changes.iter().enumerate() {
            network.schedule(change.time, Event::new(Kind::Change, place as u32));
        }
        channels.start(&mut network, |link| is_here(plan.links[link].nodes[0]));
        nodes.start(&mut network, is_here);
        functions.start(&mut network, is_here);
        hosts.start(&mut network, is_here);
        let sessions = Sessions::new(plan, &streams);
        sessions.iter().for_each(|it| it.start(&mut network, is_here));
        names.iter().for_each(|it| it.start(&mut network, &hosts, is_here));
        let near = |port: PortId| plan.links[port.link()].nodes[port.direction()];
        let sky = Sky::new(plan, |port| {
            is_here(near(port)) || partition.cut.binary_search(&port).is_ok()
        });
        if sky.is_some() {
            Sky::start(&mut network);
        }
        let mut part = Self {
            here: (0..plan.nodes.len()).map(is_here).collect(),
            changes,
            rerouting,
            sky,
            network,
            channels,
            nodes,
            functions,
            hosts,
            sessions,
            names,
            repeated: 0,
        };
        part.share_out(plan, partition, islands);
        Ok(part)
    }

    /// Gives each island the events with which it begins.
    fn share_out(&mut self, plan: &Plan, partition: &Partition, islands: usize) {
        if islands > 1 {
            let mut events = std::mem::replace(&mut self.network.events, Agenda::looking_ahead(1));
            events.share_out(islands, |it| {
                let node = self.node_of(plan, it);
                // A link elsewhere changes for the paths alone.
                if self.here[node] { partition.island(node) } else { 0 }
            });
            self.network.events = events;
            self.network.arrive_on_islands(partition);
        }
    }

    /// The node where one of the first events happens.
    fn node_of(&self, plan: &Plan, event: Event) -> usize {
        let (of, topology) = (event.of(), self.network.forwarding.topology());
        match event.kind() {
            Kind::Change => topology.near(self.changes[of as usize].port),
            Kind::Arrival => topology.far(PortId(of)),
            Kind::Service => topology.near(PortId(of)),
            Kind::Medium => {
                let is_shared = |it: &&LinkPlan| it.medium == Some(of as usize);
                plan.links.iter().find(is_shared).map_or(0, |it| it.nodes[0])
            }
            Kind::Channel => plan.links[self.channels.link(of)].nodes[0],
            Kind::Layer => of as usize,
            Kind::Function => self.functions.node(of),
            Kind::Application => self.hosts.node(of),
            Kind::Stack => self.hosts.node_of_host(of),
            Kind::Session => self.sessions.as_ref().map_or(0, |it| it.node_of(of)),
            Kind::Name => self.names.iter().flat_map(Names::nodes).nth(of as usize).unwrap_or(0),
            kind => unreachable!("no island begins with {kind:?}"),
        }
    }

    /// Lets the next event happen, if it is due no later than `end`; returns its time.
    #[inline]
    pub(crate) fn step(&mut self, end: Time) -> Option<Time> {
        let (now, event) = self.network.events.next_until(end)?;
        if self.network.looks_ahead() {
            self.prefetch();
        }
        self.occur(now, event);
        Some(now)
    }

    /// Lets an event happen, and what comes of it at once.
    #[inline(always)]
    fn occur(&mut self, now: Time, event: Event) {
        self.happen(now, event);
        if !self.network.arrived.is_empty() {
            self.hand_over(now);
        }
        if let Some(sessions) = &mut self.sessions {
            sessions.deliver(&mut self.network, &mut self.hosts, now);
        }
    }

    /// Lets links change that do so at an instant, nodes that move be where they are then, and all
    /// nodes learn of it that do, before anything else happens on any island. Returns how many
    /// events there were.
    pub(crate) fn change_links(&mut self, now: Time) -> u64 {
        let is_change = |event: Event| matches!(event.kind(), Kind::Change | Kind::Sky);
        let is_route = |time: Time, event: Event| time == now && event.kind() == Kind::Route;
        let mut count = 0;
        let next =
            |events: &mut Agenda| events.next_of_any(|time, event| time == now && is_change(event));
        while let Some((_, event)) = next(&mut self.network.events) {
            self.occur(now, event);
            count += 1;
        }
        while let Some((_, event)) = self.network.events.next_if(is_route) {
            self.occur(now, event);
            count += 1;
        }
        count
    }

    /// How much real time it took so far to follow nodes that move, and to find paths.
    pub(crate) fn routing_time(&self) -> std::time::Duration {
        self.sky.as_ref().map_or(std::time::Duration::ZERO, |it| it.took)
    }

    /// How many events happened so far that happen in every part.
    pub(crate) fn repeated(&self) -> u64 {
        self.repeated
    }

    #[inline(always)]
    fn happen(&mut self, now: Time, event: Event) {
        let network = &mut self.network;
        let of = event.of();
        match event.kind() {
            Kind::Arrival => self.arrive(now, PortId(of)),
            Kind::Service => network.serve(now, PortId(of)),
            Kind::Medium => network.serve_medium(now, of),
            Kind::Change => self.change(now, of as usize),
            Kind::Sky => self.follow_the_sky(now),
            Kind::Route => self.reroute(now, of as usize),
            Kind::Channel => {
                self.channels.follow(network, now, of);
                self.hosts.follow_rates(network, now);
            }
            Kind::Report => {
                for (flow, sinr, bandwidth) in self.channels.report(of) {
                    self.hosts.on_radio_report(flow, now, sinr, bandwidth);
                }
            }
            Kind::Layer => self.nodes.wake(network, now, of, event.which_timer()),
            Kind::Function => self.functions.wake(network, now, of),
            Kind::Socket => self.hosts.wake_socket(network, now, of),
            Kind::Application => self.hosts.wake_application(network, now, of),
            Kind::Session => {
                let sessions = self.sessions.iter_mut();
                sessions.for_each(|it| it.wake(network, &mut self.hosts, now, of));
            }
            Kind::Name => self.names.iter_mut().for_each(|it| it.wake(network, now, of)),
            Kind::Stack => self.hosts.wake_stack(network, now, of),
        }
    }

    #[inline(always)]
    fn arrive(&mut self, now: Time, port: PortId) {
        let Some(packet) = self.network.arrive(now, port) else { return };
        let network = &mut self.network;
        match network.forwarding.peek(network.packets[packet].route) {
            None => {
                let packet = network.packets.take(packet);
                self.nodes.receive(network, now, port, &packet);
            }
            Some(Hop::Here(side)) => {
                let packet = network.packets.take(packet);
                self.hosts.receive(network, now, side, &packet);
            }
            Some(_) if matches!(network.packets[packet].body, Body::Real(_)) => {
                network.forward_real(now, port, packet);
            }
            Some(_) => network.forward(now, At::FarEnd(port), packet),
        }
    }

    /// Gives hosts, functions and layers the packets that are for them, and those that come
    /// of it.
    pub(crate) fn hand_over(&mut self, now: Time) {
        let mut place = 0;
        while let Some(arrived) = self.network.arrived.get(place).copied() {
            place += 1;
            match arrived {
                Arrived::Host(side, packet) => {
                    self.hosts.receive(&mut self.network, now, side, &packet);
                }
                Arrived::Function(function, tap, packet) => {
                    self.functions.receive(&mut self.network, now, function, tap, packet);
                }
                Arrived::ByFace(port, packet) => {
                    self.nodes.receive(&mut self.network, now, port, &packet);
                }
                Arrived::Carried(node, to, packet) => {
                    self.nodes.carry(&mut self.network, now, node, to, packet);
                }
                Arrived::Dns(packet) => {
                    let (network, hosts) = (&mut self.network, &mut self.hosts);
                    self.names.iter_mut().for_each(|it| it.receive(network, hosts, now, &packet));
                }
                Arrived::Notice(side, packet, notice) => {
                    self.hosts.on_notice(&mut self.network, now, side, &packet, notice);
                }
            }
        }
        self.network.arrived.clear();
    }

    /// A link changes; the nodes learn of it later.
    #[cold]
    fn change(&mut self, now: Time, place: usize) {
        self.repeated += 1;
        let ChangePlan { port, change, .. } = self.changes[place].clone();
        self.network.change(now, port, change.clone());
        self.hosts.follow_rates(&mut self.network, now);
        let near = self.network.forwarding.topology().near(port);
        if let Some(is_up) = change.is_up().filter(|_| self.here[near]) {
            self.nodes.link_changed(&mut self.network, now, port, is_up);
        }
        if let Some(sky) = &mut self.sky {
            sky.changed.extend(change.is_of_topology().then(|| self.changes[place].clone()));
        } else if let Some(plan) = &self.rerouting
            && change.is_of_topology()
        {
            let time = now + plan.routing.convergence.unwrap_or_default();
            // All that nodes learn at one instant they learn together.
            self.network.events.schedule_on(0, time, Event::new(Kind::Route, place as u32));
        }
    }

    /// Nodes that move are elsewhere, and all nodes forward by the shortest paths of now.
    #[cold]
    fn follow_the_sky(&mut self, now: Time) {
        self.repeated += 1;
        let (Some(sky), Some(plan)) = (&mut self.sky, &self.rerouting) else { return };
        sky.follow(&mut self.network, now);
        self.nodes.route_if_changed(plan, self.network.forwarding.topology());
    }

    /// All nodes learn of a change, and of the others that they learn of at this instant,
    /// and forward by the shortest paths from now on.
    #[cold]
    fn reroute(&mut self, now: Time, place: usize) {
        self.repeated += 1;
        let Some(plan) = &self.rerouting else { return };
        let Network { events, forwarding, .. } = &mut self.network;
        let is_route = |time: Time, event: Event| time == now && event.kind() == Kind::Route;
        let others = std::iter::from_fn(|| events.next_if(is_route));
        let places = std::iter::once(place).chain(others.map(|(_, it)| it.of() as usize));
        let changes = &self.changes;
        forwarding.update(|topology| places.for_each(|it| topology.apply(&changes[it])));
        self.nodes.route(plan, self.network.forwarding.topology());
    }

    /// Fetches what the next events will touch: with thousands of links, the time goes into
    /// waiting for memory. What lies behind something else is fetched when an event is
    /// nearer, and that is there.
    #[inline]
    fn prefetch(&self) {
        const STAGES: [usize; 4] = [7, 5, 3, 1];
        for (stage, place) in STAGES.into_iter().enumerate() {
            let Some(event) = self.network.events.upcoming(place) else { continue };
            if event.kind() == Kind::Arrival {
                self.prefetch_arrival(stage, PortId(event.of()));
            }
        }
    }

    /// Fetches a part of what an arrival through a port will touch.
    #[inline]
    fn prefetch_arrival(&self, stage: usize, port: PortId) {
        match stage {
            0 => {
                self.network.prefetch_port(port);
                self.nodes.prefetch_far_end(port);
            }
            1 => {
                self.network.prefetch_packet(port);
                self.nodes.prefetch_node(port);
            }
            _ => self.prefetch_for(stage == 2, port),
        }
    }

    /// Fetches what the packet will meet that arrives next through a port; first where it
    /// looks first, then what lies behind that.
    #[inline]
    fn prefetch_for(&self, first: bool, port: PortId) {
        let Some((packet, hop)) = self.network.next_through(port) else { return };
        match (&packet.body, hop) {
            (Body::Segment(segment), Some(Hop::Here(side))) => {
                self.hosts.prefetch(&self.network, segment.connection, side, first);
            }
            (_, Some(Hop::Port(next))) if first => self.network.prefetch_port(next),
            (_, Some(Hop::Port(next))) => self.network.prefetch_end_of(next),
            (Body::Interest(interest), _) => {
                self.nodes.prefetch_name(&self.network, port, interest.name, first);
            }
            (Body::Data(data), _) => {
                self.nodes.prefetch_name(&self.network, port, data.name, first);
            }
            _ => {}
        }
    }
}
