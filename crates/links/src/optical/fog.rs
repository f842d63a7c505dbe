//! What fog takes from a beam of light, by how far one can see in it.
//!
//! Kruse, McGlauchlin and McQuistan, Elements of Infrared Technology, 1962; Kim, McArthur and
//! Korevaar, "Comparison of laser beam propagation at 785 nm and 1550 nm in fog and haze",
//! Proc. SPIE 4214, 2001.

use libm::{cbrt, log10, pow};

/// The contrast that an eye just sees: at the distance of the visibility, such a share is left
/// of green light.
const CONTRAST: f64 = 0.02;
/// That light's wavelength, in metres.
const GREEN: f64 = 550e-9;

/// A model of what fog takes at other wavelengths than an eye sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FogModel {
    /// Kim's: below 500 m of visibility, all wavelengths lose the same.
    Kim,
    /// Kruse's: longer waves lose less in any fog.
    Kruse,
}

impl FogModel {
    /// What is lost, in dB/km, at a wavelength and a visibility in metres.
    #[must_use]
    pub fn attenuation(self, wavelength: f64, visibility: f64) -> f64 {
        let kilometres = visibility / 1e3;
        let of_green = -10.0 * log10(CONTRAST) / kilometres;
        of_green * pow(wavelength / GREEN, -self.exponent(kilometres))
    }

    /// The exponent q of the wavelength, by the visibility in kilometres.
    fn exponent(self, visibility: f64) -> f64 {
        match self {
            _ if visibility > 50.0 => 1.6,
            _ if visibility > 6.0 => 1.3,
            Self::Kruse => 0.585 * cbrt(visibility),
            Self::Kim if visibility > 1.0 => 0.16 * visibility + 0.34,
            Self::Kim => (visibility - 0.5).max(0.0),
        }
    }
}
