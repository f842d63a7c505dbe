//! The quality of experience of a sequence of segments, as in Pensieve (Mao et al., SIGCOMM 2017,
//! section 5.1, `QoE_lin`): for each segment its bitrate in Mb/s, less 4.3 for each second of
//! stalling, less the change of bitrate in Mb/s from the segment before.

use super::Segment;

/// What a second of stalling costs, in Mb/s.
pub const STALL_PENALTY: f64 = 4.3;
/// What a change of bitrate by 1 Mb/s costs, in Mb/s.
pub const SWITCH_PENALTY: f64 = 1.0;

/// The quality of some segments, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Experience {
    segments: u64,
    bitrates: f64,
    switches: u64,
    sum: f64,
    last: Option<f64>,
}

impl Experience {
    /// Of those segments.
    #[must_use]
    pub fn of(segments: &[Segment]) -> Self {
        let mut all = Self::default();
        segments.iter().for_each(|it| all.add(it.bitrate, it.stalled.as_seconds()));
        all
    }

    /// A further segment: its bitrate in bits per second, and how many seconds playing had
    /// stalled before it.
    pub fn add(&mut self, bitrate: f64, stalled: f64) {
        let change = self.last.map_or(0.0, |last| bitrate - last);
        self.segments += 1;
        self.bitrates += bitrate;
        self.switches += u64::from(change != 0.0);
        self.sum += bitrate / 1e6 - STALL_PENALTY * stalled - SWITCH_PENALTY * change.abs() / 1e6;
        self.last = Some(bitrate);
    }

    /// The mean bitrate, in bits per second; none without segments.
    #[must_use]
    pub fn bitrate(&self) -> Option<f64> {
        (self.segments > 0).then(|| self.bitrates / self.segments as f64)
    }

    /// Changes of level.
    #[must_use]
    pub fn switches(&self) -> u64 {
        self.switches
    }

    /// The sum over the segments, in Mb/s.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// The mean of a segment, in Mb/s; none without segments.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.segments > 0).then(|| self.sum / self.segments as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_and_switches_cost_what_pensieve_says() {
        let mut all = Experience::default();
        all.add(750e3, 0.0);
        all.add(2850e3, 0.5);
        all.add(1200e3, 0.0);
        // 0.75 + (2.85 - 4.3 / 2 - 2.1) + (1.2 - 1.65).
        assert!((all.sum() - (0.75 - 1.4 - 0.45)).abs() < 1e-12, "{}", all.sum());
        assert_eq!((all.switches(), all.bitrate()), (2, Some(1600e3)));
    }
}
