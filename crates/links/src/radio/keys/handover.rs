//! When the user changes from one station to another.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_reading::decibels::not_negative;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Decibels, Measured, decibels, milliseconds};

use crate::radio::HandoverPlan;

/// When the user changes from one station to another (3GPP TS 38.331, event A3).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Handover {
    /// By how much the other must be better.
    #[serde(default = "decibels::<3>")]
    margin: Located<Measured<Decibels>>,
    /// For how long it must be better.
    #[serde(default = "milliseconds::<160>")]
    after: Located<Measured<Duration>>,
    /// How long nothing is sent during the change.
    #[serde(default = "milliseconds::<50>")]
    interruption: Located<Measured<Duration>>,
}

impl Default for Handover {
    fn default() -> Self {
        Self {
            margin: decibels::<3>(),
            after: milliseconds::<160>(),
            interruption: milliseconds::<50>(),
        }
    }
}

impl Handover {
    pub(super) fn plan(&self) -> Result<HandoverPlan, Mistake> {
        Ok(HandoverPlan {
            margin: not_negative(&self.margin, "margin")?,
            after: self.after.value.0,
            interruption: self.interruption.value.0,
        })
    }
}
