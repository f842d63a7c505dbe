//! A consumer: keeps as many Interests in flight as its congestion controller
//! allows, times them, and retransmits those that are not answered.
//!
//! Sources: the fetching pipelines of ndn-tools and the consumer of PCON
//! (Schneider et al., ICN 2016), whose differences are settings here.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use hashbrown::HashTable;
use rand_distr::{Distribution, Zipf};
use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Delivery, Description, Need, Signal,
};
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_packets::ndn::wire::size::{InterestShape, NameSize};
use windtunnel_packets::ndn::{Data, Interest, Nack, NackReason, Name, PrefixId};
use windtunnel_packets::{Body, Packet};

use super::blocking_read::{AfterRead, BlockingRead, Reader};
use super::reads::Reads;
use crate::delivery::{Account, Snapshot};
use crate::pacing::Pacer;
use crate::rtt::{RtoLimits, RttEstimator};

/// The Interests that are to be sent. Callers keep one and empty it, so that
/// sending allocates nothing once warm.
pub type ConsumerOutbox = Vec<Packet>;

/// What a consumer asks for.
#[derive(Clone, Debug)]
pub enum ConsumerWorkload {
    /// Segments 0, 1, 2 … without end.
    Stream,
    /// The segments of one file, each once.
    File {
        /// How many there are.
        segments: u64,
    },
    /// Objects of one segment each, drawn by popularity (Zipf's law), without
    /// end. While an object is in flight it is not drawn again.
    Catalogue {
        /// The law; object numbers start from 1.
        popularity: Zipf<f64>,
    },
}

/// When a congestion signal leads to a decrease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Always.
    Every,
    /// At most once a round trip: only if Data was received that was asked for
    /// after the last decrease (ndn-tools' conservative window adaptation).
    OncePerRoundTrip,
    /// Never; a marked Data then counts like any other.
    Ignore,
}

/// What a timeout of an Interest means to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutMeaning {
    /// A segment was lost: the ordinary decrease.
    Loss,
    /// Start again from the initial window.
    Restart,
}

/// How much one round trip moves the smoothed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttGain {
    /// The usual gains, shared among the samples of a round trip (ndn-cxx).
    PerRoundTrip,
    /// The usual gains for each sample (ndnSIM).
    PerSample,
}

/// What a fraction of a segment in the window allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowFraction {
    /// Nothing: what is in flight never exceeds the window.
    Waits,
    /// One more Interest (ndnSIM).
    Sends,
}

/// When a timeout doubles the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// Once for all Interests that were sent before it was doubled last: a burst of
    /// losses is one sign, however long its timeouts take to come (RFC 6298, section
    /// 5, whose one timer starts again when it is doubled).
    OncePerRoundTrip,
    /// Once for all Interests found timed out at the same moment.
    EachEvent,
    /// For each timed-out Interest, as ndnSIM's consumers do.
    EachInterest,
}

/// What Data does whose Interest timed out and was not sent again yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateData {
    /// Its round trip is measured: it is of the only Interest, so that Karn's rule allows it,
    /// and shows that the timeout was too short. Its timeout has ended that Interest's time in
    /// flight.
    Measures,
    /// It lowers the number in flight once more, and its round trip is not measured
    /// (ndnSIM): one Interest too many is in flight from then on.
    LowersInFlight,
}

