//! Compound TCP: Reno's window plus a delay window that grows fast while there is
//! no queue and decreases when there is.
//!
//! Source: Tan, Song, Zhang, Sridharan, "A Compound TCP approach for high-speed
//! and long distance networks", INFOCOM 2006; its text was not available, and
//! the constants are those of Linux 2.6.17's `tcp_compound.c`. Windows later
//! adapts `gamma`; that is not here.
//!
//! The window is `w = r + d`, the Reno and the delay component. Once per round trip in
//! avoidance, with the minimum round trip of that round, `q = w (1 - rtt_min / rtt)`:
//!
//! - `q < gamma`: `d += max(alpha w^k - 1, 0)`
//! - else:        `d = max(d - zeta q, 0)`
//!
//! - slow start: `r += 1` for each segment, `d` is constant
//! - avoidance:  `r += 1/w` for each segment
//! - congestion: `r = r / 2`, `d = max(w (1 - beta) - r / 2, 0)`
//! - timeout: `ssthresh = w / 2`, the window restarts and `d = 0`

use libm::pow;

use crate::delays::Delays;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Signal, Start,
    TransmissionStart, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "compound",
    title: "Compound TCP",
    source: "Tan, Song, Zhang, Sridharan, INFOCOM 2006, with the constants of old Linux versions",
    status: "checked against its response function; the paper's constants were not verified",
    needs: &[],
    parameters: &[
        Parameter {
            name: "alpha",
            meaning: "the growth rate of the delay component",
            kind: Kind::Number { default: 0.125, minimum: 0.001, maximum: 1.0 },
        },
        Parameter {
            name: "beta",
            meaning: "the fraction of the window given up after congestion",
            kind: Kind::Number { default: 0.5, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "k",
            meaning: "the exponent of the window in the growth of the delay component",
            kind: Kind::Number { default: 0.75, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "gamma",
            meaning: "the number of queued segments from which the delay component decreases",
            kind: Kind::Number { default: 30.0, minimum: 0.0, maximum: 1e6 },
        },
        Parameter {
            name: "zeta",
            meaning: "the decrease of the delay component for each queued segment, in segments",
            kind: Kind::Number { default: 1.0, minimum: 0.0, maximum: 100.0 },
        },
    ],
};

/// Compound TCP.
#[derive(Clone, Debug)]
pub struct Compound {
    window: Window,
    alpha: f64,
    beta: f64,
    k: f64,
    gamma: f64,
    zeta: f64,
    /// The delay component of the window.
    delay_window: f64,
    delays: Delays,
}

impl Compound {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            alpha: settings.number("alpha"),
            beta: settings.number("beta"),
            k: settings.number("k"),
            gamma: settings.number("gamma"),
            zeta: settings.number("zeta"),
            delay_window: 0.0,
            delays: Delays::new(),
        }
    }

    /// Adapts the delay component to a round trip.
    fn adapt(&mut self, rtt: f64) {
        let cwnd = self.window.cwnd();
        let queued = cwnd * (1.0 - self.delays.base() / rtt);
        if queued < self.gamma {
            let growth = (self.alpha * pow(cwnd, self.k) - 1.0).max(0.0);
            self.delay_window += growth;
            self.window.grow(growth);
        } else {
            // The threshold follows, or slow start would undo the decrease.
            let shrinkage = (self.zeta * queued).min(self.delay_window);
            self.delay_window -= shrinkage;
            self.window.reduce_to(cwnd - shrinkage);
        }
    }
}

impl Controller for Compound {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let round = if acknowledgement.round_ended { self.delays.end_period() } else { None };
        self.delays.observe(acknowledgement.rtt);
        let left = self.window.slow_start(acknowledgement.acknowledged);
        if left <= 0.0 {
            return;
        }
        if let Some(round) = round {
            self.adapt(round.least);
        }
        self.window.grow(left / self.window.cwnd());
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let cwnd = self.window.cwnd();
        if congestion.signal == Signal::Timeout {
            self.delay_window = 0.0;
            self.window.restart(cwnd / 2.0);
        } else {
            let reno = (cwnd - self.delay_window) / 2.0;
            self.delay_window = (cwnd * (1.0 - self.beta) - reno).max(0.0);
            self.window.reduce_to(reno + self.delay_window);
        }
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        if start.application_limited {
            self.delays.end_period();
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.delay_window = before.delay_window;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
