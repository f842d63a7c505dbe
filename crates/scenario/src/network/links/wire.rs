//! Links that send at a rate.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Rate;

use crate::network::pace::Pace;
use crate::reading::located::Each;
use crate::reading::units::Measured;

/// A link that sends at a rate.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wire {
    /// How fast it sends.
    rate: Each<Measured<Rate>>,
}

impl Wire {
    pub(super) fn pace(&self) -> Pace {
        Pace::of(self.rate.0.map(|it| it.0))
    }
}