/// A consumer's settings.
#[derive(Clone, Debug)]
pub struct ConsumerSettings {
    /// The prefix of all names asked for.
    pub prefix: PrefixId,
    /// That prefix's encoded size.
    pub prefix_size: NameSize,
    /// What is asked for.
    pub workload: ConsumerWorkload,
    /// The bytes of content that count as one segment to the controller.
    pub segment_size: u32,
    /// How long an Interest stays pending in the routers, in milliseconds.
    pub lifetime_ms: u32,
    /// How many hops an Interest may take, if limited.
    pub hop_limit: Option<u8>,
    /// Whether cached Data past its freshness period will not do.
    pub must_be_fresh: bool,
    /// What a fraction of a segment in the window allows.
    pub window_fraction: WindowFraction,
    /// The retransmission timeout's limits.
    pub timeout_limits: RtoLimits,
    /// How much one round trip moves the smoothed one.
    pub rtt_gain: RttGain,
    /// The interval at which timeouts are looked for; zero: each at its own time.
    pub timeout_check: Duration,
    /// When a timeout doubles the timeout.
    pub backoff: Backoff,
    /// What marked Data leads to.
    pub on_mark: Reaction,
    /// What timeouts lead to.
    pub on_timeout: Reaction,
    /// What a timeout means.
    pub timeout_meaning: TimeoutMeaning,
    /// What a congestion NACK leads to.
    pub on_nack: Reaction,
    /// Where the recovery point lies after a decrease, beyond which Data must be received
    /// before the next one: at the highest segment asked for (ndn-tools), or so great a share
    /// of the segments from the highest received to the next behind that next one (ndnSIM:
    /// 0.5).
    pub recovery_margin: Option<f64>,
    /// What Data does that comes after its timeout.
    pub late_data: LateData,
    /// How it reads, if what is missing is found by blocking reads, and not by timeouts. Its
    /// window then begins with the first segment that is missing, and no NACK means anything.
    pub blocking_read: Option<BlockingRead>,
    /// When the consumer starts, at the earliest.
    pub start: Time,
    /// It starts at a random moment within so much time from then.
    pub start_within: Duration,
    /// From when it asks for nothing more.
    pub stop: Time,
}

/// What a consumer counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConsumerCounters {
    /// Interests sent, retransmissions included.
    pub interests: u64,
    /// Interests sent again.
    pub retransmissions: u64,
    /// Distinct Data received.
    pub data: u64,
    /// Their content, in bytes.
    pub bytes: u64,
    /// Data received that was not asked for, or not any more.
    pub duplicates: u64,
    /// Marked Data received.
    pub marks: u64,
    /// NACKs received.
    pub nacks: u64,
    /// Interests that timed out.
    pub timeouts: u64,
    /// Decreases of the window.
    pub decreases: u64,
    /// Round trips of Data whose Interest was sent once: their sum.
    pub rtt_sum: Duration,
    /// How many those are.
    pub rtt_samples: u64,
    /// From the last Interest for a Data to that Data: the sum over all Data.
    pub last_delay_sum: Duration,
    /// From the first Interest for a Data to that Data: the sum over all Data.
    pub delay_sum: Duration,
    /// The least of those delays; none before the first Data.
    pub delay_minimum: Option<Duration>,
    /// The greatest of them.
    pub delay_maximum: Duration,
    /// When Data was read.
    pub reads: Reads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    /// To be sent again.
    Due,
    Received,
}

/// No request: the end of a list.
const NONE: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct Request {
    segment: u64,
    first_sent: Time,
    last_sent: Time,
    /// Neighbours among the requests in flight, in order of sending.
    before: u64,
    after: u64,
    state: State,
    retransmitted: bool,
}

/// Requests by number, in order of first sending. Those received leave from the
/// front, so that only a window of them is kept.
#[derive(Debug)]
struct Requests {
    ring: VecDeque<Request>,
    /// The number of the first request in the ring buffer.
    base: u64,
    /// The requests in flight that were sent longest ago and last.
    oldest: u64,
    newest: u64,
    in_flight: u64,
}

impl Requests {
    fn new() -> Self {
        Self { ring: VecDeque::new(), base: 0, oldest: NONE, newest: NONE, in_flight: 0 }
    }

    #[inline]
    fn next(&self) -> u64 {
        self.base + self.ring.len() as u64
    }

    #[inline]
    fn get(&mut self, number: u64) -> Option<&mut Request> {
        let index = number.checked_sub(self.base)?;
        self.ring.get_mut(usize::try_from(index).ok()?)
    }

    /// A request that is known to be kept.
    #[inline]
    fn at(&mut self, number: u64) -> &mut Request {
        &mut self.ring[(number - self.base) as usize]
    }

    /// Appends a request for `segment`, sent now for the first time.
    #[inline]
    fn add(&mut self, segment: u64, now: Time) -> u64 {
        let number = self.next();
        self.ring.push_back(Request {
            segment,
            first_sent: now,
            last_sent: now,
            before: NONE,
            after: NONE,
            state: State::InFlight,
            retransmitted: false,
        });
        self.put_in_flight(number, now);
        number
    }

    #[inline]
    fn put_in_flight(&mut self, number: u64, now: Time) {
        let newest = self.newest;
        let request = self.at(number);
        request.state = State::InFlight;
        request.last_sent = now;
        request.before = newest;
        request.after = NONE;
        if newest == NONE {
            self.oldest = number;
        } else {
            self.at(newest).after = number;
        }
        self.newest = number;
        self.in_flight += 1;
    }

