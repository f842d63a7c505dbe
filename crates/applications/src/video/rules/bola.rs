//! BOLA (Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016): from the buffer `Q` alone it chooses the
//! level `m` with the greatest `(V (u_m + γp) - Q) / b_m`, where `u_m = ln(b_m / b_1)` is the
//! level's utility and `b_m` its bitrate. This is BOLA-BASIC with `V` so that the top level is
//! chosen when the buffer is full: `V = (Q_max - p) / (u_M + γp)`, of segments of `p` seconds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Choice, Download, Estimate, Rule, Situation};
use crate::video::Ladder;

/// What happens when BOLA would rise to a level that the throughput does not sustain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Oscillations")]
pub enum Oscillation {
    /// It rises at most one level above what is sustained (BOLA-U).
    #[default]
    Limited,
    /// It rises to what is sustained, and waits for the buffer that belongs to that (BOLA-O).
    Avoided,
    /// It rises (BOLA-BASIC).
    Allowed,
}

/// Parameters of BOLA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BolaSettings {
    /// `γp`: how much a full buffer is preferred to a high level.
    pub gamma_p: f64,
    /// What happens at levels that the throughput does not sustain.
    pub oscillation: Oscillation,
}

/// The utilities of a ladder, `first` of its lowest level, and the parameters that weigh them.
#[derive(Clone, Debug)]
pub(super) struct Utilities {
    bitrates: Box<[f64]>,
    utilities: Box<[f64]>,
    /// `V`, in seconds.
    pub(super) v: f64,
    pub(super) gamma_p: f64,
}

impl Utilities {
    pub(super) fn new(ladder: &Ladder, first: f64) -> Self {
        let bitrates: Box<[f64]> = ladder.bitrates().into();
        let utilities = bitrates.iter().map(|it| libm::log(it / bitrates[0]) + first).collect();
        Self { bitrates, utilities, v: 0.0, gamma_p: 0.0 }
    }

    /// The utility of the highest level.
    pub(super) fn top(&self) -> f64 {
        self.utilities.last().copied().unwrap_or(0.0)
    }

    pub(super) fn is_top(&self, level: usize) -> bool {
        level + 1 == self.bitrates.len()
    }

    /// The buffer above which nothing is requested at a level, in seconds.
    pub(super) fn highest_buffer(&self, level: usize) -> f64 {
        self.v * (self.utilities[level] + self.gamma_p)
    }

    /// The level of the greatest score with this many seconds in the buffer; the lowest of several.
    pub(super) fn best(&self, buffer: f64) -> usize {
        let score = |level: usize| (self.highest_buffer(level) - buffer) / self.bitrates[level];
        (1..self.bitrates.len()).fold(0, |best, it| if score(it) > score(best) { it } else { best })
    }

    /// The buffer from which on one level is better than another below it, in seconds.
    fn switch(&self, below: usize, above: usize) -> f64 {
        let [low, high] = [below, above].map(|it| self.bitrates[it]);
        let [worse, better] = [below, above].map(|it| self.utilities[it]);
        self.v * (self.gamma_p + (high * worse - low * better) / (high - low))
    }

    /// The buffer from which on a level is better than all below it, in seconds.
    pub(super) fn lowest_buffer(&self, level: usize) -> f64 {
        (0..level).map(|below| self.switch(below, level)).fold(0.0, f64::max)
    }
}

/// The rule.
#[derive(Clone, Debug)]
pub(super) struct Bola {
    settings: BolaSettings,
    utilities: Utilities,
    estimate: Estimate,
    last: usize,
}

impl Bola {
    pub(super) fn new(settings: BolaSettings, ladder: &Ladder, maximum_buffer: f64) -> Self {
        let mut utilities = Utilities::new(ladder, 0.0);
        utilities.gamma_p = settings.gamma_p;
        let room = maximum_buffer - ladder.duration().as_seconds();
        utilities.v = room / (utilities.top() + settings.gamma_p);
        Self { settings, utilities, estimate: Estimate::default(), last: 0 }
    }
}

impl Rule for Bola {
    fn choose(&mut self, situation: &Situation<'_>) -> Choice {
        let level = self.utilities.best(situation.buffer);
        let sustained = self.estimate.sustainable(situation.ladder, 1.0).unwrap_or(0);
        let choice = if level <= self.last.max(sustained) {
            level.into()
        } else if self.last > sustained {
            match self.settings.oscillation {
                Oscillation::Allowed => level.into(),
                Oscillation::Limited | Oscillation::Avoided => self.last.into(),
            }
        } else {
            match self.settings.oscillation {
                Oscillation::Allowed => level.into(),
                Oscillation::Limited => (sustained + 1).into(),
                Oscillation::Avoided => {
                    let delay = situation.buffer - self.utilities.highest_buffer(sustained);
                    Choice { level: sustained, delay: delay.max(0.0) }
                }
            }
        };
        self.last = choice.level;
        choice
    }

    fn on_download(&mut self, ladder: &Ladder, download: &Download) {
        self.estimate.add(ladder, download);
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;

    use super::*;

    /// The levels of sabre's bbb.json, in bits per second.
    const BBB: [f64; 10] =
        [230e3, 331e3, 477e3, 688e3, 991e3, 1427e3, 2056e3, 2962e3, 5027e3, 6000e3];

    fn ladder() -> Ladder {
        Ladder::constant(Duration::from_secs(3), BBB.into(), 10)
    }

    /// The thresholds as they are found by raising the buffer.
    fn thresholds(utilities: &Utilities) -> Vec<f64> {
        let levels = (0..40_000).map(|it| utilities.best(f64::from(it) * 1e-3));
        let levels: Vec<usize> = levels.collect();
        let rises = (1..levels.len()).filter(|it| levels[*it] > levels[it - 1]);
        rises.map(|it| it as f64 * 1e-3).collect()
    }

    #[track_caller]
    fn assert_thresholds(utilities: &Utilities, expected: [f64; 9]) {
        let found = thresholds(utilities);
        for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 2e-3, "{place}: {found} against {expected}");
            let exact = utilities.lowest_buffer(place + 1);
            assert!((exact - expected).abs() < 5.1e-4, "{place}: {exact} against {expected}");
        }
        assert_eq!(found.len(), 9);
    }

    #[test]
    fn it_rises_where_the_fact_sheet_says() {
        let settings = BolaSettings { gamma_p: 5.0, oscillation: Oscillation::Allowed };
        let bola = Bola::new(settings, &ladder(), 25.0);
        assert!((bola.utilities.v - 2.66298).abs() < 5e-6);
        assert_thresholds(
            &bola.utilities,
            [11.107, 12.078, 13.052, 14.026, 14.998, 15.969, 16.942, 18.100, 19.094],
        );
    }
}
