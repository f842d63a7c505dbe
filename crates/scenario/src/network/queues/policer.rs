//! A policer.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Rate;
use windtunnel_queues::{Discipline, QueueLimit};

use super::common::packets;
use super::token_bucket;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Bytes, Measured};

/// A policer (RFC 2697, with a committed burst alone) before a drop-tail queue: drops what
/// exceeds a rate and a burst as it arrives.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Policer {
    /// How much may wait for the link.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// The committed information rate, with all headers.
    rate: Measured<Rate>,
    /// The committed burst size: how much may come at once after silence. At least 1500 B.
    burst: Located<Measured<Bytes>>,
}

impl Policer {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        token_bucket::settings(self.rate, &self.burst).map(Discipline::Policer)
    }
}
