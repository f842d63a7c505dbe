//! A world: its parts at work together, and what is read from it.

mod controllers;
mod fork;

use std::any::Any;
use std::sync::{Arc, Mutex};

use windtunnel_applications::PageLoad;
use windtunnel_applications::video::Player;
use windtunnel_engine::{Control, Duration, Limits, Rate, Stop, Time};
use windtunnel_networks::layer::NetworkLayer;
use windtunnel_networks::ndn::forwarder::ForwarderCounters;
use windtunnel_networks::ndn::link_service::LinkServiceCounters;
use windtunnel_networks::tunnel::TunnelCounters;
use windtunnel_packets::ProtocolNumber;
use windtunnel_stack::HostCommand;
use windtunnel_transports::ndn::consumer::Consumer;
use windtunnel_transports::tcp::{EndpointCounters, LimitTimes};

use crate::capture::{Watcher, Watches};
use crate::forwarding::Forwarding;
use crate::functions::BridgeCounters;
use crate::hosts::{Flow, Subflow};
use crate::names::{NameLookup, Names};
use crate::packet_log::{self, PacketLog};
use crate::parallel;
use crate::part::Part;
use crate::partition::Partition;
use crate::parts::Parts;
use crate::placements::end_of;
use crate::plan::Plan;
use crate::port::{Counters as PortCounters, Port};
use crate::recorder::Recorder;
use crate::routing::Unreachable;
use crate::series::SeriesSink;
use crate::sessions::SessionTotals;
use crate::side::Side;
use crate::transfers::Transfer;

pub use fork::differ_from;

/// A world: built from a [`Plan`], run once, at once or in steps, and read.
#[derive(Debug)]
pub struct World {
    end: Time,
    parts: Parts,
    recorder: Option<Recorder>,
    /// Those of a run in steps.
    events: u64,
    /// The nodes of each bridge's edges.
    bridges: Vec<[usize; 2]>,
    /// The nodes of each tunnel's ends, with the ends' numbers.
    tunnels: Vec<[(usize, u32); 2]>,
    flows: usize,
    nodes: usize,
}

impl World {
    /// Builds the world of a plan, to run on one thread.
    ///
    /// # Errors
    /// [`Unreachable`] if a consumer has no path to a producer of its prefix, or
    /// a flow or a bridge none between its nodes; not if a plan has satellites, over which a
    /// path may appear later.
    pub fn new(plan: &Plan) -> Result<Self, Unreachable> {
        let forwarding = Forwarding::new(plan)?;
        Self::with(plan, forwarding, Partition::whole(plan))
    }

    /// Builds the world of a plan, to run on this many threads at the most; what comes of it
    /// is the same. A world with nodes that are all joined by links without delay runs on
    /// one.
    ///
    /// # Errors
    /// As [`World::new`].
    pub fn on_threads(plan: &Plan, threads: usize) -> Result<Self, Unreachable> {
        let forwarding = Forwarding::new(plan)?;
        let partition = match threads {
            0 | 1 => Partition::islands_of(plan),
            _ => Partition::of(plan, &forwarding, threads),
        };
        Self::with(plan, forwarding, partition)
    }

    fn with(
        plan: &Plan,
        forwarding: Forwarding,
        partition: Partition,
    ) -> Result<Self, Unreachable> {
        Ok(Self {
            end: plan.end(),
            parts: Parts::new(plan, forwarding, partition)?,
            recorder: None,
            events: 0,
            bridges: plan.bridges.iter().map(|it| [it.from, it.to]).collect(),
            tunnels: tunnels(plan),
            flows: plan.flows.len(),
            nodes: plan.nodes.len(),
        })
    }

    /// Has series recorded as the plan says, from the world's beginning on: the sink is
    /// given chunks of `chunk` rows. Of a run that is cancelled it gets no others.
    pub fn record(&mut self, plan: &Plan, chunk: usize, sink: SeriesSink) {
        self.keep_series(plan);
        self.give_series(chunk, sink);
    }

    /// Has series recorded as the plan says, from the world's beginning on; the rows wait for
    /// [`World::give_series`].
    pub fn keep_series(&mut self, plan: &Plan) {
        self.recorder = Some(Recorder::new(plan));
    }

