//! BOLA-E (Spiteri, Sitaraman and Sparacio, MMSys 2018): BOLA whose buffer has a virtual part, the
//! placeholder. It begins with the level that the throughput sustains, with a placeholder as if
//! the buffer had been full enough for that, and stays reactive while nothing can be requested.
//! The details are those of sabre, without giving up downloads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bola::Utilities;
use super::insufficient_buffer::InsufficientBuffer;
use super::{Choice, Client, Download, Estimate, Rule, Situation};
use crate::video::Ladder;

/// The buffer at which the lowest level ends, in seconds.
const MINIMUM_BUFFER: f64 = 10.0;
/// What the greatest buffer is at least above that, in seconds for each level.
const BUFFER_OF_A_LEVEL: f64 = 2.0;

/// The utility of the lowest level in the scores of BOLA-E.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LowestUtility")]
pub enum Utility {
    /// 1, as in sabre.
    #[default]
    One,
    /// 0, as in dash.js: it rises with less in the buffer.
    Zero,
}

/// Parameters of BOLA-E.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BolaESettings {
    /// The utility of the lowest level in the scores.
    pub utility: Utility,
}

/// The rule. Its first choice from a throughput sets the placeholder.
#[derive(Clone, Debug)]
pub(super) struct BolaE {
    utilities: Utilities,
    estimate: Estimate,
    insufficient: InsufficientBuffer,
    /// The virtual part of the buffer, in seconds.
    placeholder: f64,
    last: usize,
    is_steady: bool,
}

impl BolaE {
    pub(super) fn new(settings: BolaESettings, ladder: &Ladder, maximum_buffer: f64) -> Self {
        let levels = ladder.bitrates().len() as f64;
        let buffer = maximum_buffer.max(MINIMUM_BUFFER + BUFFER_OF_A_LEVEL * levels);
        let first = match settings.utility {
            Utility::One => 1.0,
            Utility::Zero => 0.0,
        };
        let mut utilities = Utilities::new(ladder, first);
        // The utilities of all levels differ from that of the lowest by the same in both.
        let span = utilities.top() - first;
        if span > 0.0 {
            utilities.gamma_p = span / (buffer / MINIMUM_BUFFER - 1.0);
            utilities.v = MINIMUM_BUFFER / utilities.gamma_p;
        }
        Self {
            utilities,
            estimate: Estimate::default(),
            insufficient: InsufficientBuffer::new(Client::Sabre),
            placeholder: 0.0,
            last: 0,
            is_steady: false,
        }
    }

    /// How long to wait before a request at a level, beyond what the placeholder can lose.
    fn delay(&mut self, buffer: f64, level: usize) -> f64 {
        let above = buffer + self.placeholder - self.utilities.highest_buffer(level);
        let lost = above.clamp(0.0, self.placeholder);
        self.placeholder -= lost;
        if self.utilities.is_top(level) { 0.0 } else { (above - lost).max(0.0) }
    }
}

impl Rule for BolaE {
    fn choose(&mut self, situation: &Situation<'_>) -> Choice {
        let Situation { ladder, buffer, .. } = *situation;
        let Some(sustained) = self.estimate.sustainable(ladder, 1.0) else { return 0.into() };
        if !self.is_steady {
            self.is_steady = true;
            self.placeholder = (self.utilities.lowest_buffer(sustained) - buffer).max(0.0);
            return sustained.into();
        }
        let mut level = self.utilities.best(buffer + self.placeholder);
        if level > self.last && level > sustained {
            level = self.last.max(sustained) + 1;
        }
        let delay = self.delay(buffer, level);
        let highest = self.insufficient.highest(situation, &self.estimate);
        if level <= highest {
            return Choice { level, delay };
        }
        let most = (self.utilities.lowest_buffer(highest) - buffer).max(0.0);
        self.placeholder = self.placeholder.min(most);
        highest.into()
    }

    fn on_download(&mut self, ladder: &Ladder, download: &Download) {
        self.last = download.level;
        // The buffer when it was requested, with the segment itself, as sabre counts it.
        let before = download.buffer + download.time;
        let most = (self.utilities.highest_buffer(download.level) - before).max(0.0);
        let least = self.utilities.lowest_buffer(download.level) - before;
        self.placeholder = self.placeholder.min(most).max(least);
        self.estimate.add(ladder, download);
    }

    fn on_full(&mut self, seconds: f64) {
        self.placeholder += seconds;
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;

    use super::*;

    #[test]
    fn it_rises_where_the_fact_sheet_says() {
        let bbb = [230e3, 331e3, 477e3, 688e3, 991e3, 1427e3, 2056e3, 2962e3, 5027e3, 6000e3];
        let ladder = Ladder::constant(Duration::from_secs(3), bbb.into(), 10);
        let sabre = [11.048, 13.284, 15.527, 17.770, 20.007, 22.244, 24.483, 27.150, 29.441];
        let dash = [4.916, 7.152, 9.395, 11.638, 13.875, 16.112, 18.352, 21.019, 23.309];
        for (utility, expected) in [(Utility::One, sabre), (Utility::Zero, dash)] {
            let rule = BolaE::new(BolaESettings { utility }, &ladder, 25.0);
            assert!((rule.utilities.gamma_p - 1.6307).abs() < 5e-5);
            assert!((rule.utilities.v - 6.1323).abs() < 5e-5);
            for (below, expected) in expected.into_iter().enumerate() {
                let found = rule.utilities.lowest_buffer(below + 1);
                let apart = (found - expected).abs();
                assert!(apart < 1e-3, "{below}: {found} against {expected}");
            }
        }
    }
    #[test]
    fn while_the_buffer_is_full_the_placeholder_grows() {
        let bitrates = [250e3, 500e3, 1e6, 2e6, 4e6, 8e6];
        let ladder = Ladder::constant(Duration::from_secs(3), bitrates.into(), 10);
        let after = |full: f64| {
            let mut rule = BolaE::new(BolaESettings { utility: Utility::One }, &ladder, 25.0);
            let situation = Situation { ladder: &ladder, segment: 1, buffer: 15.0 };
            let bytes = 1_000_000;
            let download = Download {
                level: 2,
                bytes,
                latency: 0.01,
                time: 0.9,
                buffer: situation.buffer,
                stalled: 0.0,
            };
            rule.on_download(&ladder, &download);
            // It begins at 8 Mb/s, and goes back to the level of its last segment.
            let _ = rule.choose(&situation);
            rule.on_download(&ladder, &download);
            rule.on_full(full);
            rule.choose(&situation).level
        };
        assert!(after(10.0) > after(0.0), "{} {}", after(10.0), after(0.0));
    }
}