    #[inline]
    fn take_out_of_flight(&mut self, number: u64, state: State) {
        let request = self.at(number);
        request.state = state;
        let (before, after) = (request.before, request.after);
        if before == NONE {
            self.oldest = after;
        } else {
            self.at(before).after = after;
        }
        if after == NONE {
            self.newest = before;
        } else {
            self.at(after).before = before;
        }
        self.lower_in_flight();
    }

    /// One less is in flight. What comes late may lower it a second time.
    #[inline]
    fn lower_in_flight(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    #[inline]
    fn drop_received(&mut self) {
        while self.ring.front().is_some_and(|it| it.state == State::Received) {
            self.ring.pop_front();
            self.base += 1;
        }
    }
}

/// What is kept for controllers that want delivery rate samples.
#[derive(Debug)]
struct Deliveries {
    account: Account,
    /// One for each request kept, from number `base` on.
    snapshots: VecDeque<Snapshot>,
    base: u64,
    least_rtt: Duration,
    /// Bytes that count as one segment.
    segment_size: u32,
}

impl Deliveries {
    /// For a controller that wants samples.
    fn wanted(description: &Description, segment_size: u32) -> Option<Box<Self>> {
        description.needs(Need::DeliveryRate).then(|| {
            Box::new(Self {
                account: Account::new(),
                snapshots: VecDeque::new(),
                base: 0,
                least_rtt: Duration::MAX,
                segment_size,
            })
        })
    }

    /// An Interest is sent, the first for its number or another one; this many are
    /// then in flight.
    fn send(&mut self, now: Time, number: u64, in_flight: u64) {
        let bytes = in_flight * u64::from(self.segment_size);
        let snapshot = self.account.send(now, in_flight == 1, bytes);
        match self.snapshots.get_mut((number - self.base) as usize) {
            Some(known) => *known = snapshot,
            None => self.snapshots.push_back(snapshot),
        }
    }

    /// Data came for an Interest sent at `sent`, with this round trip if it gives one.
    fn deliver(&mut self, now: Time, number: u64, sent: Time, rtt: Option<Duration>) -> Delivery {
        self.least_rtt = self.least_rtt.min(rtt.unwrap_or(Duration::MAX));
        self.account.deliver(now, u64::from(self.segment_size));
        let snapshot = self.snapshots[(number - self.base) as usize];
        let sample = self.account.sample(now, sent, &snapshot);
        sample.in_segments(f64::from(self.segment_size), self.least_rtt)
    }

    /// Requests below `base` are no longer kept.
    fn forget_below(&mut self, base: u64) {
        self.snapshots.drain(..(base - self.base) as usize);
        self.base = base;
    }
}

/// A consumer.
#[derive(Debug)]
pub struct Consumer {
    settings: ConsumerSettings,
    controller: AnyController,
    estimator: RttEstimator,
    requests: Requests,
    due: BinaryHeap<Reverse<u64>>,
    /// For a catalogue: the numbers of the requests in flight or due, by segment.
    by_segment: HashTable<u64>,
    highest_received: Option<u64>,
    recovery_point: Option<u64>,
    /// When the timeout was doubled last.
    backed_off: Option<Time>,
    /// A round trip ends with Data of this number or above.
    round_end: u64,
    deliveries: Option<Box<Deliveries>>,
    reader: Option<Box<Reader>>,
    /// When it gave up.
    gave_up: Option<Time>,
    pacer: Pacer,
    waits_for_pacer: bool,
    /// Timeouts not reported to the controller as lost segments yet.
    untold_losses: u64,
    start: Time,
    finished: Option<Time>,
    random: Random,
    counters: ConsumerCounters,
}

impl Consumer {
    /// A consumer that has sent nothing yet.
    #[must_use]
    pub fn new(settings: ConsumerSettings, controller: AnyController, mut random: Random) -> Self {
        let later = match settings.start_within {
            Duration::ZERO => Duration::ZERO,
            within => within.scaled(random.unit()),
        };
        let start = settings.start + later;
        Self {
            deliveries: Deliveries::wanted(controller.description(), settings.segment_size),
            reader: settings
                .blocking_read
                .map(|it| Box::new(Reader::new(it, start, controller.cwnd()))),
            gave_up: None,
            estimator: RttEstimator::new(settings.timeout_limits),
            start,
            settings,
            controller,
            requests: Requests::new(),
            due: BinaryHeap::new(),
            by_segment: HashTable::new(),
            highest_received: None,
            recovery_point: None,
            backed_off: None,
            round_end: 0,
            pacer: Pacer::default(),
            waits_for_pacer: false,
            untold_losses: 0,
            finished: None,
            random,
            counters: ConsumerCounters::default(),
        }
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> &ConsumerCounters {
        &self.counters
    }

    /// The controller.
    #[must_use]
    pub fn controller(&self) -> &AnyController {
        &self.controller
    }

    /// The bytes of content that count as one segment to the controller.
    #[must_use]
    pub fn segment_size(&self) -> u32 {
        self.settings.segment_size
    }

    /// The smoothed round trip, once there is a sample.
    #[must_use]
    pub fn smoothed_rtt(&self) -> Option<Duration> {
        self.estimator.smoothed()
    }

    /// Interests in flight.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.requests.in_flight
    }

