//! A world: its parts at work together, the samples between their events, and what is
//! read from it.

use windtunnel_engine::{Control, Duration, Limits, Stop, Time};
use windtunnel_networks::ndn::forwarder::ForwarderCounters;
use windtunnel_networks::tunnel::TunnelCounters;
use windtunnel_transports::ndn::consumer::{Consumer, ConsumerCounters};

use crate::capture::{Watcher, Watches};
use crate::forwarding::Forwarding;
use crate::functions::BridgeCounters;
use crate::hosts::{Flow, Sampled};
use crate::nodes;
use crate::parallel;
use crate::part::Part;
use crate::partition::Partition;
use crate::placements::end_of;
use crate::plan::Plan;
use crate::port::{Counters as PortCounters, Port};
use crate::port_id::PortId;
use crate::record::{PortSample, Series};
use crate::routing::Unreachable;
use crate::transfers::Transfer;

/// A world: built from a [`Plan`], run once, at once or in steps, and read.
#[derive(Debug)]
pub struct World {
    end: Time,
    interval: Duration,
    partition: Partition,
    parts: Vec<Part>,
    /// The node that each port leads from.
    near: Vec<u32>,
    /// The nodes of each bridge's edges.
    bridges: Vec<[usize; 2]>,
    /// The nodes of each tunnel's ends, with the ends' numbers.
    tunnels: Vec<[(usize, u32); 2]>,
    consumers: Vec<usize>,
    flows: usize,
    nodes: usize,
    series: Series,
    last: LastSample,
}

/// What had been counted at the last sample.
#[derive(Debug)]
struct LastSample {
    ports: Vec<(PortCounters, Duration)>,
    flows: Vec<Sampled>,
    consumers: Vec<ConsumerCounters>,
}

impl World {
    /// Builds the world of a plan, to run on one thread.
    ///
    /// # Errors
    /// [`Unreachable`] if a consumer has no path to a producer of its prefix, or
    /// a flow or a bridge none between its nodes.
    pub fn new(plan: &Plan) -> Result<Self, Unreachable> {
        let forwarding = Forwarding::new(plan)?;
        Self::with(plan, forwarding, Partition::whole(plan))
    }

    /// Builds the world of a plan, to run on so many threads at the most; what comes of it
    /// is the same. A world with nodes that are all joined by links without delay runs on
    /// one.
    ///
    /// # Errors
    /// As [`World::new`].
    pub fn on_threads(plan: &Plan, threads: usize) -> Result<Self, Unreachable> {
        let forwarding = Forwarding::new(plan)?;
        let partition = match threads {
            0 | 1 => Partition::whole(plan),
            _ => Partition::of(plan, &forwarding, threads),
        };
        Self::with(plan, forwarding, partition)
    }

    fn with(
        plan: &Plan,
        forwarding: Forwarding,
        partition: Partition,
    ) -> Result<Self, Unreachable> {
        let parts = parallel::build(plan, forwarding, &partition)?;
        let near = plan.links.iter().flat_map(|it| it.nodes).map(|it| it as u32);
        Ok(Self {
            end: plan.end(),
            interval: plan.interval,
            partition,
            parts,
            near: near.collect(),
            bridges: plan.bridges.iter().map(|it| [it.from, it.to]).collect(),
            tunnels: tunnels(plan),
            consumers: plan.consumers.iter().map(|it| it.node).collect(),
            flows: plan.flows.len(),
            nodes: plan.nodes.len(),
            series: Series::default(),
            last: LastSample {
                ports: vec![Default::default(); 2 * plan.links.len()],
                flows: vec![Sampled::default(); plan.flows.len()],
                consumers: vec![ConsumerCounters::default(); plan.consumers.len()],
            },
        })
    }

    /// Lets time pass until the end of the plan, the cancellation, or the limit
    /// of real time; returns why it stopped and how many events there were.
    pub fn run(&mut self, control: &Control, real: Option<std::time::Duration>) -> (Stop, u64) {
        let limits = Limits { simulated: self.end, real };
        let (stop, events) = self.drive(control, &limits);
        let until = if stop == Stop::Finished { self.end } else { self.now() };
        self.sample_until(until);
        self.parts.iter_mut().for_each(|it| it.network.end_watches(until));
        (stop, events)
    }

    fn drive(&mut self, control: &Control, limits: &Limits) -> (Stop, u64) {
        match self.parts.len() {
            1 => self.run_whole(control, limits),
            _ => self.run_parts(control, limits),
        }
    }

