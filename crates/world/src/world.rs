//! The world at work: events lead packets from node to node.

use std::collections::VecDeque;

use smallvec::SmallVec;
use windtunnel_controllers::{AnyController, Controller};
use windtunnel_engine::{
    Control, Duration, EventQueue, Limits, Stop, Store, Streams, Time, prefetch,
};
use windtunnel_protocols::ndn::consumer::{Consumer, Counters as FlowCounters};
use windtunnel_protocols::ndn::content_store::ContentStore;
use windtunnel_protocols::ndn::fib::NextHop;
use windtunnel_protocols::ndn::forwarder::{Counters as NodeCounters, Forwarder};
use windtunnel_protocols::ndn::producer::Producer;
use windtunnel_protocols::ndn::strategy::Strategy;
use windtunnel_protocols::ndn::wire::size::NameSize;
use windtunnel_protocols::ndn::{FaceId, Outbox, PrefixId};
use windtunnel_protocols::packet::{Body, Packet};

use crate::plan::Plan;
use crate::port::{Counters as PortCounters, Due, Port};
use crate::record::{FlowSample, PortSample, Series};
use crate::routing::{self, Unreachable};

#[derive(Clone, Copy, Debug)]
enum Event {
    /// The packet first on a port's link arrives.
    Arrival(u32),
    /// A port's link is free.
    Service(u32),
    /// A pending Interest of a node may have expired.
    Expiry(u32),
    /// A consumer starts or looks for timeouts.
    Wake(u32),
    /// A producer's answer is ready.
    Answer(u32),
    /// Packets inside nodes go on.
    Settlement,
}

/// Where a node's face leads.
#[derive(Clone, Copy, Debug)]
enum FaceEnd {
    Port(u32),
    Consumer(u32),
    Producer(u32),
}

#[derive(Debug)]
struct Node {
    forwarder: Forwarder,
    faces: SmallVec<[FaceEnd; 4]>,
    /// When the next look at expiring Interests is scheduled.
    expiry: Time,
}

/// Where a port's link ends.
#[derive(Clone, Copy, Debug)]
struct FarEnd {
    node: u32,
    face: FaceId,
}

#[derive(Debug)]
struct ConsumerSeat {
    consumer: Consumer,
    node: u32,
    face: FaceId,
    /// When its next wake-up is scheduled.
    wake: Time,
}

#[derive(Debug)]
struct ProducerSeat {
    producer: Producer,
    node: u32,
    face: FaceId,
    /// Answers that are not ready yet.
    answers: VecDeque<(Time, Packet)>,
}

/// A world: built from a [`Plan`], run once, then read.
#[derive(Debug)]
pub struct World {
    end: Time,
    interval: Duration,
    events: EventQueue<Event>,
    packets: Store<Packet>,
    nodes: Vec<Node>,
    ports: Vec<Port>,
    far_ends: Vec<FarEnd>,
    consumers: Vec<ConsumerSeat>,
    producers: Vec<ProducerSeat>,
    /// Those of the prefixes in use.
    prefix_sizes: Vec<NameSize>,
    /// Packets on their way inside a node.
    local: VecDeque<(u32, FaceId, Packet)>,
    outbox: Outbox,
    requests: Outbox,
    series: Series,
    sampled: Sampled,
}

/// What had been counted at the last sample.
#[derive(Debug, Default)]
struct Sampled {
    flows: Vec<FlowCounters>,
    ports: Vec<(PortCounters, Duration)>,
}

impl World {
    /// Builds the world of a plan.
    ///
    /// # Errors
    /// [`Unreachable`] if a consumer has no path to a producer of its prefix.
    pub fn new(plan: &Plan) -> Result<Self, Unreachable> {
        let streams = Streams::new(plan.seed, plan.run);
        let mut world = Self {
            end: plan.end(),
            interval: plan.interval,
            events: EventQueue::default(),
            packets: Store::default(),
            nodes: Vec::with_capacity(plan.nodes.len()),
            ports: Vec::with_capacity(2 * plan.links.len()),
            far_ends: Vec::with_capacity(2 * plan.links.len()),
            consumers: Vec::with_capacity(plan.consumers.len()),
            producers: Vec::with_capacity(plan.producers.len()),
            prefix_sizes: plan.prefixes.iter().map(NameSize::of).collect(),
            local: VecDeque::new(),
            outbox: Outbox::new(),
            requests: Outbox::new(),
            series: Series::default(),
            sampled: Sampled::default(),
        };
        world.add_nodes(plan, &streams);
        let link_faces = world.add_links(plan, &streams);
        world.add_producers(plan);
        world.add_consumers(plan, &streams);
        world.add_routes(plan, &link_faces);
        world.check_reachability(plan)?;
        world.schedule_starts();
        world.sampled.flows.resize(world.consumers.len(), FlowCounters::default());
        world.sampled.ports.resize(world.ports.len(), Default::default());
        Ok(world)
    }

