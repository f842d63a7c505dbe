//! CoDel with a second, milder signal: some congestion experienced (SCE).
//!
//! Source: draft-morton-tsvwg-sce for the signal: a router turns ECT(0) into
//! ECT(1), and CE keeps its meaning. The draft leaves open how often a router
//! does so; here with a probability that rises along a [`Ramp`] of the sojourn
//! time well below CoDel's target, while above that CoDel marks or drops (RFC
//! 8289). The ramp does not apply to a packet that CoDel chose.

use windtunnel_engine::{Random, Time};

use crate::codel::{CoDel, CoDelSettings};
use crate::departure::{DepartureDiscipline, Leaving};
use crate::description::{Configured, QueueDescription};
use crate::ramp::Ramp;
use crate::verdict::Verdict;

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
