//! BBR, version 3: BBR with bounds on rate and data in flight that respond to losses,
//! and probes that coexist with other connections.
//!
//! Source: draft-ietf-ccwg-bbr, section 5; the names are the draft's. The model
//! is the maximum delivery rate of two probing cycles, the minimum round trip of
//! ten seconds, and bounds: `inflight_longterm` (where more than 2 % were lost),
//! `bw_shortterm` and `inflight_shortterm` (what was delivered recently).
//!
//! | state | pacing gain | window gain | window at most | until |
//! |---|---|---|---|---|
//! | Startup | 2.77 | 2 | - | three rounds without 25 % more, or a round of recovery that lost 2 % in six places |
//! | Drain | 0.5 | 2 | short | in flight is one BDP, or three rounds |
//! | ProbeBW_DOWN | 0.9 | 2 | long, short | in flight is one BDP and 85 % of long |
//! | ProbeBW_CRUISE | 1 | 2 | 85 % of long, short | 2 to 3 s, or as many rounds as Reno would take |
//! | ProbeBW_REFILL | 1 | 2 | long | one round |
//! | ProbeBW_UP | 1.25 | 2.25 | long, rising | the rate stops growing, or 2 % are lost |
//! | ProbeRTT | 1 | 0.5 | 85 % of long, short | 200 ms and a round; after 5 s without a lower round trip |
//!
//! - loss while probing: `inflight_longterm` is what was in flight where the
//!   losses crossed 2 %, at least `0.7 min(BDP, w)`
//! - loss otherwise, once per round: the short-term bounds fall to the latest
//!   delivery, at least to 0.7 of themselves
//! - after a probe that lost, the next one stops at `inflight_longterm`; if that
//!   causes no loss, another one follows immediately (as in the authors' code)
//! - timeout: `w` is what is in flight and one segment. Marks are ignored.
//! - window, pacing: as in version 1, without packet conservation
//!
//! Readings: the gain of Drain and its three rounds are the draft's latest. A
//! transport does not list the packets that were lost, but sums them: the
//! segments lost on one acknowledgement are one packet of the draft, sent when
//! the data acknowledged with it was, and one of the "discontiguous ranges". The
//! wait between probes is random in the draft and is derived from the time
//! here.
//!
//! Known problem: if the bandwidth drops to a tenth with a buffer that never overflows,
//! half the old BDP still fills the queue, so ProbeRTT raises the minimum round
//! trip, and with it the window, before two probes have discarded the old rate.
//! If round trips then take seconds, the old rate stays: ProbeRTT, due after
//! five, interrupts the probes for bandwidth, and marks the round that would discard
//! it as application-limited, which the draft excludes. Losses of more than half do
//! not help: the short-term bounds fall to 0.7 per round, and are reset within a round
//! or two; and samples marked by ProbeRTT do not set `inflight_longterm`.

use crate::bbr::{
    AGGREGATION_ROUNDS, Aggregation, FullPipe, LEAST, MIN_RTT_MEMORY, Rounds, RttProbe, SECOND,
    chance, paced, quantum,
};
use crate::{
    Acknowledgement, Congestion, Controller, Delivery, Description, Nanoseconds, Need,
    PathEstimate, Settings, Signal, Start, TransmissionStart, Window, seconds,
};

/// `4 ln 2`.
const STARTUP_GAIN: f64 = 2.77;
const DRAIN_GAIN: f64 = 0.5;
const DRAIN_ROUNDS: u8 = 3;
const WINDOW_GAIN: f64 = 2.0;
const UP_WINDOW_GAIN: f64 = 2.25;
const PROBE_RTT_WINDOW_GAIN: f64 = 0.5;
const PROBE_RTT_INTERVAL: Nanoseconds = 5 * SECOND;
const LOSS_THRESHOLD: f64 = 0.02;
const BETA: f64 = 0.7;
const HEADROOM: f64 = 0.15;
/// Acknowledgements with losses in a round that end Startup.
const STARTUP_LOSSES: u8 = 6;
/// The maximum number of rounds between probes.
const RENO_ROUNDS: f64 = 63.0;
/// The maximum number of doublings of the growth of `inflight_longterm`.
const MOST_DOUBLINGS: u8 = 30;
const LEAST_QUANTUM: f64 = 2.0;

