//! The rule of the insufficient buffer: no level of which a segment would come after the buffer
//! has run empty.

use super::{Estimate, Situation};

/// How much of what could come in time is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// 0.7, from the third segment on.
    DashJs,
    /// 0.9 at first, a tenth less with each segment, down to 0.5; the latency counts.
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
