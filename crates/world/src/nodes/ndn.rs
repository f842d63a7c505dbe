//! Named Data Networking on a node: the forwarder, and the consumers and producers beside
//! it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;
use windtunnel_controllers::{AnyController, Controller, Settings as ControllerSettings};
use windtunnel_engine::{Duration, Streams, Time, prefetch};
use windtunnel_networks::layer::{Actions, Interface, NetworkLayer, Timer};
use windtunnel_networks::ndn::FaceId;
use windtunnel_networks::ndn::content_store::ContentStore;
use windtunnel_networks::ndn::fib::NextHop;
use windtunnel_networks::ndn::forwarder::Forwarder;
use windtunnel_networks::ndn::strategy::Strategy;
use windtunnel_packets::ndn::wire;
use windtunnel_packets::ndn::wire::size::NameSize;
use windtunnel_packets::ndn::{Name, PacketFormat, PrefixId};
use windtunnel_packets::{Body, Packet, PacketStore};
use windtunnel_transports::ndn::consumer::{Consumer, ConsumerCounters};
use windtunnel_transports::ndn::producer::{Producer, Publishing};

use super::consumer_log::{ConsumerLog, round_trips};
use super::processor::{self, Processor};
use crate::packet_log::SharedLog;
use crate::plan::{ConsumerPlan, NodePlan, ProducerPlan};
use crate::port_id::PortId;
use crate::series::FlowSample;

/// An application beside the forwarder, by its place among those of its kind.
#[derive(Clone, Copy, Debug)]
enum Beside {
    Consumer(u32),
    Producer(u32),
}

#[derive(Clone, Debug)]
struct ConsumerSeat {
    consumer: Consumer,
    face: FaceId,
    /// When its next wake-up is scheduled.
    wake: Time,
    /// Who logs what it sends and receives, if anybody does.
    log: Option<ConsumerLog>,
}

#[derive(Clone, Debug)]
struct ProducerSeat {
    producer: Producer,
    /// The prefix that it serves, by number.
    prefix: usize,
    face: FaceId,
    /// Answers that are not ready yet.
    answers: VecDeque<(Time, Packet)>,
    /// What it publishes next, if it does.
    next: Name,
}

/// A node's NDN layer. What every packet touches comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct NdnLayer {
    forwarder: Forwarder,
    /// When the next check for expired Interests is scheduled.
    expiry: Time,
    /// The ports behind its first faces.
    ports: SmallVec<[PortId; 4]>,
    /// Behind the other faces.
    applications: SmallVec<[Beside; 2]>,
    consumers: Vec<ConsumerSeat>,
    producers: Vec<ProducerSeat>,
    /// Those of the prefixes in use.
    prefix_sizes: Arc<[NameSize]>,
    /// Prefixes in the table, by number.
    announced: Vec<usize>,
    /// What packets wait for, if it takes time.
    processor: Option<Box<Processor>>,
    /// Packets inside the node that were too many for one event.
    postponed: VecDeque<(FaceId, Packet)>,
}

/// The next hops of prefixes, by their numbers.
pub(super) type Table = BTreeMap<usize, Vec<NextHop>>;

/// Pending Interests may have expired.
const EXPIRY: Timer = Timer(0);
/// Packets inside the node go on.
const INSIDE: Timer = Timer(1);

/// The timer of an application.
fn timer(of: Beside) -> Timer {
    match of {
        Beside::Consumer(place) => Timer(2 + 2 * place),
        Beside::Producer(place) => Timer(3 + 2 * place),
    }
}

impl NdnLayer {
    pub(super) fn new(
        node: &NodePlan,
        ports: &[PortId],
        streams: &Streams,
        watches_for_loops: bool,
        prefix_sizes: Arc<[NameSize]>,
    ) -> Self {
        let strategy = Strategy::named(node.strategy).expect("the plan names a known strategy");
        let content_store = ContentStore::new(node.cached, node.policy);
        let random = streams.stream(&format!("node {}", node.name));
        let mut forwarder = Forwarder::new(content_store, strategy, node.marks, random);
        if watches_for_loops {
            forwarder.watch_for_loops();
        }
        for _ in ports {
            forwarder.add_face(false);
        }
        Self {
            forwarder,
            expiry: Time::NEVER,
            ports: ports.into(),
            applications: SmallVec::new(),
            consumers: Vec::new(),
            producers: Vec::new(),
            prefix_sizes,
            announced: Vec::new(),
            processor: Processor::new(node.processing_time),
            postponed: VecDeque::new(),
        }
    }

    fn add_application(&mut self, application: Beside) -> FaceId {
        self.applications.push(application);
        self.forwarder.add_face(true)
    }

