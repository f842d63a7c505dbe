//! The round-trip estimator and retransmission timeout, for TCP and for NDN's
//! consumers.
//!
//! Source: RFC 6298, with gains divided by the number of samples expected in a
//! round trip (RFC 7323, appendix G), as in ndn-cxx.
//!
//! - first sample `R`: `srtt = R`, `rttvar = R/2`
//! - later: `rttvar += (|srtt - R| - rttvar) / (4 n)`, then
//!   `srtt += (R - srtt) / (8 n)`
//! - `rto = multiplier * (srtt + max(G, 4 rttvar))`, within limits

use windtunnel_engine::Duration;
#[cfg(feature = "serde")]
use windtunnel_units::{As, PositiveDuration};

/// The limits of the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default = "RtoLimits::linux", deny_unknown_fields),
    schemars(rename = "TcpTimeout")
)]
pub struct RtoLimits {
    /// The timeout before the first round trip is measured.
    #[cfg_attr(feature = "serde", serde(with = "As::<PositiveDuration>"))]
    pub initial: Duration,
    /// The smallest timeout. The default is Linux's; RFC 6298 has 1 s.
    #[cfg_attr(feature = "serde", serde(with = "As::<PositiveDuration>"))]
    pub minimum: Duration,
    /// The least by which the timeout exceeds the smoothed round trip. The default is
    /// Linux's; RFC 6298 has the clock's granularity.
    #[cfg_attr(feature = "serde", serde(with = "As::<Duration>"))]
    pub minimum_variation: Duration,
    /// The greatest timeout.
    #[cfg_attr(feature = "serde", serde(with = "As::<PositiveDuration>"))]
    pub maximum: Duration,
    /// The largest multiplier that backing off reaches.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub most_backoff: f64,
}

impl RtoLimits {
    /// Those of TCP in Linux, with 60 s at most.
    #[must_use]
    pub fn linux() -> Self {
        Self { minimum_variation: Duration::from_millis(200), ..Self::default() }
    }
}

impl Default for RtoLimits {
    /// 1 s at first, then 200 ms to 60 s, and no least variation; the multiplier without a limit
    /// of its own.
    fn default() -> Self {
        Self {
            initial: Duration::from_secs(1),
            minimum: Duration::from_millis(200),
            minimum_variation: Duration::ZERO,
            maximum: Duration::from_secs(60),
            most_backoff: f64::INFINITY,
        }
    }
}

/// Smoothed round trip, its variation, and the timeout they give.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    limits: RtoLimits,
    smoothed: Option<Duration>,
    variation: Duration,
    backoff: f64,
}

impl RttEstimator {
    /// An estimator without samples.
    #[must_use]
    pub fn new(limits: RtoLimits) -> Self {
        Self { limits, smoothed: None, variation: Duration::ZERO, backoff: 1.0 }
    }

    /// Adds a round trip sample, of which `expected` are taken in a round trip; ends the
    /// backoff.
    #[inline]
    pub fn sample(&mut self, rtt: Duration, expected: u64) {
        let expected = expected.max(1);
        self.backoff = 1.0;
        let Some(smoothed) = self.smoothed else {
            self.smoothed = Some(rtt);
            self.variation = Duration::from_picos(rtt.as_picos() / 2);
            return;
        };
        let distance = smoothed.max(rtt) - smoothed.min(rtt);
        self.variation = approach(self.variation, distance, 4 * expected);
        self.smoothed = Some(approach(smoothed, rtt, 8 * expected));
    }

    /// The timeout before the first sample is at least 3 s: when a SYN was sent again and
    /// measured nothing (RFC 6298, rule 5.7).
    pub fn fall_back(&mut self) {
        self.limits.initial = self.limits.initial.max(Duration::from_secs(3));
    }

    /// Whether the timeout was doubled since the last sample.
    #[must_use]
    pub fn backed_off(&self) -> bool {
        self.backoff > 1.0
    }

    /// The timeout is no longer doubled.
    pub fn end_backoff(&mut self) {
        self.backoff = 1.0;
    }

    /// Doubles the timeout.
    pub fn back_off(&mut self) {
        self.backoff = (self.backoff * 2.0).min(self.limits.most_backoff);
    }

    /// The smoothed round trip, once there is a sample.
    #[inline]
    #[must_use]
    pub fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    /// How much it varies (RTTVAR).
    #[must_use]
    pub fn variation(&self) -> Duration {
        self.variation
    }

    /// The retransmission timeout.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        let base = match self.smoothed {
            None => self.limits.initial,
            Some(smoothed) => {
                let variation = (self.variation * 4).max(self.limits.minimum_variation);
                (smoothed + variation).max(self.limits.minimum)
            }
        };
        let timeout = if self.backed_off() { base.scaled(self.backoff) } else { base };
        timeout.min(self.limits.maximum)
    }
}