    fn add_nodes(&mut self, plan: &Plan, streams: &Streams) {
        let circle = routing::has_circle(plan);
        for node in &plan.nodes {
            let strategy = Strategy::named(node.strategy).expect("the plan names a known strategy");
            let content_store = ContentStore::new(node.cached, node.policy);
            let random = streams.stream(&format!("node {}", node.name));
            let mut forwarder = Forwarder::new(content_store, strategy, node.marks, random);
            if circle {
                forwarder.watch_for_loops();
            }
            self.nodes.push(Node { forwarder, faces: SmallVec::new(), expiry: Time::NEVER });
        }
    }

    fn add_face(&mut self, node: usize, end: FaceEnd) -> FaceId {
        let node = &mut self.nodes[node];
        node.faces.push(end);
        node.forwarder.add_face(!matches!(end, FaceEnd::Port(_)))
    }

    /// Adds the links; returns the faces that each has at its two nodes.
    fn add_links(&mut self, plan: &Plan, streams: &Streams) -> Vec<[FaceId; 2]> {
        let mut link_faces = Vec::with_capacity(plan.links.len());
        for link in &plan.links {
            let first_port = self.ports.len() as u32;
            let faces = [0, 1].map(|side: usize| {
                self.add_face(link.nodes[side], FaceEnd::Port(first_port + side as u32))
            });
            for (side, direction) in link.directions.iter().enumerate() {
                let from = &plan.nodes[link.nodes[side]].name;
                let random = streams.stream(&format!("link {} from {from}", link.name));
                self.ports.push(Port::new(direction, random));
                let node = link.nodes[1 - side] as u32;
                self.far_ends.push(FarEnd { node, face: faces[1 - side] });
            }
            link_faces.push(faces);
        }
        link_faces
    }

    fn add_producers(&mut self, plan: &Plan) {
        for (index, producer) in plan.producers.iter().enumerate() {
            let face = self.add_face(producer.node, FaceEnd::Producer(index as u32));
            let prefix = &plan.prefixes[producer.prefix];
            let forwarder = &mut self.nodes[producer.node].forwarder;
            forwarder.fib().announce(prefix, NextHop { face, cost: 0 });
            self.producers.push(ProducerSeat {
                producer: producer.producer.clone(),
                node: producer.node as u32,
                face,
                answers: VecDeque::new(),
            });
        }
    }

    fn add_consumers(&mut self, plan: &Plan, streams: &Streams) {
        for (index, consumer) in plan.consumers.iter().enumerate() {
            let face = self.add_face(consumer.node, FaceEnd::Consumer(index as u32));
            let controller = AnyController::new(consumer.start, &consumer.controller);
            let random = streams.stream(&format!("consumer {}", consumer.name));
            self.consumers.push(ConsumerSeat {
                consumer: Consumer::new(consumer.settings.clone(), controller, random),
                node: consumer.node as u32,
                face,
                wake: Time::NEVER,
            });
        }
    }

    fn add_routes(&mut self, plan: &Plan, link_faces: &[[FaceId; 2]]) {
        let face = |node: usize, link: usize| {
            let side = usize::from(plan.links[link].nodes[0] != node);
            link_faces[link][side]
        };
        let given = &plan.routing.given;
        for route in given {
            let next_hop = NextHop { face: face(route.node, route.link), cost: route.cost };
            self.nodes[route.node].forwarder.fib().announce(&route.prefix, next_hop);
        }
        for hop in routing::hops(plan) {
            let prefix = &plan.prefixes[plan.producers[hop.producer].prefix];
            if given.iter().any(|it| it.node == hop.node && it.prefix == *prefix) {
                continue;
            }
            let next_hop = NextHop { face: face(hop.node, hop.link), cost: hop.cost };
            self.nodes[hop.node].forwarder.fib().announce(prefix, next_hop);
        }
        for node in &mut self.nodes {
            for (index, prefix) in plan.prefixes.iter().enumerate() {
                node.forwarder.fib().resolve(PrefixId(index as u32), prefix);
            }
        }
    }

    fn check_reachability(&mut self, plan: &Plan) -> Result<(), Unreachable> {
        for (index, consumer) in plan.consumers.iter().enumerate() {
            let fib = self.nodes[consumer.node].forwarder.fib();
            if fib.find(consumer.settings.prefix).is_none() {
                return Err(Unreachable { consumer: index });
            }
        }
        Ok(())
    }

