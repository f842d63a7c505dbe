//! Data without end.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::Workload;
use windtunnel_engine::Rate;

use crate::reading::units::Measured;

/// Data without end.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bulk {
    /// How fast the application hands it over; default: without limit.
    rate: Option<Measured<Rate>>,
}

/// Data without end, at the rate of a flow over UDP.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Steady {}

impl Bulk {
    pub(super) fn plan(&self) -> Workload {
        Workload::Bulk { rate: self.rate.map(|it| it.0) }
    }
}
