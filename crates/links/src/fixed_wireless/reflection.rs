//! A second ray that calm water reflects.

use libm::{atan2, cos, exp, hypot, log10, pow, sin};

use super::beam::End;
use crate::radio::propagation::LIGHT;

/// Water, or flat ground, between both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reflection {
    /// How high each end is above it.
    pub heights: [f64; 2],
    /// The share of the field strength that it reflects while it is smooth: 0 to 1.
    pub coefficient: f64,
    /// The standard deviation of its surface's height.
    pub roughness: f64,
}

/// Where the second ray goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondRay {
    /// How much longer than the direct one it is.
    pub detour: f64,
    /// The angle between it and the water.
    pub grazing: f64,
    /// How far below the direct ray each end sees it.
    pub below: [f64; 2],
}

impl Reflection {
    /// The second ray over a distance from antenna to antenna, by reflection at a plane.
    #[must_use]
    pub fn ray(&self, distance: f64) -> SecondRay {
        let [first, second] = self.heights;
        let ground = (distance * distance - (second - first) * (second - first)).max(0.0).sqrt();
        let degrees = |height: f64| atan2(height, ground).to_degrees();
        let (grazing, tilt) = (degrees(first + second), degrees(second - first));
        let detour = hypot(ground, first + second) - distance;
        SecondRay { detour, grazing, below: [grazing + tilt, grazing - tilt] }
    }

    /// What both rays together have more than the direct one alone, in dB: the second one is
    /// weaker by the reflection, and where the antennas do not look at the water, and it is
    /// turned by half a wavelength. Rough water reflects less of it (Ament, "Toward a theory of
    /// reflection by a rough surface", Proceedings of the IRE 41(1), 1953).
    #[must_use]
    pub fn gain(&self, distance: f64, carrier: f64, ends: &[End; 2]) -> f64 {
        let ray = self.ray(distance);
        let number = 2.0 * std::f64::consts::PI * carrier / LIGHT;
        let phase_of_roughness = 2.0 * number * self.roughness * sin(ray.grazing.to_radians());
        let rough = exp(-phase_of_roughness * phase_of_roughness / 2.0);
        let aside = |end: usize| ends[end].loss(-ray.below[end]) - ends[end].loss(0.0);
        let antennas = pow(10.0, -(aside(0) + aside(1)) / 20.0);
        let spread = distance / (distance + ray.detour);
        let second = -self.coefficient * rough * antennas * spread;
        let phase = number * ray.detour;
        let power = 1.0 + second * second + 2.0 * second * cos(phase);
        10.0 * log10(power)
    }
}
