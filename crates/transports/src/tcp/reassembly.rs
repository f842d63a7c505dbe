//! What a receiver holds: everything up to one byte, and ranges beyond it.

use std::collections::VecDeque;

use windtunnel_packets::tcp::SackBlock;

/// The most blocks that an acknowledgement has room for (RFC 2018, section 3).
const MOST_BLOCKS: usize = 4;

/// Bytes from `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    start: u64,
    end: u64,
}

/// What a segment brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The next bytes in order; ranges behind them may have joined.
    InOrder {
        /// Whether it filled a gap, since bytes beyond it had arrived before, or brought bytes
        /// that had arrived before.
        overlaps: bool,
    },
    /// Bytes beyond a gap.
    OutOfOrder {
        /// Whether they belong to one of the two ranges that changed last before, or there are
        /// no others.
        recent: bool,
    },
    /// Nothing new.
    Duplicate,
}

/// The bytes received.
#[derive(Clone, Debug)]
pub(crate) struct Reassembly {
    /// The next byte in order.
    next: u64,
    /// What lies beyond a gap: apart from each other, in order.
    ranges: VecDeque<Range>,
    /// A byte in each range that changed or came again lately, the latest first.
    recent: [u64; MOST_BLOCKS],
    /// The first bytes of the last segment that had been received before, to be reported once
    /// (RFC 2883, section 4).
    duplicate: Option<Range>,
}

impl Reassembly {
    pub(crate) fn new(next: u64) -> Self {
        Self { next, ranges: VecDeque::new(), recent: [0; MOST_BLOCKS], duplicate: None }
    }

    /// The next byte in order.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// The byte after the last that is held.
    pub(crate) fn end(&self) -> u64 {
        self.ranges.back().map_or(self.next, |it| it.end)
    }

    /// Whether bytes are held beyond a gap.
    #[inline]
    pub(crate) fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// How many bytes are held beyond a gap.
    pub(crate) fn held(&self) -> u64 {
        self.ranges.iter().map(|it| it.end - it.start).sum()
    }

    /// The bytes from `start` to before `end` may have come again: whether all were in order.
    pub(crate) fn repeat(&mut self, start: u64, end: u64) -> bool {
        let came = start < end && end <= self.next;
        if came {
            self.duplicate = Some(Range { start, end });
        }
        came
    }

    /// The bytes from `start` to before `end` are reported as received twice, whether they were or not.
    pub(crate) fn report_twice(&mut self, start: u64, end: u64) {
        self.duplicate = Some(Range { start, end });
    }

    /// The bytes from `start` to before `end` arrived; there is at least one.
    #[inline]
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Arrival {
        if end <= self.next {
            self.duplicate = Some(Range { start, end });
            return Arrival::Duplicate;
        }
        if start > self.next {
            return self.insert_beyond(start, end);
        }
        let mut overlaps = false;
        if start < self.next {
            self.duplicate = Some(Range { start, end: self.next });
            overlaps = true;
        }
        self.next = end;
        if !self.ranges.is_empty() {
            self.join_in_order(end, overlaps);
            overlaps = true;
        }
        Arrival::InOrder { overlaps }
    }

    /// The ranges that a segment reaches, which ends before `end` and is in order, are in order as
    /// well. `is_reported`: a part of it is known to be a duplicate.
    fn join_in_order(&mut self, end: u64, mut is_reported: bool) {
        while let Some(first) = self.ranges.front().copied() {
            if first.start > self.next {
                break;
            }
            if first.start < end && !is_reported {
                self.duplicate = Some(Range { start: first.start, end: first.end.min(end) });
                is_reported = true;
            }
            self.next = self.next.max(first.end);
            self.ranges.pop_front();
        }
    }

