//! Named Data Networking placed in the world: forwarders on nodes, consumers and
//! producers beside them.

use std::collections::VecDeque;

use smallvec::SmallVec;
use windtunnel_controllers::{AnyController, Controller};
use windtunnel_engine::{Duration, Streams, Time, prefetch};
use windtunnel_networks::ndn::FaceId;
use windtunnel_networks::ndn::content_store::ContentStore;
use windtunnel_networks::ndn::fib::NextHop;
use windtunnel_networks::ndn::forwarder::{Forwarder, ForwarderCounters, ForwarderOutbox};
use windtunnel_networks::ndn::strategy::Strategy;
use windtunnel_packets::ndn::PrefixId;
use windtunnel_packets::ndn::wire::size::NameSize;
use windtunnel_packets::{Body, Packet};
use windtunnel_transports::ndn::consumer::{Consumer, ConsumerCounters, ConsumerOutbox};
use windtunnel_transports::ndn::producer::Producer;

use crate::event::Event;
use crate::network::Network;
use crate::plan::Plan;
use crate::record::FlowSample;
use crate::routing::{self, Unreachable};

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

/// All forwarders, consumers and producers.
#[derive(Debug)]
pub(crate) struct Ndn {
    nodes: Vec<Node>,
    far_ends: Vec<FarEnd>,
    consumers: Vec<ConsumerSeat>,
    producers: Vec<ProducerSeat>,
    /// Those of the prefixes in use.
    prefix_sizes: Vec<NameSize>,
    /// Packets on their way inside a node.
    local: VecDeque<(u32, FaceId, Packet)>,
    outbox: ForwarderOutbox,
    requests: Vec<Packet>,
    /// What had been counted at the last sample.
    sampled: Vec<ConsumerCounters>,
}

impl Ndn {
    /// All that a plan has of it.
    ///
    /// # Errors
    /// [`Unreachable`] if a consumer has no path to a producer of its prefix.
    pub(crate) fn new(plan: &Plan, streams: &Streams) -> Result<Self, Unreachable> {
        let mut ndn = Self {
            nodes: Vec::with_capacity(plan.nodes.len()),
            far_ends: Vec::with_capacity(2 * plan.links.len()),
            consumers: Vec::with_capacity(plan.consumers.len()),
            producers: Vec::with_capacity(plan.producers.len()),
            prefix_sizes: plan.prefixes.iter().map(NameSize::of).collect(),
            local: VecDeque::new(),
            outbox: ForwarderOutbox::new(),
            requests: ConsumerOutbox::new(),
            sampled: vec![ConsumerCounters::default(); plan.consumers.len()],
        };
        ndn.add_nodes(plan, streams);
        let link_faces = ndn.add_links(plan);
        ndn.add_producers(plan);
        ndn.add_consumers(plan, streams);
        ndn.add_routes(plan, &link_faces);
        ndn.check_reachability(plan)?;
        Ok(ndn)
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
    fn add_links(&mut self, plan: &Plan) -> Vec<[FaceId; 2]> {
        let mut link_faces = Vec::with_capacity(plan.links.len());
        for (index, link) in plan.links.iter().enumerate() {
            let faces = [0, 1].map(|side: usize| {
                self.add_face(link.nodes[side], FaceEnd::Port((2 * index + side) as u32))
            });
            for side in [0, 1] {
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
                return Err(Unreachable::Consumer(index));
            }
        }
        Ok(())
    }

    /// Schedules the consumers' starts.
    pub(crate) fn start(&mut self, network: &mut Network) {
        for (index, seat) in self.consumers.iter_mut().enumerate() {
            seat.wake = seat.consumer.start();
            network.schedule(seat.wake, Event::ConsumerWake(index as u32));
        }
    }

    /// Each consumer, in the plan's order.
    pub(crate) fn consumers(&self) -> impl Iterator<Item = &Consumer> {
        self.consumers.iter().map(|seat| &seat.consumer)
    }

    /// What each node counted, in the plan's order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &ForwarderCounters> {
        self.nodes.iter().map(|node| node.forwarder.counters())
    }

    /// Brings near the node that a port leads to.
    #[inline]
    pub(crate) fn prefetch_node(&self, port: u32) {
        prefetch(&self.nodes[self.far_ends[port as usize].node as usize]);
    }

    /// Brings near where a port leads to.
    #[inline]
    pub(crate) fn prefetch_far_end(&self, port: u32) {
        prefetch(&self.far_ends[port as usize]);
    }

    /// A packet has come through a port.
    #[inline]
    pub(crate) fn arrive(&mut self, network: &mut Network, now: Time, port: u32, packet: &Packet) {
        let FarEnd { node, face } = self.far_ends[port as usize];
        self.receive(network, now, node, face, packet);
        self.settle(network, now);
    }

