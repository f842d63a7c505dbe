//! The rule of the insufficient buffer: no level of which a segment would come after the buffer
//! has run empty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Estimate, Situation};

/// A client whose throughput rule is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RuleClient")]
pub enum Client {
    /// A segment must come in 0.7 of the time that the buffer lasts, from the third on.
    #[default]
    DashJs,
    /// It must come in 0.9 of that, later in 0.5, and the latency of requests counts.
    Sabre,
}

/// The rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct InsufficientBuffer {
    client: Client,
    /// Sabre's share at the next segment.
    share: f64,
}

impl InsufficientBuffer {
    pub(super) fn new(client: Client) -> Self {
        Self { client, share: 0.9 }
    }

    /// The highest level that it allows.
    pub(super) fn highest(&mut self, situation: &Situation<'_>, estimate: &Estimate) -> usize {
        let ladder = situation.ladder;
        let (Some(throughput), Some(latency)) = (estimate.throughput(), estimate.latency()) else {
            return 0;
        };
        let segment = ladder.duration().as_seconds();
        match self.client {
            Client::DashJs if situation.segment < 2 => ladder.bitrates().len() - 1,
            Client::DashJs => ladder.level_of_rate(0.7 * throughput * situation.buffer / segment),
            Client::Sabre => {
                let bits = self.share * (situation.buffer - latency) * throughput;
                self.share = (self.share * 0.9).max(0.5);
                ladder.level_of_rate(bits / segment)
            }
        }
    }
}
