//! Path loss: street canyon, diffraction, and the noise that it is measured against.
//!
//! TR 38.901, section 7.4, urban micro cell in a street canyon; ITU-R P.526-15,
//! section 4.1, a single knife edge. Lengths are in metres, frequencies in hertz,
//! losses in dB.

use libm::{exp, hypot, log10, pow};

/// The speed of light, in m/s.
pub(crate) const LIGHT: f64 = 299_792_458.0;
/// The same as TR 38.901 has it for the breakpoint distance.
const LIGHT_OF_BREAKPOINT: f64 = 3.0e8;
/// What stands in the street takes this much off the antennas' heights (TR 38.901,
/// table 7.4.1-1, note 1).
const ENVIRONMENT_HEIGHT: f64 = 1.0;
const LEAST_HEIGHT: f64 = 1.5;
const LEAST_DISTANCE: f64 = 1.0;
/// The thermal noise in one hertz at 290 K, in dBm.
const THERMAL_NOISE: f64 = -174.0;
/// Below this parameter a knife edge takes nothing.
const CLEAR: f64 = -0.78;

/// Where a station's antenna and the user's stand towards each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Antennas {
    ground: f64,
    station: f64,
    user: f64,
}

impl Antennas {
    /// A station and a user of these heights at a distance along the ground, in
    /// metres. Path losses are stated for heights from 1.5 m; a lower antenna is
    /// taken to be as high as that.
    #[must_use]
    pub fn new(ground: f64, station: f64, user: f64) -> Self {
        Self { ground, station: station.max(LEAST_HEIGHT), user: user.max(LEAST_HEIGHT) }
    }

    /// The straight line from one to the other, in metres. What is nearer than one
    /// metre, where the path loss is that of free space, is taken to be as far.
    #[must_use]
    pub fn distance(&self) -> f64 {
        hypot(self.ground, self.station - self.user).max(LEAST_DISTANCE)
    }

    /// From this distance along the ground on, the reflection from the ground tells
    /// (TR 38.901, table 7.4.1-1, note 1), in metres.
    fn breakpoint(&self, carrier: f64) -> f64 {
        let heights = (self.station - ENVIRONMENT_HEIGHT) * (self.user - ENVIRONMENT_HEIGHT);
        4.0 * heights * carrier / LIGHT_OF_BREAKPOINT
    }

    /// The path loss with line of sight, in dB (TR 38.901, table 7.4.1-1, UMi).
    #[must_use]
    pub fn line_of_sight_loss(&self, carrier: f64) -> f64 {
        let (distance, breakpoint) = (log10(self.distance()), self.breakpoint(carrier));
        let at_one_metre = 32.4 + 20.0 * log10(carrier / 1e9);
        if self.ground <= breakpoint {
            return at_one_metre + 21.0 * distance;
        }
        let seam = hypot(breakpoint, self.station - self.user);
        at_one_metre + 40.0 * distance - 19.0 * log10(seam)
    }

    /// The path loss without line of sight, in dB (TR 38.901, table 7.4.1-1, UMi).
    #[must_use]
    pub fn obstructed_loss(&self, carrier: f64) -> f64 {
        let loss = 22.4 + 35.3 * log10(self.distance()) + 21.3 * log10(carrier / 1e9)
            - 0.3 * (self.user - 1.5);
        loss.max(self.line_of_sight_loss(carrier))
    }
}

/// The probability of a line of sight over a distance along the ground (TR 38.901,
/// table 7.4.2-1, UMi, outdoors).
#[must_use]
pub fn line_of_sight_probability(ground: f64) -> f64 {
    const CERTAIN: f64 = 18.0;
    if ground <= CERTAIN {
        return 1.0;
    }
    CERTAIN / ground + exp(-ground / 36.0) * (1.0 - CERTAIN / ground)
}

/// The standard deviation of the shadowing, in dB (TR 38.901, table 7.4.1-1, UMi).
#[must_use]
pub fn shadowing_deviation(line_of_sight: bool) -> f64 {
    if line_of_sight { 4.0 } else { 7.82 }
}

/// The path loss in free space (ITU-R P.525-4, equation 4), in dB.
#[must_use]
pub fn free_space_loss(distance: f64, carrier: f64) -> f64 {
    20.0 * log10(4.0 * std::f64::consts::PI * distance * carrier / LIGHT)
}

/// The noise of a receiver in a bandwidth in hertz, in dBm.
#[must_use]
pub fn noise(bandwidth: f64, noise_figure: f64) -> f64 {
    THERMAL_NOISE + 10.0 * log10(bandwidth) + noise_figure
}

/// The parameter ν of a knife edge (ITU-R P.526-15, section 4.1), by the definition
/// of Fresnel's zones: ν = 2√(Δ/λ), where Δ is by how many metres the way over the
/// edge is longer than the straight line. An edge that does not reach the line has a
/// negative `detour`, and a negative parameter. For an edge little off the line it
/// is the equation (26) of the recommendation.
#[must_use]
pub fn diffraction_parameter(detour: f64, carrier: f64) -> f64 {
    (2.0 * (detour.abs() * carrier / LIGHT).sqrt()).copysign(detour)
}

/// The loss J(ν) over a knife edge, in dB (ITU-R P.526-15, equation 31): none far
/// off the edge, 6 dB where the edge just touches the line.
#[must_use]
pub fn knife_edge_loss(parameter: f64) -> f64 {
    if parameter <= CLEAR {
        return 0.0;
    }
    let from = parameter - 0.1;
    (6.9 + 20.0 * log10(hypot(from, 1.0) + from)).max(0.0)
}

/// A power ratio of this many dB.
#[must_use]
pub(super) fn from_decibels(decibels: f64) -> f64 {
    pow(10.0, decibels / 10.0)
}

/// A power ratio in dB.
#[must_use]
pub(super) fn to_decibels(ratio: f64) -> f64 {
    10.0 * log10(ratio)
}