pub(crate) const DESCRIPTION: Description = Description {
    name: "bbr3",
    title: "BBRv3",
    source: "draft-ietf-ccwg-bbr, section 5",
    status: "checked against its startup, its bounds after losses and its probes",
    needs: &[Need::Pacing, Need::DeliveryRate],
    parameters: &[],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain { rounds: u8 },
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt(RttProbe),
}

/// What acknowledgements show about the probe for bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feedback {
    None,
    /// Of data sent while refilling.
    Refilling,
    /// Not yet of data sent while probing.
    Starting,
    /// Of data sent while probing.
    Probing,
    /// Still, after the probe ended.
    Stopping,
}

/// The bounds of the model; infinite if nothing was lost.
#[derive(Clone, Debug)]
struct Bounds {
    inflight_longterm: f64,
    inflight_shortterm: f64,
    bw_shortterm: f64,
}

/// What the current round delivered, and lost.
#[derive(Clone, Debug, Default)]
struct Latest {
    bw: f64,
    inflight: f64,
    loss_in_round: bool,
    /// Acknowledgements of this round that reported losses.
    losses: u8,
    round_started: bool,
    /// Data sent after this much was delivered ends the round.
    next_round: f64,
}

/// The probe for bandwidth.
#[derive(Clone, Debug)]
struct Probe {
    feedback: Feedback,
    begun: Nanoseconds,
    wait: Nanoseconds,
    rounds: u8,
    doublings: u8,
    /// Delivered segments that raise `inflight_longterm` by one, and how many
    /// there are.
    segments_for_one: f64,
    segments: f64,
    /// Whether losses still count as caused by this probe.
    samples: bool,
    was_too_high: bool,
    stopped_early: bool,
}

/// BBR, version 3.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    window: Window,
    initial_window: f64,
    state: State,
    rounds: Rounds,
    /// The maximum delivery rates of the last probing cycle and of this one.
    max_bw: [f64; 2],
    full_pipe: FullPipe,
    aggregation: Aggregation,
    bounds: Bounds,
    latest: Latest,
    probe: Probe,
    min_rtt: Nanoseconds,
    min_rtt_seen: Nanoseconds,
    /// The minimum round trip of five seconds.
    probe_rtt_min: Nanoseconds,
    probe_rtt_seen: Nanoseconds,
    pacing_rate: f64,
    measured: bool,
    /// Samples of data sent when this much was delivered are only a lower bound: a
    /// probe for the round trip limited the window.
    limited_from: f64,
    limited_until: f64,
    /// The window before recovery or a probe for the round trip.
    prior_window: f64,
    recovering: bool,
    /// Sending has begun again after idleness, and nothing was delivered since.
    from_idle: bool,
}

/// A delivery sample as this file uses it.
#[derive(Clone, Copy)]
struct Sample {
    rate: f64,
    delivered: f64,
    total_at_send: f64,
    in_flight_at_send: f64,
    lost: f64,
    limited: bool,
}

impl Bbr3 {
    pub(crate) fn new(start: Start, _: &Settings) -> Self {
        let window = Window::without_threshold(start);
        Self {
            initial_window: window.cwnd(),
            state: State::Startup,
            rounds: Rounds::default(),
            max_bw: [0.0; 2],
            full_pipe: FullPipe::default(),
            aggregation: Aggregation::default(),
            bounds: Bounds {
                inflight_longterm: f64::INFINITY,
                inflight_shortterm: f64::INFINITY,
                bw_shortterm: f64::INFINITY,
            },
            latest: Latest::default(),
            probe: Probe {
                feedback: Feedback::None,
                begun: 0,
                wait: 0,
                rounds: 0,
                doublings: 0,
                segments_for_one: f64::INFINITY,
                segments: 0.0,
                samples: false,
                was_too_high: false,
                stopped_early: false,
            },
            min_rtt: Nanoseconds::MAX,
            min_rtt_seen: 0,
            probe_rtt_min: Nanoseconds::MAX,
            probe_rtt_seen: 0,
            pacing_rate: STARTUP_GAIN * window.cwnd() * 1e3,
            measured: false,
            limited_from: 0.0,
            limited_until: -1.0,
            prior_window: 0.0,
            recovering: false,
            from_idle: false,
            window,
        }
    }

