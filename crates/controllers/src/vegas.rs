//! Vegas: keeps two to four segments of its own in the bottleneck's queue.
//!
//! Source: Brakmo, Peterson, "TCP Vegas: end to end congestion avoidance on a
//! global internet", IEEE JSAC 13(8), 1995, as in Linux's `tcp_vegas.c`.
//! With `T` the minimum round trip of the last round and `Tb` the minimum ever,
//! once per round trip:
//!
//! - `diff = w (T - Tb) / Tb`: the segments in the queue
//! - slow start: doubles; once `diff > gamma`, it ends at `min(w, w Tb / T + 1)`
//! - avoidance: `w += 1` where `diff < alpha`, `w -= 1` where `diff > beta`
//! - a round with fewer than three samples is ignored: Reno's growth
//! - congestion: `w = ssthresh = w / 2`, and the round's samples are discarded
//!
//! The paper divides by `T` where Linux divides by `Tb`, and doubles in slow
//! start every other round trip. A connection that starts on a standing queue
//! takes it for the path's own delay, and gets more than its share.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Parameter, Settings,
    Start, TransmissionStart, Window,
};

/// Samples that a round must have (Linux).
const FEWEST_SAMPLES: u32 = 3;

pub(crate) const DESCRIPTION: Description = Description {
    name: "vegas",
    title: "Vegas",
    source: "Brakmo, Peterson, IEEE JSAC 13(8), 1995, as in Linux",
    status: "checked against its equilibrium; the paper itself was not read",
    needs: &[],
    parameters: &[
        Parameter {
            name: "alpha",
            meaning: "the window grows while fewer segments than this are in the queue",
            kind: Kind::Number { default: 2.0, minimum: 0.0, maximum: 1e6 },
        },
        Parameter {
            name: "beta",
            meaning: "the window shrinks while more segments than this are in the queue",
            kind: Kind::Number { default: 4.0, minimum: 0.0, maximum: 1e6 },
        },
        Parameter {
            name: "gamma",
            meaning: "slow start ends when more segments than this are in the queue",
            kind: Kind::Number { default: 1.0, minimum: 0.0, maximum: 1e6 },
        },
    ],
};

/// Vegas.
#[derive(Clone, Debug)]
pub struct Vegas {
    window: Window,
    alpha: f64,
    beta: f64,
    gamma: f64,
    /// The minimum round trip ever.
    base: Nanoseconds,
    /// The minimum of this round, and the number of samples.
    least: Nanoseconds,
    samples: u32,
}

impl Vegas {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            alpha: settings.number("alpha"),
            beta: settings.number("beta"),
            gamma: settings.number("gamma"),
            base: Nanoseconds::MAX,
            least: Nanoseconds::MAX,
            samples: 0,
        }
    }

    fn forget_round(&mut self) {
        self.least = Nanoseconds::MAX;
        self.samples = 0;
    }

    fn observe(&mut self, rtt: Option<Nanoseconds>) {
        if let Some(rtt) = rtt {
            let rtt = rtt.max(1);
            self.base = self.base.min(rtt);
            self.least = self.least.min(rtt);
            self.samples += 1;
        }
    }

    /// Compares the actual with the expected rate of the round.
    fn judge_round(&mut self) {
        let cwnd = self.window.cwnd();
        let ratio = self.least as f64 / self.base as f64;
        let difference = cwnd * (ratio - 1.0);
        if self.window.in_slow_start() {
            if difference > self.gamma {
                self.window.reduce_to(cwnd.min(cwnd / ratio + 1.0));
            }
        } else if difference > self.beta {
            self.window.reduce_to(cwnd - 1.0);
        } else if difference < self.alpha {
            self.window.grow(1.0);
        }
    }
}

impl Controller for Vegas {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let measured = self.samples >= FEWEST_SAMPLES;
        let opens = acknowledgement.acknowledged > 0.0;
        if acknowledgement.round_ended {
            if measured && opens {
                self.judge_round();
            }
            self.forget_round();
        }
        self.observe(acknowledgement.rtt);
        let left = self.window.slow_start(acknowledgement.acknowledged);
        if acknowledgement.round_ended && !measured {
            self.window.grow(left.min(1.0));
        }
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
