//! The queue of EC-Elastic, an explicit congestion control mechanism for NDN, as printed.
//!
//! Source: El-Bakkouchi et al., EC-Elastic, algorithm 1, in its words:
//!
//! - the first packet whose sojourn is above `target` sets `FirstAboveTime` (lines 5 to 7). It
//!   stays set: line 13, which would clear it, compares instead of assigning
//! - later than `interval` after that, each packet above the target is marked (lines 9 and 23)
//!   whose time is later than that of the last mark: `NextMarkingTime` is the time of the mark
//!   itself (lines 24 and 26), so that marks are not spaced, and nothing counts them (line 28)
//!
//! Two variables have no value where they are read, or are not read: a packet within the target
//! is not over it (line 18), and `MarkNext` (line 25) marks the packet that leaves.

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
    name: "ec-elastic",
    meaning: "marks every packet above the target, from an interval after the first on",
    source: "El-Bakkouchi et al., EC-Elastic, algorithm 1 as printed",
    shapes: false,
    is_random: false,
};

/// The state of EC-Elastic's queue.
#[derive(Clone, Debug)]
pub struct EcElasticQueue {
    target: Duration,
    interval: Duration,
    first_above: Option<Time>,
    last_mark: Option<Time>,
}

impl EcElasticQueue {
    /// The queue with its `target` (5 ms by default) and `interval` (100 ms).
    #[must_use]
    pub fn new(target: Duration, interval: Duration) -> Self {
        Self { target, interval, first_above: None, last_mark: None }
    }
}

impl Configured for EcElasticQueue {
    type Keys = EcElasticKeys;
    type Settings = Self;

    fn marks(_settings: &Self::Settings) -> bool {
        true
    }

    fn start(settings: Self::Settings, _random: Random) -> Self {
        settings
    }
}

impl DepartureDiscipline for EcElasticQueue {
    fn judge(&mut self, now: Time, leaving: &Leaving) -> Verdict {
        if leaving.sojourn <= self.target {
            return Verdict::Pass;
        }
        let first = *self.first_above.get_or_insert(now);
        if now.since(first) <= self.interval || self.last_mark.is_some_and(|it| now <= it) {
            return Verdict::Pass;
        }
        self.last_mark = Some(now);
        Verdict::Mark
    }
}

/// The queue of EC-Elastic as printed: it marks every packet above a target, and never drops.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EcElasticKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long after the first packet above the target it begins to mark.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
}

impl Keys for EcElasticKeys {
    type Settings = EcElasticQueue;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<EcElasticQueue, Mistake> {
        let interval = above_zero(&self.interval, "interval")?;
        Ok(EcElasticQueue::new(self.target.value.0, interval))
    }
}
