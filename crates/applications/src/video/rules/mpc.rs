//! Model predictive control (Yin et al., SIGCOMM 2015), as in Pensieve's `test/mpc.py`: of all
//! sequences of levels for the next five segments, the one whose quality of experience would be
//! the best at the harmonic mean of the last five throughputs. RobustMPC divides that by one more
//! than the greatest relative error among its last five predictions.

use std::collections::VecDeque;

use super::{Choice, Download, Rule, Situation, harmonic_mean};
use crate::video::{Ladder, STALL_PENALTY, SWITCH_PENALTY};

/// How many downloads and errors are remembered.
const PAST: usize = 5;

/// Parameters of model predictive control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpcSettings {
    /// How many segments it looks ahead; 5 in Pensieve.
    pub horizon: usize,
    /// Whether the prediction is divided by one more than its greatest error (RobustMPC).
    pub robust: bool,
}

/// The rule.
#[derive(Clone, Debug)]
pub(super) struct Mpc {
    settings: MpcSettings,
    /// Of the last downloads, in bits per second, requests and latencies included.
    throughputs: VecDeque<f64>,
    errors: VecDeque<f64>,
    /// The last prediction, before it was divided, in bits per second.
    predicted: Option<f64>,
    last: usize,
}

impl Mpc {
    pub(super) fn new(settings: MpcSettings) -> Self {
        Self {
            settings,
            throughputs: VecDeque::with_capacity(PAST + 1),
            errors: VecDeque::with_capacity(PAST + 1),
            predicted: None,
            last: 0,
        }
    }

    /// The throughput that it counts on, in bits per second; none before the first download.
    fn prediction(&mut self) -> Option<f64> {
        let mean = harmonic_mean(self.throughputs.iter().copied())?;
        self.predicted = Some(mean);
        let error = self.errors.iter().copied().fold(0.0, f64::max);
        Some(if self.settings.robust { mean / (1.0 + error) } else { mean })
    }
}

impl Rule for Mpc {
    fn choose(&mut self, situation: &Situation<'_>) -> Choice {
        let Some(throughput) = self.prediction() else { return 0.into() };
        let Situation { ladder, segment, buffer } = *situation;
        let end = (segment + self.settings.horizon).min(ladder.segments());
        let model = Model { ladder, throughput, end };
        model.best(segment, buffer, self.last).1.into()
    }

    fn on_download(&mut self, _ladder: &Ladder, download: &Download) {
        let throughput = download.bytes as f64 * 8.0 / download.time;
        let error = self.predicted.map_or(0.0, |it| (it - throughput).abs() / throughput);
        keep(&mut self.throughputs, throughput);
        keep(&mut self.errors, error);
        self.last = download.level;
    }
}

/// Remembers a value, and forgets what is too old.
fn keep(values: &mut VecDeque<f64>, value: f64) {
    if values.len() == PAST {
        values.pop_front();
    }
    values.push_back(value);
}

/// What would happen at a constant throughput, in bits per second, up to segment `end`.
struct Model<'a> {
    ladder: &'a Ladder,
    throughput: f64,
    end: usize,
}

