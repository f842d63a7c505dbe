//! Rate adaptation.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::schema::short_forms;
use windtunnel_reading::units::{Measured, Power};

use crate::fixed_wireless::{self, Ladder, Mcs};

/// Which modulation and coding scheme is used.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "RateAdaptation", tag = "kind", transform = short_forms)]
pub(super) enum Adaptation {
    /// The fastest that the SNR allows: a faster one from 1 dB above what it needs on, a slower
    /// one from 0.5 dB below what the present one needs on.
    Snr(Snr),
    /// Always the same.
    Fixed(Fixed),
    /// As Terragraph's: by the share of packets that are expected to have errors in each superframe
    /// of 1.6 ms; in balance one of 201 is. A direction without traffic for 200 ms uses the one
    /// that the SNR allows, but at most MCS 9, until there is traffic again.
    Error(ByError),
    /// As Minstrel: the one with the greatest throughput, by the success of packets that probe
    /// each; the time of the probes is not counted.
    Minstrel(Minstrel),
}

/// The fastest that the SNR allows, with hysteresis.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Snr {}

/// Always the same.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FixedScheme")]
pub(super) struct Fixed {
    /// The scheme: 1 to 12.
    mcs: Located<u16>,
}

/// By the share of packets that are wrong.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ByError {
    /// Lowers the transmitted power while the SNR is more than enough for the fastest scheme;
    /// default: the power is always that of `eirp`.
    power_control: Option<PowerControl>,
}

/// Control of the transmitted power, in steps of 1 dB.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PowerControl {
    /// The least EIRP of each end; the greatest is that of `eirp`, with which it begins.
    minimum_eirp: Located<Measured<Power>>,
}

impl PowerControl {
    fn plan(&self, eirp: [f64; 2]) -> Result<f64, Mistake> {
        let (least, most) = (self.minimum_eirp.value.0.0, eirp[0].min(eirp[1]));
        self.minimum_eirp.checked(
            |_| least <= most,
            || format!("`minimum_eirp`, {least} dBm, is above `eirp`, {most} dBm"),
            &format!("write \"{most} dBm\" or less"),
        )?;
        Ok(least)
    }
}

/// By the success of each scheme.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Minstrel {}

impl Default for Adaptation {
    fn default() -> Self {
        Self::Snr(Snr::default())
    }
}

impl Adaptation {
    /// Of a link whose directions have these greatest EIRPs, in dBm.
    pub(super) fn plan(&self, eirp: [f64; 2]) -> Result<fixed_wireless::Adaptation, Mistake> {
        Ok(match self {
            Self::Snr(_) => fixed_wireless::Adaptation::BySnr,
            Self::Fixed(it) => fixed_wireless::Adaptation::Fixed(scheme(&it.mcs)?),
            Self::Error(it) => {
                let minimum_eirp = it.power_control.as_ref().map(|it| it.plan(eirp)).transpose()?;
                fixed_wireless::Adaptation::ByError { minimum_eirp }
            }
            Self::Minstrel(_) => fixed_wireless::Adaptation::Minstrel,
        })
    }

    /// The fastest scheme that it may use.
    pub(super) fn fastest(&self, ladder: &Ladder) -> Result<&'static Mcs, Mistake> {
        match self {
            Self::Fixed(it) => scheme(&it.mcs),
            Self::Snr(_) | Self::Error(_) | Self::Minstrel(_) => Ok(ladder.best_at(f64::INFINITY)),
        }
    }
}

/// The scheme of an index.
pub(super) fn scheme(index: &Located<u16>) -> Result<&'static Mcs, Mistake> {
    let scheme = u8::try_from(index.value).ok().and_then(Mcs::of);
    scheme.ok_or_else(|| {
        let message = format!("there is no MCS {} with data on a single carrier", index.value);
        index.mistake(message).help("write 1 to 12")
    })
}
