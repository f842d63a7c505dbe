//! When a consumer read its Data: what programs call throughput and jitter.

use windtunnel_engine::{Duration, InterarrivalJitter, Time};

/// The reads of distinct Data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reads {
    first: Option<Time>,
    last: Option<Time>,
    maximum: Duration,
    squares: f64,
    jitter: InterarrivalJitter,
}

impl Reads {
    /// Data is read that was so long under way.
    #[inline]
    pub(super) fn add(&mut self, now: Time, transit: Duration) {
        self.first = self.first.or(Some(now));
        if let Some(last) = self.last.replace(now) {
            let interval = now.since(last);
            self.maximum = self.maximum.max(interval);
            self.squares += interval.as_seconds() * interval.as_seconds();
        }
        self.jitter.add(transit);
    }

    /// From the first read to the last; none before the second.
    #[must_use]
    pub fn span(&self) -> Option<Duration> {
        let span = self.last?.since(self.first?);
        (span > Duration::ZERO).then_some(span)
    }

    /// The times between successive reads: the greatest.
    #[must_use]
    pub fn maximum(&self) -> Duration {
        self.maximum
    }

    /// Their mean over n Data, in seconds: one time less than there are Data, but divided by
    /// the number of Data, as `cefgetfile` does.
    #[must_use]
    pub fn mean(&self, data: u64) -> Option<f64> {
        Some(self.span()?.as_seconds() / data as f64)
    }

    /// Their variance, likewise, in square seconds.
    #[must_use]
    pub fn variance(&self, data: u64) -> Option<f64> {
        let mean = self.mean(data)?;
        Some(self.squares / data as f64 - mean * mean)
    }

    /// Their jitter.
    #[must_use]
    pub fn jitter(&self) -> Duration {
        self.jitter.mean()
    }
}
