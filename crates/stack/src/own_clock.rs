//! Stacks that have a clock of their own and cannot say when they want to be woken, such as a whole
//! program whose time is virtual: they are told how far they may run.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::time::Duration;

use crate::{Datagram, Departure, Event, Read, Stack, State, StreamStack};

/// An implementation of a transport protocol with a clock of its own, as the end of a connection.
/// All that it is asked for happens at the time that it has reached.
pub trait OwnClock: Debug + Send {
    /// Runs until then, or until it has sent something before, which it adds to `sent`; returns the
    /// time that it has reached, which is later than before unless it has sent something.
    fn run(&mut self, until: Duration, sent: &mut VecDeque<(Departure, Vec<u8>)>) -> Duration;

    /// As [`Stack::receive`].
    fn receive(&mut self, datagrams: &[Datagram<'_>]);

    /// As [`Stack::state`].
    fn state(&self) -> State;

    /// As [`StreamStack::open`].
    fn open(&mut self) -> Option<u64>;

    /// As [`StreamStack::write`].
    fn write(&mut self, stream: u64, bytes: u64) -> u64;

    /// As [`StreamStack::finish`].
    fn finish(&mut self, stream: u64);

    /// As [`StreamStack::read`].
    fn read(&mut self, stream: u64) -> Read;

    /// As [`StreamStack::next_event`].
    fn next_event(&mut self) -> Option<Event>;
}

/// Has a stack with a clock of its own follow that of the simulator: it runs as far as time has
/// come, whenever something arrives and once in each interval. What it sends in between leaves at the
/// end of the interval: never too early, and late by less than that.
#[derive(Debug)]
pub struct Following<S> {
    stack: S,
    interval: Duration,
    reached: Duration,
    sent: VecDeque<(Departure, Vec<u8>)>,
}

impl<S: OwnClock> Following<S> {
    /// From now on, looked after once in each interval, which is longer than zero.
    #[must_use]
    pub fn new(stack: S, now: Duration, interval: Duration) -> Self {
        Self { stack, interval, reached: now, sent: VecDeque::new() }
    }

    /// The stack, which has run until now.
    ///
    /// # Panics
    /// If it does not go on.
    fn at(&mut self, now: Duration) -> &mut S {
        while self.reached < now {
            let count = self.sent.len();
            let reached = self.stack.run(now, &mut self.sent);
            assert!(
                reached > self.reached || self.sent.len() > count,
                "its own clock stands still at {reached:?}"
            );
            assert!(reached <= now, "its own clock runs until {reached:?}, and it is {now:?}");
            self.reached = reached;
        }
        &mut self.stack
    }
}

impl<S: OwnClock> Stack for Following<S> {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        self.at(now).receive(datagrams);
    }

    fn wake(&mut self, now: Duration) {
        self.at(now);
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        if self.sent.is_empty() {
            // What it answers at once, it sends without that time passes.
            self.at(now);
            self.stack.run(now, &mut self.sent);
        }
        let (departure, bytes) = self.sent.pop_front()?;
        *buffer = bytes;
        Some(departure)
    }

    fn next_wake(&mut self) -> Option<Duration> {
        let nanoseconds = self.interval.as_nanos().max(1);
        let intervals = self.reached.as_nanos() / nanoseconds + 1;
        u64::try_from(intervals * nanoseconds).ok().map(Duration::from_nanos)
    }

    fn state(&self) -> State {
        self.stack.state()
    }
}

impl<S: OwnClock> StreamStack for Following<S> {
    fn open(&mut self, now: Duration) -> Option<u64> {
        self.at(now).open()
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        self.at(now).write(stream, bytes)
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.at(now).finish(stream);
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        self.at(now).read(stream)
    }

    fn next_event(&mut self) -> Option<Event> {
        self.stack.next_event()
    }
}
