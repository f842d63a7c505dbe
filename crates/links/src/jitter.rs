//! Delays of a link that differ from packet to packet.
//!
//! Correlated delays are those of tc-netem(8): what a delay is drawn from, evenly distributed
//! between 0 and 1, is mixed with that of the packet before, and the delay is where the
//! distribution function has that level. The correlation is that of the levels; the delays
//! spread less than the distribution says, the more the larger it is.

use std::sync::Arc;

use rand_distr::{Distribution, Exp1, StandardNormal};
use windtunnel_engine::{Duration, Random};

use crate::normal::quantile;

/// What an entry of a table is counted in: this many are a deviation.
const TABLE_SCALE: f64 = 8192.0;

/// A delay drawn for each packet, beside that of the link.
#[derive(Clone, Debug, PartialEq)]
pub struct Jitter {
    /// What it is drawn from.
    pub distribution: JitterDistribution,
    /// What part of a level is that of the packet before; from 0 to less than 1.
    pub correlation: f64,
    /// Whether no packet overtakes another one: each arrives no earlier than the one before.
    pub keeps_order: bool,
}

/// What delays are drawn from.
#[derive(Clone, Debug, PartialEq)]
pub enum JitterDistribution {
    /// Equally likely between zero and the most.
    Uniform {
        /// The most.
        most: Duration,
    },
    /// Exponentially distributed.
    Exponential {
        /// The mean.
        mean: Duration,
    },
    /// This many deviations about a mean; what would be negative is zero.
    About {
        /// The mean.
        mean: Duration,
        /// The deviation.
        deviation: Duration,
        /// How many deviations from the mean.
        shape: Shape,
    },
}

/// A distribution of deviations from a mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The standard normal distribution.
    Normal,
    /// That of netem's table `pareto`: with a Pareto variable of shape 3 from 1 on, whose mean is
    /// 1.5, four thirds of its distance from that mean, and 4 at the most.
    Pareto,
    /// That of netem's table `paretonormal`: at each level a quarter of the normal distribution
    /// and three quarters of `Pareto`.
    ParetoNormal,
    /// Each of these entries equally likely, in parts of 8192 of a deviation, as in the files of
    /// netem.
    Table(Arc<[i16]>),
}

impl Jitter {
    /// Draws the delay of a packet. `level` is what that of the packet before was drawn from.
    pub fn draw(&self, level: &mut Option<f64>, random: &mut Random) -> Duration {
        if self.correlation == 0.0 {
            return self.distribution.draw(random);
        }
        let fresh = random.unit();
        let mixed = level.map_or(fresh, |before| fresh + self.correlation * (before - fresh));
        *level = Some(mixed);
        self.distribution.at(mixed)
    }
}

impl JitterDistribution {
    fn draw(&self, random: &mut Random) -> Duration {
        match self {
            Self::Exponential { mean } => mean.scaled(Exp1.sample(random.generator())),
            Self::About { mean, deviation, shape: Shape::Normal } => {
                about(*mean, *deviation, StandardNormal.sample(random.generator()))
            }
            _ => self.at(random.unit()),
        }
    }

    /// The delay up to which the distribution function is below that level.
    fn at(&self, level: f64) -> Duration {
        match self {
            Self::Uniform { most } => most.scaled(level),
            Self::Exponential { mean } => mean.scaled(-libm::log1p(-level)),
            Self::About { mean, deviation, shape } => about(*mean, *deviation, shape.at(level)),
        }
    }
}

impl Shape {
    fn at(&self, level: f64) -> f64 {
        match self {
            Self::Normal => quantile(level),
            Self::Pareto => (4.0 / 3.0 * (1.0 / libm::cbrt(1.0 - level) - 1.5)).min(4.0),
            Self::ParetoNormal => 0.25 * quantile(level) + 0.75 * Self::Pareto.at(level),
            Self::Table(entries) => {
                f64::from(entries[(level * entries.len() as f64) as usize]) / TABLE_SCALE
            }
        }
    }
}

