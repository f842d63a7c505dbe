//! Deficit round robin.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_queues::{Discipline, DrrSettings, QueueLimit};

use super::common::packets;
use super::fq_codel::{flows, quantum};
use crate::reading::error::Mistake;
use crate::reading::located::{Located, number};
use crate::reading::units::{Bytes, Measured, bytes};

/// Deficit round robin (Shreedhar and Varghese 1996): a queue for each flow, which send in turn,
/// by bytes. Where there is no room, the longest queue loses a packet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drr {
    /// How much may wait in all queues together.
    #[serde(default = "packets::<1000>")]
    pub(super) limit: Measured<QueueLimit>,
    /// How many queues flows are hashed to.
    #[serde(default = "number::<1024>")]
    flows: Located<u16>,
    /// How many bytes a queue may send in one turn.
    #[serde(default = "bytes::<1514>")]
    quantum: Located<Measured<Bytes>>,
}

impl Drr {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let (flows, quantum) = (flows(&self.flows)?, quantum(&self.quantum)?);
        Ok(Discipline::Drr(DrrSettings { flows, quantum }))
    }
}
