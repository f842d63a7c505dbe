//! Duplicate acknowledgements at the source edge: which returning segments are
//! duplicates, and which of these refer to a segment that was retransmitted less than
//! a round trip ago.
//!
//! The paper leaves this for future work (section VI). It needs
//! state for each connection, which the rest of the system does not have. It is
//! bounded by a table of fixed size, and by what is retransmitted in one round trip.

use std::collections::VecDeque;

use hashbrown::HashTable;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::{Flags, Segment};

use super::connections::Connections;
use super::start::Start;

/// The fields that are the same in a duplicate acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Acknowledged {
    acknowledgement: u32,
    window: u16,
}

/// A segment that was sent again, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Resent {
    start: Start,
    at: Time,
}

/// What the edge remembers in order to recognise duplicate acknowledgements.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    round_trip: Duration,
    last_fields: Connections<Acknowledged>,
    /// What was sent again within the last round trip, the oldest first; and, of
    /// each segment, the last time.
    resent: VecDeque<Resent>,
    last: HashTable<Resent>,
}

impl Memory {
    pub(super) fn new(round_trip: Duration) -> Self {
        Self {
            round_trip,
            last_fields: Connections::default(),
            resent: VecDeque::new(),
            last: HashTable::new(),
        }
    }

    /// Whether a returning segment is a duplicate acknowledgement (RFC 5681,
    /// section 2): no data, SYN or FIN, and the same acknowledgement and window as
    /// the one before it. SACK blocks make no difference.
    pub(super) fn is_duplicate(&mut self, segment: &Segment) -> bool {
        let flags = segment.flags;
        let opens_or_ends = [Flags::SYN, Flags::FIN, Flags::RST].iter().any(|it| flags.has(*it));
        if !flags.has(Flags::ACK) || opens_or_ends {
            return false;
        }
        let Segment { acknowledgement, window, .. } = *segment;
        let fields = (segment.connection, Acknowledged { acknowledgement, window });
        let last_fields = self.last_fields.place_mut(segment.connection).replace(fields);
        last_fields == Some(fields) && segment.length == 0
    }

    /// A segment is sent again.
    pub(super) fn note(&mut self, now: Time, start: Start) {
        self.forget(now);
        let resent = Resent { start, at: now };
        self.resent.push_back(resent);
        match self.last.find_mut(start.hash(), |it| it.start == start) {
            Some(it) => *it = resent,
            None => {
                self.last.insert_unique(start.hash(), resent, |it| it.start.hash());
            }
        }
    }

    /// Whether a segment was sent again less than a round trip ago.
    pub(super) fn was_resent(&mut self, now: Time, start: Start) -> bool {
        self.forget(now);
        self.last.find(start.hash(), |it| it.start == start).is_some()
    }

    /// Forgets what was sent again a round trip ago or earlier.
    fn forget(&mut self, now: Time) {
        while let Some(first) = self.resent.front().copied() {
            if now.since(first.at) < self.round_trip {
                break;
            }
            self.resent.pop_front();
            if let Ok(entry) = self.last.find_entry(first.start.hash(), |it| *it == first) {
                entry.remove();
            }
        }
    }
}
