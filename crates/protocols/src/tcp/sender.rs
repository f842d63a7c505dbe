//! The sending half: what may be sent, what was lost, what the congestion
//! controller hears.
//!
//! Loss recovery follows RFC 5681, 6582, 6675 or 8985 by choice, reductions of
//! the window RFC 9937, timeouts RFC 6298, spurious ones RFC 3522 (timestamps),
//! RFC 5682 (F-RTO) and RFC 3708 (duplicates reported), limited transmit RFC 3042,
//! which in all of these is what the accounting of data in flight allows.

use std::sync::Arc;

use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Need, Signal,
};
use windtunnel_engine::{Duration, Time};

use super::prr::Reduction;
use super::rack::{DUPLICATE_THRESHOLD, Rack};
use super::scoreboard::{Scoreboard, Sent, State};
use super::sequence::extend;
use super::{Counters, EcnMode, Flags, Recovery, Segment, Settings};
use crate::delivery::{Account, Snapshot};
use crate::pacing::Pacer;
use crate::rtt::RttEstimator;

/// The first octet of data; the SYN is the one before.
pub(super) const FIRST: u64 = 1;
/// More octets than any connection sends: data without end.
const WITHOUT_END: u64 = u64::MAX / 2;

/// What a connection is doing about congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// The window comes down after a mark, until this octet is acknowledged.
    Reducing(u64),
    /// A loss is repaired, until this octet is acknowledged.
    Recovery(u64),
    /// After a timeout, until this octet is acknowledged.
    Loss(u64),
}

/// What a spurious decrease would bring back.
#[derive(Debug, Default)]
struct Undo {
    /// The controller of before the decrease.
    controller: Option<Box<AnyController>>,
    possible: bool,
    /// What was not acknowledged when the decrease came.
    from: u64,
    /// Retransmissions since, less those that the receiver reports as duplicates.
    retransmissions: i64,
    /// The first of them: the clock when it was sent, and the octet after it.
    first: Option<(u32, u64)>,
}

/// Forward RTO recovery (RFC 5682, section 3): after a timeout new data is tried
/// before more of the old is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForwardRecovery {
    Off,
    /// The first segment was sent again.
    Probing,
    /// Its acknowledgement advanced: two new segments are sent, no old ones.
    Trying(u8),
}

/// A tail loss probe that was sent (RFC 8985, section 7).
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// The octet after everything sent until then.
    end: u64,
    retransmission: bool,
}

/// A segment to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub(super) sequence: u64,
    pub(super) length: u16,
    pub(super) fin: bool,
    pub(super) retransmission: bool,
    /// It tells the receiver that its echo was answered (RFC 3168).
    pub(super) reduced: bool,
}

/// What one acknowledgement newly delivered.
#[derive(Clone, Copy, Debug, Default)]
struct Delivered {
    octets: u64,
    /// After a timeout: whether a segment was among them that had been sent before
    /// it, and not again.
    originals: bool,
    /// The most recently sent: its order, when, and what it remembers.
    newest: Option<(u64, Time, Snapshot)>,
    /// The round trips of those sent once: of the first, and of the last sent.
    longest: Option<Duration>,
    latest: Option<Duration>,
    /// A segment was among them that had been sent again.
    repeated: bool,
    /// The receiver reported a duplicate; it may be one that was sent again since
    /// the last decrease.
    duplicate: bool,
    duplicate_of_resent: bool,
}

/// The sending half of a connection.
#[derive(Debug)]
pub(super) struct Sender {
    settings: Arc<Settings>,
    controller: AnyController,
    /// Whether the controller has a window of its own also while losses are
    /// repaired, because it goes by what the network delivers.
    is_model_based: bool,
    /// Whether the controller counts marks, and answers them by itself.
    counts_marks: bool,
    board: Scoreboard,
    account: Account,
    estimator: RttEstimator,
    rack: Rack,
    pacer: Pacer,
    /// The next octet to be sent for the first time.
    next: u64,
    /// The octet after the last that the application wrote.
    limit: u64,
    closing: bool,
    /// The octet after the FIN, once that was sent.
    fin_end: Option<u64>,
    /// The octet after the last that the receiver has room for.
    edge: u64,
    phase: Phase,
    reduction: Option<Reduction>,
    undo: Undo,
    forward: ForwardRecovery,
    probe: Option<Probe>,
    /// Whether there was a round trip sample since the last probe.
    probe_allowed: bool,
    /// Duplicate acknowledgements in a row, where there is no SACK.
    duplicates: u32,
    /// Segments below this number were looked at for losses (RFC 6675).
    examined: u32,
    /// The next mark counts when this octet is acknowledged, where the controller
    /// counts marks.
    mark_point: u64,
    /// Accurate ECN: marked packets that the receiver counted.
    marked_packets: u64,
    reduced: bool,
    /// A round trip ends when data is delivered that was sent after so much was.
    round_end: u64,
    /// Whether the window limited the sender in the round trip that ends when
    /// `limited_end` is acknowledged, and the most that was in flight then.
    window_limited: bool,
    limited_end: u64,
    most_in_flight: u64,
    waits_for_pacer: bool,
    timeout_from: Time,
    /// The first octet that was not acknowledged at the last timeout.
    timed_out: u64,
    probe_from: Time,
    reordering_until: Option<Time>,
}

