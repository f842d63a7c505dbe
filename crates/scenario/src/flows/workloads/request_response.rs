//! Requests and their answers.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::Workload;
use windtunnel_engine::Duration;

use crate::error::Mistake;
use crate::located::Located;
use crate::periods::Periods;
use crate::sizes::{MOST_FILE, within};
use crate::timers::zero;
use crate::units::{Bytes, Measured, bytes};

/// The receiver asks and the sender answers, again and again, over one connection that
/// the receiver opens.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestResponse {
    /// The size of a request.
    #[serde(default = "bytes::<100>")]
    request: Located<Measured<Bytes>>,
    /// The size of an answer.
    response: Located<Measured<Bytes>>,
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
            request: within(&self.request, MOST_FILE, "request")?,
            response: within(&self.response, MOST_FILE, "response")?,
            think: self.periods.of(self.think.value.0),
        })
    }
}
