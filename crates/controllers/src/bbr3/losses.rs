//! Losses, and what they say about the path.

use super::model::{Bbr3, Sample, State};
use crate::Nanoseconds;

const LOSS_THRESHOLD: f64 = 0.02;
const BETA: f64 = 0.7;

impl Bbr3 {
    pub(super) fn note_loss(&mut self) {
        if !self.latest.loss_in_round {
            self.latest.next_round = self.rounds.total;
        }
        self.latest.loss_in_round = true;
        self.latest.losses = self.latest.losses.saturating_add(1);
    }

    pub(super) fn too_high(sample: &Sample) -> bool {
        sample.lost > LOSS_THRESHOLD * sample.in_flight_at_send
    }

    pub(super) fn handle_lost(&mut self, now: Nanoseconds, newly_lost: f64, sample: &Sample) {
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
            self.ended_by_losses = Some(State::Up);
            self.start_down(now);
        }
    }

    pub(super) fn update_latest(&mut self, sample: &Sample) {
        let latest = &mut self.latest;
        latest.bw = latest.bw.max(sample.rate);
        latest.inflight = latest.inflight.max(sample.delivered);
        latest.round_started = sample.total_at_send >= latest.next_round;
        if latest.round_started {
            latest.next_round = self.rounds.total;
        }
    }

    pub(super) fn update_congestion_signals(&mut self, sample: &Sample) {
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

    pub(super) fn reset_short_term(&mut self) {
        self.bounds.bw_shortterm = f64::INFINITY;
        self.bounds.inflight_shortterm = f64::INFINITY;
    }

    pub(super) fn advance_latest(&mut self, sample: &Sample) {
        if self.latest.round_started {
            self.latest.bw = sample.rate;
            self.latest.inflight = sample.delivered;
        }
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
