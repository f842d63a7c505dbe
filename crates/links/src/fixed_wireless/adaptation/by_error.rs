//! Rate adaptation by errors, as Terragraph's firmware does it in each superframe.

use windtunnel_engine::Duration;

use super::power::PowerControl;
use super::{Ladder, RateAdaptation};
use crate::fixed_wireless::Mcs;

/// Four frames.
const SUPERFRAME: Duration = Duration::from_micros(1600);
/// A superframe without errors counts this many dB up, one of errors alone one dB down: in balance
/// one packet of 201 is wrong.
const UP: f64 = 1.0 / 200.0;
/// The offset in dB at which it goes to the next scheme, and to the one before.
const NEXT: f64 = 1.0;
const BEFORE: f64 = -0.5;
/// What sums of hundreds of small numbers may be off.
const ROUNDING: f64 = 1e-9;
/// After this many superframes without traffic a link is idle: no errors are measured, and the
/// scheme follows the SNR of management frames, up to that one.
const IDLE_AFTER: u32 = 125;
const MOST_IDLE: u8 = 9;

/// The errors that are expected at the present SNR, added up while there is traffic.
#[derive(Clone, Debug)]
pub(super) struct ByError {
    ladder: Ladder,
    power: PowerControl,
    present: Option<usize>,
    offset: f64,
    has_traffic: bool,
    /// The superframes since there was traffic; it is as if there had been some before the run.
    idle: u32,
}

impl ByError {
    pub(super) fn new(ladder: Ladder, power: PowerControl) -> Self {
        Self { ladder, power, present: None, offset: 0.0, has_traffic: true, idle: 0 }
    }

    /// Another scheme, or power, with which it begins again.
    fn change_to(&mut self, place: usize) {
        (self.present, self.offset) = (Some(place), 0.0);
    }

    /// More than enough gets across: the next scheme with more power, or else less power.
    fn rise(&mut self, present: usize) {
        let is_fastest = present + 1 == self.ladder.schemes.len();
        let rises = !is_fastest && self.power.rise_with_scheme();
        if !rises {
            self.power.lower();
        }
        self.change_to(present + usize::from(rises));
    }

    /// Too little gets across: more power, or else the scheme before.
    fn fall(&mut self, present: usize) {
        let place = if self.power.raise() { present } else { present.saturating_sub(1) };
        self.change_to(place);
    }
}

impl RateAdaptation for ByError {
    fn on_traffic(&mut self, has: bool) {
        self.has_traffic = has;
    }

    /// Begins with the one that the SNR allows.
    fn choose(&mut self, snr: f64) -> &'static Mcs {
        let Some(present) = self.present else {
            self.change_to(self.ladder.fastest_at(snr).unwrap_or(0));
            return self.ladder.best_at(snr);
        };
        self.idle = if self.has_traffic { 0 } else { self.idle.saturating_add(1) };
        if self.idle >= IDLE_AFTER {
            self.change_to(self.ladder.fastest_up_to(MOST_IDLE, snr).unwrap_or(0));
        } else {
            let error = self.ladder.error(present, snr);
            self.offset += (1.0 - error) * UP - error;
            if self.offset >= NEXT - ROUNDING {
                self.rise(present);
            } else if self.offset <= BEFORE + ROUNDING {
                self.fall(present);
            }
        }
        self.ladder.schemes[self.present.unwrap_or(present)]
    }

    fn period(&self) -> Option<Duration> {
        Some(SUPERFRAME)
    }

    fn power_reduction(&self) -> f64 {
        self.power.reduction()
    }
}
