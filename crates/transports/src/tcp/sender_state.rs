//! What the sender of a subflow has beside others, and what its connection sees of it.

use std::collections::VecDeque;

use windtunnel_engine::Duration;

use super::accounting::Accounting;

/// What a sender has beside the others if it is a subflow.
#[derive(Clone, Debug)]
pub(super) struct Subflow {
    /// The bytes after the records that were not sent yet: no segment has data of two.
    pub(super) ends: VecDeque<u64>,
    /// What it counts, and how.
    pub(super) accounting: Accounting,
    /// Whether its connection has more data, for whichever subflow has room.
    pub(super) more_waits: bool,
    /// Bytes delivered until the last loss, and between that and the one before.
    pub(super) lost_at: u64,
    pub(super) between: u64,
    /// The last sample of the delivery rate, in segments per second.
    pub(super) rate: Option<f64>,
}

impl Subflow {
    pub(super) fn new(accounting: Accounting) -> Self {
        let ends = VecDeque::new();
        Self { ends, accounting, more_waits: false, lost_at: 0, between: 0, rate: None }
    }

    /// The bytes from `next` to the end of its record.
    #[inline]
    pub(super) fn left(&self, next: u64) -> u64 {
        self.ends.front().map_or(u64::MAX, |end| end - next)
    }

    /// No segment has data of two of the records before these bytes.
    pub(super) fn keep_apart(&mut self, ends: impl Iterator<Item = u64>) {
        self.ends.clear();
        self.ends.extend(ends);
    }

    /// Everything before `next` was sent.
    #[inline]
    pub(super) fn send(&mut self, next: u64) {
        while self.ends.front().is_some_and(|it| *it <= next) {
            self.ends.pop_front();
        }
    }

    /// A loss was found when this many bytes had been delivered.
    pub(super) fn lose(&mut self, delivered: u64) {
        (self.between, self.lost_at) = (delivered - self.lost_at, delivered);
    }
}

/// How the sender of a subflow fares, counted in segments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SenderState {
    /// Its window.
    pub cwnd: f64,
    /// Its slow-start threshold.
    pub ssthresh: f64,
    /// What is in flight.
    pub in_flight: f64,
    /// What it was given and has not sent yet.
    pub queued: f64,
    /// Its smoothed round trip, and how much that varies, once there is a sample.
    pub smoothed_rtt: Option<Duration>,
    /// RTTVAR (RFC 6298).
    pub rtt_variation: Duration,
    /// The least round trip of late.
    pub least_rtt: Option<Duration>,
    /// Its retransmission timeout.
    pub timeout: Duration,
    /// Whether it repairs a loss, or what a timeout left.
    pub recovering: bool,
    /// Whether it repairs what a timeout left.
    pub timed_out: bool,
    /// Segments per second at which it sends at most, once a round trip is measured; this and
    /// what follows is known where a scheduler wants rates.
    pub rate: Option<f64>,
    /// The last sample of its delivery rate, in segments per second.
    pub delivery_rate: Option<f64>,
    /// The bandwidth, in segments per second, and the round trip without queues that its
    /// controller estimates.
    pub estimate: Option<(f64, Duration)>,
}
