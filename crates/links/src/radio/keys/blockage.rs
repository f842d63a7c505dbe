//! What passes between the user and the station.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_reading::decibels::not_negative;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::{above_zero, zero};
use windtunnel_reading::units::{Decibels, Measured};

use crate::radio::BlockagePlan;

/// More frequent ones would take all the simulation's time.
const LEAST_BETWEEN: Duration = Duration::from_millis(1);

/// Obstacles between the user and the station, such as people and cars.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Blockage {
    /// The mean time from the end of one to the next, exponentially distributed; at
    /// least 1 ms.
    every: Located<Measured<Duration>>,
    /// The mean time at full loss, exponentially distributed.
    lasts: Located<Measured<Duration>>,
    /// The full loss.
    loss: Located<Measured<Decibels>>,
    /// How long the loss takes to rise, and to fall.
    #[serde(default = "zero")]
    edge: Located<Measured<Duration>>,
}

impl Blockage {
    pub(super) fn plan(&self) -> Result<BlockagePlan, Mistake> {
        let every = self.every.value.0;
        self.every.checked(
            |_| every >= LEAST_BETWEEN,
            || format!("`every` must be at least {LEAST_BETWEEN}, not {every}"),
            &format!("write {LEAST_BETWEEN} or more"),
        )?;
        Ok(BlockagePlan {
            every,
            lasts: above_zero(&self.lasts, "lasts")?,
            loss: not_negative(&self.loss, "loss")?,
            edge: self.edge.value.0,
        })
    }
}
