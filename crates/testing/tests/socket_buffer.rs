//! What arrives at a host while its socket's buffer is full is dropped there, and counted: of a burst
//! as many as closed forms and a recurrence say, of real implementations what they then repair.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use windtunnel_quic::{Noq, NoqController, Quinn, QuinnController};
use windtunnel_smoltcp::{Smoltcp, SmoltcpController};
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, MakeStack, Place, Read, Role, Stack, State, StreamStack,
};
use windtunnel_testing::{Network, Outcome};

/// Bytes in each datagram of a burst, and with its headers.
const DATA: u64 = 1000;
const PACKET: u64 = DATA + 28;

/// Sends what is written in datagrams of `DATA` bytes, once; the other end answers each time it has read.
#[derive(Clone, Debug)]
struct Burst;

#[derive(Debug)]
struct End {
    role: Role,
    peer: SocketAddr,
    left: u64,
    answers: bool,
}

impl MakeStack for Burst {
    fn name(&self) -> &'static str {
        "burst"
    }

    fn largest_datagram(&self) -> u16 {
        DATA as u16
    }

    fn make(&self, _now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let Place { role, peer, .. } = place;
        Ok(Box::new(End { role, peer, left: 0, answers: false }))
    }
}

impl Stack for End {
    fn receive(&mut self, _now: Duration, _datagrams: &[Datagram<'_>]) {
        self.answers = self.role == Role::Server;
    }

    fn wake(&mut self, _now: Duration) {}

    fn send(&mut self, _now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        if self.left == 0 && !std::mem::take(&mut self.answers) {
            return None;
        }
        let size = if self.left > 0 { DATA } else { 1 };
        self.left = self.left.saturating_sub(DATA);
        buffer.resize(size as usize, 0);
        Some(Departure { from: None, to: self.peer, ecn: Ecn::NotCapable, segment: buffer.len() })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        None
    }

    fn state(&self) -> State {
        State::default()
    }
}

impl StreamStack for End {
    fn open(&mut self, _now: Duration) -> Option<u64> {
        Some(0)
    }

    fn write(&mut self, _now: Duration, _stream: u64, bytes: u64) -> u64 {
        self.left += bytes;
        bytes
    }

    fn finish(&mut self, _now: Duration, _stream: u64) {}

    fn read(&mut self, _now: Duration, _stream: u64) -> Read {
        Read::default()
    }