    /// It has become known how many segments the file has: those beyond are not asked for. To
    /// be called before the Data that says so is received.
    pub fn end_at(&mut self, segments: u64) {
        self.settings.workload = ConsumerWorkload::File { segments };
        while self.requests.next() > segments
            && let Some(last) = self.requests.ring.back()
        {
            if last.state == State::InFlight {
                self.requests.take_out_of_flight(self.requests.next() - 1, State::Received);
            }
            self.requests.ring.pop_back();
        }
        if let Some(it) = &mut self.deliveries {
            it.snapshots.truncate(self.requests.ring.len());
        }
    }

    /// When the last segment of a file arrived.
    #[must_use]
    pub fn finished(&self) -> Option<Time> {
        self.finished
    }

    /// When it gave up, because nothing new came however often it asked.
    #[must_use]
    pub fn gave_up(&self) -> Option<Time> {
        self.gave_up
    }

    /// When it starts.
    #[must_use]
    pub fn start(&self) -> Time {
        self.start
    }

    /// When [`Consumer::wake`] wants to be called next, if ever. It moves with
    /// what is received; an earlier call does no harm.
    #[inline]
    #[must_use]
    pub fn next_wake(&self) -> Option<Time> {
        if self.requests.oldest == NONE {
            return None;
        }
        if let Some(reader) = &self.reader {
            let timeout = reader.timeout();
            return (timeout < self.settings.stop).then_some(timeout);
        }
        let oldest = &self.requests.ring[(self.requests.oldest - self.requests.base) as usize];
        Some(oldest.last_sent + self.estimator.timeout())
    }

    /// When the next Interest may leave, if its controller's rate holds it back.
    #[inline]
    #[must_use]
    pub fn next_paced(&self) -> Option<Time> {
        self.waits_for_pacer.then(|| self.pacer.next())
    }

    /// The first moment at or after `time` when timeouts are looked for.
    #[must_use]
    pub fn next_check(&self, time: Time) -> Time {
        match self.settings.timeout_check.as_picos() {
            0 => time,
            step => Time::from_picos(time.as_picos().div_ceil(step) * step),
        }
    }

    /// Starts, or looks for timeouts; asks for as much as the window allows.
    pub fn wake(&mut self, now: Time, outbox: &mut ConsumerOutbox) {
        match &self.reader {
            None => self.time_out(now),
            Some(it) if it.timeout() <= now => self.end_read(now, false),
            Some(_) => {}
        }
        self.fill_window(now, outbox);
    }

    /// Takes in a packet from the network.
    #[inline]
    pub fn receive(&mut self, now: Time, packet: &Packet, outbox: &mut ConsumerOutbox) {
        let before = self.counters.data;
        match &packet.body {
            Body::Data(data) => self.on_data(now, data, packet.marked()),
            Body::Nack(nack) => self.on_nack(now, nack),
            // Nothing else answers an Interest.
            _ => {}
        }
        if self.reader.is_some() {
            self.end_read(now, self.counters.data > before);
        }
        self.fill_window(now, outbox);
    }

