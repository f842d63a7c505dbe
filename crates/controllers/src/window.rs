//! The window and threshold that all window controllers share: slow start,
//! and a minimum for every decrease (RFC 5681, section 3.1).

use crate::signals::{Signal, Start};

/// The maximum window in segments: far more than any path holds, and finite
/// whatever a controller's equations give.
const MOST: f64 = 1e9;

/// A congestion window with its slow-start threshold, both in segments.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    cwnd: f64,
    ssthresh: f64,
    start: Start,
}

impl Window {
    /// The initial window, with the initial threshold.
    #[must_use]
    pub fn new(start: Start) -> Self {
        let initial_ssthresh = start.initial_ssthresh.max(start.minimum_window);
        Self {
            cwnd: start.initial_window.max(start.minimum_window),
            ssthresh: initial_ssthresh,
            start: Start { initial_ssthresh, ..start },
        }
    }

    /// The initial window of a controller that has no threshold.
    #[must_use]
    pub fn without_threshold(start: Start) -> Self {
        Self::new(Start { initial_ssthresh: f64::INFINITY, ..start })
    }

    /// Whether nothing has set the threshold yet: if the window is below it, this is the
    /// first slow start.
    #[inline]
    #[must_use]
    pub fn has_initial_ssthresh(&self) -> bool {
        self.ssthresh == self.start.initial_ssthresh
    }

    /// The window, in segments.
    #[inline]
    #[must_use]
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// The slow-start threshold, in segments.
    #[inline]
    #[must_use]
    pub fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    /// The minimum possible window, in segments.
    #[must_use]
    pub fn floor(&self) -> f64 {
        self.start.minimum_window.min(self.start.restart_window)
    }

    /// Takes over a window and a threshold that were decided elsewhere, if the window
    /// is finite and not below the [`floor`](Self::floor), and the threshold a number;
    /// returns whether it did.
    #[must_use]
    pub fn take_over(&mut self, cwnd: f64, ssthresh: f64) -> bool {
        let sound = cwnd.is_finite() && cwnd >= self.floor() && !ssthresh.is_nan();
        if sound {
            self.cwnd = cwnd.min(MOST);
            self.ssthresh = ssthresh;
        }
        sound
    }

    /// Undoes a decrease: window and threshold are again at least what they were `before`.
    pub fn restore(&mut self, before: &Self) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    /// Lowers the window to `cwnd` segments, at least to its floor, and sets the threshold.
    pub fn lower(&mut self, cwnd: f64, ssthresh: f64) {
        self.cwnd = self.cwnd.min(cwnd.max(self.floor()));
        self.set_ssthresh(ssthresh);
    }

    /// Whether the window is still below its threshold.
    #[inline]
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Whether this is the first slow start, which nothing has ended yet.
    #[inline]
    #[must_use]
    pub fn in_first_slow_start(&self) -> bool {
        self.in_slow_start() && self.has_initial_ssthresh()
    }

    /// Grows by one segment for each acknowledged one, up to the threshold;
    /// returns the acknowledged segments that are left for congestion avoidance.
    #[inline]
    pub fn slow_start(&mut self, acknowledged: f64) -> f64 {
        if !self.in_slow_start() {
            return acknowledged;
        }
        let used = acknowledged.min(self.ssthresh - self.cwnd);
        self.grow(used);
        acknowledged - used
    }

    /// Adds `segments` to the window. A window that restarted below the minimum grows to
    /// it step by step.
    #[inline]
    pub fn grow(&mut self, segments: f64) {
        let floor = self.start.minimum_window.min(self.cwnd);
        self.cwnd = (self.cwnd + segments).max(floor).min(MOST);
    }

    /// Sets the window, at least to the minimum, also if `cwnd` is not a number.
    #[inline]
    pub fn set(&mut self, cwnd: f64) {
        self.cwnd = cwnd.max(self.start.minimum_window).min(MOST);
    }

    /// Sets window and threshold to `cwnd`, at least to the minimum: the end of slow
    /// start, and of every ordinary decrease.
    #[inline]
    pub fn reduce_to(&mut self, cwnd: f64) {
        self.set(cwnd);
        self.ssthresh = self.cwnd;
    }

    /// Sets the threshold alone, at least to the minimum.
    #[inline]
    pub fn set_ssthresh(&mut self, ssthresh: f64) {
        self.ssthresh = ssthresh.max(self.start.minimum_window);
    }

    /// Responds to congestion as most controllers do: the window and its
    /// threshold fall to `kept`, and after a timeout the window restarts.
    #[inline]
    pub fn decrease(&mut self, signal: Signal, kept: f64) {
        match signal {
            Signal::Timeout => self.restart(kept),
            Signal::Loss | Signal::Mark | Signal::Nack => self.reduce_to(kept),
        }
    }

    /// Restarts from the restart window, with slow start up to `ssthresh`, as after a
    /// retransmission timeout.
    #[inline]
    pub fn restart(&mut self, ssthresh: f64) {
        self.cwnd = self.start.restart_window;
        self.set_ssthresh(ssthresh);
    }
}
