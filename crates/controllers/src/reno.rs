//! Reno: TCP's standard window.
//!
//! Source: RFC 5681, section 3.1, windows in segments.
//!
//! - slow start: `w += acknowledged` for each acknowledgement
//! - avoidance:  `w += 1/w` for each segment
//! - congestion: `w = ssthresh = w / 2`
//! - timeout: `ssthresh = w / 2`, and the window restarts
//!
//! Slow start counts the data that is acknowledged (RFC 3465 without its limit `L`, as
//! Linux). With `slow-start = "acknowledgements"` it grows by one segment at most for each
//! acknowledgement (RFC 5681, equation 2, and older ones), so that a receiver that
//! acknowledges every second segment slows it down to a factor of 1.5 per round trip.
//! RFC 5681 halves what is in flight; this halves the window,
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
    name: "slow-start",
    meaning: "what slow start counts",
    kind: Kind::Choice(&[
        ("data", "the data acknowledged, as Linux (RFC 3465)"),
        ("acknowledgements", "acknowledgements, at most one segment for each (RFC 5681)"),
    ]),
}];

/// Reno.
#[derive(Clone, Debug)]
pub struct Reno {
    pub(crate) window: Window,
    counts_acknowledgements: bool,
}

impl Reno {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        let counts_acknowledgements = settings.choice("slow-start") == "acknowledgements";
        Self { window: Window::new(start), counts_acknowledgements }
    }
}

impl Controller for Reno {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let mut acknowledged = acknowledgement.acknowledged;
        if self.counts_acknowledgements && self.window.in_slow_start() {
            acknowledged = acknowledged.min(1.0);
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

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