    fn sample(&self, delivery: &Delivery) -> Sample {
        Sample {
            rate: delivery.rate.unwrap_or(0.0),
            delivered: delivery.total - delivery.total_at_send,
            total_at_send: delivery.total_at_send,
            in_flight_at_send: delivery.in_flight_at_send,
            lost: delivery.lost_since_send,
            limited: delivery.application_limited || self.was_held_down(delivery.total_at_send),
        }
    }

    fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// The bandwidth to send at, in segments per second.
    fn bw(&self) -> f64 {
        self.max_bw().min(self.bounds.bw_shortterm)
    }

    /// This many BDPs of a bandwidth, in segments.
    fn bdp(&self, bw: f64, gain: f64) -> f64 {
        if self.min_rtt == Nanoseconds::MAX {
            self.initial_window
        } else {
            gain * bw * seconds(self.min_rtt)
        }
    }

    /// At least what keeps sender and receiver busy.
    fn with_quanta(&self, in_flight: f64) -> f64 {
        let busy = 3.0 * quantum(self.pacing_rate, LEAST_QUANTUM);
        let probing = if self.state == State::Up { 2.0 } else { 0.0 };
        in_flight.max(busy).max(LEAST) + probing
    }

    fn target_inflight(&self) -> f64 {
        self.bdp(self.bw(), 1.0).min(self.window.cwnd())
    }

    fn inflight_with_headroom(&self) -> f64 {
        let longterm = self.bounds.inflight_longterm;
        if longterm == f64::INFINITY {
            return longterm;
        }
        (longterm - (HEADROOM * longterm).max(1.0)).max(LEAST)
    }

    fn in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    fn probing_bw(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => STARTUP_GAIN,
            State::Drain { .. } => DRAIN_GAIN,
            State::Down => 0.9,
            State::Up => 1.25,
            State::Cruise | State::Refill | State::ProbeRtt(_) => 1.0,
        }
    }

    fn window_gain(&self) -> f64 {
        match self.state {
            State::Up => UP_WINDOW_GAIN,
            State::ProbeRtt(_) => PROBE_RTT_WINDOW_GAIN,
            _ => WINDOW_GAIN,
        }
    }
}

/// Losses, and what they say about the path.
impl Bbr3 {
    fn note_loss(&mut self) {
        if !self.latest.loss_in_round {
            self.latest.next_round = self.rounds.total;
        }
        self.latest.loss_in_round = true;
        self.latest.losses = self.latest.losses.saturating_add(1);
    }

    fn too_high(sample: &Sample) -> bool {
        sample.lost > LOSS_THRESHOLD * sample.in_flight_at_send
    }

    fn handle_lost(&mut self, now: Nanoseconds, newly_lost: f64, sample: &Sample) {
        if !self.probe.samples || !Self::too_high(sample) {
            return;
        }
        self.probe.samples = false;
        self.probe.was_too_high = true;
        if !sample.limited {
            self.bounds.inflight_longterm =
                inflight_at_loss(newly_lost, sample).max(BETA * self.target_inflight());
        }
        if self.state == State::Up {
            self.start_down(now);
        }
    }

    fn update_latest(&mut self, sample: &Sample) {
        let latest = &mut self.latest;
        latest.bw = latest.bw.max(sample.rate);
        latest.inflight = latest.inflight.max(sample.delivered);
        latest.round_started = sample.total_at_send >= latest.next_round;
        if latest.round_started {
            latest.next_round = self.rounds.total;
        }
    }

    fn update_congestion_signals(&mut self, sample: &Sample) {
        self.probe.rounds = self.probe.rounds.saturating_add(u8::from(self.rounds.started));
        if sample.rate > 0.0 && (sample.rate >= self.max_bw() || !sample.limited) {
            self.max_bw[1] = self.max_bw[1].max(sample.rate);
        }
        if !self.latest.round_started {
            return;
        }
        if self.latest.loss_in_round && !self.probing_bw() {
            self.lower_bounds();
        }
        self.latest.loss_in_round = false;
    }