    fn insert_beyond(&mut self, start: u64, end: u64) -> Arrival {
        // The first range that ends at or after the start: what arrives touches it,
        // or lies before it. It is mostly the last one.
        let place = match self.ranges.back() {
            Some(last) if last.end < start => self.ranges.len(),
            Some(last) if last.start <= start => self.ranges.len() - 1,
            _ => self.ranges.partition_point(|it| it.end < start),
        };
        self.find_duplicate(place, start, end);
        let joined = match self.ranges.get_mut(place) {
            Some(range) if range.start <= start && end <= range.end => {
                self.note(place, start);
                return Arrival::Duplicate;
            }
            Some(range) if range.start <= end => {
                range.start = range.start.min(start);
                range.end = range.end.max(end);
                true
            }
            _ => false,
        };
        if joined {
            while let Some(next) = self.ranges.get(place + 1).copied() {
                if next.start > self.ranges[place].end {
                    break;
                }
                self.ranges[place].end = self.ranges[place].end.max(next.end);
                self.ranges.remove(place + 1);
            }
        } else {
            self.ranges.insert(place, Range { start, end });
        }
        Arrival::OutOfOrder { recent: self.note(place, start) }
    }

    /// Bytes from `start` to before `end` arrive, of which those in ranges came before; the first
    /// that they can touch is at `place`.
    fn find_duplicate(&mut self, place: usize, start: u64, end: u64) {
        let reached = self.ranges.range(place..).take_while(|it| it.start < end);
        if let Some(it) = reached.into_iter().find(|it| it.end > start) {
            self.duplicate = Some(Range { start: it.start.max(start), end: it.end.min(end) });
        }
    }

    /// The range at `place` changed at `byte`, or holds what came again there. Whether it was one
    /// of the two that were last noted, or there are no more than two.
    fn note(&mut self, place: usize, byte: u64) -> bool {
        let range = self.ranges[place];
        let inside = |it: &u64| (range.start..range.end).contains(it);
        let known = self.recent.iter().position(inside).unwrap_or(self.recent.len() - 1);
        self.recent[..=known].rotate_right(1);
        self.recent[0] = byte;
        known < 2 || self.ranges.len() <= 2
    }

    /// The range that holds `byte`, if it lies beyond a gap.
    fn range_of(&self, byte: u64) -> Option<Range> {
        let range = match self.ranges.back()? {
            last if last.start <= byte => last,
            _ => self.ranges.get(self.ranges.partition_point(|it| it.end <= byte))?,
        };
        (range.start..range.end).contains(&byte).then_some(*range)
    }

