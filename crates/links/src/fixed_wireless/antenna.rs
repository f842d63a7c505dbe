//! Antennas: what is lost beside their axes.
//!
//! Angles are in degrees, gains in dBi, losses in dB.

use libm::{log10, sqrt};

use crate::radio::propagation::LIGHT;

/// The solid angle of a sphere in square degrees: more than that over the solid angle of its beam
/// no antenna gains (Kraus, Antennas, 2nd edition, section 2-7).
const SPHERE: f64 = 41_253.0;
/// From this angle on, F.699 and F.1245 have the same gain all around.
const ALL_AROUND: f64 = 48.0;

/// How fast the main lobe of a dish falls, in dB over the square of the angle times the diameter.
const MAIN_LOBE: f64 = 2.5e-3;
const HALF_THE_POWER: f64 = 3.0;

/// The shape of an antenna's beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AntennaPattern {
    /// A Gaussian beam of that width between the points of half the power, down to the first
    /// side lobe that F.699 gives an antenna of that gain.
    Gaussian {
        /// The width.
        width: f64,
    },
    /// The peaks of side lobes of a dish, ITU-R F.699-8: for interference in the worst case.
    F699 {
        /// Its diameter in wavelengths.
        diameter: f64,
    },
    /// Their averages, ITU-R F.1245-3.
    F1245 {
        /// Its diameter in wavelengths.
        diameter: f64,
    },
}

/// An antenna.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Antenna {
    /// Its gain on the axis.
    pub gain: f64,
    /// Its beam.
    pub pattern: AntennaPattern,
}

/// What an antenna loses over the angle from its axis, as pairs of both.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternCurve {
    /// Where the antenna is: the angle that the other end has from the beam in use, and all
    /// that is lost.
    pub present: [f64; 2],
    /// The curve.
    pub points: Vec<[f64; 2]>,
}

/// A length in wavelengths of a carrier.
#[must_use]
pub fn in_wavelengths(metres: f64, carrier: f64) -> f64 {
    metres * carrier / LIGHT
}

/// The greatest gain of a beam of that width in both planes.
#[must_use]
pub fn greatest_gain(width: f64) -> f64 {
    10.0 * log10(SPHERE / (width * width))
}

/// The greatest gain of a dish: all of its area, of a diameter in wavelengths, receives.
#[must_use]
pub fn greatest_gain_of_dish(diameter: f64) -> f64 {
    20.0 * log10(std::f64::consts::PI * diameter)
}

/// The diameter in wavelengths of a dish of that gain, as F.699 estimates it (recommends 4).
#[must_use]
pub fn diameter_of(gain: f64) -> f64 {
    libm::pow(10.0, (gain - 7.7) / 20.0)
}

impl Antenna {
    /// The loss at an angle from the axis.
    #[must_use]
    pub fn loss(&self, angle: f64) -> f64 {
        let angle = angle.abs();
        match self.pattern {
            AntennaPattern::Gaussian { width } => {
                let diameter = diameter_of(self.gain);
                let ratio = angle / width;
                (12.0 * ratio * ratio).min(self.gain - first_side_lobe(diameter))
            }
            AntennaPattern::F699 { diameter } => self.gain - self.peak(diameter, angle),
            AntennaPattern::F1245 { diameter } => self.gain - self.average(diameter, angle),
        }
    }

    /// The width between the points of half the power.
    #[must_use]
    pub fn width(&self) -> f64 {
        match self.pattern {
            AntennaPattern::Gaussian { width } => width,
            AntennaPattern::F699 { diameter } | AntennaPattern::F1245 { diameter } => {
                2.0 * sqrt(HALF_THE_POWER / MAIN_LOBE) / diameter
            }
        }
    }

    /// The loss from the axis on, to where the side lobes are.
    pub(super) fn curve(&self) -> Vec<[f64; 2]> {
        let step = self.width() / 40.0;
        let angles = (0..=200).map(|it| (f64::from(it) * step).min(180.0));
        angles.map(|it| [it, self.loss(it)]).collect()
    }

    /// The gain on the main lobe, and the angle at which that ends.
    fn main_lobe(&self, diameter: f64, angle: f64) -> (f64, f64) {
        let across = diameter * angle;
        let end = 20.0 / diameter * sqrt((self.gain - first_side_lobe(diameter)).max(0.0));
        (self.gain - MAIN_LOBE * across * across, end)
    }

    /// F.699-8, recommends 2.1 for a diameter above a hundred wavelengths and 2.2 below.
    fn peak(&self, diameter: f64, angle: f64) -> f64 {
        let (main, end) = self.main_lobe(diameter, angle);
        let is_large = diameter > 100.0;
        let plateau = if is_large { 15.85 * libm::pow(diameter, -0.6) } else { 100.0 / diameter };
        let small = 10.0 * log10(diameter);
        match angle {
            _ if angle < end => main,
            _ if angle < plateau.max(end) => first_side_lobe(diameter),
            _ if angle < ALL_AROUND && is_large => 32.0 - 25.0 * log10(angle),
            _ if angle < ALL_AROUND => 52.0 - small - 25.0 * log10(angle),
            _ if is_large => -10.0,
            _ => 10.0 - small,
        }
    }

    /// F.1245-3, recommends 2.1 and 2.2.
    fn average(&self, diameter: f64, angle: f64) -> f64 {
        let (main, end) = self.main_lobe(diameter, angle);
        let is_large = diameter > 100.0;
        let small = 5.0 * log10(diameter);
        let slope = if is_large { 29.0 } else { 39.0 - small };
        let least = if is_large { -13.0 } else { -3.0 - small };
        let plateau = if is_large { 12.02 * libm::pow(diameter, -0.6) } else { end };
        match angle {
            _ if angle < end => main,
            _ if angle < plateau => first_side_lobe(diameter).max(main),
            _ if angle < ALL_AROUND => slope - 25.0 * log10(angle),
            _ => least,
        }
    }
}

/// The gain of the first side lobe of a dish.
fn first_side_lobe(diameter: f64) -> f64 {
    2.0 + 15.0 * log10(diameter)
}