    fn schedule_starts(&mut self) {
        for (index, seat) in self.consumers.iter_mut().enumerate() {
            seat.wake = seat.consumer.start();
            self.events.schedule(seat.wake, Event::Wake(index as u32));
        }
    }

    /// Lets time pass until the end of the plan, the cancellation, or the limit
    /// of real time; returns why it stopped and how many events there were.
    pub fn run(&mut self, control: &Control, real: Option<std::time::Duration>) -> (Stop, u64) {
        let limits = Limits { simulated: self.end, real };
        let (stop, events) = control.drive(&limits, |end| self.step(end));
        let until = if stop == Stop::Finished { self.end } else { self.events.now() };
        self.sample_before(until + Duration::from_picos(1));
        (stop, events)
    }

    /// The time reached.
    #[must_use]
    pub fn now(&self) -> Time {
        self.events.now()
    }

    /// The series.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// Each consumer, in the plan's order.
    pub fn consumers(&self) -> impl Iterator<Item = &Consumer> {
        self.consumers.iter().map(|seat| &seat.consumer)
    }

    /// What each port counted, and how long it was sending until `now`: for each
    /// link its two directions, in the plan's order.
    pub fn ports(&self, now: Time) -> impl Iterator<Item = (&PortCounters, Duration)> {
        self.ports.iter().map(move |port| (port.counters(), port.busy(now)))
    }

