//! From SINR to spectral efficiency.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_reading::decibels::not_negative;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::schema::short_forms;
use windtunnel_reading::units::{Decibels, Measured, Share, SpectralEfficiency, decibels, percent};

use crate::radio;

/// From SINR to spectral efficiency.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Efficiency", tag = "kind", transform = short_forms)]
pub(crate) enum Efficiency {
    /// A share of Shannon's law, up to a maximum (3GPP TR 36.942, annex A.2).
    Shannon(Shannon),
    /// The greatest of 3GPP TS 38.214's table 5.2.2.1-2 that Shannon's law allows.
    Cqi(Cqi),
    /// The same with table 5.2.2.1-3, which reaches 256-QAM.
    #[serde(rename = "cqi-256qam")]
    Cqi256(Cqi),
}

/// A share of Shannon's law; the defaults are the downlink's of 3GPP TR 36.942, annex
/// A.2.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shannon {
    /// The share of Shannon's law.
    #[serde(default = "percent::<60>")]
    share: Measured<Share>,
    /// The maximum spectral efficiency.
    #[serde(default = "maximum")]
    maximum: Measured<SpectralEfficiency>,
    /// The SINR below which nothing gets through.
    #[serde(default = "decibels::<-10>")]
    minimum_sinr: Located<Measured<Decibels>>,
}

/// The greatest of a table of 3GPP TS 38.214 that Shannon's law allows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cqi {
    /// By how much the SINR counts as less. The default is for a bit error rate of 5 in
    /// 100,000.
    #[serde(default = "gap")]
    gap: Located<Measured<Decibels>>,
}

fn maximum() -> Measured<SpectralEfficiency> {
    Measured(SpectralEfficiency(4.4))
}

/// `-ln(5 * 5e-5) / 1.5` (Goldsmith and Chua 1997).
fn gap() -> Located<Measured<Decibels>> {
    Measured(Decibels(7.43)).into()
}

impl Default for Efficiency {
    fn default() -> Self {
        let (share, maximum, minimum_sinr) = (percent::<60>(), maximum(), decibels::<-10>());
        Self::Shannon(Shannon { share, maximum, minimum_sinr })
    }
}

impl Efficiency {
    pub(super) fn plan(&self) -> Result<radio::Efficiency, Mistake> {
        Ok(match self {
            Self::Shannon(it) => radio::Efficiency::Shannon {
                share: it.share.0.0,
                maximum: it.maximum.0.0,
                minimum_sinr: it.minimum_sinr.value.0.0,
            },
            Self::Cqi(it) => radio::Efficiency::Cqi { gap: not_negative(&it.gap, "gap")? },
            Self::Cqi256(it) => radio::Efficiency::Cqi256 { gap: not_negative(&it.gap, "gap")? },
        })
    }
}
