//! A connection of the kernel as a controller sees it: reports in, decisions out.
//!
//! What the simulator's sender reports to a controller is reported here likewise
//! (`crates/transports/src/tcp/sender`): the same episodes of recovery, the same rules for what
//! may open a window.

use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Delivery, Need, Settings, Signal,
    Start, TransmissionStart,
};
use windtunnel_engine::Duration;
use windtunnel_transports::prr::Reduction;
use windtunnel_transports::rtt::{RtoLimits, RttEstimator};

use super::layout::{Decision, Kind, Report, State};
use super::sample::History;

/// The initial conditions of Linux's connections.
const START: Start = Start {
    initial_window: 10.0,
    minimum_window: 2.0,
    restart_window: 1.0,
    initial_ssthresh: f64::INFINITY,
};
/// `TCP_INFINITE_SSTHRESH`.
const INFINITE: u32 = 0x7fff_ffff;

/// A counter of 32 bits that wraps around, as a total.
#[derive(Clone, Copy, Debug)]
struct Total {
    last: u32,
    total: u64,
}

impl Total {
    fn from(last: u32) -> Self {
        Self { last, total: 0 }
    }

    /// What was added since the last report; nothing if it went back.
    fn missing(&self, now: u32) -> u32 {
        now.wrapping_sub(self.last).cast_signed().max(0).cast_unsigned()
    }

    /// Adds that.
    fn advance(&mut self, now: u32) -> u64 {
        let added = self.missing(now);
        self.last = self.last.wrapping_add(added);
        self.total += u64::from(added);
        u64::from(added)
    }
}

/// A connection with its controller.
#[derive(Debug)]
pub(super) struct Connection {
    controller: AnyController,
    /// Whether the controller sets the window during loss recovery too, because it works from
    /// delivery rates.
    is_model_based: bool,
    counts_marks: bool,
    began: u64,
    delivered: Total,
    marked: Total,
    lost: Total,
    /// Sequence numbers that were acknowledged; none while there are none.
    acknowledged: Option<Total>,
    unacknowledged: u32,
    state: State,
    /// The controller of before the last decrease.
    before: Option<Box<AnyController>>,
    /// The first sequence number that was not acknowledged at the last timeout.
    timed_out: Option<u32>,
    /// The next mark counts when this is acknowledged, where the controller counts marks; the
    /// first does so at once, for a connection begins before it has sequence numbers.
    mark_point: Option<u32>,
    /// A round trip ends when data is delivered that was sent after so much was.
    round_end: u64,
    /// The window on its way down; and what was sent since then, in segments.
    reduction: Option<(Reduction, u32)>,
    history: History,
    estimator: RttEstimator,
    active: u64,
    first_delay: Option<u32>,
    last: Report,
    /// Whether a report came since its decision was written.
    pub(super) waits: bool,
}

impl Connection {
    /// A connection that begins with this report.
    pub(super) fn new(settings: &Settings, report: &Report) -> Self {
        let needs = |need| settings.needs().any(|it| it == need);
        Self {
            controller: AnyController::new(START, settings),
            is_model_based: needs(Need::DeliveryRate),
            counts_marks: needs(Need::MarksCounted),
            began: report.time,
            delivered: Total::from(report.delivered),
            marked: Total::from(report.marked),
            lost: Total::from(report.lost),
            // The kernel may begin a connection before it has sequence numbers.
            acknowledged: (report.next != 0).then(|| Total::from(report.unacknowledged)),
            unacknowledged: report.unacknowledged,
            state: State::Open,
            before: None,
            timed_out: None,
            mark_point: None,
            round_end: 0,
            reduction: None,
            history: History::default(),
            estimator: RttEstimator::new(RtoLimits::linux()),
            active: report.time,
            first_delay: None,
            last: *report,
            waits: false,
        }
    }

    /// Bytes of data that the peer has acknowledged, a FIN counted as one.
    pub(super) fn bytes(&self) -> u64 {
        self.acknowledged.map_or(0, |it| it.total)
    }

    /// Takes in a report.
    pub(super) fn take(&mut self, report: &Report) {
        self.last = *report;
        if !matches!(report.kind, Kind::Begin | Kind::End) {
            let first = Total::from(report.unacknowledged);
            self.acknowledged.get_or_insert(first).advance(report.unacknowledged);
        }
        match report.kind {
            Kind::Spurious => self.take_back(report),
            Kind::TransmissionStart => self.begin_again(report),
            Kind::State | Kind::Acknowledgement => {
                // A report of the change may have been dropped.
                self.change(report);
                if report.kind == Kind::Acknowledgement {
                    self.acknowledge(report);
                }
            }
            Kind::Begin | Kind::End => {}
        }
        self.active = report.time;
    }

