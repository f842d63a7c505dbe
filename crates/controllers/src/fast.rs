//! FAST: moves the window directly to the value at which `alpha` of its segments are
//! in the bottleneck's queue.
//!
//! Source: Jin, Wei, Low, "FAST TCP: motivation, architecture, algorithms,
//! performance", INFOCOM 2004, equation 1. With `T` the mean round trip of the
//! last round and `Tb` the minimum ever, once per round trip:
//!
//! - `w = min(2 w, (1 - gamma) w + gamma (Tb / T w + alpha))`
//! - congestion: `w = ssthresh = w / 2`
//!
//! In equilibrium `alpha = w (T - Tb) / T`, so that a connection's rate is `alpha` over
//! the queueing delay whatever its round trip. The paper's text could not be
//! opened. `alpha` has no standard value: the prototype chose it by the bottleneck's
//! rate, and ports use 15 to 250. The rule for slow start is an interpretation: the
//! window doubles each round trip until `alpha` segments are in the queue.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Parameter, Settings,
    Start, TransmissionStart, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "fast",
    title: "FAST",
    source: "Jin, Wei, Low, INFOCOM 2004, equation 1",
    status: "checked against its equilibrium; the paper was not read, `alpha` has no known default",
    needs: &[],
    parameters: &[
        Parameter {
            name: "alpha",
            meaning: "the number of segments that the connection keeps in the bottleneck's queue",
            kind: Kind::Number { default: 20.0, minimum: 0.1, maximum: 1e6 },
        },
        Parameter {
            name: "gamma",
            meaning: "the fraction of the distance to its target that the window moves per round",
            kind: Kind::Number { default: 0.5, minimum: 0.01, maximum: 1.0 },
        },
    ],
};

/// FAST.
#[derive(Clone, Debug)]
pub struct Fast {
    window: Window,
    alpha: f64,
    gamma: f64,
    /// The minimum round trip ever.
    base: Nanoseconds,
    /// The sum and number of this round's samples.
    sum: f64,
    samples: f64,
}

impl Fast {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            alpha: settings.number("alpha"),
            gamma: settings.number("gamma"),
            base: Nanoseconds::MAX,
            sum: 0.0,
            samples: 0.0,
        }
    }

    fn observe(&mut self, rtt: Option<Nanoseconds>) {
        if let Some(rtt) = rtt {
            let rtt = rtt.max(1);
            self.base = self.base.min(rtt);
            self.sum += rtt as f64;
            self.samples += 1.0;
        }
    }

    fn forget_round(&mut self) {
        self.sum = 0.0;
        self.samples = 0.0;
    }

    /// `Tb / T` of the round that ended; `None` if nothing was measured.
    fn ratio(&self) -> Option<f64> {
        (self.samples > 0.0).then(|| self.base as f64 * self.samples / self.sum)
    }

    fn update(&mut self, ratio: f64) {
        let cwnd = self.window.cwnd();
        if !self.window.in_slow_start() {
            let goal = ratio * cwnd + self.alpha;
            let next = (1.0 - self.gamma) * cwnd + self.gamma * goal;
            self.window.reduce_to(next.min(2.0 * cwnd));
        } else if cwnd * (1.0 - ratio) >= self.alpha {
            self.window.reduce_to(ratio * cwnd + self.alpha);
        }
    }
}

impl Controller for Fast {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if acknowledgement.round_ended {
            if let Some(ratio) = self.ratio()
                && acknowledgement.acknowledged > 0.0
            {
                self.update(ratio);
            }
            self.forget_round();
        }
        self.observe(acknowledgement.rtt);
        self.window.slow_start(acknowledgement.acknowledged);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.decrease(congestion.signal, self.window.cwnd() / 2.0);
        self.forget_round();
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        if start.application_limited {
            self.forget_round();
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
