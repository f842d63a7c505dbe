//! What a port counts.

use windtunnel_engine::Duration;
use windtunnel_packets::{Ecn, Packet};
use windtunnel_queues::{Backlog, Verdict};

/// What a port counted. At any time
/// `offered + duplicates = delivered + dropped + in the queue + on the link`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Packets given to the port.
    pub offered: u64,
    /// Packets that arrived at the other end.
    pub delivered: u64,
    /// Their bytes, with all headers.
    pub delivered_bytes: u64,
    /// How many packets were sent.
    pub sent: u64,
    /// The sum of the times that they waited, and those that a shrinking queue dropped.
    pub sojourn_sum: Duration,
    /// The time that they take on the wire, each attempt of the physical layer
    /// counted; on a link with a delivery trace, at the trace's mean rate.
    pub transmission_sum: Duration,
    /// The most that waited at once; packets and bytes each by itself.
    pub maximum_backlog: Backlog,
    /// Packets dropped because the queue was at its limit.
    pub overlimit_drops: u64,
    /// Packets that the queue discipline dropped.
    pub discipline_drops: u64,
    /// Packets that the link lost, its physical layer included.
    pub losses: u64,
    /// Packets that got a congestion mark here.
    pub marks: u64,
    /// Packets that got the milder mark of SCE here.
    pub some_congestion_marks: u64,
    /// Packets that arrived a second time.
    pub duplicates: u64,
    /// Packets of which a byte was changed; those whose bytes are not kept are also losses.
    pub corrupted: u64,
    /// Packets that arrived late, so that others could overtake them.
    pub late: u64,
    /// How often the physical layer sent a packet again that is sent once in `sent`.
    pub air_retransmissions: u64,
}

impl Counters {
    /// Packets dropped, whatever the cause.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.overlimit_drops + self.discipline_drops + self.losses
    }

    /// Packets in the queue or on the link.
    #[must_use]
    pub fn in_transit(&self) -> u64 {
        self.offered + self.duplicates - self.delivered - self.dropped()
    }

    /// Puts a mark on a packet and counts it, if the verdict asks for one.
    #[inline]
    pub(super) fn mark(&mut self, verdict: Verdict, packet: &mut Packet) {
        match verdict {
            Verdict::Mark => {
                self.marks += 1;
                packet.ecn = Ecn::Congestion;
            }
            Verdict::MarkSome => {
                self.some_congestion_marks += 1;
                packet.ecn = Ecn::Scalable;
            }
            Verdict::Pass | Verdict::Drop => {}
        }
    }
}
