//! Element sets of satellites, as CelesTrak and Space-Track publish them: in two lines, and as
//! orbit mean-elements messages (OMM, CCSDS 502.0-B-3, section 4) in JSON and CSV.

mod omm;
#[cfg(test)]
mod tests;
mod tle;

use std::fmt;

use sgp4::{Constants, Elements};

use crate::epoch::Epoch;
use crate::orbit::Orbit;

/// Where something is in a file of element sets; both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementsPlace {
    /// A line.
    Line(usize),
    /// A message of an array.
    Record(usize),
}

impl fmt::Display for ElementsPlace {
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
    pub place: ElementsPlace,
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

/// Reads a file of element sets: messages in JSON if it begins with a bracket, in CSV if its first
/// line has their keywords, and else sets of two lines.
///
/// # Errors
/// [`ElementsError`] for the first line or message that is not one of an element set.
pub fn read(text: &str) -> Result<Vec<ElementSet>, ElementsError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with(['[', '{']) {
        omm::from_json(text)
    } else if omm::is_csv(text) {
        omm::from_csv(text)
    } else {
        tle::read(text)
    }
}

impl ElementSet {
    /// That of elements, or why there is no such orbit.
    fn new(elements: Elements) -> Result<Self, String> {
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
