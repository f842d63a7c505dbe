//! Times that are all alike, or that vary.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_applications::Period;
use windtunnel_engine::Duration;

/// Whether times are all alike.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Periods {
    /// Times are fixed.
    #[default]
    Fixed,
    /// They are exponentially distributed.
    Exponential,
}

impl Periods {
    /// Times with that mean.
    pub(crate) fn of(self, mean: Duration) -> Period {
        match self {
            Self::Fixed => Period::Fixed(mean),
            Self::Exponential => Period::Exponential(mean),
        }
    }
}