    fn lower_bounds(&mut self) {
        let or = |bound: f64, first: f64| if bound.is_finite() { bound } else { first };
        let bw = or(self.bounds.bw_shortterm, self.max_bw());
        let inflight = or(self.bounds.inflight_shortterm, self.window.cwnd());
        self.bounds.bw_shortterm = self.latest.bw.max(BETA * bw);
        self.bounds.inflight_shortterm = self.latest.inflight.max(BETA * inflight);
    }

    fn reset_short_term(&mut self) {
        self.bounds.bw_shortterm = f64::INFINITY;
        self.bounds.inflight_shortterm = f64::INFINITY;
    }

    fn advance_latest(&mut self, sample: &Sample) {
        if self.latest.round_started {
            self.latest.bw = sample.rate;
            self.latest.inflight = sample.delivered;
        }
    }
}

/// Startup and Drain.
impl Bbr3 {
    fn check_startup(&mut self, acknowledgement: &Acknowledgement, sample: &Sample) {
        if self.rounds.started && !sample.limited {
            self.full_pipe.observe(sample.rate);
        }
        if self.state == State::Startup && self.startup_loses(acknowledgement, sample) {
            self.full_pipe.reached = true;
            self.bounds.inflight_longterm = self.bdp(self.bw(), 1.0).max(self.latest.inflight);
        }
        if self.latest.round_started {
            self.latest.losses = 0;
        }
        if self.state == State::Startup && self.full_pipe.reached {
            self.state = State::Drain { rounds: 0 };
        }
    }

    fn startup_loses(&self, acknowledgement: &Acknowledgement, sample: &Sample) -> bool {
        acknowledgement.recovering
            && self.latest.round_started
            && self.latest.losses >= STARTUP_LOSSES
            && Self::too_high(sample)
    }

    fn check_drain(&mut self, acknowledgement: &Acknowledgement) {
        let State::Drain { rounds } = self.state else { return };
        let rounds = rounds + u8::from(self.rounds.started);
        self.state = State::Drain { rounds };
        let drained = self.with_quanta(self.bdp(self.bw(), 1.0));
        if acknowledgement.in_flight <= drained || rounds > DRAIN_ROUNDS {
            self.start_down(acknowledgement.now);
        }
    }
}

/// The cycle of probes for bandwidth.
impl Bbr3 {
    fn start_down(&mut self, now: Nanoseconds) {
        self.latest.loss_in_round = false;
        self.latest.bw = 0.0;
        self.latest.inflight = 0.0;
        self.probe.segments_for_one = f64::INFINITY;
        self.pick_wait(now);
        self.probe.begun = now;
        self.probe.feedback = Feedback::Stopping;
        self.rounds.restart();
        self.state = State::Down;
    }

    fn pick_wait(&mut self, now: Nanoseconds) {
        let total = self.rounds.total;
        self.probe.rounds = u8::from(chance(now, total) < 0.5);
        let more = SECOND as f64 * chance(now, -total);
        self.probe.wait = 2 * SECOND + more as Nanoseconds;
    }

    fn start_refill(&mut self) {
        self.reset_short_term();
        self.probe.doublings = 0;
        self.probe.segments = 0.0;
        self.probe.stopped_early = false;
        self.probe.feedback = Feedback::Refilling;
        self.rounds.restart();
        self.state = State::Refill;
    }

    fn start_up(&mut self, rate: f64) {
        self.probe.samples = true;
        self.probe.feedback = Feedback::Starting;
        self.rounds.restart();
        self.full_pipe.look_again(rate);
        self.state = State::Up;
        self.steepen();
    }

    fn update_cycle(&mut self, acknowledgement: &Acknowledgement, sample: &Sample) {
        if !self.full_pipe.reached {
            return;
        }
        let before = self.state;
        self.adapt_long_term(acknowledgement, sample);
        if self.state != before {
            return;
        }
        let now = acknowledgement.now;
        match self.state {
            State::Down if self.time_to_probe(now) => self.start_refill(),
            State::Down if self.time_to_cruise(acknowledgement.in_flight) => {
                self.state = State::Cruise;
            }
            State::Cruise if self.time_to_probe(now) => self.start_refill(),
            State::Refill if self.rounds.started => self.start_up(sample.rate),
            State::Up => self.probe_upwards(acknowledgement, sample),
            _ => {}
        }
    }

