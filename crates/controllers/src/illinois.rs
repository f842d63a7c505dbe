//! TCP-Illinois: losses determine when the window decreases, delay determines how
//! fast it grows and how much it decreases.
//!
//! Source: Liu, Başar, Srikant, "TCP-Illinois: a loss- and delay-based congestion
//! control algorithm for high-speed networks", Performance Evaluation 65, 2008; its
//! text was not available, and the constants and the conditions are those of
//! Linux's `tcp_illinois.c`.
//!
//! Once per round trip, with `da` its mean minus the minimum round trip of the
//! connection, and `dm` the maximum minus the minimum:
//!
//! - `da <= dm/100`: `alpha = 10`; if `da` was larger before, only after five
//!   such round trips in a row; until then it is unchanged
//! - else `alpha = 10 m / (m + a (10 - 0.3) / 0.3)`, `m = dm - dm/100`,
//!   `a = da - dm/100`: 10 at `dm/100` and 0.3 at `dm`
//! - `beta`: 1/8 up to `da = dm/10`, 1/2 from `da = 8/10 dm`, linear in between
//! - below 15 segments `alpha = 1` and `beta = 1/2`
//!
//! - avoidance:  `w += alpha / w` for each segment
//! - congestion: `w = ssthresh = (1 - beta) w`
//! - timeout: the same threshold; then `alpha = 1` and `beta = 1/2`
//!
//! The maximum round trip is never reset. Before the first measured round trip
//! `alpha` is 10 and `beta` 1/2.

use crate::delays::{Delays, Period};
use crate::{
    Acknowledgement, Congestion, Controller, Description, Settings, Signal, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "illinois",
    title: "TCP-Illinois",
    source: "Liu, Başar, Srikant, Performance Evaluation 65, 2008, as in Linux",
    status: "checked against its curves for alpha and beta; the paper was not read",
    needs: &[],
    parameters: &[],
};

const MOST_ALPHA: f64 = 10.0;
const LEAST_ALPHA: f64 = 0.3;
const MOST_BETA: f64 = 0.5;
const LEAST_BETA: f64 = 0.125;
const LOW_WINDOW: f64 = 15.0;
/// Round trips without a queue before the window grows fastest again.
const PATIENCE: u32 = 5;

/// TCP-Illinois.
#[derive(Clone, Debug)]
pub struct Illinois {
    window: Window,
    delays: Delays,
    alpha: f64,
    beta: f64,
    /// Whether there was a queue since `alpha` was last at its most.
    queued: bool,
    /// Round trips in a row without a queue since then.
    clear_rounds: u32,
}

impl Illinois {
    pub(crate) fn new(start: Start, _settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            delays: Delays::new(),
            alpha: MOST_ALPHA,
            beta: MOST_BETA,
            queued: false,
            clear_rounds: 0,
        }
    }

    fn behave_as_reno(&mut self) {
        self.alpha = 1.0;
        self.beta = MOST_BETA;
    }

    fn adapt(&mut self, round: Period) {
        if self.window.cwnd() < LOW_WINDOW {
            self.behave_as_reno();
            return;
        }
        let mean = round.mean() - self.delays.base();
        let most = self.delays.longest() - self.delays.base();
        self.alpha = self.increase(mean, most);
        self.beta = decrease(mean, most);
    }

    /// `alpha` at a mean delay, of the most there was.
    fn increase(&mut self, mean: f64, most: f64) -> f64 {
        let low = most / 100.0;
        if mean > low {
            self.queued = true;
            self.clear_rounds = 0;
            let (range, above) = (most - low, mean - low);
            return MOST_ALPHA * range / (range + above * (MOST_ALPHA - LEAST_ALPHA) / LEAST_ALPHA);
        }
        self.clear_rounds += 1;
        if self.queued && self.clear_rounds < PATIENCE {
            return self.alpha;
        }
        self.queued = false;
        MOST_ALPHA
    }
}

/// `beta` at a mean delay, relative to the maximum.
fn decrease(mean: f64, most: f64) -> f64 {
    let (low, high) = (most / 10.0, most * 0.8);
    if mean <= low {
        return LEAST_BETA;
    }
    let way = ((mean - low) / (high - low)).min(1.0);
    LEAST_BETA + (MOST_BETA - LEAST_BETA) * way
}

impl Controller for Illinois {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if acknowledgement.round_ended
            && let Some(round) = self.delays.end_period()
        {
            self.adapt(round);
        }
        self.delays.observe(acknowledgement.rtt);
        let left = self.window.slow_start(acknowledgement.acknowledged);
        self.window.grow(left * self.alpha / self.window.cwnd());
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let kept = (1.0 - self.beta) * self.window.cwnd();
        if congestion.signal == Signal::Timeout {
            self.behave_as_reno();
            self.queued = false;
            self.clear_rounds = 0;
            self.delays.end_period();
        }
        self.window.decrease(congestion.signal, kept);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.alpha = before.alpha;
        self.beta = before.beta;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
