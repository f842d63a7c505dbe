//! BBR, version 1: sends at the bottleneck's bandwidth, and keeps at most two
//! bandwidth-delay products in flight.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00 (after Cardwell et
//! al., ACM Queue 14(5), 2016), as in Linux's `tcp_bbr.c`. The model is the
//! maximum delivery rate of ten rounds and the minimum round trip of ten seconds;
//! their product is the BDP.
//!
//! | state | pacing gain | window gain | until |
//! |---|---|---|---|
//! | startup | 2.885 | 2.885 | the rate grew by less than 25 % in three rounds |
//! | drain | 1 / 2.885 | 2.885 | in flight is one BDP |
//! | probe bandwidth | 1.25, 0.75, six times 1 | 2 | - |
//! | probe round trip | 1 | four segments | 200 ms and a round; after 10 s without a lower round trip |
//!
//! - window: up by what is delivered, to `gain * BDP` and three bursts, two
//!   segments more while probing upwards, and the allowance for aggregation
//! - burst: the whole segments of 1/1024 s of the pacing rate, at least two, as in Linux
//! - the round trip is at first that of the handshake
//! - probing upwards ends when `gain * BDP` with three bursts are in flight, or with a loss; after
//!   a round trip at the earliest. In flight is here what will be when the next burst leaves,
//!   without what is delivered until then, and while probing upwards with that burst
//! - `acknowledgement-aggregation = false`: the window has no such allowance, as in Linux
//!   before 5.1 (commit 78dc70ebaa38), and in flight is what is so now, as before 4.20
//! - pacing: 99 % of `gain * bandwidth`; in startup it only rises
//! - loss: one round of packet conservation, then as before; after recovery the
//!   window is as before. A recovery that begins as another ends goes on, as in Linux.
//!   A timeout starts from the restart window. Marks are ignored.
//! - policer: two intervals of at least four rounds that lost 20 % at the same
//!   rate (within 1/8) make that the bandwidth for 48 rounds
//!
//! - idleness: sending begins again at the bandwidth, and without a probe for the round
//!   trip, which is due less because nothing was measured
//! - spurious loss: the search for the full pipe and for a policer begins again, and the
//!   window is as before recovery
//!
//! The phase in which probing begins is random in the draft and is derived from
//! the time here. Segments of 1,500 bytes are assumed where the
//! draft counts in bytes. The draft's own text was not read.

use libm::{ceil, floor};

use crate::bbr::{
    AGGREGATION_ROUNDS, Aggregation, FullPipe, LEAST, MIN_RTT_MEMORY, MOST_AT_ONCE, Rounds,
    RttProbe, chance, paced,
};
use crate::windowed::WindowedMaximum;
use crate::{
    Acknowledgement, Congestion, Controller, Delivery, Description, Kind, Nanoseconds, Need,
    Parameter, PathEstimate, Settings, Signal, Start, TransmissionStart, Window, seconds,
};

/// `2 / ln 2`: the minimum gain that doubles the rate each round.
const HIGH_GAIN: f64 = 2.885;
const PROBE_GAINS: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The phase that drains what the one before it added.
const DRAINING_PHASE: u8 = 1;
const PROBE_WINDOW_GAIN: f64 = 2.0;
/// Rounds for which the bandwidth is kept.
const BANDWIDTH_ROUNDS: u64 = 10;
/// The maximum that aggregation may add, in seconds of the bandwidth.
const MOST_AGGREGATED: f64 = 0.1;
/// A sender passes bursts on for 1/1024 s each (Linux's `sk_pacing_shift`).
const BURSTS: f64 = 1024.0;
/// 1.2 Mbps in segments per second: below it, one segment is sent at a time.
const SLOW: f64 = 100.0;

pub(crate) const DESCRIPTION: Description = Description {
    name: "bbr1",
    title: "BBRv1",
    source: "draft-cardwell-iccrg-bbr-congestion-control-00, as in Linux",
    status: "checked against its startup, drain and probes; the draft's text was not read",
    needs: &[Need::Pacing, Need::DeliveryRate],
    parameters: &[Parameter {
        name: "acknowledgement-aggregation",
        meaning: "the window allows for aggregated acknowledgements, and what will be in flight when the next burst leaves counts, as in Linux since 5.1",
        kind: Kind::Flag { default: true, needs: &[] },
    }],
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Startup,
    Drain,
    ProbeBandwidth { phase: u8, begun: Nanoseconds },
    ProbeRtt(RttProbe),
}

