//! Congestion marking as NFD's link service does it, in front of a drop-tail
//! queue.
//!
//! Source: the behaviour of NFD's generic link service. Before a packet is queued (and even
//! if it then finds no room), the bytes that wait are compared with a `threshold`. As long as
//! packets find more, marks are spaced from an `interval` on; a packet that finds no more ends
//! that, and the spacing begins anew. Releases differ in three points:
//!
//! - from 0.7.0 on ("Make congestion marking less aggressive", its release notes), a timer of
//!   one interval starts at the first excess; a packet at or after its end, still above, is
//!   marked, and after the n-th mark the next is due `interval / sqrt(n + 1)` later
//! - from 0.6.1 to 0.6.6, the first packet that finds too much is marked, but not within an
//!   interval of the last mark, and after the n-th the next is due `interval / sqrt(n)` later;
//!   the threshold is at most half of what the queue holds

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{Bytes, Measured, bytes, milliseconds};

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::backlog::QueueLimit;
use crate::description::{Configured, QueueDescription};
use crate::keys::{Keys, packets};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "link-service",
    meaning: "drop-tail; marks while more than a threshold of bytes waits",
    source: "NFD's generic link service",
    shapes: false,
    is_random: false,
};

/// The size by which ndnSIM converts a queue's capacity in packets to bytes.
const TYPICAL_PACKET: u64 = 1500;

/// The release of NFD whose link service marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "LinkServiceVersion")]
enum Version {
    /// The first mark comes once the threshold has been exceeded for an interval.
    #[default]
    #[serde(rename = "nfd-0.7")]
    Nfd07,
    /// The first packet that finds too much is marked, but not within an interval of the last
    /// mark; the threshold is at most half the limit, of 1500 B a packet. So did NFD 0.6.1 to
    /// 0.6.6, in ndnSIM 2.6 and 2.7.
    #[serde(rename = "nfd-0.6")]
    Nfd06,
}

/// The state of the link service's marking.
#[derive(Clone, Debug)]
pub struct LinkService {
    version: Version,
    threshold: u64,
    interval: Duration,
    next: Option<Time>,
    /// Since the bytes that wait exceeded the threshold.
    marks: u32,
    last_mark: Option<Time>,
}

impl LinkService {
    /// Marking of NFD 0.7.0 and later above `threshold` bytes (65,536 by default), spaced
    /// from `interval` (100 ms).
    #[must_use]
    pub fn new(threshold: u64, interval: Duration) -> Self {
        Self::of(Version::Nfd07, threshold, interval)
    }

    /// Marking of NFD 0.6.1 to 0.6.6, in front of a queue that holds `limit`.
    #[must_use]
    pub fn of_nfd_0_6(threshold: u64, interval: Duration, limit: QueueLimit) -> Self {
        Self::of(Version::Nfd06, threshold.min(capacity(limit) / 2), interval)
    }

    fn of(version: Version, threshold: u64, interval: Duration) -> Self {
        Self { version, threshold, interval, next: None, marks: 0, last_mark: None }
    }

    /// When the first mark is due, if it is now.
    fn begin(&mut self, now: Time) -> Option<Time> {
        match self.version {
            Version::Nfd07 => {
                self.next = Some(now + self.interval);
                None
            }
            Version::Nfd06 => {
                let again = self.last_mark.map(|it| it + self.interval);
                again.is_none_or(|it| now >= it).then_some(now)
            }
        }
    }

    /// The divisor of the interval after this many marks.
    fn divisor(&self) -> f64 {
        let ahead = u32::from(self.version == Version::Nfd07);
        f64::from(self.marks + ahead).sqrt()
    }
}

impl Configured for LinkService {
    type Keys = LinkServiceKeys;
    type Settings = Self;

    fn marks(_settings: &Self::Settings) -> bool {
        true
    }

    fn start(settings: Self::Settings, _random: Random) -> Self {
        settings
    }
}

/// How many bytes a queue holds.
fn capacity(limit: QueueLimit) -> u64 {
    match limit {
        QueueLimit::Packets(packets) => u64::from(packets) * TYPICAL_PACKET,
        QueueLimit::Bytes(bytes) => bytes,
    }
}

impl ArrivalDiscipline for LinkService {
    #[inline]
    fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict {
        if arriving.backlog.bytes <= self.threshold {
            self.next = None;
            self.marks = 0;
            return Verdict::Pass;
        }
        let Some(next) = self.next.or_else(|| self.begin(now)) else {
            return Verdict::Pass;
        };
        if now < next {
            return Verdict::Pass;
        }
        self.marks += 1;
        self.last_mark = Some(now);
        self.next = Some(next + self.interval.scaled(1.0 / self.divisor()));
        Verdict::Mark
    }
}

/// Drop-tail with the marking of NFD's link service.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkServiceKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// How much may wait before it marks.
    #[serde(default = "bytes::<65_536>")]
    threshold: Located<Measured<Bytes>>,
    /// The time from which marks are spaced: the n-th is followed by the next after the
    /// interval / √n, with "nfd-0.7" / √(n + 1).
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// The release of NFD whose rules marks follow.
    #[serde(default)]
    version: Version,
}

impl Keys for LinkServiceKeys {
    type Settings = LinkService;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<LinkService, Mistake> {
        let interval = above_zero(&self.interval, "interval")?;
        let threshold = self.threshold.value.0.0;
        Ok(match self.version {
            Version::Nfd07 => LinkService::new(threshold, interval),
            Version::Nfd06 => LinkService::of_nfd_0_6(threshold, interval, self.limit.0),
        })
    }
}
