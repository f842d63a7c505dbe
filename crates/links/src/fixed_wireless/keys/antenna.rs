//! The antennas of a fixed radio link.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_reading::choice;
use windtunnel_reading::decibels::not_negative;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::lengths::positive;
use windtunnel_reading::located::{Each, Located};
use windtunnel_reading::schema::short_forms;
use windtunnel_reading::units::{Angle, Decibels, Gain, Length, Measured, decibels};

use crate::fixed_wireless::{
    self, AntennaPattern, Beam, greatest_gain, greatest_gain_of_dish, in_wavelengths,
};

/// An antenna.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Antenna", tag = "kind", transform = short_forms)]
pub(super) enum Antenna {
    /// A Gaussian beam.
    Gaussian(Gaussian),
    /// A dish with the peaks of side lobes of ITU-R F.699, for the worst case.
    F699(Dish),
    /// A dish with the mean side lobes of ITU-R F.1245.
    F1245(Dish),
}

/// A Gaussian beam: at half of its width from the axis it loses 3 dB, and beyond it at most
/// what the first side lobe of a dish of that gain does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GaussianAntenna")]
pub(super) struct Gaussian {
    /// The gain on the axis.
    gain: Located<Measured<Gain>>,
    /// The full width of the beam, between the points of half the power.
    beam_width: Located<Measured<Angle>>,
}

/// A dish.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Dish {
    /// The gain on the axis.
    gain: Located<Measured<Gain>>,
    /// The diameter that radiates.
    diameter: Located<Measured<Length>>,
}

/// The beams of phased arrays at both ends, as Terragraph's codebooks have them: beam 30 is on
/// the antenna's axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Beams {
    /// Where the beams are.
    #[serde(default)]
    codebook: Codebook,
    /// How far from the axis the outermost beam points.
    scan: Located<Measured<Angle>>,
    /// What that loses against the middle one; others less, by the square of their angle.
    #[serde(default = "decibels::<2>")]
    scan_loss: Located<Measured<Decibels>>,
    /// Which beam each end uses; default: the one that receives most.
    index: Option<Each<Located<u16>>>,
}

choice! {
    /// Where the beams of a phased array are.
    Codebook as fixed_wireless::Codebook {
        /// 61 beams beside each other, 0 to 60.
        Line,
        /// Three rows of 20 beams: 0 to 19 below the axis, 20 to 39 at its height, 40 to 59
        /// above.
        Rows,
    }
}

impl Antenna {
    pub(super) fn plan(&self, carrier: f64) -> Result<fixed_wireless::Antenna, Mistake> {
        match self {
            Self::Gaussian(it) => it.plan(),
            Self::F699(it) => it.plan(carrier, |diameter| AntennaPattern::F699 { diameter }),
            Self::F1245(it) => it.plan(carrier, |diameter| AntennaPattern::F1245 { diameter }),
        }
    }
}

impl Gaussian {
    fn plan(&self) -> Result<fixed_wireless::Antenna, Mistake> {
        let width = self.beam_width.value.0.0;
        self.beam_width.checked(
            |_| width > 0.0 && width <= 180.0,
            || format!("a beam width of {width}° is out of range"),
            "write one such as beam_width = \"2°\"",
        )?;
        let gain = at_most(&self.gain, greatest_gain(width), || {
            format!("an antenna with a beam of {width}°")
        })?;
        Ok(fixed_wireless::Antenna { gain, pattern: AntennaPattern::Gaussian { width } })
    }
}

impl Dish {
    fn plan(
        &self,
        carrier: f64,
        pattern: fn(f64) -> AntennaPattern,
    ) -> Result<fixed_wireless::Antenna, Mistake> {
        let metres = positive(&self.diameter, "diameter", "0.2 m")?;
        let diameter = in_wavelengths(metres, carrier);
        let dish = || format!("a dish of {metres} m at {} GHz", carrier / 1e9);
        let gain = at_most(&self.gain, greatest_gain_of_dish(diameter), dish)?;
        Ok(fixed_wireless::Antenna { gain, pattern: pattern(diameter) })
    }
}

/// A gain that such an antenna can have.
fn at_most(
    gain: &Located<Measured<Gain>>,
    most: f64,
    antenna: impl FnOnce() -> String,
) -> Result<f64, Mistake> {
    let value = gain.value.0.0;
    gain.checked(
        |_| value <= most,
        || format!("{} has a gain of at most {most:.1} dBi, not {value} dBi", antenna()),
        "write less gain, or a narrower beam or a larger dish",
    )?;
    Ok(value)
}

impl Beams {
    pub(super) fn plan(&self, end: usize) -> Result<Beam, Mistake> {
        let scan = self.scan.value.0.0;
        self.scan.checked(
            |_| scan > 0.0 && scan <= 90.0,
            || format!("a scan of {scan}° is out of range"),
            "write one such as scan = \"3°\"",
        )?;
        let codebook: fixed_wireless::Codebook = self.codebook.into();
        let scan_loss = not_negative(&self.scan_loss, "scan_loss")?;
        let index = self.index.as_ref().map(|it| beam(&it.0[end], codebook)).transpose()?;
        Ok(Beam { codebook, scan, scan_loss, index })
    }
}

/// The index of a beam that there is.
fn beam(index: &Located<u16>, codebook: fixed_wireless::Codebook) -> Result<u8, Mistake> {
    let last = codebook.beams() - 1;
    index.checked(
        |it| *it <= u16::from(last),
        || format!("the codebook has no beam {}", index.value),
        &format!("write 0 to {last}"),
    )?;
    Ok(index.value as u8)
}
