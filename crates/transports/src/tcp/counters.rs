//! What one end of a connection counts.

use std::ops::AddAssign;

use windtunnel_engine::Duration;

/// What one end counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndpointCounters {
    /// Segments with data sent, retransmissions included.
    pub segments: u64,
    /// Segments with data sent again.
    pub retransmissions: u64,
    /// Bytes of data acknowledged in order by the other end.
    pub acknowledged_bytes: u64,
    /// Segments with data received, duplicates included.
    pub received_segments: u64,
    /// Bytes of data received in order: what the application gets.
    pub received_bytes: u64,
    /// Segments received whose data had all been received before.
    pub duplicates: u64,
    /// Segments with data received after one that was sent later, by their timestamps
    /// (RFC 4737, section 3.3, with the sender's clock in place of a number); none is counted
    /// without timestamps, nor among segments of one millisecond.
    pub reordered: u64,
    /// Segments received with a congestion mark.
    pub marks: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Decreases of the window that congestion signals asked for.
    pub decreases: u64,
    /// Of those, how many turned out to be spurious and were undone.
    pub decreases_undone: u64,
    /// Tail loss probes sent.
    pub probes: u64,
    /// Round trips measured: their sum.
    pub rtt_sum: Duration,
    /// How many those are.
    pub rtt_samples: u64,
    /// The least of them; none before the first.
    pub rtt_minimum: Option<Duration>,
    /// From a data segment's first sending to its acknowledgement, cumulative or
    /// selective: the sum over all.
    pub delay_sum: Duration,
    /// How many those are.
    pub delay_samples: u64,
}

impl AddAssign<&Self> for EndpointCounters {
    fn add_assign(&mut self, other: &Self) {
        // Named one by one, so that none is forgotten.
        let Self {
            segments,
            retransmissions,
            acknowledged_bytes,
            received_segments,
            received_bytes,
            duplicates,
            reordered,
            marks,
            timeouts,
            decreases,
            decreases_undone,
            probes,
            rtt_sum,
            rtt_samples,
            rtt_minimum,
            delay_sum,
            delay_samples,
        } = *other;
        self.segments += segments;
        self.retransmissions += retransmissions;
        self.acknowledged_bytes += acknowledged_bytes;
        self.received_segments += received_segments;
        self.received_bytes += received_bytes;
        self.duplicates += duplicates;
        self.reordered += reordered;
        self.marks += marks;
        self.timeouts += timeouts;
        self.decreases += decreases;
        self.decreases_undone += decreases_undone;
        self.probes += probes;
        self.rtt_sum += rtt_sum;
        self.rtt_samples += rtt_samples;
        self.rtt_minimum = match (self.rtt_minimum, rtt_minimum) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self.delay_sum += delay_sum;
        self.delay_samples += delay_samples;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters that are all different from each other.
    fn counters(from: u64) -> EndpointCounters {
        let duration = |number| Duration::from_millis(from + number);
        EndpointCounters {
            segments: from,
            retransmissions: from + 1,
            acknowledged_bytes: from + 2,
            received_segments: from + 3,
            received_bytes: from + 4,
            duplicates: from + 5,
            reordered: from + 6,
            marks: from + 7,
            timeouts: from + 8,
            decreases: from + 9,
            decreases_undone: from + 10,
            probes: from + 11,
            rtt_sum: duration(12),
            rtt_samples: from + 13,
            rtt_minimum: Some(duration(14)),
            delay_sum: duration(15),
            delay_samples: from + 16,
        }
    }

    #[test]
    fn connections_counters_are_added_but_for_the_least_round_trip() {
        let mut sum = counters(100);
        sum += &counters(200);
        // Each is 100 + 200 and twice its place.
        let place = |number: u64| 300 + 2 * number;
        assert_eq!(sum.rtt_minimum, Some(Duration::from_millis(114)));
        let sums = [
            sum.segments,
            sum.retransmissions,
            sum.acknowledged_bytes,
            sum.received_segments,
            sum.received_bytes,
            sum.duplicates,
            sum.reordered,
            sum.marks,
            sum.timeouts,
            sum.decreases,
            sum.decreases_undone,
            sum.probes,
            sum.rtt_sum.as_nanos() / 1_000_000,
            sum.rtt_samples,
        ];
        assert!((0..).map(place).zip(sums).all(|(expected, it)| expected == it), "{sums:?}");
        assert_eq!(sum.delay_sum, Duration::from_millis(place(15)));
        assert_eq!(sum.delay_samples, place(16));
    }
}
