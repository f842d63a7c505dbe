//! First in, first out.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_queues::{Discipline, QueueLimit};

use super::common::packets;
use crate::reading::error::Mistake;
use crate::reading::units::Measured;

/// First in, first out; drops packets when it is full.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DropTail {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
}

impl DropTail {
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as all queues")]
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        Ok(Discipline::DropTail)
    }
}
