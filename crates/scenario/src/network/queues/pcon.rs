//! The marking queue of PCON.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_queues::{Discipline, QueueLimit};

use super::common::packets;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::timers::above_zero;
use crate::reading::units::{Measured, milliseconds};

/// The marking queue of PCON: controlled delay that marks and never drops.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pcon {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
}

impl Pcon {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let interval = above_zero(&self.interval, "interval")?;
        Ok(Discipline::Pcon(windtunnel_queues::Pcon::new(self.target.value.0, interval)))
    }
}
