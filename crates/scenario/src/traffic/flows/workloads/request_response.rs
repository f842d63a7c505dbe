//! Requests and their answers: a closed system.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::Workload;
use windtunnel_engine::Duration;

use crate::reading::error::Mistake;
use crate::reading::located::{Located, number};
use crate::reading::periods::Periods;
use crate::reading::sizes::{MOST_FILE, within};
use crate::reading::timers::zero;
use crate::reading::units::{Bytes, Measured, bytes};

/// The receiver asks and the sender answers, again and again, over one connection for each worker
/// at the receiver, which opens it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestResponse {
    /// The size of a request.
    #[serde(default = "bytes::<100>")]
    request: Located<Measured<Bytes>>,
    /// The size of an answer.
    response: Located<Measured<Bytes>>,
    /// The number of workers, each with a connection of its own: each waits for its answer, thinks,
    /// and sends the next request, so that no more requests than workers are outstanding.
    #[serde(default = "number::<1>")]
    workers: Located<u16>,
    /// From an answer's end to the next request.
    #[serde(default = "zero")]
    think: Located<Measured<Duration>>,
    /// Whether `think` is always as long, or exponentially distributed with that mean.
    #[serde(default)]
    periods: Periods,
}

impl RequestResponse {
    pub(super) fn plan(&self) -> Result<Workload, Mistake> {
        Ok(Workload::RequestResponse {
            workers: self.workers()?,
            request: within(&self.request, MOST_FILE, "request")?,
            response: within(&self.response, MOST_FILE, "response")?,
            think: self.periods.of(self.think.value.0),
        })
    }

    fn workers(&self) -> Result<u32, Mistake> {
        let zero = || "`workers` must be greater than zero".to_owned();
        self.workers.checked(|it| *it > 0, zero, "write one such as workers = 10")?;
        Ok(u32::from(self.workers.value))
    }
}
