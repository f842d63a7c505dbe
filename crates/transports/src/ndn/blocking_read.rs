//! A consumer that does everything in one loop: it reads, waiting for a message, then looks for
//! what is missing. So a loss is noticed only when a read has ended without a message.
//!
//! Source: the behaviour of Cefore's `cefgetfile` (0.10 and 0.11):
//!
//! - the Interests of the first window leave one by one, a pause after each; then the first
//!   read begins
//! - a read ends with a message, or without one after a time
//! - the clock is read when a read begins. If that was longer than an interval after the last
//!   read that brought something new, all that is missing is asked for again when the read
//!   ends, and the interval is longer the next time
//! - after some times in a row without anything new it gives up

use windtunnel_engine::{Duration, Time};
#[cfg(feature = "serde")]
use windtunnel_units::{As, PositiveDuration};

/// A consumer whose reads block. The defaults are those of `cefgetfile` 0.10 and 0.11, except its
/// window of 8 and its Interests' lifetime of 2 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct BlockingRead {
    /// The pause after each Interest of the first window; only then it begins to read.
    #[cfg_attr(feature = "serde", serde(with = "As::<Duration>"))]
    pub initial_spacing: Duration,
    /// How long a read waits for a message at most.
    #[cfg_attr(feature = "serde", serde(with = "As::<PositiveDuration>"))]
    pub timeout: Duration,
    /// When a read ends that began this long after the last one that brought new Data, all that is
    /// missing is requested again; the time grows by as much with each repetition.
    #[cfg_attr(feature = "serde", serde(with = "As::<Duration>"))]
    pub resend_interval: Duration,
    /// How often that is done with no new Data in between, before it gives up.
    pub most_resends: u32,
}

impl Default for BlockingRead {
    fn default() -> Self {
        Self {
            initial_spacing: Duration::from_millis(100),
            timeout: Duration::from_secs(1),
            resend_interval: Duration::from_millis(10),
            most_resends: 5,
        }
    }
}

/// What follows the end of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterRead {
    /// The next read.
    Read,
    /// All that is missing is asked for again.
    Resend,
    /// The consumer gives up.
    GiveUp,
}

/// The loop.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    settings: BlockingRead,
    /// When the first read begins.
    first: Time,
    /// When this read began.
    since: Time,
    /// When the last read began that brought something new, or after which what is missing was
    /// asked for again.
    last: Time,
    /// How often it was, with nothing new in between.
    resends: u32,
}

impl Reader {
    /// One that begins to ask at `start`, with a first window of this many segments.
    pub(super) fn new(settings: BlockingRead, start: Time, window: f64) -> Self {
        let first = start + settings.initial_spacing * (window as u64);
        Self { settings, first, since: first, last: first, resends: 0 }
    }

    /// The pause after an Interest that leaves now, if it is of the first window.
    #[inline]
    pub(super) fn spacing(&self, now: Time) -> Option<Duration> {
        (now < self.first).then_some(self.settings.initial_spacing)
    }

    /// When what arrives now is read.
    #[inline]
    pub(super) fn read_at(&self, now: Time) -> Time {
        now.max(self.first)
    }

    /// When this read ends without a message.
    #[inline]
    pub(super) fn timeout(&self) -> Time {
        self.since + self.settings.timeout
    }

    /// This read ends, with something new or without.
    pub(super) fn end(&mut self, now: Time, is_new: bool) -> AfterRead {
        if is_new {
            self.last = self.since;
            self.resends = 0;
        }
        let began = self.since;
        self.since = self.read_at(now);
        let interval = self.settings.resend_interval * (u64::from(self.resends) + 1);
        if began.since(self.last) <= interval {
            return AfterRead::Read;
        }
        if self.resends == self.settings.most_resends {
            return AfterRead::GiveUp;
        }
        self.resends += 1;
        self.last = began;
        AfterRead::Resend
    }
}
