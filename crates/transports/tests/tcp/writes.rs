//! What applications write a piece at a time, and Nagle's algorithm (RFC 9293, section 3.7.4).

use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{Endpoint, Nagle, Recovery, Socket, TcpSettings};

use crate::path::{self, Path};
use crate::script::{SEGMENT, Script, ack, settings};

const EVERY: [Nagle; 3] = [Nagle::Off, Nagle::Classic, Nagle::Minshall];

fn with(nagle: Nagle) -> TcpSettings {
    TcpSettings { socket: socket(nagle, None), ..settings(Recovery::Sack) }
}

fn socket(nagle: Nagle, write_size: Option<u64>) -> Socket {
    Socket { nagle, write_size, ..Socket::default() }
}

/// The lengths of the segments with data sent since the last question.
fn lengths(it: &mut Script) -> Vec<u16> {
    it.all().iter().map(|it| it.segment.length).filter(|it| *it > 0).collect()
}

/// What goes at once of several writes, and what with the acknowledgement of this many bytes.
fn sent_of(settings: &TcpSettings, writes: &[u64], acknowledged: u64) -> [Vec<u16>; 2] {
    let mut it = Script::connected(settings, 10, 0);
    writes.iter().for_each(|bytes| it.write(*bytes));
    let at_once = lengths(&mut it);
    it.receive(20, ack(0).acknowledging_bytes(acknowledged));
    [at_once, lengths(&mut it)]
}

#[test]
fn small_writes_wait_for_the_acknowledgement_of_the_first_and_go_as_one() {
    let writes = [100, 200, 300];
    assert_eq!(sent_of(&with(Nagle::Off), &writes, 100), [vec![100, 200, 300], vec![]]);
    for nagle in [Nagle::Classic, Nagle::Minshall] {
        assert_eq!(sent_of(&with(nagle), &writes, 100), [vec![100], vec![500]], "{nagle:?}");
    }
}

#[test]
fn a_full_segment_waits_for_nothing() {
    for nagle in EVERY {
        let [at_once, _] = sent_of(&with(nagle), &[100, 1000, 1000], 0);
        assert_eq!(at_once, [100, 1000, 1000], "{nagle:?}");
    }
    // 100 bytes wait until they are a segment.
    for nagle in [Nagle::Classic, Nagle::Minshall] {
        let [at_once, _] = sent_of(&with(nagle), &[100, 100, 950], 0);
        assert_eq!(at_once, [100, 1000], "{nagle:?}");
    }
}

/// The end of a write waits for the segments before it, or, by Minshall's modification, only for
/// another such end.
#[test]
fn the_end_of_a_large_write_waits_for_what_the_variant_says() {
    assert_eq!(sent_of(&with(Nagle::Classic), &[2500], 1000), [vec![1000, 1000], vec![]]);
    assert_eq!(sent_of(&with(Nagle::Classic), &[2500], 2000), [vec![1000, 1000], vec![500]]);
    let of_minshall = |acknowledged| sent_of(&with(Nagle::Minshall), &[2500, 2500], acknowledged);
    let at_once = vec![1000, 1000, 500, 1000, 1000];
    assert_eq!(of_minshall(2000), [at_once.clone(), vec![]]);
    assert_eq!(of_minshall(2500), [at_once, vec![500]]);
}

#[test]
fn the_last_data_does_not_wait() {
    for nagle in EVERY {
        let mut it = Script::connected(&with(nagle), 10, 0);
        it.write(100);
        it.write(50);
        it.close();
        let sent = it.all();
        let bytes: u16 = sent.iter().map(|it| it.segment.length).sum();
        let ends = sent.last().is_some_and(|it| it.has(Flags::FIN));
        assert!(ends && bytes == 150, "{nagle:?}: {sent:?}");
    }
}

