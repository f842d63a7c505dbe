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
//! are the same. The reading `window = "whole-segments"` is that of Linux: see `whole_segments.rs`.

use libm::floor;

use crate::whole_segments::WholeSegments;
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
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "slow-start",
        meaning: "what slow start counts",
        kind: Kind::Choice(&[
            ("data", "the data acknowledged, as Linux (RFC 3465)"),
            ("acknowledgements", "acknowledgements, at most one segment for each (RFC 5681)"),
        ]),
    },
    WINDOW,
];

/// Whether windows are whole numbers of segments.
pub(crate) const WINDOW: Parameter = Parameter {
    name: "window",
    meaning: "what the window is a number of",
    kind: Kind::Choice(&[
        ("bytes", "bytes, as the RFC has it"),
        (
            "whole-segments",
            "whole segments: it grows by one once as many were acknowledged, and a decrease is rounded to whole ones, as Linux",
        ),
    ]),
};

/// Reno.
#[derive(Clone, Debug)]
pub struct Reno {
    pub(crate) window: Window,
    counts_acknowledgements: bool,
    /// Set, if the window is a whole number of segments.
    whole: Option<WholeSegments>,
}

impl Reno {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        let counts_acknowledgements = settings.choice("slow-start") == "acknowledgements";
        Self { counts_acknowledgements, ..Self::counting_data(start, settings) }
    }

    /// With `slow-start = "data"`, for controllers that have only [`WINDOW`].
    pub(crate) fn counting_data(start: Start, settings: &Settings) -> Self {
        let is_whole = settings.choice("window") == "whole-segments";
        let whole = is_whole.then(WholeSegments::default);
        Self { window: Window::new(start), counts_acknowledgements: false, whole }
    }

    /// Half of the window, as it is after congestion.
    pub(crate) fn half(&mut self) -> f64 {
        let cwnd = self.window.cwnd();
        match &mut self.whole {
            Some(whole) => whole.kept(floor(cwnd) / 2.0),
            None => cwnd / 2.0,
        }
    }

    /// The window without this share of it, which is rounded down if the window is whole.
    pub(crate) fn without(&mut self, share: f64) -> f64 {
        let cwnd = self.window.cwnd();
        match &mut self.whole {
            Some(whole) => whole.kept(floor(cwnd) - floor(floor(cwnd) * share)),
            None => cwnd * (1.0 - share),
        }
    }
}

impl Controller for Reno {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let mut acknowledged = acknowledgement.acknowledged;
        if self.counts_acknowledgements && self.window.in_slow_start() {
            acknowledged = acknowledged.min(1.0);
        }
        let left = self.window.slow_start(acknowledged);
        let cwnd = self.window.cwnd();
        match &mut self.whole {
            Some(whole) if left > 0.0 => self.window.set(whole.grown(cwnd, left, floor(cwnd))),
            _ => self.window.grow(left / cwnd),
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let kept = self.half();
        self.window.decrease(congestion.signal, kept);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
