//! Receive offload: segments that arrive together are merged before the connection takes them
//! in, and acknowledged once.
//!
//! Source: Linux's generic receive offload (`tcp_gro_receive`), and interrupt coalescing
//! (ethtool, `rx-usecs`). The interface is polled some time after the first packet that came
//! since the last poll. Everything that came by then is taken in at that time, in its order,
//! acknowledgements as well. Each connection is polled by itself, as if no other one came over
//! the interface. In a poll a segment is merged with the one before it if it continues it,
//! has the same header and ECN field, and both fit into one IP packet. A segment that is
//! shorter than the first, or has a FIN or PSH, is the last of those that are merged.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::{Flags, Segment};

/// Segments merged into one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merged {
    pub(super) segment: Segment,
    pub(super) ecn: Ecn,
    /// How many they are.
    pub(super) count: u16,
    /// The length of the first.
    length: u16,
}

impl Merged {
    fn one(segment: Segment, ecn: Ecn) -> Self {
        Self { segment, ecn, count: 1, length: segment.length }
    }

    /// Merges another one, if both together have at most `most` bytes of data; returns whether
    /// it did.
    fn merge(&mut self, other: &Segment, ecn: Ecn, most: u16) -> bool {
        let merged = &mut self.segment;
        // Except for these, their headers are the same; nothing follows a FIN.
        let mut expected = *merged;
        expected.sequence = merged.sequence.wrapping_add(u32::from(merged.length));
        expected.length = other.length;
        expected.flags = (merged.flags.with_if(Flags::FIN, other.flags.has(Flags::FIN)))
            .with_if(Flags::PSH, other.flags.has(Flags::PSH));
        let follows = !merged.flags.has(Flags::PSH)
            && (1..=self.length).contains(&other.length)
            && merged.length.is_multiple_of(self.length)
            && merged.length.checked_add(other.length).is_some_and(|it| it <= most)
            && ecn == self.ecn
            && *other == expected;
        if follows {
            merged.length += other.length;
            merged.flags = other.flags;
            self.count += 1;
        }
        follows
    }
}

/// What has arrived since the last poll.
#[derive(Clone, Debug)]
pub(super) struct ReceiveOffload {
    /// How long after the first arrival the interface is polled.
    coalescing: Duration,
    /// The most data of a merged segment.
    most: u16,
    arrived: Vec<Merged>,
    poll: Time,
}

impl ReceiveOffload {
    /// With headers of this many bytes.
    pub(super) fn new(coalescing: Duration, headers: u16) -> Self {
        Self { coalescing, most: u16::MAX - headers, arrived: Vec::new(), poll: Time::NEVER }
    }

    /// When the interface is polled.
    #[inline]
    pub(super) fn poll(&self) -> Time {
        self.poll
    }

    /// A segment arrives.
    pub(super) fn arrive(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        let last = self.arrived.last_mut();
        if last.is_none() {
            self.poll = now + self.coalescing;
        }
        if !last.is_some_and(|it| it.merge(segment, ecn, self.most)) {
            self.arrived.push(Merged::one(*segment, ecn));
        }
    }

    /// The poll is over: what arrived is handed over, with room to give back.
    pub(super) fn take(&mut self) -> Vec<Merged> {
        self.poll = Time::NEVER;
        std::mem::take(&mut self.arrived)
    }

    /// Gives back what was handed over, so that polls allocate nothing.
    pub(super) fn give_back(&mut self, mut taken: Vec<Merged>) {
        taken.clear();
        self.arrived = taken;
    }
}
