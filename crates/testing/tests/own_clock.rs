//! A stack with a clock of its own: when what it sends leaves, in closed form.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use windtunnel_stack::own_clock::{Following, OwnClock};
use windtunnel_stack::trace::{Trace, Traced};
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, MakeStack, Place, Read, Role, State, StreamStack,
};
use windtunnel_testing::Network;

const PERIOD: Duration = Duration::from_millis(1);

/// What its clock does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Clock {
    Runs,
    StandsStill,
    RunsAhead,
}

/// Its client sends 100 B in each millisecond of its clock, and its server answers at once.
#[derive(Clone, Debug)]
struct Ticks(Duration, Clock);

#[derive(Debug)]
struct Ticking {
    clock: Clock,
    place: Place,
    now: Duration,
    unsent: u64,
    received: u64,
    answers: u64,
    events: VecDeque<Event>,
}

impl MakeStack for Ticks {
    fn name(&self) -> &'static str {
        "ticks"
    }

    fn largest_datagram(&self) -> u16 {
        100
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let (clock, events) = (self.1, VecDeque::new());
        let stack = Ticking { clock, place, now, unsent: 0, received: 0, answers: 0, events };
        Ok(Box::new(Following::new(stack, now, self.0)))
    }
}

impl OwnClock for Ticking {
    fn run(&mut self, until: Duration, sent: &mut VecDeque<(Departure, Vec<u8>)>) -> Duration {
        let mut send = || {
            let departure =
                Departure { from: None, to: self.place.peer, ecn: Ecn::NotCapable, segment: 100 };
            sent.push_back((departure, vec![1; 100]));
        };
        if self.answers > 0 {
            self.answers -= 1;
            send();
            return self.now;
        }
        let next = PERIOD * (self.now.as_millis() as u32 + 1);
        match self.clock {
            Clock::StandsStill if until > Duration::from_millis(5) => self.now,
            Clock::RunsAhead if until > Duration::from_millis(5) => until + PERIOD,
            _ if self.place.role == Role::Client && self.unsent > 0 && next <= until => {
                self.unsent -= 1;
                send();
                self.now = next;
                next
            }
            _ => {
                self.now = until;
                until
            }
        }
    }

    fn receive(&mut self, datagrams: &[Datagram<'_>]) {
        self.received += 100 * datagrams.len() as u64;
        if self.place.role == Role::Server {
            self.answers += datagrams.len() as u64;
            self.events.extend([Event::Opened(0), Event::Readable(0)]);
        }
    }

    fn state(&self) -> State {
        State::default()
    }

    fn open(&mut self) -> Option<u64> {
        (self.place.role == Role::Client).then_some(0)
    }

    fn write(&mut self, _stream: u64, bytes: u64) -> u64 {
        self.unsent += bytes / 100;
        bytes
    }

    fn finish(&mut self, _stream: u64) {}

    fn read(&mut self, _stream: u64) -> Read {
        Read { bytes: std::mem::take(&mut self.received), is_end: false }
    }

    fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}

/// The k-th datagram leaves at k milliseconds, or at the end of the interval in which that is; and is
/// answered in the instant in which it arrives.
#[test]
fn what_is_sent_leaves_at_the_end_of_its_interval() {
    for microseconds in [1000, 1, 300, 7, 2500] {
        let interval = Duration::from_micros(microseconds);
        let trace = Trace::default();
        let stack = Traced::new(Arc::new(Ticks(interval, Clock::Runs)), trace.clone());
        let network = Network::link("1 Gbps", "20 ms").with("overhead", "\"0 B\"");
        let outcome = network.duration("100 ms").transfer(stack, 4000);
        assert_eq!((outcome.received_bytes, outcome.failure()), (4000, None), "{interval:?}");
        let [there, back] = [Role::Client, Role::Server].map(|it| trace.sent(it));
        assert_eq!((there.len(), back.len()), (40, 40));
        let on_the_way = Duration::from_millis(20) + Duration::from_nanos(8 * 128);
        for (place, (sent, answer)) in there.iter().zip(&back).enumerate() {
            let due = 1000 * (place as u64 + 1);
            let leaves = Duration::from_micros(due.div_ceil(microseconds) * microseconds);
            assert_eq!(sent.at, leaves, "{place} with {interval:?}");
            assert!(answer.at - leaves >= on_the_way);
            if microseconds <= 1000 {
                assert_eq!(answer.at - leaves, on_the_way, "{place} with {interval:?}");
            }
        }
    }
}

#[test]
fn a_clock_that_does_not_follow_ends_the_flow() {
    for (clock, said) in [
        (Clock::StandsStill, "it panicked: its own clock stands still at 5ms"),
        (Clock::RunsAhead, "it panicked: its own clock runs until 7ms, and it is 6ms"),
    ] {
        let network = Network::link("1 Gbps", "20 ms").duration("100 ms");
        let outcome = network.transfer(Ticks(PERIOD, clock), 4000);
        assert_eq!(outcome.failure(), Some(said));
    }
}
