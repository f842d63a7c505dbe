//! The sending half: what may be sent, what was lost, what is reported to the
//! congestion controller.
//!
//! Loss recovery follows RFC 5681, 6582, 6675 or 8985 by choice, reductions of
//! the window RFC 9937, timeouts RFC 6298, spurious ones RFC 3522 (timestamps),
//! RFC 5682 (F-RTO) and RFC 3708 (duplicates reported), limited transmit RFC 3042,
//! which in all of these is what the accounting of data in flight allows.

mod bursts;
mod duplicates;
mod idleness;
mod losses;
mod outstanding;
mod path_change;
mod path_mtu;
mod small_queue;
mod spurious;
mod state;
mod subflow;
mod timers;
mod transmission;

use std::sync::Arc;

use windtunnel_controllers::{
    Acknowledgement, AnyController, Controller, Need, RadioReport, Signal,
};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::{Flags, SackBlock, Segment};

pub(super) use state::Transmission;
use state::{Delivered, ForwardRecovery, Part, Phase, Probe, Undo};

use super::accurate_ecn::MarksReported;
use super::counters::EndpointCounters;
use super::ecn_negotiation::Negotiation;
use super::path_mtu::PathMtu;
use super::rack::Rack;
use super::scoreboard::{Scoreboard, Sent, counted};
use super::sender_state::Subflow;
use super::sequence::{FIRST, extend};
use super::settings::{EcnMode, Idleness, TcpSettings};
use super::small_queue::SmallQueue;
use super::validation::Validation;
use super::writes::Writes;
use crate::delivery::Account;
use crate::pacing::Pacer;
use crate::prr::Reduction;
use crate::rtt::RttEstimator;

/// The sending half of a connection.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    settings: Arc<TcpSettings>,
    controller: AnyController,
    /// Whether the controller sets the window during loss recovery too, because it works
    /// from delivery rates.
    is_model_based: bool,
    /// Whether the controller counts marks, and answers them by itself; and whether the
    /// receiver's reports allow that.
    counts_marks: bool,
    marks_are_counted: bool,
    /// How the receiver reports marks.
    ecn: EcnMode,
    /// What it has reported, where that is accurate ECN.
    marks: MarksReported,
    board: Scoreboard,
    account: Account,
    estimator: RttEstimator,
    rack: Rack,
    pacer: Pacer,
    /// The next byte to be sent for the first time.
    next: u64,
    /// The byte after the last that was sent before segments had to become smaller.
    sent_before: u64,
    writes: Writes,
    /// The byte after the last that the receiver has room for, and the largest window that it
    /// has advertised.
    edge: u64,
    largest_window: u64,
    part: Part,
    phase: Phase,
    reduction: Option<Reduction>,
    undo: Undo,
    forward: ForwardRecovery,
    probe: Option<Probe>,
    /// Whether there was a round trip sample since the last probe.
    probe_allowed: bool,
    /// Whether the next lost segment goes whatever the window (fast retransmit).
    fast_retransmit: bool,
    /// Duplicate acknowledgements in a row, where there is no SACK.
    duplicates: u32,
    /// Bytes behind the first segment that duplicates have counted as delivered, and that are
    /// not acknowledged yet.
    counted: u64,
    /// Segments below this number were looked at for losses (RFC 6675).
    examined: u32,
    /// The next mark counts when this byte is acknowledged, where the controller
    /// counts marks.
    mark_point: u64,
    reduced: bool,
    /// A round trip ends when data is delivered that was sent after so much was.
    round_end: u64,
    /// Whether the window limited the sender in the round trip that ends when
    /// `limited_end` is acknowledged, and the most that was in flight then.
    window_limited: bool,
    limited_end: u64,
    most_in_flight: u64,
    /// Since when the application has had nothing to send although the window has room; never,
    /// if it has.
    ran_out_at: Time,
    waits_for_pacer: bool,
    /// What waits in the host's queue, where that is to stay small; whether it keeps the
    /// sender from sending.
    small_queue: Option<Box<SmallQueue>>,
    waits_for_queue: bool,
    /// When that was found, if nothing has changed since that another attempt to send would
    /// depend on; else never.
    waits_since: Time,
    timeout_from: Time,
    /// The first byte that was not acknowledged at the last timeout.
    timed_out: u64,
    /// The byte after all that the last repair was about; before the first, none.
    repaired: u64,
    /// The byte after all that was sent before the path changed, until that is acknowledged.
    path_changed: Option<u64>,
    /// How large segments may be, where it finds that out by itself.
    path_mtu: Option<Box<PathMtu>>,
    probe_from: Time,
    reordering_until: Option<Time>,
    /// How much of the window is in use, where that decides.
    validation: Option<Box<Validation>>,
    /// When data was last sent.
    sent_at: Time,
    /// What timers found to be lost, which no acknowledgement has reported yet.
    lost_unreported: u64,
    /// The last report of the radio that the data goes over; boxed, because most senders
    /// have none.
    radio: Option<Box<RadioReport>>,
    /// What it has as a subflow of a multipath connection.
    subflow: Option<Box<Subflow>>,
}

