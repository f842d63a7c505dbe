//! The destination edge alone.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_networks::bridge::{DestinationEdge, DestinationSettings, EdgeMarks, Order};

use super::*;

const PATIENCE: Duration = Duration::from_millis(10);

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn in_order(buffer: u64) -> DestinationEdge {
    let order = Order::InOrder { patience: PATIENCE, buffer };
    DestinationEdge::new(DestinationSettings { order, ..Default::default() })
}

fn sequences(packets: &[Packet]) -> Vec<u32> {
    packets.iter().map(sequence).collect()
}

#[test]
fn what_may_be_dropped_is_acknowledged_and_nothing_else() {
    let mut edge = DestinationEdge::new(DestinationSettings::default());
    let mut out = Vec::new();
    for ecn in [Ecn::NotCapable, Ecn::Capable, Ecn::Scalable, Ecn::Congestion] {
        let packet = Packet { ecn, ..data(3, 7, 100) };
        let answer = edge.receive(Time::ZERO, packet, &mut out);
        let expected = Some(acknowledgement(&packet)).filter(|_| ecn == Ecn::NotCapable);
        assert_eq!(answer, expected);
        assert_eq!(out.pop(), Some(packet));
    }
    assert_eq!((edge.counters().acknowledgements, edge.counters().marks), (1, 1));
}

#[test]
fn marks_are_cleared_where_that_is_asked_for() {
    let settings = DestinationSettings { marks: EdgeMarks::Clear, ..Default::default() };
    let mut edge = DestinationEdge::new(settings);
    for (before, after) in [
        (Ecn::Congestion, Ecn::Capable),
        (Ecn::Scalable, Ecn::Scalable),
        (Ecn::NotCapable, Ecn::NotCapable),
    ] {
        let mut out = Vec::new();
        edge.receive(Time::ZERO, Packet { ecn: before, ..data(0, 0, 100) }, &mut out);
        assert_eq!(out[0].ecn, after);
    }
}

#[test]
fn a_gap_filled_in_time_is_never_seen() {
    let mut edge = in_order(100_000);
    let mut out = Vec::new();
    for start in [0, 200, 300, 500] {
        edge.receive(at(0), data(0, start, 100), &mut out);
    }
    assert_eq!((sequences(&out), edge.next_wake()), (vec![0], at(10)));
    edge.receive(at(5), data(0, 100, 100), &mut out);
    assert_eq!(sequences(&out), [0, 100, 200, 300]);
    edge.receive(at(9), data(0, 400, 100), &mut out);
    assert_eq!(sequences(&out), [0, 100, 200, 300, 400, 500]);
    assert_eq!((edge.next_wake(), edge.backlog().bytes), (Time::NEVER, 0));
    assert_eq!((edge.counters().held, edge.counters().expired), (3, 0));
}

#[test]
fn a_gap_is_given_up_when_what_is_behind_it_waited_long_enough() {
    let mut edge = in_order(100_000);
    let mut out = Vec::new();
    edge.receive(at(0), data(0, 0, 100), &mut out);
    edge.receive(at(1), data(0, 200, 100), &mut out);
    edge.receive(at(2), data(0, 300, 100), &mut out);
    edge.receive(at(3), data(0, 500, 100), &mut out);
    edge.release(at(10), &mut out);
    assert_eq!(sequences(&out), [0]);
    edge.release(at(11), &mut out);
    assert_eq!(sequences(&out), [0, 200, 300]);
    // The next gap is another one, and has its own time.
    assert_eq!(edge.next_wake(), at(13));
    // What fills the first one now comes too late to be in order.
    edge.receive(at(12), data(0, 100, 100), &mut out);
    assert_eq!(sequences(&out), [0, 200, 300, 100]);
    edge.release(at(13), &mut out);
    assert_eq!(sequences(&out), [0, 200, 300, 100, 500]);
    assert_eq!((edge.counters().expired, edge.next_wake()), (2, Time::NEVER));
}

#[test]
fn connections_do_not_wait_for_each_other_nor_do_acknowledgements() {
    let mut edge = in_order(100_000);
    let mut out = Vec::new();
    for (connection, start, length) in
        [(0, 0, 100), (0, 200, 100), (1, 700, 100), (0, 300, 0), (1, 800, 100)]
    {
        edge.receive(at(0), data(connection, start, length), &mut out);
    }
    assert_eq!(sequences(&out), [0, 700, 300, 800]);
}

