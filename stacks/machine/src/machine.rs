//! The machine of an end.

use std::time::{Duration, Instant};

use crate::{clock, random};

/// A machine with a clock that is told the time, and random numbers from a seed.
#[derive(Debug)]
pub struct Machine {
    generator: u64,
    /// When the run began.
    began: Instant,
}

impl Machine {
    /// One whose random numbers are those of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { generator: seed, began: clock::at(Duration::ZERO, Instant::now) }
    }

    /// Does something on it, at a time of the run.
    pub fn at<T>(&mut self, now: Duration, work: impl FnOnce() -> T) -> T {
        clock::at(now, || random::by(&mut self.generator, work))
    }

    /// An instant of its clock.
    #[must_use]
    pub fn instant(&self, time: Duration) -> Instant {
        self.began + time
    }

    /// The time of the run that an instant of its clock is.
    #[must_use]
    pub fn time(&self, instant: Instant) -> Duration {
        instant.saturating_duration_since(self.began)
    }
}
