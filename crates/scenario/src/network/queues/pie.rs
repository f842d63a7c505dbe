//! Proportional integral controller enhanced.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_queues::{Discipline, PieSettings, QueueLimit};

use super::common::{Action, MAXIMUM_PACKET, alpha, drop, packets, update};
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::timers::above_zero;
use crate::reading::units::{Frequency, Measured, millihertz, milliseconds};

/// Proportional integral controller enhanced (RFC 8033).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pie {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "drop")]
    action: Action,
    /// The queueing delay to hold.
    #[serde(default = "milliseconds::<15>")]
    target: Located<Measured<Duration>>,
    /// How often the probability is updated.
    #[serde(default = "milliseconds::<15>")]
    update: Located<Measured<Duration>>,
    /// How much the probability changes with the excess of the delay.
    #[serde(default = "millihertz::<125>")]
    alpha: Located<Measured<Frequency>>,
    /// How much it changes with the growth of the delay.
    #[serde(default = "millihertz::<1250>")]
    beta: Located<Measured<Frequency>>,
    /// How long a burst passes untouched.
    #[serde(default = "milliseconds::<150>")]
    burst: Located<Measured<Duration>>,
}

impl Pie {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        Ok(Discipline::Pie(PieSettings {
            action: self.action.into(),
            target: above_zero(&self.target, "target")?,
            update: update(&self.update)?,
            alpha: alpha(&self.alpha)?,
            beta: self.beta.value.0.0,
            burst: self.burst.value.0,
            maximum_packet: MAXIMUM_PACKET,
        }))
    }
}
