//! Stacks that answer anything to anything: the run goes on, and ends.

use std::time::Duration;

use proptest::prelude::*;
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, MakeStack, Place, Read, Stack, State, StreamStack,
};
use windtunnel_testing::Network;

/// Draws its answers.
#[derive(Clone, Debug)]
struct Chaos(u64);

#[derive(Debug)]
struct End {
    state: u64,
    place: Place,
    /// How much it may still do at this instant.
    left: u32,
}

impl MakeStack for Chaos {
    fn name(&self) -> &'static str {
        "chaos"
    }

    fn largest_datagram(&self) -> u16 {
        1200
    }

    fn make(&self, _now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let mut end = End { state: self.0 ^ place.seed, place, left: 0 };
        if end.one_in(50) { Err("not today".to_owned()) } else { Ok(Box::new(end)) }
    }
}

impl End {
    fn draw(&mut self) -> u64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.state;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.draw().is_multiple_of(count)
    }

    /// Most often a small number, sometimes any.
    fn number(&mut self) -> u64 {
        if self.one_in(40) { self.draw() } else { self.draw() % 3 }
    }

    fn may(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

impl Stack for End {
    fn receive(&mut self, _now: Duration, _datagrams: &[Datagram<'_>]) {
        self.left = 8;
        assert!(!self.one_in(400), "chaos");
    }

    fn wake(&mut self, _now: Duration) {
        self.left = 8;
    }

    fn send(&mut self, _now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        if !self.may() || self.one_in(3) {
            return None;
        }
        let size = if self.one_in(60) { self.draw() % 100_000 } else { self.draw() % 3000 };
        buffer.resize(size as usize, 7);
        let segment = if self.one_in(10) { self.draw() } else { 1 + self.draw() % 1200 };
        let to = if self.one_in(300) { self.place.own } else { self.place.peer };
        Some(Departure { from: None, to, ecn: Ecn::Capable0, segment: segment as usize })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        match self.draw() % 4 {
            0 => None,
            1 => Some(Duration::from_nanos(self.draw())),
            _ => Some(Duration::from_micros(self.draw() % 4_000_000)),
        }
    }

    fn state(&self) -> State {
        State { cwnd: Some(self.state), ..State::default() }
    }
}

impl StreamStack for End {
    fn open(&mut self, _now: Duration) -> Option<u64> {
        self.left = 8;
        if self.one_in(20) { Some(self.number()) } else { Some(0) }
    }

    fn write(&mut self, _now: Duration, _stream: u64, bytes: u64) -> u64 {
        if self.one_in(50) { self.draw() } else { self.draw() % (bytes + 1) }
    }

    fn finish(&mut self, _now: Duration, _stream: u64) {}

    fn read(&mut self, _now: Duration, _stream: u64) -> Read {
        Read { bytes: self.number(), is_end: self.one_in(6) }
    }

    fn next_event(&mut self) -> Option<Event> {
        if !self.may() {
            return None;
        }
        let number = self.number();
        Some(match self.draw() % 8 {
            0 => Event::Connected,
            1 => Event::Available,
            2 => Event::Opened(number),
            3 => Event::Readable(number),
            4 => Event::Writable(number),
            5 => Event::Acknowledged(number),
            6 if self.one_in(20) => Event::Failed("it is over".to_owned()),
            _ => return None,
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_a_stack_does_the_run_ends(
        seed in any::<u64>(),
        loss in 0_u32..30,
        mtu in prop_oneof![Just("1500 B"), Just("1300 B")],
    ) {
        let network = Network::link("100 Mbps", "3 ms")
            .loss(&format!("{loss} %"))
            .with("mtu", &format!("\"{mtu}\""))
            .duration("1 s");
        let transfer = || network.transfer(Chaos(seed), 50_000);
        let outcome = transfer();
        prop_assert_eq!(&outcome, &transfer(), "the same again");
        let sent: u64 = outcome.datagrams.iter().sum();
        let received: u64 = outcome.ends.iter().map(|it| it.counters.received_datagrams).sum();
        prop_assert!(received <= sent);
    }
}