#[test]
fn a_full_buffer_gives_up_the_oldest_gap() {
    let size = u64::from(data(0, 0, 100).size());
    let mut edge = in_order(2 * size);
    let mut out = Vec::new();
    edge.receive(at(0), data(0, 0, 100), &mut out);
    edge.receive(at(0), data(1, 0, 100), &mut out);
    out.clear();
    edge.receive(at(1), data(0, 200, 100), &mut out);
    edge.receive(at(2), data(1, 200, 100), &mut out);
    edge.receive(at(3), data(1, 300, 100), &mut out);
    assert_eq!((out.len(), edge.backlog().packets, edge.counters().overflows), (1, 2, 1));
    assert_eq!(edge.next_wake(), at(12));
}

#[test]
fn a_segment_for_which_there_is_never_room_passes() {
    let mut edge = in_order(0);
    let mut out = Vec::new();
    for start in [0, 200, 400] {
        edge.receive(at(0), data(0, start, 100), &mut out);
    }
    assert_eq!(sequences(&out), [0, 200, 400]);
}

#[test]
fn a_connection_that_takes_anothers_place_lets_go_what_waits_of_that() {
    let mut edge = in_order(100_000);
    let mut out = Vec::new();
    for (connection, start) in [(5, 0), (5, 200), (5 + 4096, 900)] {
        edge.receive(at(0), data(connection, start, 100), &mut out);
    }
    assert_eq!(sequences(&out), [0, 200, 900]);
    assert_eq!(edge.next_wake(), Time::NEVER);
}

#[test]
fn a_new_connection_begins_anew_and_a_gap_spans_the_wrap() {
    let mut edge = in_order(100_000);
    let mut out = Vec::new();
    let start = u32::MAX - 50;
    edge.receive(at(0), data(0, start - 5000, 100), &mut out);
    edge.receive(at(0), packet(Segment::new(0, start, Flags::SYN)), &mut out);
    edge.receive(at(0), data(0, start.wrapping_add(101), 100), &mut out);
    assert_eq!(out.len(), 2);
    edge.receive(at(0), data(0, start.wrapping_add(1), 100), &mut out);
    assert_eq!(sequences(&out)[2..], [start.wrapping_add(1), start.wrapping_add(101)]);
}

#[test]
fn a_late_copy_of_a_syn_makes_nothing_wait() {
    let mut edge = in_order(100_000);
    let mut out = Vec::new();
    let syn = packet(Segment::new(0, 0, Flags::SYN));
    for packet in [syn, data(0, 1, 100), data(0, 101, 100), syn, data(0, 201, 100)] {
        edge.receive(at(0), packet, &mut out);
    }
    assert_eq!(sequences(&out), [0, 1, 101, 0, 201]);
}

proptest! {
    /// Whatever arrives whenever: all pass once, in time, within the room there is.
    #[test]
    fn all_segments_pass_in_time(
        arrivals in vec((0..3_u32, 0..30_u32, 1..3_u16, 0..4_u64), 1..120),
        buffer in 0..3000_u64,
    ) {
        let mut edge = in_order(buffer);
        let mut now = 0;
        let mut waiting: Vec<(Packet, Time)> = Vec::new();
        for (connection, place, length, pause) in arrivals {
            let mut out = Vec::new();
            for _ in 0..pause {
                now += 1;
                edge.release(at(now), &mut out);
            }
            let packet = data(connection, 100 * place, 100 * length);
            waiting.push((packet, at(now)));
            edge.receive(at(now), packet, &mut out);
            for packet in out {
                let place = waiting.iter().position(|it| it.0 == packet).expect("came before");
                waiting.swap_remove(place);
            }
            prop_assert!(edge.backlog().bytes <= buffer);
            prop_assert_eq!(edge.backlog().packets as usize, waiting.len());
            prop_assert!(waiting.iter().all(|it| at(now).since(it.1) < PATIENCE));
            prop_assert_eq!(edge.next_wake() == Time::NEVER, waiting.is_empty());
        }
        let mut out = Vec::new();
        edge.release(at(now + 10), &mut out);
        prop_assert_eq!(out.len(), waiting.len());
        prop_assert_eq!((edge.backlog().bytes, edge.next_wake()), (0, Time::NEVER));
    }

    /// With room and time enough, any order of arrival behind the first is put right.
    #[test]
    fn all_segments_in_time_pass_in_order(
        order in Just((1..40_u32).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut edge = in_order(1_000_000);
        let mut out = Vec::new();
        for place in [0].into_iter().chain(order) {
            edge.receive(at(0), data(0, 100 * place, 100), &mut out);
        }
        prop_assert_eq!(sequences(&out), (0..40).map(|it| 100 * it).collect::<Vec<_>>());
    }
}
