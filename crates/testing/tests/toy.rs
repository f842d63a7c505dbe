//! A stack of one's own: as small as one can be that repairs losses, and some that misbehave.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, MakeStack, Place, Read, Role, Stack, State, StreamStack,
};
use windtunnel_testing::Network;

const PAYLOAD: u64 = 1000;
const WINDOW: u64 = 16 * PAYLOAD;
const TIMEOUT: Duration = Duration::from_millis(200);

/// How a toy misbehaves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Vice {
    None,
    Panics,
    SendsForEver,
    SendsNothingForEver,
    SendsTooMuch,
    IsNeverMade,
    WakesInThePast,
}

/// Go-back-N with a fixed window. The sender connects; nothing is negotiated.
#[derive(Clone, Debug)]
struct Toy(Vice);

impl MakeStack for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn largest_datagram(&self) -> u16 {
        1009
    }

    fn make(&self, _now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        if self.0 == Vice::IsNeverMade {
            return Err("there is no toy today".to_owned());
        }
        Ok(Box::new(End { vice: self.0, ..End::new(place) }))
    }
}

#[derive(Debug)]
struct End {
    vice: Vice,
    role: Role,
    peer: SocketAddr,
    /// Of the sender: written, ended, sent and acknowledged; of the receiver: received and read.
    written: u64,
    is_ended: bool,
    next: u64,
    acknowledged: u64,
    resend_at: Option<Duration>,
    received: u64,
    read: u64,
    end: Option<u64>,
    answers: bool,
    events: VecDeque<Event>,
}

impl End {
    fn new(place: Place) -> Self {
        Self {
            vice: Vice::None,
            role: place.role,
            peer: place.peer,
            written: 0,
            is_ended: false,
            next: 0,
            acknowledged: 0,
            resend_at: None,
            received: 0,
            read: 0,
            end: None,
            answers: false,
            events: VecDeque::new(),
        }
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        assert!(self.vice != Vice::Panics, "a toy breaks");
        for datagram in datagrams {
            let number = u64::from_le_bytes(datagram.bytes[1..9].try_into().unwrap());
            if self.role == Role::Client {
                self.acknowledged = self.acknowledged.max(number);
                self.resend_at = (self.acknowledged < self.next).then_some(now + TIMEOUT);
                if self.is_ended && self.acknowledged == self.written {
                    self.events.push_back(Event::Acknowledged(0));
                }
                continue;
            }
            if self.received == 0 {
                self.events.push_back(Event::Opened(0));
            }
            let length = datagram.bytes.len() as u64 - 9;
            if number == self.received {
                self.received += length;
                self.end = (datagram.bytes[0] == 1).then_some(self.received);
                self.events.push_back(Event::Readable(0));
            }
            self.answers = true;
        }
    }

    fn wake(&mut self, now: Duration) {
        if self.resend_at.is_some_and(|it| it <= now) {
            self.next = self.acknowledged;
            self.resend_at = None;
        }
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let (number, length, is_last) = match self.vice {
            Vice::SendsForEver => (0, PAYLOAD, false),
            Vice::SendsTooMuch => (0, 70_000, false),
            Vice::SendsNothingForEver => {
                return Some(Departure {
                    from: None,
                    to: self.peer,
                    ecn: Ecn::NotCapable,
                    segment: 1,
                });
            }
            _ if self.role == Role::Server => {
                std::mem::take(&mut self.answers).then_some((self.received, 0, false))?
            }
            _ => {
                let until = self.written.min(self.acknowledged + WINDOW);
                let length = until.saturating_sub(self.next).min(PAYLOAD);
                let number = self.next;
                self.next += length;
                (length > 0).then_some(())?;
                self.resend_at.get_or_insert(now + TIMEOUT);
                (number, length, self.is_ended && self.next == self.written)
            }
        };
        buffer.push(u8::from(is_last));
        buffer.extend_from_slice(&number.to_le_bytes());
        buffer.resize(9 + length as usize, 0);
        Some(Departure { from: None, to: self.peer, ecn: Ecn::NotCapable, segment: buffer.len() })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        if self.vice == Vice::WakesInThePast { Some(Duration::ZERO) } else { self.resend_at }
    }

