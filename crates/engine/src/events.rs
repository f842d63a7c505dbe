//! The event queue: what happens next, and of several events at one instant, the
//! least of them.
//!
//! An event says whose it is: its source, and what happens to it. Ties are broken by
//! the events themselves and not by the order in which they were scheduled, so that
//! the order of a component's events depends on nothing that happens elsewhere: a
//! world can be cut into parts that run on several threads, and each part sees the
//! same events in the same order as if there were one queue.

use dary_heap::QuaternaryHeap;
use std::cmp::{Ordering, Reverse};

use crate::Time;

/// Time first, then the event. With an event of eight bytes an entry has sixteen, and
/// those compared at one step of the heap fill one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry<E> {
    time: Time,
    event: E,
}

impl<E: Ord> Entry<E> {
    /// Whether it happens before another one. Which of two does can hardly be predicted, so
    /// there is no branch.
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        (self.time < other.time) | ((self.time == other.time) & (self.event < other.event))
    }
}

impl<E: Ord> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.time.cmp(&other.time).then_with(|| self.event.cmp(&other.event))
    }
}

impl<E: Ord> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.is_before(other)
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        !other.is_before(self)
    }

    #[inline]
    fn gt(&self, other: &Self) -> bool {
        other.is_before(self)
    }

    #[inline]
    fn ge(&self, other: &Self) -> bool {
        !self.is_before(other)
    }
}

/// A queue of events in order of time, then of the events themselves. Two equal events
/// at one instant both happen; which of them came first makes no difference.
#[derive(Debug)]
pub struct EventQueue<E> {
    heap: QuaternaryHeap<Reverse<Entry<E>>>,
    now: Time,
}

impl<E: Copy + Ord> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: QuaternaryHeap::new(), now: Time::ZERO }
    }
}

impl<E: Copy + Ord> EventQueue<E> {
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
        self.heap.push(Reverse(Entry { time, event }));
    }

    /// The next event and up to four others that may come after it: what is worth
    /// fetching into the cache.
    #[inline]
    pub fn upcoming(&self) -> impl Iterator<Item = E> {
        self.heap.as_slice().iter().take(5).map(|it| it.0.event)
    }

    /// Takes out the next event if it is as wanted; time moves on to it.
    #[inline]
    pub fn next_if(&mut self, is_wanted: impl Fn(Time, E) -> bool) -> Option<(Time, E)> {
        let entry = self.heap.peek()?.0;
        if is_wanted(entry.time, entry.event) { self.next_until(entry.time) } else { None }
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
