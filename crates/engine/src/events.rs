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

/// How many events a [`Front`] has room for.
const CAPACITY: usize = 16;

/// The events that happen next, in order, in a ring.
#[derive(Clone, Debug)]
struct Front<E> {
    entries: [Entry<E>; CAPACITY],
    /// Where the next event lies.
    head: usize,
    len: usize,
}

impl<E: Copy + Ord + Default> Front<E> {
    fn new() -> Self {
        let none = Entry { time: Time::NEVER, event: E::default() };
        Self { entries: [none; CAPACITY], head: 0, len: 0 }
    }

    /// The entry at a place, counted from the next event.
    #[inline]
    fn at(&mut self, place: usize) -> &mut Entry<E> {
        &mut self.entries[(self.head + place) % CAPACITY]
    }

    #[inline]
    fn get(&self, place: usize) -> Option<&Entry<E>> {
        (place < self.len).then(|| &self.entries[(self.head + place) % CAPACITY])
    }

    #[inline]
    fn last(&self) -> Option<&Entry<E>> {
        self.get(self.len.wrapping_sub(1))
    }

    #[inline]
    fn pop(&mut self) {
        self.head = (self.head + 1) % CAPACITY;
        self.len -= 1;
    }

    /// Takes out the last one if there is no room for another.
    #[inline]
    fn overflow(&mut self) -> Option<Entry<E>> {
        if self.len < CAPACITY {
            return None;
        }
        self.len -= 1;
        Some(*self.at(self.len))
    }

    /// Puts one in at its place; there must be room.
    #[inline]
    fn insert(&mut self, entry: Entry<E>) {
        let mut place = self.len;
        while place > 0 && entry.is_before(self.at(place - 1)) {
            *self.at(place) = *self.at(place - 1);
            place -= 1;
        }
        *self.at(place) = entry;
        self.len += 1;
    }
}

/// A queue of events in order of time, then of the events themselves. Two equal events
/// at one instant both happen; which of them came first makes no difference.
///
/// The next event, or the next few, lie before the heap, in order: so it is known ahead
/// which memory they will touch.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// None of them comes after any in the heap; it is empty only if the heap is.
    front: Front<E>,
    heap: QuaternaryHeap<Reverse<Entry<E>>>,
    /// How many events come from the heap ahead.
    ahead: usize,
    now: Time,
}

impl<E: Copy + Ord + Default> Default for EventQueue<E> {
    fn default() -> Self {
        Self::looking_ahead(1)
    }
}

impl<E: Copy + Ord + Default> EventQueue<E> {
    /// One that knows the next `events` ahead, if this many wait: from 1 to 8.
    ///
    /// # Panics
    /// If it is another number.
    #[must_use]
    pub fn looking_ahead(events: usize) -> Self {
        Self::looking_ahead_from(Time::ZERO, events)
    }

    /// The same, of what happens from `now` on.
    ///
    /// # Panics
    /// As [`EventQueue::looking_ahead`].
    #[must_use]
    pub fn looking_ahead_from(now: Time, events: usize) -> Self {
        assert!((1..=CAPACITY / 2).contains(&events), "from 1 to {} events", CAPACITY / 2);
        let (front, heap) = (Front::new(), QuaternaryHeap::new());
        Self { front, heap, ahead: events, now }
    }

    /// The time of the last event taken out.
    #[inline]
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Schedules `event` for `time`; a time that has passed means now.
    #[inline]
    pub fn schedule(&mut self, time: Time, event: E) {
        let entry = Entry { time: time.max(self.now), event };
        let is_in_front = match self.front.last() {
            Some(last) if entry.is_before(last) => true,
            _ => self.heap.is_empty() && self.front.len < self.ahead,
        };
        if is_in_front {
            if let Some(last) = self.front.overflow() {
                self.heap.push(Reverse(last));
            }
            self.front.insert(entry);
        } else {
            self.heap.push(Reverse(entry));
        }
    }

    /// When the next event happens, if there is one.
    #[inline]
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        self.front.get(0).map(|it| it.time)
    }

    /// The event that happens after this many others, as far as is known: what is worth
    /// fetching into the cache.
    #[inline]
    #[must_use]
    pub fn upcoming(&self, place: usize) -> Option<E> {
        self.front.get(place).map(|it| it.event)
    }

    /// Takes out the next event if it is as wanted; time moves on to it.
    #[inline]
    pub fn next_if(&mut self, is_wanted: impl Fn(Time, E) -> bool) -> Option<(Time, E)> {
        let Entry { time, event } = *self.front.get(0)?;
        if is_wanted(time, event) { self.next_until(time) } else { None }
    }

    /// Takes out the next event, if it is due no later than `end`; time moves on
    /// to it.
    #[inline]
    pub fn next_until(&mut self, end: Time) -> Option<(Time, E)> {
        let Entry { time, event } = *self.front.get(0).filter(|it| it.time <= end)?;
        self.front.pop();
        if self.front.len < self.ahead
            && let Some(Reverse(entry)) = self.heap.pop()
        {
            *self.front.at(self.front.len) = entry;
            self.front.len += 1;
        }
        self.now = time;
        Some((time, event))
    }

    /// Puts what `other` gives in the place of each event that is to come: another at the same
    /// time, or none.
    pub fn replace(&mut self, mut other: impl FnMut(E) -> Option<E>) {
        let (front, heap) = (&mut self.front, std::mem::take(&mut self.heap));
        let mut waiting: Vec<_> = heap.into_iter().map(|Reverse(it)| it).collect();
        waiting.extend((0..front.len).map(|place| *front.at(place)));
        front.len = 0;
        for Entry { time, event } in waiting {
            if let Some(event) = other(event) {
                self.schedule(time, event);
            }
        }
    }
}
