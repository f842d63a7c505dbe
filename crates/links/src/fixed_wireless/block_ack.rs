//! Attempts to get a packet across, and the window of packets that may wait for a block
//! acknowledgement.

use windtunnel_engine::Random;

use super::timing::WINDOW;

/// In how many attempts a packet gets across of which each fails with that probability, after
/// at most this many retransmissions; and whether all fail.
pub(super) fn attempts(error: f64, retransmissions: u32, random: &mut Random) -> (u32, bool) {
    let mut failed = 0;
    while random.happens(error) {
        failed += 1;
        if failed > retransmissions {
            return (failed, true);
        }
    }
    (failed + 1, false)
}

/// The window: a packet is sent only when the one that was sent this many before has been
/// acknowledged, or given up. Turns count from one: in each, an end sends, and then is told what
/// arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// For each packet of the last ones, the turn of its last attempt.
    done: [u64; WINDOW as usize],
    next: usize,
}

impl Window {
    /// One in which nothing waits.
    pub(super) const EMPTY: Self = Self { done: [0; WINDOW as usize], next: 0 };

    /// The first turn in which the next packet may be sent.
    pub(super) fn opens(&self) -> u64 {
        self.done[self.next] + 1
    }

    /// The next packet is sent; its last attempt is in that turn.
    pub(super) fn send(&mut self, last: u64) {
        self.done[self.next] = last;
        self.next = (self.next + 1) % self.done.len();
    }
}
