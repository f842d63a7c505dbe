//! The world at work: its events, one after another, and the samples between
//! them.

use std::sync::Arc;

use windtunnel_engine::{Control, Duration, Limits, Stop, Streams, Time};
use windtunnel_networks::ndn::forwarder::Counters as NodeCounters;
use windtunnel_packets::{Body, Packet};
use windtunnel_transports::ndn::consumer::Consumer;

use crate::capture::{Watcher, Watches};
use crate::channels::Channels;
use crate::event::{Event, Kind};
use crate::forwarding::{Forwarding, Hop};
use crate::functions::{BridgeCounters, Functions};
use crate::hosts::{Flow, Hosts, Sampled};
use crate::network::{Arrived, At, Network};
use crate::nodes::Nodes;
use crate::plan::{ChangePlan, Plan};
use crate::port::{Counters as PortCounters, Port};
use crate::record::{PortSample, Series};
use crate::routing::{PortId, Unreachable};
use crate::transfers::Transfer;

/// With so few ports everything lies in the cache, and a look ahead only costs.
const FEW_PORTS: usize = 256;

/// A world: built from a [`Plan`], run once, at once or in steps, and read.
#[derive(Debug)]
pub struct World {
    end: Time,
    interval: Duration,
    changes: Vec<ChangePlan>,
    /// The plan, if paths follow its changes.
    rerouting: Option<Arc<Plan>>,
    network: Network,
    channels: Channels,
    nodes: Nodes,
    functions: Functions,
    hosts: Hosts,
    series: Series,
    /// The ports of the next arrivals but one, as far as they were seen.
    near: [Option<PortId>; 4],
    /// What the ports had counted at the last sample.
    sampled: Vec<(PortCounters, Duration)>,
    /// What the flows had counted then.
    sampled_flows: Vec<Sampled>,
}

impl World {
    /// Builds the world of a plan.
    ///
    /// # Errors
    /// [`Unreachable`] if a consumer has no path to a producer of its prefix, or
    /// a flow or a bridge none between its nodes.
    pub fn new(plan: &Plan) -> Result<Self, Unreachable> {
        let streams = Streams::new(plan.seed, plan.run);
        let channels = Channels::new(plan, &streams);
        let mut forwarding = Forwarding::new(plan)?;
        let mut nodes = Nodes::new(plan, &streams, forwarding.topology())?;
        let functions = Functions::new(plan, &streams, &mut forwarding);
        let mut hosts = Hosts::new(plan, &streams, &mut forwarding);
        let mut network = Network::new(plan, &streams, forwarding);
        for (place, change) in plan.changes.iter().enumerate() {
            network.schedule(change.time, Event::new(Kind::Change, place as u32));
        }
        channels.start(&mut network);
        nodes.start(&mut network);
        hosts.start(&mut network);
        let sampled = vec![Default::default(); network.ports.len()];
        Ok(Self {
            end: plan.end(),
            interval: plan.interval,
            changes: plan.changes.clone(),
            rerouting: plan.routes_change().then(|| Arc::new(plan.clone())),
            network,
            channels,
            nodes,
            functions,
            hosts,
            series: Series::default(),
            near: [None; 4],
            sampled,
            sampled_flows: vec![Sampled::default(); plan.flows.len()],
        })
    }

    /// Lets time pass until the end of the plan, the cancellation, or the limit
    /// of real time; returns why it stopped and how many events there were.
    pub fn run(&mut self, control: &Control, real: Option<std::time::Duration>) -> (Stop, u64) {
        let limits = Limits { simulated: self.end, real };
        let (stop, events) = control.drive(&limits, |end| self.step(end));
        let until = if stop == Stop::Finished { self.end } else { self.now() };
        self.sample_before(until + Duration::from_picos(1));
        self.network.end_watches(until);
        (stop, events)
    }