    fn run_whole(&mut self, control: &Control, limits: &Limits) -> (Stop, u64) {
        let mut until = self.next_sample();
        control.drive(limits, |end| {
            loop {
                if let Some(time) = self.parts[0].step(until.min(end)) {
                    return Some(time);
                }
                if until >= end {
                    return None;
                }
                self.sample_until(until);
                until = self.next_sample();
            }
        })
    }

    fn run_parts(&mut self, control: &Control, limits: &Limits) -> (Stop, u64) {
        let partition = self.partition.clone();
        let mut run = parallel::Run::new(control, limits, &partition);
        loop {
            let until = self.next_sample().min(limits.simulated);
            let stop = run.advance(&mut self.parts, until);
            if stop.is_some() || until == limits.simulated {
                return (run.finish(stop), run.events());
            }
            self.sample_until(until);
        }
    }

    /// Lets time pass until `time`, or the end of the plan if that is earlier: a run in
    /// steps, which is the same as one at once.
    pub fn advance(&mut self, time: Time) {
        let simulated = time.min(self.end);
        self.drive(&Control::default(), &Limits { simulated, real: None });
        self.sample_until(simulated);
    }

    /// Has nodes watched, each by its watcher, from the world's beginning on. Only for a
    /// world on one thread.
    pub fn watch(&mut self, plan: &Plan, watchers: Vec<(usize, Watcher)>) {
        assert_eq!(self.parts.len(), 1, "captures are in the order of time");
        self.parts[0].network.watches = Some(Box::new(Watches::new(plan, watchers)));
    }

    /// The time reached.
    #[must_use]
    pub fn now(&self) -> Time {
        self.parts.iter().map(|it| it.network.events.now()).max().unwrap_or(Time::ZERO)
    }

    /// The series.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// The part with a node.
    fn part(&self, node: usize) -> &Part {
        &self.parts[self.partition.part(node)]
    }

    /// Each consumer, in the plan's order.
    pub fn consumers(&self) -> impl Iterator<Item = &Consumer> {
        let consumers = self.consumers.iter().enumerate();
        consumers.map(|(consumer, node)| self.part(*node).nodes.consumer(consumer))
    }

    /// The parts with the sender and the receiver of a flow's data.
    fn ends(&self, flow: usize) -> [&Part; 2] {
        self.parts[0].hosts.ends(flow).map(|it| self.part(it))
    }

    /// Each flow over IP, in the plan's order.
    pub fn flows(&self) -> impl Iterator<Item = Flow> {
        (0..self.flows).map(|flow| {
            let [sender, receiver] = self.ends(flow).map(|it| &it.hosts);
            let connections = sender.opened(flow).max(receiver.opened(flow));
            sender.flow(flow, connections, receiver.receiver(flow))
        })
    }

    /// When the last byte of a flow's file was received, by the flow's place.
    #[must_use]
    pub fn flow_finished(&self, flow: usize) -> Option<Time> {
        self.ends(flow)[1].hosts.finished(flow)
    }

    /// The transfers that were finished, in that order; of those at one instant, in that
    /// of the flows.
    #[must_use]
    pub fn transfers(&self) -> Vec<Transfer> {
        let all = self.parts.iter().flat_map(|it| it.hosts.transfers()).copied();
        let mut transfers: Vec<Transfer> = all.collect();
        transfers.sort_by_key(|it| (it.start + it.completion, it.flow, it.number));
        transfers
    }

    fn port(&self, port: PortId) -> &Port {
        &self.part(self.near[port.index()] as usize).network.ports[port.index()]
    }

    fn all_ports(&self) -> impl Iterator<Item = &Port> {
        (0..self.near.len() as u32).map(|it| self.port(PortId(it)))
    }

    /// What each port counted, and how long it was sending until `now`: for each
    /// link its two directions, in the plan's order.
    pub fn ports(&self, now: Time) -> impl Iterator<Item = (&PortCounters, Duration)> {
        self.all_ports().map(move |port| (port.counters(), port.busy(now)))
    }

    /// What each bridge counted, in the plan's order.
    pub fn bridges(&self) -> impl Iterator<Item = BridgeCounters> {
        self.bridges.iter().enumerate().map(|(bridge, [from, to])| {
            self.part(*from).functions.bridge(bridge, &self.part(*to).functions)
        })
    }

    /// What both ends of each tunnel counted, in the plan's order.
    pub fn tunnels(&self) -> impl Iterator<Item = [TunnelCounters; 2]> {
        let count = |(node, end): (usize, u32)| self.part(node).functions.tunnel_end(end);
        self.tunnels.iter().map(move |ends| ends.map(count))
    }

