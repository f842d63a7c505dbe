//! How long packets were under way: the percentiles of all of them.

use hdrhistogram::Histogram;
use windtunnel_engine::Duration;

/// The decimal digits of a delay that are kept: percentiles are exact to 1 %.
const DIGITS: u8 = 2;

/// Delays, counted in nanoseconds. It grows with the greatest of them, and then no more.
#[derive(Clone, Debug)]
pub struct Delays(Histogram<u64>);

/// Delays that a share of all does not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayPercentiles {
    /// Half of them.
    pub p50: Duration,
    /// 95 % of them.
    pub p95: Duration,
    /// 99 % of them.
    pub p99: Duration,
}

impl Default for Delays {
    fn default() -> Self {
        Self(Histogram::new(DIGITS).expect("up to five digits can be kept"))
    }
}

impl Delays {
    /// A packet was so long under way.
    #[inline]
    pub fn add(&mut self, delay: Duration) {
        self.0.record(delay.as_nanos()).expect("it grows with what it holds");
    }

    /// The percentiles; none of nothing.
    #[must_use]
    pub fn percentiles(&self) -> Option<DelayPercentiles> {
        let at = |share| Duration::from_nanos(self.0.value_at_quantile(share));
        let percentiles = DelayPercentiles { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
        (!self.0.is_empty()).then_some(percentiles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(milliseconds: impl Iterator<Item = u64>) -> Option<DelayPercentiles> {
        let mut delays = Delays::default();
        milliseconds.for_each(|it| delays.add(Duration::from_millis(it)));
        delays.percentiles()
    }

    #[test]
    fn nothing_has_no_percentiles() {
        assert_eq!(of(std::iter::empty()), None);
    }

    /// Of 1, 2 … 1000 ms, 500 do not exceed 500 ms, whatever their order.
    #[test]
    fn percentiles_are_exact_to_one_per_cent() {
        for delays in [(1..=1000).collect::<Vec<_>>(), (1..=1000).rev().collect()] {
            let found = of(delays.into_iter()).unwrap();
            let near = |it: Duration, exact: f64| (it.as_seconds() / exact - 1.0).abs() < 0.01;
            assert!(near(found.p50, 0.5) && near(found.p95, 0.95) && near(found.p99, 0.99));
        }
    }

    /// From a nanosecond to an hour.
    #[test]
    fn it_holds_delays_of_any_size() {
        let mut delays = Delays::default();
        [1, 1, 3_600_000_000_000]
            .into_iter()
            .map(Duration::from_nanos)
            .for_each(|it| delays.add(it));
        let found = delays.percentiles().unwrap();
        assert_eq!(found.p50, Duration::from_nanos(1));
        assert!((found.p99.as_seconds() / 3600.0 - 1.0).abs() < 0.01, "{found:?}");
    }
}
