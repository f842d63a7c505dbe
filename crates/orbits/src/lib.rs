//! Constellations: where satellites are over the turning Earth, which of them are joined by
//! links, and when a place on the ground sees which.
//!
//! Lengths are in kilometres, times in seconds since the epoch of the sky, and angles in
//! degrees where a value leaves this crate. Positions are Earth-fixed unless they are said
//! to be inertial.
//!
//! A constellation that was filed or flown is an entry of `presets`, a handover policy one of
//! `contacts`; their keys in files are in `crates/scenario/src/network/constellations`.

mod cities;
mod contacts;
mod earth;
mod elements;
mod epoch;
mod grid;
mod orbit;
mod presets;
mod sight;
mod sky;
mod walker;

pub use cities::cities;
pub use contacts::{Contact, Contacts, Policy, Reach, SatelliteChoice, Slots};
pub use earth::{Coordinates, EQUATORIAL_RADIUS, GroundPath, LIGHT_SPEED, MEAN_RADIUS, elevation};
pub use elements::{ElementSet, ElementsError, ElementsPosition, read as read_elements};
pub use epoch::Epoch;
pub use glam::DVec3;
pub use grid::{ATMOSPHERE, Grid, GridLink, longest_link};
pub use orbit::{Circular, Orbit};
pub use presets::{PRESETS, Preset};
pub use sight::{VisibilityWindow, in_sight};
pub use sky::Sky;
pub use walker::{Phase, Walker, WalkerPattern};
