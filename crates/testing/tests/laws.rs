//! What holds of quinn, noq and smoltcp over any small network: everything arrives, nothing
//! is counted twice, and nobody is called in the past.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use windtunnel_quic::{Noq, NoqController, Quinn, QuinnController};
use windtunnel_smoltcp::{Smoltcp, SmoltcpController};
use windtunnel_stack::{
    Datagram, Departure, Event, MakeStack, Place, Read, Stack, State, StreamStack, Unit,
};
use windtunnel_testing::Network;

fn stack(which: usize) -> Arc<dyn MakeStack> {
    match which {
        0 => Arc::new(Quinn::new(QuinnController::Cubic)),
        1 => Arc::new(Quinn::new(QuinnController::Bbr)),
        2 => Arc::new(Noq::new(NoqController::NewReno)),
        3 => Arc::new(Smoltcp::new(SmoltcpController::Cubic)),
        _ => Arc::new(Smoltcp::new(SmoltcpController::Reno)),
    }
}

/// Makes what another does, and notes what is against the rules of time.
#[derive(Clone, Debug)]
struct Watched {
    maker: Arc<dyn MakeStack>,
    faults: Arc<Mutex<Vec<String>>>,
    /// How late it may be called.
    late: Duration,
}

#[derive(Debug)]
struct End {
    stack: Box<dyn StreamStack>,
    watched: Watched,
    /// When it was called last, and when it wants to be woken.
    now: Duration,
    asked: Option<Duration>,
}

impl End {
    fn at(&mut self, now: Duration) -> &mut dyn StreamStack {
        let fault = |what: String| self.watched.faults.lock().unwrap().push(what);
        if now < self.now {
            fault(format!("time runs backwards from {:?} to {now:?}", self.now));
        }
        // A microsecond is what smoltcp counts in, and another what a wake is late that was asked for
        // in the past.
        if let Some(asked) = self.asked.take()
            && now > asked.max(self.now) + Duration::from_micros(2) + self.watched.late
        {
            fault(format!("asked to be woken at {asked:?}, it is called at {now:?}"));
        }
        self.now = now;
        self.stack.as_mut()
    }
}

impl MakeStack for Watched {
    fn name(&self) -> &str {
        self.maker.name()
    }

    fn unit(&self) -> Unit {
        self.maker.unit()
    }

    fn largest_datagram(&self) -> u16 {
        self.maker.largest_datagram()
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let stack = self.maker.make(now, place)?;
        Ok(Box::new(End { stack, watched: self.clone(), now, asked: None }))
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        self.at(now).receive(now, datagrams);
    }

    fn wake(&mut self, now: Duration) {
        self.at(now).wake(now);
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        self.at(now).send(now, buffer)
    }

    fn next_wake(&mut self) -> Option<Duration> {
        self.asked = self.stack.next_wake();
        self.asked
    }

    fn state(&self) -> State {
        self.stack.state()
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        self.at(now).open(now)
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        self.at(now).write(now, stream, bytes)
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.at(now).finish(now, stream);
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        self.at(now).read(now, stream)
    }

    fn next_event(&mut self) -> Option<Event> {
        self.stack.next_event()
    }
}

/// A link with such a rate, delay, queue and share of losses.
fn network((rate, delay, queue, loss): (u32, u32, u32, u32)) -> Network {
    let network = Network::link(&format!("{rate} kbps"), &format!("{delay} us"));
    network.queue(&format!("{queue} packets")).loss(&format!("{loss} %"))
}

fn any_network() -> impl Strategy<Value = (u32, u32, u32, u32)> {
    (500_u32..50_000, 100_u32..80_000, 5_u32..60, 0_u32..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// What was written is read, in order (each stack's adapter compares the bytes), and each datagram
    /// that was sent was received, was dropped, or is on its way.
    #[test]
    fn everything_arrives_and_nothing_is_counted_twice(
        which in 0_usize..5,
        link in any_network(),
        bytes in 1_u64..150_000,
        seed in 1_u64..1000,
        reorders in any::<bool>(),
        [reads, cost] in [0_u32..3000, 0_u32..200],
    ) {
        let mut network = network(link).seed(seed).set(
            "flows.test.quic",
            &format!("{{ reads = \"{reads} us\", cost = \"{cost} us\" }}"),
        );
        if reorders {
            let jitter = "{ kind = \"uniform\", most = \"4 ms\", reorders = true }";
            network = network.with("jitter", jitter);
        }
        let faults: Arc<Mutex<Vec<String>>> = Arc::default();
        let late = Duration::from_micros(u64::from(cost)) * 1000;
        let watched = Watched { maker: stack(which), faults: Arc::clone(&faults), late };
        let outcome = network.transfer(watched, bytes);
        prop_assert_eq!(outcome.failure(), None);
        prop_assert!(outcome.completion.is_some(), "{}", outcome);
        prop_assert_eq!(outcome.received_bytes, bytes);
        let counted = |it: usize| &outcome.ends[it].counters;
        let sent = counted(0).datagrams + counted(1).datagrams;
        let received = counted(0).received_datagrams + counted(1).received_datagrams;
        prop_assert_eq!(sent, received + outcome.dropped + outcome.in_transit, "{}", outcome);
        let faults = faults.lock().unwrap().clone();
        prop_assert!(faults.is_empty(), "{:?}", faults);
    }

    /// Reading a nanosecond after the first datagram has come is reading at once. Where that tips
    /// what an implementation does at one moment, as with quinn's pacing in one of some thousand
    /// networks, it is one round trip at the most.
    #[test]
    fn reading_hardly_later_is_reading_at_once(
        which in 0_usize..5,
        (rate, delay, queue, _) in any_network(),
        bytes in 1_u64..100_000,
    ) {
        let network = network((rate, delay, queue + 200, 0));
        let taken = |reads: &str| {
            let network = network.clone().set("flows.test.quic", &format!("{{ reads = \"{reads}\" }}"));
            network.transfer(stack(which), bytes).completion.map(|it| it.as_secs_f64())
        };
        let [at_once, soon] = ["0 s", "1 ns"].map(taken);
        let (at_once, soon) = (at_once.unwrap(), soon.unwrap());
let round_trip = 2e-6 * f64::from(delay);
        prop_assert!((soon - at_once).abs() < round_trip, "{} s, {} s at once", soon, at_once);
    }
}
