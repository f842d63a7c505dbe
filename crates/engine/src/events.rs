//! The event queue: what happens next, and among things at the same instant,
//! what was scheduled first.

use dary_heap::QuaternaryHeap;
use std::cmp::Reverse;

use crate::Time;

/// With an event of four octets an entry has sixteen, and those compared at one
/// step of the heap fill one cache line.
#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    time: Time,
    /// Order of scheduling; it breaks ties, so that order never depends on chance.
    /// It wraps: of two entries at one instant, fewer than 2³¹ others were
    /// scheduled between them.
    sequence: u32,
    event: E,
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.sequence) == (other.time, other.sequence)
    }
}
impl<E> Eq for Entry<E> {}
impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let later = self.sequence.wrapping_sub(other.sequence) as i32;
        self.time.cmp(&other.time).then(later.cmp(&0))
    }
}

/// A queue of events in order of time, then of scheduling.
#[derive(Debug)]
pub struct EventQueue<E> {
    heap: QuaternaryHeap<Reverse<Entry<E>>>,
    now: Time,
    scheduled: u32,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: QuaternaryHeap::new(), now: Time::ZERO, scheduled: 0 }
    }
}

impl<E: Copy> EventQueue<E> {
    /// The time of the last event taken out.
    #[inline]
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Schedules `event` for `time`; a time that has passed means now.
    #[inline]
    pub fn schedule(&mut self, time: Time, event: E) {
        let time = time.max(self.now);
        self.heap.push(Reverse(Entry { time, sequence: self.scheduled, event }));
        self.scheduled = self.scheduled.wrapping_add(1);
    }

    /// The next event and up to two others that may come after it: what is worth
    /// fetching into the cache.
    #[inline]
    pub fn upcoming(&self) -> impl Iterator<Item = E> {
        self.heap.as_slice().iter().take(5).map(|it| it.0.event)
    }

    /// Takes out the next event, if it is due no later than `end`; time moves on
    /// to it.
    #[inline]
    pub fn next_until(&mut self, end: Time) -> Option<(Time, E)> {
        if self.heap.peek()?.0.time > end {
            return None;
        }
        let Reverse(entry) = self.heap.pop()?;
        self.now = entry.time;
        Some((entry.time, entry.event))
    }
}