/// Moves `value` towards `target` by one part in `parts` of the distance.
#[inline]
fn approach(value: Duration, target: Duration, parts: u64) -> Duration {
    if target >= value {
        value + Duration::from_picos((target - value).as_picos() / parts)
    } else {
        value - Duration::from_picos((value - target).as_picos() / parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sample_gives_three_round_trips() {
        let mut estimator = RttEstimator::new(RtoLimits::default());
        assert_eq!(estimator.timeout(), Duration::from_secs(1));
        estimator.sample(Duration::from_millis(100), 1);
        assert_eq!(estimator.smoothed(), Some(Duration::from_millis(100)));
        assert_eq!(estimator.timeout(), Duration::from_millis(300));
    }

    #[test]
    fn gains_are_an_eighth_and_a_quarter() {
        let mut estimator = RttEstimator::new(RtoLimits::default());
        estimator.sample(Duration::from_millis(100), 1);
        estimator.sample(Duration::from_millis(180), 1);
        // srtt = 100 + 80/8, rttvar = 50 + (80 - 50)/4
        assert_eq!(estimator.smoothed(), Some(Duration::from_millis(110)));
        assert_eq!(estimator.timeout(), Duration::from_micros(110_000 + 4 * 57_500));
    }

    #[test]
    fn many_samples_a_round_trip_weigh_less() {
        let mut estimator = RttEstimator::new(RtoLimits::default());
        estimator.sample(Duration::from_millis(100), 10);
        estimator.sample(Duration::from_millis(180), 10);
        assert_eq!(estimator.smoothed(), Some(Duration::from_millis(101)));
    }

    #[test]
    fn backing_off_doubles_up_to_the_limits_and_a_sample_ends_it() {
        let limits = RtoLimits { most_backoff: 4.0, ..RtoLimits::default() };
        let mut estimator = RttEstimator::new(limits);
        estimator.sample(Duration::from_millis(20), 1);
        assert_eq!(estimator.timeout(), Duration::from_millis(200), "the minimum");
        let timeouts = [400, 800, 800].map(Duration::from_millis);
        for timeout in timeouts {
            estimator.back_off();
            assert_eq!(estimator.timeout(), timeout);
        }
        estimator.sample(Duration::from_millis(20), 1);
        assert_eq!(estimator.timeout(), Duration::from_millis(200));
    }

    /// RFC 6298, rule 2.3, for samples below the mean and for any number of them in a round trip
    /// (RFC 7323, appendix G).
    #[test]
    fn a_shorter_round_trip_brings_the_mean_down_and_the_variation_up() {
        for (expected, smoothed, variation) in [(1, 90_000, 57_500), (2, 95_000, 53_750)] {
            let mut estimator = RttEstimator::new(RtoLimits::default());
            estimator.sample(Duration::from_millis(100), expected);
            estimator.sample(Duration::from_millis(20), expected);
            assert_eq!(estimator.smoothed(), Some(Duration::from_micros(smoothed)));
            let timeout = Duration::from_micros(smoothed + 4 * variation);
            assert_eq!(estimator.timeout(), timeout);
        }
    }

    /// Steady round trips leave the mean and the least variation: Linux's 200 ms, or the minimum.
    #[test]
    fn steady_round_trips_leave_the_least_variation_above_them() {
        let linux =
            RtoLimits { minimum_variation: Duration::from_millis(200), ..RtoLimits::default() };
        for (limits, timeout) in [(linux, 250), (RtoLimits::default(), 200)] {
            let mut estimator = RttEstimator::new(limits);
            (0..200).for_each(|_| estimator.sample(Duration::from_millis(50), 1));
            assert_eq!(estimator.timeout(), Duration::from_millis(timeout));
        }
    }

    /// RFC 6298, rules 2.5 and 5.5 to 5.7.
    #[test]
    fn a_timeout_is_at_most_the_maximum_and_three_seconds_where_a_syn_measured_nothing() {
        let mut estimator = RttEstimator::new(RtoLimits::default());
        assert!(!estimator.backed_off());
        (0..20).for_each(|_| estimator.back_off());
        assert!(estimator.backed_off());
        assert_eq!(estimator.timeout(), Duration::from_secs(60));
        estimator.sample(Duration::from_millis(100), 1);
        assert!(!estimator.backed_off());
        for (initial, timeout) in [(1, 3), (5, 5)] {
            let initial = Duration::from_secs(initial);
            let mut estimator = RttEstimator::new(RtoLimits { initial, ..RtoLimits::default() });
            estimator.fall_back();
            assert_eq!(estimator.timeout(), Duration::from_secs(timeout));
        }
    }
}
