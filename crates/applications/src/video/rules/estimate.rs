//! What the next download may get, from those before.

use super::Download;
use crate::video::Ladder;

/// The half-lives of the two averages, in seconds: dash.js and sabre.
const HALF_LIVES: [f64; 2] = [8.0, 3.0];

/// Exponentially weighted averages of throughput and latency with two half-lives; the estimate is
/// the more cautious of both. As in dash.js and sabre, a throughput weighs as long as its download
/// took after the first byte, and a latency as long as a segment lasts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate {
    throughput: [f64; 2],
    latency: [f64; 2],
    /// The sum of all weights, in seconds.
    throughput_weight: f64,
    latency_weight: f64,
}

impl Estimate {
    /// Takes in a download.
    pub fn add(&mut self, ladder: &Ladder, download: &Download) {
        let segment = ladder.duration().as_seconds();
        // What came in one piece has no time of its own.
        let time = match download.time - download.latency {
            time if time > 0.0 => time,
            _ => download.time,
        };
        let throughput = download.bytes as f64 * 8.0 / time;
        for (place, half_life) in HALF_LIVES.into_iter().enumerate() {
            average(&mut self.throughput[place], throughput, time / half_life);
            average(&mut self.latency[place], download.latency, segment / half_life);
        }
        self.throughput_weight += time;
        self.latency_weight += segment;
    }

    /// In bits per second; none before the first download.
    #[must_use]
    pub fn throughput(&self) -> Option<f64> {
        let [slow, fast] = unbiased(self.throughput, self.throughput_weight)?;
        Some(slow.min(fast))
    }

    /// In seconds; none before the first download.
    #[must_use]
    pub fn latency(&self) -> Option<f64> {
        let [slow, fast] = unbiased(self.latency, self.latency_weight)?;
        Some(slow.max(fast))
    }

    /// The highest level of which a segment, with the latency, takes no longer than it lasts, were
    /// the throughput `share` of the estimate; none before the first download.
    #[must_use]
    pub fn sustainable(&self, ladder: &Ladder, share: f64) -> Option<usize> {
        let segment = ladder.duration().as_seconds();
        let throughput = self.throughput()? * share;
        let room = segment - self.latency()?;
        Some(ladder.level_of_rate(throughput * room / segment))
    }
}

/// Weighs a value in that lasts this many half-lives.
fn average(average: &mut f64, value: f64, half_lives: f64) {
    let kept = libm::exp2(-half_lives);
    *average = kept * *average + (1.0 - kept) * value;
}

/// Without what is left of the zero at the beginning.
fn unbiased(averages: [f64; 2], weight: f64) -> Option<[f64; 2]> {
    let share = |half_life: f64| 1.0 - libm::exp2(-weight / half_life);
    let [slow, fast] = HALF_LIVES.map(share);
    (weight > 0.0).then(|| [averages[0] / slow, averages[1] / fast])
}

/// The harmonic mean of some throughputs; none of none.
#[must_use]
pub fn harmonic_mean(throughputs: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = throughputs.len();
    (count > 0).then(|| count as f64 / throughputs.map(|it| 1.0 / it).sum::<f64>())
}
