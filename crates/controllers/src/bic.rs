//! BIC: binary increase congestion control, as in Linux.
//!
//! Source: Xu, Harfoush, Rhee, "Binary increase congestion control for fast
//! long-distance networks", INFOCOM 2004; the constants and the integer steps
//! are those of Linux's `tcp_bic.c`, whose `beta` is 819/1024. The paper's own
//! text was not available; according to descriptions it halves the distance (`divisor`
//! 2) where Linux takes a quarter.
//!
//! The window grows by `i` segments per round trip, `i / w` for each segment.
//! With `last` the window before the last decrease, `d = divisor`, and both
//! windows in whole segments:
//!
//! - `w <= low-window`: `i = 1`, and congestion halves the window (Reno)
//! - `w < last`: the step is `floor((last - w) / d)`, at most `max-increment`;
//!   a step of one or zero becomes `d / smooth-part`
//! - `w >= last`: `d / smooth-part` until `last + d`; then `(w - last) / (d - 1)`,
//!   at most `max-increment`
//! - without a `last` (after a timeout) at least `w / 20`
//! - congestion: `last = w`, or `w (1 + beta) / 2` if `w < last` (fast
//!   convergence); then `w = ssthresh = beta * w`
//! - timeout: the same threshold; `last` is forgotten
//!
//! Linux also divides by the measured number of packets an acknowledgement
//! covers; here acknowledged segments are counted, so no correction is needed.

use libm::floor;

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Signal, Start,
    Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "bic",
    title: "BIC",
    source: "Xu, Harfoush, Rhee, INFOCOM 2004, with Linux's constants",
    status: "checked against the round trips per step in Linux; the paper was not read",
    needs: &[],
    parameters: &[
        Parameter {
            name: "beta",
            meaning: "the fraction of the window kept after congestion",
            kind: Kind::Number { default: 0.8, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "low-window",
            meaning: "the window, in segments, up to which BIC behaves as Reno",
            kind: Kind::Number { default: 14.0, minimum: 0.0, maximum: 1e6 },
        },
        Parameter {
            name: "max-increment",
            meaning: "the maximum growth of the window, in segments per round trip",
            kind: Kind::Number { default: 16.0, minimum: 1.0, maximum: 1e6 },
        },
        Parameter {
            name: "divisor",
            meaning: "the step is the distance to the last maximum divided by this",
            kind: Kind::Number { default: 4.0, minimum: 2.0, maximum: 1000.0 },
        },
        Parameter {
            name: "smooth-part",
            meaning: "the number of round trips for the last `divisor` segments before the maximum",
            kind: Kind::Number { default: 20.0, minimum: 1.0, maximum: 1e6 },
        },
        Parameter {
            name: "fast-convergence",
            meaning: "fast convergence: lower the target after congestion below the last maximum",
            kind: Kind::Flag { default: true, needs: &[] },
        },
    ],
};

/// Binary increase congestion control.
#[derive(Clone, Debug)]
pub struct Bic {
    window: Window,
    beta: f64,
    low_window: f64,
    max_increment: f64,
    divisor: f64,
    smooth_part: f64,
    fast_convergence: bool,
    /// The last maximum, if there was one.
    last: Option<f64>,
}

impl Bic {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            beta: settings.number("beta"),
            low_window: settings.number("low-window"),
            max_increment: settings.number("max-increment"),
            divisor: settings.number("divisor"),
            smooth_part: settings.number("smooth-part"),
            fast_convergence: settings.flag("fast-convergence"),
            last: None,
        }
    }

    /// The growth in segments per round trip.
    fn increment(&self) -> f64 {
        let cwnd = floor(self.window.cwnd());
        if cwnd <= self.low_window {
            return 1.0;
        }
        match self.last {
            Some(last) if cwnd < last => self.search(last - cwnd),
            Some(last) => self.probe(cwnd - last),
            None => self.probe(cwnd).max(cwnd / 20.0),
        }
    }

    /// Below the last maximum, by this many segments.
    fn search(&self, below: f64) -> f64 {
        let step = floor(below / self.divisor);
        if step <= 1.0 { self.slowest() } else { step.min(self.max_increment) }
    }

    /// Beyond the last maximum, by this many segments.
    fn probe(&self, beyond: f64) -> f64 {
        if beyond < self.divisor {
            self.slowest()
        } else {
            (beyond / (self.divisor - 1.0)).min(self.max_increment)
        }
    }

    fn slowest(&self) -> f64 {
        self.divisor / self.smooth_part
    }
}

impl Controller for Bic {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        self.window.grow(left * self.increment() / self.window.cwnd());
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let cwnd = self.window.cwnd();
        let converge = self.fast_convergence && self.last.is_some_and(|last| cwnd < last);
        let maximum = if converge { cwnd * (1.0 + self.beta) / 2.0 } else { cwnd };
        self.last = (congestion.signal != Signal::Timeout).then_some(floor(maximum));
        let beta = if cwnd <= self.low_window { 0.5 } else { self.beta };
        self.window.decrease(congestion.signal, beta * cwnd);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.last = before.last;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
