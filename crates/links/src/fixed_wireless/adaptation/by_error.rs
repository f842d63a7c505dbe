//! Rate adaptation by errors, as Terragraph's firmware does it in each superframe.

use windtunnel_engine::Duration;

use super::{Ladder, RateAdaptation};
use crate::fixed_wireless::Mcs;

/// Four frames.
const SUPERFRAME: Duration = Duration::from_micros(1600);
/// A superframe without errors counts so many dB up, one of errors alone one dB down: in balance
/// one packet of 201 is wrong.
const UP: f64 = 1.0 / 200.0;
/// The offset in dB at which it goes to the next scheme, and to the one before.
const NEXT: f64 = 1.0;
const BEFORE: f64 = -0.5;
/// What sums of hundreds of small numbers may be off.
const ROUNDING: f64 = 1e-9;

/// The errors that are expected at the present SNR, added up. The transmitted power is not
/// lowered where there is more than enough.
#[derive(Debug)]
pub(super) struct ByError {
    ladder: Ladder,
    present: Option<usize>,
    offset: f64,
}

impl ByError {
    pub(super) fn new(ladder: Ladder) -> Self {
        Self { ladder, present: None, offset: 0.0 }
    }

    /// Another scheme, with which it begins again.
    fn change_to(&mut self, place: usize) {
        (self.present, self.offset) = (Some(place), 0.0);
    }
}

impl RateAdaptation for ByError {
    /// Begins with the one that the SNR allows.
    fn choose(&mut self, snr: f64) -> &'static Mcs {
        let Some(present) = self.present else {
            self.change_to(self.ladder.fastest_at(snr).unwrap_or(0));
            return self.ladder.best_at(snr);
        };
        let error = self.ladder.error(present, snr);
        self.offset += (1.0 - error) * UP - error;
        if self.offset >= NEXT - ROUNDING {
            self.change_to((present + 1).min(self.ladder.schemes.len() - 1));
        } else if self.offset <= BEFORE + ROUNDING {
            self.change_to(present.saturating_sub(1));
        }
        self.ladder.schemes[self.present.unwrap_or(present)]
    }

    fn period(&self) -> Option<Duration> {
        Some(SUPERFRAME)
    }
}