    /// What it decides now.
    pub(super) fn decision(&self) -> Decision {
        let (cwnd, ssthresh) = (self.controller.cwnd(), self.controller.ssthresh());
        let allowed = match &self.reduction {
            Some((reduction, _)) => {
                self.last.in_flight.saturating_add(reduction.allowance() as u32)
            }
            None => cwnd as u32,
        };
        let segment = f64::from(self.last.segment);
        let asked = self.controller.pacing_rate();
        // What is not paced still gets the rate that Linux would give it, by which it sizes its
        // bursts: twice a window a round trip below half the threshold, and 1.2 windows above.
        let ratio = if cwnd < ssthresh / 2.0 { 2.0 } else { 1.2 };
        let usual = || Some(ratio * cwnd / (f64::from(self.last.smoothed_rtt?) * 1e-6));
        let rate = asked.or_else(usual).map(|it| (it * segment).max(1.0) as u64);
        Decision {
            measured: self.last.time,
            rate,
            serial: self.last.serial,
            cwnd: allowed.max(1),
            ssthresh: if ssthresh < f64::from(INFINITE) { ssthresh as u32 } else { INFINITE },
            paced: asked.is_some(),
            reduces: !self.is_model_based,
        }
    }

    fn now(&self, report: &Report) -> u64 {
        report.time.saturating_sub(self.began)
    }

    /// Whether marks are counted: the receiver is expected to report them all where the
    /// controller counts them, by accurate ECN or by the echo of RFC 8257.
    fn marks_are_counted(&self, report: &Report) -> bool {
        self.counts_marks && report.ecn
    }

    // -- Congestion ---------------------------------------------------------

    fn change(&mut self, report: &Report) {
        let before = std::mem::replace(&mut self.state, report.state);
        let fresh = self.timed_out != Some(report.unacknowledged);
        match (before, report.state) {
            (_, State::Loss) if report.kind == Kind::State || before != State::Loss => {
                // A repeated timeout of the same data finds the window where it is.
                if fresh {
                    if matches!(before, State::Open | State::Reducing) {
                        self.remember();
                    }
                    self.timed_out = Some(report.unacknowledged);
                    self.reduction = None;
                    self.congest(report, Signal::Timeout);
                }
            }
            (State::Recovery, State::Recovery) | (State::Reducing, State::Reducing) => {}
            (_, State::Recovery) => {
                self.remember();
                // The window came down already for this round trip's congestion.
                if before != State::Reducing || self.marks_are_counted(report) {
                    self.decrease(report, Signal::Loss);
                }
            }
            (_, State::Reducing) if self.marks_are_counted(report) => {}
            (_, State::Reducing) => {
                // Without ECN it was a loss that a probe repaired.
                self.before = None;
                self.decrease(report, if report.ecn { Signal::Mark } else { Signal::Loss });
            }
            (State::Open, State::Open) => {}
            (State::Reducing, State::Open) if self.marks_are_counted(report) => {}
            (_, State::Open) => {
                self.reduction = None;
                self.controller.on_recovered(self.now(report));
            }
            (_, State::Loss) => {}
        }
    }

    /// Reports congestion to the controller, and lets what is in flight decrease.
    fn decrease(&mut self, report: &Report, signal: Signal) {
        self.congest(report, signal);
        // A controller that goes back to slow start repairs the loss in it.
        if self.is_model_based || self.in_slow_start() {
            return;
        }
        // What was in flight before the acknowledgement that the kernel is about to report.
        let left = self.lost.missing(report.lost) + self.delivered.missing(report.delivered);
        let flight = u64::from(report.in_flight) + u64::from(left);
        // In segments of one byte: the kernel counts segments.
        let reduction = Reduction::new(flight, self.controller.cwnd() as u64, 1);
        self.reduction = Some((reduction, report.sent_in_recovery));
    }

    fn congest(&mut self, report: &Report, signal: Signal) {
        let in_flight = f64::from(report.in_flight);
        let now = self.now(report);
        self.controller.on_congestion(&Congestion { now, signal, in_flight });
    }

    /// Keeps what is restored if the decrease is spurious.
    fn remember(&mut self) {
        self.before = Some(Box::new(self.controller.clone()));
    }

    fn take_back(&mut self, report: &Report) {
        if let Some(before) = self.before.take() {
            self.controller.on_spurious(&before);
        }
        self.timed_out = None;
        self.reduction = None;
        // What the kernel reports next is that the connection is open: no recovery ended.
        self.state = State::Open;
        self.unacknowledged = report.unacknowledged;
    }

    /// Marks that the controller counts: it may answer once a round trip.
    fn answer_counted_marks(&mut self, report: &Report) {
        let is_before = |point| report.unacknowledged.wrapping_sub(point).cast_signed() < 0;
        if self.mark_point.is_some_and(is_before)
            || matches!(self.state, State::Recovery | State::Loss)
        {
            return;
        }
        self.mark_point = Some(report.next);
        self.congest(report, Signal::Mark);
    }

    // -- Acknowledgements ---------------------------------------------------

