//! Scintillation: turbulent air lets the received power fluctuate.
//!
//! Al-Habash, Andrews and Phillips, "Mathematical model for the irradiance probability density
//! function of a laser beam propagating through turbulent media", Optical Engineering 40(8),
//! 2001: the irradiance is a product of two gamma variables, of large eddies and of small ones.
//! The formulas are those of a plane wave and a receiver of no extent; a real lens averages
//! over small eddies, and fluctuates less.

use std::f64::consts::TAU;

use libm::{exp, expm1, pow};
use rand_distr::{Distribution, Gamma, Poisson};
use windtunnel_engine::{Duration, Random, Time};

/// A gamma variable of a greater shape does not fluctuate visibly: its deviation is below
/// 0.0002 dB.
const MOST_SHAPE: f64 = 1e9;

/// The Rytov variance of a plane wave: 1.23 Cn² k^(7/6) L^(11/6). `structure` is Cn² in
/// m^(−2/3); wavelength and distance are in metres.
#[must_use]
pub fn rytov_variance(structure: f64, wavelength: f64, distance: f64) -> f64 {
    1.23 * structure * pow(TAU / wavelength, 7.0 / 6.0) * pow(distance, 11.0 / 6.0)
}

/// The shapes of the two gamma variables whose product the irradiance is; the mean of each
/// is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GammaGamma {
    /// Of large eddies: α.
    pub large: f64,
    /// Of small eddies: β.
    pub small: f64,
}

impl GammaGamma {
    /// The shapes for a Rytov variance that is above zero (Al-Habash et al., equations 18
    /// and 19).
    #[must_use]
    pub fn of_plane_wave(rytov_variance: f64) -> Self {
        let scaled = pow(rytov_variance, 6.0 / 5.0);
        let shape = |variance: f64| (1.0 / expm1(variance)).min(MOST_SHAPE);
        Self {
            large: shape(0.49 * rytov_variance / pow(1.0 + 1.11 * scaled, 7.0 / 6.0)),
            small: shape(0.51 * rytov_variance / pow(1.0 + 0.69 * scaled, 5.0 / 6.0)),
        }
    }

    /// The scintillation index: the variance of the irradiance, whose mean is 1.
    #[must_use]
    pub fn index(&self) -> f64 {
        1.0 / self.large + 1.0 / self.small + 1.0 / (self.large * self.small)
    }
}

/// A gamma variable of mean 1 in the course of time: a Markov process whose values have that
/// distribution at any time, with the autocorrelation exp(−t/τ) (Sim, "First-order
/// autoregressive models for gamma and exponential processes", Journal of Applied
/// Probability 27, 1990; the square-root diffusion, seen at some times).
#[derive(Clone, Debug)]
struct GammaProcess {
    shape: f64,
    value: f64,
    random: Random,
}

impl GammaProcess {
    fn new(shape: f64, mut random: Random) -> Self {
        let value = gamma(shape, 1.0 / shape, &mut random);
        Self { shape, value, random }
    }

    /// Its value after a time over which this is the autocorrelation.
    fn after(&mut self, correlation: f64) -> f64 {
        let scale = (1.0 - correlation) / self.shape;
        let mean = correlation * self.value / scale;
        // Over no time at all nothing changes.
        if mean.is_finite() && mean < Poisson::<f64>::MAX_LAMBDA {
            // Over a very long one, nothing is left of the value.
            let kept = Poisson::new(mean).map_or(0.0, |it| it.sample(self.random.generator()));
            self.value = gamma(self.shape + kept, scale, &mut self.random);
        }
        self.value
    }
}

fn gamma(shape: f64, scale: f64, random: &mut Random) -> f64 {
    let distribution = Gamma::new(shape, scale).expect("shape and scale are above zero");
    distribution.sample(random.generator())
}

/// The received power in the course of time, in relation to its mean.
#[derive(Clone, Debug)]
pub struct Scintillation {
    large: GammaProcess,
    small: GammaProcess,
    /// In seconds.
    coherence: f64,
    last: Time,
}

impl Scintillation {
    /// One whose eddies all have that coherence time, above zero: the time after which their
    /// autocorrelation is 1/e.
    #[must_use]
    pub fn new(shapes: GammaGamma, coherence: Duration, [large, small]: [Random; 2]) -> Self {
        Self {
            large: GammaProcess::new(shapes.large, large),
            small: GammaProcess::new(shapes.small, small),
            coherence: coherence.as_seconds(),
            last: Time::ZERO,
        }
    }

    /// The power at `now`, which is not before the time of the last call.
    pub fn at(&mut self, now: Time) -> f64 {
        let correlation = exp(-now.since(self.last).as_seconds() / self.coherence);
        self.last = now;
        self.large.after(correlation) * self.small.after(correlation)
    }
}
