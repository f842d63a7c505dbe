//! Copa: moves the sending rate to `1 / (delta dq)`, where `dq` is the measured
//! queueing delay.
//!
//! Source: Arun, Balakrishnan, "Copa: practical delay-based congestion control
//! for the Internet", NSDI 2018, sections 2 and 3, and its authors' genericCC.
//! With `T` the standing round trip (the minimum within half a smoothed round
//! trip) and `Tb` the minimum within 10 s (or 20 times itself):
//!
//! - target rate `1 / (delta (T - Tb))`, current rate `w / T`
//! - slow start: `w += 1` for each segment until the current rate is above the
//!   target
//! - then `w += v / (delta w)` for each segment while it is not above, else `-=`
//! - velocity: once per round trip; the same direction three times doubles `v`, a
//!   change sets it to 1
//! - pacing: `2 w / T`
//! - competition: where the queue has not been nearly empty within five smoothed
//!   round trips (the minimum round trip above `Tb + 0.1 (maximum - Tb)`, the
//!   maximum of four), others do not yield: then `1/delta` grows by one per round
//!   trip and halves on a loss
//! - loss: not a signal, except that a loss of more than 30 % of at least 20 segments
//!   over two round trips leaves `0.7 w`
//!
//! The queue oscillates between zero and `2.5/delta` segments of each connection.
//! A velocity above one is reset immediately when the direction changes, as in mvfst,
//! and moves the window by no more than itself in a round trip. If a buffer never
//! overflows, several connections can take each other for competitors, and nothing
//! restores `delta`: a weakness of the scheme. If one is always full, because it has no room for
//! the queues of all, `Tb` includes that queue after 10 s, and only the guard against heavy loss
//! holds the windows down (docs/validation/odd-cases.md).
//! The paper does not specify marks and timeouts: a mark counts as a loss, and a
//! timeout starts slow start from two segments.

use crate::windowed::{WindowedMaximum, WindowedMinimum};
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Need, Parameter,
    Settings, Signal, Start, Window,
};

const SECOND: Nanoseconds = 1_000_000_000;
/// The time over which the minimum round trip is taken; on long paths this many
/// times the round trip.
const MEMORY: Nanoseconds = 10 * SECOND;
const MEMORY_ROUND_TRIPS: f64 = 20.0;
/// The minimum window, in segments.
const LEAST: f64 = 2.0;
/// Round trips in one direction after which the velocity doubles.
const STEADY: u8 = 3;
/// The fraction of the delay's range below which the queue counts as nearly empty.
const NEARLY_EMPTY: f64 = 0.1;
/// Smoothed round trips within which the queue must have been nearly empty.
const EMPTIED_WITHIN: Nanoseconds = 5;
/// Smoothed round trips over which the maximum delay is taken.
const SWING_WITHIN: Nanoseconds = 4;
/// Losses that count as congestion: their fraction, of how many segments at least,
/// and the fraction of the window kept.
const HEAVY_LOSS: f64 = 0.3;
const HEAVY_LOSS_OF: f64 = 20.0;
const HEAVY_LOSS_KEPT: f64 = 0.7;

pub(crate) const DESCRIPTION: Description = Description {
    name: "copa",
    title: "Copa",
    source: "Arun, Balakrishnan, NSDI 2018, sections 2 and 3; the authors' genericCC",
    status: "checked against its standing queue, its oscillation and its fairness",
    needs: &[Need::Pacing],
    parameters: &[
        Parameter {
            name: "delta",
            meaning: "the weight of delay: the connection keeps 1/delta segments in the queue",
            kind: Kind::Number { default: 0.5, minimum: 0.004, maximum: 10.0 },
        },
        Parameter {
            name: "competitive",
            meaning: "competitive mode: lower delta when other flows fill the queue",
            kind: Kind::Flag { default: true, needs: &[] },
        },
    ],
};

/// How fast the window moves, and in which direction.
#[derive(Clone, Copy, Debug)]
struct Velocity {
    value: f64,
    upwards: bool,
    /// Round trips in this direction.
    steady: u8,
    /// The window when this round trip began.
    window: f64,
}

/// Copa.
#[derive(Clone, Debug)]
pub struct Copa {
    window: Window,
    usual_delta: f64,
    competitive: bool,
    delta: f64,
    slow_start: bool,
    velocity: Velocity,
    base: WindowedMinimum,
    standing: WindowedMinimum,
    /// Of the last few smoothed round trips.
    least: WindowedMinimum,
    greatest: WindowedMaximum,
    /// Delivered and lost within two round trips.
    delivered: f64,
    lost: f64,
    odd_round: bool,
}

