//! What the versions of BBR share: their packet-timed rounds, the detection of
//! a full pipe, the estimate of aggregation, and their random choices.

use crate::windowed::WindowedMaximum;
use crate::{Acknowledgement, Delivery, Nanoseconds, seconds};

pub(crate) const SECOND: Nanoseconds = 1_000_000_000;
/// The minimum window, in segments: two in each direction.
pub(crate) const LEAST: f64 = 4.0;
/// How long the minimum round trip is remembered.
pub(crate) const MIN_RTT_MEMORY: Nanoseconds = 10 * SECOND;
/// How long a probe for the minimum round trip limits the window.
const PROBE_RTT_DURATION: Nanoseconds = SECOND / 5;
/// Rounds over which aggregation is remembered.
pub(crate) const AGGREGATION_ROUNDS: u64 = 10;
/// Growth of the delivery rate that shows that the pipe was not full, and how
/// many rounds without it show that it is full.
const GROWTH: f64 = 1.25;
const ROUNDS_WITHOUT: u8 = 3;
/// Sixty-four kilobytes, in segments of 1,448 bytes.
pub(crate) const MOST_AT_ONCE: f64 = 45.0;

/// The pacing rate for a gain: one per cent lower, so that queues drain.
pub(crate) fn paced(gain: f64, bandwidth: f64) -> f64 {
    0.99 * gain * bandwidth
}

/// A number in `0..1` for the random choices of the drafts. Controllers have no
/// source of randomness, so it is derived from the time and the delivered data:
/// the same on every run, and different between connections.
pub(crate) fn chance(now: Nanoseconds, delivered: f64) -> f64 {
    let mut mixed = now ^ delivered.to_bits().rotate_left(32);
    for multiplier in [0xbf58_476d_1ce4_e5b9_u64, 0x94d0_49bb_1331_11eb] {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(multiplier);
    }
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Counts packet-timed rounds, which the algorithm may restart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    pub(crate) count: u64,
    /// Whether the last acknowledgement began a round.
    pub(crate) started: bool,
    /// All data delivered until the last acknowledgement.
    pub(crate) total: f64,
    /// Data sent after this much was delivered belongs to the next round.
    next: f64,
}

impl Rounds {
    pub(crate) fn update(&mut self, delivery: &Delivery) {
        self.total = delivery.total;
        self.started = delivery.total_at_send >= self.next;
        if self.started {
            self.count += 1;
            self.restart();
        }
    }

    /// Data was delivered of which no sample is known: it belongs to the round.
    pub(crate) fn pass(&mut self, delivered: f64) {
        self.total += delivered;
        self.started = false;
    }

    /// Begins a round with the next data sent.
    pub(crate) fn restart(&mut self) {
        self.next = self.total;
    }
}

/// A probe for the minimum round trip, under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RttProbe {
    /// When it has lasted long enough; none until the data in flight is low.
    until: Option<Nanoseconds>,
    /// Whether a round has passed since then.
    round_passed: bool,
}

impl RttProbe {
    /// Sending begins again: whether enough time has passed, in which nothing was in
    /// flight.
    pub(crate) fn is_over(&self, now: Nanoseconds) -> bool {
        self.until.is_some_and(|until| now > until)
    }

    /// Processes an acknowledgement; `low` says that no more is in flight than the
    /// probe allows. Returns whether the probe is over.
    pub(crate) fn advance(&mut self, now: Nanoseconds, low: bool, rounds: &mut Rounds) -> bool {
        let Some(until) = self.until else {
            if low {
                self.until = Some(now.saturating_add(PROBE_RTT_DURATION));
                rounds.restart();
            }
            return false;
        };
        self.round_passed |= rounds.started;
        self.round_passed && now > until
    }
}

/// The pipe is full when the delivery rate stops growing while the sender
/// sends faster.
#[derive(Clone, Debug, Default)]
pub(crate) struct FullPipe {
    pub(crate) baseline: f64,
    count: u8,
    /// Whether it is full now.
    pub(crate) now: bool,
    /// Whether it ever was.
    pub(crate) reached: bool,
}

impl FullPipe {
    /// Processes a round's rate.
    pub(crate) fn observe(&mut self, rate: f64) {
        if self.now {
            return;
        }
        if rate >= GROWTH * self.baseline {
            self.look_again(rate);
            return;
        }
        self.count += 1;
        self.now = self.count >= ROUNDS_WITHOUT;
        self.reached |= self.now;
    }

    /// Starts looking, from this rate.
    pub(crate) fn look_again(&mut self, rate: f64) {
        self.baseline = rate;
        self.count = 0;
        self.now = false;
    }
}

/// How much more than the bandwidth is acknowledged in one burst, because
/// links and receivers aggregate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aggregation {
    most: WindowedMaximum,
    begun: Nanoseconds,
    delivered: f64,
}

impl Aggregation {
    /// Sending begins again: what is acknowledged is counted from here on.
    pub(crate) fn restart(&mut self, now: Nanoseconds) {
        self.begun = now;
        self.delivered = 0.0;
    }

    /// The maximum of the last rounds, in segments.
    pub(crate) fn extra(&self) -> f64 {
        self.most.get().unwrap_or(0.0)
    }

    /// Processes what was delivered in `round`, and discards what is more than
    /// `memory` rounds old.
    pub(crate) fn update(
        &mut self,
        acknowledgement: &Acknowledgement,
        bandwidth: f64,
        cwnd: f64,
        round: u64,
        memory: u64,
    ) {
        let now = acknowledgement.now;
        let mut expected = bandwidth * seconds(now.saturating_sub(self.begun));
        if self.delivered <= expected {
            self.delivered = 0.0;
            self.begun = now;
            expected = 0.0;
        }
        self.delivered += acknowledgement.delivered;
        let extra = (self.delivered - expected).min(cwnd);
        self.most.update(round, extra, memory);
    }
}
