//! Orbits: circular ones with the secular effect of the Earth's oblateness, and those of
//! orbital elements by SGP4.

use core::f64::consts::TAU;

use glam::DVec3;
use libm::{cos, sin};

use crate::earth::EQUATORIAL_RADIUS;
use crate::epoch::Epoch;

/// The Earth's gravitational parameter (WGS 84), in km³/s².
const MU: f64 = 398_600.441_8;
/// The second zonal harmonic of the Earth's gravity.
const J2: f64 = 1.082_626_68e-3;

/// A circular orbit. Angles are in radians, at the epoch, rates in radians a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circular {
    /// Kilometres from the Earth's centre.
    radius: f64,
    inclination: f64,
    /// Its sine and cosine.
    tilt: (f64, f64),
    /// The right ascension of the ascending node.
    node: f64,
    node_rate: f64,
    /// The argument of latitude: the angle from the ascending node.
    argument: f64,
    argument_rate: f64,
}

impl Circular {
    /// An orbit at an altitude over the equator, in km; the angles are in degrees. With
    /// `precesses` the oblateness of the Earth turns its plane and changes its period, by the
    /// secular rates of first order in J2; else it is Kepler's.
    #[must_use]
    pub fn new(altitude: f64, inclination: f64, node: f64, argument: f64, precesses: bool) -> Self {
        let radius = EQUATORIAL_RADIUS + altitude;
        let inclination = inclination.to_radians();
        let mean_motion = (MU / (radius * radius * radius)).sqrt();
        let flattening = EQUATORIAL_RADIUS / radius;
        let effect = if precesses { 1.5 * J2 * flattening * flattening * mean_motion } else { 0.0 };
        let (sine, cosine) = (sin(inclination), cos(inclination));
        Self {
            radius,
            inclination,
            tilt: (sine, cosine),
            node: node.to_radians(),
            node_rate: -effect * cosine,
            argument: argument.to_radians(),
            argument_rate: mean_motion + effect * (3.0 - 4.0 * sine * sine),
        }
    }

    /// The time between two ascending nodes, in seconds.
    #[must_use]
    pub fn period(&self) -> f64 {
        TAU / self.argument_rate
    }

    /// Its distance from the Earth's centre, in km.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Its inclination, in radians.
    pub(crate) fn inclination(&self) -> f64 {
        self.inclination
    }

    /// The right ascension of the ascending node, in radians.
    pub(crate) fn node(&self, time: f64) -> f64 {
        self.node + self.node_rate * time
    }

    /// How fast its node moves, in degrees a day.
    #[must_use]
    pub fn node_rate(&self) -> f64 {
        self.node_rate.to_degrees() * 86_400.0
    }

    /// The argument of latitude, in radians.
    pub(crate) fn argument(&self, time: f64) -> f64 {
        self.argument + self.argument_rate * time
    }

    /// Its position in a frame that is turned by `angle`: inertial with 0, Earth-fixed with
    /// the sidereal angle.
    #[must_use]
    pub fn position(&self, time: f64, angle: f64) -> DVec3 {
        let (node, argument) = (self.node(time) - angle, self.argument(time));
        let (forward, up) = (cos(argument), sin(argument));
        let (sine, cosine) = (sin(node), cos(node));
        let (tilted, level) = self.tilt;
        let across = up * level;
        self.radius
            * DVec3::new(
                cosine * forward - sine * across,
                sine * forward + cosine * across,
                up * tilted,
            )
    }
}

/// An orbit of some kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Orbit {
    /// A circular one.
    Circular(Circular),
    /// One of mean elements, by SGP4 with the constants of WGS 72, as those are fitted.
    Elements {
        /// What SGP4 makes of the elements.
        constants: Box<sgp4::Constants>,
        /// The epoch of the elements.
        epoch: Epoch,
    },
}

impl Orbit {
    /// Its position this many seconds after an epoch, at which the Earth has turned by `angle`
    /// radians. None where SGP4 has no solution: the satellite has decayed.
    #[must_use]
    pub fn position(&self, epoch: Epoch, time: f64, angle: f64) -> Option<DVec3> {
        match self {
            Self::Circular(it) => Some(it.position(time, angle)),
            Self::Elements { constants, epoch: own } => {
                let minutes = epoch.days_since(*own) * 1_440.0 + time / 60.0;
                let minutes = sgp4::MinutesSinceEpoch(minutes);
                let found = constants.propagate_afspc_compatibility_mode(minutes).ok()?;
                let inertial = DVec3::from_array(found.position);
                let (sine, cosine) = (sin(angle), cos(angle));
                Some(DVec3::new(
                    cosine * inertial.x + sine * inertial.y,
                    cosine * inertial.y - sine * inertial.x,
                    inertial.z,
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kepler's third law.
    #[test]
    fn without_precession_the_period_is_keplers() {
        for (altitude, period) in [(500.0, 5676.98), (550.0, 5739.0), (630.0, 5838.7)] {
            let orbit = Circular::new(altitude, 53.0, 0.0, 0.0, false);
            assert!((orbit.period() - period).abs() < 0.05, "{}", orbit.period());
        }
    }

    /// Degrees a day of the node, and the nodal period, of the first order in J2.
    #[test]
    fn the_oblateness_turns_the_plane() {
        let oracles = [
            (550.0, 53.0, -4.4892, 5735.5),
            (630.0, 51.9, -4.4214, 5834.6),
            (1015.0, 98.98, 0.9275, 6333.3),
            (1200.0, 87.9, -0.1997, 6572.8),
            (500.0, 97.4, 0.9854, 5684.4),
        ];
        for (altitude, inclination, rate, period) in oracles {
            let orbit = Circular::new(altitude, inclination, 0.0, 0.0, true);
            assert!((orbit.node_rate() - rate).abs() < 1e-4, "{}", orbit.node_rate());
            assert!((orbit.period() - period).abs() < 0.06, "{}", orbit.period());
        }
    }

    #[test]
    fn an_orbit_keeps_its_radius_and_crosses_the_equator_at_its_node() {
        let orbit = Circular::new(550.0, 53.0, 30.0, 0.0, true);
        for step in 0..100 {
            let position = orbit.position(f64::from(step) * 60.0, 1.0);
            assert!((position.length() - 6928.137).abs() < 1e-9);
        }
        let start = orbit.position(0.0, 0.0);
        assert!(start.z.abs() < 1e-9);
        assert!((libm::atan2(start.y, start.x).to_degrees() - 30.0).abs() < 1e-9);
        let highest = orbit.position(orbit.period() / 4.0, 0.0);
        assert!((highest.z / highest.length() - sin(53_f64.to_radians())).abs() < 1e-9);
    }
}
