//! CoDel with a second, milder signal: some congestion experienced (SCE).
//!
//! Source: draft-morton-tsvwg-sce for the signal: a router turns ECT(0) into
//! ECT(1), and CE keeps its meaning. The draft leaves open how often a router
//! does so; here with a probability that rises along a [`Ramp`] of the sojourn
//! time well below CoDel's target, while above that CoDel marks or drops (RFC
//! 8289). The ramp does not apply to a packet that CoDel chose.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Measured, milliseconds};

use crate::backlog::QueueLimit;
use crate::codel::{CoDel, CoDelSettings};
use crate::departure::{DepartureDiscipline, Leaving};
use crate::description::{Configured, QueueDescription};
use crate::keys::{Keys, mark, packets};
use crate::ramp::Ramp;
use crate::verdict::{CongestionAction, Verdict};
use crate::{codel, ramp};

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "sce",
    meaning: "CoDel that signals some congestion, by ECT(1), well below its target",
    source: "draft-morton-tsvwg-sce; RFC 8289",
    shapes: false,
    is_random: true,
};

/// The settings of SCE.
#[derive(Clone, Debug)]
pub struct SceSettings {
    /// CoDel, which marks or drops above the ramp.
    pub codel: CoDelSettings,
    /// How likely an ECT(0) packet becomes ECT(1), by its sojourn.
    pub ramp: Ramp,
}

/// The queue's state.
#[derive(Clone, Debug)]
pub struct Sce {
    codel: CoDel,
    ramp: Ramp,
    random: Random,
}

impl Sce {
    /// The discipline on an empty queue, with its own random stream.
    #[must_use]
    pub fn new(settings: SceSettings, random: Random) -> Self {
        Self { codel: CoDel::new(settings.codel), ramp: settings.ramp, random }
    }
}

impl Configured for Sce {
    type Keys = SceKeys;
    type Settings = SceSettings;

    fn marks(_settings: &Self::Settings) -> bool {
        true
    }

    fn start(settings: Self::Settings, random: Random) -> Self {
        Self::new(settings, random)
    }
}

impl DepartureDiscipline for Sce {
    fn judge(&mut self, now: Time, leaving: &Leaving) -> Verdict {
        match self.codel.judge(now, leaving) {
            Verdict::Pass if self.random.happens(self.ramp.probability(leaving.sojourn)) => {
                Verdict::MarkSome
            }
            verdict => verdict,
        }
    }
}

/// Controlled delay that first signals some congestion, by ECT(1)
/// (draft-morton-tsvwg-sce).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "mark")]
    action: CongestionAction,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// The sojourn time from which some packets signal some congestion; default: a
    /// quarter of the target.
    ramp_start: Option<Located<Measured<Duration>>>,
    /// The sojourn time from which all packets do; default: half the target.
    ramp_end: Option<Located<Measured<Duration>>>,
}

impl Keys for SceKeys {
    type Settings = SceSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<SceSettings, Mistake> {
        let codel = codel::settings(self.action, &self.target, &self.interval, None)?;
        let share = |share: f64| Measured(codel.target.scaled(share)).into();
        let defaults = [share(0.25), share(0.5)];
        let ramp = ramp::between([&self.ramp_start, &self.ramp_end], defaults)?;
        Ok(SceSettings { codel, ramp })
    }
}
