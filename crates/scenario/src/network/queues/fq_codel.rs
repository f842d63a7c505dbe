//! A queue for each flow, with controlled delay.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_queues::{Discipline, FqCoDelSettings, QueueLimit};

use super::codel;
use super::common::{Action, mark, packets};
use crate::reading::error::Mistake;
use crate::reading::located::{Located, number};
use crate::reading::units::{Bytes, Measured, bytes, milliseconds};

/// With less a flow would need many turns for one packet; with more, flows would no
/// longer share.
const QUANTA: std::ops::Range<u64> = 64..1 << 20;

/// A queue for each flow, with controlled delay (RFC 8290).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FqCoDel {
    /// How much may wait in all queues together.
    #[serde(default = "packets::<10_240>")]
    pub(super) limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "mark")]
    action: Action,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// The sojourn time above which every ECN-capable packet is marked; default: none.
    ce_threshold: Option<Measured<Duration>>,
    /// How many queues flows are hashed to.
    #[serde(default = "number::<1024>")]
    flows: Located<u16>,
    /// How many bytes a queue may send in one turn.
    #[serde(default = "bytes::<1514>")]
    quantum: Located<Measured<Bytes>>,
}

impl FqCoDel {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let Self { action, target, interval, ce_threshold, .. } = self;
        let codel = codel::settings(*action, target, interval, *ce_threshold)?;
        let (flows, quantum) = (flows(&self.flows)?, quantum(&self.quantum)?);
        Ok(Discipline::FqCoDel(FqCoDelSettings { codel, flows, quantum }))
    }
}

/// How many queues flows are hashed to.
pub(super) fn flows(flows: &Located<u16>) -> Result<u16, Mistake> {
    flows.checked(
        |it| *it > 0,
        || "`flows` must be at least 1".to_owned(),
        "write one such as flows = 1024",
    )?;
    Ok(flows.value)
}

/// How many bytes a queue may send in one turn.
pub(super) fn quantum(quantum: &Located<Measured<Bytes>>) -> Result<u32, Mistake> {
    quantum.checked(
        |it| QUANTA.contains(&it.0.0),
        || "`quantum` must be from 64 B to 1 MiB".to_owned(),
        "write one such as quantum = \"1514 B\"",
    )?;
    Ok(quantum.value.0.0 as u32)
}
