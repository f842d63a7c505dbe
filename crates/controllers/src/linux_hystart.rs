//! HyStart as Linux's CUBIC has it: leaves the first slow start where acknowledgements come
//! in a train as long as the path, or the round-trip time increases. Not a controller.
//!
//! Source: Ha, Rhee, "Taming the elephants: new TCP slow start", Computer Networks 55(9), 2011;
//! its text was not available, and the constants are those of Linux's `tcp_cubic.c`.
//!
//! - from a window of 16 segments on, in each round trip
//! - train: acknowledgements come within 2 ms of one another, the first of these within 2 ms of the
//!   round's beginning; slow start ends when they have come for half of the minimum round trip and of
//!   the time in which hosts send what interfaces segment: four times 64 KiB at the pacing rate, at
//!   most 1 ms
//! - delay: from the ninth round trip of a round on, the minimum of the round exceeds the least ever by
//!   an eighth of it (within 4 ms and 16 ms)
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
/// What is sent in the time that hosts are given, in segments, and that time at most.
const HOST_SEGMENTS: f64 = 4.0 * 65_536.0 / 1_448.0;
const MOST_HOST_TIME: Nanoseconds = MILLISECOND;
/// In slow start the pacing rate is this many windows in a round trip.
const PACED_WINDOWS: f64 = 2.0;

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
            let counts = window.cwnd() >= LOW_WINDOW;
            self.watch(acknowledgement, counts);
            if counts && self.is_over(host_time(acknowledgement, window.cwnd())) {
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
        }
        if !counts {
            return;
        }
        if let Some(rtt) = acknowledgement.rtt {
            self.least = self.least.min(rtt);
            self.samples += 1;
        }
        if now.saturating_sub(self.last) <= SPACING {
            self.last = now;
        }
    }

    fn is_over(&self, host_time: Nanoseconds) -> bool {
        if self.minimum == Nanoseconds::MAX {
            return false;
        }
        let train = self.last.saturating_sub(self.round_begun);
        let increase = (self.minimum / DIVISOR).clamp(LEAST_INCREASE, MOST_INCREASE);
        let grown = self.samples > SAMPLES && self.least > self.minimum.saturating_add(increase);
        train > self.minimum.saturating_add(host_time) / 2 || grown
    }
}

/// In what time hosts send what their interfaces segment.
fn host_time(acknowledgement: &Acknowledgement, cwnd: f64) -> Nanoseconds {
    let Some(rtt) = acknowledgement.smoothed_rtt else { return 0 };
    let time = rtt as f64 * HOST_SEGMENTS / (PACED_WINDOWS * cwnd);
    MOST_HOST_TIME.min(time as Nanoseconds)
}