    pub(super) fn add_producer(&mut self, plan: &ProducerPlan, format: PacketFormat) {
        let face = self.add_application(Beside::Producer(self.producers.len() as u32));
        let (producer, answers) = (plan.producer.clone(), VecDeque::new());
        let prefix = plan.prefix;
        let next = Name { prefix: PrefixId::new(prefix, format), segment: 0 };
        self.producers.push(ProducerSeat { producer, prefix, face, answers, next });
    }

    /// Returns its place among the consumers here.
    pub(super) fn add_consumer(&mut self, plan: &ConsumerPlan, streams: &Streams) -> u32 {
        let place = self.consumers.len() as u32;
        let face = self.add_application(Beside::Consumer(place));
        let controller = AnyController::new(plan.settings.window.start(), &plan.controller);
        let random = streams.stream(&format!("consumer {}", plan.name));
        let consumer = Consumer::new(plan.settings.clone(), controller, random);
        self.consumers.push(ConsumerSeat { consumer, face, wake: Time::NEVER, log: None });
        place
    }

    pub(super) fn consumer(&self, place: u32) -> &Consumer {
        &self.consumers[place as usize].consumer
    }

    /// Has a consumer that has not begun driven by another controller.
    pub(super) fn set_controller(&mut self, place: u32, controller: &ControllerSettings) {
        self.consumers[place as usize].consumer.set_controller(controller);
    }

    /// Has what a consumer sends and receives logged, as that of a place in the plan on a node.
    pub(super) fn log_consumer(&mut self, place: u32, of: (u32, u32), log: &SharedLog) {
        self.consumers[place as usize].log = Some(ConsumerLog::new(of, log));
    }

    /// Fetches what every packet touches.
    #[inline]
    pub(super) fn prefetch(&self) {
        prefetch(&self.forwarder);
        prefetch(&self.ports);
    }

    /// Fetches what a packet of that name will meet: first where the table of pending
    /// Interests is looked up, then what may be found there.
    #[inline]
    pub(super) fn prefetch_name(&self, name: Name, first: bool) {
        if first {
            self.forwarder.prefetch_index(name);
            self.applications.first().into_iter().for_each(|it| self.prefetch_application(*it));
        } else {
            self.forwarder.prefetch_pending(name);
        }
    }

    #[inline]
    fn prefetch_application(&self, application: Beside) {
        match application {
            Beside::Consumer(place) => prefetch(&self.consumers[place as usize]),
            Beside::Producer(place) => prefetch(&self.producers[place as usize]),
        }
    }

    /// The ports of its node, by interface.
    #[inline]
    pub(super) fn ports(&self) -> &[PortId] {
        &self.ports
    }

    pub(super) fn forwarder(&self) -> &Forwarder {
        &self.forwarder
    }

    /// Announces a prefix that is not in use itself.
    pub(super) fn announce(&mut self, prefix: &wire::Name<'static>, next_hops: &[NextHop]) {
        self.forwarder.replace_next_hops(prefix, next_hops);
    }