impl Sender {
    pub(super) fn new(settings: &Arc<TcpSettings>) -> Self {
        let description = settings.controller.description();
        Self {
            settings: Arc::clone(settings),
            controller: AnyController::new(settings.start(), &settings.controller),
            is_model_based: description.needs(Need::DeliveryRate),
            counts_marks: description.needs(Need::MarksCounted),
            marks_are_counted: false,
            ecn: EcnMode::Off,
            marks: MarksReported::new(false),
            board: Scoreboard::new(FIRST),
            account: Account::new(),
            estimator: RttEstimator::new(settings.timeout),
            rack: Rack::new(),
            pacer: Pacer::default(),
            next: FIRST,
            sent_before: FIRST,
            writes: Writes::new(FIRST),
            edge: FIRST,
            largest_window: 0,
            part: Part::None,
            phase: Phase::Open,
            reduction: None,
            undo: Undo::default(),
            forward: ForwardRecovery::Off,
            probe: None,
            probe_allowed: true,
            fast_retransmit: false,
            duplicates: 0,
            counted: 0,
            examined: 0,
            mark_point: FIRST,
            reduced: false,
            round_end: 0,
            window_limited: false,
            limited_end: FIRST,
            most_in_flight: 0,
            ran_out_at: Time::NEVER,
            waits_for_pacer: false,
            small_queue: None,
            waits_for_queue: false,
            waits_since: Time::NEVER,
            timeout_from: Time::ZERO,
            timed_out: 0,
            repaired: FIRST - 1,
            path_changed: None,
            path_mtu: None,
            probe_from: Time::ZERO,
            reordering_until: None,
            validation: (settings.window.after_idleness == Idleness::Validate).then(Box::default),
            sent_at: Time::ZERO,
            lost_unreported: 0,
            radio: None,
            subflow: None,
        }
    }

    pub(super) fn controller(&self) -> &AnyController {
        &self.controller
    }

    pub(super) fn smoothed_rtt(&self) -> Option<Duration> {
        self.estimator.smoothed()
    }

    /// Bytes in flight.
    pub(super) fn in_flight(&self) -> u64 {
        // Each duplicate acknowledgement means that a segment has left the network.
        let left = u64::from(self.duplicates) * self.segment();
        self.board.in_flight().saturating_sub(left)
    }

    /// Bytes written and not acknowledged.
    pub(super) fn unacknowledged(&self) -> u64 {
        if self.writes.is_without_end() {
            return u64::MAX;
        }
        self.writes.limit().saturating_sub(self.board.unacknowledged())
    }

    /// Whether the FIN is acknowledged.
    pub(super) fn is_closed(&self) -> bool {
        self.writes.end_before(self.board.unacknowledged())
    }