/// BBR, version 1.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    window: Window,
    initial_window: f64,
    state: State,
    rounds: Rounds,
    bandwidth: WindowedMaximum,
    full_pipe: FullPipe,
    /// None as in Linux before 4.20.
    aggregation: Option<Aggregation>,
    policer: Policer,
    min_rtt: Nanoseconds,
    min_rtt_seen: Nanoseconds,
    pacing_rate: f64,
    measured: bool,
    /// Samples of data sent before this much was delivered are only a lower bound:
    /// the window was limited.
    limited_until: f64,
    /// The window before recovery or a probe for the round trip.
    prior_window: f64,
    recovering: bool,
    /// Whether it was recovering at the last acknowledgement: recovery changes the window with the
    /// next, and one that begins as another ends goes on.
    was_recovering: bool,
    conserving: bool,
    /// Sending has begun again after idleness, and nothing was delivered since.
    from_idle: bool,
    /// How many subflows of its connection share its bottleneck, itself included: always
    /// one except for C-MPBBR.
    sharing: f64,
}

impl Bbr1 {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self::with(start, settings.flag("acknowledgement-aggregation"))
    }

    /// With or without what Linux since 5.1 knows of aggregation.
    pub(crate) fn with(start: Start, aggregation: bool) -> Self {
        let window = Window::without_threshold(start);
        Self {
            initial_window: window.cwnd(),
            state: State::Startup,
            rounds: Rounds::default(),
            bandwidth: WindowedMaximum::default(),
            full_pipe: FullPipe::default(),
            aggregation: aggregation.then(Aggregation::default),
            policer: Policer::default(),
            min_rtt: Nanoseconds::MAX,
            min_rtt_seen: 0,
            pacing_rate: HIGH_GAIN * window.cwnd() * 1e3,
            measured: false,
            limited_until: -1.0,
            prior_window: 0.0,
            recovering: false,
            was_recovering: false,
            conserving: false,
            from_idle: false,
            sharing: 1.0,
            window,
        }
    }

    /// Sets how many subflows of its connection share its bottleneck (C-MPBBR).
    pub(crate) fn share(&mut self, subflows: f64) {
        self.sharing = subflows;
    }

    /// The phase of the cycle in which it probes for bandwidth.
    pub(crate) fn phase(&self) -> Option<u8> {
        match self.state {
            State::ProbeBandwidth { phase, .. } => Some(phase),
            _ => None,
        }
    }

    fn greatest_bandwidth(&self) -> f64 {
        self.bandwidth.get().unwrap_or(0.0)
    }

    /// The path's bandwidth, in segments per second.
    fn bandwidth(&self) -> f64 {
        if self.policer.holds { self.policer.bandwidth } else { self.greatest_bandwidth() }
    }

    /// The bandwidth to send at, in segments per second: after the phases that probe and
    /// drain, its part of it.
    fn own_bandwidth(&self) -> f64 {
        let divided = self.phase().is_some_and(|phase| phase > DRAINING_PHASE);
        self.bandwidth() / if divided { self.sharing } else { 1.0 }
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => HIGH_GAIN,
            State::Drain => 1.0 / HIGH_GAIN,
            State::ProbeBandwidth { .. } if self.policer.holds => 1.0,
            State::ProbeBandwidth { phase, .. } => PROBE_GAINS[usize::from(phase)],
            State::ProbeRtt(_) => 1.0,
        }
    }

    fn window_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain => HIGH_GAIN,
            State::ProbeBandwidth { .. } => PROBE_WINDOW_GAIN,
            State::ProbeRtt(_) => 1.0,
        }
    }

    /// This many BDPs plus what keeps a sender busy, in segments.
    fn in_flight_for(&self, bandwidth: f64, gain: f64) -> f64 {
        if self.min_rtt == Nanoseconds::MAX {
            return self.initial_window;
        }
        let bdp = ceil(gain * bandwidth * seconds(self.min_rtt));
        let even = 2.0 * ceil((bdp + 3.0 * self.burst()) / 2.0);
        let probing_upwards = matches!(self.state, State::ProbeBandwidth { phase: 0, .. });
        if probing_upwards { even + 2.0 } else { even }
    }

    /// What is sent at once, in whole segments, as in Linux: of 1/1024 s.
    fn burst(&self) -> f64 {
        let least = if self.pacing_rate < SLOW { 1.0 } else { 2.0 };
        floor(self.pacing_rate / BURSTS).clamp(least, MOST_AT_ONCE)
    }

    /// Processes a delivery sample; returns whether its rate is only a lower bound.
    fn take_sample(&mut self, acknowledgement: &Acknowledgement, delivery: &Delivery) -> bool {
        let limited = delivery.application_limited || delivery.total_at_send <= self.limited_until;
        self.rounds.update(delivery);
        self.conserving &= !self.rounds.started;
        let probing = matches!(self.state, State::ProbeBandwidth { .. });
        if self.policer.update(acknowledgement, &self.rounds, limited, probing) {
            self.probe_bandwidth(acknowledgement.now);
        }
        self.update_bandwidth(delivery, limited);
        limited
    }

    fn update_bandwidth(&mut self, delivery: &Delivery, limited: bool) {
        if let Some(rate) = delivery.rate
            && (!limited || rate >= self.greatest_bandwidth())
        {
            self.bandwidth.update(self.rounds.count, rate, BANDWIDTH_ROUNDS);
        }
    }

    fn advance_phase(&mut self, acknowledgement: &Acknowledgement) {
        let State::ProbeBandwidth { phase, begun } = self.state else { return };
        let now = acknowledgement.now;
        let passed = now.saturating_sub(begun) > self.min_rtt;
        let gain = self.pacing_gain();
        let in_flight = acknowledgement.in_flight + acknowledgement.delivered;
        let goal = self.in_flight_for(self.greatest_bandwidth(), gain);
        let over = match gain {
            it if it > 1.0 => {
                let in_flight = self.at_departure(acknowledgement, in_flight, self.burst());
                passed && (acknowledgement.lost > 0.0 || in_flight >= goal)
            }
            it if it < 1.0 => {
                let in_flight = self.at_departure(acknowledgement, in_flight, 0.0);
                passed || in_flight <= self.in_flight_for(self.greatest_bandwidth(), 1.0)
            }
            _ => passed,
        };
        if over {
            self.state = State::ProbeBandwidth { phase: (phase + 1) % 8, begun: now };
        }
    }

    /// What will be in flight when the next burst leaves, with so much of it: the whole segments
    /// that are delivered until pacing lets it go do not count (in Linux since 4.20,
    /// `bbr_packets_in_net_at_edt`).
    fn at_departure(&self, acknowledgement: &Acknowledgement, in_flight: f64, burst: f64) -> f64 {
        if self.aggregation.is_none() {
            return in_flight;
        }
        let wait = acknowledgement.next_departure.saturating_sub(acknowledgement.now);
        (in_flight + burst - floor(self.greatest_bandwidth() * seconds(wait))).max(0.0)
    }

    /// Begins to probe, in any phase except the draining one.
    fn probe_bandwidth(&mut self, now: Nanoseconds) {
        let chosen = (7.0 * chance(now, self.rounds.total)) as u8;
        let phase = if chosen == 0 { 0 } else { chosen + 1 };
        self.state = State::ProbeBandwidth { phase, begun: now };
    }

    fn leave_startup_and_drain(&mut self, acknowledgement: &Acknowledgement, limited: bool) {
        if self.rounds.started && !limited {
            self.full_pipe.observe(self.greatest_bandwidth());
        }
        if self.state == State::Startup && self.full_pipe.reached {
            self.state = State::Drain;
        }
        let drained = self.in_flight_for(self.greatest_bandwidth(), 1.0);
        let in_flight = self.at_departure(acknowledgement, acknowledgement.in_flight, 0.0);
        if self.state == State::Drain && in_flight <= drained {
            self.probe_bandwidth(acknowledgement.now);
        }
    }

    /// The first round trip is that of the handshake, if that measured one (BBRInit), as in Linux.
    fn take_first_rtt(&mut self, start: &TransmissionStart) {
        if let Some(rtt) = start.smoothed_rtt
            && self.min_rtt == Nanoseconds::MAX
        {
            self.min_rtt = rtt.max(1);
            self.min_rtt_seen = start.now;
            self.set_first_pacing_rate(rtt);
        }
    }

    /// With a round trip, and before a bandwidth (BBRInitPacingRate).
    fn set_first_pacing_rate(&mut self, rtt: Nanoseconds) {
        self.measured = true;
        self.pacing_rate = HIGH_GAIN * self.initial_window / seconds(rtt.max(1));
    }

    fn update_min_rtt(&mut self, acknowledgement: &Acknowledgement) {
        let now = acknowledgement.now;
        let known = self.min_rtt != Nanoseconds::MAX;
        let expired = known && now > self.min_rtt_seen.saturating_add(MIN_RTT_MEMORY);
        if let Some(rtt) = acknowledgement.rtt
            && (rtt <= self.min_rtt || expired)
        {
            self.min_rtt = rtt.max(1);
            self.min_rtt_seen = now;
        }
        let probing = matches!(self.state, State::ProbeRtt(_));
        if expired && !self.from_idle && !probing {
            self.save_window();
            self.state = State::ProbeRtt(RttProbe::default());
        }
        self.probe_rtt(acknowledgement);
        self.from_idle = false;
    }

    fn probe_rtt(&mut self, acknowledgement: &Acknowledgement) {
        let State::ProbeRtt(mut probe) = self.state else { return };
        self.limited_until = self.rounds.total + acknowledgement.in_flight;
        let low = acknowledgement.in_flight <= LEAST;
        let over = probe.advance(acknowledgement.now, low, &mut self.rounds);
        self.state = State::ProbeRtt(probe);
        if over {
            self.end_probe_rtt(acknowledgement.now);
        }
    }

    fn end_probe_rtt(&mut self, now: Nanoseconds) {
        self.min_rtt_seen = now;
        self.window.set(self.window.cwnd().max(self.prior_window));
        if self.full_pipe.reached {
            self.probe_bandwidth(now);
        } else {
            self.state = State::Startup;
        }
    }

    fn set_pacing_rate(&mut self, smoothed_rtt: Option<Nanoseconds>) {
        if let Some(rtt) = smoothed_rtt
            && !self.measured
        {
            self.set_first_pacing_rate(rtt);
        }
        let rate = paced(self.pacing_gain(), self.own_bandwidth());
        if rate > 0.0 && (self.full_pipe.reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// The window after what was lost, and after recovery if that began or ended. Its first round
    /// is that of what is sent from here on.
    fn follow_recovery(&mut self, acknowledgement: &Acknowledgement) -> f64 {
        let cwnd = (self.window.cwnd() - acknowledgement.lost).max(1.0);
        match (core::mem::replace(&mut self.was_recovering, self.recovering), self.recovering) {
            (false, true) => {
                self.conserving = true;
                self.rounds.restart();
                acknowledgement.in_flight + acknowledgement.delivered
            }
            (true, false) => {
                self.conserving = false;
                cwnd.max(self.prior_window)
            }
            _ => cwnd,
        }
    }

    fn set_window(&mut self, acknowledgement: &Acknowledgement) {
        let delivered = acknowledgement.delivered;
        let mut cwnd = self.follow_recovery(acknowledgement);
        if self.conserving {
            cwnd = cwnd.max(acknowledgement.in_flight + delivered);
        } else {
            let target =
                self.in_flight_for(self.own_bandwidth(), self.window_gain()) + self.allowance();
            if self.full_pipe.reached {
                cwnd = (cwnd + delivered).min(target);
            } else if cwnd < target || self.rounds.total < self.initial_window {
                cwnd += delivered;
            }
            cwnd = cwnd.max(LEAST);
        }
        if matches!(self.state, State::ProbeRtt(_)) {
            cwnd = cwnd.min(LEAST);
        }
        self.window.set(cwnd);
    }

    /// What aggregation adds to the window, once the pipe was full.
    fn allowance(&self) -> f64 {
        match &self.aggregation {
            Some(it) if self.full_pipe.reached => {
                it.extra().min(MOST_AGGREGATED * self.bandwidth())
            }
            _ => 0.0,
        }
    }

    fn save_window(&mut self) {
        let recovering = self.recovering || self.was_recovering;
        let modulated = recovering || matches!(self.state, State::ProbeRtt(_));
        let kept = if modulated { self.prior_window } else { 0.0 };
        self.prior_window = self.window.cwnd().max(kept);
    }
}

impl Controller for Bbr1 {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.policer.lost += acknowledgement.lost;
        if acknowledgement.delivered <= 0.0 {
            return;
        }
        // What was delivered in less than the least round trip is no sample, and begins no round.
        let limited = match acknowledgement.delivery.as_ref().filter(|it| it.rate.is_some()) {
            Some(delivery) => self.take_sample(acknowledgement, delivery),
            None => {
                self.rounds.pass(acknowledgement.delivered);
                true
            }
        };
        let (bandwidth, cwnd) = (self.bandwidth(), self.window.cwnd());
        let round = self.rounds.count;
        if let Some(it) = &mut self.aggregation {
            it.update(acknowledgement, bandwidth, cwnd, round, AGGREGATION_ROUNDS);
        }
        self.advance_phase(acknowledgement);
        self.leave_startup_and_drain(acknowledgement, limited);
        self.update_min_rtt(acknowledgement);
        self.set_pacing_rate(acknowledgement.smoothed_rtt);
        self.set_window(acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Mark | Signal::Nack => return,
            Signal::Loss => {
                self.save_window();
                if !self.was_recovering {
                    self.window.set(congestion.in_flight + 1.0);
                }
            }
            Signal::Timeout => {
                self.save_window();
                self.was_recovering = true;
                self.conserving = false;
                self.full_pipe.baseline = 0.0;
                self.window.restart(f64::INFINITY);
            }
        }
        self.recovering = true;
    }

    fn on_recovered(&mut self, _: Nanoseconds) {
        self.recovering = false;
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.take_first_rtt(start);
        if !start.application_limited {
            return;
        }
        self.from_idle = true;
        if let Some(it) = &mut self.aggregation {
            it.restart(start.now);
        }
        match self.state {
            State::ProbeBandwidth { .. } => self.pacing_rate = paced(1.0, self.own_bandwidth()),
            State::ProbeRtt(probe) if probe.is_over(start.now) => self.end_probe_rtt(start.now),
            _ => {}
        }
    }

    fn on_spurious(&mut self, _: &Self) {
        self.full_pipe.look_again(0.0);
        self.policer.forget();
        self.on_recovered(0);
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn estimate(&self) -> Option<PathEstimate> {
        let known = self.min_rtt != Nanoseconds::MAX && self.bandwidth() > 0.0;
        known.then(|| PathEstimate { bandwidth: self.bandwidth(), round_trip: self.min_rtt })
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

/// Rounds of the shortest and the longest interval, and for which their result is
/// used.
const FEWEST_ROUNDS: u8 = 4;
const MOST_ROUNDS: u8 = 16;
const TRUSTED_ROUNDS: u8 = 48;
/// The minimum ratio of lost to delivered data.
const LOSS_RATIO: f64 = 50.0 / 256.0;
/// How close two rates must be: a fraction, or segments per second (4 kbps).
const NEAR: f64 = 1.0 / 8.0;
const NEAR_RATE: f64 = 1.0 / 3.0;

/// Detects a token-bucket policer by its steady rate and heavy loss.
#[derive(Clone, Debug, Default)]
struct Policer {
    /// All data ever lost, in segments.
    lost: f64,
    /// The last interval's rate in segments per second; none before the first.
    bandwidth: f64,
    /// Whether that is the bandwidth to use.
    holds: bool,
    sampling: bool,
    rounds: u8,
    begun: Nanoseconds,
    begun_delivered: f64,
    begun_lost: f64,
}

impl Policer {
    /// Whether the use of a policer's rate has just ended.
    fn update(
        &mut self,
        acknowledgement: &Acknowledgement,
        rounds: &Rounds,
        limited: bool,
        probing: bool,
    ) -> bool {
        let (now, losing) = (acknowledgement.now, acknowledgement.lost > 0.0);
        self.rounds = self.rounds.saturating_add(u8::from(rounds.started));
        if self.holds {
            let over = probing && self.rounds >= TRUSTED_ROUNDS;
            if over {
                self.forget();
            }
            return over;
        }
        if !self.sampling {
            if losing {
                self.begin(now, rounds.total);
            }
        } else if limited || self.rounds > MOST_ROUNDS {
            self.forget();
        } else if losing && self.rounds >= FEWEST_ROUNDS {
            self.end_interval(now, rounds.total);
        }
        false
    }

    fn forget(&mut self) {
        *self = Self { lost: self.lost, ..Self::default() };
    }

    fn begin(&mut self, now: Nanoseconds, delivered: f64) {
        self.sampling = true;
        self.rounds = 0;
        self.begun = now;
        self.begun_delivered = delivered;
        self.begun_lost = self.lost;
    }

    fn end_interval(&mut self, now: Nanoseconds, total: f64) {
        let delivered = total - self.begun_delivered;
        let elapsed = seconds(now.saturating_sub(self.begun));
        if delivered <= 0.0
            || self.lost - self.begun_lost < LOSS_RATIO * delivered
            || elapsed < 1e-3
        {
            return;
        }
        let rate = delivered / elapsed;
        let apart = (rate - self.bandwidth).abs();
        if self.bandwidth > 0.0 && (apart <= NEAR * self.bandwidth || apart <= NEAR_RATE) {
            self.bandwidth = (rate + self.bandwidth) / 2.0;
            self.holds = true;
            self.rounds = 0;
        } else {
            self.bandwidth = rate;
            self.begin(now, total);
        }
    }
}
