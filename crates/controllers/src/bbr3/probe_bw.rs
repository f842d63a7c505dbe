//! ProbeBW: the cycle of probes for bandwidth.

use super::model::{Bbr3, Feedback, Sample, State};
use crate::bbr::{SECOND, chance};
use crate::{Acknowledgement, Nanoseconds};

/// The maximum number of rounds between probes.
const RENO_ROUNDS: f64 = 63.0;
/// The maximum number of doublings of the growth of `inflight_longterm`.
const MOST_DOUBLINGS: u8 = 30;

impl Bbr3 {
    pub(super) fn start_down(&mut self, now: Nanoseconds) {
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

    pub(super) fn start_refill(&mut self) {
        self.reset_short_term();
        self.probe.doublings = 0;
        self.probe.segments = 0.0;
        self.probe.stopped_early = false;
        self.probe.feedback = Feedback::Refilling;
        self.rounds.restart();
        self.state = State::Refill;
    }

    pub(super) fn start_up(&mut self, rate: f64) {
        self.probe.samples = true;
        self.probe.feedback = Feedback::Starting;
        self.rounds.restart();
        self.full_pipe.look_again(rate);
        self.state = State::Up;
        self.steepen();
    }

    pub(super) fn update_cycle(&mut self, acknowledgement: &Acknowledgement, sample: &Sample) {
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
