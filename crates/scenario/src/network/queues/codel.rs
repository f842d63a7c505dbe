//! Controlled delay.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_queues::{CoDelSettings, Discipline, QueueLimit};

use super::common::{Action, MAXIMUM_PACKET, drop, packets};
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::timers::above_zero;
use crate::reading::units::{Measured, milliseconds};

/// Controlled delay (RFC 8289).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoDel {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "drop")]
    action: Action,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// The sojourn time above which every ECN-capable packet is marked; default: none.
    ce_threshold: Option<Measured<Duration>>,
}

impl CoDel {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let Self { action, target, interval, ce_threshold, .. } = self;
        settings(*action, target, interval, *ce_threshold).map(Discipline::CoDel)
    }
}

/// What all queues with controlled delay have.
pub(super) fn settings(
    action: Action,
    target: &Located<Measured<Duration>>,
    interval: &Located<Measured<Duration>>,
    ce_threshold: Option<Measured<Duration>>,
) -> Result<CoDelSettings, Mistake> {
    Ok(CoDelSettings {
        action: action.into(),
        target: target.value.0,
        interval: above_zero(interval, "interval")?,
        maximum_packet: MAXIMUM_PACKET,
        ce_threshold: ce_threshold.map(|it| it.0),
    })
}