    /// What has come for a segment cannot be used: it is asked for again at once. That is no sign
    /// of congestion.
    pub fn reject(&mut self, now: Time, name: Name, outbox: &mut ConsumerOutbox) {
        if let Some(number) = self.number_of(name).filter(|it| self.is_in_flight(*it)) {
            self.make_due(number);
        }
        self.fill_window(now, outbox);
    }

    fn on_data(&mut self, now: Time, data: &Data, marked: bool) {
        let number = self.number_of(data.name);
        let request = number.and_then(|it| self.requests.get(it)).copied();
        let request = request.filter(|_| self.gave_up.is_none());
        let (Some(number), Some(request)) = (number, request) else {
            self.counters.duplicates += 1;
            return;
        };
        match request.state {
            State::Received => {
                self.counters.duplicates += 1;
                return;
            }
            State::InFlight => self.requests.take_out_of_flight(number, State::Received),
            State::Due => self.requests.at(number).state = State::Received,
        }
        let late = request.state == State::Due;
        let rtt = match self.settings.late_data {
            LateData::LowersInFlight if late => {
                self.requests.lower_in_flight();
                None
            }
            LateData::LowersInFlight | LateData::Measures => self.measure(now, &request),
        };
        self.count(now, data, marked, &request);
        let deliveries = self.deliveries.as_deref_mut();
        let delivery = deliveries.map(|it| it.deliver(now, number, request.last_sent, rtt));
        self.forget(number);
        self.highest_received = self.highest_received.max(Some(number));
        let reacts = marked && self.settings.on_mark != Reaction::Ignore;
        let counts = self.controller.description().needs(Need::MarksCounted);
        if !reacts || counts {
            let segments = f64::from(data.content) / f64::from(self.settings.segment_size);
            let round_ended = number >= self.round_end;
            if round_ended {
                self.round_end = self.requests.next();
            }
            self.controller.on_acknowledgement(&Acknowledgement {
                now: now.as_nanos(),
                acknowledged: segments,
                delivered: segments,
                marked: if marked { segments } else { 0.0 },
                some_congestion: 0.0,
                lost: std::mem::take(&mut self.untold_losses) as f64,
                rtt: rtt.map(Duration::as_nanos),
                smoothed_rtt: self.estimator.smoothed().map(Duration::as_nanos),
                one_way_delay: None,
                in_flight: self.requests.in_flight as f64,
                next_departure: self.pacer.next().as_nanos(),
                delivery,
                round_ended,
                recovering: false,
                window_limited: true,
                radio: None,
            });
        }
        if reacts {
            self.react(now, Signal::Mark, self.settings.on_mark);
        }
    }

    /// The round trip of a request that was sent once (Karn's rule).
    fn measure(&mut self, now: Time, request: &Request) -> Option<Duration> {
        if request.retransmitted {
            return None;
        }
        let rtt = now.since(request.last_sent);
        let expected = match self.settings.rtt_gain {
            // Half the window: with each sample in flight, one may lack.
            RttGain::PerRoundTrip => self.requests.in_flight.div_ceil(2),
            RttGain::PerSample => 1,
        };
        self.estimator.sample(rtt, expected);
        self.counters.rtt_sum += rtt;
        self.counters.rtt_samples += 1;
        Some(rtt)
    }

    fn count(&mut self, now: Time, data: &Data, marked: bool, request: &Request) {
        let delay = now.since(request.first_sent);
        let counters = &mut self.counters;
        counters.data += 1;
        counters.bytes += u64::from(data.content);
        counters.marks += u64::from(marked);
        counters.delay_sum += delay;
        counters.last_delay_sum += now.since(request.last_sent);
        counters.delay_maximum = counters.delay_maximum.max(delay);
        counters.delay_minimum = Some(counters.delay_minimum.map_or(delay, |it| it.min(delay)));
        let read_at = self.reader.as_ref().map_or(now, |it| it.read_at(now));
        counters.reads.add(read_at, now.since(request.last_sent));
        if let ConsumerWorkload::File { segments } = self.settings.workload
            && counters.data == segments
        {
            self.finished = Some(now);
        }
    }

    fn on_nack(&mut self, now: Time, nack: &Nack) {
        self.counters.nacks += 1;
        if self.reader.is_some() {
            return;
        }
        let number = self.number_of(nack.interest.name).filter(|it| self.is_in_flight(*it));
        let Some(number) = number else { return };
        match nack.reason {
            NackReason::CONGESTION => {
                self.make_due(number);
                self.react(now, Signal::Nack, self.settings.on_nack);
            }
            NackReason::DUPLICATE => self.make_due(number),
            // Retransmitted at once it would be refused again: it waits for its timeout.
            _ => {}
        }
    }

