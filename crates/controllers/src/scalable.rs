//! Scalable TCP: the window grows and falls by constant fractions, so that it
//! recovers from congestion in the same number of round trips for any size.
//!
//! Source: Kelly, "Scalable TCP: improving performance in highspeed wide area
//! networks", Computer Communication Review 33(2), 2003; its text could not be
//! opened, and the values were compared with Linux's `tcp_scalable.c` (which is
//! Reno up to 100 segments instead). El-Bakkouchi et al., "Performance analysis
//! of TCP variants in Named Data Networking", state a `low-window` of 32.
//!
//! - avoidance:  `w += a` for each segment
//! - congestion: `w -= b * w`, `ssthresh = w`
//! - below `low-window`, Reno: `w += 1/w`; congestion halves the window

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "scalable",
    title: "Scalable TCP",
    source: "Kelly, Computer Communication Review 33(2), 2003",
    status: "checked against its closed forms; the paper was not read",
    needs: &[],
    parameters: &[
        Parameter {
            name: "a",
            meaning: "the growth for each acknowledged segment, in segments",
            kind: Kind::Number { default: 0.01, minimum: 0.0001, maximum: 1.0 },
        },
        Parameter {
            name: "b",
            meaning: "the fraction of the window given up after congestion",
            kind: Kind::Number { default: 0.125, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "low-window",
            meaning: "the window, in segments, below which it behaves as Reno",
            kind: Kind::Number { default: 16.0, minimum: 0.0, maximum: 1e6 },
        },
    ],
};

/// Scalable TCP.
#[derive(Clone, Debug)]
pub struct Scalable {
    window: Window,
    a: f64,
    b: f64,
    low_window: f64,
}

impl Scalable {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            a: settings.number("a"),
            b: settings.number("b"),
            low_window: settings.number("low-window"),
        }
    }

    fn is_reno(&self) -> bool {
        self.window.cwnd() < self.low_window
    }
}

impl Controller for Scalable {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        let growth = if self.is_reno() { 1.0 / self.window.cwnd() } else { self.a };
        self.window.grow(left * growth);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let kept = if self.is_reno() { 0.5 } else { 1.0 - self.b };
        self.window.decrease(congestion.signal, kept * self.window.cwnd());
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
