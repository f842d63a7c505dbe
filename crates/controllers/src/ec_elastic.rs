//! EC-Elastic: Elastic-TCP's growth for NDN, with smaller decreases.
//!
//! Source: El-Bakkouchi et al., "EC-Elastic an explicit congestion control
//! mechanism for Named Data Networking", section IV.D, equation 1 and algorithm 2.
//!
//! - avoidance: `w += WWF / w` for each segment, `WWF = sqrt(w * rtt_max / rtt)`;
//!   `rtt_max` is measured in avoidance only
//! - congestion: `w = beta-slow-start * w` in slow start (the paper's beta 1),
//!   else `w = beta * w` (its beta 2); then `ssthresh = w - 1`
//! - timeout: the window restarts (IV.D.2), with the same threshold
//!
//! Equation 1 prints `w` outside the radical: then each segment adds
//! `sqrt(rtt_max / rtt) >= 1` and the window at least doubles every round trip,
//! in avoidance too. The function is quoted from Elastic-TCP, which has `w`
//! inside; that is the default reading of `weighting`. Algorithm 2 decreases
//! on a NACK and the text on marks and timeouts: every signal counts here, and
//! the transport chooses which to send. For a timeout that only decreases (IV.D.1)
//! the transport reports it as a loss. Algorithm 2 keeps `rtt_min`
//! but does not use it.

use libm::sqrt;

use crate::elastic::RoundTrips;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "ec-elastic",
    title: "EC-Elastic",
    source: "El-Bakkouchi et al., EC-Elastic, section IV.D",
    status: "checked against its closed forms; equation 1 is ambiguous, see `weighting`",
    needs: &[],
    parameters: &[
        Parameter {
            name: "beta-slow-start",
            meaning: "the fraction of the window kept after congestion in slow start",
            kind: Kind::Number { default: 0.85, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "beta",
            meaning: "the fraction of the window kept after congestion in congestion avoidance",
            kind: Kind::Number { default: 0.9, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "weighting",
            meaning: "the radicand of the weighting function",
            kind: Kind::Choice(&[
                ("product", "window times round-trip time ratio, as in Elastic-TCP"),
                ("as-printed", "the round-trip time ratio alone: exponential growth"),
            ]),
        },
    ],
};

/// EC-Elastic.
#[derive(Clone, Debug)]
pub struct EcElastic {
    window: Window,
    beta_slow_start: f64,
    beta: f64,
    as_printed: bool,
    round_trips: RoundTrips,
}

impl EcElastic {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            beta_slow_start: settings.number("beta-slow-start"),
            beta: settings.number("beta"),
            as_printed: settings.choice("weighting") == "as-printed",
            round_trips: RoundTrips::default(),
        }
    }

    /// `WWF` of equation 1.
    fn weight(&self) -> f64 {
        let cwnd = self.window.cwnd();
        let ratio = self.round_trips.ratio();
        if self.as_printed { sqrt(ratio) * cwnd } else { sqrt(ratio * cwnd) }
    }
}

impl Controller for EcElastic {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        if left > 0.0 {
            self.round_trips.observe(acknowledgement.rtt);
            self.window.grow(left * self.weight() / self.window.cwnd());
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let beta = if self.window.in_slow_start() { self.beta_slow_start } else { self.beta };
        let kept = beta * self.window.cwnd();
        self.window.decrease(congestion.signal, kept);
        self.window.set_ssthresh(kept - 1.0);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
