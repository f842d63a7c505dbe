//! The order in which packets pass the destination edge of a bridge.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_networks::bridge;

use crate::reading::schema::short_forms;
use crate::reading::units::{Bytes, Measured};

/// The order in which packets pass.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Order", tag = "kind", transform = short_forms)]
pub(super) enum Order {
    /// At once, as they come.
    AsTheyCome(AsTheyCome),
    /// A connection's segments after a gap wait until it is filled.
    InOrder(InOrder),
}

/// At once, as they come.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AsTheyCome {}

/// A connection's segments after a gap wait until it is filled.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InOrder {
    /// How long a segment waits at most.
    patience: Measured<Duration>,
    /// How many bytes wait at most; default: as many as the bridge's `buffer`.
    buffer: Option<Measured<Bytes>>,
}

impl Default for Order {
    fn default() -> Self {
        Self::AsTheyCome(AsTheyCome {})
    }
}

impl Order {
    pub(super) fn plan(&self, buffer: u64) -> bridge::Order {
        match self {
            Self::AsTheyCome(_) => bridge::Order::AsTheyCome,
            Self::InOrder(it) => bridge::Order::InOrder {
                patience: it.patience.0,
                buffer: it.buffer.map_or(buffer, |it| it.0.0),
            },
        }
    }
}
