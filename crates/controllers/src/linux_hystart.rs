//! HyStart as Linux's CUBIC has it: leaves the first slow start where acknowledgements come
//! in a train as long as the path, or the round-trip time increases. Not a controller.
//!
//! Source: Ha, Rhee, "Taming the elephants: new TCP slow start", Computer Networks 55(9), 2011;
//! its text was not available, and the constants are those of Linux's `tcp_cubic.c`.
//!
//! - from a window of 16 segments on, in each round trip
//! - train: as long as acknowledgements come within 2 ms of one another, slow start ends when
//!   they have come for half the minimum round trip
//! - delay: the minimum of the first eight round trips of a round exceeds the least ever by an
//!   eighth of it (within 4 ms and 16 ms)
//! - then `ssthresh = w`; growth until then is not limited
//!
//! Linux compares a train with the whole round trip where the sender paces, which a controller
//! does not know: this is the rule without.

use crate::{Acknowledgement, Nanoseconds, Window};

const MILLISECOND: Nanoseconds = 1_000_000;
const LEAST_INCREASE: Nanoseconds = 4 * MILLISECOND;
const MOST_INCREASE: Nanoseconds = 16 * MILLISECOND;
const DIVISOR: Nanoseconds = 8;
const SAMPLES: u32 = 8;
/// Acknowledgements of one train are no further apart.
const SPACING: Nanoseconds = 2 * MILLISECOND;
const LOW_WINDOW: f64 = 16.0;

/// The state of slow start.
#[derive(Clone, Debug)]
pub(crate) struct LinuxHyStart {
    /// The least round trip ever, and of this round.
    minimum: Nanoseconds,
    least: Nanoseconds,
    /// Round trips measured in this round.
    samples: u32,
    round_begun: Nanoseconds,
    /// The last acknowledgement of the train.
    last: Nanoseconds,
}

impl LinuxHyStart {
    pub(crate) fn new() -> Self {
        Self {
            minimum: Nanoseconds::MAX,
            least: Nanoseconds::MAX,
            samples: 0,
            round_begun: 0,
            last: 0,
        }
    }

    /// As [`Window::slow_start`], watched while it is the first.
    pub(crate) fn slow_start(
        &mut self,
        window: &mut Window,
        acknowledgement: &Acknowledgement,
    ) -> f64 {
        if window.in_first_slow_start() {
            self.watch(acknowledgement, window.cwnd() >= LOW_WINDOW);
            if window.cwnd() >= LOW_WINDOW && self.is_over() {
                window.set_ssthresh(window.cwnd());
            }
        }
        window.slow_start(acknowledgement.acknowledged)
    }

    fn watch(&mut self, acknowledgement: &Acknowledgement, counts: bool) {
        let now = acknowledgement.now;
        if acknowledgement.round_ended {
            (self.round_begun, self.last) = (now, now);
            (self.least, self.samples) = (Nanoseconds::MAX, 0);
        }
        if let Some(rtt) = acknowledgement.rtt {
            self.minimum = self.minimum.min(rtt);
            if counts && self.samples < SAMPLES {
                self.least = self.least.min(rtt);
                self.samples += 1;
            }
        }
        if now.saturating_sub(self.last) <= SPACING {
            self.last = now;
        }
    }

    fn is_over(&self) -> bool {
        if self.minimum == Nanoseconds::MAX {
            return false;
        }
        let train = self.last.saturating_sub(self.round_begun);
        let increase = (self.minimum / DIVISOR).clamp(LEAST_INCREASE, MOST_INCREASE);
        let grown = self.samples >= SAMPLES && self.least > self.minimum.saturating_add(increase);
        train > self.minimum / 2 || grown
    }
}
