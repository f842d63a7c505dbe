//! Proportional rate reduction: while a window comes down, what is sent follows
//! what is delivered.
//!
//! Source: RFC 9937 (RFC 6937bis). With `D` bytes newly delivered by an
//! acknowledgement:
//!
//! - while `pipe > ssthresh`: send
//!   `ceil(delivered * ssthresh / RecoverFS) - out`, in whole segments
//! - else: at most `max(delivered - out, D)`, and one segment more on a safe
//!   acknowledgement (new data, and no further loss), up to `ssthresh`
//! - the first acknowledgement lets at least one segment go

/// A reduction under way; all in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// What was in flight when it began (RecoverFS).
    flight: u64,
    /// Where it leads.
    ssthresh: u64,
    delivered: u64,
    out: u64,
    /// What may still be sent now.
    allowance: u64,
}

impl Reduction {
    /// The first segment of `segment` bytes may go without an acknowledgement: a
    /// timer may have detected the loss.
    #[must_use]
    pub fn new(flight: u64, ssthresh: u64, segment: u64) -> Self {
        Self { flight: flight.max(1), ssthresh, delivered: 0, out: 0, allowance: segment }
    }

    /// An acknowledgement delivered `newly`; `pipe` is in flight after it.
    pub fn acknowledge(&mut self, newly: u64, pipe: u64, safe: bool, segment: u64) {
        if newly == 0 {
            return;
        }
        self.delivered += newly;
        let allowance = if pipe > self.ssthresh {
            let share = u128::from(self.delivered) * u128::from(self.ssthresh);
            let segments = share.div_ceil(u128::from(self.flight) * u128::from(segment)) as u64;
            (segments * segment).saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(newly);
            let limit = limit + if safe { segment } else { 0 };
            (self.ssthresh - pipe).min(limit)
        };
        let forced = if self.out == 0 { segment } else { 0 };
        self.allowance = allowance.max(forced);
    }

    /// The bytes that may be sent.
    #[must_use]
    pub fn allowance(&self) -> u64 {
        self.allowance
    }

    /// Whether a segment may be sent.
    #[inline]
    #[must_use]
    pub fn allows(&self, length: u64) -> bool {
        self.allowance >= length
    }

    /// A segment was sent.
    #[inline]
    pub fn send(&mut self, length: u64) {
        self.out += length;
        self.allowance = self.allowance.saturating_sub(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    /// One loss in a flight of 20: each acknowledgement delivers a segment, and
    /// whatever may be sent is. Returns what was sent and what is in flight.
    fn one_loss(ssthresh: u64) -> (u64, u64) {
        let mut reduction = Reduction::new(20 * SEGMENT, ssthresh * SEGMENT, SEGMENT);
        let (mut pipe, mut sent) = (19, 0);
        for _ in 0..19 {
            pipe -= 1;
            reduction.acknowledge(SEGMENT, pipe * SEGMENT, false, SEGMENT);
            while reduction.allows(SEGMENT) {
                reduction.send(SEGMENT);
                pipe += 1;
                sent += 1;
            }
        }
        (sent, pipe)
    }

    #[test]
    fn one_loss_ends_at_the_threshold_in_proportion() {
        assert_eq!(one_loss(10), (10, 10));
        assert_eq!(one_loss(14), (14, 14));
    }

    /// While more is in flight than the threshold, after each acknowledgement
    /// `ceil(delivered * ssthresh / RecoverFS)` was sent, in whole segments.
    #[test]
    fn sending_keeps_in_proportion_to_what_is_delivered() {
        for (ssthresh, newly) in [(10, 1000), (14, 1000), (10, 500), (10, 3000), (7, 1300)] {
            let mut reduction = Reduction::new(20 * SEGMENT, ssthresh * SEGMENT, SEGMENT);
            let mut sent = 0;
            for acknowledgements in 1..=5 {
                reduction.acknowledge(newly, 19 * SEGMENT, true, SEGMENT);
                while reduction.allows(SEGMENT) {
                    reduction.send(SEGMENT);
                    sent += 1;
                }
                let delivered = acknowledgements * newly;
                let proportion = (delivered * ssthresh).div_ceil(20 * SEGMENT);
                assert_eq!(sent, proportion, "{delivered} delivered towards {ssthresh}");
            }
        }
    }

    /// Below the threshold as much may be sent as was delivered and not yet used, or as this
    /// acknowledgement delivers, up to the threshold.
    #[test]
    fn below_the_threshold_what_was_delivered_and_not_used_may_be_sent() {
        let mut reduction = Reduction::new(20 * SEGMENT, 10 * SEGMENT, SEGMENT);
        (0..3).for_each(|_| reduction.acknowledge(SEGMENT, 4 * SEGMENT, false, SEGMENT));
        assert!(reduction.allows(3 * SEGMENT) && !reduction.allows(3 * SEGMENT + 1));
        reduction.send(3 * SEGMENT);
        assert!(!reduction.allows(1));
        reduction.acknowledge(2 * SEGMENT, 4 * SEGMENT, false, SEGMENT);
        assert!(reduction.allows(2 * SEGMENT) && !reduction.allows(2 * SEGMENT + 1));
        reduction.acknowledge(SEGMENT, 9 * SEGMENT, true, SEGMENT);
        assert!(reduction.allows(SEGMENT) && !reduction.allows(SEGMENT + 1), "the threshold");
    }

    #[test]
    fn after_a_burst_of_losses_what_is_delivered_is_sent_and_a_safe_one_more() {
        for (safe, expected) in [(false, 1), (true, 2)] {
            let mut reduction = Reduction::new(20 * SEGMENT, 10 * SEGMENT, SEGMENT);
            reduction.acknowledge(SEGMENT, 4 * SEGMENT, false, SEGMENT);
            assert!(reduction.allows(SEGMENT));
            reduction.send(SEGMENT);
            reduction.acknowledge(SEGMENT, 4 * SEGMENT, safe, SEGMENT);
            assert!(reduction.allows(expected * SEGMENT));
            assert!(!reduction.allows((expected + 1) * SEGMENT));
        }
    }

    /// RFC 9937: where nothing was sent yet in this recovery, the segment that fast retransmit
    /// sends goes, however little proportion or bound would allow.
    #[test]
    fn the_first_acknowledgement_lets_one_segment_go_and_no_further_one_does() {
        for (ssthresh, pipe) in [(10, 10), (0, 4)] {
            let mut reduction = Reduction::new(20 * SEGMENT, ssthresh * SEGMENT, SEGMENT);
            for forced in [true, false] {
                reduction.acknowledge(SEGMENT, pipe * SEGMENT, false, SEGMENT);
                assert_eq!(reduction.allows(SEGMENT), forced, "at {pipe} of {ssthresh}");
                assert!(!reduction.allows(SEGMENT + 1));
                reduction.send(SEGMENT);
            }
        }
    }

    #[test]
    fn nothing_delivered_changes_nothing() {
        let mut reduction = Reduction::new(20 * SEGMENT, 10 * SEGMENT, SEGMENT);
        reduction.send(SEGMENT);
        reduction.acknowledge(0, 4 * SEGMENT, true, SEGMENT);
        assert!(!reduction.allows(1));
    }
}
