//! Congestion marking as NFD's link service does it, in front of a drop-tail
//! queue.
//!
//! Source: the behaviour of NFD's generic link service. Before a packet is
//! queued (and even if it then finds no room), the bytes that wait are compared
//! with a `threshold`. When they first exceed it, a timer of one
//! `interval` starts; a packet at or after its end, still above, is marked, and after
//! the n-th mark the next is due `interval / sqrt(n + 1)` later. A packet that finds
//! them at or below the threshold stops the timer.

use windtunnel_engine::{Duration, Time};

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::description::QueueDescription;
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "link-service",
    meaning: "drop-tail; marks while more than a threshold of bytes waits",
    source: "NFD's generic link service",
};

/// The state of the link service's marking.
#[derive(Clone, Debug)]
pub struct LinkService {
    threshold: u64,
    interval: Duration,
    next: Option<Time>,
    marks: u32,
}

impl LinkService {
    /// Marking above `threshold` bytes (65,536 by default), spaced from
    /// `interval` (100 ms).
    #[must_use]
    pub fn new(threshold: u64, interval: Duration) -> Self {
        Self { threshold, interval, next: None, marks: 0 }
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
        let Some(next) = self.next else {
            self.next = Some(now + self.interval);
            return Verdict::Pass;
        };
        if now < next {
            return Verdict::Pass;
        }
        self.marks += 1;
        self.next = Some(next + self.interval.scaled(1.0 / f64::from(self.marks + 1).sqrt()));
        Verdict::Mark
    }
}
