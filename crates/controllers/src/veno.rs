//! Veno: a loss on a path without a queue is treated as random.
//!
//! Source: Fu, Liew, "TCP Veno: TCP enhancement for transmission over wireless
//! access networks", IEEE JSAC 21(2), 2003; its text was not available, and the
//! rules were compared with Linux's `tcp_veno.c`.
//!
//! The backlog is `n = w (1 - rtt_min / rtt)` segments, from the latest round trip
//! (as in Linux, which intends to take the minimum of a round but resets it with
//! every sample).
//!
//! - slow start: `w += 1` for each segment
//! - avoidance:  `w += 1/w` for each segment while `n < 3`, else half of that
//! - congestion: `w = ssthresh = 4/5 w` while `n < 3`, else `w / 2`
//! - timeout: `ssthresh = w / 2`, the window restarts, and so does sampling
//!
//! With two samples or fewer since the start it is Reno.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Nanoseconds, Settings, Signal, Start,
    Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "veno",
    title: "Veno",
    source: "Fu, Liew, IEEE JSAC 21(2), 2003",
    status: "checked against its closed forms; the paper was not read",
    needs: &[],
    parameters: &[],
};

/// The backlog, in segments, from which the path counts as congested.
const CONGESTED: f64 = 3.0;
/// With this many samples or fewer it is Reno.
const FEW_SAMPLES: u32 = 2;

/// Veno.
#[derive(Clone, Debug)]
pub struct Veno {
    window: Window,
    rtt_min: Nanoseconds,
    rtt: Nanoseconds,
    samples: u32,
}

impl Veno {
    pub(crate) fn new(start: Start, _settings: &Settings) -> Self {
        Self { window: Window::new(start), rtt_min: Nanoseconds::MAX, rtt: 0, samples: 0 }
    }

    fn observe(&mut self, rtt: Nanoseconds) {
        self.rtt_min = self.rtt_min.min(rtt);
        self.rtt = rtt;
        self.samples = self.samples.saturating_add(1);
    }

    /// Segments waiting in queues, once known.
    fn backlog(&self) -> Option<f64> {
        let known = self.samples > FEW_SAMPLES && self.rtt > 0;
        known.then(|| self.window.cwnd() * (1.0 - self.rtt_min as f64 / self.rtt as f64))
    }
}

impl Controller for Veno {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if let Some(rtt) = acknowledgement.rtt {
            self.observe(rtt);
        }
        let left = self.window.slow_start(acknowledgement.acknowledged);
        let congested = self.backlog().is_some_and(|it| it >= CONGESTED);
        let growth = if congested { 0.5 } else { 1.0 };
        self.window.grow(left * growth / self.window.cwnd());
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let random = self.backlog().is_some_and(|it| it < CONGESTED);
        let timeout = congestion.signal == Signal::Timeout;
        let kept = if random && !timeout { 0.8 } else { 0.5 };
        if timeout {
            self.samples = 0;
        }
        self.window.decrease(congestion.signal, kept * self.window.cwnd());
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
