//! The marking of NFD's link service.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_queues::{Discipline, QueueLimit};

use super::common::packets;
use crate::error::Mistake;
use crate::located::Located;
use crate::timers::above_zero;
use crate::units::{Bytes, Measured, bytes, milliseconds};

/// Drop-tail with the marking of NFD's link service.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkService {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// How much may wait before it marks.
    #[serde(default = "bytes::<65_536>")]
    threshold: Located<Measured<Bytes>>,
    /// The time between the first two marks.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
}

impl LinkService {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let interval = above_zero(&self.interval, "interval")?;
        let threshold = self.threshold.value.0.0;
        Ok(Discipline::LinkService(windtunnel_queues::LinkService::new(threshold, interval)))
    }
}
