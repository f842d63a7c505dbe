//! A window that grows and falls like that of `n` Reno flows together: what TCP-FIT
//! and its descendants share.
//!
//! - avoidance:  `w += n/w` for each segment
//! - congestion: `w = (1 - 2 / (3 n + 1)) w`
//!
//! With that fraction, and not with the `1 / 2n` of plain parallel flows, the window
//! is exactly `n` times Reno's at the same loss.

use crate::{Nanoseconds, Signal, Start, Window};

/// The number of flows is constant for half a second, or a longer round trip.
pub(crate) const SHORTEST_EPOCH: Nanoseconds = 500_000_000;
/// As many as a window may have segments: more would not be faster, and infinity
/// times zero acknowledged segments is not a number.
const MOST: f64 = 1e9;

#[derive(Clone, Debug)]
pub(crate) struct VirtualFlows {
    pub(crate) window: Window,
    /// The number of flows, possibly fractional; at least 1, which is Reno.
    pub(crate) count: f64,
}

impl VirtualFlows {
    pub(crate) fn new(start: Start) -> Self {
        Self { window: Window::new(start), count: 1.0 }
    }

    pub(crate) fn acknowledge(&mut self, acknowledged: f64) {
        let left = self.window.slow_start(acknowledged);
        self.window.grow(left * self.count / self.window.cwnd());
    }

    /// The window after congestion.
    pub(crate) fn kept(&self) -> f64 {
        self.window.cwnd() * (1.0 - 2.0 / (3.0 * self.count + 1.0))
    }

    /// Responds to congestion; after a timeout there is one flow again.
    pub(crate) fn decrease(&mut self, signal: Signal) {
        let kept = self.kept();
        if signal == Signal::Timeout {
            self.count = 1.0;
        }
        self.window.decrease(signal, kept);
    }

    /// `n = max(1, n + 1 - surplus)`: one more, minus `surplus`.
    pub(crate) fn adapt(&mut self, surplus: f64) {
        self.count = (self.count + 1.0 - surplus).clamp(1.0, MOST);
    }
}

/// The time between two changes of the number of flows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Epoch {
    begun: Option<Nanoseconds>,
}

impl Epoch {
    pub(crate) fn begin(&mut self, now: Nanoseconds) {
        self.begun = Some(now);
    }

    /// Whether an epoch of this length is over; if so the next begins.
    pub(crate) fn ended(&mut self, now: Nanoseconds, length: Nanoseconds) -> bool {
        let begun = *self.begun.get_or_insert(now);
        let ended = now.saturating_sub(begun) > length;
        if ended {
            self.begin(now);
        }
        ended
    }
}
