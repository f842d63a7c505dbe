//! Shadowing: what trees and walls of a place add to its path loss.

use rand_distr::{Distribution, StandardNormal};
use windtunnel_engine::Random;

use super::propagation::shadowing_deviation;

/// A value of the standard normal distribution that changes along the user's way,
/// as a Gauss–Markov process: at two places the correlation is exp(−Δ/d), where Δ is
/// how far the user walked between them and d the decorrelation distance (TR 38.901,
/// equation 7.4-5). Who comes back to a place finds another value there; who stands
/// still keeps it.
#[derive(Clone, Debug)]
pub struct Field {
    value: f64,
    walked: f64,
    random: Random,
}

impl Field {
    /// A field that draws from this stream.
    #[must_use]
    pub fn new(mut random: Random) -> Self {
        Self { value: StandardNormal.sample(random.generator()), walked: 0.0, random }
    }

    /// The value after `walked` metres, which are not fewer than the last time, with
    /// this decorrelation distance in metres on the way from there.
    pub fn after(&mut self, walked: f64, decorrelation: f64) -> f64 {
        if walked > self.walked {
            let correlation = libm::exp((self.walked - walked) / decorrelation);
            let fresh: f64 = StandardNormal.sample(self.random.generator());
            let share = (1.0 - correlation * correlation).sqrt();
            self.value = correlation * self.value + share * fresh;
            self.walked = walked;
        }
        self.value
    }
}

/// The shadowing between a user and one station (TR 38.901, UMi).
///
/// One field gives the shadowing with and without line of sight; it is as many
/// standard deviations off the mean in both. The deviation goes from 4 dB to 7.82 dB
/// as the diffracted share of the power goes from one to nothing, so that nothing
/// jumps where the user steps behind a building.
#[derive(Clone, Debug)]
pub struct Shadowing(Field);

impl Shadowing {
    /// Shadowing that draws from this stream.
    #[must_use]
    pub fn new(random: Random) -> Self {
        Self(Field::new(random))
    }

    /// The loss in dB after `walked` metres, which are not fewer than the last time,
    /// where this share of the power, from 0 to 1, comes as with line of sight.
    pub fn loss(&mut self, walked: f64, share: f64) -> f64 {
        let [with, without] = [true, false].map(shadowing_deviation);
        let deviation = without + (with - without) * share;
        deviation * self.0.after(walked, decorrelation(share))
    }
}

/// The decorrelation distance of shadowing, in metres (TR 38.901, table 7.5-6, UMi).
fn decorrelation(share: f64) -> f64 {
    13.0 - 3.0 * share
}
