//! Startup and Drain.

use super::model::{Bbr3, Sample, State};
use crate::Acknowledgement;

const DRAIN_ROUNDS: u8 = 3;
/// Acknowledgements with losses in a round that end Startup.
const STARTUP_LOSSES: u8 = 6;

impl Bbr3 {
    pub(super) fn check_startup(&mut self, acknowledgement: &Acknowledgement, sample: &Sample) {
        if self.rounds.started && !sample.limited {
            self.full_pipe.observe(sample.rate);
        }
        if self.state == State::Startup && self.startup_loses(acknowledgement, sample) {
            self.full_pipe.reached = true;
            self.ended_by_losses = Some(State::Startup);
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

    pub(super) fn check_drain(&mut self, acknowledgement: &Acknowledgement) {
        let State::Drain { rounds } = self.state else { return };
        let rounds = rounds + u8::from(self.rounds.started);
        self.state = State::Drain { rounds };
        let drained = self.with_quanta(self.bdp(self.bw(), 1.0));
        if acknowledgement.in_flight <= drained || rounds > DRAIN_ROUNDS {
            self.start_down(acknowledgement.now);
        }
    }
}
