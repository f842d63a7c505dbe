//! HyStart++: leaves the first slow start when the round-trip time increases, before the
//! queue overflows. Not a controller; controllers use it for their slow start.
//!
//! Source: RFC 9406, section 4, which allows it for the window that restarts after idleness.
//!
//! - slow start: `w += min(acknowledged, 8)` for each acknowledgement. If the
//!   minimum round trip of this round, from eight samples on, exceeds that of the
//!   round before by an eighth of it (within 4 ms and 16 ms), conservative slow
//!   start begins
//! - conservative slow start: a quarter of that growth. If a later round's minimum
//!   round trip falls below the one at which it began, slow start resumes; otherwise it
//!   ends with the fifth round, including the one in which it began: `ssthresh = w`
//! - after a silence of the application, nothing being in flight, slow start and its rounds
//!   begin anew
//!
//! Only the first slow start, whose threshold is infinite, is watched. The limit of
//! eight segments is for senders that do not pace; those that do need no limit.

use crate::{Acknowledgement, Nanoseconds, Window};

const MILLISECOND: Nanoseconds = 1_000_000;
const LEAST_INCREASE: Nanoseconds = 4 * MILLISECOND;
const MOST_INCREASE: Nanoseconds = 16 * MILLISECOND;
const DIVISOR: Nanoseconds = 8;
const SAMPLES: u32 = 8;
const GROWTH_DIVISOR: f64 = 4.0;
const CONSERVATIVE_ROUNDS: u32 = 5;
const LIMIT: f64 = 8.0;

/// The state of slow start.
#[derive(Clone, Debug)]
pub(crate) struct HyStart {
    /// The minimum round trip of the round before; `MAX` if there was none.
    last: Nanoseconds,
    /// The minimum round trip of this round.
    least: Nanoseconds,
    /// Round trips measured in this round.
    samples: u32,
    conservative: Option<Conservative>,
}

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The round trip at which it began.
    baseline: Nanoseconds,
    rounds_left: u32,
}

impl HyStart {
    pub(crate) fn new() -> Self {
        Self { last: Nanoseconds::MAX, least: Nanoseconds::MAX, samples: 0, conservative: None }
    }

    /// As [`Window::slow_start`], watched while it is the first.
    pub(crate) fn slow_start(
        &mut self,
        window: &mut Window,
        acknowledgement: &Acknowledgement,
    ) -> f64 {
        if !window.in_first_slow_start() {
            return window.slow_start(acknowledgement.acknowledged);
        }
        if acknowledgement.round_ended && self.end_round() {
            window.set_ssthresh(window.cwnd());
            return acknowledgement.acknowledged;
        }
        let divisor = if self.conservative.is_some() { GROWTH_DIVISOR } else { 1.0 };
        let left = window.slow_start(acknowledgement.acknowledged.min(LIMIT) / divisor);
        if let Some(rtt) = acknowledgement.rtt {
            self.observe(rtt);
        }
        left
    }

    /// Begins the next round; whether conservative slow start is over with this one.
    fn end_round(&mut self) -> bool {
        self.last = core::mem::replace(&mut self.least, Nanoseconds::MAX);
        self.samples = 0;
        self.conservative.as_mut().is_some_and(|it| {
            it.rounds_left -= 1;
            it.rounds_left == 0
        })
    }

    fn observe(&mut self, rtt: Nanoseconds) {
        self.least = self.least.min(rtt);
        self.samples = self.samples.saturating_add(1);
        if self.samples < SAMPLES {
            return;
        }
        match self.conservative {
            None if self.has_grown() => {
                let rounds_left = CONSERVATIVE_ROUNDS;
                self.conservative = Some(Conservative { baseline: self.least, rounds_left });
            }
            Some(it) if self.least < it.baseline => self.conservative = None,
            _ => {}
        }
    }

    /// Whether this round's minimum round trip indicates a queue.
    fn has_grown(&self) -> bool {
        let increase = (self.last / DIVISOR).clamp(LEAST_INCREASE, MOST_INCREASE);
        self.last != Nanoseconds::MAX && self.least >= self.last.saturating_add(increase)
    }
}
