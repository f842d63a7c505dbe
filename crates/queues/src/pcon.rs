//! The marking queue of PCON, a practical congestion control scheme for NDN.
//!
//! Source: Schneider, Yi, Zhang and Zhang, ICN 2016, and the behaviour of their
//! simulation's queue. As CoDel, but it marks only, and:
//!
//! - the first mark comes as soon as the sojourn stayed above `target` for an
//!   `interval`; the n-th is followed by the next after `1.1 interval / sqrt(n)`
//! - a sojourn below the target resets the count, not the time of the next mark

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{Measured, milliseconds};

use crate::backlog::QueueLimit;
use crate::departure::{DepartureDiscipline, Leaving};
use crate::description::{Configured, QueueDescription};
use crate::keys::{Keys, packets};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "pcon",
    meaning: "CoDel's judgement, marking only, spaced 1.1 interval / sqrt(n)",
    source: "Schneider et al., A Practical Congestion Control Scheme for NDN, ICN 2016",
    shapes: false,
    is_random: false,
};

/// The spacing's factor over the interval.
const SPACING: f64 = 1.1;

/// The PCON queue's state.
#[derive(Clone, Debug)]
pub struct Pcon {
    target: Duration,
    interval: Duration,
    above_since: Option<Time>,
    next: Time,
    count: u32,
}

impl Pcon {
    /// The queue with its `target` (5 ms by default) and `interval` (100 ms).
    #[must_use]
    pub fn new(target: Duration, interval: Duration) -> Self {
        Self { target, interval, above_since: None, next: Time::ZERO, count: 0 }
    }
}

impl Configured for Pcon {
    type Keys = PconKeys;
    type Settings = Self;

    fn marks(_settings: &Self::Settings) -> bool {
        true
    }

    fn start(settings: Self::Settings, _random: Random) -> Self {
        settings
    }
}

impl DepartureDiscipline for Pcon {
    fn judge(&mut self, now: Time, leaving: &Leaving) -> Verdict {
        if leaving.sojourn <= self.target {
            self.above_since = None;
            self.count = 0;
            return Verdict::Pass;
        }
        let since = *self.above_since.get_or_insert(now);
        if now.since(since) <= self.interval || now < self.next {
            return Verdict::Pass;
        }
        self.count += 1;
        self.next = now + self.interval.scaled(SPACING / f64::from(self.count).sqrt());
        Verdict::Mark
    }
}

/// The marking queue of PCON: controlled delay that marks and never drops.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PconKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
}

impl Keys for PconKeys {
    type Settings = Pcon;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<Pcon, Mistake> {
        let interval = above_zero(&self.interval, "interval")?;
        Ok(Pcon::new(self.target.value.0, interval))
    }
}
