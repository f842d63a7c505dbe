//! What happens next in a part of a world: an event queue for each of its islands.
//!
//! *Islands* are sets of nodes that cannot affect each other through a window of time. On one
//! thread they run through it one after another: what an island touches then stays in the
//! processor's caches, where with the events of thousands of them in turn nothing would be found
//! there any more. What comes of it is the same, as it is on threads.

use windtunnel_engine::{EventQueue, Time};

use crate::event::Event;

/// The events of a part.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    /// Those of the island that runs.
    running: EventQueue<Event>,
    /// Which one that is.
    island: usize,
    /// Those of all others; at the place of the one that runs there are none.
    islands: Vec<EventQueue<Event>>,
    /// How many events a queue knows ahead.
    ahead: usize,
}

impl Agenda {
    /// One of a single island, of whose events so many are known ahead.
    pub(crate) fn looking_ahead(ahead: usize) -> Self {
        let queue = || EventQueue::looking_ahead(ahead);
        Self { running: queue(), island: 0, islands: vec![queue()], ahead }
    }

    /// Shares all events out to so many islands: `of` says to which one an event belongs. Only
    /// where all islands have come to the same time.
    pub(crate) fn share_out(&mut self, islands: usize, of: impl Fn(Event) -> usize) {
        let (now, ahead) = (self.reached(), self.ahead);
        let queue = || EventQueue::looking_ahead_from(now, ahead);
        let running = std::mem::replace(&mut self.running, queue());
        let others = std::mem::take(&mut self.islands);
        self.islands = std::iter::repeat_with(queue).take(islands).collect();
        for mut queue in std::iter::once(running).chain(others) {
            while let Some((time, event)) = queue.next_until(Time::NEVER) {
                self.islands[of(event)].schedule(time, event);
            }
        }
        self.island = 0;
        std::mem::swap(&mut self.running, &mut self.islands[0]);
    }

    /// How many islands there are.
    pub(crate) fn islands(&self) -> usize {
        self.islands.len()
    }

    /// Has an island run.
    fn turn_to(&mut self, island: usize) {
        std::mem::swap(&mut self.running, &mut self.islands[self.island]);
        std::mem::swap(&mut self.running, &mut self.islands[island]);
        self.island = island;
    }

    /// The time of the last event of the island that runs.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        self.running.now()
    }

    /// The time of the last event of all.
    pub(crate) fn reached(&self) -> Time {
        self.islands.iter().map(EventQueue::now).fold(self.now(), Time::max)
    }

    /// When the next event of all happens, if there is one.
    pub(crate) fn next_time(&self) -> Option<Time> {
        let queues = std::iter::once(&self.running).chain(&self.islands);
        queues.filter_map(EventQueue::next_time).min()
    }

    /// Schedules an event of the island that runs; a time that has passed means now.
    #[inline]
    pub(crate) fn schedule(&mut self, time: Time, event: Event) {
        schedule(&mut self.running, time, event);
    }

    /// Schedules an event of some island.
    pub(crate) fn schedule_on(&mut self, island: usize, time: Time, event: Event) {
        let is_running = island == self.island;
        let queue = if is_running { &mut self.running } else { &mut self.islands[island] };
        schedule(queue, time, event);
    }

    /// Puts what `other` gives in the place of each event that is to come: another at the same
    /// time, or none.
    pub(crate) fn replace(&mut self, mut other: impl FnMut(Event) -> Option<Event>) {
        self.running.replace(&mut other);
        self.islands.iter_mut().for_each(|it| it.replace(&mut other));
    }

    /// Takes out the next event of the island that runs if it is as wanted.
    pub(crate) fn next_if(
        &mut self,
        is_wanted: impl Fn(Time, Event) -> bool,
    ) -> Option<(Time, Event)> {
        self.running.next_if(is_wanted)
    }

    /// Takes out the next event that is as wanted, of the island that runs or of one behind it, which
    /// runs then; without any, the first one runs.
    pub(crate) fn next_of_any(
        &mut self,
        is_wanted: impl Fn(Time, Event) -> bool + Copy,
    ) -> Option<(Time, Event)> {
        for island in self.island..self.islands.len() {
            self.turn_to(island);
            if let Some(next) = self.running.next_if(is_wanted) {
                return Some(next);
            }
        }
        self.turn_to(0);
        None
    }

    /// Takes out the next event that is due no later than `end`: one island after another.
    #[inline]
    pub(crate) fn next_until(&mut self, end: Time) -> Option<(Time, Event)> {
        let next = self.running.next_until(end);
        if next.is_some() || self.islands.len() == 1 { next } else { self.next_elsewhere(end) }
    }

    /// The same of the islands behind the one that runs; if they have none, that is the first again.
    #[cold]
    fn next_elsewhere(&mut self, end: Time) -> Option<(Time, Event)> {
        let is_due = |it: &EventQueue<Event>| it.next_time().is_some_and(|time| time <= end);
        let behind = self.islands[self.island + 1..].iter().position(is_due);
        self.turn_to(behind.map_or(0, |it| self.island + 1 + it));
        if behind.is_some() { self.running.next_until(end) } else { None }
    }

    /// The event of the island that runs that happens after this many others of it, as far as is
    /// known.
    #[inline]
    pub(crate) fn upcoming(&self, place: usize) -> Option<Event> {
        self.running.upcoming(place)
    }
}

