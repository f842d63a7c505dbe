//! All satellites of a constellation, and where they are.

use glam::DVec3;

use crate::epoch::Epoch;
use crate::orbit::Orbit;

/// The satellites of a constellation.
#[derive(Clone, Debug, PartialEq)]
pub struct Sky {
    /// The instant that times count from.
    pub epoch: Epoch,
    /// The orbits, by satellite.
    pub orbits: Vec<Orbit>,
}

impl Sky {
    /// Where all satellites are at a time, in km. One that has decayed stays where it was.
    pub fn positions(&self, time: f64, positions: &mut Vec<DVec3>) {
        let angle = self.epoch.sidereal_angle(time);
        positions.resize(self.orbits.len(), DVec3::ZERO);
        for (orbit, position) in self.orbits.iter().zip(positions) {
            *position = orbit.position(self.epoch, time, angle).unwrap_or(*position);
        }
    }

    /// The first satellite without a position at a time, because it has decayed.
    #[must_use]
    pub fn decayed(&self, time: f64) -> Option<usize> {
        let angle = self.epoch.sidereal_angle(time);
        self.orbits.iter().position(|it| it.position(self.epoch, time, angle).is_none())
    }
}
