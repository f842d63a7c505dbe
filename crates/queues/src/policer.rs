//! A policer: what exceeds a rate and a burst is dropped as it arrives.
//!
//! Source: RFC 2697, the meter of a single rate in its colour-blind mode with an excess burst
//! of zero: what is green passes, what is red is dropped (RFC 2475, section 2.3.3.4).

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Random, Rate, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Bytes, Measured};

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::backlog::QueueLimit;
use crate::description::{Configured, QueueDescription};
use crate::keys::{Keys, packets};
use crate::token_bucket::{self, TokenBucket, TokenBucketSettings};
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
    type Keys = PolicerKeys;
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

/// A policer (RFC 2697, with a committed burst alone) before a drop-tail queue: drops what
/// exceeds a rate and a burst as it arrives.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicerKeys {
    /// How much may wait for the link.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// The committed information rate, with all headers.
    rate: Measured<Rate>,
    /// The committed burst size: how much may come at once after silence. At least 1500 B.
    burst: Located<Measured<Bytes>>,
}

impl Keys for PolicerKeys {
    type Settings = TokenBucketSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<TokenBucketSettings, Mistake> {
        token_bucket::settings(self.rate, &self.burst)
    }
}