    /// What each node counted, in the plan's order.
    pub fn nodes(&self) -> impl Iterator<Item = ForwarderCounters> {
        (0..self.nodes).map(|node| self.part(node).nodes.counters(node))
    }

    /// Packets that crossed a queue and a link.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.all_ports().map(|port| port.counters().delivered).sum()
    }

    /// IP packets that were dropped because no path led on from where they were.
    #[must_use]
    pub fn unroutable(&self) -> u64 {
        self.parts.iter().map(|it| it.network.unroutable).sum()
    }

    /// Packets in queues and on links.
    #[must_use]
    pub fn packets_held(&self) -> u64 {
        self.all_ports().map(Port::held).sum()
    }

    /// Packets that are kept: those in queues and on links, and those inside of them.
    #[must_use]
    pub fn packets_stored(&self) -> u64 {
        self.parts.iter().map(|it| it.network.packets.len() as u64).sum()
    }

    /// When the next interval of the series ends; what happens at its end belongs to it.
    fn next_sample(&self) -> Time {
        self.series.last + self.interval
    }

    /// Samples at the end of every interval up to `time`.
    fn sample_until(&mut self, time: Time) {
        while self.next_sample() <= time {
            self.sample();
        }
    }

    #[cold]
    fn sample(&mut self) {
        let time = self.next_sample();
        self.sample_consumers(time);
        self.sample_flows(time);
        self.sample_ports(time);
        self.sample_channels(time);
        self.series.last = time;
    }

    fn sample_consumers(&mut self, time: Time) {
        let seconds = self.interval.as_seconds();
        for (consumer, last) in self.last.consumers.iter_mut().enumerate() {
            let part = &self.parts[self.partition.part(self.consumers[consumer])];
            let consumer = part.nodes.consumer(consumer);
            self.series.flows.push(nodes::sample(consumer, last, time, seconds));
        }
    }

    fn sample_flows(&mut self, time: Time) {
        let seconds = self.interval.as_seconds();
        for flow in 0..self.flows {
            let [sender, receiver] = self.ends(flow).map(|it| &it.hosts);
            let (sender, receiver) = (sender.sender(flow), receiver.receiver(flow));
            let last = &mut self.last.flows[flow];
            let sample = last.sample(&sender, &receiver, time.as_seconds(), seconds);
            self.series.flows.push(sample);
        }
    }

    fn sample_ports(&mut self, time: Time) {
        let seconds = self.interval.as_seconds();
        for (index, last) in self.last.ports.iter_mut().enumerate() {
            let part = self.partition.part(self.near[index] as usize);
            let port = &mut self.parts[part].network.ports[index];
            let now = (*port.counters(), port.busy(time));
            let backlog = port.backlog(time);
            let (before, busy_before) = std::mem::replace(last, now);
            let (counters, busy) = now;
            let sent = counters.sent - before.sent;
            let sojourn = (counters.sojourn_sum - before.sojourn_sum).as_seconds();
            let bytes = counters.delivered_bytes - before.delivered_bytes;
            self.series.ports.push(PortSample {
                time_s: time.as_seconds(),
                utilisation: (busy - busy_before).as_seconds() / seconds,
                throughput_bps: bytes as f64 * 8.0 / seconds,
                queue_packets: backlog.packets,
                queue_bytes: backlog.bytes,
                sojourn_s: (sent > 0).then(|| sojourn / sent as f64),
                overflows: counters.overflows - before.overflows,
                discipline_drops: counters.discipline_drops - before.discipline_drops,
                losses: counters.losses - before.losses,
                marks: counters.marks - before.marks,
            });
        }
    }

    fn sample_channels(&mut self, time: Time) {
        let links: Vec<usize> = self.parts[0].channels.links().collect();
        for (place, link) in links.into_iter().enumerate() {
            let node = self.near[PortId::new(link, 0).index()] as usize;
            let channels = &self.parts[self.partition.part(node)].channels;
            let samples = channels.sample(place, self.series.last, time);
            self.series.channels.extend(samples);
        }
    }
}

/// The nodes of each tunnel's ends, with the ends' numbers.
fn tunnels(plan: &Plan) -> Vec<[(usize, u32); 2]> {
    let ends = |tunnel: usize| {
        [0, 1].map(|side| (plan.tunnels[tunnel].ends[side], end_of(plan, tunnel, side)))
    };
    (0..plan.tunnels.len()).map(ends).collect()
}