    fn next_event(&mut self) -> Option<Event> {
        None
    }
}

/// A burst of `count` datagrams, one each `spacing` nanoseconds, at a socket for `most` of them; what
/// comes back arrives when it is over.
fn burst(count: u64, spacing: u64, most: u64, host: &str) -> Outcome {
    let rate = PACKET * 8 * 1_000_000_000 / spacing;
    Network::link(&format!("{rate} bps"), "5 s")
        .queue("1000 packets")
        .with("overhead", "\"0 B\"")
        .set("flows.test.quic", &format!("{{ {host}, socket_buffer = \"{} B\" }}", most * DATA))
        .duration("15 s")
        .transfer(Burst, count * DATA)
}

/// Of a burst that arrives before its host reads at all, the buffer holds what fits.
#[test]
fn a_buffer_holds_what_fits_until_its_host_reads() {
    for (count, most) in [(1, 2), (20, 20), (21, 20), (100, 7), (100, 99)] {
        let outcome = burst(count, 10_000, most, "reads = \"2 ms\"");
        let counted = &outcome.ends[1].counters;
        assert_eq!(counted.received_datagrams, count.min(most), "{outcome}");
        assert_eq!(counted.socket_drops, count.saturating_sub(most), "{outcome}");
        assert_eq!(outcome.ends[0].counters.socket_drops, 0);
    }
}

/// How many of a burst are received: each time its host has read and answered, it reads all that wait.
fn received(count: u64, spacing: u64, most: u64, cost: u64) -> u64 {
    let (mut free, mut waiting, mut received) = (0, 0, 0);
    for now in (0..count).map(|it| it * spacing) {
        while waiting > 0 && free <= now {
            free += cost * (waiting + 1);
            waiting = 0;
        }
        if free <= now {
            free = now + 2 * cost;
        } else if waiting < most {
            waiting += 1;
        } else {
            continue;
        }
        received += 1;
    }
    received
}

/// Datagrams that were sent have arrived, were dropped by sockets, queues or links, or are on their way.
fn is_conserved(outcome: &Outcome) -> bool {
    let sum = |of: fn(&Outcome, usize) -> u64| of(outcome, 0) + of(outcome, 1);
    let sent = sum(|it, end| it.ends[end].counters.datagrams);
    let received = sum(|it, end| it.ends[end].counters.received_datagrams);
    let dropped = sum(|it, end| it.ends[end].counters.socket_drops);
    sent == received + dropped + outcome.dropped + outcome.in_transit
}

fn implementation(which: usize) -> Arc<dyn MakeStack> {
    match which {
        0 => Arc::new(Quinn::new(QuinnController::Cubic)),
        1 => Arc::new(Noq::new(NoqController::Cubic)),
        _ => Arc::new(Smoltcp::new(SmoltcpController::Reno)),
    }
}

#[test]
fn a_buffer_without_end_changes_nothing() {
    for which in 0..3 {
        let network = Network::link("20 Mbps", "10 ms").queue("30 packets").loss("1 %");
        let outcome = |more: &str| {
            let host = format!("{{ reads = \"500 us\", cost = \"20 us\"{more} }}");
            network.clone().set("flows.test.quic", &host).transfer(implementation(which), 500_000)
        };
        let (with, without) = (outcome(", socket_buffer = \"1 GB\""), outcome(""));
        assert_eq!(with, without);
        assert!(with.completion.is_some() && is_conserved(&with), "{with}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_slow_host_drops_what_a_recurrence_says(
        count in 1_u64..300,
        // Both ends take as long; that of the sender is not to space the burst.
        cost in 20_000_u64..100_000,
        more in 1_u64..20_000,
        most in 2_u64..10,
    ) {
        let spacing = cost + more;
        let outcome = burst(count, spacing, most, &format!("cost = \"{cost} ns\""));
        // A rate in whole bits per second is not exactly that spacing: others are as good.
        let expected = [spacing - 1, spacing, spacing + 1].map(|it| received(count, it, most, cost));
        let counted = &outcome.ends[1].counters;
        prop_assert!(expected.contains(&counted.received_datagrams), "{:?}, {}", expected, outcome);
        prop_assert_eq!(counted.received_datagrams + counted.socket_drops, count);
        prop_assert!(is_conserved(&outcome), "{}", outcome);
    }

    /// What a socket drops is counted once, and repaired as any other loss.
    #[test]
    fn what_sockets_drop_is_counted_and_repaired(
        which in 0_usize..3,
        [rate, delay] in [2_000_u32..50_000, 100_u32..20_000],
        [reads, cost] in [0_u32..3000, 0_u32..200],
        buffer in 1_500_u32..12_000,
        seed in 1_u64..1000,
    ) {
        let keys = format!(
            "{{ reads = \"{reads} us\", cost = \"{cost} us\", socket_buffer = \"{buffer} B\" }}"
        );
        let network = Network::link(&format!("{rate} kbps"), &format!("{delay} us"));
        let network = network.queue("40 packets").seed(seed).set("flows.test.quic", &keys);
        let outcome = network.transfer(implementation(which), 100_000);
        prop_assert_eq!(outcome.failure(), None);
        prop_assert_eq!(outcome.received_bytes, 100_000);
        prop_assert!(outcome.completion.is_some(), "{}", outcome);
        prop_assert!(is_conserved(&outcome), "{}", outcome);
    }
}