    /// Gives a sink the rows that were recorded and wait, and those that follow, in chunks of
    /// `chunk` rows. Of a run that is cancelled it gets no others.
    pub fn give_series(&mut self, chunk: usize, sink: SeriesSink) {
        if let Some(recorder) = &mut self.recorder {
            recorder.give(chunk, sink);
        }
    }

    /// Has an observer given each row of the series that are recorded: at once those that wait
    /// for [`World::give_series`], and others when they are sampled.
    pub fn observe(&mut self, observer: SeriesSink) {
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(observer);
        }
    }

    /// Has every hop of a packet happen as an event of its own from now on, which is the beginning or
    /// where time was let pass to. What comes of it is the same.
    pub fn contract_nothing(&mut self) {
        self.parts.all.iter_mut().for_each(|it| it.network.contract_nothing());
    }

    /// Lets time pass until the end of the plan, the cancellation, or the limit
    /// of real time; returns why it stopped, and how many events there were from the world's
    /// beginning on, hops that were none included.
    pub fn run(&mut self, control: &Control, real: Option<std::time::Duration>) -> (Stop, u64) {
        let limits = Limits { simulated: self.end, real };
        let (stop, mut events) = self.drive(control, &limits);
        if stop == Stop::OutOfRealTime {
            events += self.catch_up(&limits);
        }
        let events = self.events + events - self.withdrawn_arrivals();
        let until = if stop == Stop::Finished { self.end } else { self.now() };
        self.sample_until(until);
        if stop != Stop::Cancelled {
            self.flush();
        }
        self.parts.all.iter_mut().for_each(|it| it.network.end_watches(until));
        (stop, events)
    }

    /// How many events there were from the beginning on in which nothing arrived, because a link had
    /// changed: where
    /// the link leads to another part, there are none.
    fn withdrawn_arrivals(&self) -> u64 {
        self.parts.all.iter().map(|it| it.network.withdrawn).sum()
    }

    /// Lets everything happen up to the latest arrival that was no event, of a run that was
    /// stopped: then all ports have counted up to the same time. Returns how many events there
    /// were.
    fn catch_up(&mut self, limits: &Limits) -> u64 {
        if self.contracted_hops() == 0 {
            return 0;
        }
        let simulated = self.now();
        self.drive(&Control::default(), &Limits { simulated, ..*limits }).1
    }

    fn drive(&mut self, control: &Control, limits: &Limits) -> (Stop, u64) {
        let before = self.contracted_hops();
        let partition = &self.parts.partition;
        let is_one = partition.parts() == 1 && self.parts.all[0].network.events.islands() == 1;
        let (stop, events) =
            if is_one { self.run_whole(control, limits) } else { self.run_parts(control, limits) };
        (stop, events + self.contracted_hops() - before)
    }

    /// How many hops were no events so far.
    fn contracted_hops(&self) -> u64 {
        self.parts.all.iter().map(|it| it.network.contraction.hops).sum()
    }

    /// Nothing is read from the world until `time`, or the end of a run if that is earlier.
    fn move_horizon(&mut self, time: Time, limits: &Limits) {
        let horizon = time.min(limits.simulated);
        self.parts.all.iter_mut().for_each(|it| it.network.move_horizon(horizon));
    }

    fn run_whole(&mut self, control: &Control, limits: &Limits) -> (Stop, u64) {
        let mut until = self.next_sample();
        self.move_horizon(until, limits);
        control.drive(limits, |end| {
            loop {
                if let Some(time) = self.parts.all[0].step(until.min(end)) {
                    return Some(time);
                }
                if until >= end {
                    return None;
                }
                self.sample_until(until);
                until = self.next_sample();
                self.move_horizon(until, limits);
            }
        })
    }

    fn run_parts(&mut self, control: &Control, limits: &Limits) -> (Stop, u64) {
        let partition = self.parts.partition.clone();
        let mut run = parallel::Run::new(control, limits, &partition);
        loop {
            let until = self.next_sample().min(limits.simulated);
            self.move_horizon(until, limits);
            let stop = run.advance(&mut self.parts.all, until);
            if stop.is_some() || until == limits.simulated {
                return (run.finish(stop), run.events());
            }
            self.sample_until(until);
        }
    }

    /// Lets time pass until `time`, or the end of the plan if that is earlier: a run in
    /// steps, which is the same as one at once.
    pub fn advance(&mut self, time: Time) {
        let _ = self.advance_unless_cancelled(time, &Control::default());
    }

    /// The same, unless it is cancelled before; returns why it stopped.
    pub fn advance_unless_cancelled(&mut self, time: Time, control: &Control) -> Stop {
        let simulated = time.min(self.end);
        let (stop, events) = self.drive(control, &Limits { simulated, real: None });
        self.events += events;
        let until = if stop == Stop::Finished { simulated } else { self.now() };
        self.sample_until(until);
        if until == self.end {
            self.flush();
        }
        stop
    }

    /// Ends a run in steps at `time`: what is recorded, watched and logged is that until then.
    pub fn finish(&mut self, time: Time) {
        self.advance(time);
        self.flush();
        self.parts.all.iter_mut().for_each(|it| it.network.end_watches(time));
    }

    /// Gives the rows that fill no chunk to the sinks.
    fn flush(&mut self) {
        self.recorder.iter_mut().for_each(Recorder::flush);
        let logs = self.parts.all.iter().filter_map(|it| it.network.log.as_ref());
        logs.for_each(|it| packet_log::lock(it).flush());
    }

    /// When something is sampled next.
    fn next_sample(&self) -> Time {
        self.recorder.as_ref().map_or(Time::NEVER, Recorder::next)
    }

    /// Samples what is due up to `time`.
    fn sample_until(&mut self, time: Time) {
        if let Some(recorder) = &mut self.recorder {
            recorder.sample_until(&mut self.parts, time);
        }
    }

    /// Has nodes watched, each by its watcher, from the world's beginning on. Only for a
    /// world on one thread.
    pub fn watch(&mut self, plan: &Plan, watchers: Vec<(usize, Watcher)>) {
        assert_eq!(self.parts.all.len(), 1, "captures are in the order of time");
        self.parts.all[0].network.expand();
        self.parts.all[0].network.watches = Some(Box::new(Watches::new(plan, watchers)));
    }

    /// Has all that happens to the packets of these flows logged, from the world's beginning
    /// on: by their places, first the consumers, then the flows over IP. The sink is given
    /// chunks of `chunk` rows. Only for a world on one thread.
    pub fn log_packets(&mut self, plan: &Plan, flows: &[usize], chunk: usize, sink: SeriesSink) {
        assert_eq!(self.parts.all.len(), 1, "a log is in the order of time");
        let part = &mut self.parts.all[0];
        part.network.expand();
        let log = PacketLog::new(plan, flows, chunk, sink);
        let log = Arc::new(Mutex::new(log));
        let consumers = flows.iter().filter(|it| **it < plan.consumers.len());
        consumers.for_each(|it| part.nodes.log_consumer(*it, &log));
        part.network.packets.keep_dropped();
        part.network.log = Some(log);
    }

    /// The part of a world on one thread.
    pub(crate) fn only_part(&mut self) -> &mut Part {
        assert_eq!(self.parts.all.len(), 1, "real packets are in the order of time");
        &mut self.parts.all[0]
    }

    /// How many events a run in steps has had.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// When something happens or is sampled next, if anything does before the end.
    #[must_use]
    pub fn next_event(&self) -> Option<Time> {
        let events = self.parts.all.iter().filter_map(|it| it.network.next_time());
        let next = events.min().unwrap_or(Time::NEVER).min(self.next_sample());
        Some(next).filter(|it| *it <= self.end)
    }

    /// The time reached.
    #[must_use]
    pub fn now(&self) -> Time {
        self.parts.now()
    }

    /// Each consumer, in the plan's order.
    pub fn consumers(&self) -> impl Iterator<Item = &Consumer> {
        self.parts.consumers()
    }

    /// Each flow over IP, in the plan's order.
    pub fn flows(&self) -> impl Iterator<Item = Flow> {
        (0..self.flows).map(|flow| {
            let [sender, receiver] = self.parts.of_flow(flow).map(|it| &it.hosts);
            sender.flow(flow, receiver)
        })
    }

    /// What decrypts the packets of flows over QUIC, as lines of a key log (RFC 9850).
    #[must_use]
    pub fn secrets(&self) -> String {
        self.parts.all.iter().map(|it| it.hosts.secrets()).collect()
    }

    /// For how long each limit of the sender of each flow over IP was in force until `now`, over
    /// all its connections, in the plan's order; none over UDP and Multipath TCP.
    pub fn limits(&self, now: Time) -> impl Iterator<Item = Option<LimitTimes>> {
        (0..self.flows).map(move |flow| self.parts.of_flow(flow)[0].hosts.limits(flow, now))
    }

    /// What both ends counted of each subflow of a flow over IP; none but over Multipath TCP.
    #[must_use]
    pub fn subflows(&self, flow: usize) -> Vec<Subflow> {
        let [sender, receiver] = self.parts.of_flow(flow).map(|it| &it.hosts);
        let each = |subflow| {
            let ends = [
                sender.subflow(flow, subflow, Side::Sender),
                receiver.subflow(flow, subflow, Side::Receiver),
            ];
            Subflow { ends: ends.map(|it| it.counters) }
        };
        (0..sender.count_subflows(flow)).map(each).collect()
    }

    /// The player at the receiver of each flow over IP, in the plan's order; none where that is
    /// no player.
    pub fn players(&self) -> impl Iterator<Item = Option<&dyn Player>> {
        (0..self.flows).map(|flow| self.parts.of_flow(flow)[1].hosts.player(flow))
    }

    /// How the page has loaded that each flow over IP loads, in the plan's order; none where it
    /// loads none.
    pub fn pages(&self) -> impl Iterator<Item = Option<&PageLoad>> {
        (0..self.flows).map(|flow| self.parts.of_flow(flow)[1].hosts.page(flow))
    }

    /// When the last byte of a flow's file was received, by the flow's place.
    #[must_use]
    pub fn flow_finished(&self, flow: usize) -> Option<Time> {
        self.parts.of_flow(flow)[1].hosts.finished(flow)
    }

    /// The transfers that were finished, in that order; of those at one instant, in that
    /// of the flows.
    #[must_use]
    pub fn transfers(&self) -> Vec<Transfer> {
        let all = self.parts.all.iter().flat_map(|it| it.hosts.transfers()).copied();
        let mut transfers: Vec<Transfer> = all.collect();
        transfers.sort_by_key(|it| (it.start + it.completion, it.flow, it.number));
        transfers
    }

    /// The commands that hosts of nodes have run, with the nodes, in the order in which they began.
    #[must_use]
    pub fn commands(&self) -> Vec<(usize, HostCommand)> {
        let all = self.parts.all.iter().flat_map(|it| it.hosts.commands());
        let mut commands: Vec<_> = all.collect();
        commands.sort_by_key(|it| (it.1.at, it.0));
        commands
    }

    /// What each port counted, and how long it was sending until `now`: for each
    /// link its two directions, in the plan's order.
    pub fn ports(&self, now: Time) -> impl Iterator<Item = (&PortCounters, Duration)> {
        self.parts.ports().map(move |port| (port.counters(), port.busy(now)))
    }

    /// How fast the queue of each port lets packets leave at the most, if that shapes.
    pub fn shaped_rates(&self) -> impl Iterator<Item = Option<Rate>> {
        self.parts.ports().map(Port::shaped_rate)
    }

    /// What each bridge counted, in the plan's order.
    pub fn bridges(&self) -> impl Iterator<Item = BridgeCounters> {
        self.bridges.iter().enumerate().map(|(bridge, [from, to])| {
            self.parts.of_node(*from).functions.bridge(bridge, &self.parts.of_node(*to).functions)
        })
    }

    /// What both ends of the connection of each tunnel counted, where it is one, in the plan's
    /// order.
    pub fn tunnel_connections(&self) -> impl Iterator<Item = [Option<EndpointCounters>; 2]> {
        let count =
            |(node, end): (usize, u32)| self.parts.of_node(node).functions.tunnel_connection(end);
        self.tunnels.iter().map(move |ends| ends.map(count))
    }

    /// What both ends of each tunnel counted, in the plan's order.
    pub fn tunnels(&self) -> impl Iterator<Item = [TunnelCounters; 2]> {
        let count = |(node, end): (usize, u32)| self.parts.of_node(node).functions.tunnel_end(end);
        self.tunnels.iter().map(move |ends| ends.map(count))
    }

    /// What the sessions of each kind have counted, in the plan's order.
    pub fn sessions(&self) -> impl Iterator<Item = SessionTotals> {
        let sessions = self.parts.all[0].sessions.iter();
        sessions.flat_map(|it| 0..it.groups()).filter_map(|group| {
            let node = self.parts.all[0].sessions.as_ref()?.node(group);
            Some(self.parts.of_node(node).sessions.as_ref()?.totals(group))
        })
    }

    /// What each node counted, in the plan's order.
    pub fn nodes(&self) -> impl Iterator<Item = ForwarderCounters> {
        let forwarder = |node| self.parts.of_node(node).nodes.forwarder(node);
        (0..self.nodes)
            .map(move |node| forwarder(node).map_or_else(Default::default, |it| *it.counters()))
    }

    /// The network layer of a node that takes in the messages of a protocol, if it is an `L`.
    #[must_use]
    pub fn layer<L: NetworkLayer>(&self, node: usize, protocol: ProtocolNumber) -> Option<&L> {
        let layer = self.parts.of_node(node).nodes.layer(node, protocol)?;
        (layer as &dyn Any).downcast_ref()
    }

    /// What the link services of each node counted, in the plan's order.
    pub fn link_services(&self) -> impl Iterator<Item = LinkServiceCounters> {
        (0..self.nodes).map(|node| self.parts.of_node(node).nodes.link_service_counters(node))
    }

    /// How many packets found no room before each node's forwarder, in the plan's order.
    pub fn processing_drops(&self) -> impl Iterator<Item = u64> {
        (0..self.nodes).map(|node| self.parts.of_node(node).nodes.processing_drops(node))
    }

    /// How much real time it took so far to follow nodes that move, and to find paths.
    #[must_use]
    pub fn routing_time(&self) -> std::time::Duration {
        self.parts.all.iter().map(Part::routing_time).sum()
    }

    /// What became of the names of flows, in the plan's order.
    pub fn name_lookups(&self) -> impl Iterator<Item = NameLookup> {
        let nodes = self.parts.all[0].names.iter().flat_map(Names::nodes).enumerate();
        nodes.filter_map(|(number, node)| {
            Some(self.parts.of_node(node).names.as_ref()?.lookup(number))
        })
    }

    /// Packets that crossed a queue and a link.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.parts.ports().map(|port| port.counters().delivered).sum()
    }

    /// IP packets that were dropped because no path led on from where they were.
    #[must_use]
    pub fn unroutable(&self) -> u64 {
        self.parts.all.iter().map(|it| it.network.unroutable).sum()
    }

    /// IP packets that were dropped because they had passed too many nodes.
    #[must_use]
    pub fn hop_limit_drops(&self) -> u64 {
        self.parts.all.iter().map(|it| it.network.hop_limit_drops).sum()
    }

    /// Packets of real hosts that were dropped because they were larger than the MTU of a link and
    /// must not be fragmented.
    #[must_use]
    pub fn too_big(&self) -> u64 {
        self.parts.all.iter().map(|it| it.network.routers.too_big).sum()
    }

    /// Packets in queues and on links.
    #[must_use]
    pub fn packets_in_transit(&self) -> u64 {
        self.parts.ports().map(Port::in_transit).sum()
    }

    /// Packets that are kept: those in queues and on links, and those inside of them.
    #[must_use]
    pub fn packets_stored(&self) -> u64 {
        self.parts.all.iter().map(|it| it.network.packets.len() as u64).sum()
    }

    /// Messages that are kept, such as the bytes of packets of real hosts.
    #[must_use]
    pub fn messages_stored(&self) -> u64 {
        self.parts.all.iter().map(|it| it.network.packets.messages() as u64).sum()
    }
}

/// The nodes of each tunnel's ends, with the ends' numbers.
fn tunnels(plan: &Plan) -> Vec<[(usize, u32); 2]> {
    let ends = |tunnel: usize| {
        [0, 1].map(|side| (plan.tunnels[tunnel].ends[side], end_of(plan, tunnel, side)))
    };
    (0..plan.tunnels.len()).map(ends).collect()
}