impl Sender {
    pub(super) fn new(settings: &Arc<Settings>) -> Self {
        let description = settings.controller.description();
        Self {
            settings: Arc::clone(settings),
            controller: AnyController::new(settings.start, &settings.controller),
            is_model_based: description.needs(Need::DeliveryRate),
            counts_marks: description.needs(Need::MarksCounted),
            board: Scoreboard::new(FIRST),
            account: Account::new(),
            estimator: RttEstimator::new(settings.timeout_limits),
            rack: Rack::new(),
            pacer: Pacer::default(),
            next: FIRST,
            limit: FIRST,
            closing: false,
            fin_end: None,
            edge: FIRST,
            phase: Phase::Open,
            reduction: None,
            undo: Undo::default(),
            forward: ForwardRecovery::Off,
            probe: None,
            probe_allowed: true,
            duplicates: 0,
            examined: 0,
            mark_point: FIRST,
            marked_packets: 0,
            reduced: false,
            round_end: 0,
            window_limited: false,
            limited_end: FIRST,
            most_in_flight: 0,
            waits_for_pacer: false,
            timeout_from: Time::ZERO,
            timed_out: 0,
            probe_from: Time::ZERO,
            reordering_until: None,
        }
    }

    pub(super) fn controller(&self) -> &AnyController {
        &self.controller
    }

    pub(super) fn smoothed_rtt(&self) -> Option<Duration> {
        self.estimator.smoothed()
    }

    /// Octets in flight.
    pub(super) fn in_flight(&self) -> u64 {
        // Each duplicate acknowledgement tells that a segment has left.
        let left = u64::from(self.duplicates) * self.segment();
        self.board.in_flight().saturating_sub(left)
    }

    /// Octets written and not acknowledged.
    pub(super) fn unacknowledged(&self) -> u64 {
        if self.limit >= WITHOUT_END {
            return u64::MAX;
        }
        self.limit.saturating_sub(self.board.unacknowledged())
    }

    /// Whether the FIN is acknowledged.
    pub(super) fn is_closed(&self) -> bool {
        self.fin_end.is_some_and(|end| self.board.unacknowledged() >= end)
    }