    fn state(&self) -> State {
        State { cwnd: Some(WINDOW), ..State::default() }
    }
}

impl StreamStack for End {
    fn open(&mut self, _now: Duration) -> Option<u64> {
        Some(0)
    }

    fn write(&mut self, _now: Duration, _stream: u64, bytes: u64) -> u64 {
        self.written += bytes;
        bytes
    }

    fn finish(&mut self, _now: Duration, _stream: u64) {
        self.is_ended = true;
    }

    fn read(&mut self, _now: Duration, _stream: u64) -> Read {
        let bytes = self.received - std::mem::replace(&mut self.read, self.received);
        Read { bytes, is_end: self.end == Some(self.received) }
    }

    fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}

/// A window of 16 packets every round trip, in closed form: of 1,000 datagrams 63 windows leave,
/// one each round trip, and the last one arrives half of one later.
#[test]
fn a_window_a_round_trip_is_what_the_toy_sends() {
    let network = Network::link("1 Gbps", "50 ms");
    let outcome = network.transfer(Toy(Vice::None), 1_000_000);
    let completion = outcome.completion.expect("nothing is lost").as_secs_f64();
    assert!((completion - 6.25).abs() < 0.01, "{outcome}");
    assert_eq!((outcome.received_bytes, outcome.datagrams[0]), (1_000_000, 1_000));
}

/// Each of the 63 windows comes back later by what both ends wait before they read.
#[test]
fn reading_later_takes_so_much_longer_each_round_trip() {
    let taken = |reads: &str| {
        let quic = format!("{{ reads = \"{reads}\" }}");
        let network = Network::link("1 Gbps", "50 ms").set("flows.test.quic", &quic);
        network.transfer(Toy(Vice::None), 1_000_000).completion.expect("nothing is lost")
    };
    let at_once = taken("0 s");
    for (reads, wait) in [("1 ns", 1), ("100 ns", 100), ("1 us", 1000)] {
        let later = taken(reads) - at_once;
        let most = Duration::from_nanos(2 * 63 * wait);
        assert!((most / 4..=most).contains(&later), "{reads}: {later:?}");
    }
}

#[test]
fn losses_are_repaired_and_each_seed_has_its_own() {
    let network = Network::link("10 Mbps", "10 ms").loss("2 %");
    let outcome = |seed| network.clone().seed(seed).transfer(Toy(Vice::None), 200_000);
    assert_eq!(outcome(1), outcome(1));
    let [one, other] = [1, 2].map(outcome);
    assert_ne!(one.completion, other.completion);
    assert!(one.datagrams[0] > 200 && one.received_bytes == 200_000, "{one}");
}

#[test]
fn what_misbehaves_ends_its_flow_and_says_why() {
    let failure = |vice| {
        let outcome = Network::link("10 Mbps", "10 ms").transfer(Toy(vice), 100_000);
        assert_eq!(outcome.completion, None);
        outcome.failure().expect("it says why").to_owned()
    };
    assert_eq!(failure(Vice::Panics), "it panicked: a toy breaks");
    assert_eq!(failure(Vice::IsNeverMade), "there is no toy today");
    assert!(failure(Vice::SendsForEver).contains("datagrams at one instant"));
    assert!(failure(Vice::SendsNothingForEver).contains("datagrams at one instant"));
    assert!(failure(Vice::SendsTooMuch).contains("70009 B"));
}

/// It is woken a little later each time. Where something is to be done, the flow goes on all the
/// same; one that waits for what never comes is over.
#[test]
fn one_that_wakes_in_the_past_does_not_stop_time() {
    let stack = || Toy(Vice::WakesInThePast);
    let outcome = Network::link("1 Gbps", "10 us").transfer(stack(), 2_000);
    assert!(outcome.completed_within(Duration::from_millis(1)), "{outcome}");
    let outcome = Network::link("1 Gbps", "1 s").transfer(stack(), 2_000);
    assert!(outcome.failure().is_some_and(|it| it.contains("woken")), "{outcome}");
}
