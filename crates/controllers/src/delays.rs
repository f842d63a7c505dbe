//! What delay-based controllers keep of the measured round trips.

use crate::Nanoseconds;

/// The minimum and maximum round trip of a connection, and those of a period
/// that the controller chooses; in nanoseconds, whose sums are exact.
#[derive(Clone, Debug)]
pub(crate) struct Delays {
    base: f64,
    longest: f64,
    period: Period,
}

/// The round trips that were measured in a period, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    /// Their minimum.
    pub(crate) least: f64,
    /// How many there were.
    pub(crate) samples: u32,
    sum: f64,
}

impl Period {
    const EMPTY: Self = Self { least: f64::INFINITY, samples: 0, sum: 0.0 };

    /// Their mean.
    pub(crate) fn mean(&self) -> f64 {
        self.sum / f64::from(self.samples)
    }
}

impl Delays {
    pub(crate) fn new() -> Self {
        Self { base: f64::INFINITY, longest: 0.0, period: Period::EMPTY }
    }

    /// Processes a sample; zero, from a clock that is too coarse, is ignored.
    pub(crate) fn observe(&mut self, rtt: Option<Nanoseconds>) {
        let Some(rtt) = rtt.filter(|it| *it > 0) else { return };
        let rtt = rtt as f64;
        self.base = self.base.min(rtt);
        self.longest = self.longest.max(rtt);
        self.period.least = self.period.least.min(rtt);
        self.period.sum += rtt;
        self.period.samples += 1;
    }

    /// Ends the period; `None` if it saw no sample.
    pub(crate) fn end_period(&mut self) -> Option<Period> {
        let period = core::mem::replace(&mut self.period, Period::EMPTY);
        (period.samples > 0).then_some(period)
    }

    /// The minimum round trip of the connection, used as that of an empty queue;
    /// infinite before a sample.
    pub(crate) fn base(&self) -> f64 {
        self.base
    }

    /// The maximum round trip of the connection; 0 before a sample.
    pub(crate) fn longest(&self) -> f64 {
        self.longest
    }
}
