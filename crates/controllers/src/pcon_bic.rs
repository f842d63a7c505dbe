//! PCON-BIC: the BIC of the NDN consumers, with floating-point midpoints and its own
//! slow start above the last maximum.
//!
//! Source: Schneider et al., "A practical congestion control scheme for Named
//! Data Networking", ICN 2016, as ndnSIM's ConsumerPcon applies it; the
//! paper's own text was not available. ndnSIM keeps 0.8 after congestion: `beta`.
//!
//! For each segment, with `minimum`, `maximum` and `target = (minimum + maximum) / 2`:
//!
//! - `w < low-window`: slow start below the threshold, else `w += 1/w`
//! - search: `w += (target - w) / w` if the target is closer than
//!   `max-increment`, else `w += max-increment / w`; then, below the maximum,
//!   `minimum = w` and a new target; at it (within 1e-5), the maximum is
//!   discarded and probing begins with `step = 1`, `goal = w + 1`
//! - probe: `w += step / w`; at the goal the step doubles and `goal = w + step`;
//!   a step of `max-increment` ends it
//! - congestion from `low-window` on: `maximum = w`, `w = minimum = beta * w`;
//!   if the maximum fell (fast convergence; a discarded one counts as higher),
//!   it becomes the midpoint of the two. Threshold and probing stay as they are
//! - congestion below: `w = ssthresh = beta * w`
//!
//! The initial target is 0, and a target persists during probing: the first
//! segment of a search without a maximum takes the window *down* by
//! `(w - target) / w`. That is the consumer's behaviour and is kept.
//!
//! The consumer treats a timeout as ordinary congestion; the transport chooses the
//! signal. [`Signal::Timeout`] restarts everything.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Signal, Start,
    Window,
};

/// This close to the maximum, in segments, a search has ended.
const NEAR: f64 = 1e-5;

pub(crate) const DESCRIPTION: Description = Description {
    name: "pcon-bic",
    title: "PCON-BIC",
    source: "Schneider et al., ICN 2016, as in ndnSIM's ConsumerPcon",
    status: "checked against a step-by-step sequence; the paper was not read",
    needs: &[],
    parameters: &[
        Parameter {
            name: "beta",
            meaning: "the fraction of the window kept after congestion",
            kind: Kind::Number { default: 0.5, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "low-window",
            meaning: "the window, in segments, below which BIC behaves as Reno",
            kind: Kind::Number { default: 14.0, minimum: 0.0, maximum: 1e6 },
        },
        Parameter {
            name: "max-increment",
            meaning: "the maximum growth of the window, in segments per round trip",
            kind: Kind::Number { default: 16.0, minimum: 1.0, maximum: 1e6 },
        },
    ],
};

/// The NDN consumers' binary increase.
#[derive(Clone, Debug)]
pub struct PconBic {
    window: Window,
    beta: f64,
    low_window: f64,
    max_increment: f64,
    /// Infinite if unknown.
    maximum: f64,
    target: f64,
    probe: Option<Probe>,
}

/// BIC's own slow start, above the last maximum.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// Growth per round trip, in segments.
    step: f64,
    /// The window at which the step doubles.
    goal: f64,
}

impl PconBic {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            beta: settings.number("beta"),
            low_window: settings.number("low-window"),
            max_increment: settings.number("max-increment"),
            maximum: f64::INFINITY,
            target: 0.0,
            probe: None,
        }
    }

    fn search(&mut self, share: f64) {
        let gap = self.target - self.window.cwnd();
        self.window.grow(share * gap.min(self.max_increment));
        let cwnd = self.window.cwnd();
        if cwnd + NEAR < self.maximum {
            self.target = f64::midpoint(cwnd, self.maximum);
        } else {
            self.maximum = f64::INFINITY;
            self.probe = Some(Probe { step: 1.0, goal: cwnd + 1.0 });
        }
    }

    fn go_on_probing(&mut self, mut probe: Probe, share: f64) {
        self.window.grow(share * probe.step);
        if self.window.cwnd() >= probe.goal {
            probe.step *= 2.0;
            probe.goal = self.window.cwnd() + probe.step;
        }
        self.probe = (probe.step < self.max_increment).then_some(probe);
    }

    fn reduce(&mut self) {
        let cwnd = self.window.cwnd();
        let kept = self.beta * cwnd;
        if cwnd < self.low_window {
            return self.window.reduce_to(kept);
        }
        let fell = self.maximum > cwnd;
        self.maximum = if fell { f64::midpoint(cwnd, kept) } else { cwnd };
        self.target = f64::midpoint(self.maximum, kept);
        self.window.set(kept);
    }

    fn restart(&mut self) {
        self.window.restart(self.beta * self.window.cwnd());
        self.maximum = f64::INFINITY;
        self.target = 0.0;
        self.probe = None;
    }
}

impl Controller for PconBic {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let acknowledged = acknowledgement.acknowledged;
        let cwnd = self.window.cwnd();
        let share = acknowledged / cwnd;
        if cwnd < self.low_window {
            let left = self.window.slow_start(acknowledged);
            self.window.grow(left / self.window.cwnd());
        } else if let Some(probe) = self.probe {
            self.go_on_probing(probe, share);
        } else {
            self.search(share);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Timeout => self.restart(),
            Signal::Loss | Signal::Mark | Signal::Nack => self.reduce(),
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.maximum = before.maximum;
        self.target = before.target;
        self.probe = before.probe;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