impl Copa {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        let window = Window::without_threshold(start);
        let delta = settings.number("delta");
        Self {
            usual_delta: delta,
            competitive: settings.flag("competitive"),
            delta,
            slow_start: true,
            velocity: Velocity { value: 1.0, upwards: true, steady: 0, window: window.cwnd() },
            base: WindowedMinimum::default(),
            standing: WindowedMinimum::default(),
            least: WindowedMinimum::default(),
            greatest: WindowedMaximum::default(),
            delivered: 0.0,
            lost: 0.0,
            odd_round: false,
            window,
        }
    }

    fn observe(&mut self, now: Nanoseconds, rtt: Nanoseconds, smoothed: Nanoseconds) {
        let sample = rtt.max(1) as f64;
        let memory = self.base.get().map_or(0.0, |it| MEMORY_ROUND_TRIPS * it);
        self.base.update(now, sample, MEMORY.max(memory as Nanoseconds));
        self.standing.update(now, sample, smoothed / 2);
        self.least.update(now, sample, EMPTIED_WITHIN.saturating_mul(smoothed));
        self.greatest.update(now, sample, SWING_WITHIN.saturating_mul(smoothed));
    }

    /// The standing round trip in seconds.
    fn standing_rtt(&self) -> Option<f64> {
        self.standing.get().map(|it| it * 1e-9)
    }

    /// Whether the rate is not above its target: `w / T <= 1 / (delta dq)`.
    fn below_target(&self) -> bool {
        let standing = self.standing.get().unwrap_or(0.0);
        let queueing = standing - self.base.get().unwrap_or(0.0);
        self.window.cwnd() * self.delta * queueing <= standing
    }

    /// Whether the queue has been nearly empty recently.
    fn queue_empties(&self) -> bool {
        match (self.base.get(), self.least.get(), self.greatest.get()) {
            (Some(base), Some(least), Some(greatest)) => {
                least <= base + NEARLY_EMPTY * (greatest - base)
            }
            _ => true,
        }
    }

    fn end_round(&mut self) {
        self.turn();
        self.compete();
        self.odd_round = !self.odd_round;
        if self.odd_round {
            self.answer_heavy_loss();
        }
    }

    /// Doubles the velocity in a steady direction, and resets it in another.
    fn turn(&mut self) {
        let cwnd = self.window.cwnd();
        let upwards = cwnd > self.velocity.window;
        if upwards == self.velocity.upwards {
            self.velocity.steady = self.velocity.steady.saturating_add(1);
            if self.velocity.steady >= STEADY && !self.slow_start {
                self.velocity.value *= 2.0;
            }
        } else {
            self.velocity = Velocity { value: 1.0, upwards, steady: 1, window: cwnd };
        }
        self.velocity.window = cwnd;
        // A round trip moves the window by `v / delta`; more than the window has no effect.
        self.velocity.value = self.velocity.value.min((cwnd * self.delta).max(1.0));
    }

    fn compete(&mut self) {
        self.delta = if !self.competitive || self.slow_start || self.queue_empties() {
            self.usual_delta
        } else {
            1.0 / (1.0 / self.delta + 1.0)
        };
    }

    fn answer_heavy_loss(&mut self) {
        let sent = self.delivered + self.lost;
        if sent > HEAVY_LOSS_OF && self.lost > HEAVY_LOSS * sent {
            self.set(HEAVY_LOSS_KEPT * self.window.cwnd());
        }
        self.delivered = 0.0;
        self.lost = 0.0;
    }

    fn set(&mut self, cwnd: f64) {
        self.window.set(cwnd.max(LEAST));
    }

    fn steer(&mut self, acknowledgement: &Acknowledgement) {
        let below = self.below_target();
        if self.slow_start && !below {
            self.slow_start = false;
            self.velocity.upwards = false;
            self.velocity.steady = 0;
        }
        if self.velocity.value > 1.0 && below != self.velocity.upwards {
            self.velocity =
                Velocity { value: 1.0, upwards: below, steady: 0, window: self.window.cwnd() };
        }
        let up = if acknowledgement.window_limited { acknowledgement.delivered } else { 0.0 };
        let cwnd = self.window.cwnd();
        let step = self.velocity.value / (self.delta * cwnd);
        match (self.slow_start, below) {
            (true, _) => self.window.grow(up),
            (false, true) => self.window.grow(up * step),
            (false, false) => self.set(cwnd - acknowledgement.delivered * step),
        }
    }
}

impl Controller for Copa {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.delivered += acknowledgement.delivered;
        self.lost += acknowledgement.lost;
        if let Some(rtt) = acknowledgement.rtt {
            let smoothed = acknowledgement.smoothed_rtt.unwrap_or(rtt);
            self.observe(acknowledgement.now, rtt, smoothed);
        }
        if acknowledgement.round_ended {
            self.end_round();
        }
        self.steer(acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.signal == Signal::Timeout {
            self.window.restart(f64::INFINITY);
            self.set(LEAST);
            self.slow_start = true;
        }
        self.delta = (2.0 * self.delta).min(self.usual_delta);
        self.velocity.value = 1.0;
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.standing_rtt().map(|it| 2.0 * self.window.cwnd() / it)
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.delta = before.delta;
        self.slow_start = before.slow_start;
        self.velocity = before.velocity;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
