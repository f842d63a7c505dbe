//! The kinds of weather.

use std::ops::RangeInclusive;

/// A kind of weather, as files have it.
pub(crate) struct Kind {
    /// What is so great.
    pub(crate) name: &'static str,
    /// The unit of a file.
    pub(crate) unit: &'static str,
    /// Which values there are, in that unit.
    pub(crate) range: RangeInclusive<f64>,
    /// What that unit is worth in the base unit.
    pub(crate) worth: f64,
    /// From which quantity to which one it reaches, for messages.
    pub(super) limits: &'static str,
}

/// From the thickest fog to the clearest air.
pub(crate) static VISIBILITY: Kind = Kind {
    name: "visibility",
    unit: "kilometres",
    range: 0.001..=1000.0,
    worth: 1e3,
    limits: "\"1 m\" to \"1000 km\"",
};

/// Up to more than was ever measured in a minute.
pub(super) static RAIN: Kind = Kind {
    name: "rain rate",
    unit: "mm/h",
    range: 0.0..=2000.0,
    worth: 1.0,
    limits: "\"0 mm/h\" to \"2000 mm/h\"",
};

pub(super) static FOG: Kind = Kind {
    name: "liquid water content",
    unit: "g/m³",
    range: 0.0..=10.0,
    worth: 1.0,
    limits: "\"0 g/m³\" to \"10 g/m³\"",
};