    fn time_to_probe(&self, now: Nanoseconds) -> bool {
        now > self.probe.begun.saturating_add(self.probe.wait)
            || f64::from(self.probe.rounds) >= self.target_inflight().min(RENO_ROUNDS)
    }

    fn time_to_cruise(&self, in_flight: f64) -> bool {
        in_flight <= self.inflight_with_headroom()
            && in_flight <= self.with_quanta(self.bdp(self.max_bw(), 1.0))
    }

    /// Whether the window is used up, and is `inflight_longterm`.
    fn limited_by_long_term(&self, acknowledgement: &Acknowledgement) -> bool {
        let in_flight = acknowledgement.in_flight + acknowledgement.delivered;
        let cwnd = self.window.cwnd();
        acknowledgement.window_limited
            && in_flight + 1.0 > cwnd
            && cwnd >= self.bounds.inflight_longterm
    }

    fn probe_upwards(&mut self, acknowledgement: &Acknowledgement, sample: &Sample) {
        let risky =
            self.probe.was_too_high && acknowledgement.in_flight >= self.bounds.inflight_longterm;
        if self.limited_by_long_term(acknowledgement) && !risky {
            self.full_pipe.look_again(sample.rate);
        } else if risky || self.full_pipe.now {
            self.probe.stopped_early = risky;
            self.probe.was_too_high = false;
            self.start_down(acknowledgement.now);
        }
    }

    fn adapt_long_term(&mut self, acknowledgement: &Acknowledgement, sample: &Sample) {
        if self.rounds.started {
            self.advance_feedback(sample);
        }
        if Self::too_high(sample) || self.bounds.inflight_longterm == f64::INFINITY {
            return;
        }
        let longterm = self.bounds.inflight_longterm;
        self.bounds.inflight_longterm = longterm.max(sample.in_flight_at_send);
        if self.state == State::Up {
            self.raise_long_term(acknowledgement);
        }
    }

    fn advance_feedback(&mut self, sample: &Sample) {
        match self.probe.feedback {
            Feedback::Starting => self.probe.feedback = Feedback::Probing,
            Feedback::Stopping => {
                self.probe.feedback = Feedback::None;
                self.probe.samples = false;
                if self.in_probe_bw() && !sample.limited && self.max_bw[1] > 0.0 {
                    self.max_bw = [self.max_bw[1], 0.0];
                }
                if self.in_probe_bw() && self.probe.stopped_early && !self.probe.was_too_high {
                    self.start_refill();
                }
            }
            Feedback::None | Feedback::Refilling | Feedback::Probing => {}
        }
    }

    fn raise_long_term(&mut self, acknowledgement: &Acknowledgement) {
        if !self.limited_by_long_term(acknowledgement) {
            return;
        }
        self.probe.segments += acknowledgement.delivered;
        if self.probe.segments >= self.probe.segments_for_one {
            let more = libm::floor(self.probe.segments / self.probe.segments_for_one);
            self.probe.segments -= more * self.probe.segments_for_one;
            self.bounds.inflight_longterm += more;
        }
        if self.rounds.started {
            self.steepen();
        }
    }

    /// Doubles the growth of `inflight_longterm` per round.
    fn steepen(&mut self) {
        let growth = (1_u64 << self.probe.doublings) as f64;
        self.probe.doublings = (self.probe.doublings + 1).min(MOST_DOUBLINGS);
        self.probe.segments_for_one = (self.window.cwnd() / growth).max(1.0);
    }
}

