//! LEDBAT++: LEDBAT by round-trip time, with multiplicative decrease and regular
//! slowdowns, in which all connections measure the base delay.
//!
//! Source: draft-irtf-iccrg-ledbat-plus-plus-01. With `Tb` the minimum round trip
//! of the last ten minutes, `q` the latest above it, `target` 60 ms:
//!
//! - `gain = 1 / min(16, ceil(2 target / Tb))`
//! - slow start: `w += gain` for each segment; the first one ends when
//!   `q > 3/4 target`
//! - avoidance, per round trip: `w += gain` if `q <= target`, else
//!   `w += max(gain - w (q / target - 1), -w / 2)`
//! - slowdown: `ssthresh = w`, two segments for two round trips, and back by slow
//!   start; the first comes two round trips after the first slow start, each
//!   further one after nine times the duration of the last: slowdowns take at most
//!   a tenth of the time
//! - congestion: `w = ssthresh = w / 2`; during a slowdown, half of the
//!   threshold to which it will return (an interpretation)
//!
//! The draft was read through an implementation that follows it.

use libm::ceil;

use crate::base_delay::BaseDelay;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Parameter, Settings,
    Signal, Start, Window, seconds,
};

/// The window in a slowdown, in segments.
const SLOW: f64 = 2.0;
/// The duration of a slowdown, and the time from slow start to the first one, in
/// round trips.
const SLOW_ROUNDS: u8 = 2;
/// Time between slowdowns, in durations of the last one.
const INTERVAL: Nanoseconds = 9;
/// The maximum divisor of `gain`.
const MOST_DIVIDED: f64 = 16.0;

pub(crate) const DESCRIPTION: Description = Description {
    name: "ledbat-plus-plus",
    title: "LEDBAT++",
    source: "draft-irtf-iccrg-ledbat-plus-plus-01",
    status: "checked against its standing queue and its slowdowns; the draft was not read",
    needs: &[],
    parameters: &[Parameter {
        name: "target",
        meaning: "the target: the delay that it may add to the round-trip time, in seconds",
        kind: Kind::Number { default: 0.06, minimum: 0.001, maximum: 1.0 },
    }],
};

/// The state of the slowdowns.
#[derive(Clone, Copy, Debug)]
enum Slowdown {
    /// In the first slow start.
    None,
    /// The first slowdown starts after this many round trips.
    Soon(u8),
    /// The window is held for this many more round trips.
    Held { begun: Nanoseconds, rounds: u8 },
    /// The window is growing back.
    Returning { begun: Nanoseconds },
    /// The next one starts at this time.
    Due(Nanoseconds),
}

/// LEDBAT++.
#[derive(Clone, Debug)]
pub struct LedbatPlusPlus {
    window: Window,
    target: f64,
    delay: BaseDelay,
    slowdown: Slowdown,
}

impl LedbatPlusPlus {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            target: settings.number("target"),
            delay: BaseDelay::new(),
            slowdown: Slowdown::None,
        }
    }

    fn gain(&self) -> f64 {
        let base = seconds(self.delay.base().max(1));
        1.0 / ceil(2.0 * self.target / base).clamp(1.0, MOST_DIVIDED)
    }

    /// The growth per round trip, which may be negative.
    fn change(&self, queueing: f64) -> f64 {
        let cwnd = self.window.cwnd();
        let above = queueing / self.target - 1.0;
        if above <= 0.0 { self.gain() } else { (self.gain() - cwnd * above).max(-cwnd / 2.0) }
    }

    fn adapt(&mut self, acknowledgement: &Acknowledgement, queueing: f64) {
        if self.window.in_slow_start() {
            self.window.slow_start(self.gain() * acknowledgement.acknowledged);
            return;
        }
        let change = self.change(queueing);
        let segments = if change >= 0.0 || acknowledgement.recovering {
            acknowledgement.acknowledged
        } else {
            acknowledgement.delivered
        };
        let cwnd = self.window.cwnd();
        self.window.reduce_to((cwnd + change * segments / cwnd).max(SLOW));
    }

    /// Starts, continues and ends a slowdown when it is due.
    fn schedule(&mut self, now: Nanoseconds, round_ended: bool) {
        let passed = u8::from(round_ended);
        self.slowdown = match self.slowdown {
            Slowdown::None if !self.window.in_slow_start() => Slowdown::Soon(SLOW_ROUNDS),
            Slowdown::Soon(0) if !self.window.in_slow_start() => self.slow_down(now),
            Slowdown::Soon(rounds) => Slowdown::Soon(rounds.saturating_sub(passed)),
            Slowdown::Held { begun, rounds: 0 } => Slowdown::Returning { begun },
            Slowdown::Held { begun, rounds } => Slowdown::Held { begun, rounds: rounds - passed },
            Slowdown::Returning { begun } if !self.window.in_slow_start() => {
                Slowdown::Due(now.saturating_add(INTERVAL * (now - begun)))
            }
            Slowdown::Due(instant) if now >= instant && !self.window.in_slow_start() => {
                self.slow_down(now)
            }
            other => other,
        };
    }

    fn slow_down(&mut self, now: Nanoseconds) -> Slowdown {
        self.window.set_ssthresh(self.window.cwnd());
        self.window.set(SLOW);
        // The current round was sent before.
        Slowdown::Held { begun: now, rounds: SLOW_ROUNDS + 1 }
    }
}

impl Controller for LedbatPlusPlus {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let now = acknowledgement.now;
        if let Some(rtt) = acknowledgement.rtt {
            self.delay.observe(now, rtt);
        }
        let rtt = acknowledgement.smoothed_rtt.unwrap_or(0);
        let queueing = seconds(self.delay.queueing(now, rtt));
        if matches!(self.slowdown, Slowdown::None) && queueing > 0.75 * self.target {
            self.window.reduce_to(self.window.cwnd());
        }
        self.schedule(now, acknowledgement.round_ended);
        if !matches!(self.slowdown, Slowdown::Held { .. }) {
            self.adapt(acknowledgement, queueing);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let held = matches!(self.slowdown, Slowdown::Held { .. });
        if held && congestion.signal != Signal::Timeout {
            self.window.set_ssthresh((self.window.ssthresh() / 2.0).max(SLOW));
        } else {
            self.window.decrease(congestion.signal, (self.window.cwnd() / 2.0).max(SLOW));
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
