//! Links that are beams of light.

mod power;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate};
use windtunnel_reading::choice;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::lengths::positive;
use windtunnel_reading::located::{Both, Each, Located};
use windtunnel_reading::timers::{above_zero, sampling};
use windtunnel_reading::units::{Length, Measured, milliseconds};

use crate::keys::Keys;
use crate::optical::{self, OpticalPlan, TurbulencePlan, fog};
use crate::pace::Pace;
use crate::weather::{Visibility, Weather};
use power::Power;

/// The wavelengths that the fog models are for, in metres.
const WAVELENGTHS: std::ops::RangeInclusive<f64> = 400e-9..=2.4e-6;
/// Stronger turbulence than any that was measured, in m^(−2/3).
const MOST_STRUCTURE: f64 = 1e-9;

/// A link that is a beam of light.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpticalKeys {
    /// A beam of light through free air.
    optical: Located<Optical>,
}

/// An optical link, with its power.
type Optical = Both<Beam, Power>;

/// A free-space optical link. It sends at its rate while the received power is not below the
/// receiver's sensitivity. Fog and turbulence attenuate both directions alike. A value that may
/// differ by direction is one for both, or an array of two: for what the first node sends, and for
/// what the second node sends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Optical")]
pub(crate) struct Beam {
    /// How fast it sends.
    rate: Each<Measured<Rate>>,
    /// The light's wavelength: 400 nm to 2400 nm.
    wavelength: Located<Measured<Length>>,
    /// From one end to the other.
    distance: Located<Measured<Length>>,
    /// How far one can see, at 2 % contrast: a length, or a file; default: 50 km.
    #[serde(default = "very_clear")]
    visibility: Weather<Visibility>,
    /// How the attenuation by fog depends on the wavelength.
    #[serde(default)]
    fog_model: FogModel,
    /// Turbulence, which lets the received power fluctuate; default: none.
    turbulence: Option<Turbulence>,
    /// What happens to packets while too little power is received.
    #[serde(default)]
    outage: Outage,
    /// How often the channel is sampled, while fog or turbulence change it.
    #[serde(default = "milliseconds::<1>")]
    period: Located<Measured<Duration>>,
}

fn very_clear() -> Weather<Visibility> {
    Weather::Constant(50e3)
}

choice! {
    /// How the attenuation by fog depends on the wavelength.
    FogModel as fog::FogModel {
        /// Kim's model: below 500 m of visibility, the same at any wavelength.
        Kim,
        /// Kruse's: less at longer wavelengths in any fog.
        Kruse,
    }
}

choice! {
    /// What happens to packets while less power is received than the receiver needs.
    Outage as optical::Outage {
        /// They are sent, and lost.
        Lose,
        /// They wait in the queue until there is enough power again.
        Wait,
    }
}

/// The turbulence of the air, uniform along the path: the received power follows a Gamma–Gamma
/// distribution, for a plane wave and a receiver of no extent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Turbulence {
    /// The refractive-index structure parameter Cn², in m^(−2/3): from 1e-17, weak, to 1e-12,
    /// strong.
    structure: Located<f64>,
    /// The time after which the autocorrelation of large and of small eddies is 1/e; usually
    /// 1 ms to 10 ms.
    #[serde(default = "milliseconds::<5>")]
    coherence: Located<Measured<Duration>>,
}

impl Keys for OpticalKeys {
    fn pace(&self, files: &mut Files<'_>, duration: Duration) -> Result<Pace, Mistake> {
        let Both { common, own } = &self.optical.value;
        let plan = OpticalPlan {
            wavelength: common.wavelength()?,
            distance: positive(&common.distance, "distance", "150 m")?,
            power: own.plan()?,
            visibility: common.visibility.plan(files)?,
            fog: common.fog_model.into(),
            turbulence: common.turbulence.as_ref().map(Turbulence::plan).transpose()?,
            outage: common.outage.into(),
            period: sampling(&common.period, duration)?,
        };
        let rates = common.rate.0.map(|it| it.0);
        Ok(Pace { channel: Some(Arc::new(plan)), ..Pace::of(rates) })
    }
}

impl Beam {
    fn wavelength(&self) -> Result<f64, Mistake> {
        let metres = self.wavelength.value.0.0;
        self.wavelength.checked(
            |_| WAVELENGTHS.contains(&metres),
            || format!("the fog models do not hold for a wavelength of {} nm", metres * 1e9),
            "write one from \"400 nm\" to \"2400 nm\"",
        )?;
        Ok(metres)
    }
}

impl Turbulence {
    fn plan(&self) -> Result<TurbulencePlan, Mistake> {
        let structure = self.structure.value;
        let help = "write Cn² in m^(−2/3), such as structure = 1e-14";
        let negative = || "`structure` must not be negative".to_owned();
        self.structure.checked(|_| structure >= 0.0 || structure.is_nan(), negative, help)?;
        self.structure.checked(
            |_| structure <= MOST_STRUCTURE,
            || format!("`structure` must be at most {MOST_STRUCTURE:e}, not {structure:e}"),
            help,
        )?;
        let coherence = above_zero(&self.coherence, "coherence")?;
        Ok(TurbulencePlan { structure, coherence })
    }
}