/// The last segment of what was written has PSH, for the first time or again (RFC 9293, section
/// 3.9.1.2, MUST-61).
#[test]
fn the_end_of_what_was_written_is_pushed() {
    let mut it = Script::connected(&with(Nagle::Off), 10, 0);
    let pushed = |it: &mut Script| -> Vec<(u16, bool)> {
        it.all().iter().map(|it| (it.segment.length, it.has(Flags::PSH))).collect()
    };
    pushed(&mut it);
    it.write(2500);
    assert_eq!(pushed(&mut it), [(1000, false), (1000, false), (500, true)]);
    it.write(1000);
    assert_eq!(pushed(&mut it), [(1000, true)]);
    it.close();
    assert_eq!(pushed(&mut it), [(0, false)], "a FIN without data says so by itself");
    // Nothing is acknowledged: the timeout sends the first again, and then the others.
    it.until(5_000);
    it.all();
    let mut again = Vec::new();
    for acknowledged in [1000, 2000, 2500] {
        it.receive(5_000 + acknowledged / 100, ack(0).acknowledging_bytes(acknowledged));
        again.extend(pushed(&mut it));
    }
    again.sort_unstable();
    again.dedup();
    // Behind the 500 more was written since.
    assert_eq!(again, [(0, false), (500, false), (1000, false), (1000, true)]);
}

/// It is what a tail loss probe sends, where there is new data (RFC 8985, section 7.3).
#[test]
fn a_probe_sends_what_waits() {
    for nagle in [Nagle::Classic, Nagle::Minshall] {
        let rack = TcpSettings { socket: socket(nagle, None), ..settings(Recovery::Rack) };
        let mut it = Script::connected(&rack, 100, 0);
        it.write(2000);
        it.write(100);
        it.write(100);
        it.all();
        it.until(303);
        assert_eq!(lengths(&mut it), [if nagle == Nagle::Classic { 200 } else { 100 }]);
    }
}

#[test]
fn what_waits_counts_as_a_lack_of_data() {
    let mut it = Script::connected(&with(Nagle::Classic), 10, 0);
    for round in 1..=100 {
        it.write(900);
        it.write(900);
        it.receive(10 * (round + 1), ack(0).acknowledging_bytes(1800 * round - 900));
        it.receive(10 * (round + 1), ack(0).acknowledging_bytes(1800 * round));
    }
    assert!(it.cwnd() < 12.0, "{}", it.cwnd());
}

/// A piece goes at once while the window is open; what then waits goes in full segments.
#[test]
fn pieces_are_segments_until_the_window_is_full() {
    let pieces = TcpSettings { socket: socket(Nagle::Off, Some(400)), ..with(Nagle::Off) };
    let mut it = Script::connected(&pieces, 10, 0);
    it.write(1000);
    assert_eq!(lengths(&mut it), [400, 400, 200]);
    it.write(u64::MAX);
    // Ten segments are 10,000 bytes, of which 9,000 are left.
    let first = lengths(&mut it);
    assert_eq!(first, [400; 22]);
    it.receive(20, ack(0).acknowledging_bytes(1000 + 22 * 400));
    assert!(lengths(&mut it).iter().all(|it| *it == SEGMENT as u16));
}

/// An application that connects writes its first piece when it is connected.
#[test]
fn pieces_written_before_the_handshake_are_pieces_after_it() {
    for (nagle, expected) in [(Nagle::Off, vec![400, 400, 200]), (Nagle::Minshall, vec![400])] {
        let socket = socket(nagle, Some(400));
        let pieces = TcpSettings { socket, ..path::settings("aimd") };
        let mut lengths = Vec::new();
        let mut path = Path::new(pieces, 1_000_000_000, Duration::from_millis(10), 100).with(
            |_, forth, segment| {
                lengths.extend((forth && segment.length > 0).then_some(segment.length));
                vec![Duration::ZERO]
            },
        );
        path.open(1000);
        path.run_until(Time::ZERO + Duration::from_millis(25));
        drop(path);
        assert_eq!(lengths, expected, "{nagle:?}");
    }
}

