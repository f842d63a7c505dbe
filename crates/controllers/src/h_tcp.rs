//! H-TCP: the longer since the last congestion, the faster the window grows.
//!
//! Source: Leith, Shorten, "H-TCP: TCP for high-speed and long-distance networks",
//! PFLDnet 2004; its text was not available, and the constants and the
//! conditions are those of Linux's `tcp_htcp.c`. Times in seconds.
//!
//! With `d` the time since recovery from the last congestion:
//!
//! - `f = 1` for `d <= 1`, else `f = 1 + 10 (d - 1) + ((d - 1) / 2)^2`
//! - round-trip scaling: `f = max(1, f / s)`, `s = 0.1 / rtt_min` within 0.5 and 10,
//!   so that the growth per second is the same for all paths
//! - avoidance:  `w += alpha / w` for each segment, `alpha = 2 (1 - beta) f`
//! - congestion: `w = ssthresh = beta w`, `beta = rtt_min / rtt_max` within 0.5 and
//!   0.8, and 0.5 unless the round trip is longer than 10 ms, there was a congestion
//!   before, and (the bandwidth switch) the highest throughput is within a fifth of
//!   the one before
//! - then `rtt_max = rtt_min + 0.95 (rtt_max - rtt_min)`
//!
//! A sample raises `rtt_max` if it is at most 20 ms above it and outside loss
//! recovery. The throughput is measured over at least a round trip and `w - alpha`
//! segments, and smoothed by a quarter; within three round trips of a congestion
//! it restarts.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Parameter, Settings,
    Start, Window, seconds,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "h-tcp",
    title: "H-TCP",
    source: "Leith, Shorten, PFLDnet 2004, with Linux's conditions",
    status: "checked against its closed forms; the paper was not read",
    needs: &[],
    parameters: &[
        Parameter {
            name: "rtt-scaling",
            meaning: "round-trip time scaling: the same growth per second for all round-trip times",
            kind: Kind::Flag { default: true, needs: &[] },
        },
        Parameter {
            name: "bandwidth-switch",
            meaning: "halve the window if the throughput changed by more than a fifth",
            kind: Kind::Flag { default: true, needs: &[] },
        },
    ],
};

const LEAST_KEPT: f64 = 0.5;
const MOST_KEPT: f64 = 0.8;

/// H-TCP.
#[derive(Clone, Debug)]
pub struct HTcp {
    window: Window,
    rtt_scaling: bool,
    bandwidth_switch: bool,
    /// When the last congestion was detected, and then when recovery ended.
    cleared: Nanoseconds,
    beta: f64,
    /// Whether `beta` may follow the round trips: after a first congestion.
    adaptive: bool,
    /// The minimum and maximum round trip in seconds; 0 before a sample.
    rtt_min: f64,
    rtt_max: f64,
    throughput: Throughput,
}

/// Throughput in segments per second.
#[derive(Clone, Debug, Default)]
struct Throughput {
    since: Nanoseconds,
    delivered: f64,
    smoothed: f64,
    /// The highest since the last congestion.
    highest: f64,
    /// The highest at the congestion before.
    before: f64,
}

impl Throughput {
    fn restart(&mut self, now: Nanoseconds) {
        self.since = now;
        self.delivered = 0.0;
    }

    /// Processes a measurement; `anew` discards the previous ones.
    fn sample(&mut self, rate: f64, anew: bool) {
        if anew {
            self.smoothed = rate;
            self.highest = rate;
        } else {
            self.smoothed += (rate - self.smoothed) / 4.0;
            self.highest = self.highest.max(self.smoothed);
        }
    }

    /// Whether the highest differs from the one before by more than a fifth.
    fn changed(&mut self) -> bool {
        let before = core::mem::replace(&mut self.before, self.highest);
        (self.highest - before).abs() > before / 5.0
    }
}

impl HTcp {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            rtt_scaling: settings.flag("rtt-scaling"),
            bandwidth_switch: settings.flag("bandwidth-switch"),
            cleared: 0,
            beta: LEAST_KEPT,
            adaptive: false,
            rtt_min: 0.0,
            rtt_max: 0.0,
            throughput: Throughput::default(),
        }
    }

    fn since_congestion(&self, now: Nanoseconds) -> f64 {
        seconds(now.saturating_sub(self.cleared))
    }

    /// The growth in segments per round trip.
    fn alpha(&self, now: Nanoseconds) -> f64 {
        let late = (self.since_congestion(now) - 1.0).max(0.0);
        let mut factor = 1.0 + 10.0 * late + late * late / 4.0;
        if self.rtt_scaling && self.rtt_min > 0.0 {
            factor = (factor / (0.1 / self.rtt_min).clamp(0.5, 10.0)).max(1.0);
        }
        2.0 * (1.0 - self.beta) * factor
    }

    fn measure_round_trip(&mut self, rtt: Nanoseconds, recovering: bool) {
        let rtt = seconds(rtt);
        self.rtt_min = if self.rtt_min > 0.0 { self.rtt_min.min(rtt) } else { rtt };
        self.rtt_max = self.rtt_max.max(self.rtt_min);
        if !recovering && rtt <= self.rtt_max + 0.02 {
            self.rtt_max = self.rtt_max.max(rtt);
        }
    }

    fn measure_throughput(&mut self, acknowledgement: &Acknowledgement) {
        let now = acknowledgement.now;
        if acknowledgement.recovering {
            self.throughput.restart(now);
            return;
        }
        self.throughput.delivered += acknowledgement.delivered;
        let elapsed = seconds(now.saturating_sub(self.throughput.since));
        let enough = self.throughput.delivered >= self.window.cwnd() - self.alpha(now);
        if self.rtt_min > 0.0 && elapsed >= self.rtt_min && enough {
            let anew = self.since_congestion(now) <= 3.0 * self.rtt_min;
            self.throughput.sample(self.throughput.delivered / elapsed, anew);
            self.throughput.restart(now);
        }
    }

    /// The fraction of the window kept after this congestion.
    fn adapt(&mut self) -> f64 {
        let changed = self.throughput.changed();
        if self.bandwidth_switch && changed {
            self.adaptive = false;
            return LEAST_KEPT;
        }
        if !self.adaptive || self.rtt_min <= 0.01 {
            self.adaptive = true;
            return LEAST_KEPT;
        }
        (self.rtt_min / self.rtt_max).clamp(LEAST_KEPT, MOST_KEPT)
    }
}

impl Controller for HTcp {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if let Some(rtt) = acknowledgement.rtt {
            self.measure_round_trip(rtt, acknowledgement.recovering);
        }
        self.measure_throughput(acknowledgement);
        let left = self.window.slow_start(acknowledgement.acknowledged);
        self.window.grow(left * self.alpha(acknowledgement.now) / self.window.cwnd());
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.beta = self.adapt();
        self.rtt_max = self.rtt_min + 0.95 * (self.rtt_max - self.rtt_min);
        self.cleared = congestion.now;
        self.window.decrease(congestion.signal, self.beta * self.window.cwnd());
    }

    fn on_recovered(&mut self, now: Nanoseconds) {
        self.cleared = now;
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.cleared = before.cleared;
        self.beta = before.beta;
        self.rtt_max = before.rtt_max;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
