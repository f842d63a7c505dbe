//! What an optical link receives in clear air.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_reading::decibels::not_negative;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::lengths::positive;
use windtunnel_reading::located::{Each, Located};
use windtunnel_reading::units::{self, Angle, Decibels, Length, Measured, decibels};

use crate::optical::{OpticalParts, OpticalPower};

/// What is received in clear air.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "key")]
#[schemars(untagged)]
pub(super) enum Power {
    /// What follows from the link's parts.
    #[serde(rename = "transmit_power")]
    Parts(Parts),
    /// So much more than the receiver needs.
    #[serde(rename = "margin")]
    Margin(Margin),
}

/// A margin, where the parts of the link are not known.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Margin {
    /// By how much the received power in clear air is above the receiver's sensitivity.
    margin: Each<Located<Measured<Decibels>>>,
}

/// The parts of an optical link.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Parts {
    /// The transmitted power.
    transmit_power: Each<Measured<units::Power>>,
    /// The diameter of the beam where it leaves the transmitter; default: a point.
    transmitter_aperture: Option<Located<Measured<Length>>>,
    /// The full angle by which the beam widens.
    divergence: Located<Measured<Angle>>,
    /// The diameter of the receiver's lens.
    receiver_aperture: Located<Measured<Length>>,
    /// The loss by lenses, windows and imperfect pointing.
    #[serde(default = "decibels::<0>")]
    optics_loss: Located<Measured<Decibels>>,
    /// The power that the receiver needs.
    sensitivity: Each<Measured<units::Power>>,
}

impl Power {
    pub(super) fn plan(&self) -> Result<OpticalPower, Mistake> {
        match self {
            Self::Parts(it) => it.plan().map(OpticalPower::Parts),
            Self::Margin(Margin { margin: Each([there, back]) }) => {
                let margin = |it| not_negative(it, "margin");
                Ok(OpticalPower::Margin([margin(there)?, margin(back)?]))
            }
        }
    }
}

impl Parts {
    fn plan(&self) -> Result<OpticalParts, Mistake> {
        let transmitter = self.transmitter_aperture.as_ref();
        let transmitter = transmitter.map(|it| positive(it, "transmitter_aperture", "20 mm"));
        Ok(OpticalParts {
            transmit_power: self.transmit_power.0.map(|it| it.0.0),
            transmitter_aperture: transmitter.transpose()?.unwrap_or(0.0),
            divergence: self.divergence()?,
            receiver_aperture: positive(&self.receiver_aperture, "receiver_aperture", "20 mm")?,
            optics_loss: not_negative(&self.optics_loss, "optics_loss")?,
            sensitivity: self.sensitivity.0.map(|it| it.0.0),
        })
    }

    /// In radians.
    fn divergence(&self) -> Result<f64, Mistake> {
        let degrees = self.divergence.value.0.0;
        self.divergence.checked(
            |_| degrees > 0.0 && degrees < 90.0,
            || format!("a divergence of {degrees}° is out of range"),
            "write one such as divergence = \"0.3 mrad\"",
        )?;
        Ok(degrees.to_radians())
    }
}