/// When the second of two small writes is there, which a server answers: one delay, or, where it
/// waits, the delay of the first, the time for which its acknowledgement waits, and two delays
/// more.
#[test]
fn two_writes_before_a_read_wait_for_a_delayed_acknowledgement() {
    let delay = Duration::from_millis(10);
    for within in [40, 200].map(Duration::from_millis) {
        for (nagle, expected) in [
            (Nagle::Off, delay),
            (Nagle::Classic, delay * 3 + within),
            (Nagle::Minshall, delay * 3 + within),
        ] {
            let mut settings =
                TcpSettings { socket: socket(nagle, None), ..path::settings("aimd") };
            settings.acknowledgements.within = within;
            let mut path = Path::new(settings, 10_000_000_000, delay, 100);
            path.open(0);
            path.run_until(Time::ZERO + Duration::from_millis(100));
            let (start, end) = (path.now, path.now + expected);
            for _ in 0..2 {
                path.act(0, |it, now, outbox| it.write(now, 100, outbox));
            }
            path.run_until(end);
            assert_eq!(
                path.ends[1].counters().received_bytes,
                u64::from(nagle != Nagle::Off) * 100
            );
            // Four packets of 152 bytes and less at 10 Gbps.
            path.run_until(end + Duration::from_nanos(600));
            let took = path.now.since(start);
            assert_eq!(path.ends[1].counters().received_bytes, 200, "{nagle:?} in {took:?}");
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Write(u64),
    /// The peer acknowledges that many of the segments in flight.
    Acknowledge(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = prop_oneof![1..200_u64, 900..1100_u64, 1..5000_u64];
    let step = prop_oneof![write.prop_map(Step::Write), (1..4_usize).prop_map(Step::Acknowledge)];
    prop::collection::vec(step, 1..60)
}

proptest! {
    /// RFC 9293, section 3.7.4 and Minshall's modification alike: never are two small segments
    /// outstanding, and nothing is left when all is acknowledged.
    #[test]
    fn never_are_two_small_segments_outstanding(
        steps in steps(),
        nagle in prop::sample::select(vec![Nagle::Classic, Nagle::Minshall]),
        write_size in prop::option::of(1..3000_u64),
    ) {
        let settings = TcpSettings { socket: socket(nagle, write_size), ..with(nagle) };
        let mut it = Script::connected(&settings, 1, 0);
        let (mut in_flight, mut written, mut acknowledged) = (Vec::new(), 0, 0_u64);
        let rest = std::iter::repeat_n(Step::Acknowledge(1), 1000);
        for step in steps.into_iter().chain(rest) {
            match step {
                Step::Write(bytes) => {
                    written += bytes;
                    it.write(bytes);
                }
                Step::Acknowledge(count) => {
                    let count = count.min(in_flight.len());
                    acknowledged += in_flight.drain(..count).map(u64::from).sum::<u64>();
                    it.receive_now(ack(0).acknowledging_bytes(acknowledged));
                }
            }
            in_flight.extend(lengths(&mut it));
            let small = in_flight.iter().filter(|it| u64::from(**it) < SEGMENT).count();
            prop_assert!(small <= 1, "{in_flight:?}");
        }
        prop_assert_eq!(acknowledged, written);
    }

    /// Whatever is lost, and however it was written, all of it arrives.
    #[test]
    fn everything_arrives_in_pieces_too(
        bytes in 1..60_000_u64,
        write_size in 1..3000_u64,
        nagle in prop::sample::select(EVERY.to_vec()),
        recovery in prop::sample::select(vec![Recovery::Reno, Recovery::Sack, Recovery::Rack]),
        lost in prop::collection::btree_set(0..60_usize, 0..10),
        closes in any::<bool>(),
    ) {
        let socket = socket(nagle, Some(write_size));
        let settings = TcpSettings { socket, recovery, ..path::settings("aimd") };
        let mut number = 0;
        let mut path = Path::new(settings, 10_000_000, Duration::from_millis(10), 100)
            .with(|_, _, _| {
                number += 1;
                if lost.contains(&number) { vec![] } else { vec![Duration::ZERO] }
            });
        path.open(bytes);
        if closes {
            path.act(0, Endpoint::close);
            path.act(1, Endpoint::close);
        }
        path.run_until(Time::ZERO + Duration::from_secs(1000));
        prop_assert_eq!(path.ends[1].counters().received_bytes, bytes);
    }
}
