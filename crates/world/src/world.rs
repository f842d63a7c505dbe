//! The world at work: its events, one after another, and the samples between
//! them.

use windtunnel_engine::{Control, Duration, Limits, Stop, Streams, Time};
use windtunnel_networks::ndn::forwarder::ForwarderCounters;
use windtunnel_packets::{Body, Packet};
use windtunnel_transports::ndn::consumer::Consumer;

use crate::bridges::{Bridge, BridgeCounters};
use crate::capture::{Watcher, Watches};
use crate::channels::Channels;
use crate::event::Event;
use crate::flows::{Flow, Flows};
use crate::ndn::Ndn;
use crate::network::{End, Hop, Network};
use crate::plan::{ChangePlan, Plan};
use crate::port::{Counters as PortCounters, Port};
use crate::record::{PortSample, Series};
use crate::routing::{self, Unreachable};
use crate::transfers::Transfer;

/// With so few ports everything lies in the cache, and a look ahead only costs.
const FEW_PORTS: usize = 256;

/// A world: built from a [`Plan`], run once, at once or in steps, and read.
#[derive(Debug)]
pub struct World {
    end: Time,
    interval: Duration,
    changes: Vec<ChangePlan>,
    network: Network,
    channels: Channels,
    ndn: Ndn,
    flows: Flows,
    series: Series,
    /// The ports of the next arrivals but one, as far as they were seen.
    near: [u32; 4],
    /// What the ports had counted at the last sample.
    sampled: Vec<(PortCounters, Duration)>,
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
        let mut ndn = Ndn::new(plan, &streams)?;
        let ways = routing::ways(plan)?;
        let mut flows = Flows::new(plan, &streams, &ways);
        let mut network = Network::new(plan, &streams, ways);
        for (place, change) in plan.changes.iter().enumerate() {
            network.schedule(change.time, Event::Change(place as u32));
        }
        channels.start(&mut network);
        ndn.start(&mut network);
        flows.start(&mut network);
        let sampled = vec![Default::default(); network.ports.len()];
        Ok(Self {
            end: plan.end(),
            interval: plan.interval,
            changes: plan.changes.clone(),
            network,
            channels,
            ndn,
            flows,
            series: Series::default(),
            near: [u32::MAX; 4],
            sampled,
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
        self.ndn.consumers()
    }

    /// Each flow over IP, in the plan's order.
    pub fn flows(&self) -> impl Iterator<Item = Flow> {
        self.flows.flows()
    }

    /// When the last octet of a flow's file was received, by the flow's place.
    #[must_use]
    pub fn flow_finished(&self, flow: usize) -> Option<Time> {
        self.flows.finished(flow)
    }

    /// The transfers that were finished, in that order.
    #[must_use]
    pub fn transfers(&self) -> &[Transfer] {
        self.flows.transfers()
    }

    /// What each port counted, and how long it was sending until `now`: for each
    /// link its two directions, in the plan's order.
    pub fn ports(&self, now: Time) -> impl Iterator<Item = (&PortCounters, Duration)> {
        self.network.ports.iter().map(move |port| (port.counters(), port.busy(now)))
    }

    /// What each bridge counted, in the plan's order.
    pub fn bridges(&self) -> impl Iterator<Item = BridgeCounters> {
        self.network.bridges.iter().map(Bridge::counters)
    }

    /// What each node counted, in the plan's order.
    pub fn nodes(&self) -> impl Iterator<Item = &ForwarderCounters> {
        self.ndn.nodes()
    }

    /// Packets that crossed a queue and a link.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.network.ports.iter().map(|port| port.counters().delivered).sum()
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
        let network = &mut self.network;
        match event.into() {
            Event::Arrival(port) => self.arrive(now, port),
            Event::Service(port) => network.serve(now, port),
            Event::Change(place) => {
                let change = &self.changes[place as usize];
                let port = (2 * change.link + change.direction) as u32;
                network.change(now, port, change.change);
            }
            Event::Channel(channel) => self.channels.follow(network, now, channel),
            Event::Report(channel) => {
                for (flow, sinr, bandwidth) in self.channels.report(channel) {
                    self.flows.hear(flow, now, sinr, bandwidth);
                }
            }
            Event::Expiry(node) => self.ndn.expire(network, now, node),
            Event::ConsumerWake(consumer) => self.ndn.wake(network, now, consumer),
            Event::Answer(producer) => self.ndn.answer(network, now, producer),
            Event::Settlement => self.ndn.settle(network, now),
            Event::Application(flow) => self.flows.act(network, now, flow),
            Event::SenderWake(place) => self.flows.wake(network, now, place, End::Sender),
            Event::ReceiverWake(place) => self.flows.wake(network, now, place, End::Receiver),
            Event::SourceEdge(bridge) => network.wake_source(now, bridge),
            Event::DestinationEdge(bridge) => {
                network.wake_destination(now, bridge);
                self.hand_over(now);
            }
        }
        Some(now)
    }

    #[inline]
    fn arrive(&mut self, now: Time, port: u32) {
        let Some(packet) = self.network.arrive(now, port) else { return };
        match packet.body {
            Body::Segment(_) | Body::Datagram(_) | Body::EdgeAcknowledgement { .. } => {
                match self.network.forward(now, packet) {
                    Some((end, packet)) => {
                        self.flows.receive(&mut self.network, now, end, &packet);
                    }
                    None if self.network.arrived.is_empty() => {}
                    None => self.hand_over(now),
                }
            }
            Body::Interest(_) | Body::Data(_) | Body::Nack(_) => {
                self.ndn.arrive(&mut self.network, now, port, &packet);
            }
        }
    }

    /// Gives the ends of flows what an edge beside them has let pass.
    fn hand_over(&mut self, now: Time) {
        let mut arrived = std::mem::take(&mut self.network.arrived);
        for (end, packet) in arrived.drain(..) {
            self.flows.receive(&mut self.network, now, end, &packet);
        }
        self.network.arrived = arrived;
    }

    /// Brings near what the next events will touch: with thousands of links, the
    /// time goes into waiting for memory. A port is fetched when its event comes
    /// close, its packet a step later, and what the packet will meet when it is
    /// the next.
    #[inline]
    fn prefetch(&mut self) {
        let mut near = [u32::MAX; 4];
        for (order, event) in self.network.events.upcoming().enumerate() {
            let Event::Arrival(port) = event.into() else { continue };
            if order == 0 {
                self.prefetch_end(port);
                continue;
            }
            near[order - 1] = port;
            if self.near.contains(&port) {
                self.network.prefetch_packet(port);
            } else {
                self.network.prefetch_port(port);
                self.ndn.prefetch_far_end(port);
            }
        }
        self.near = near;
    }

    /// Brings near what the packet will meet that arrives next through a port.
    #[inline]
    fn prefetch_end(&self, port: u32) {
        match self.network.next_through(port) {
            Some((Packet { body: Body::Segment(segment), .. }, Some(Hop::Here(end)))) => {
                self.flows.prefetch(segment.connection, end);
            }
            Some((Packet { body: Body::Segment(_), .. }, Some(Hop::Port(next)))) => {
                self.network.prefetch_port(next);
            }
            _ => {
                self.network.prefetch_packet(port);
                self.ndn.prefetch_node(port);
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
            self.ndn.sample(time, seconds, &mut self.series.flows);
            self.flows.sample(time, seconds, &mut self.series.flows);
            self.sample_ports(time);
            self.channels.sample(self.series.last, time, &mut self.series.channels);
            self.series.last = time;
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
