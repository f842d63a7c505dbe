//! What the kernel's delivery rate samples lack: the data in flight when a segment was sent, and
//! what was lost since.
//!
//! The kernel's sample says how much had been delivered when the segment was sent. So much had
//! been delivered after one certain report: what was lost until then is known from it, and what
//! was in flight once its segments were sent is what the next report finds in flight before it.

use std::collections::VecDeque;

/// Reports that are kept: more than there are acknowledgements in a round trip.
const MOST: usize = 1 << 14;

/// The state of a connection after a report.
#[derive(Clone, Copy, Debug)]
struct Moment {
    delivered: u64,
    lost: u64,
    /// In flight when the next acknowledgement arrived.
    in_flight: u32,
}

/// The states of a connection in the last round trip.
#[derive(Debug, Default)]
pub(super) struct History {
    moments: VecDeque<Moment>,
}

impl History {
    /// An acknowledgement arrived, with so much in flight before it.
    pub(super) fn sent(&mut self, in_flight: u32) {
        if let Some(last) = self.moments.back_mut() {
            last.in_flight = last.in_flight.max(in_flight);
        }
    }

    /// It left the totals `delivered` and `lost`, and so much in flight.
    pub(super) fn note(&mut self, delivered: u64, lost: u64, in_flight: u32) {
        if self.moments.len() == MOST {
            self.moments.pop_front();
        }
        self.moments.push_back(Moment { delivered, lost, in_flight });
    }

    /// In flight, and lost in all, when a segment was sent after `delivered` had been; what was
    /// before that is forgotten, for no later sample goes back so far.
    pub(super) fn at(&mut self, delivered: u64) -> Option<(u32, u64)> {
        let after = self.moments.partition_point(|it| it.delivered <= delivered);
        self.moments.drain(..after.saturating_sub(1));
        let it = self.moments.front()?;
        Some((it.in_flight, it.lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_remembers_what_was_in_flight_and_lost_when_it_was_sent() {
        let mut history = History::default();
        history.note(0, 0, 0);
        history.sent(10);
        history.note(2, 0, 8);
        history.sent(12);
        history.note(5, 3, 9);
        history.sent(11);
        assert_eq!(history.at(2), Some((12, 0)));
        assert_eq!(history.at(4), Some((12, 0)), "delivered since the report, but not reported");
        assert_eq!(history.at(5), Some((11, 3)));
    }

    #[test]
    fn memory_is_bounded() {
        let mut history = History::default();
        (0..2 * MOST as u64).for_each(|it| history.note(it, 0, 1));
        assert_eq!(history.moments.len(), MOST);
        assert!(history.at(u64::MAX).is_some());
        assert_eq!(history.moments.len(), 1);
    }
}
