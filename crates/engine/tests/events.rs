//! The event queue against a model: a list, searched for the least time and event.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, EventQueue, Time};

/// What is done to both.
#[derive(Clone, Copy, Debug)]
enum Operation {
    /// Schedules an event this many picoseconds from now, or before now.
    Schedule(i64),
    /// Takes out what is due within this many picoseconds.
    TakeWithin(u64),
    /// Puts others in the place of those that this divides, and drops those after them.
    Replace(usize),
}

/// Spans from the same instant to a day apart: simulations mix them all.
fn picoseconds() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(0),
        -1000..1000_i64,
        0..2_000_000_i64,
        0..50_000_000_000_i64,
        0..86_400_000_000_000_000_i64,
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        3 => picoseconds().prop_map(Operation::Schedule),
        2 => picoseconds().prop_map(|it| Operation::TakeWithin(it.unsigned_abs())),
        1 => (2..5_usize).prop_map(Operation::Replace),
    ]
}

/// The model: every event with its time.
#[derive(Default)]
struct Model {
    now: Time,
    waiting: Vec<(Time, usize)>,
}

impl Model {
    fn schedule(&mut self, time: Time, event: usize) {
        self.waiting.push((time.max(self.now), event));
    }

    fn replace(&mut self, other: impl Fn(usize) -> Option<usize>) {
        let other = |(time, event): (Time, usize)| other(event).map(|event| (time, event));
        self.waiting = self.waiting.drain(..).filter_map(other).collect();
    }

    fn next_until(&mut self, end: Time) -> Option<(Time, usize)> {
        let (place, &(time, _)) = self.waiting.iter().enumerate().min_by_key(|(_, it)| **it)?;
        if time > end {
            return None;
        }
        self.now = time;
        Some(self.waiting.remove(place))
    }
}

/// The instant this many picoseconds from `now`, or before it.
fn offset(now: Time, picoseconds: i64) -> Time {
    Time::from_picos(now.as_picos().saturating_add_signed(picoseconds))
}

proptest! {
    #[test]
    fn events_come_in_order_of_time_then_of_source(
        operations in vec(operation(), 0..400),
        ahead in 1..=8_usize,
    ) {
        let (mut queue, mut model) = (EventQueue::looking_ahead(ahead), Model::default());
        for (number, operation) in operations.into_iter().enumerate() {
            match operation {
                Operation::Schedule(from_now) => {
                    let time = offset(model.now, from_now);
                    queue.schedule(time, number);
                    model.schedule(time, number);
                }
                Operation::TakeWithin(span) => {
                    let end = model.now + Duration::from_picos(span);
                    prop_assert_eq!(queue.next_until(end), model.next_until(end));
                }
                Operation::Replace(divisor) => {
                    let other = |event: usize| match event % divisor {
                        0 => Some(event + 1_000),
                        1 => None,
                        _ => Some(event),
                    };
                    queue.replace(other);
                    model.replace(other);
                }
            }
            prop_assert_eq!(queue.now(), model.now);
        }
        while let Some(expected) = model.next_until(Time::NEVER) {
            prop_assert_eq!(queue.next_until(Time::NEVER), Some(expected));
        }
        prop_assert_eq!(queue.next_until(Time::NEVER), None);
    }

    #[test]
    fn what_is_upcoming_comes(
        times in vec(0..1_000_u64, 0..100),
        ahead in 1..=8_usize,
        before in 0..50_usize,
    ) {
        let mut queue = EventQueue::looking_ahead(ahead);
        for (event, time) in times.iter().enumerate() {
            queue.schedule(Time::from_picos(*time), event);
        }
        let mut next = || queue.next_until(Time::NEVER).map(|(_, event)| event);
        let gone = (0..before).map_while(|_| next()).count();
        let upcoming: Vec<_> = (0..).map_while(|it| queue.upcoming(it)).collect();
        prop_assert!(upcoming.len() >= ahead.min(times.len() - gone));
        for event in upcoming {
            prop_assert_eq!(queue.next_until(Time::NEVER).map(|(_, event)| event), Some(event));
        }
    }

    #[test]
    fn events_of_one_instant_come_in_the_same_order_however_they_were_scheduled(
        time in 0..1_000_000_000_u64,
        mut events in vec(0..100_u32, 1..200),
    ) {
        let mut queue = EventQueue::default();
        let time = Time::from_picos(time);
        events.iter().for_each(|event| queue.schedule(time, *event));
        events.sort_unstable();
        for event in events {
            prop_assert_eq!(queue.next_until(time), Some((time, event)));
        }
    }
}

/// Links and timers: each event schedules the next one of its own period.
#[test]
fn many_periodic_sources_are_served_like_the_model_does() {
    let periods = [80_000_u64, 81_920, 1_000_000, 12_000_000, 10_000_000_000, 200_000_000_000];
    let (mut queue, mut model) = (EventQueue::default(), Model::default());
    for (source, period) in periods.iter().enumerate() {
        let time = Time::from_picos(*period);
        queue.schedule(time, source);
        model.schedule(time, source);
    }
    for _ in 0..20_000 {
        let next = model.next_until(Time::NEVER);
        assert_eq!(queue.next_until(Time::NEVER), next);
        let (now, source) = next.expect("every source schedules its next event");
        let time = now + Duration::from_picos(periods[source]);
        queue.schedule(time, source);
        model.schedule(time, source);
    }
}

#[test]
fn an_event_for_a_time_that_has_passed_comes_now() {
    let mut queue = EventQueue::default();
    let later = Time::from_picos(1_000);
    queue.schedule(later, "later");
    assert_eq!(queue.next_until(Time::NEVER), Some((later, "later")));
    queue.schedule(Time::ZERO, "belated");
    assert_eq!(queue.next_until(later), Some((later, "belated")));
    assert_eq!(queue.now(), later);
}

#[test]
fn nothing_beyond_the_end_is_taken_out_and_time_stands_still() {
    let mut queue = EventQueue::default();
    queue.schedule(Time::from_picos(10), ());
    assert_eq!(queue.next_until(Time::from_picos(9)), None);
    assert_eq!(queue.now(), Time::ZERO);
    assert_eq!(queue.next_until(Time::from_picos(10)), Some((Time::from_picos(10), ())));
}
