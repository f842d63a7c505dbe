//! A policer: what exceeds a rate and a burst is dropped as it arrives.
//!
//! Source: RFC 2697, the meter of a single rate in its colour-blind mode with an excess burst
//! of zero: what is green passes, what is red is dropped (RFC 2475, section 2.3.3.4).

use windtunnel_engine::{Random, Time};

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::description::{Configured, QueueDescription};
use crate::token_bucket::{TokenBucket, TokenBucketSettings};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "policer",
    meaning: "drops what exceeds a rate and a burst; before drop-tail",
    source: "RFC 2697; RFC 2475, section 2.3.3.4",
    shapes: false,
    is_random: false,
};

/// The policer's state.
#[derive(Clone, Debug)]
pub struct Policer(TokenBucket);

impl Policer {
    /// A policer whose bucket is full.
    #[must_use]
    pub fn new(settings: TokenBucketSettings) -> Self {
        Self(TokenBucket::new(settings))
    }
}

impl Configured for Policer {
    type Settings = TokenBucketSettings;

    fn marks(_settings: &Self::Settings) -> bool {
        false
    }

    fn start(settings: Self::Settings, _random: Random) -> Self {
        Self::new(settings)
    }
}

impl ArrivalDiscipline for Policer {
    #[inline]
    fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict {
        if self.0.holds(arriving.size) > now {
            return Verdict::Drop;
        }
        self.0.take(now, arriving.size);
        Verdict::Pass
    }
}
