//! A consumer: keeps as many Interests in flight as its congestion controller
//! allows, times them, and retransmits those that are not answered.
//!
//! Sources: the fetching pipelines of ndn-tools and the consumer of PCON
//! (Schneider et al., ICN 2016), whose differences are settings here.

mod asking;
mod deliveries;
mod requests;
mod settings;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashTable;
use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Need, Settings as ControllerSettings,
    Signal,
};
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_packets::ndn::{Data, Nack, NackReason, Name};
use windtunnel_packets::{Body, Packet};

use super::blocking_read::{AfterRead, Reader};
use super::reads::Reads;
use crate::pacing::Pacer;
use crate::rtt::RttEstimator;
use deliveries::Deliveries;
use requests::{NONE, Request, Requests, State};
pub use settings::{
    Backoff, ConsumerSettings, ConsumerTimeout, ConsumerWindow, ConsumerWorkload, LateData,
    Reaction, RttGain, TimeoutMeaning, WindowFraction,
};

/// The Interests that are to be sent. Callers keep one and empty it, so that
/// sending allocates nothing once warm.
pub type ConsumerOutbox = Vec<Packet>;

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

/// A consumer.
#[derive(Clone, Debug)]
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
            estimator: RttEstimator::new(settings.timeout.limits()),
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

    /// Has another controller drive it, which needs what the one before does; only of a consumer that
    /// has sent nothing yet.
    pub fn set_controller(&mut self, controller: &ControllerSettings) {
        self.controller = AnyController::new(self.settings.window.start(), controller);
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
        match self.settings.timeout.check.map_or(0, Duration::as_picos) {
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
        let rtt = match self.settings.timeout.late_data {
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
        let expected = match self.settings.timeout.rtt_gain {
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
            if self.settings.timeout.backoff == Backoff::EachInterest {
                self.estimator.back_off();
            }
        }
        let backs_off = match self.settings.timeout.backoff {
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
        let signal = match self.settings.timeout.meaning {
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
}