    fn is_in_flight(&mut self, number: u64) -> bool {
        self.requests.get(number).is_some_and(|it| it.state == State::InFlight)
    }

    fn time_out(&mut self, now: Time) {
        let timeout = self.estimator.timeout();
        let before = self.counters.timeouts;
        let mut is_new = false;
        while self.requests.oldest != NONE {
            let oldest = self.requests.oldest;
            let sent = self.requests.at(oldest).last_sent;
            if sent + timeout > now {
                break;
            }
            is_new |= self.backed_off.is_none_or(|it| sent >= it);
            self.lose(now, oldest);
            if self.settings.backoff == Backoff::EachInterest {
                self.estimator.back_off();
            }
        }
        let backs_off = match self.settings.backoff {
            Backoff::OncePerRoundTrip => is_new,
            Backoff::EachEvent => self.counters.timeouts > before,
            Backoff::EachInterest => false,
        };
        if backs_off {
            self.estimator.back_off();
            self.backed_off = Some(now);
        }
    }

    /// What a request asked for counts as lost.
    fn lose(&mut self, now: Time, number: u64) {
        self.make_due(number);
        self.counters.timeouts += 1;
        self.untold_losses += 1;
        if let Some(it) = &mut self.deliveries {
            it.account.lose(u64::from(self.settings.segment_size));
        }
        let signal = match self.settings.timeout_meaning {
            TimeoutMeaning::Loss => Signal::Loss,
            TimeoutMeaning::Restart => Signal::Timeout,
        };
        self.react(now, signal, self.settings.on_timeout);
    }

    /// A blocking read ends, with new Data or without.
    fn end_read(&mut self, now: Time, is_new: bool) {
        let Some(reader) = self.reader.as_mut().filter(|_| self.gave_up.is_none()) else { return };
        match reader.end(now, is_new) {
            AfterRead::Read => {}
            AfterRead::Resend => {
                while self.requests.oldest != NONE {
                    self.lose(now, self.requests.oldest);
                }
            }
            AfterRead::GiveUp => {
                self.gave_up = Some(now);
                self.settings.stop = now;
            }
        }
    }

    fn make_due(&mut self, number: u64) {
        self.requests.take_out_of_flight(number, State::Due);
        self.due.push(Reverse(number));
    }

    /// Reports congestion to the controller, if this signal counts.
    fn react(&mut self, now: Time, signal: Signal, reaction: Reaction) {
        let next = self.requests.next();
        match reaction {
            Reaction::Ignore => return,
            Reaction::Every => {}
            Reaction::OncePerRoundTrip => {
                if self.recovery_point.is_some_and(|it| self.highest_received <= Some(it)) {
                    return;
                }
            }
        }
        let received = self.highest_received.unwrap_or(0);
        self.recovery_point = Some(match self.settings.recovery_margin {
            None => next.saturating_sub(1),
            Some(share) => next + (share * (next - received) as f64) as u64,
        });
        self.counters.decreases += 1;
        self.controller.on_congestion(&Congestion {
            now: now.as_nanos(),
            signal,
            in_flight: self.requests.in_flight as f64,
        });
    }

    fn fill_window(&mut self, now: Time, outbox: &mut ConsumerOutbox) {
        if now < self.start || now >= self.settings.stop {
            return;
        }
        self.waits_for_pacer = false;
        let rate = self.controller.pacing_rate();
        let spacing = self.reader.as_ref().and_then(|it| it.spacing(now));
        let is_paced = rate.is_some() || spacing.is_some();
        while self.window_has_room() {
            if is_paced && !self.pacer.allows(now) {
                self.waits_for_pacer = true;
                break;
            }
            let (number, segment) = match self.next_due() {
                Some(number) => {
                    self.requests.put_in_flight(number, now);
                    let request = self.requests.at(number);
                    request.retransmitted = true;
                    self.counters.retransmissions += 1;
                    (number, request.segment)
                }
                None => match self.next_segment() {
                    Some(segment) => {
                        let number = self.requests.add(segment, now);
                        self.remember(segment, number);
                        (number, segment)
                    }
                    None => break,
                },
            };
            if let Some(it) = &mut self.deliveries {
                it.send(now, number, self.requests.in_flight);
            }
            match (spacing, rate) {
                (Some(spacing), _) => self.pacer.wait(now, spacing),
                (None, Some(rate)) => self.pacer.spend(now, 1, rate),
                (None, None) => {}
            }
            self.counters.interests += 1;
            outbox.push(self.interest(segment));
        }
    }

