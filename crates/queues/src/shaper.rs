//! A shaper: what exceeds a rate and a burst waits until it conforms.
//!
//! Source: RFC 2475, section 2.3.3.3; the behaviour of Linux's token bucket filter (tc-tbf(8)):
//! first in, first out, and a packet that is larger than the burst is dropped, because the
//! bucket would never hold its tokens.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Random, Rate, Time};
use windtunnel_packets::FlowKey;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Bytes, Measured};

use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::fifo::Fifo;
use crate::keys::{Keys, packets};
use crate::queue::{Admission, Queue, Waiting};
use crate::token_bucket::{self, TokenBucket, TokenBucketSettings};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "shaper",
    meaning: "first in, first out, no faster than a token bucket fills",
    source: "RFC 2475, section 2.3.3.3; tc-tbf(8)",
    shapes: true,
    is_random: false,
};

/// The shaper's state.
#[derive(Clone, Debug)]
pub struct Shaper {
    burst: u32,
    bucket: TokenBucket,
    queue: Fifo,
}

impl Shaper {
    /// An empty queue before a full bucket.
    #[must_use]
    pub fn new(settings: TokenBucketSettings) -> Self {
        let bucket = TokenBucket::new(settings);
        Self { burst: settings.burst, bucket, queue: Fifo::default() }
    }
}

impl Configured for Shaper {
    type Keys = ShaperKeys;
    type Settings = TokenBucketSettings;

    fn marks(_settings: &Self::Settings) -> bool {
        false
    }

    fn start(settings: Self::Settings, _random: Random) -> Self {
        Self::new(settings)
    }
}

impl Queue for Shaper {
    fn push(&mut self, waiting: Waiting, _flow: FlowKey) {
        self.queue.push(waiting);
    }

    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)> {
        if self.opens() > now {
            return None;
        }
        let head = self.queue.pop()?;
        self.bucket.take(now, head.size);
        Some((head, Verdict::Pass))
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn admission(&self, limit: QueueLimit, waiting: &Waiting) -> Admission {
        Admission::of(waiting.size <= self.burst && limit.admits(self.backlog(), waiting.size))
    }

    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        self.queue.shed(limit, drop);
    }

    fn opens(&self) -> Time {
        self.queue.head().map_or(Time::ZERO, |it| self.bucket.holds(it.size))
    }

    fn shaped_rate(&self) -> Option<Rate> {
        Some(self.bucket.rate())
    }
}

/// A shaper, as Linux's token bucket filter (tc-tbf): what exceeds a rate and a burst waits. Not
/// on a shared medium.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShaperKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// How fast packets leave in the long run, with all headers.
    rate: Measured<Rate>,
    /// How much may leave at once, at the rate of the link, after silence. At least 1500 B; a
    /// packet that is larger is dropped.
    burst: Located<Measured<Bytes>>,
}

impl Keys for ShaperKeys {
    type Settings = TokenBucketSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<TokenBucketSettings, Mistake> {
        token_bucket::settings(self.rate, &self.burst)
    }
}
