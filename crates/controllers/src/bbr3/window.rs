//! The pacing rate and the window.

use super::model::{Bbr3, STARTUP_GAIN, State};
use crate::bbr::{AGGREGATION_ROUNDS, LEAST, paced};
use crate::{Acknowledgement, Nanoseconds, seconds};

impl Bbr3 {
    pub(super) fn set_pacing_rate(&mut self, smoothed_rtt: Option<Nanoseconds>) {
        if let Some(rtt) = smoothed_rtt
            && !self.measured
        {
            self.set_first_pacing_rate(rtt);
        }
        let rate = paced(self.pacing_gain(), self.bw());
        if rate > 0.0 && (self.full_pipe.reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// BBRInitPacingRate (section 5.6.2), with a round trip.
    pub(super) fn set_first_pacing_rate(&mut self, rtt: Nanoseconds) {
        self.measured = true;
        self.pacing_rate = STARTUP_GAIN * self.initial_window / seconds(rtt.max(1));
    }

    pub(super) fn set_window(&mut self, delivered: f64) {
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

    pub(super) fn window_bound(&self) -> f64 {
        let longterm = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.inflight_longterm,
            State::Cruise | State::ProbeRtt(_) => self.inflight_with_headroom(),
            State::Startup | State::Drain { .. } => f64::INFINITY,
        };
        longterm.min(self.bounds.inflight_shortterm).max(LEAST)
    }

    pub(super) fn note_aggregation(&mut self, acknowledgement: &Acknowledgement) {
        let (bw, cwnd) = (self.bw(), self.window.cwnd());
        let memory = if self.full_pipe.reached { AGGREGATION_ROUNDS } else { 1 };
        self.aggregation.update(acknowledgement, bw, cwnd, self.rounds.count, memory);
    }

    pub(super) fn save_window(&mut self) {
        let modulated = self.recovering || matches!(self.state, State::ProbeRtt(_));
        let kept = if modulated { self.prior_window } else { 0.0 };
        self.prior_window = self.window.cwnd().max(kept);
    }
}