/// The minimum round trip, and the probe for it.
impl Bbr3 {
    fn update_min_rtt(&mut self, acknowledgement: &Acknowledgement) {
        let now = acknowledgement.now;
        let known = self.probe_rtt_min != Nanoseconds::MAX;
        let expired = known && now > self.probe_rtt_seen.saturating_add(PROBE_RTT_INTERVAL);
        if let Some(rtt) = acknowledgement.rtt
            && (rtt < self.probe_rtt_min || expired)
        {
            self.probe_rtt_min = rtt.max(1);
            self.probe_rtt_seen = now;
        }
        let forgotten = now > self.min_rtt_seen.saturating_add(MIN_RTT_MEMORY);
        if self.probe_rtt_min < self.min_rtt || forgotten {
            self.min_rtt = self.probe_rtt_min;
            self.min_rtt_seen = self.probe_rtt_seen;
        }
        let probing = matches!(self.state, State::ProbeRtt(_));
        if expired && !self.from_idle && !probing {
            self.save_window();
            self.state = State::ProbeRtt(RttProbe::default());
            self.begin_limit();
            self.probe.feedback = Feedback::Stopping;
            self.rounds.restart();
        }
        self.probe_rtt(acknowledgement);
        self.from_idle = false;
    }

    /// From here on samples are limited, unless they still are.
    fn begin_limit(&mut self) {
        if self.limited_until < self.rounds.total {
            self.limited_from = self.rounds.total;
        }
    }

    /// Whether data sent when this much was delivered was sent with a window that a
    /// probe for the round trip limited.
    fn was_held_down(&self, total_at_send: f64) -> bool {
        (self.limited_from..=self.limited_until).contains(&total_at_send)
    }

    fn probe_rtt_window(&self) -> f64 {
        self.bdp(self.bw(), PROBE_RTT_WINDOW_GAIN).max(LEAST)
    }

    fn probe_rtt(&mut self, acknowledgement: &Acknowledgement) {
        let State::ProbeRtt(mut probe) = self.state else { return };
        self.limited_until = self.rounds.total + acknowledgement.in_flight;
        let low = acknowledgement.in_flight <= self.probe_rtt_window();
        let over = probe.advance(acknowledgement.now, low, &mut self.rounds);
        self.state = State::ProbeRtt(probe);
        if over {
            self.end_probe_rtt(acknowledgement.now);
        }
    }