    /// Fills the table: the next hops of each prefix in use, beside the producers here.
    /// What is not among them any more is withdrawn.
    pub(super) fn route(
        &mut self,
        prefixes: &[wire::Name<'static>],
        formats: &[PacketFormat],
        mut table: Table,
    ) {
        for seat in self.producers.iter().rev() {
            let own = NextHop { face: seat.face, cost: 0 };
            table.entry(seat.prefix).or_default().insert(0, own);
        }
        for prefix in self.announced.iter().filter(|it| !table.contains_key(it)) {
            self.forwarder.replace_next_hops(&prefixes[*prefix], &[]);
        }
        for (prefix, next_hops) in &mut table {
            next_hops.sort_by_key(|it| it.cost);
            self.forwarder.replace_next_hops(&prefixes[*prefix], next_hops);
        }
        self.announced = table.into_keys().collect();
        for (index, (prefix, format)) in prefixes.iter().zip(formats).enumerate() {
            self.forwarder.fib().resolve(PrefixId::new(index, *format), prefix);
        }
    }

    /// Whether names below a prefix are forwarded.
    pub(super) fn knows(&mut self, prefix: PrefixId) -> bool {
        self.forwarder.fib().find(prefix).is_some()
    }

    /// The application behind a face, if it does not lead to a link.
    #[inline]
    fn beside(&self, face: FaceId) -> Option<Beside> {
        let place = usize::from(face.0).checked_sub(self.ports.len())?;
        Some(self.applications[place])
    }

    /// The forwarder takes in a packet; what goes to applications reaches them.
    #[inline]
    fn take_in(&mut self, now: Time, face: FaceId, packet: &Packet, actions: &mut Actions) {
        let first = actions.sends.len();
        let expires = self.forwarder.receive(now, face, packet, &mut actions.sends);
        self.watch_expiry(expires, actions);
        if !self.applications.is_empty() {
            self.deliver(now, first, actions);
        }
    }

    /// Likewise, of a packet that may come from an application here, which may publish it.
    fn take_in_from_inside(
        &mut self,
        now: Time,
        face: FaceId,
        packet: &Packet,
        actions: &mut Actions,
    ) {
        if self.publishes(face) {
            self.forwarder.publish(now, packet);
        }
        self.take_in(now, face, packet, actions);
    }

    /// Whether a producer is behind a face that publishes.
    fn publishes(&self, face: FaceId) -> bool {
        match self.beside(face) {
            Some(Beside::Producer(it)) => self.producers[it as usize].producer.publishing.is_some(),
            Some(Beside::Consumer(_)) | None => false,
        }
    }

    /// Gives applications what is for them; what is for links stays.
    fn deliver(&mut self, now: Time, first: usize, actions: &mut Actions) {
        let mut kept = first;
        for place in first..actions.sends.len() {
            let (face, packet) = actions.sends[place];
            match self.beside(face) {
                None => {
                    actions.sends[kept] = (face, packet);
                    kept += 1;
                }
                Some(Beside::Consumer(consumer)) => {
                    let seat = &mut self.consumers[consumer as usize];
                    let before = seat.log.as_ref().map(|_| round_trips(&seat.consumer));
                    seat.consumer.receive(now, &packet, &mut actions.requests);
                    if let (Some(log), Some(before)) = (&seat.log, before) {
                        log.arrived(now, &packet, before, &seat.consumer);
                    }
                    self.ask(now, consumer, actions);
                }
                Some(Beside::Producer(producer)) => self.produce(now, producer, &packet, actions),
            }
        }
        actions.sends.truncate(kept);
    }

    /// How many packets found no room before the forwarder.
    pub(super) fn processing_drops(&self) -> u64 {
        self.processor.as_ref().map_or(0, |it| it.drops())
    }

    /// Lets packets inside the node go on until none is left, or, after very many,
    /// until the next event: where answers take no time they never end, and still
    /// a run can be cancelled.
    #[inline]
    fn settle(&mut self, now: Time, actions: &mut Actions) {
        if !actions.inside.is_empty() {
            self.settle_inside(now, actions);
        }
    }

    fn settle_inside(&mut self, now: Time, actions: &mut Actions) {
        const MOST_AT_ONCE: u32 = 64;
        if let Some(processor) = &mut self.processor {
            while let Some((face, packet)) = actions.inside.pop_front() {
                processor.enter(now, face, packet, actions);
            }
            return;
        }
        for _ in 0..MOST_AT_ONCE {
            let Some((face, packet)) = actions.inside.pop_front() else { return };
            self.take_in_from_inside(now, face, &packet, actions);
        }
        self.postponed.append(&mut actions.inside);
        actions.wake(now, INSIDE);
    }

    /// The forwarder has done with a packet.
    fn process(&mut self, now: Time, actions: &mut Actions) {
        let done = self.processor.as_mut().and_then(|it| it.finish(now, actions));
        if let Some((face, packet)) = done {
            self.take_in_from_inside(now, face, &packet, actions);
        }
    }

    /// Schedules a check for an Interest that expires, if none is scheduled in time.
    #[inline]
    fn watch_expiry(&mut self, expires: Option<Time>, actions: &mut Actions) {
        if let Some(time) = expires
            && time < self.expiry
        {
            self.expiry = time;
            actions.wake(time, EXPIRY);
        }
    }

    /// Hands a consumer's requests to the forwarder, and schedules its wake-up.
    #[inline]
    fn ask(&mut self, now: Time, consumer: u32, actions: &mut Actions) {
        let seat = &mut self.consumers[consumer as usize];
        if let Some(log) = &seat.log {
            log.left(now, &actions.requests, &seat.consumer);
        }
        for packet in actions.requests.drain(..) {
            actions.inside.push_back((seat.face, packet));
        }
        // What is overdue is done immediately.
        let check = seat.consumer.next_wake().filter(|time| *time < seat.wake);
        let check = check.map(|time| seat.consumer.next_check(time.max(now)));
        let next = check.into_iter().chain(seat.consumer.next_paced()).min();
        if let Some(time) = next.filter(|time| *time < seat.wake) {
            seat.wake = time;
            actions.wake(time, timer(Beside::Consumer(consumer)));
        }
    }

    #[inline]
    fn produce(&mut self, now: Time, producer: u32, packet: &Packet, actions: &mut Actions) {
        let Body::Interest(interest) = &packet.body else { return };
        let seat = &mut self.producers[producer as usize];
        if seat.producer.publishing.is_some() {
            return;
        }
        let prefix_size = self.prefix_sizes[interest.name.prefix.index()];
        let answer = seat.producer.answer(interest, prefix_size);
        if seat.producer.response_delay == Duration::ZERO {
            actions.inside.push_back((seat.face, answer));
            return;
        }
        let ready = now + seat.producer.response_delay;
        if seat.answers.is_empty() {
            actions.wake(ready, timer(Beside::Producer(producer)));
        }
        seat.answers.push_back((ready, answer));
    }

    /// A consumer starts or checks for timeouts.
    fn wake_consumer(&mut self, now: Time, consumer: u32, actions: &mut Actions) {
        let seat = &mut self.consumers[consumer as usize];
        if seat.wake == now {
            seat.wake = Time::NEVER;
            seat.consumer.wake(now, &mut actions.requests);
            self.ask(now, consumer, actions);
        }
    }

    /// A producer's answer is ready, or it publishes the next segment.
    fn wake_producer(&mut self, now: Time, producer: u32, actions: &mut Actions) {
        if let Some(it) = self.producers[producer as usize].producer.publishing {
            return self.publish(now, producer, it, actions);
        }
        let seat = &mut self.producers[producer as usize];
        if let Some((_, packet)) = seat.answers.pop_front() {
            actions.inside.push_back((seat.face, packet));
        }
        if let Some((time, _)) = seat.answers.front() {
            actions.wake(*time, timer(Beside::Producer(producer)));
        }
    }

    /// A producer publishes its next segment.
    fn publish(&mut self, now: Time, producer: u32, it: Publishing, actions: &mut Actions) {
        let seat = &mut self.producers[producer as usize];
        let packet = seat.producer.data(seat.next, self.prefix_sizes[seat.prefix]);
        actions.inside.push_back((seat.face, packet));
        seat.next.segment += 1;
        if seat.next.segment < it.segments {
            actions.wake(now + it.interval, timer(Beside::Producer(producer)));
        }
    }

    /// Pending Interests may have expired.
    fn wake_expiry(&mut self, now: Time, actions: &mut Actions) {
        if self.expiry == now {
            self.expiry = Time::NEVER;
            self.forwarder.expire(now);
            self.watch_expiry(self.forwarder.next_expiry(), actions);
        }
    }
}

impl NetworkLayer for NdnLayer {
    fn start(&mut self, _packets: &mut PacketStore, actions: &mut Actions) {
        for (place, seat) in (0..).zip(&mut self.consumers) {
            seat.wake = seat.consumer.start();
            actions.wake(seat.wake, timer(Beside::Consumer(place)));
        }
        for (place, seat) in (0..).zip(&self.producers) {
            if seat.producer.publishing.is_some() {
                actions.wake(Time::ZERO, timer(Beside::Producer(place)));
            }
        }
    }