    /// Lets time pass until `time`, or the end of the plan if that is earlier: a run in
    /// steps, which is the same as one at once.
    pub fn advance(&mut self, time: Time) {
        let until = time.min(self.end);
        while self.step(until).is_some() {}
        self.sample_before(until + Duration::from_picos(1));
    }

    /// Has nodes watched, each by its watcher, from the world's beginning on.
    pub fn watch(&mut self, plan: &Plan, watchers: Vec<(usize, Watcher)>) {
        self.network.watches = Some(Box::new(Watches::new(plan, watchers)));
    }

    /// The time reached.
    #[must_use]
    pub fn now(&self) -> Time {
        self.network.events.now()
    }

    /// The series.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// Each consumer, in the plan's order.
    pub fn consumers(&self) -> impl Iterator<Item = &Consumer> {
        self.nodes.consumers()
    }

    /// Each flow over IP, in the plan's order.
    pub fn flows(&self) -> impl Iterator<Item = Flow> {
        self.hosts.flows()
    }

    /// When the last octet of a flow's file was received, by the flow's place.
    #[must_use]
    pub fn flow_finished(&self, flow: usize) -> Option<Time> {
        self.hosts.finished(flow)
    }

    /// The transfers that were finished, in that order.
    #[must_use]
    pub fn transfers(&self) -> &[Transfer] {
        self.hosts.transfers()
    }

    /// What each port counted, and how long it was sending until `now`: for each
    /// link its two directions, in the plan's order.
    pub fn ports(&self, now: Time) -> impl Iterator<Item = (&PortCounters, Duration)> {
        self.network.ports.iter().map(move |port| (port.counters(), port.busy(now)))
    }

    /// What each bridge counted, in the plan's order.
    pub fn bridges(&self) -> impl Iterator<Item = BridgeCounters> {
        self.functions.bridges()
    }