    /// The sequence number of a segment without data.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn write(&mut self, now: Time, bytes: u64) {
        self.end_silence(now);
        self.writes.add(bytes);
    }

    pub(super) fn close(&mut self) {
        self.writes.close(self.next.max(self.sent_before));
    }

    /// The handshake has given the receiver's window, now and in its SYN, an agreement on ECN, and
    /// a round trip, unless a SYN was sent again without timestamps.
    pub(super) fn establish(
        &mut self,
        now: Time,
        [window, first_window]: [u64; 2],
        rtt: Option<Duration>,
        ecn: Negotiation,
    ) {
        self.ecn = ecn.sending;
        self.marks_are_counted = self.counts_marks && self.ecn.counts_marks();
        self.marks = MarksReported::new(ecn.came_marked);
        self.edge = FIRST + window;
        self.largest_window = window.max(first_window);
        match rtt {
            Some(rtt) => self.measure(rtt),
            None => self.estimator.fall_back(),
        }
        self.timeout_from = now;
        self.probe_from = now;
        self.sent_at = now;
        self.pacer.wait(now, Duration::ZERO);
    }

    /// The radio reports its SINR, in decibels, and its bandwidth, in hertz.
    pub(super) fn on_radio_report(&mut self, now: Time, sinr: f64, bandwidth: f64) {
        let bits = 8.0 * f64::from(self.settings.maximum_segment);
        let received = now.as_nanos();
        let report = RadioReport { received, sinr, bandwidth: bandwidth / bits };
        **self.radio.get_or_insert_with(|| Box::new(report)) = report;
    }

    #[inline]
    fn segment(&self) -> u64 {
        u64::from(self.settings.maximum_segment)
    }

    #[inline]
    fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.settings.maximum_segment)
    }

    /// The window in bytes.
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

    /// Whether the peer can acknowledge this: what was sent and not acknowledged, or what was
    /// acknowledged at most a window ago (RFC 5961, section 5.2).
    #[inline]
    pub(super) fn may_acknowledge(&self, acknowledgement: u32) -> bool {
        let before = self.board.unacknowledged();
        let acknowledged = extend(before, acknowledgement);
        acknowledged <= self.next.max(self.sent_before)
            && acknowledged + self.largest_window >= before
    }

    /// Whether it would be news that everything before that number was received.
    pub(super) fn advances(&self, acknowledgement: u32) -> bool {
        let before = self.board.unacknowledged();
        extend(before, acknowledgement) > before
    }

    /// The receiver has room up to there. Where that opens a closed window, the timeout is no
    /// longer that of its probes.
    #[inline]
    fn move_edge(&mut self, edge: u64) {
        if self.waits_for_room() && self.board.is_empty() && edge > self.next {
            self.estimator.end_backoff();
        }
        self.edge = edge;
    }

    /// The settings are those that both ends agreed on; nothing was sent yet.
    pub(super) fn agree(&mut self, settings: &Arc<TcpSettings>) {
        self.settings = Arc::clone(settings);
        if self.path_mtu.is_some() {
            self.discover_path_mtu();
        }
        self.count_segments();
    }

    /// Handles what a segment reports about data sent. `window` is the advertised window,
    /// in bytes.
    #[inline]
    pub(super) fn acknowledge(
        &mut self,
        now: Time,
        segment: &Segment,
        window: u64,
        counters: &mut EndpointCounters,
    ) {
        let before = self.board.unacknowledged();
        let acknowledged = extend(before, segment.acknowledgement);
        if acknowledged > self.next {
            if acknowledged > self.sent_before {
                return;
            }
            // What was sent before segments had to become smaller has arrived after all.
            self.next = acknowledged;
        }
        let edge = acknowledged + window;
        self.largest_window = self.largest_window.max(window);
        let repeats = acknowledged == before && edge == self.edge && segment.length == 0;
        if acknowledged >= before {
            self.move_edge(edge);
        }
        let in_flight_before = self.in_flight();
        let mut delivered = self.deliver(now, acknowledged, segment, counters);
        let advanced = self.board.unacknowledged() > before;
        self.count_duplicates(before, advanced, repeats, &mut delivered);
        if delivered.bytes > 0 {
            self.account.deliver(now, delivered.bytes);
        }
        // The FIN takes a number, but is no data.
        let closed = advanced && self.is_closed();
        counters.acknowledged_bytes += self.board.unacknowledged() - before - u64::from(closed);
        if advanced {
            self.timeout_from = now;
            self.probe_from = now;
        }
        if self.path_mtu.is_some() {
            self.judge_path_probe(now);
        }
        self.take_round_trip(now, segment, advanced, &delivered, counters);
        self.judge_spurious(segment, advanced, repeats, &delivered, counters);
        let lost = self.find_losses(now);
        if let Some(probe) = self.probe {
            self.answer_probe(now, probe, &delivered, repeats, counters);
        }
        // What the last decrease answered is echoed until its end.
        let open = self.phase == Phase::Open;
        if !open {
            self.leave_phase(now);
        }
        self.answer_losses(now, lost, in_flight_before, counters);
        let marked = self.count_marks(segment, &delivered);
        if marked > 0 && !self.marks_are_counted && open {
            self.answer_echo(now, counters);
        }
        self.report_delivery(now, segment, advanced, lost, marked, &delivered);
        if marked > 0 && self.marks_are_counted {
            self.answer_counted_marks(now, counters);
        }
        let (pipe, size) = (self.in_flight(), self.segment());
        if let Some(reduction) = &mut self.reduction {
            reduction.acknowledge(delivered.bytes, pipe, advanced && lost == 0, size);
        }
        if self.path_changed.is_some() && !self.waits_for_path() {
            self.path_changed = None;
            self.begin_anew();
        }
    }

    /// Finds out what a segment newly acknowledges.
    #[inline]
    fn deliver(
        &mut self,
        now: Time,
        acknowledged: u64,
        segment: &Segment,
        counters: &mut EndpointCounters,
    ) -> Delivered {
        let mut delivered = Delivered::default();
        // Where a gap remains, the echo is of what came before it (RFC 7323, section
        // 4.3), and gives no information on a segment beyond.
        let advances = acknowledged > self.board.unacknowledged();
        let stamped = segment.flags.has(Flags::TIMESTAMPS) && advances;
        let point = match self.phase {
            Phase::Loss(point) => point,
            Phase::Open | Phase::Reducing(_) | Phase::Recovery(_) => 0,
        };
        let Self { board, rack, undo, .. } = self;
        let least = board.least();
        let highest = rack.highest();
        let mut newly = |sent: &Sent| {
            let since = now.since(sent.last_sent);
            let is_early =
                || stamped && age_of(now, segment) > since.as_nanos().div_ceil(1_000_000);
            let ambiguous = rack.is_ambiguous(sent, since, is_early);
            rack.deliver(now, sent, highest, ambiguous);
            delivered.acknowledged += counted(sent.length, least);
            delivered.segments += 1;
            // What may be an original's arrival says nothing of what its retransmission
            // remembers.
            if !ambiguous && delivered.newest.is_none_or(|(order, ..)| order < sent.order) {
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
        board.acknowledge(acknowledged, &mut newly);
        let mut blocks = segment.sack_blocks();
        let next = self.next;
        if let Some(first) = blocks.next() {
            let near = board.unacknowledged();
            let range = |it: SackBlock| (extend(near, it.start), extend(near, it.end));
            let (start, end) = range(first);
            let second = segment.sack_blocks().nth(1).map(range);
            // RFC 2883: a first block below the acknowledgement, or inside the second.
            let inside = second.is_some_and(|(from, to)| from <= start && end <= to);
            if end <= acknowledged || inside {
                delivered.duplicate = true;
                let resent =
                    if end <= acknowledged { end > undo.from } else { board.was_resent(start) };
                if resent {
                    // Several that were merged are reported as one; a FIN is no segment more.
                    let segment = u64::from(self.settings.maximum_segment);
                    delivered.duplicates_of_resent =
                        end.saturating_sub(start + 1).div_ceil(segment).max(1);
                }
            } else if near < start && end <= next {
                board.deliver(start, end, &mut newly);
            }
            for (start, end) in blocks.map(range) {
                if near < start && end <= next {
                    board.deliver(start, end, &mut newly);
                }
            }
        }
        delivered.bytes = delivered.acknowledged;
        delivered
    }

    /// Takes the round trip of segments sent once, or else that of the timestamps (RFC
    /// 6298, section 3; RFC 7323, section 4).
    fn take_round_trip(
        &mut self,
        now: Time,
        segment: &Segment,
        advanced: bool,
        delivered: &Delivered,
        counters: &mut EndpointCounters,
    ) {
        let acknowledges = advanced && delivered.acknowledged > 0;
        let stamped = segment.flags.has(Flags::TIMESTAMPS) && acknowledges;
        let from_timestamps =
            || stamped.then(|| Duration::from_millis(age_of(now, segment).max(1)));
        // What waited behind a repaired loss measures nothing (Karn's rule).
        let once = delivered.longest.filter(|_| !delivered.repeated);
        let Some(rtt) = once.or_else(from_timestamps) else { return };
        self.measure(rtt);
        if let Some(latest) = delivered.latest {
            self.rack.measure(latest);
            counters.rtt_sum += latest;
            counters.rtt_samples += 1;
            counters.rtt_minimum = Some(counters.rtt_minimum.map_or(latest, |it| it.min(latest)));
        }
    }

    // -- Marks --------------------------------------------------------------

    /// Bytes of what was delivered that were marked.
    #[inline]
    fn count_marks(&mut self, segment: &Segment, delivered: &Delivered) -> u64 {
        match self.ecn {
            EcnMode::Off => 0,
            EcnMode::Classic | EcnMode::Dctcp | EcnMode::SomeCongestion => {
                if segment.flags.has(Flags::ECE) { delivered.bytes } else { 0 }
            }
            // An acknowledgement without news may be an old one, and one of the FIN that of
            // an end without state (see `acknowledge_again`).
            EcnMode::Accurate | EcnMode::Scalable if delivered.bytes == 0 || self.is_closed() => 0,
            EcnMode::Accurate | EcnMode::Scalable => {
                self.marks.update(segment, delivered.segments, delivered.bytes)
            }
        }
    }

    /// An echo of RFC 3168: as for a loss, once a round trip, without
    /// retransmission.
    fn answer_echo(&mut self, now: Time, counters: &mut EndpointCounters) {
        if self.phase != Phase::Open || self.board.is_empty() {
            return;
        }
        self.phase = Phase::Reducing(self.next);
        self.probe = None;
        let flight = self.in_flight();
        // One that would count marks knows no answer to what is not counted, but that to
        // a loss (RFC 3168, section 5).
        let signal = if self.counts_marks { Signal::Loss } else { Signal::Mark };
        self.decrease(now, signal, flight, counters);
    }

    /// Marks that the controller counts: it may answer once a round trip.
    fn answer_counted_marks(&mut self, now: Time, counters: &mut EndpointCounters) {
        if self.board.unacknowledged() < self.mark_point || self.phase != Phase::Open {
            return;
        }
        self.mark_point = self.next.max(self.board.unacknowledged() + 1);
        counters.decreases += 1;
        self.congest(now, Signal::Mark);
    }

    // -- The controller -----------------------------------------------------

    fn report_delivery(
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
            self.end_validation_round(now);
        }
        let least = self.rack.least_rtt().unwrap_or(Duration::ZERO);
        let delivery = it.newest.map(|(_, sent, snapshot)| {
            let sample = self.account.sample(now, sent, &snapshot);
            sample.in_segments(f64::from(self.settings.maximum_segment), least)
        });
        if let Some(subflow) = &mut self.subflow {
            subflow.rate = delivery.and_then(|it| it.rate).or(subflow.rate);
        }
        let limited = self.is_window_limited();
        // Limited transmit leaves the window alone (RFC 3042): nothing opens it
        // that leaves a gap where it is, unless gaps are known to be late segments, as in Linux.
        let grows = limited
            && (advanced || self.rack.is_far_reordered(self.segment()))
            && self.is_validated()
            && matches!(self.phase, Phase::Open | Phase::Loss(_));
        let delivered = self.segments(it.bytes);
        let lost = lost + std::mem::take(&mut self.lost_unreported);
        let some = self.ecn == EcnMode::SomeCongestion && segment.flags.has(Flags::AE);
        let timestamps = segment.flags.has(Flags::TIMESTAMPS);
        let one_way = segment.timestamp.wrapping_sub(segment.echo);
        self.controller.on_acknowledgement(&Acknowledgement {
            now: now.as_nanos(),
            acknowledged: if grows { self.segments(it.acknowledged) } else { 0.0 },
            delivered,
            marked: self.segments(marked),
            some_congestion: if some { delivered } else { 0.0 },
            lost: self.segments(lost),
            rtt: it.latest.map(Duration::as_nanos),
            smoothed_rtt: self.estimator.smoothed().map(Duration::as_nanos),
            one_way_delay: timestamps.then(|| u64::from(one_way) * 1_000_000),
            in_flight: self.segments(self.in_flight()),
            next_departure: self.pacer.next().as_nanos(),
            delivery,
            round_ended,
            recovering: matches!(self.phase, Phase::Recovery(_) | Phase::Loss(_)),
            window_limited: limited,
            radio: self.radio.as_deref().copied(),
        });
    }

    /// Whether the window was what kept the sender from sending more, in the last
    /// round trip; in slow start half a window is enough, for it doubles.
    fn is_window_limited(&self) -> bool {
        let slow_start = self.controller.cwnd() < self.controller.ssthresh();
        self.window_limited || (slow_start && self.window() < 2 * self.most_in_flight)
    }
}

/// How many milliseconds ago the timestamp that a segment echoes was given.
#[inline]
pub(super) fn age_of(now: Time, segment: &Segment) -> u64 {
    u64::from(clock(now).wrapping_sub(segment.echo))
}

/// The clock of timestamps: milliseconds (RFC 7323, section 5.4).
pub(super) fn clock(now: Time) -> u32 {
    (now.as_nanos() / 1_000_000) as u32
}