impl Model<'_> {
    /// The best quality that the segments from `segment` on can have together, and the level of
    /// the first of them; of equals the highest, as in Pensieve.
    fn best(&self, segment: usize, buffer: f64, last: usize) -> (f64, usize) {
        if segment == self.end {
            return (0.0, last);
        }
        let bitrates = self.ladder.bitrates();
        let mut best = (f64::NEG_INFINITY, 0);
        for (level, bitrate) in bitrates.iter().enumerate() {
            let time = self.ladder.bytes(segment, level) as f64 * 8.0 / self.throughput;
            let stalled = (time - buffer).max(0.0);
            let left = (buffer - time).max(0.0) + self.ladder.duration().as_seconds();
            let change = (bitrate - bitrates[last]).abs();
            let own = (bitrate - SWITCH_PENALTY * change) / 1e6 - STALL_PENALTY * stalled;
            let all = own + self.best(segment + 1, left, level).0;
            if all >= best.0 {
                best = (all, level);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;

    use super::*;

    /// Pensieve's levels, in bits per second.
    const PENSIEVE: [f64; 6] = [300e3, 750e3, 1200e3, 1850e3, 2850e3, 4300e3];

    fn ladder() -> Ladder {
        Ladder::constant(Duration::from_secs(4), PENSIEVE.into(), 48)
    }

    fn mpc(robust: bool) -> Mpc {
        Mpc::new(MpcSettings { horizon: 5, robust })
    }

    fn download(level: usize, throughput: f64) -> Download {
        let bytes = ladder().bytes(0, level);
        let time = bytes as f64 * 8.0 / throughput;
        Download { level, bytes, latency: 0.0, time, buffer: 4.0, stalled: 0.0 }
    }

    /// The best first level of all sequences, one after the other: the definition itself.
    fn of_all_sequences(buffer: f64, last: usize, throughput: f64) -> usize {
        let ladder = ladder();
        let mut best = (f64::NEG_INFINITY, 0);
        for code in 0..6_usize.pow(5) {
            let levels: Vec<usize> = (0..5).map(|it| code / 6_usize.pow(4 - it) % 6).collect();
            let (mut quality, mut left, mut before) = (0.0, buffer, last);
            for level in &levels {
                let time = ladder.bytes(0, *level) as f64 * 8.0 / throughput;
                let change = (PENSIEVE[*level] - PENSIEVE[before]).abs();
                quality += (PENSIEVE[*level] - change) / 1e6 - 4.3 * f64::max(time - left, 0.0);
                left = f64::max(left - time, 0.0) + 4.0;
                before = *level;
            }
            // A hair, so that rounding does not decide between equals.
            if quality > best.0 + 1e-9 || quality > best.0 - 1e-9 && levels[0] > best.1 {
                best = (quality, levels[0]);
            }
        }
        best.1
    }

    #[test]
    fn it_finds_the_best_of_all_sequences() {
        for (buffer, last, throughput) in
            [(2.0, 0, 1.1e6), (8.1, 2, 1.7e6), (14.3, 5, 2.3e6), (30.7, 1, 3.9e6), (1.3, 4, 0.4e6)]
        {
            let mut rule = mpc(false);
            rule.on_download(&ladder(), &download(last, throughput));
            let ladder = ladder();
            let situation = Situation { ladder: &ladder, segment: 1, buffer };
            let expected = of_all_sequences(buffer, last, throughput);
            assert_eq!(rule.choose(&situation).level, expected, "{buffer} {last} {throughput}");
        }
    }

    #[test]
    fn the_robust_one_divides_by_its_greatest_error() {
        let mut rule = mpc(true);
        rule.on_download(&ladder(), &download(1, 2e6));
        assert_eq!(rule.prediction(), Some(2e6));
        // It had predicted 2 Mb/s: an error of 1.
        rule.on_download(&ladder(), &download(1, 1e6));
        let mean = 2.0 / (1.0 / 2e6 + 1.0 / 1e6);
        assert!((rule.prediction().unwrap() - mean / 2.0).abs() < 1e-6);
        // Once the first throughput is forgotten, and five predictions later its errors are.
        for _ in 0..10 {
            rule.on_download(&ladder(), &download(1, 1e6));
            let _ = rule.prediction();
        }
        rule.on_download(&ladder(), &download(1, 1e6));
        assert!((rule.prediction().unwrap() - 1e6).abs() < 1e-6);
    }

    #[test]
    fn fewer_segments_than_the_horizon_are_left() {
        let ladder = ladder();
        let mut rule = mpc(false);
        rule.on_download(&ladder, &download(0, 10e6));
        let situation = Situation { ladder: &ladder, segment: 47, buffer: 30.0 };
        assert!(rule.choose(&situation).level > 0);
    }
}