#[inline]
fn schedule(queue: &mut EventQueue<Event>, time: Time, event: Event) {
    let time = time.max(queue.now());
    queue.schedule(time, event.at(time));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windtunnel_engine::Duration;

    use super::*;
    use crate::event::Kind;

    fn time(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    proptest! {
        /// Of each island the events happen in the order of one queue of its own, window by window.
        #[test]
        fn each_island_sees_its_events_in_order(
            events in prop::collection::vec((0_u64..100, 0_u32..12), 0..80),
            window in 1_u64..40,
        ) {
            let mut agenda = Agenda::looking_ahead(1);
            for (at, of) in &events {
                agenda.schedule(time(*at), Event::new(Kind::Layer, *of));
            }
            agenda.share_out(4, |it| it.of() as usize % 4);
            let mut happened = vec![Vec::new(); 4];
            for end in (1..).map(|it| it * window).take_while(|it| it - window <= 100) {
                while let Some((now, event)) = agenda.next_until(time(end)) {
                    prop_assert!(now <= time(end) && now + Duration::from_millis(window) >= time(end));
                    prop_assert_eq!(agenda.now(), now);
                    happened[event.of() as usize % 4].push((now, event));
                }
            }
            prop_assert_eq!(agenda.next_time(), None);
            for (island, happened) in happened.iter().enumerate() {
                let own = events.iter().filter(|it| it.1 as usize % 4 == island);
                let mut own: Vec<_> = own
                    .map(|(at, of)| (time(*at), Event::new(Kind::Layer, *of).at(time(*at))))
                    .collect();
                own.sort_unstable();
                prop_assert_eq!(happened, &own);
            }
        }
    }

    #[test]
    fn what_another_island_schedules_is_seen_there() {
        let mut agenda = Agenda::looking_ahead(1);
        agenda.schedule(time(1), Event::new(Kind::Layer, 0));
        agenda.share_out(2, |it| it.of() as usize);
        assert_eq!(agenda.next_until(time(1)).map(|it| it.1.of()), Some(0));
        agenda.schedule_on(1, time(5), Event::new(Kind::Layer, 1));
        agenda.schedule_on(0, time(3), Event::new(Kind::Layer, 0));
        assert_eq!(agenda.next_time(), Some(time(3)));
        let next = |agenda: &mut Agenda| agenda.next_until(time(9)).map(|it| it.1.of());
        assert_eq!(
            [next(&mut agenda), next(&mut agenda), next(&mut agenda)],
            [Some(0), Some(1), None]
        );
        assert_eq!(agenda.reached(), time(5));
    }
}