/// This many deviations from the mean.
fn about(mean: Duration, deviation: Duration, deviations: f64) -> Duration {
    let change = deviation.scaled(deviations.abs());
    if deviations < 0.0 { mean - change } else { mean + change }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Streams;

    use super::*;

    const COUNT: usize = 200_000;

    /// Many draws, in milliseconds.
    fn draws(distribution: JitterDistribution, correlation: f64) -> Vec<f64> {
        let jitter = Jitter { distribution, correlation, keeps_order: true };
        let (mut random, mut level) = (Streams::new(5, 0).stream("jitter"), None);
        (0..COUNT).map(|_| jitter.draw(&mut level, &mut random).as_seconds() * 1e3).collect()
    }

    /// The mean and the standard deviation.
    fn moments(draws: &[f64]) -> [f64; 2] {
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / count;
        [mean, variance.sqrt()]
    }

    fn normal(mean: u64, deviation: u64) -> JitterDistribution {
        shaped(mean, deviation, Shape::Normal)
    }

    fn shaped(mean: u64, deviation: u64, shape: Shape) -> JitterDistribution {
        let [mean, deviation] = [mean, deviation].map(Duration::from_millis);
        JitterDistribution::About { mean, deviation, shape }
    }

    /// The integral of a function over the standard normal distribution.
    fn over_normal(function: impl Fn(f64) -> f64) -> f64 {
        let step = 1e-4;
        let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let points = (-80_000..80_000).map(|it| (f64::from(it) + 0.5) * step);
        points.map(|x| function(x) * density(x) * step).sum()
    }

    /// Four thirds of the distance from its mean of a Pareto variable of which no more than
    /// `share` is larger, and 4 at the most.
    fn pareto(share: f64) -> f64 {
        (4.0 / 3.0 * (share.powf(-1.0 / 3.0) - 1.5)).min(4.0)
    }

    #[test]
    fn draws_have_the_mean_and_the_deviation_of_their_distribution() {
        let ms = Duration::from_millis;
        // A Pareto variable of shape 3 that ends at 4.5: the integrals of x^-3 and of 2 x^-2.
        let ends = 4.5_f64;
        let mean = 1.0 + (1.0 - ends.powi(-2)) / 2.0;
        let variance = 1.0 + 2.0 * (1.0 - 1.0 / ends) - mean * mean;
        let [mean, deviation] = [4.0 / 3.0 * (mean - 1.5), 4.0 / 3.0 * variance.sqrt()];
        let together = |x: f64| 0.25 * x + 0.75 * pareto(libm::erfc(x / 2_f64.sqrt()) / 2.0);
        let both = over_normal(together);
        let deviation_of_both = over_normal(|x| (together(x) - both).powi(2)).sqrt();
        let cases = [
            (JitterDistribution::Uniform { most: ms(12) }, [6.0, 12.0 / 12_f64.sqrt()]),
            (normal(20, 2), [20.0, 2.0]),
            (JitterDistribution::Exponential { mean: ms(4) }, [4.0, 4.0]),
            // Half of a normal distribution about zero: a mean of s/√(2π).
            (
                normal(0, 4),
                [
                    4.0 / std::f64::consts::TAU.sqrt(),
                    4.0 * (0.5 - 1.0 / std::f64::consts::TAU).sqrt(),
                ],
            ),
            (shaped(20, 4, Shape::Pareto), [20.0 + 4.0 * mean, 4.0 * deviation]),
            (shaped(20, 4, Shape::ParetoNormal), [20.0 + 4.0 * both, 4.0 * deviation_of_both]),
        ];
        for (distribution, expected) in cases {
            let name = format!("{distribution:?}");
            for (found, expected) in moments(&draws(distribution, 0.0)).iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 0.02, "{name}: {found} for {expected}");
            }
        }
    }

    /// Pr(X > x) of a Pareto variable of shape 3 is x^-3: its quarters are as far from its mean.
    #[test]
    fn pareto_has_the_quantiles_of_its_definition() {
        let mut draws = draws(shaped(20, 6, Shape::Pareto), 0.0);
        draws.sort_by(f64::total_cmp);
        assert!(draws[0] >= 20.0 - 6.0 * 2.0 / 3.0, "no delay is less: {}", draws[0]);
        assert!((draws[COUNT - 1] - (20.0 + 6.0 * 4.0)).abs() < 1e-9, "it ends at 4 deviations");
        for level in [0.25, 0.5, 0.75, 0.95] {
            let expected = 20.0 + 6.0 * pareto(1.0 - level);
            let found = draws[(level * COUNT as f64) as usize];
            assert!((found / expected - 1.0).abs() < 0.01, "{level}: {found} for {expected}");
        }
    }

    #[test]
    fn the_entries_of_a_table_are_equally_likely_parts_of_a_deviation() {
        let entries = [-8192, 0, 4096, 16_384];
        let draws = draws(shaped(20, 6, Shape::Table(entries.into())), 0.0);
        for entry in entries {
            let delay = 20.0 + 6.0 * f64::from(entry) / 8192.0;
            let found = draws.iter().filter(|it| (**it - delay).abs() < 1e-9).count() as f64;
            assert!((found / COUNT as f64 - 0.25).abs() < 0.005, "{delay} ms: {found}");
        }
    }

    /// x_n = (1 - r) u_n + r x_(n-1) has the correlation r, and (1 - r) / (1 + r) of the variance
    /// of u.
    #[test]
    fn levels_are_correlated_as_said() {
        let most = Duration::from_millis(12);
        for correlation in [0.25, 0.75] {
            let draws = draws(JitterDistribution::Uniform { most }, correlation);
            let [mean, deviation] = moments(&draws);
            let expected = 12.0 * ((1.0 - correlation) / (1.0 + correlation) / 12.0).sqrt();
            assert!((mean - 6.0).abs() < 0.1, "{mean}");
            assert!((deviation / expected - 1.0).abs() < 0.02, "{deviation} for {expected}");
            let covariance =
                draws.windows(2).map(|it| (it[0] - mean) * (it[1] - mean)).sum::<f64>();
            let found = covariance / (draws.len() - 1) as f64 / deviation.powi(2);
            assert!((found - correlation).abs() < 0.02, "{found} for {correlation}");
        }
    }

    /// With hardly any correlation they are what they are without.
    #[test]
    fn correlated_delays_are_of_the_same_distribution() {
        let mean = Duration::from_millis(20);
        let distributions = [
            normal(20, 2),
            JitterDistribution::Exponential { mean },
            shaped(20, 4, Shape::ParetoNormal),
        ];
        for distribution in distributions {
            let [alone, together] =
                [0.0, 1e-9].map(|correlation| moments(&draws(distribution.clone(), correlation)));
            for (alone, together) in alone.iter().zip(together) {
                assert!((alone / together - 1.0).abs() < 0.02, "{distribution:?}");
            }
        }
    }
}
