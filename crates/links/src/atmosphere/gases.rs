//! Oxygen and water vapour: ITU-R P.676-12, annex 1, line by line.

use libm::{exp, pow, sqrt};

use super::lines::{OXYGEN, WATER_VAPOUR};

/// The state of the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// Its temperature, in kelvins.
    pub temperature: f64,
    /// The pressure of dry air, in hPa.
    pub pressure: f64,
    /// The water vapour in it, in g/m³.
    pub vapour: f64,
}

impl Default for Air {
    /// The mean of a year and of the Earth at sea level (ITU-R P.835, and P.676).
    fn default() -> Self {
        Self { temperature: 288.15, pressure: 1013.25, vapour: 7.5 }
    }
}

impl Air {
    /// 300 K over the temperature.
    fn theta(&self) -> f64 {
        300.0 / self.temperature
    }

    /// The partial pressure of water vapour, in hPa (equation 4).
    fn vapour_pressure(&self) -> f64 {
        self.vapour * self.temperature / 216.7
    }
}

/// A spectral line in some air: its centre, its width, its interference and its strength.
struct Line {
    centre: f64,
    width: f64,
    interference: f64,
    strength: f64,
}

impl Line {
    /// Its part of the refractivity's imaginary part at a frequency in GHz (equations 2 and 5).
    fn at(&self, frequency: f64) -> f64 {
        let side = |from: f64| {
            (self.width - self.interference * from) / (from * from + self.width * self.width)
        };
        let shape = side(self.centre - frequency) + side(self.centre + frequency);
        self.strength * frequency / self.centre * shape
    }
}

/// A line of oxygen (equations 3, 6a, 6b and 7).
fn of_oxygen([centre, a1, a2, a3, a4, a5, a6]: [f64; 7], air: &Air) -> Line {
    let (theta, vapour) = (air.theta(), air.vapour_pressure());
    let width = a3 * 1e-4 * (air.pressure * pow(theta, 0.8 - a4) + 1.1 * vapour * theta);
    Line {
        centre,
        width: sqrt(width * width + 2.25e-6),
        interference: (a5 + a6 * theta) * 1e-4 * (air.pressure + vapour) * pow(theta, 0.8),
        strength: a1 * 1e-7 * air.pressure * pow(theta, 3.0) * exp(a2 * (1.0 - theta)),
    }
}

/// A line of water vapour (the same equations).
fn of_water_vapour([centre, b1, b2, b3, b4, b5, b6]: [f64; 7], air: &Air) -> Line {
    let (theta, vapour) = (air.theta(), air.vapour_pressure());
    let width = b3 * 1e-4 * (air.pressure * pow(theta, b4) + b5 * vapour * pow(theta, b6));
    let doppler = 2.1316e-12 * centre * centre / theta;
    Line {
        centre,
        width: 0.535 * width + sqrt(0.217 * width * width + doppler),
        interference: 0.0,
        strength: b1 * 1e-1 * vapour * pow(theta, 3.5) * exp(b2 * (1.0 - theta)),
    }
}

/// What dry air takes without any line: the Debye spectrum of oxygen, and nitrogen under
/// pressure (equations 8 and 9).
fn continuum(frequency: f64, air: &Air) -> f64 {
    let theta = air.theta();
    let width = 5.6e-4 * (air.pressure + air.vapour_pressure()) * pow(theta, 0.8);
    let ratio = frequency / width;
    let debye = 6.14e-5 / (width * (1.0 + ratio * ratio));
    let nitrogen = 1.4e-12 * air.pressure * pow(theta, 1.5) / (1.0 + 1.9e-5 * pow(frequency, 1.5));
    frequency * air.pressure * theta * theta * (debye + nitrogen)
}

/// The attenuation of an imaginary part of the refractivity (equation 1).
fn attenuation(frequency: f64, refractivity: f64) -> f64 {
    0.182 * frequency * refractivity
}

/// What the oxygen and nitrogen of the air take.
#[must_use]
pub fn oxygen(frequency: f64, air: &Air) -> f64 {
    let frequency = frequency / 1e9;
    let lines: f64 = OXYGEN.iter().map(|it| of_oxygen(*it, air).at(frequency)).sum();
    attenuation(frequency, lines + continuum(frequency, air))
}

/// What the water vapour of the air takes.
#[must_use]
pub fn water_vapour(frequency: f64, air: &Air) -> f64 {
    let frequency = frequency / 1e9;
    let lines = WATER_VAPOUR.iter().map(|it| of_water_vapour(*it, air).at(frequency));
    attenuation(frequency, lines.sum())
}
