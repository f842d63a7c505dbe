//! Duplicate acknowledgements that return to the hosts of a bridge.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_networks::bridge;

use crate::reading::schema::short_forms;
use crate::reading::units::Measured;

/// What happens to duplicate acknowledgements that return to the hosts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Duplicates", tag = "kind", transform = short_forms)]
pub(super) enum Duplicates {
    /// All are forwarded.
    Pass(Pass),
    /// One is dropped if the source edge is about to resend the missing segment.
    Suppress(Suppress),
}

/// All are forwarded.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pass {}

/// One is dropped if the source edge is about to resend the missing segment.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Suppress {
    /// The time until the acknowledgement of a clone is back at the source edge;
    /// default: twice the delays of the links to the farthest receiver and back.
    round_trip: Option<Measured<Duration>>,
}

impl Default for Duplicates {
    fn default() -> Self {
        Self::Pass(Pass {})
    }
}

impl Duplicates {
    pub(super) fn plan(&self, round_trip: Duration) -> bridge::Duplicates {
        match self {
            Self::Pass(_) => bridge::Duplicates::Pass,
            Self::Suppress(it) => bridge::Duplicates::Suppress {
                round_trip: it.round_trip.map_or(round_trip, |it| it.0),
            },
        }
    }
}