    #[inline]
    fn receive(
        &mut self,
        now: Time,
        from: Interface,
        packet: &Packet,
        _packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        match &mut self.processor {
            None => {
                self.take_in(now, from, packet, actions);
                self.settle(now, actions);
            }
            Some(it) => it.enter(now, from, *packet, actions),
        }
    }

    fn wake(&mut self, now: Time, timer: Timer, _packets: &mut PacketStore, actions: &mut Actions) {
        match timer.0.checked_sub(2) {
            Some(_) if timer == processor::DONE => self.process(now, actions),
            Some(of) if of % 2 == 0 => self.wake_consumer(now, of / 2, actions),
            Some(of) => self.wake_producer(now, of / 2, actions),
            None if timer == EXPIRY => self.wake_expiry(now, actions),
            None => actions.inside.append(&mut self.postponed),
        }
        self.settle(now, actions);
    }
}

/// A consumer over the interval of `seconds` that ends at `time_s`; which one it is, is left
/// open.
pub(crate) fn sample(
    consumer: &Consumer,
    last: &mut ConsumerCounters,
    time_s: f64,
    seconds: f64,
) -> FlowSample {
    let counters = *consumer.counters();
    let data = counters.data - last.data;
    let delay = (counters.delay_sum - last.delay_sum).as_seconds();
    let goodput_bps = (counters.bytes - last.bytes) as f64 * 8.0 / seconds;
    let sample = FlowSample {
        flow: 0,
        time_s,
        goodput_bps,
        received_bps: goodput_bps,
        cwnd: Some(consumer.controller().cwnd()),
        ssthresh: Some(consumer.controller().ssthresh()),
        in_flight: Some(consumer.in_flight()),
        smoothed_rtt_s: consumer.smoothed_rtt().map(Duration::as_seconds),
        delay_s: (data > 0).then(|| delay / data as f64),
        retransmissions: counters.retransmissions - last.retransmissions,
        reordered: None,
        lost: None,
        lost_share: None,
        jitter_s: None,
        marks: counters.marks - last.marks,
        timeouts: Some(counters.timeouts - last.timeouts),
        decreases: Some(counters.decreases - last.decreases),
        waiting_bytes: None,
    };

    *last = counters;
    sample
}