    #[inline]
    fn window_has_room(&self) -> bool {
        let in_flight = self.requests.in_flight as f64;
        match self.settings.window_fraction {
            WindowFraction::Waits => in_flight + 1.0 <= self.controller.cwnd(),
            WindowFraction::Sends => in_flight < self.controller.cwnd(),
        }
    }

    /// The lowest request that is to be sent again.
    fn next_due(&mut self) -> Option<u64> {
        while let Some(Reverse(number)) = self.due.pop() {
            // Its Data may have come in the meantime.
            if self.requests.get(number).is_some_and(|it| it.state == State::Due) {
                return Some(number);
            }
        }
        None
    }

    fn next_segment(&mut self) -> Option<u64> {
        let next = self.requests.next();
        let spanned = self.requests.ring.len() as f64;
        if self.reader.is_some() && spanned + 1.0 > self.controller.cwnd() {
            return None;
        }
        match &self.settings.workload {
            ConsumerWorkload::Stream => Some(next),
            ConsumerWorkload::File { segments } => (next < *segments).then_some(next),
            ConsumerWorkload::Catalogue { popularity } => {
                /// Beyond this many draws in a row, everything popular is in flight.
                const MOST_DRAWS: u32 = 100;
                for _ in 0..MOST_DRAWS {
                    let object = popularity.sample(self.random.generator()) as u64 - 1;
                    if self.number_of_object(object).is_none() {
                        return Some(object);
                    }
                }
                None
            }
        }
    }

    fn interest(&mut self, segment: u64) -> Packet {
        let settings = &self.settings;
        let name = Name { prefix: settings.prefix, segment };
        let shape = InterestShape {
            can_be_prefix: false,
            must_be_fresh: settings.must_be_fresh,
            lifetime_ms: Some(u64::from(settings.lifetime_ms)),
            hop_limit: settings.hop_limit.is_some(),
        };
        let network_size =
            settings.prefix.format().interest_size(settings.prefix_size, segment, &shape);
        let body = Body::Interest(Interest {
            name,
            nonce: self.random.bits(),
            lifetime_ms: settings.lifetime_ms,
            hop_limit: settings.hop_limit,
            must_be_fresh: settings.must_be_fresh,
        });
        Packet::ndn(body, network_size as u16)
    }

    /// The request that a Data or NACK of that name answers. In a stream and a
    /// file the request's number is the segment's.
    #[inline]
    fn number_of(&self, name: Name) -> Option<u64> {
        match self.settings.workload {
            ConsumerWorkload::Stream | ConsumerWorkload::File { .. } => Some(name.segment),
            ConsumerWorkload::Catalogue { .. } => self.number_of_object(name.segment),
        }
    }

    fn number_of_object(&self, object: u64) -> Option<u64> {
        let requests = &self.requests;
        let segment = |it: &u64| requests.ring[(*it - requests.base) as usize].segment;
        self.by_segment.find(hash(object), |it| segment(it) == object).copied()
    }

    fn remember(&mut self, segment: u64, number: u64) {
        if matches!(self.settings.workload, ConsumerWorkload::Catalogue { .. }) {
            let requests = &self.requests;
            let rehash = |it: &u64| hash(requests.ring[(*it - requests.base) as usize].segment);
            self.by_segment.insert_unique(hash(segment), number, rehash);
        }
    }

    fn forget(&mut self, number: u64) {
        if matches!(self.settings.workload, ConsumerWorkload::Catalogue { .. }) {
            let segment = self.requests.at(number).segment;
            if let Ok(entry) = self.by_segment.find_entry(hash(segment), |it| *it == number) {
                entry.remove();
            }
        }
        self.requests.drop_received();
        if let Some(it) = &mut self.deliveries {
            it.forget_below(self.requests.base);
        }
    }
}

#[inline]
fn hash(object: u64) -> u64 {
    let product = u128::from(object ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
    (product as u64) ^ ((product >> 64) as u64)
}
