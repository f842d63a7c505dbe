//! A shaper: what exceeds a rate and a burst waits until it conforms.
//!
//! Source: RFC 2475, section 2.3.3.3; the behaviour of Linux's token bucket filter (tc-tbf(8)):
//! first in, first out, and a packet that is larger than the burst is dropped, because the
//! bucket would never hold its tokens.

use windtunnel_engine::{Random, Rate, Time};
use windtunnel_packets::FlowKey;

use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::fifo::Fifo;
use crate::queue::{Admission, Queue, Waiting};
use crate::token_bucket::{TokenBucket, TokenBucketSettings};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "shaper",
    meaning: "first in, first out, no faster than a token bucket fills",
    source: "RFC 2475, section 2.3.3.3; tc-tbf(8)",
    shapes: true,
    is_random: false,
};

/// The shaper's state.
#[derive(Debug)]
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
