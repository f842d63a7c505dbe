//! Delays of a link that differ from packet to packet.

use rand_distr::{Distribution, Exp1, StandardNormal};
use windtunnel_engine::{Duration, Random};

/// A delay drawn for each packet, beside that of the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// What it is drawn from.
    pub distribution: JitterDistribution,
    /// Whether no packet overtakes another one: each arrives no earlier than the one before.
    pub keeps_order: bool,
}

/// What delays are drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JitterDistribution {
    /// Equally likely between zero and the most.
    Uniform {
        /// The most.
        most: Duration,
    },
    /// Normally distributed; what would be negative is zero.
    Normal {
        /// The mean.
        mean: Duration,
        /// The standard deviation.
        deviation: Duration,
    },
    /// Exponentially distributed.
    Exponential {
        /// The mean.
        mean: Duration,
    },
}

impl Jitter {
    /// Draws the delay of a packet.
    pub fn draw(&self, random: &mut Random) -> Duration {
        match self.distribution {
            JitterDistribution::Uniform { most } => most.scaled(random.unit()),
            JitterDistribution::Exponential { mean } => {
                mean.scaled(Exp1.sample(random.generator()))
            }
            JitterDistribution::Normal { mean, deviation } => {
                let draw: f64 = StandardNormal.sample(random.generator());
                let change = deviation.scaled(draw.abs());
                if draw < 0.0 { mean - change } else { mean + change }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Streams;

    use super::*;

    /// The mean and the standard deviation of many draws, in milliseconds.
    fn moments(distribution: JitterDistribution) -> [f64; 2] {
        let jitter = Jitter { distribution, keeps_order: true };
        let mut random = Streams::new(5, 0).stream("jitter");
        let draws: Vec<f64> =
            (0..200_000).map(|_| jitter.draw(&mut random).as_seconds() * 1e3).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
        [mean, (variance / draws.len() as f64).sqrt()]
    }

    #[test]
    fn draws_have_the_mean_and_the_deviation_of_their_distribution() {
        let ms = Duration::from_millis;
        let cases = [
            (JitterDistribution::Uniform { most: ms(12) }, [6.0, 12.0 / 12_f64.sqrt()]),
            (JitterDistribution::Normal { mean: ms(20), deviation: ms(2) }, [20.0, 2.0]),
            (JitterDistribution::Exponential { mean: ms(4) }, [4.0, 4.0]),
            // Half of a normal distribution about zero: a mean of s/√(2π).
            (
                JitterDistribution::Normal { mean: Duration::ZERO, deviation: ms(4) },
                [
                    4.0 / std::f64::consts::TAU.sqrt(),
                    4.0 * (0.5 - 1.0 / std::f64::consts::TAU).sqrt(),
                ],
            ),
        ];
        for (distribution, expected) in cases {
            for (found, expected) in moments(distribution).iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 0.02, "{distribution:?}: {found}");
            }
        }
    }
}