    /// The octet that a segment without data stands at.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn write(&mut self, bytes: u64) {
        self.limit = self.limit.saturating_add(bytes).min(WITHOUT_END);
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
        if self.limit >= WITHOUT_END {
            self.limit = self.next;
        }
    }

    /// The handshake told the receiver's room and measured a round trip.
    pub(super) fn establish(&mut self, now: Time, window: u64, rtt: Option<Duration>) {
        self.edge = FIRST + window;
        if let Some(rtt) = rtt {
            self.measure(rtt);
        }
        self.timeout_from = now;
        self.probe_from = now;
    }

    #[inline]
    fn segment(&self) -> u64 {
        u64::from(self.settings.maximum_segment)
    }

    #[inline]
    fn segments(&self, octets: u64) -> f64 {
        octets as f64 / f64::from(self.settings.maximum_segment)
    }

    /// The window in octets.
    fn window(&self) -> u64 {
        (self.controller.cwnd() * f64::from(self.settings.maximum_segment)) as u64
    }

    fn measure(&mut self, rtt: Duration) {
        let expected = self.in_flight().div_ceil(2 * self.segment());
        self.estimator.sample(rtt, expected);
        self.rack.measure(rtt);
        self.probe_allowed = true;
    }

    // -- Acknowledgements ---------------------------------------------------

    /// Takes in what a segment says about data sent. `window` is the room that it
    /// advertises, in octets.
    #[inline]
    pub(super) fn acknowledge(
        &mut self,
        now: Time,
        segment: &Segment,
        window: u64,
        counters: &mut Counters,
    ) {
        let before = self.board.unacknowledged();
        let octet = extend(before, segment.acknowledgement);
        if octet > self.next {
            return;
        }
        let edge = octet + window;
        let repeats = octet == before && edge == self.edge && segment.length == 0;
        if octet >= before {
            self.edge = edge;
        }
        let in_flight_before = self.in_flight();
        let delivered = self.deliver(now, octet, segment, counters);
        let advanced = self.board.unacknowledged() > before;
        // The FIN takes a number, but is no data.
        let closed = advanced && self.is_closed();
        counters.acknowledged_bytes += self.board.unacknowledged() - before - u64::from(closed);
        if advanced {
            self.timeout_from = now;
            self.probe_from = now;
        }
        self.take_round_trip(now, segment, advanced, &delivered, counters);
        self.count_duplicates(before, advanced, repeats && !self.board.is_empty(), &delivered);
        self.judge_spurious(segment, advanced, repeats, &delivered, counters);
        let lost = self.find_losses(now);
        self.answer_probe(now, &delivered, repeats, counters);
        // What the last decrease answered is echoed until its end.
        let open = self.phase == Phase::Open;
        self.leave_phase(now);
        self.answer_losses(now, lost, in_flight_before, counters);
        let marked = self.count_marks(segment, advanced, &delivered);
        if marked > 0 && !self.counts_marks && open {
            self.answer_echo(now, counters);
        }
        self.tell(now, segment, advanced, lost, marked, &delivered);
        if marked > 0 && self.counts_marks {
            self.answer_counted_marks(now, counters);
        }
        let (pipe, size) = (self.in_flight(), self.segment());
        if let Some(reduction) = &mut self.reduction {
            reduction.acknowledge(delivered.octets, pipe, advanced && lost == 0, size);
        }
    }

    /// Finds out what a segment newly acknowledges.
    #[inline]
    fn deliver(
        &mut self,
        now: Time,
        octet: u64,
        segment: &Segment,
        counters: &mut Counters,
    ) -> Delivered {
        let mut delivered = Delivered::default();
        let clock = clock(now);
        let age = u64::from(clock.wrapping_sub(segment.echo));
        let timestamps = segment.flags.has(Flags::TIMESTAMPS);
        let point = match self.phase {
            Phase::Loss(point) => point,
            Phase::Open | Phase::Reducing(_) | Phase::Recovery(_) => 0,
        };
        let Self { board, rack, account, undo, .. } = self;
        let highest = rack.highest();
        let mut newly = |sent: &Sent| {
            let since = now.since(sent.last_sent);
            let early = timestamps && age > since.as_nanos().div_ceil(1_000_000);
            rack.deliver(now, sent, highest, early);
            delivered.octets += u64::from(sent.length);
            if delivered.newest.is_none_or(|(order, ..)| order < sent.order) {
                delivered.newest = Some((sent.order, sent.last_sent, sent.snapshot));
                if sent.retransmissions == 0 {
                    delivered.latest = Some(since);
                }
            }
            if sent.retransmissions == 0 {
                delivered.originals |= sent.end <= point;
                delivered.longest = Some(delivered.longest.map_or(since, |it| it.max(since)));
            }
            delivered.repeated |= sent.retransmissions > 0;
            counters.delay_sum += now.since(sent.first_sent);
            counters.delay_samples += 1;
        };
        board.acknowledge(octet, &mut newly);
        let mut blocks = segment.sack_blocks();
        let next = self.next;
        if let Some(first) = blocks.next() {
            let near = board.unacknowledged();
            let range = |it: super::SackBlock| (extend(near, it.start), extend(near, it.end));
            let (start, end) = range(first);
            let second = segment.sack_blocks().nth(1).map(range);
            // RFC 2883: a first block below the acknowledgement, or inside the second.
            let inside = second.is_some_and(|(from, to)| from <= start && end <= to);
            if end <= octet || inside {
                delivered.duplicate = true;
                delivered.duplicate_of_resent =
                    if end <= octet { end > undo.from } else { board.was_resent(start) };
            } else if end <= next {
                board.deliver(start, end, &mut newly);
            }
            for (start, end) in blocks.map(range) {
                if end <= next {
                    board.deliver(start, end, &mut newly);
                }
            }
        }
        if delivered.octets > 0 {
            account.deliver(now, delivered.octets);
        }
        delivered
    }

    /// Takes the round trip of segments sent once, or else what timestamps tell
    /// (RFC 6298, section 3; RFC 7323, section 4).
    fn take_round_trip(
        &mut self,
        now: Time,
        segment: &Segment,
        advanced: bool,
        delivered: &Delivered,
        counters: &mut Counters,
    ) {
        let stamped = segment.flags.has(Flags::TIMESTAMPS) && advanced && delivered.octets > 0;
        let told = || {
            let age = clock(now).wrapping_sub(segment.echo);
            stamped.then(|| Duration::from_millis(u64::from(age).max(1)))
        };
        // What waited behind a repaired loss measures nothing (Karn's rule).
        let once = delivered.longest.filter(|_| !delivered.repeated);
        let Some(rtt) = once.or_else(told) else { return };
        self.measure(rtt);
        if let Some(latest) = delivered.latest {
            self.rack.measure(latest);
            counters.rtt_sum += latest;
            counters.rtt_samples += 1;
            counters.rtt_minimum = Some(counters.rtt_minimum.map_or(latest, |it| it.min(latest)));
        }
    }

    /// Without SACK, each repeated acknowledgement tells of a segment that left;
    /// an advance takes back those that it covers.
    fn count_duplicates(&mut self, before: u64, advanced: bool, repeats: bool, it: &Delivered) {
        if self.settings.recovery.uses_sack() {
            if it.duplicate {
                self.rack.duplicate(self.board.unacknowledged(), self.next);
            }
            return;
        }
        if repeats {
            // One tells of a segment in flight, and not of the first. After a timeout
            // nothing of the old flight is held to be under way.
            let first = self.board.first().map_or(0, |(_, it)| match it.state {
                State::InFlight => u64::from(it.length),
                State::Lost | State::Delivered => 0,
            });
            let others = (self.board.in_flight() - first).div_ceil(self.segment());
            self.duplicates = (self.duplicates + 1).min(others as u32);
        } else if advanced {
            let covered = (self.board.unacknowledged() - before) / self.segment();
            let partial = matches!(self.phase, Phase::Recovery(_));
            let left = if partial { covered.saturating_sub(1) } else { u64::MAX };
            self.duplicates =
                self.duplicates.saturating_sub(u32::try_from(left).unwrap_or(u32::MAX));
        }
    }

    // -- Losses -------------------------------------------------------------

    /// Marks segments as lost; returns their octets.
    fn find_losses(&mut self, now: Time) -> u64 {
        let lost = match self.settings.recovery {
            Recovery::Rack => self.find_losses_by_time(now),
            Recovery::Sack => self.find_losses_by_count(),
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => self.find_loss_of_first(),
        };
        if lost > 0 {
            self.account.lose(lost);
        }
        lost
    }

    /// RFC 8985, section 6.2, step 5.
    fn find_losses_by_time(&mut self, now: Time) -> u64 {
        self.reordering_until = None;
        let recovering = matches!(self.phase, Phase::Recovery(_) | Phase::Loss(_));
        let smoothed = self.estimator.smoothed();
        let window = self.rack.window(recovering, self.board.delivered(), smoothed);
        let mut lost = 0;
        while let Some((number, sent)) = self.board.oldest() {
            if !self.rack.is_older(sent) {
                break;
            }
            if self.rack.deadline(sent, window) > now {
                self.reordering_until = Some(self.rack.last_deadline(window));
                break;
            }
            lost += u64::from(sent.length);
            self.board.lose(number);
        }
        lost
    }

    /// RFC 6675's IsLost in segments: three of them above were delivered. One that
    /// was sent again is not looked at again.
    fn find_losses_by_count(&mut self) -> u64 {
        if self.board.delivered() < DUPLICATE_THRESHOLD {
            return 0;
        }
        let base = self.board.next().wrapping_sub(self.board.len());
        let from = |number: u32| number.wrapping_sub(base);
        if from(self.examined) > self.board.len() {
            self.examined = base;
        }
        // Below the third highest that was delivered, what was not is lost.
        let mut threshold = self.board.highest_delivered();
        let mut above = 0;
        while above < DUPLICATE_THRESHOLD && from(threshold) > from(self.examined) {
            threshold = threshold.wrapping_sub(1);
            above += u32::from(self.board.at(threshold).state == State::Delivered);
        }
        if above < DUPLICATE_THRESHOLD {
            return 0;
        }
        let mut lost = 0;
        while from(self.examined) < from(threshold) {
            let sent = self.board.at(self.examined);
            if sent.state == State::InFlight && sent.retransmissions == 0 {
                lost += u64::from(sent.length);
                self.board.lose(self.examined);
            }
            self.examined = self.examined.wrapping_add(1);
        }
        lost
    }

    /// Without SACK: the third duplicate, or in NewReno's recovery an advance that
    /// does not end it, tells that the first segment is lost.
    fn find_loss_of_first(&mut self) -> u64 {
        let unacknowledged = self.board.unacknowledged();
        let Some((number, first)) = self.board.first() else { return 0 };
        let (in_flight, length) = (first.state == State::InFlight, u64::from(first.length));
        let fresh = first.retransmissions == 0;
        let lost = match self.phase {
            Phase::Open | Phase::Reducing(_) => self.duplicates == DUPLICATE_THRESHOLD,
            Phase::Recovery(point) => {
                self.settings.recovery == Recovery::NewReno && fresh && unacknowledged < point
            }
            Phase::Loss(_) => false,
        };
        if !lost || !in_flight {
            return 0;
        }
        self.board.lose(number);
        length
    }

    fn leave_phase(&mut self, now: Time) {
        let unacknowledged = self.board.unacknowledged();
        let over = match self.phase {
            Phase::Open => return,
            // Reno's recovery ends with the first advance; then, there is none of
            // the first segment's retransmission in flight.
            Phase::Recovery(_) if self.settings.recovery == Recovery::Reno => {
                self.board.first().is_none_or(|(_, it)| it.retransmissions == 0)
                    && self.board.lowest_lost().is_none()
            }
            Phase::Reducing(point) | Phase::Recovery(point) | Phase::Loss(point) => {
                unacknowledged >= point
            }
        };
        if !over {
            return;
        }
        if matches!(self.phase, Phase::Recovery(_)) {
            self.rack.recovered();
        }
        self.phase = Phase::Open;
        self.reduction = None;
        self.duplicates = 0;
        self.undo.possible = false;
        self.forward = ForwardRecovery::Off;
        self.controller.on_recovered(now.as_nanos());
    }

    fn answer_losses(&mut self, now: Time, lost: u64, flight: u64, counters: &mut Counters) {
        let reducing = match self.phase {
            _ if lost == 0 => return,
            Phase::Recovery(_) | Phase::Loss(_) => return,
            // The window came down already for this round trip's congestion.
            Phase::Reducing(_) => true,
            Phase::Open => false,
        };
        if self.settings.recovery == Recovery::Tahoe {
            self.restart(now, counters);
            return;
        }
        self.remember();
        self.phase = Phase::Recovery(self.next);
        if !reducing {
            self.decrease(now, Signal::Loss, flight, counters);
        }
        // A controller that goes back to slow start repairs the loss in it.
        if self.controller.cwnd() < self.controller.ssthresh() && !self.is_model_based {
            self.phase = Phase::Loss(self.next);
            self.reduction = None;
        }
    }

    /// Tahoe goes back to slow start, and sends again from the first segment on.
    fn restart(&mut self, now: Time, counters: &mut Counters) {
        for number in self.board.numbers() {
            if self.board.at(number).state == State::InFlight {
                self.board.lose(number);
            }
        }
        self.duplicates = 0;
        self.phase = Phase::Loss(self.next);
        counters.decreases += 1;
        self.congest(now, Signal::Timeout);
    }

    /// Tells the controller of congestion, and lets what is in flight come down.
    fn decrease(&mut self, now: Time, signal: Signal, flight: u64, counters: &mut Counters) {
        counters.decreases += 1;
        self.congest(now, signal);
        if self.settings.recovery.uses_sack() && !self.is_model_based {
            self.reduction = Some(Reduction::new(flight, self.window(), self.segment()));
        }
    }

    fn congest(&mut self, now: Time, signal: Signal) {
        // RFC 3168, section 6.1.2: for whatever reason the window was reduced.
        self.reduced = matches!(self.settings.ecn, EcnMode::Classic | EcnMode::SomeCongestion);
        let in_flight = self.segments(self.in_flight());
        self.controller.on_congestion(&Congestion { now: now.as_nanos(), signal, in_flight });
    }

    // -- Spurious decreases -------------------------------------------------

    /// Keeps what a spurious decrease would bring back.
    fn remember(&mut self) {
        match &mut self.undo.controller {
            Some(kept) => **kept = self.controller.clone(),
            None => self.undo.controller = Some(Box::new(self.controller.clone())),
        }
        self.undo.possible = true;
        self.undo.from = self.board.unacknowledged();
        self.undo.retransmissions = 0;
        self.undo.first = None;
    }

    /// Whether the last decrease was for nothing; then it is taken back.
    fn judge_spurious(
        &mut self,
        segment: &Segment,
        advanced: bool,
        repeats: bool,
        delivered: &Delivered,
        counters: &mut Counters,
    ) {
        if delivered.duplicate_of_resent && self.undo.retransmissions > 0 {
            self.undo.retransmissions -= 1;
            // Every retransmission arrived beside its original.
            let all = self.undo.retransmissions == 0;
            if all && matches!(self.phase, Phase::Recovery(_) | Phase::Loss(_)) {
                self.take_back(counters);
            }
        }
        let acknowledged = self.board.unacknowledged();
        if let Some((stamp, end)) = self.undo.first
            && acknowledged >= end
        {
            // What was acknowledged had been sent before it was sent again.
            self.undo.first = None;
            let early = (segment.echo.wrapping_sub(stamp) as i32) < 0;
            if segment.flags.has(Flags::TIMESTAMPS) && early {
                self.take_back(counters);
            }
        }
        if advanced || repeats || delivered.octets > 0 {
            self.try_forward(advanced, delivered.originals, counters);
        }
    }

    /// RFC 5682, sections 2.1 and 3.1: what was sent before the timeout still
    /// arrives.
    fn try_forward(&mut self, advanced: bool, originals: bool, counters: &mut Counters) {
        let sack = self.settings.recovery.uses_sack();
        let trying = matches!(self.forward, ForwardRecovery::Trying(_));
        if self.forward == ForwardRecovery::Off {
            return;
        }
        if (sack && originals) || (!sack && trying && advanced) {
            self.take_back(counters);
        } else if trying || (!sack && !advanced) {
            self.forward = ForwardRecovery::Off;
        } else if advanced {
            self.forward = ForwardRecovery::Trying(2);
        }
    }

    fn take_back(&mut self, counters: &mut Counters) {
        if !self.undo.possible {
            return;
        }
        if let Some(kept) = &mut self.undo.controller {
            std::mem::swap(&mut **kept, &mut self.controller);
        }
        self.undo.possible = false;
        self.undo.first = None;
        self.timed_out = 0;
        self.board.find_again();
        self.phase = Phase::Open;
        self.reduction = None;
        self.forward = ForwardRecovery::Off;
        counters.undone += 1;
    }

    // -- Marks --------------------------------------------------------------

    /// Octets of what was delivered that were marked.
    fn count_marks(&mut self, segment: &Segment, advanced: bool, delivered: &Delivered) -> u64 {
        match self.settings.ecn {
            EcnMode::Off => 0,
            EcnMode::Classic | EcnMode::Dctcp | EcnMode::SomeCongestion => {
                if segment.flags.has(Flags::ECE) { delivered.octets } else { 0 }
            }
            // An acknowledgement that tells nothing new may be an old one.
            EcnMode::Accurate | EcnMode::Scalable if !advanced && delivered.octets == 0 => 0,
            EcnMode::Accurate | EcnMode::Scalable => {
                let counted = u64::from(segment.flags.counter());
                let more = counted.wrapping_sub(self.marked_packets) & 0b111;
                self.marked_packets += more;
                (more * self.segment()).min(delivered.octets.max(self.segment()))
            }
        }
    }

    /// An echo of RFC 3168: as for a loss, once a round trip, without
    /// retransmission.
    fn answer_echo(&mut self, now: Time, counters: &mut Counters) {
        if self.phase != Phase::Open || self.board.is_empty() {
            return;
        }
        self.phase = Phase::Reducing(self.next);
        let flight = self.in_flight();
        self.decrease(now, Signal::Mark, flight, counters);
    }

    /// Marks that the controller counts: it may answer once a round trip.
    fn answer_counted_marks(&mut self, now: Time, counters: &mut Counters) {
        if self.board.unacknowledged() < self.mark_point || self.phase != Phase::Open {
            return;
        }
        self.mark_point = self.next.max(self.board.unacknowledged() + 1);
        counters.decreases += 1;
        self.congest(now, Signal::Mark);
    }

    // -- The controller -----------------------------------------------------

    fn tell(
        &mut self,
        now: Time,
        segment: &Segment,
        advanced: bool,
        lost: u64,
        marked: u64,
        it: &Delivered,
    ) {
        let round_ended =
            it.newest.is_some_and(|(_, _, snapshot)| snapshot.delivered() >= self.round_end);
        if round_ended {
            self.round_end = self.account.delivered();
        }
        let least = self.rack.least_rtt().unwrap_or(Duration::ZERO);
        let delivery = it.newest.map(|(_, sent, snapshot)| {
            let sample = self.account.sample(now, sent, &snapshot);
            sample.in_segments(f64::from(self.settings.maximum_segment), least)
        });
        let limited = self.is_window_limited();
        // Limited transmit leaves the window alone (RFC 3042): nothing opens it
        // that leaves a gap where it is.
        let grows = limited && advanced && matches!(self.phase, Phase::Open | Phase::Loss(_));
        let delivered = self.segments(it.octets);
        let some = self.settings.ecn == EcnMode::SomeCongestion && segment.flags.has(Flags::AE);
        let timestamps = segment.flags.has(Flags::TIMESTAMPS);
        let one_way = segment.timestamp.wrapping_sub(segment.echo);
        self.controller.on_acknowledgement(&Acknowledgement {
            now: now.as_nanos(),
            acknowledged: if grows { delivered } else { 0.0 },
            delivered,
            marked: self.segments(marked),
            some_congestion: if some { delivered } else { 0.0 },
            lost: self.segments(lost),
            rtt: it.latest.map(Duration::as_nanos),
            smoothed_rtt: self.estimator.smoothed().map(Duration::as_nanos),
            one_way_delay: timestamps.then(|| u64::from(one_way) * 1_000_000),
            in_flight: self.segments(self.in_flight()),
            delivery,
            round_ended,
            recovering: matches!(self.phase, Phase::Recovery(_) | Phase::Loss(_)),
            window_limited: limited,
        });
    }

    /// Whether the window was what kept the sender from sending more, in the last
    /// round trip; in slow start half a window is enough, for it doubles.
    fn is_window_limited(&self) -> bool {
        let slow_start = self.controller.cwnd() < self.controller.ssthresh();
        self.window_limited || (slow_start && self.window() < 2 * self.most_in_flight)
    }

    // -- Sending ------------------------------------------------------------

    /// Sends what may be sent.
    pub(super) fn transmit(
        &mut self,
        now: Time,
        counters: &mut Counters,
        emit: &mut impl FnMut(Transmission),
    ) {
        self.waits_for_pacer = false;
        // Without new data to try, recovery goes on as usual.
        if matches!(self.forward, ForwardRecovery::Trying(_)) && self.new_length().is_none() {
            self.forward = ForwardRecovery::Off;
        }
        let rate = self.pacing_rate();
        let mut limited = true;
        loop {
            let lost = match self.forward {
                ForwardRecovery::Trying(_) => None,
                _ => self.board.lowest_lost(),
            };
            let length = match lost {
                Some(number) => self.board.at(number).length,
                None => match self.new_length() {
                    Some(length) => length,
                    None => {
                        limited = false;
                        break;
                    }
                },
            };
            if !self.allows(u64::from(length)) && !self.must_resend(lost) {
                break;
            }
            if rate.is_some() && !self.pacer.allows(now) {
                self.waits_for_pacer = true;
                break;
            }
            match lost {
                Some(number) => self.resend(now, number, counters, emit),
                None => self.send(now, length, counters, emit),
            }
            if let Some(rate) = rate {
                self.pacer.spend(now, u32::from(length), rate);
            }
        }
        self.note_limit(limited);
    }

    /// Octets per second, if packets are paced: as the controller says, or like
    /// Linux at twice a window a round trip below half the threshold, and at 1.2
    /// windows above.
    fn pacing_rate(&self) -> Option<f64> {
        let segment = f64::from(self.settings.maximum_segment);
        if let Some(rate) = self.controller.pacing_rate() {
            return Some(rate * segment);
        }
        if !self.settings.pacing {
            return None;
        }
        let (cwnd, ssthresh) = (self.controller.cwnd(), self.controller.ssthresh());
        let ratio = if cwnd < ssthresh / 2.0 { 2.0 } else { 1.2 };
        Some(ratio * cwnd * segment / self.estimator.smoothed()?.as_seconds())
    }

    fn allows(&self, length: u64) -> bool {
        if let ForwardRecovery::Trying(left) = self.forward {
            return left > 0;
        }
        match &self.reduction {
            Some(reduction) => reduction.allows(length),
            None => self.in_flight() + length <= self.window(),
        }
    }

    /// Whether a lost segment goes whatever the window: without SACK, fast
    /// retransmit waits for nothing (RFC 5681, section 3.2; RFC 6582, section 3.2).
    fn must_resend(&self, lost: Option<u32>) -> bool {
        let first = self.board.first().map(|(number, _)| number);
        let recovering = matches!(self.phase, Phase::Recovery(_));
        recovering && !self.settings.recovery.uses_sack() && lost.is_some() && lost == first
    }

    /// The octets of the next new segment; `None` if there is nothing to send, or
    /// no room for it at the receiver.
    fn new_length(&self) -> Option<u16> {
        let waiting = self.limit.saturating_sub(self.next);
        if waiting == 0 {
            return (self.closing && self.fin_end.is_none()).then_some(0);
        }
        let room = self.edge.saturating_sub(self.next);
        let length = waiting.min(self.segment());
        if length <= room {
            return Some(length as u16);
        }
        // A part of a segment only where nothing else would go on (RFC 9293,
        // section 3.8.6.2.1).
        (room > 0 && self.board.is_empty()).then_some(room as u16)
    }

    fn send(
        &mut self,
        now: Time,
        length: u16,
        counters: &mut Counters,
        emit: &mut impl FnMut(Transmission),
    ) {
        let sequence = self.next;
        self.next += u64::from(length);
        let fin = self.closing && self.next == self.limit && self.fin_end.is_none();
        if fin {
            self.next += 1;
            self.fin_end = Some(self.next);
        }
        let idle = self.board.is_empty();
        if idle {
            self.timeout_from = now;
        }
        self.probe_from = now;
        let in_flight = self.board.in_flight() + u64::from(length);
        let snapshot = self.account.send(now, idle, in_flight);
        self.board.send(now, self.next, length, snapshot);
        if let Some(reduction) = &mut self.reduction {
            reduction.send(u64::from(length));
        }
        if let ForwardRecovery::Trying(left) = &mut self.forward {
            *left -= 1;
        }
        counters.segments += u64::from(length > 0);
        let reduced = std::mem::take(&mut self.reduced);
        emit(Transmission { sequence, length, fin, retransmission: false, reduced });
    }

    fn resend(
        &mut self,
        now: Time,
        number: u32,
        counters: &mut Counters,
        emit: &mut impl FnMut(Transmission),
    ) {
        let sent = self.board.at(number);
        let (end, length) = (sent.end, sent.length);
        let in_flight = self.board.in_flight() + u64::from(length);
        let snapshot = self.account.send(now, false, in_flight);
        self.board.resend(now, number, snapshot);
        if let Some(reduction) = &mut self.reduction {
            reduction.send(u64::from(length));
        }
        self.undo.retransmissions += 1;
        self.undo.first.get_or_insert((clock(now), end));
        counters.segments += u64::from(length > 0);
        counters.retransmissions += u64::from(length > 0);
        let fin = self.fin_end == Some(end);
        let sequence = end - u64::from(length) - u64::from(fin);
        emit(Transmission { sequence, length, fin, retransmission: true, reduced: false });
    }

    /// Notes whether the window or the application stopped the sender.
    fn note_limit(&mut self, limited: bool) {
        let in_flight = self.in_flight();
        let ended = self.board.unacknowledged() >= self.limited_end;
        if ended || limited || (!self.window_limited && in_flight > self.most_in_flight) {
            self.window_limited = limited;
            self.most_in_flight = in_flight;
            self.limited_end = self.next;
        }
        if !limited && in_flight < self.window() {
            self.account.limit(in_flight);
        }
    }

    // -- Timers -------------------------------------------------------------

    /// When the sender wants to be woken.
    #[inline]
    pub(super) fn next_wake(&self) -> Option<Time> {
        let pacer = self.waits_for_pacer.then(|| self.pacer.next());
        let timers = if !self.board.is_empty() {
            let timeout = self.timeout_from + self.estimator.timeout();
            let probe = self.probe_due().unwrap_or(timeout);
            Some(self.reordering_until.unwrap_or(timeout).min(timeout).min(probe))
        } else if self.limit > self.next && self.edge <= self.next {
            // The receiver's window is closed: ask whether it still is.
            Some(self.timeout_from + self.estimator.timeout())
        } else {
            None
        };
        match (pacer, timers) {
            (Some(pacer), Some(timer)) => Some(pacer.min(timer)),
            (pacer, timer) => pacer.or(timer),
        }
    }

    /// When a tail loss probe is due, if it may be sent (RFC 8985, section 7.2).
    fn probe_due(&self) -> Option<Time> {
        let may = self.settings.recovery == Recovery::Rack
            && self.phase == Phase::Open
            && self.probe.is_none()
            && self.probe_allowed
            && self.board.delivered() == 0
            && self.reordering_until.is_none()
            && !self.estimator.backed_off();
        if !may {
            return None;
        }
        let wait = match self.estimator.smoothed() {
            None => Duration::from_secs(1),
            // A single segment may be acknowledged late.
            Some(rtt) if self.board.len() == 1 => rtt * 2 + self.settings.acknowledge_within,
            Some(rtt) => rtt * 2,
        };
        Some(self.probe_from + wait)
    }

    /// Looks at the timers; returns whether the closed window is to be probed.
    pub(super) fn wake(
        &mut self,
        now: Time,
        counters: &mut Counters,
        emit: &mut impl FnMut(Transmission),
    ) -> bool {
        if self.board.is_empty() {
            let closed = self.limit > self.next && self.edge <= self.next;
            if closed && self.timeout_from + self.estimator.timeout() <= now {
                self.estimator.back_off();
                self.timeout_from = now;
                return true;
            }
            return false;
        }
        if self.reordering_until.is_some_and(|it| it <= now) {
            let flight = self.in_flight();
            let lost = self.find_losses(now);
            self.answer_losses(now, lost, flight, counters);
        }
        if self.timeout_from + self.estimator.timeout() <= now {
            self.time_out(now, counters, emit);
        } else if self.probe_due().is_some_and(|it| it <= now) {
            self.send_probe(now, counters, emit);
        }
        false
    }

    /// RFC 6298, section 5: the first segment is sent again, and the window starts
    /// from the beginning.
    fn time_out(
        &mut self,
        now: Time,
        counters: &mut Counters,
        emit: &mut impl FnMut(Transmission),
    ) {
        counters.timeouts += 1;
        let first = self.timed_out != self.board.unacknowledged();
        self.timed_out = self.board.unacknowledged();
        self.estimator.back_off();
        self.timeout_from = now;
        if first {
            self.remember();
        }
        let lost = self.lose_after_timeout(now);
        self.account.lose(lost);
        self.duplicates = 0;
        self.probe = None;
        self.reordering_until = None;
        self.reduction = None;
        let repairing = matches!(self.phase, Phase::Loss(_));
        self.phase = Phase::Loss(self.next);
        self.forward = match (first && !repairing, self.settings.recovery) {
            (true, Recovery::NewReno | Recovery::Sack | Recovery::Rack) => ForwardRecovery::Probing,
            _ => ForwardRecovery::Off,
        };
        // A repeated timeout of the same data finds the window where it is.
        if first {
            counters.decreases += 1;
            self.congest(now, Signal::Timeout);
        }
        if let Some((number, _)) = self.board.first() {
            self.resend(now, number, counters, emit);
        }
    }

    /// After a timeout everything is held to be lost; by RACK what is overdue
    /// (RFC 8985, section 6.3).
    fn lose_after_timeout(&mut self, now: Time) -> u64 {
        let smoothed = self.estimator.smoothed();
        let window = self.rack.window(true, self.board.delivered(), smoothed);
        let by_time = self.settings.recovery == Recovery::Rack;
        let mut lost = 0;
        while let Some((number, sent)) = self.board.oldest() {
            let is_first = self.board.first().is_some_and(|(it, _)| it == number);
            if by_time && !is_first && self.rack.deadline(sent, window) > now {
                break;
            }
            lost += u64::from(sent.length);
            self.board.lose(number);
        }
        lost
    }

    /// RFC 8985, section 7.3: new data if there is any, else the last segment.
    fn send_probe(
        &mut self,
        now: Time,
        counters: &mut Counters,
        emit: &mut impl FnMut(Transmission),
    ) {
        counters.probes += 1;
        self.probe_allowed = false;
        let new = self.new_length();
        match (new, self.board.last()) {
            (Some(length), _) => self.send(now, length, counters, emit),
            (None, Some((number, _))) => self.resend(now, number, counters, emit),
            (None, None) => {}
        }
        // The timeout runs anew, so that it leaves the probe its time.
        self.timeout_from = now;
        self.probe = Some(Probe { end: self.next, retransmission: new.is_none() });
    }

    /// RFC 8985, section 7.4: whether the probe itself repaired a loss, which
    /// nothing else would tell.
    fn answer_probe(
        &mut self,
        now: Time,
        delivered: &Delivered,
        repeats: bool,
        counters: &mut Counters,
    ) {
        let Some(probe) = self.probe else { return };
        let unacknowledged = self.board.unacknowledged();
        let both_arrived = delivered.duplicate || (repeats && delivered.octets == 0);
        // Of the original and the probe, one has arrived: it is open whether both do.
        let open = unacknowledged == probe.end && probe.retransmission && !both_arrived;
        if unacknowledged < probe.end || open {
            return;
        }
        self.probe = None;
        if probe.retransmission && !both_arrived && self.phase == Phase::Open {
            counters.decreases += 1;
            self.congest(now, Signal::Loss);
            self.controller.on_recovered(now.as_nanos());
        }
    }
}

/// The clock of timestamps: milliseconds (RFC 7323, section 5.4).
pub(super) fn clock(now: Time) -> u32 {
    (now.as_nanos() / 1_000_000) as u32
}
