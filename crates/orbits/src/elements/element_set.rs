//! The elements of a satellite, and what can be wrong with those in a file.

use std::fmt;

use sgp4::{Constants, Elements};

use crate::epoch::Epoch;
use crate::orbit::Orbit;

/// Where something is in a file of element sets; both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementsPosition {
    /// A line.
    Line(usize),
    /// A message of an array.
    Record(usize),
}

impl fmt::Display for ElementsPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(formatter, "line {number}"),
            Self::Record(number) => write!(formatter, "record {number}"),
        }
    }
}

/// What is wrong with a file of element sets, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementsError {
    /// The place.
    pub place: ElementsPosition,
    /// What is wrong there.
    pub why: String,
}

/// The elements of a satellite.
#[derive(Clone, Debug)]
pub struct ElementSet {
    /// Its name, or its catalogue number where it has none.
    pub name: String,
    /// Its orbit.
    pub orbit: Orbit,
    /// The epoch of its elements.
    pub epoch: Epoch,
    /// Its mean altitude over the equator, in km.
    pub altitude: f64,
    /// Its inclination, in degrees.
    pub inclination: f64,
    /// The right ascension of its ascending node, in degrees.
    pub node: f64,
    /// The argument of perigee and the mean anomaly: how far it is along its orbit, in
    /// degrees.
    pub argument: f64,
}

impl ElementSet {
    /// That of elements, or why there is no such orbit.
    pub(super) fn new(elements: Elements) -> Result<Self, String> {
        let Elements { inclination, eccentricity, mean_anomaly, mean_motion, .. } = elements;
        let [node, perigee] = [elements.right_ascension, elements.argument_of_perigee];
        let numbers = [inclination, eccentricity, mean_anomaly, mean_motion, node, perigee];
        if !numbers.iter().chain([&elements.drag_term]).all(|it| it.is_finite()) {
            return Err("an element is not a finite number".into());
        }
        let constants = Constants::from_elements_afspc_compatibility_mode(&elements)
            .map_err(|it| it.to_string())?;
        let epoch = Epoch::from_julian_years(elements.epoch());
        // The mean motion is in orbits a day (WGS 72).
        let motion = mean_motion * core::f64::consts::TAU / 86_400.0;
        let axis = libm::cbrt(398_600.8 / (motion * motion));
        Ok(Self {
            name: elements.object_name.unwrap_or_else(|| elements.norad_id.to_string()),
            orbit: Orbit::Elements { constants: Box::new(constants), epoch },
            epoch,
            altitude: axis - crate::EQUATORIAL_RADIUS,
            inclination,
            node,
            argument: perigee + mean_anomaly,
        })
    }
}