    /// What each node counted, in the plan's order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeCounters> {
        self.nodes.counters()
    }

    /// Packets that crossed a queue and a link.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.network.ports.iter().map(|port| port.counters().delivered).sum()
    }

    /// IP packets that were dropped because no path led on from where they were.
    #[must_use]
    pub fn unroutable(&self) -> u64 {
        self.network.unroutable
    }

    /// Packets in queues and on links.
    #[must_use]
    pub fn packets_held(&self) -> u64 {
        self.network.ports.iter().map(Port::held).sum()
    }

    fn step(&mut self, end: Time) -> Option<Time> {
        let (now, event) = self.network.events.next_until(end)?;
        if now > self.series.last + self.interval {
            self.sample_before(now);
        }
        if self.network.ports.len() > FEW_PORTS {
            self.prefetch();
        }
        self.happen(now, event);
        if !self.network.arrived.is_empty() {
            self.hand_over(now);
        }
        Some(now)
    }

    #[inline]
    fn happen(&mut self, now: Time, event: Event) {
        let network = &mut self.network;
        let of = event.of();
        match event.kind() {
            Kind::Arrival => self.arrive(now, PortId(of)),
            Kind::Service => network.serve(now, PortId(of)),
            Kind::Change => self.change(now, of as usize),
            Kind::Route => self.reroute(),
            Kind::Channel => self.channels.follow(network, now, of),
            Kind::Report => {
                for (flow, sinr, bandwidth) in self.channels.report(of) {
                    self.hosts.on_radio_report(flow, now, sinr, bandwidth);
                }
            }
            Kind::Layer => self.nodes.wake(network, now, of, event.which_timer()),
            Kind::Function => self.functions.wake(network, now, of),
            Kind::Socket => self.hosts.wake_socket(network, now, of),
            Kind::Application => self.hosts.wake_application(network, now, of),
        }
    }

    #[inline]
    fn arrive(&mut self, now: Time, port: PortId) {
        let Some(packet) = self.network.arrive(now, port) else { return };
        if packet.is_forwarded_by_path() {
            self.network.forward(now, At::FarEnd(port), packet);
        } else {
            self.nodes.receive(&mut self.network, now, port, &packet);
        }
    }

    /// Gives hosts and functions the IP packets that are for them, and those that come
    /// of it.
    fn hand_over(&mut self, now: Time) {
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
            }
        }
        self.network.arrived.clear();
    }

    /// A link changes; the nodes learn of it later.
    #[cold]
    fn change(&mut self, now: Time, place: usize) {
        let ChangePlan { port, change, .. } = self.changes[place];
        self.network.change(now, port, change);
        if let Some(plan) = &self.rerouting
            && change.is_of_topology()
        {
            let time = now + plan.routing.convergence.unwrap_or_default();
            self.network.schedule(time, Event::new(Kind::Route, 0));
        }
    }

    /// All nodes forward by the shortest paths of the topology as it is now.
    #[cold]
    fn reroute(&mut self) {
        let Some(plan) = &self.rerouting else { return };
        let ports = &self.network.ports;
        self.network.forwarding.update(|topology| {
            for (port, it) in (0..).map(PortId).zip(ports) {
                topology.set_up(port, !it.is_failed());
                topology.set_delay(port, it.delay());
            }
        });
        self.nodes.route(plan, self.network.forwarding.topology());
    }

    /// Fetches what the next events will touch: with thousands of links, the
    /// time goes into waiting for memory. A port is fetched when its event comes
    /// close, its packet a step later, and what the packet will meet when it is
    /// the next.
    #[inline]
    fn prefetch(&mut self) {
        let mut near = [None; 4];
        for (order, event) in self.network.events.upcoming().enumerate() {
            if event.kind() != Kind::Arrival {
                continue;
            }
            let port = PortId(event.of());
            if order == 0 {
                self.prefetch_end(port);
                continue;
            }
            near[order - 1] = Some(port);
            if self.near.contains(&Some(port)) {
                self.network.prefetch_packet(port);
            } else {
                self.network.prefetch_port(port);
                self.nodes.prefetch_far_end(port);
            }
        }
        self.near = near;
    }

    /// Fetches what the packet will meet that arrives next through a port.
    #[inline]
    fn prefetch_end(&self, port: PortId) {
        match self.network.next_through(port) {
            Some((Packet { body: Body::Segment(segment), .. }, Some(Hop::Here(side)))) => {
                self.hosts.prefetch(segment.connection, side);
            }
            Some((Packet { body: Body::Segment(_), .. }, Some(Hop::Port(next)))) => {
                self.network.prefetch_port(next);
            }
            _ => {
                self.network.prefetch_packet(port);
                self.nodes.prefetch_node(port);
            }
        }
    }

    /// Samples at every interval's end before `now`; what happens at its end
    /// belongs to an interval.
    #[cold]
    fn sample_before(&mut self, now: Time) {
        let seconds = self.interval.as_seconds();
        while self.series.last + self.interval < now {
            let time = self.series.last + self.interval;
            self.nodes.sample(time, seconds, &mut self.series.flows);
            self.sample_flows(time, seconds);
            self.sample_ports(time);
            self.channels.sample(self.series.last, time, &mut self.series.channels);
            self.series.last = time;
        }
    }

    fn sample_flows(&mut self, time: Time, seconds: f64) {
        let flows = self.hosts.senders().zip(self.hosts.receivers());
        for ((sender, receiver), last) in flows.zip(&mut self.sampled_flows) {
            let sample = last.sample(&sender, &receiver, time.as_seconds(), seconds);
            self.series.flows.push(sample);
        }
    }

    fn sample_ports(&mut self, time: Time) {
        let seconds = self.interval.as_seconds();
        for (port, last) in self.network.ports.iter_mut().zip(&mut self.sampled) {
            let backlog = port.backlog(time);
            let busy = port.busy(time);
            let counters = *port.counters();
            let (before, busy_before) = *last;
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
            *last = (counters, busy);
        }
    }
}
