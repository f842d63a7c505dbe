//! SACK compression: where segments arrive beyond a gap, not each is acknowledged at once.
//!
//! Source: Linux (ip-sysctl, `tcp_comp_sack_delay_ns`, `tcp_comp_sack_nr`; Dumazet, 2018).
//! The first three behind a gap are, so that losses are found as soon as ever; others wait
//! for 5 % of the round trip, up to a millisecond, or until there are too many of them, or one
//! belongs to a third range: an acknowledgement has room for no more than three.

use windtunnel_engine::Duration;

/// So many are acknowledged at once before others wait.
const AT_ONCE: u8 = 3;
/// So many wait at most.
const MOST: u8 = 44;
/// How long they wait: this share of the round trip, at most so long.
const SHARE: f64 = 0.05;
const LONGEST: Duration = Duration::from_millis(1);

/// Acknowledgements of segments beyond a gap.
#[derive(Clone, Debug, Default)]
pub(super) struct SackCompression {
    /// How long one waits.
    wait: Duration,
    /// The next byte in order at the last segment beyond a gap.
    next: u64,
    /// How many have been sent since that is the next byte, up to `AT_ONCE`.
    sent: u8,
    /// How many wait.
    waiting: u8,
}

impl SackCompression {
    /// The round trip is so long.
    pub(super) fn measure(&mut self, rtt: Duration) {
        self.wait = rtt.scaled(SHARE).min(LONGEST);
    }

    /// How long the acknowledgement of a segment may wait that has arrived beyond a gap,
    /// whose first byte is `next`.
    pub(super) fn wait(&mut self, next: u64) -> Duration {
        if self.next != next {
            (self.next, self.sent) = (next, 0);
        }
        if self.waiting == MOST {
            return Duration::ZERO;
        }
        if self.sent < AT_ONCE {
            self.sent += 1;
            return Duration::ZERO;
        }
        self.waiting += 1;
        self.wait
    }

    /// An acknowledgement is sent, which reports everything.
    pub(super) fn acknowledge(&mut self) {
        self.waiting = 0;
    }
}