    /// A consumer starts or looks for timeouts.
    pub(crate) fn wake(&mut self, network: &mut Network, now: Time, consumer: u32) {
        let seat = &mut self.consumers[consumer as usize];
        if seat.wake != now {
            return;
        }
        seat.wake = Time::NEVER;
        seat.consumer.wake(now, &mut self.requests);
        self.ask(network, now, consumer);
        self.settle(network, now);
    }

    /// A producer's answer is ready.
    pub(crate) fn answer(&mut self, network: &mut Network, now: Time, producer: u32) {
        let seat = &mut self.producers[producer as usize];
        if let Some((_, packet)) = seat.answers.pop_front() {
            self.local.push_back((seat.node, seat.face, packet));
        }
        if let Some((time, _)) = seat.answers.front() {
            network.schedule(*time, Event::Answer(producer));
        }
        self.settle(network, now);
    }

    /// A pending Interest of a node may have expired.
    pub(crate) fn expire(&mut self, network: &mut Network, now: Time, node: u32) {
        let seat = &mut self.nodes[node as usize];
        if seat.expiry != now {
            return;
        }
        seat.expiry = Time::NEVER;
        seat.forwarder.expire(now);
        self.watch_expiry(network, node);
    }

    /// Lets packets inside nodes go on until none is left, or, after very many,
    /// until the next event: where answers take no time they never end, and still
    /// a run can be cancelled.
    #[inline]
    pub(crate) fn settle(&mut self, network: &mut Network, now: Time) {
        const MOST_AT_ONCE: u32 = 64;
        for _ in 0..MOST_AT_ONCE {
            let Some((node, face, packet)) = self.local.pop_front() else { return };
            self.receive(network, now, node, face, &packet);
        }
        network.schedule(now, Event::Settlement);
    }

    /// A node takes in a packet, and sends what that causes.
    #[inline]
    fn receive(
        &mut self,
        network: &mut Network,
        now: Time,
        node: u32,
        face: FaceId,
        packet: &Packet,
    ) {
        let mut outbox = std::mem::take(&mut self.outbox);
        let seat = &mut self.nodes[node as usize];
        seat.forwarder.receive(now, face, packet, &mut outbox);
        self.watch_expiry(network, node);
        for (face, packet) in outbox.drain(..) {
            match self.nodes[node as usize].faces[usize::from(face.0)] {
                FaceEnd::Port(port) => network.offer(now, port, packet),
                FaceEnd::Consumer(consumer) => {
                    let seat = &mut self.consumers[consumer as usize];
                    seat.consumer.receive(now, &packet, &mut self.requests);
                    self.ask(network, now, consumer);
                }
                FaceEnd::Producer(producer) => self.produce(network, now, producer, &packet),
            }
        }
        self.outbox = outbox;
    }

    /// Schedules a look at expiring Interests, if none is scheduled in time.
    #[inline]
    fn watch_expiry(&mut self, network: &mut Network, node: u32) {
        let seat = &mut self.nodes[node as usize];
        if let Some(time) = seat.forwarder.next_expiry()
            && time < seat.expiry
        {
            seat.expiry = time;
            network.schedule(time, Event::Expiry(node));
        }
    }

    /// Hands a consumer's requests to its node, and schedules its wake-up.
    #[inline]
    fn ask(&mut self, network: &mut Network, now: Time, consumer: u32) {
        let seat = &mut self.consumers[consumer as usize];
        for packet in self.requests.drain(..) {
            self.local.push_back((seat.node, seat.face, packet));
        }
        // What is overdue is done at once.
        let check = seat.consumer.next_wake().filter(|time| *time < seat.wake);
        let check = check.map(|time| seat.consumer.next_check(time.max(now)));
        let next = check.into_iter().chain(seat.consumer.next_paced()).min();
        if let Some(time) = next.filter(|time| *time < seat.wake) {
            seat.wake = time;
            network.schedule(time, Event::ConsumerWake(consumer));
        }
    }

    #[inline]
    fn produce(&mut self, network: &mut Network, now: Time, producer: u32, packet: &Packet) {
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
            network.schedule(ready, Event::Answer(producer));
        }
        seat.answers.push_back((ready, answer));
    }

    /// Samples each consumer over the interval of `seconds` that ends at `time`.
    pub(crate) fn sample(&mut self, time: Time, seconds: f64, samples: &mut Vec<FlowSample>) {
        for (seat, last) in self.consumers.iter().zip(&mut self.sampled) {
            let consumer = &seat.consumer;
            let counters = *consumer.counters();
            let data = counters.data - last.data;
            let delay = (counters.delay_sum - last.delay_sum).as_seconds();
            samples.push(FlowSample {
                time_s: time.as_seconds(),
                goodput_bps: (counters.bytes - last.bytes) as f64 * 8.0 / seconds,
                cwnd: Some(consumer.controller().cwnd()),
                ssthresh: Some(consumer.controller().ssthresh()),
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
}