    /// What each node counted, in the plan's order.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeCounters> {
        self.nodes.iter().map(|node| node.forwarder.counters())
    }

    /// Packets that crossed a queue and a link.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.ports.iter().map(|port| port.counters().delivered).sum()
    }

    /// Packets in queues and on links.
    #[must_use]
    pub fn packets_held(&self) -> u64 {
        self.ports.iter().map(Port::held).sum()
    }

    fn step(&mut self, end: Time) -> Option<Time> {
        let (now, event) = self.events.next_until(end)?;
        if now > self.series.last + self.interval {
            self.sample_before(now);
        }
        self.prefetch();
        match event {
            Event::Arrival(port) => self.arrive(now, port),
            Event::Service(port) => {
                let due = self.ports[port as usize].serve(now, &mut self.packets);
                self.arrange(port, due);
            }
            Event::Expiry(node) => self.expire(now, node),
            Event::Wake(consumer) => self.wake(now, consumer),
            Event::Answer(producer) => self.answer(now, producer),
            Event::Settlement => self.settle(now),
        }
        Some(now)
    }

    /// Brings near what the next events will touch: with thousands of links, the
    /// time goes into waiting for memory.
    #[inline]
    fn prefetch(&self) {
        for (order, event) in self.events.upcoming().enumerate() {
            let Event::Arrival(port) = event else { continue };
            if order == 0 {
                self.ports[port as usize].prefetch(&self.packets);
                prefetch(&self.nodes[self.far_ends[port as usize].node as usize]);
            } else {
                prefetch(&self.ports[port as usize]);
                prefetch(&self.far_ends[port as usize]);
            }
        }
    }

    fn arrange(&mut self, port: u32, due: Due) {
        if let Some(time) = due.arrival {
            self.events.schedule(time, Event::Arrival(port));
        }
        if let Some(time) = due.service {
            self.events.schedule(time, Event::Service(port));
        }
    }

    fn arrive(&mut self, now: Time, port: u32) {
        let arrived = self.ports[port as usize].arrive(&mut self.packets);
        if let Some(time) = arrived.next {
            self.events.schedule(time, Event::Arrival(port));
        }
        if let Some(packet) = arrived.packet {
            let FarEnd { node, face } = self.far_ends[port as usize];
            self.receive(now, node, face, &packet);
            self.settle(now);
        }
    }

    fn wake(&mut self, now: Time, consumer: u32) {
        let seat = &mut self.consumers[consumer as usize];
        if seat.wake != now {
            return;
        }
        seat.wake = Time::NEVER;
        seat.consumer.wake(now, &mut self.requests);
        self.ask(now, consumer);
        self.settle(now);
    }

    fn answer(&mut self, now: Time, producer: u32) {
        let seat = &mut self.producers[producer as usize];
        if let Some((_, packet)) = seat.answers.pop_front() {
            self.local.push_back((seat.node, seat.face, packet));
        }
        if let Some((time, _)) = seat.answers.front() {
            self.events.schedule(*time, Event::Answer(producer));
        }
        self.settle(now);
    }

    fn expire(&mut self, now: Time, node: u32) {
        let seat = &mut self.nodes[node as usize];
        if seat.expiry != now {
            return;
        }
        seat.expiry = Time::NEVER;
        seat.forwarder.expire(now);
        self.watch_expiry(node);
    }

    /// Lets packets inside nodes go on until none is left, or, after very many,
    /// until the next event: where answers take no time they never end, and still
    /// a run can be cancelled.
    #[inline]
    fn settle(&mut self, now: Time) {
        const MOST_AT_ONCE: u32 = 64;
        for _ in 0..MOST_AT_ONCE {
            let Some((node, face, packet)) = self.local.pop_front() else { return };
            self.receive(now, node, face, &packet);
        }
        self.events.schedule(now, Event::Settlement);
    }

    /// A node takes in a packet, and sends what that causes.
    #[inline]
    fn receive(&mut self, now: Time, node: u32, face: FaceId, packet: &Packet) {
        let mut outbox = std::mem::take(&mut self.outbox);
        let seat = &mut self.nodes[node as usize];
        seat.forwarder.receive(now, face, packet, &mut outbox);
        self.watch_expiry(node);
        for (face, packet) in outbox.drain(..) {
            match self.nodes[node as usize].faces[usize::from(face.0)] {
                FaceEnd::Port(port) => {
                    let due = self.ports[port as usize].offer(now, packet, &mut self.packets);
                    self.arrange(port, due);
                }
                FaceEnd::Consumer(consumer) => {
                    let seat = &mut self.consumers[consumer as usize];
                    seat.consumer.receive(now, &packet, &mut self.requests);
                    self.ask(now, consumer);
                }
                FaceEnd::Producer(producer) => self.produce(now, producer, &packet),
            }
        }
        self.outbox = outbox;
    }

    /// Schedules a look at expiring Interests, if none is scheduled in time.
    #[inline]
    fn watch_expiry(&mut self, node: u32) {
        let seat = &mut self.nodes[node as usize];
        if let Some(time) = seat.forwarder.next_expiry()
            && time < seat.expiry
        {
            seat.expiry = time;
            self.events.schedule(time, Event::Expiry(node));
        }
    }

    /// Hands a consumer's requests to its node, and schedules its wake-up.
    #[inline]
    fn ask(&mut self, now: Time, consumer: u32) {
        let seat = &mut self.consumers[consumer as usize];
        for (_, packet) in self.requests.drain(..) {
            self.local.push_back((seat.node, seat.face, packet));
        }
        if let Some(time) = seat.consumer.next_wake()
            && time < seat.wake
        {
            // What is overdue is done at once.
            let time = seat.consumer.next_check(time.max(now));
            if time < seat.wake {
                seat.wake = time;
                self.events.schedule(time, Event::Wake(consumer));
            }
        }
    }

    #[inline]
    fn produce(&mut self, now: Time, producer: u32, packet: &Packet) {
        let Body::Interest(interest) = &packet.body else { return };
        let seat = &mut self.producers[producer as usize];
        let prefix_size = self.prefix_sizes[interest.name.prefix.0 as usize];
        let answer = seat.producer.answer(interest, prefix_size);
        if seat.producer.response_delay == Duration::ZERO {
            self.local.push_back((seat.node, seat.face, answer));
            return;
        }
        let ready = now + seat.producer.response_delay;
        if seat.answers.is_empty() {
            self.events.schedule(ready, Event::Answer(producer));
        }
        seat.answers.push_back((ready, answer));
    }

    /// Samples at every interval's end before `now`; what happens at its end
    /// belongs to an interval.
    #[cold]
    fn sample_before(&mut self, now: Time) {
        while self.series.last + self.interval < now {
            let time = self.series.last + self.interval;
            self.sample_flows(time);
            self.sample_ports(time);
            self.series.last = time;
        }
    }

    fn sample_flows(&mut self, time: Time) {
        let seconds = self.interval.as_seconds();
        for (seat, last) in self.consumers.iter().zip(&mut self.sampled.flows) {
            let consumer = &seat.consumer;
            let counters = *consumer.counters();
            let data = counters.data - last.data;
            let delay = (counters.delay_sum - last.delay_sum).as_seconds();
            self.series.flows.push(FlowSample {
                time_s: time.as_seconds(),
                goodput_bps: (counters.bytes - last.bytes) as f64 * 8.0 / seconds,
                cwnd: consumer.controller().cwnd(),
                ssthresh: consumer.controller().ssthresh(),
                in_flight: consumer.in_flight(),
                smoothed_rtt_s: consumer.smoothed_rtt().map(Duration::as_seconds),
                delay_s: (data > 0).then(|| delay / data as f64),
                retransmissions: counters.retransmissions - last.retransmissions,
                marks: counters.marks - last.marks,
                timeouts: counters.timeouts - last.timeouts,
                decreases: counters.decreases - last.decreases,
            });
            *last = counters;
        }
    }

    fn sample_ports(&mut self, time: Time) {
        let seconds = self.interval.as_seconds();
        for (port, last) in self.ports.iter_mut().zip(&mut self.sampled.ports) {
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
