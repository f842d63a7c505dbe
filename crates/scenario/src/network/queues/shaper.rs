//! A shaper.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Rate;
use windtunnel_queues::{Discipline, QueueLimit};

use super::common::packets;
use super::token_bucket;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Bytes, Measured};

/// A shaper, as Linux's token bucket filter (tc-tbf): what exceeds a rate and a burst waits. Not
/// on a shared medium.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shaper {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// How fast packets leave in the long run, with all headers.
    rate: Measured<Rate>,
    /// How much may leave at once, at the rate of the link, after silence. At least 1500 B; a
    /// packet that is larger is dropped.
    burst: Located<Measured<Bytes>>,
}

impl Shaper {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        token_bucket::settings(self.rate, &self.burst).map(Discipline::Shaper)
    }
}
