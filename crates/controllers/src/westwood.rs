//! Westwood+: after a loss the window is set to the measured bandwidth-delay product.
//!
//! Source: Grieco, Mascolo, "Performance evaluation and comparison of Westwood+,
//! New Reno, and Vegas TCP congestion control", Computer Communication Review
//! 34(2), 2004; its text was not available, and the constants and the timing
//! are those of Linux's `tcp_westwood.c`.
//!
//! - bandwidth: at intervals of more than `max(rtt, 50 ms)`, the delivered segments over
//!   that time, through two filters in a row: `x = 7/8 x + 1/8 y`; the first
//!   interval begins with the connection, and its sample fills both
//! - growth: as Reno
//! - congestion: `w = ssthresh = w / 2` during recovery, and after it
//!   `w = ssthresh = bandwidth * rtt_min`
//!   (where a timeout interrupts it, that is not done)
//! - timeout: `ssthresh = bandwidth * rtt_min`, the window restarts, and the
//!   next sample is the new `rtt_min`
//!
//! Before there is a bandwidth or a round trip it is Reno.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Nanoseconds, Settings, Signal, Start,
    TransmissionStart, Window, seconds,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "westwood",
    title: "Westwood+",
    source: "Grieco, Mascolo, Computer Communication Review 34(2), 2004, as in Linux",
    status: "checked against the bandwidth-delay product; the paper was not read",
    needs: &[],
    parameters: &[],
};

const SHORTEST_SAMPLE: Nanoseconds = 50_000_000;

/// Westwood+.
#[derive(Clone, Debug)]
pub struct Westwood {
    window: Window,
    rtt: Nanoseconds,
    rtt_min: Option<Nanoseconds>,
    bandwidth: Bandwidth,
    /// Whether the window came down by half, and the path's follows.
    reducing: bool,
}

/// The filtered bandwidth, in segments per second.
#[derive(Clone, Debug, Default)]
struct Bandwidth {
    since: Option<Nanoseconds>,
    delivered: f64,
    /// After the first filter, and after both.
    filtered: Option<(f64, f64)>,
}

impl Bandwidth {
    fn observe(&mut self, acknowledgement: &Acknowledgement, rtt: Nanoseconds) {
        let now = acknowledgement.now;
        let since = *self.since.get_or_insert(now);
        self.delivered += acknowledgement.delivered;
        let elapsed = now.saturating_sub(since);
        if elapsed <= rtt.max(SHORTEST_SAMPLE) {
            return;
        }
        let sample = self.delivered / seconds(elapsed);
        let (mut first, mut second) = self.filtered.unwrap_or((sample, sample));
        first += (sample - first) / 8.0;
        second += (first - second) / 8.0;
        *self = Self { since: Some(now), delivered: 0.0, filtered: Some((first, second)) };
    }
}

impl Westwood {
    pub(crate) fn new(start: Start, _settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            rtt: 0,
            rtt_min: None,
            bandwidth: Bandwidth::default(),
            reducing: false,
        }
    }

    /// The bandwidth-delay product in segments, if known.
    fn capacity(&self) -> Option<f64> {
        let (_, bandwidth) = self.bandwidth.filtered?;
        Some(bandwidth * seconds(self.rtt_min?))
    }
}

impl Controller for Westwood {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if let Some(rtt) = acknowledgement.rtt {
            self.rtt = rtt;
            self.rtt_min = Some(self.rtt_min.unwrap_or(rtt).min(rtt));
        }
        self.bandwidth.observe(acknowledgement, self.rtt);
        let left = self.window.slow_start(acknowledgement.acknowledged);
        self.window.grow(left / self.window.cwnd());
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.bandwidth.since.get_or_insert(start.now);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let half = self.window.cwnd() / 2.0;
        self.reducing = congestion.signal != Signal::Timeout;
        if !self.reducing {
            self.window.restart(self.capacity().unwrap_or(half));
            self.rtt_min = None;
        } else {
            self.window.reduce_to(half);
        }
    }

    fn on_recovered(&mut self, _now: Nanoseconds) {
        if core::mem::take(&mut self.reducing)
            && let Some(capacity) = self.capacity()
        {
            self.window.reduce_to(capacity);
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
