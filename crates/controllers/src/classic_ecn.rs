//! Detects a bottleneck with classic ECN (RFC 3168): one queue for all, in which a
//! scalable controller would starve others. Not a controller; Prague uses it.
//!
//! Source: Briscoe and Ahmed, "TCP Prague Fall-back on Detection of a Classic ECN AQM"
//! (arXiv 1911.00710). Its text was not available: the equations and constants are those of
//! the L4S team's Linux implementation, version 0.6, with the references of 750 µs and 2 ms,
//! which a later version of it scaled wrongly (issue 38 of L4STeam/linux).
//!
//! A classic AQM lets a queue of some milliseconds vary, an L4S one does not. Each
//! round-trip time `r` moves a slow mean `T += g (r - T)` and a slower mean deviation
//! `v += g/2 (|r - T| - v)`, where `g = 1 / (2 W^1.5)` with the threshold `W`, at least
//! `2^-18`. After the first mark, each update of Prague's `alpha` moves a score
//!
//!   `s += lg(v / 750 us) / 2 + max(lg(d / 2 ms), 0) / 2`
//!
//! by the queue `d = T - least r`, within 0 and 17: up to 8, the bottleneck is taken for an
//! L4S one, from 9 on for a classic one, and in between `c = s - 8` is in transition. What
//! the paper subtracts for senders that the application limits is disabled in the
//! implementation, and not part of this.

use libm::{log2, pow};

use crate::{Nanoseconds, seconds};

/// The smallest weight of a round-trip time.
const LEAST_WEIGHT: f64 = 1.0 / (1 << 18) as f64;
/// The deviation before the first measurement, and the least one, in seconds.
const LEAST_DEVIATION: f64 = 1e-6;
/// The deviation that is typical of neither, in seconds.
const DEVIATION: f64 = 750e-6;
/// The queueing delay above which a queue is typical of classic AQMs, in seconds.
const DELAY: f64 = 2e-3;
/// The weights of both in the score.
const WEIGHT: f64 = 0.5;
/// How far the score goes beyond the transition at both of its ends.
const STICKY: f64 = 8.0;

/// What is known of the bottleneck.
#[derive(Clone, Debug)]
pub(crate) struct ClassicEcn {
    /// The mean and the least round-trip time in seconds, once there was one.
    round_trips: Option<(f64, f64)>,
    deviation: f64,
    score: f64,
}

impl ClassicEcn {
    pub(crate) fn new() -> Self {
        Self { round_trips: None, deviation: LEAST_DEVIATION, score: 0.0 }
    }

    /// Takes in a round-trip time, at a slow-start threshold of this many segments.
    pub(crate) fn measure(&mut self, rtt: Nanoseconds, ssthresh: f64) {
        let rtt = seconds(rtt);
        let (mean, least) = self.round_trips.get_or_insert((rtt, rtt));
        let weight = (0.5 * pow(ssthresh, -1.5)).max(LEAST_WEIGHT);
        let error = rtt - *mean;
        *mean += weight * error;
        *least = least.min(rtt);
        self.deviation += weight / 2.0 * (error.abs() - self.deviation);
    }

    /// Judges the bottleneck again; marks have come.
    pub(crate) fn update(&mut self) {
        let Some((mean, least)) = self.round_trips else { return };
        let variability = log2(self.deviation.max(LEAST_DEVIATION) / DEVIATION);
        let depth = log2(((mean - least) / DELAY).max(1.0));
        self.score += WEIGHT * (variability + depth);
        self.score = self.score.clamp(0.0, 2.0 * STICKY + 1.0);
    }

    /// How sure it is that the bottleneck's ECN is classic: from 0 to 1.
    pub(crate) fn certainty(&self) -> f64 {
        (self.score - STICKY).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// The certainties after this many updates each.
    fn certainties(it: &mut ClassicEcn, updates: usize) -> Vec<f64> {
        let update = |_| {
            it.update();
            it.certainty()
        };
        (0..updates).map(update).collect()
    }

    #[test]
    fn a_verdict_takes_some_round_trips_to_come_and_to_go() {
        let milliseconds = |it: u64| it * 1_000_000;
        let mut it = ClassicEcn::new();
        // At a threshold of one segment, half of each round trip counts.
        for _ in 0..100 {
            it.measure(milliseconds(100), 1.0);
            it.measure(milliseconds(160), 1.0);
        }
        // A deviation and a queue of some 30 ms: 4.6 in the score each time.
        let coming = certainties(&mut it, 6);
        assert_eq!(coming[0], 0.0);
        assert_eq!(coming[2..], [1.0; 4]);
        for _ in 0..200 {
            it.measure(milliseconds(100), 1.0);
        }
        // The least deviation takes away 4.8.
        assert_eq!(certainties(&mut it, 3), [1.0, 0.0, 0.0]);
    }
}