    /// What an acknowledgement reports: first bytes received twice, once, then
    /// the ranges that changed last (RFC 2018, section 4; RFC 2883, section 4).
    pub(crate) fn report(&mut self, mut add: impl FnMut(SackBlock)) {
        let block = |it: Range| SackBlock { start: it.start as u32, end: it.end as u32 };
        if let Some(duplicate) = self.duplicate.take() {
            add(block(duplicate));
        }
        if self.ranges.is_empty() {
            return;
        }
        let mut reported = [None; MOST_BLOCKS];
        for (index, byte) in self.recent.into_iter().enumerate() {
            let range = self.range_of(byte);
            if range.is_some() && !reported.contains(&range) {
                reported[index] = range;
                range.into_iter().map(block).for_each(&mut add);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn blocks(reassembly: &mut Reassembly) -> Vec<(u32, u32)> {
        let mut blocks = Vec::new();
        reassembly.report(|it| blocks.push((it.start, it.end)));
        blocks
    }

    #[test]
    fn the_first_block_holds_what_arrived_last() {
        // RFC 2018, section 4, case 2: of eight segments of 500 bytes the first
        // is lost.
        let mut reassembly = Reassembly::new(5000);
        for (index, start) in (5500..9000).step_by(500).enumerate() {
            assert_eq!(reassembly.insert(start, start + 500), Arrival::OutOfOrder { recent: true });
            assert_eq!(blocks(&mut reassembly), [(5500, 6000 + 500 * index as u32)]);
        }
    }

    #[test]
    fn every_other_segment_lost_reports_three_blocks() {
        // RFC 2018, section 4, case 3: the second, fourth, sixth and eighth
        // segments are lost.
        let mut reassembly = Reassembly::new(5000);
        for start in [5000, 6000, 7000, 8000] {
            reassembly.insert(start, start + 500);
        }
        assert_eq!(blocks(&mut reassembly), [(8000, 8500), (7000, 7500), (6000, 6500)]);
        // The fourth arrives and joins two blocks.
        reassembly.insert(6500, 7000);
        assert_eq!(blocks(&mut reassembly), [(6000, 7500), (8000, 8500)]);
        // The second arrives: everything up to 7500 is in order.
        assert_eq!(reassembly.insert(5500, 6000), Arrival::InOrder { overlaps: true });
        assert_eq!(reassembly.next(), 7500);
        assert_eq!(blocks(&mut reassembly), [(8000, 8500)]);
    }

    #[test]
    fn bytes_received_twice_are_reported_once() {
        let mut reassembly = Reassembly::new(0);
        reassembly.insert(0, 1000);
        reassembly.insert(2000, 3000);
        assert_eq!(reassembly.insert(500, 1000), Arrival::Duplicate);
        assert_eq!(blocks(&mut reassembly), [(500, 1000), (2000, 3000)]);
        assert_eq!(blocks(&mut reassembly), [(2000, 3000)]);
        assert_eq!(reassembly.insert(2500, 3000), Arrival::Duplicate);
        assert_eq!(blocks(&mut reassembly), [(2500, 3000), (2000, 3000)]);
    }

    /// RFC 2883, section 4: the second block is of the range that holds what came twice.
    #[test]
    fn the_range_around_a_duplicate_is_reported_behind_it() {
        let mut reassembly = Reassembly::new(0);
        for start in [1000, 3000, 5000] {
            reassembly.insert(start, start + 1000);
        }
        assert_eq!(reassembly.insert(1500, 2000), Arrival::Duplicate);
        let expected = [(1500, 2000), (1000, 2000), (5000, 6000), (3000, 4000)];
        assert_eq!(blocks(&mut reassembly), expected);
    }

    /// RFC 2883, section 4.2.1 and the two after it, in its numbers.
    #[test]
    fn the_first_part_that_came_before_is_reported_of_a_longer_segment() {
        let mut single = Reassembly::new(1000);
        single.insert(2000, 2500);
        single.insert(1000, 1500);
        assert_eq!(blocks(&mut single), [(2000, 2500)]);
        assert_eq!(single.insert(1000, 2000), Arrival::InOrder { overlaps: true });
        assert_eq!(blocks(&mut single), [(1000, 1500)]);
        let mut covered = Reassembly::new(1500);
        covered.insert(3000, 3500);
        covered.insert(2000, 2500);
        covered.insert(1000, 2500);
        assert_eq!(blocks(&mut covered), [(1000, 1500), (3000, 3500)]);
        let mut beyond = Reassembly::new(1000);
        for start in [3500, 1500, 2500] {
            beyond.insert(start, start + 500);
        }
        beyond.insert(1500, 3000);
        assert_eq!(blocks(&mut beyond), [(1500, 2000), (1500, 3000), (3500, 4000)]);
    }

    proptest! {
        /// Against a plain set of bytes.
        #[test]
        fn holds_what_a_set_of_bytes_would(
            arrivals in prop::collection::vec((0_u64..60, 1_u64..12), 1..80),
        ) {
            let mut reassembly = Reassembly::new(0);
            let mut held = [false; 80];
            for (start, length) in arrivals {
                let end = start + length;
                let bytes = start as usize..end as usize;
                let fresh = !held[bytes.clone()].iter().all(|it| *it);
                let twice = bytes.clone().find(|it| held[*it]).map(|first| {
                    let past = (first..end as usize).find(|it| !held[*it]);
                    Range { start: first as u64, end: past.unwrap_or(end as usize) as u64 }
                });
                let arrival = reassembly.insert(start, end);
                prop_assert_eq!(arrival == Arrival::Duplicate, !fresh);
                prop_assert_eq!(reassembly.duplicate, twice, "the first part that came before");
                held[start as usize..end as usize].fill(true);
                let next = held.iter().position(|it| !it).unwrap() as u64;
                prop_assert_eq!(reassembly.next(), next);
                reassembly.duplicate = None;
                let mut last = None;
                reassembly.report(|it| {
                    let bytes = &held[it.start as usize..it.end as usize];
                    assert!(bytes.iter().all(|it| *it), "not held");
                    assert!(!held[it.start as usize - 1] && !held[it.end as usize], "not whole");
                    last.get_or_insert((it.start, it.end));
                });
                if matches!(arrival, Arrival::OutOfOrder { .. }) {
                    let (first, past) = last.unwrap();
                    prop_assert!(u64::from(first) <= start && end <= u64::from(past));
                }
            }
        }
    }
}
