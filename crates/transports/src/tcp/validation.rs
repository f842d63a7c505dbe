//! Whether what a sender has in flight validates its window (RFC 7661).

use windtunnel_engine::{Duration, Time};

/// For so long a window that is not used stays (RFC 7661, section 4.4).
pub(super) const NON_VALIDATED_PERIOD: Duration = Duration::from_secs(300);

/// How many samples of pipeACK make up a sampling period (RFC 7661, section 4.5.1).
pub(super) const SAMPLES: usize = 4;

/// RFC 7661: how much of the window the path is known to carry.
#[derive(Clone, Debug, Default)]
pub(super) struct Validation {
    /// The most that was acknowledged in a round trip, in bytes, in each part of the sampling
    /// period, and when that part began; none before the first, and after a recovery.
    pub(super) samples: [Option<(Time, u64)>; SAMPLES],
    /// What was acknowledged in order when the current round trip began.
    pub(super) round_from: u64,
    /// Since when the window is not found to be in use; none while it is.
    pub(super) unused_since: Option<Time>,
}

impl Validation {
    /// A round trip has ended in which this many bytes were acknowledged.
    pub(super) fn sample(&mut self, now: Time, bytes: u64, period: Duration) {
        let part = Duration::from_picos(period.as_picos() / SAMPLES as u64);
        match &mut self.samples[0] {
            Some((begun, most)) if now.since(*begun) < part => *most = bytes.max(*most),
            _ => {
                self.samples.rotate_right(1);
                self.samples[0] = Some((now, bytes));
            }
        }
    }

    /// The most that was acknowledged in a round trip of the last sampling period, in bytes
    /// (pipeACK); none if that is not known.
    pub(super) fn used(&self, now: Time, period: Duration) -> Option<u64> {
        self.samples[0]?;
        let recent = self.samples.iter().flatten().filter(|it| now.since(it.0) <= period);
        Some(recent.map(|it| it.1).max().unwrap_or(0))
    }
}
