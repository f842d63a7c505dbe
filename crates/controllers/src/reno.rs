//! Reno: TCP's standard window.
//!
//! Source: RFC 5681, section 3.1, windows in segments.
//!
//! - slow start: `w += min(acknowledged, slow-start-limit)` for each acknowledgement
//! - avoidance:  `w += 1/w` for each segment
//! - congestion: `w = ssthresh = w / 2`
//! - timeout: `ssthresh = w / 2`, and the window restarts
//!
//! A `slow-start-limit` of 1 is RFC 5681's equation 2, with which a receiver that
//! acknowledges every second segment slows the start down to a factor of 1.5 per round
//! trip; a larger one is RFC 3465's `L`, and one that no acknowledgement reaches
//! is Linux's counting. RFC 5681 halves what is in flight; this halves the window,
//! as Linux does: it grows only while it limits the sender, so that the two
//! are the same.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "reno",
    title: "Reno",
    source: "RFC 5681, section 3.1",
    status: "checked against the square-root law and step by step",
    needs: &[],
    parameters: PARAMETERS,
};

/// The parameters of every controller that grows like Reno.
pub(crate) const PARAMETERS: &[Parameter] = &[Parameter {
    name: "slow-start-limit",
    meaning: "the maximum growth of the window per acknowledgement in slow start, in segments",
    kind: Kind::Number { default: 1.0, minimum: 1.0, maximum: 1e6 },
}];

/// Reno.
#[derive(Clone, Debug)]
pub struct Reno {
    pub(crate) window: Window,
    slow_start_limit: f64,
}

impl Reno {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self { window: Window::new(start), slow_start_limit: settings.number("slow-start-limit") }
    }
}

impl Controller for Reno {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let mut acknowledged = acknowledgement.acknowledged;
        if self.window.in_slow_start() {
            acknowledged = acknowledged.min(self.slow_start_limit);
        }
        let left = self.window.slow_start(acknowledged);
        self.window.grow(left / self.window.cwnd());
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.decrease(congestion.signal, self.window.cwnd() / 2.0);
    }

    fn window(&self) -> &Window {
        &self.window
    }
}
