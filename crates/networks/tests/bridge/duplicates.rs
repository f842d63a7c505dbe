//! Duplicate acknowledgements at the source edge.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::SackBlock;

use super::*;

const ROUND_TRIP: Duration = Duration::from_millis(10);

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

/// An edge that suppresses duplicates, and holds four segments of connection 0.
fn suppressing() -> SourceEdge {
    let duplicates = Duplicates::Suppress { round_trip: ROUND_TRIP };
    let mut edge = edge(SourceSettings { duplicates, ..everything() });
    for number in 0..4 {
        edge.forward(Time::ZERO, &mut data(0, 1000 * number, 1000));
    }
    edge
}

/// What a receiver answers that misses the byte `next`, and holds later ones.
fn answer(next: u32, held_from: u32) -> Segment {
    let mut segment = Segment::new(0, 1, Flags::ACK.with(Flags::TIMESTAMPS));
    segment.acknowledgement = next;
    segment.window = 1000;
    segment.add_sack_block(SackBlock { start: held_from, end: 4000 });
    segment
}

#[test]
fn a_duplicate_is_dropped_and_its_segment_sent_at_once() {
    let mut edge = suppressing();
    assert!(edge.returned(at(10), &packet(answer(1000, 3000))));
    assert_eq!(edge.next_resent(at(10)), None);
    assert!(!edge.returned(at(10), &packet(answer(1000, 2000))));
    assert_eq!(edge.next_resent(at(10)).map(|it| sequence(&it)), Some(1000));
    assert_eq!(edge.next_resent(at(10)), None);
    let counters = edge.counters();
    assert_eq!((counters.suppressed, counters.resent, edge.backlog().packets), (1, 1, 3));
}

#[test]
fn duplicates_pass_again_a_round_trip_after_the_segment_was_sent() {
    let mut edge = suppressing();
    assert!(edge.returned(at(10), &packet(answer(1000, 3000))));
    assert!(!edge.returned(at(11), &packet(answer(1000, 3000))));
    assert!(edge.next_resent(at(12)).is_some());
    assert!(!edge.returned(at(21), &packet(answer(1000, 3000))));
    assert!(edge.returned(at(22), &packet(answer(1000, 3000))));
    assert_eq!(edge.next_resent(at(22)), None);
}

#[test]
fn what_the_edge_cannot_repair_passes() {
    let mut edge = suppressing();
    for _ in 0..3 {
        assert!(edge.returned(at(10), &packet(answer(4000, 5000))));
    }
}

#[test]
fn data_and_news_are_no_duplicates() {
    let mut edge = suppressing();
    let first = answer(1000, 3000);
    let mut with_data = first;
    with_data.length = 10;
    let mut other_window = first;
    other_window.window = 999;
    let mut ends = first;
    ends.flags = ends.flags.with(Flags::FIN);
    let mut other_connection = first;
    other_connection.connection = 1;
    for segment in [first, with_data, other_window, ends, other_connection] {
        assert!(edge.returned(at(10), &packet(segment)), "{segment:?}");
    }
    assert_eq!(edge.counters().suppressed, 0);
}

#[test]
fn what_an_acknowledgement_let_go_counts_as_sent() {
    let mut edge = suppressing();
    let last = acknowledgement(&data(0, 3000, 1000));
    edge.acknowledge(&last);
    assert_eq!(edge.next_resent(at(10)).map(|it| sequence(&it)), Some(0));
    assert!(edge.returned(at(11), &packet(answer(0, 3000))));
    assert!(!edge.returned(at(11), &packet(answer(0, 3000))));
    // It was sent already; what the queue still owes goes on in order.
    assert_eq!(edge.next_resent(at(11)).map(|it| sequence(&it)), Some(1000));
}

#[test]
fn it_works_with_clones_of_low_priority() {
    let duplicates = Duplicates::Suppress { round_trip: ROUND_TRIP };
    let keep = Keep::LowPriority;
    let mut edge = edge(SourceSettings { duplicates, keep, ..everything() });
    for number in 0..3 {
        edge.forward(Time::ZERO, &mut data(0, 1000 * number, 1000));
    }
    assert!(edge.returned(at(10), &packet(answer(1000, 2000))));
    assert!(!edge.returned(at(10), &packet(answer(1000, 2000))));
    assert_eq!(edge.next_resent(at(10)).map(|it| sequence(&it)), Some(1000));
    assert_eq!(edge.next_resent(at(10)), None);
    assert_eq!(edge.next_idle(at(10)).map(|it| sequence(&it)), Some(0));
}

#[test]
fn other_edges_let_duplicates_pass() {
    let mut edge = edge(everything());
    edge.forward(Time::ZERO, &mut data(0, 0, 1000));
    for _ in 0..3 {
        assert!(edge.returned(at(10), &packet(answer(0, 1000))));
    }
}
