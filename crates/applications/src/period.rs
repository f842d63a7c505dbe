//! How long applications are busy and silent.

use rand_distr::{Distribution, Exp1};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Random};

/// How long a period lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// Always the same time.
    Fixed(Duration),
    /// Exponentially distributed, with this mean.
    Exponential(Duration),
}

impl Period {
    /// The length of the next one.
    pub fn draw(self, random: &mut Random) -> Duration {
        match self {
            Self::Fixed(length) => length,
            Self::Exponential(mean) => {
                let factor: f64 = Exp1.sample(random.generator());
                mean.scaled(factor)
            }
        }
    }

    /// Whether lengths vary.
    #[must_use]
    pub fn is_random(self) -> bool {
        matches!(self, Self::Exponential(_))
    }

    /// The mean length.
    #[must_use]
    pub fn mean(self) -> Duration {
        match self {
            Self::Fixed(mean) | Self::Exponential(mean) => mean,
        }
    }
}

/// Periods of sending and of silence in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOffPeriods {
    /// How long it sends.
    pub on: Period,
    /// How long it is silent.
    pub off: Period,
}

impl OnOffPeriods {
    /// Whether their lengths vary.
    #[must_use]
    pub fn are_random(self) -> bool {
        self.on.is_random() || self.off.is_random()
    }
}

/// Whether times are all alike.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Periods {
    /// Times are fixed.
    #[default]
    Fixed,
    /// They are exponentially distributed.
    Exponential,
}

impl Periods {
    /// Times with that mean.
    #[must_use]
    pub fn of(self, mean: Duration) -> Period {
        match self {
            Self::Fixed => Period::Fixed(mean),
            Self::Exponential => Period::Exponential(mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Streams;

    use super::*;

    #[test]
    fn exponential_periods_have_their_mean() {
        let mut random = Streams::new(1, 0).stream("period");
        let period = Period::Exponential(Duration::from_millis(10));
        let draws = 100_000;
        let sum: f64 = (0..draws).map(|_| period.draw(&mut random).as_seconds()).sum();
        // Three standard errors: the deviation of an exponential is its mean.
        let error = 0.01 / f64::from(draws).sqrt();
        assert!((sum / f64::from(draws) - 0.01).abs() < 3.0 * error);
    }
}
