//! PIE: proportional integral controller enhanced.
//!
//! Source: RFC 8033, sections 4 and 5. Every `update` the probability moves by
//! `alpha (delay - target) + beta (delay - old delay)`, in smaller steps while it
//! is small; arriving packets are dropped or marked with it, except for bursts and
//! short queues. Gaps are not evened out (section 5.4 is optional).
//!
//! The queueing delay is the true one: what waits is sent when its turn comes, so
//! that at any instant the time until the link is free is known (section 5.2
//! allows for measuring the delay instead of estimating a departure rate). The
//! updates are caught up with when a packet arrives, each at its own instant.
//! While the link is down there is no delay to go by, and they pause.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{Frequency, Measured, millihertz, milliseconds};

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::backlog::QueueLimit;
use crate::description::{Configured, QueueDescription};
use crate::keys::{Keys, MAXIMUM_PACKET, alpha, drop, packets, update};
use crate::verdict::{CongestionAction, Verdict};

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "pie",
    meaning: "drops or marks at random to hold the queueing delay at a target",
    source: "RFC 8033",
    shapes: false,
    is_random: true,
};

/// Up to this probability packets are marked, beyond it dropped (section 5.1).
const MOST_MARKED: f64 = 0.1;
/// Beyond this delay the probability rises faster.
const LONG_DELAY: Duration = Duration::from_millis(250);
/// The largest increase in one update once the probability is large.
const MOST_RISE: f64 = 0.02;

/// The settings of PIE.
#[derive(Clone, Debug)]
pub struct PieSettings {
    /// What becomes of a packet that was chosen.
    pub action: CongestionAction,
    /// The queueing delay to hold; 15 ms by default.
    pub target: Duration,
    /// How often the probability moves; 15 ms by default.
    pub update: Duration,
    /// How much by the excess of the delay, in 1/s; 0.125 by default.
    pub alpha: f64,
    /// How much by the growth of the delay, in 1/s; 1.25 by default.
    pub beta: f64,
    /// The burst allowance; 150 ms by default.
    pub burst: Duration,
    /// The most bytes that one packet has; while less than two of them waits,
    /// nothing is chosen.
    pub maximum_packet: u64,
}

/// PIE's state.
#[derive(Clone, Debug)]
pub struct Pie {
    settings: PieSettings,
    random: Random,
    probability: f64,
    delay: Duration,
    old_delay: Duration,
    allowance: Duration,
    next: Time,
}

impl Pie {
    /// PIE on an empty queue, with its own random stream.
    #[must_use]
    pub fn new(settings: PieSettings, random: Random) -> Self {
        Self {
            random,
            probability: 0.0,
            delay: Duration::ZERO,
            old_delay: Duration::ZERO,
            allowance: settings.burst,
            next: Time::ZERO + settings.update,
            settings,
        }
    }

    /// The probability that a packet is chosen.
    #[must_use]
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Does the updates that are due; since the last arrival nothing changed, and the
    /// link is free from `free` on.
    fn catch_up(&mut self, now: Time, free: Time) {
        if free == Time::NEVER {
            self.next = self.next.max(now);
            return;
        }
        while self.next <= now {
            self.update(free.since(self.next));
            if self.is_at_rest() && free <= self.next {
                let updates = now.since(self.next).as_picos() / self.settings.update.as_picos();
                self.next += self.settings.update * updates;
            }
            self.next += self.settings.update;
        }
    }

    /// Whether a further update without delay would change nothing.
    fn is_at_rest(&self) -> bool {
        self.probability == 0.0
            && self.delay == Duration::ZERO
            && self.old_delay == Duration::ZERO
            && self.allowance == self.settings.burst
    }

    /// Moves the probability at a queueing delay of `delay` (section 4.2).
    fn update(&mut self, delay: Duration) {
        let PieSettings { target, alpha, beta, .. } = self.settings;
        self.old_delay = std::mem::replace(&mut self.delay, delay);
        let seconds = delay.as_seconds();
        let error = seconds - target.as_seconds();
        let growth = seconds - self.old_delay.as_seconds();
        let mut step = scale(self.probability) * (alpha * error + beta * growth);
        if self.probability >= 0.1 {
            step = step.min(MOST_RISE);
        }
        if delay > LONG_DELAY {
            step += MOST_RISE;
        }
        self.probability += step;
        if delay == Duration::ZERO && self.old_delay == Duration::ZERO {
            self.probability *= 1.0 - 1.0 / 64.0;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.allowance = self.allowance - self.settings.update;
        let calm = |delay: Duration| delay * 2 < target;
        if self.probability == 0.0 && calm(self.delay) && calm(self.old_delay) {
            self.allowance = self.settings.burst;
        }
    }

    /// Whether the packet passes whatever the probability (sections 4.1 and 4.4).
    fn spares(&self, arriving: &Arriving) -> bool {
        self.allowance > Duration::ZERO
            || (self.delay * 2 < self.settings.target && self.probability < 0.2)
            || arriving.backlog.bytes < 2 * self.settings.maximum_packet
    }
}

impl Configured for Pie {
    type Keys = PieKeys;
    type Settings = PieSettings;

    fn marks(settings: &Self::Settings) -> bool {
        settings.action == CongestionAction::Mark
    }

    fn start(settings: Self::Settings, random: Random) -> Self {
        Self::new(settings, random)
    }
}

/// Smaller steps for small probabilities, so that they move by a share of
/// themselves (section 4.2).
fn scale(probability: f64) -> f64 {
    const SCALES: [(f64, f64); 6] = [
        (1e-6, 1.0 / 2048.0),
        (1e-5, 1.0 / 512.0),
        (1e-4, 1.0 / 128.0),
        (1e-3, 1.0 / 32.0),
        (1e-2, 1.0 / 8.0),
        (1e-1, 1.0 / 2.0),
    ];
    SCALES.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, scale)| *scale)
}

impl ArrivalDiscipline for Pie {
    fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict {
        self.catch_up(now, arriving.free);
        if self.spares(arriving) || !self.random.happens(self.probability) {
            Verdict::Pass
        } else if self.probability <= MOST_MARKED {
            self.settings.action.into()
        } else {
            Verdict::Drop
        }
    }
}

/// Proportional integral controller enhanced (RFC 8033).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PieKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "drop")]
    action: CongestionAction,
    /// The queueing delay to hold.
    #[serde(default = "milliseconds::<15>")]
    target: Located<Measured<Duration>>,
    /// How often the probability is updated.
    #[serde(default = "milliseconds::<15>")]
    update: Located<Measured<Duration>>,
    /// How much the probability changes with the excess of the delay.
    #[serde(default = "millihertz::<125>")]
    alpha: Located<Measured<Frequency>>,
    /// How much it changes with the growth of the delay.
    #[serde(default = "millihertz::<1250>")]
    beta: Located<Measured<Frequency>>,
    /// How long a burst passes untouched.
    #[serde(default = "milliseconds::<150>")]
    burst: Located<Measured<Duration>>,
}

impl Keys for PieKeys {
    type Settings = PieSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<PieSettings, Mistake> {
        Ok(PieSettings {
            action: self.action,
            target: above_zero(&self.target, "target")?,
            update: update(&self.update)?,
            alpha: alpha(&self.alpha)?,
            beta: self.beta.value.0.0,
            burst: self.burst.value.0,
            maximum_packet: MAXIMUM_PACKET,
        })
    }
}
