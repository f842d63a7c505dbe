//! A probability that grows with the sojourn time.

use windtunnel_engine::Duration;

/// None up to `start`, certainty from `end` on, a straight line in between; a
/// step if both are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ramp {
    /// The longest sojourn without any effect.
    pub start: Duration,
    /// The sojourn from which the effect is certain.
    pub end: Duration,
}

impl Ramp {
    /// The step beyond which the effect is certain.
    #[must_use]
    pub fn step(threshold: Duration) -> Self {
        Self { start: threshold, end: threshold }
    }

    /// The probability at that sojourn.
    #[must_use]
    pub fn probability(&self, sojourn: Duration) -> f64 {
        if sojourn <= self.start {
            return 0.0;
        }
        if sojourn >= self.end {
            return 1.0;
        }
        let past = (sojourn - self.start).as_picos() as f64;
        past / (self.end - self.start).as_picos() as f64
    }
}
