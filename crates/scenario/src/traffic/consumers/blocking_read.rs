//! How a consumer reads that does everything in one loop.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_transports::ndn;

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::timers;
use crate::reading::units::{Measured, milliseconds};

/// A consumer whose reads block. The defaults are those of `cefgetfile` 0.10 and 0.11, except its
/// window of 8 and its Interests' lifetime of 2 s.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BlockingRead {
    /// The pause after each Interest of the first window; only then it begins to read.
    #[serde(default = "milliseconds::<100>")]
    initial_spacing: Located<Measured<Duration>>,
    /// How long a read waits for a message at most.
    #[serde(default = "milliseconds::<1000>")]
    timeout: Located<Measured<Duration>>,
    /// When a read ends that began this long after the last one that brought new Data, all that is
    /// missing is requested again; the time grows by as much with each repetition.
    #[serde(default = "milliseconds::<10>")]
    resend_interval: Located<Measured<Duration>>,
    /// How often that is done with no new Data in between, before it gives up.
    #[serde(default = "five")]
    most_resends: u32,
}

fn five() -> u32 {
    5
}

impl BlockingRead {
    pub(super) fn plan(&self) -> Result<ndn::BlockingRead, Mistake> {
        Ok(ndn::BlockingRead {
            initial_spacing: self.initial_spacing.value.0,
            timeout: timers::above_zero(&self.timeout, "timeout")?,
            resend_interval: self.resend_interval.value.0,
            most_resends: self.most_resends,
        })
    }
}
