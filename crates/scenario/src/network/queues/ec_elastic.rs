//! The queue of EC-Elastic.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_queues::{Discipline, EcElasticQueue, QueueLimit};

use super::common::packets;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::timers::above_zero;
use crate::reading::units::{Measured, milliseconds};

/// The queue of EC-Elastic as printed: it marks every packet above a target, and never drops.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EcElastic {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long after the first packet above the target it begins to mark.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
}

impl EcElastic {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let interval = above_zero(&self.interval, "interval")?;
        Ok(Discipline::EcElasticQueue(EcElasticQueue::new(self.target.value.0, interval)))
    }
}