    fn acknowledge(&mut self, report: &Report) {
        self.history.sent(report.prior_in_flight);
        let delivered = self.delivered.advance(report.delivered);
        let marked = self.marked.advance(report.marked);
        let lost = self.lost.advance(report.lost);
        let advanced = report.unacknowledged != self.unacknowledged;
        self.unacknowledged = report.unacknowledged;
        if let Some(rtt) = report.rtt {
            let expected = u64::from(report.in_flight).div_ceil(2);
            self.estimator.sample(Duration::from_micros(u64::from(rtt)), expected);
        }
        let delivery = self.sample(report);
        let round_ended = delivery.is_some_and(|it| it.total_at_send >= self.round_end as f64);
        if round_ended {
            self.round_end = self.delivered.total;
        }
        self.history.note(self.delivered.total, self.lost.total, report.in_flight);
        if let Some((reduction, sent)) = &mut self.reduction {
            reduction.send(u64::from(report.sent_in_recovery.wrapping_sub(*sent)));
            *sent = report.sent_in_recovery;
            let pipe = u64::from(report.in_flight);
            reduction.acknowledge(delivered, pipe, advanced && lost == 0, 1);
        }
        let window_limited = self.is_window_limited(report);
        let opens = match self.state {
            State::Open | State::Loss => true,
            State::Reducing => self.marks_are_counted(report),
            State::Recovery => self.in_slow_start() && !self.is_model_based,
        };
        let grows = window_limited && advanced && opens;
        let one_way_delay = self.one_way_delay(report);
        self.controller.on_acknowledgement(&Acknowledgement {
            now: self.now(report),
            acknowledged: if grows { delivered as f64 } else { 0.0 },
            delivered: delivered as f64,
            marked: if report.ecn { marked as f64 } else { 0.0 },
            some_congestion: 0.0,
            lost: lost as f64,
            rtt: report.rtt.map(nanoseconds),
            smoothed_rtt: report.smoothed_rtt.map(nanoseconds),
            one_way_delay,
            in_flight: f64::from(report.in_flight),
            // The kernel keeps the time of its next departure to itself.
            next_departure: 0,
            delivery,
            round_ended,
            recovering: matches!(self.state, State::Recovery | State::Loss),
            window_limited,
            radio: None,
        });
        if marked > 0 && self.marks_are_counted(report) {
            self.answer_counted_marks(report);
        }
    }

    fn sample(&mut self, report: &Report) -> Option<Delivery> {
        let sample = report.sample?;
        let total = self.delivered.total;
        let at_send = total.saturating_sub(u64::from(sample.delivered));
        let (in_flight, lost) = self.history.at(at_send).unwrap_or((report.prior_in_flight, 0));
        let rate = |interval| f64::from(sample.delivered) / (f64::from(interval) * 1e-6);
        Some(Delivery {
            rate: sample.interval.map(rate),
            total: total as f64,
            total_at_send: at_send as f64,
            in_flight_at_send: f64::from(in_flight),
            lost_since_send: self.lost.total.saturating_sub(lost) as f64,
            application_limited: report.application_limited,
        })
    }

    /// The difference of the clocks, of which only changes are meaningful. The kernel's
    /// timestamps begin anywhere, so that it is counted from the middle of what it can be.
    fn one_way_delay(&mut self, report: &Report) -> Option<u64> {
        let (timestamp, echo) = report.timestamps?;
        let delay = timestamp.wrapping_sub(echo);
        let first = *self.first_delay.get_or_insert(delay);
        let change = i64::from(delay.wrapping_sub(first).cast_signed());
        let unit = if report.microsecond_timestamps { 1_000 } else { 1_000_000 };
        u64::try_from(change + (1 << 31)).ok().map(|it| it * unit)
    }

    fn in_slow_start(&self) -> bool {
        self.controller.cwnd() < self.controller.ssthresh()
    }

    /// Whether the window was what kept the sender from sending more, in the last round trip;
    /// in slow start half a window is enough, for it doubles.
    fn is_window_limited(&self, report: &Report) -> bool {
        let used = 2.0 * f64::from(report.most_in_flight);
        report.window_limited || (self.in_slow_start() && self.controller.cwnd() < used)
    }

    // -- Idleness -----------------------------------------------------------

    fn begin_again(&mut self, report: &Report) {
        let idle = Duration::from_nanos(report.time.saturating_sub(self.active));
        // After idleness the window restarts (RFC 5681, section 4.1); a model does not depend
        // on it.
        let initial = START.initial_window;
        if idle > self.estimator.timeout()
            && !self.is_model_based
            && self.controller.cwnd() > initial
        {
            self.controller.lower_window(initial, self.controller.ssthresh());
        }
        let application_limited = report.application_limited;
        let now = self.now(report);
        let smoothed_rtt = report.smoothed_rtt.map(nanoseconds);
        let start = TransmissionStart { now, application_limited, smoothed_rtt };
        self.controller.on_transmission_start(&start);
    }
}

/// Of the kernel's microseconds.
fn nanoseconds(microseconds: u32) -> u64 {
    u64::from(microseconds) * 1_000
}

#[cfg(test)]
mod tests;
