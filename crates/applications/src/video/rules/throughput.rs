//! The throughput rule of dash.js and sabre: the highest level whose bitrate is below 0.9 of the
//! estimated throughput, and for which the buffer suffices.

use super::insufficient_buffer::InsufficientBuffer;
use super::{Choice, Client, Download, Estimate, Rule, Situation};
use crate::video::Ladder;

/// Parameters of the throughput rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThroughputSettings {
    /// The share of the estimate that is used.
    pub safety: f64,
    /// Whose rule of the insufficient buffer goes with it; sabre counts the latency as well.
    pub client: Client,
}

/// The rule.
#[derive(Clone, Debug)]
pub(super) struct Throughput {
    settings: ThroughputSettings,
    estimate: Estimate,
    insufficient: InsufficientBuffer,
}

impl Throughput {
    pub(super) fn new(settings: ThroughputSettings) -> Self {
        let insufficient = InsufficientBuffer::new(settings.client);
        Self { settings, estimate: Estimate::default(), insufficient }
    }

    fn of_throughput(&self, ladder: &Ladder) -> Option<usize> {
        let ThroughputSettings { safety, client } = self.settings;
        match client {
            Client::DashJs => Some(ladder.level_of_rate(safety * self.estimate.throughput()?)),
            Client::Sabre => self.estimate.sustainable(ladder, safety),
        }
    }
}

impl Rule for Throughput {
    fn choose(&mut self, situation: &Situation<'_>) -> Choice {
        let Some(level) = self.of_throughput(situation.ladder) else { return 0.into() };
        level.min(self.insufficient.highest(situation, &self.estimate)).into()
    }

    fn on_download(&mut self, ladder: &Ladder, download: &Download) {
        self.estimate.add(ladder, download);
    }
}
