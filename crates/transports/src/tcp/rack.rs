//! RACK: losses are found by the time of sending, and the reordering window is
//! what the path needs (RFC 8985, section 6).

use windtunnel_engine::{Duration, Time};

use super::scoreboard::Sent;

/// After this many recoveries without a duplicate the reordering window is small
/// again (RFC 8985, section 6.2, step 4).
const PERSISTENCE: u8 = 16;
/// This many segments delivered out of order indicate a loss where no reordering was
/// ever observed.
pub(super) const DUPLICATE_THRESHOLD: u32 = 3;

/// The state of RACK.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// The most recently sent segment that was delivered: its place among all
    /// sendings, when it was sent, and how long it took.
    order: Option<u64>,
    sent: Time,
    rtt: Duration,
    /// One past the highest byte that was delivered.
    highest: u64,
    least_rtt: Option<Duration>,
    reordering_seen: bool,
    /// How many bytes at most lay between the beginning of a late segment and the end of what
    /// had arrived before it.
    farthest: u64,
    multiplier: u32,
    persistence: u8,
    /// Duplicates do not widen the window again before so much is acknowledged.
    round_end: u64,
}

impl Rack {
    pub(super) fn new() -> Self {
        Self {
            order: None,
            sent: Time::ZERO,
            rtt: Duration::ZERO,
            highest: 0,
            least_rtt: None,
            reordering_seen: false,
            farthest: 0,
            multiplier: 1,
            persistence: PERSISTENCE,
            round_end: 0,
        }
    }

    /// The least round trip measured.
    #[inline]
    pub(super) fn least_rtt(&self) -> Option<Duration> {
        self.least_rtt
    }

    #[inline]
    pub(super) fn measure(&mut self, rtt: Duration) {
        self.least_rtt = Some(self.least_rtt.map_or(rtt, |it| it.min(rtt)));
    }

    /// One past the highest byte that was delivered.
    #[inline]
    pub(super) fn highest(&self) -> u64 {
        self.highest
    }

    /// Whether the acknowledgement of a segment, `since` after its last sending, may be that
    /// of an earlier sending: it is, if it is early by its timestamp (RFC 8985, section 6.2,
    /// step 2).
    #[inline]
    pub(super) fn is_ambiguous(
        &self,
        sent: &Sent,
        since: Duration,
        is_early: impl FnOnce() -> bool,
    ) -> bool {
        sent.retransmissions > 0
            && (self.least_rtt.is_some_and(|least| since < least) || is_early())
    }

    /// A segment was newly delivered, when `highest` was the highest byte before
    /// this acknowledgement.
    #[inline]
    pub(super) fn deliver(&mut self, now: Time, sent: &Sent, highest: u64, ambiguous: bool) {
        if sent.end < highest && sent.retransmissions == 0 {
            self.reordering_seen = true;
            let distance = highest - sent.end + u64::from(sent.length);
            self.farthest = self.farthest.max(distance);
        }
        self.highest = self.highest.max(sent.end);
        let rtt = now.since(sent.last_sent);
        if !ambiguous && self.order.is_none_or(|order| order < sent.order) {
            self.order = Some(sent.order);
            self.sent = sent.last_sent;
            self.rtt = rtt;
        }
    }

    /// Whether segments of this size came late behind more others than would indicate a loss.
    #[inline]
    pub(super) fn is_far_reordered(&self, segment: u64) -> bool {
        self.farthest > u64::from(DUPLICATE_THRESHOLD) * segment
    }

    /// How many segments of this size reordering is expected to be about, at least as many as
    /// indicate a loss otherwise.
    pub(super) fn distance(&self, segment: u64) -> u64 {
        self.farthest.div_ceil(segment).max(u64::from(DUPLICATE_THRESHOLD))
    }

    /// How far segments were reordered is to be seen again, after a timeout.
    pub(super) fn forget_distance(&mut self) {
        self.farthest = 0;
    }

    /// A retransmission was for nothing: what it repaired had only been late.
    pub(super) fn see_reordering(&mut self) {
        self.reordering_seen = true;
    }

    /// A receiver reports a duplicate: the reordering window was too small.
    pub(super) fn duplicate(&mut self, acknowledged: u64, next: u64) {
        if acknowledged >= self.round_end {
            self.multiplier = (self.multiplier + 1).min(1 << 16);
            self.persistence = PERSISTENCE;
            self.round_end = next;
        }
    }

    /// A recovery has ended.
    pub(super) fn recovered(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.multiplier = 1;
        }
    }

    /// The reordering window: how much later than expected a segment may come.
    #[inline]
    pub(super) fn window(
        &self,
        recovering: bool,
        delivered: u32,
        smoothed: Option<Duration>,
    ) -> Duration {
        if !self.reordering_seen && (recovering || delivered >= DUPLICATE_THRESHOLD) {
            return Duration::ZERO;
        }
        let least = self.least_rtt.unwrap_or(Duration::ZERO).as_picos();
        let window = Duration::from_picos((least / 4).saturating_mul(u64::from(self.multiplier)));
        window.min(smoothed.unwrap_or(window))
    }

    /// Whether a segment was sent before the most recent one that was delivered.
    #[inline]
    pub(super) fn is_older(&self, sent: &Sent) -> bool {
        self.order.is_some_and(|order| sent.order < order)
    }

    /// When a segment is considered lost.
    #[inline]
    pub(super) fn deadline(&self, sent: &Sent, window: Duration) -> Time {
        sent.last_sent + self.rtt + window
    }

    /// When all segments sent before the most recent one that was delivered are
    /// considered lost.
    #[inline]
    pub(super) fn last_deadline(&self, window: Duration) -> Time {
        self.sent + self.rtt + window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn milliseconds(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn reordered() -> Rack {
        let mut rack = Rack::new();
        rack.measure(milliseconds(40));
        rack.reordering_seen = true;
        rack
    }

    #[test]
    fn one_duplicate_a_round_trip_widens_the_window_by_a_quarter_of_it() {
        let mut rack = reordered();
        let window = |it: &Rack| it.window(true, 0, Some(milliseconds(1_000)));
        assert_eq!(window(&rack), milliseconds(10));
        rack.duplicate(10, 20);
        rack.duplicate(19, 30);
        assert_eq!(window(&rack), milliseconds(20), "the second is of the same round trip");
        rack.duplicate(20, 40);
        assert_eq!(window(&rack), milliseconds(30));
    }

    #[test]
    fn a_wide_window_lasts_sixteen_recoveries_without_a_duplicate() {
        let mut rack = reordered();
        rack.duplicate(10, 20);
        for _ in 0..16 {
            assert_eq!(rack.window(true, 0, None), milliseconds(20));
            rack.recovered();
        }
        assert_eq!(rack.window(true, 0, None), milliseconds(10));
    }

    #[test]
    fn no_window_is_longer_than_a_smoothed_round_trip() {
        let mut rack = reordered();
        for round in 0..100 {
            rack.duplicate(10 * round, 10 * round);
        }
        assert_eq!(rack.window(false, 0, Some(milliseconds(50))), milliseconds(50));
    }
}
