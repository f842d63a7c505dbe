//! The delay that a queue adds: the latest delay minus the minimum of the last ten
//! minutes.
//!
//! Source: RFC 6817, sections 2.4.2 and 3.4 (`BASE_HISTORY` ten minima of a
//! minute each, `CURRENT_FILTER` the minimum of the last four samples, none older
//! than a round trip).

use crate::Nanoseconds;

const MINUTE: Nanoseconds = 60_000_000_000;
const MINUTES: usize = 10;
const SAMPLES: usize = 4;

/// One measured delay.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time: Nanoseconds,
    delay: Nanoseconds,
}

/// The base delay, the current delay, and with them the queueing delay.
#[derive(Clone, Debug)]
pub(crate) struct BaseDelay {
    /// The minimum delay of each of the last ten minutes, the latest first.
    minima: [Nanoseconds; MINUTES],
    /// The minute that the first of them belongs to.
    minute: u64,
    /// The last samples, in the order of `next`.
    samples: [Sample; SAMPLES],
    next: u8,
}

impl BaseDelay {
    pub(crate) fn new() -> Self {
        Self {
            minima: [Nanoseconds::MAX; MINUTES],
            minute: 0,
            samples: [Sample { time: 0, delay: Nanoseconds::MAX }; SAMPLES],
            next: 0,
        }
    }

    /// Processes a delay measured at `now`.
    pub(crate) fn observe(&mut self, now: Nanoseconds, delay: Nanoseconds) {
        let minute = now / MINUTE;
        while self.minute < minute {
            self.minima.rotate_right(1);
            self.minima[0] = Nanoseconds::MAX;
            self.minute = (self.minute + 1).max(minute.saturating_sub(MINUTES as u64));
        }
        self.minima[0] = self.minima[0].min(delay);
        self.samples[usize::from(self.next)] = Sample { time: now, delay };
        self.next = (self.next + 1) % SAMPLES as u8;
    }

    /// The minimum delay of the last ten minutes.
    pub(crate) fn base(&self) -> Nanoseconds {
        self.minima.iter().copied().min().unwrap_or(Nanoseconds::MAX)
    }

    /// The current delay minus the base, from samples at most a round trip old;
    /// zero before the first.
    pub(crate) fn queueing(&self, now: Nanoseconds, rtt: Nanoseconds) -> Nanoseconds {
        let fresh = self.samples.iter().filter(|it| now.saturating_sub(it.time) <= rtt);
        let current = fresh.map(|it| it.delay).min().unwrap_or(Nanoseconds::MAX);
        if current == Nanoseconds::MAX { 0 } else { current.saturating_sub(self.base()) }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against all that was ever seen: the base is the minimum of this minute and the nine
        /// before, the current delay that of the last four samples that are no more than a round
        /// trip old.
        #[test]
        fn the_queueing_delay_is_the_latest_above_the_minimum_of_ten_minutes(
            begin in 0..100 * MINUTE,
            samples in prop::collection::vec((0..3 * MINUTE, 0_u64..1000), 1..60),
            rtt in prop_oneof![Just(0), 0..5 * MINUTE],
        ) {
            let mut delays = BaseDelay::new();
            let (mut seen, mut now): (Vec<Sample>, _) = (Vec::new(), begin);
            prop_assert_eq!(delays.queueing(now, rtt), 0);
            for (gap, delay) in samples {
                now += gap;
                seen.push(Sample { time: now, delay });
                delays.observe(now, delay);
                let lately = seen.iter().filter(|it| now / MINUTE - it.time / MINUTE < 10);
                let base = lately.map(|it| it.delay).min().expect("the last one");
                prop_assert_eq!(delays.base(), base);
                let later = now + rtt / 2;
                let last = seen.iter().rev().take(4).filter(|it| later - it.time <= rtt);
                let current = last.map(|it| it.delay).min();
                prop_assert_eq!(delays.queueing(later, rtt), current.map_or(0, |it| it - base));
            }
        }
    }
}
