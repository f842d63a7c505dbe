//! Agile-SD: grows fast right after a decrease, and like Reno near the window
//! at which it last met congestion.
//!
//! Source: Alrshah, Othman, Ali, Hanapi, "Agile-SD: a Linux-based TCP
//! congestion control algorithm for supporting high-speed and short-distance
//! networks", JNCA 55, 2015, and the author's Linux module 1.0, which is
//! followed because the paper's text was not available.
//!
//! With `loss` and `degraded` the window before and after the last decrease:
//!
//! - avoidance: `w += lambda / w` for each segment, with the agility factor
//!   `lambda = lambda-max * (loss - w) / (loss - degraded)`, within 1 and
//!   `lambda-max`; the denominator is at least 1
//! - congestion: `w = ssthresh = beta * w`; in slow start `beta-slow-start * w`
//!
//! The module keeps 0.90 in both phases. El-Bakkouchi et al., "Performance
//! analysis of TCP variants in Named Data Networking", state 0.90 in slow start
//! and 0.95 in avoidance. The module does nothing special on a timeout, so
//! `loss` and `degraded` are kept as after any decrease. A later paper
//! derives `lambda-max` from `beta`; its formula was not seen.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "agile-sd",
    title: "Agile-SD",
    source: "Alrshah et al., JNCA 55, 2015, and the author's Linux module",
    status: "checked against its closed forms; the paper was not read",
    needs: &[],
    parameters: &[
        Parameter {
            name: "beta-slow-start",
            meaning: "the fraction of the window kept after congestion in slow start",
            kind: Kind::Number { default: 0.9, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "beta",
            meaning: "the fraction of the window kept after congestion in congestion avoidance",
            kind: Kind::Number { default: 0.9, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "lambda-max",
            meaning: "the maximum agility factor: growth in segments per round trip",
            kind: Kind::Number { default: 3.0, minimum: 1.0, maximum: 1000.0 },
        },
    ],
};

/// Agile-SD.
#[derive(Clone, Debug)]
pub struct AgileSd {
    window: Window,
    beta_slow_start: f64,
    beta: f64,
    lambda_max: f64,
    /// The window before the last decrease.
    loss: f64,
    /// The window after it.
    degraded: f64,
}

impl AgileSd {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            beta_slow_start: settings.number("beta-slow-start"),
            beta: settings.number("beta"),
            lambda_max: settings.number("lambda-max"),
            loss: 0.0,
            degraded: 0.0,
        }
    }

    fn agility(&self) -> f64 {
        let gap = (self.loss - self.window.cwnd()) / (self.loss - self.degraded).max(1.0);
        (self.lambda_max * gap).clamp(1.0, self.lambda_max)
    }
}

impl Controller for AgileSd {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        self.window.grow(left * self.agility() / self.window.cwnd());
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let beta = if self.window.in_slow_start() { self.beta_slow_start } else { self.beta };
        self.loss = self.window.cwnd();
        self.degraded = beta * self.loss;
        self.window.decrease(congestion.signal, self.degraded);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.loss = before.loss;
        self.degraded = before.degraded;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