    fn end_probe_rtt(&mut self, now: Nanoseconds) {
        self.probe_rtt_seen = now;
        self.window.set(self.window.cwnd().max(self.prior_window));
        self.reset_short_term();
        if self.full_pipe.reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}

/// Pacing rate and window.
impl Bbr3 {
    fn set_pacing_rate(&mut self, smoothed_rtt: Option<Nanoseconds>) {
        if let Some(rtt) = smoothed_rtt
            && !self.measured
        {
            self.measured = true;
            self.pacing_rate = STARTUP_GAIN * self.initial_window / seconds(rtt.max(1));
        }
        let rate = paced(self.pacing_gain(), self.bw());
        if rate > 0.0 && (self.full_pipe.reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    fn set_window(&mut self, delivered: f64) {
        let most = self.bdp(self.bw(), self.window_gain()) + self.aggregation.extra();
        let most = self.with_quanta(most);
        let mut cwnd = self.window.cwnd();
        if self.full_pipe.reached {
            cwnd = (cwnd + delivered).min(most);
        } else if cwnd < most || self.rounds.total < self.initial_window {
            cwnd += delivered;
        }
        cwnd = cwnd.max(LEAST);
        if matches!(self.state, State::ProbeRtt(_)) {
            cwnd = cwnd.min(self.probe_rtt_window());
        }
        self.window.set(cwnd.min(self.window_bound()));
    }

    fn window_bound(&self) -> f64 {
        let longterm = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.inflight_longterm,
            State::Cruise | State::ProbeRtt(_) => self.inflight_with_headroom(),
            State::Startup | State::Drain { .. } => f64::INFINITY,
        };
        longterm.min(self.bounds.inflight_shortterm).max(LEAST)
    }

    fn note_aggregation(&mut self, acknowledgement: &Acknowledgement) {
        let (bw, cwnd) = (self.bw(), self.window.cwnd());
        let memory = if self.full_pipe.reached { AGGREGATION_ROUNDS } else { 1 };
        self.aggregation.update(acknowledgement, bw, cwnd, self.rounds.count, memory);
    }

    fn save_window(&mut self) {
        let modulated = self.recovering || matches!(self.state, State::ProbeRtt(_));
        let kept = if modulated { self.prior_window } else { 0.0 };
        self.prior_window = self.window.cwnd().max(kept);
    }
}

/// How much was in flight when the losses crossed the threshold, within the latest
/// losses.
fn inflight_at_loss(newly_lost: f64, sample: &Sample) -> f64 {
    let inflight_before = (sample.in_flight_at_send - newly_lost).max(0.0);
    let lost_before = (sample.lost - newly_lost).max(0.0);
    let prefix = (LOSS_THRESHOLD * inflight_before - lost_before) / (1.0 - LOSS_THRESHOLD);
    inflight_before + prefix.max(0.0)
}

impl Controller for Bbr3 {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let losing = acknowledgement.lost > 0.0;
        if losing {
            self.note_loss();
        }
        if acknowledgement.delivered <= 0.0 {
            return;
        }
        match acknowledgement.delivery.map(|it| (it, self.sample(&it))) {
            Some((delivery, sample)) => {
                if losing {
                    self.handle_lost(acknowledgement.now, acknowledgement.lost, &sample);
                }
                self.rounds.update(&delivery);
                self.update_latest(&sample);
                self.update_congestion_signals(&sample);
                self.note_aggregation(acknowledgement);
                self.check_startup(acknowledgement, &sample);
                self.check_drain(acknowledgement);
                self.update_cycle(acknowledgement, &sample);
                self.update_min_rtt(acknowledgement);
                self.advance_latest(&sample);
            }
            None => {
                self.rounds.pass(acknowledgement.delivered);
                self.latest.round_started = false;
                self.note_aggregation(acknowledgement);
                self.check_drain(acknowledgement);
                self.update_min_rtt(acknowledgement);
            }
        }
        self.set_pacing_rate(acknowledgement.smoothed_rtt);
        self.set_window(acknowledgement.delivered);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Mark | Signal::Nack => return,
            Signal::Loss => self.save_window(),
            Signal::Timeout => {
                self.save_window();
                self.window.restart(f64::INFINITY);
                if congestion.in_flight >= 1.0 {
                    self.window.set(congestion.in_flight + 1.0);
                }
            }
        }
        self.recovering = true;
    }

    fn on_recovered(&mut self, _: Nanoseconds) {
        if core::mem::take(&mut self.recovering) && !matches!(self.state, State::ProbeRtt(_)) {
            self.window.set(self.window.cwnd().max(self.prior_window).min(self.window_bound()));
        }
    }

    /// BBRHandleRestartFromIdle (section 5.4.1).
    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        if !start.application_limited {
            return;
        }
        self.from_idle = true;
        self.aggregation.restart(start.now);
        match self.state {
            State::ProbeRtt(probe) if probe.is_over(start.now) => self.end_probe_rtt(start.now),
            _ if self.in_probe_bw() => self.pacing_rate = paced(1.0, self.bw()),
            _ => {}
        }
    }

    /// BBRHandleSpuriousLossDetection (section 5.5.10.3): the bounds, and not what was
    /// measured; and the state that the loss ended.
    fn on_spurious(&mut self, before: &Self) {
        let (bounds, kept) = (&mut self.bounds, &before.bounds);
        bounds.bw_shortterm = bounds.bw_shortterm.max(kept.bw_shortterm);
        bounds.inflight_shortterm = bounds.inflight_shortterm.max(kept.inflight_shortterm);
        bounds.inflight_longterm = bounds.inflight_longterm.max(kept.inflight_longterm);
        self.latest.loss_in_round = false;
        self.full_pipe.look_again(0.0);
        match before.state {
            _ if matches!(self.state, State::ProbeRtt(_)) || self.state == before.state => {}
            State::Startup => {
                self.full_pipe.reached = false;
                self.state = State::Startup;
            }
            State::Up => self.start_up(0.0),
            _ => {}
        }
        self.on_recovered(0);
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn estimate(&self) -> Option<PathEstimate> {
        let known = self.min_rtt != Nanoseconds::MAX && self.max_bw() > 0.0;
        known.then(|| PathEstimate { bandwidth: self.max_bw(), round_trip: self.min_rtt })
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
