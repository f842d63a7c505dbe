//! What a receiver acknowledges, and when: RFC 5681, section 4.2; RFC 2018; RFC
//! 2883; RFC 7323, section 4.3.

use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{Acknowledgements, Recovery, Role, TcpSettings};

use crate::script::{Script, ack, data, settings, syn};

fn receiver(settings: &TcpSettings) -> Script {
    let mut it = Script::closed(Role::Server, settings);
    it.receive(0, syn(Flags::default().with_if(Flags::TIMESTAMPS, settings.timestamps)));
    it.receive(1, ack(0));
    it.all();
    it
}

fn acknowledging(every: u8) -> TcpSettings {
    let acknowledgements = Acknowledgements { every, ..Acknowledgements::default() };
    TcpSettings { acknowledgements, ..settings(Recovery::Rack) }
}

fn usual() -> Script {
    receiver(&settings(Recovery::Rack))
}

#[test]
fn every_second_full_segment_is_acknowledged_at_once() {
    let mut it = usual();
    for number in 0..6 {
        it.receive(10 + number, data(number));
    }
    let answer: Vec<(u64, u64)> =
        it.all().iter().map(|it| (it.milliseconds(), it.acknowledges())).collect();
    assert_eq!(answer, [(11, 2), (13, 4), (15, 6)]);
}

#[test]
fn a_single_segment_is_acknowledged_when_the_delay_is_over() {
    let mut it = usual();
    it.receive(10, data(0));
    it.until(49);
    assert!(it.all().is_empty());
    it.until(50);
    assert_eq!(it.only().acknowledges(), 1);
    assert_eq!(it.end.next_wake(), None);
}

#[test]
fn with_delayed_acknowledgements_off_each_segment_is_acknowledged() {
    let mut it = receiver(&acknowledging(1));
    for number in 0..4 {
        it.receive(10 + number, data(number));
        assert_eq!(it.only().acknowledges(), number + 1);
    }
}

#[test]
fn a_segment_beyond_a_gap_is_acknowledged_at_once_with_what_it_brought() {
    let mut it = usual();
    it.receive(10, data(0));
    it.receive(11, data(2));
    let answer = it.only();
    assert_eq!((answer.acknowledges(), answer.blocks()), (1, vec![(2, 3)]));
    it.receive(12, data(4));
    let answer = it.only();
    assert_eq!((answer.acknowledges(), answer.blocks()), (1, vec![(4, 5), (2, 3)]));
}

#[test]
fn a_segment_that_fills_a_gap_is_acknowledged_at_once() {
    let mut it = usual();
    for (index, number) in [1, 3, 0].into_iter().enumerate() {
        it.receive(10 + index as u64, data(number));
    }
    let answer = *it.all().last().expect("an acknowledgement");
    assert_eq!((answer.acknowledges(), answer.blocks()), (2, vec![(3, 4)]));
}

/// RFC 5681, section 4.2: also where a single segment does not make an acknowledgement due,
/// and where it fills but a part of the gap.
#[test]
fn what_fills_a_gap_or_a_part_of_it_never_waits_for_the_delay() {
    let mut it = receiver(&acknowledging(100));
    for (millisecond, number) in [(10, 1), (11, 3)] {
        it.receive(millisecond, data(number));
    }
    it.all();
    for (millisecond, number, next) in [(12, 0, 2), (13, 2, 4)] {
        it.receive(millisecond, data(number));
        let answer = it.only();
        assert_eq!((answer.milliseconds(), answer.acknowledges()), (millisecond, next));
    }
    it.receive(14, data(4));
    assert!(it.all().is_empty(), "nothing is missing any more");
}

#[test]
fn a_duplicate_is_acknowledged_at_once_and_reported_once() {
    let mut it = usual();
    it.receive(10, data(0));
    it.receive(11, data(1));
    it.all();
    it.receive(12, data(0));
    let answer = it.only();
    assert_eq!((answer.acknowledges(), answer.blocks()), (2, vec![(0, 1)]));
    it.receive(13, data(3));
    assert_eq!(it.only().blocks(), [(3, 4)]);
    assert_eq!(it.end.counters().duplicates, 1);
}

#[test]
fn without_sack_there_are_no_blocks() {
    let mut it = receiver(&settings(Recovery::NewReno));
    it.receive(10, data(3));
    let answer = it.only();
    assert_eq!((answer.acknowledges(), answer.blocks()), (0, vec![]));
}

#[test]
fn data_counts_when_it_is_in_order() {
    let mut it = usual();
    for (number, expected) in [(1, 0), (2, 0), (0, 3_000), (1, 3_000), (3, 4_000)] {
        it.receive(10 + number + expected, data(number));
        assert_eq!(it.end.counters().received_bytes, expected);
    }
    assert_eq!(it.end.counters().received_segments, 5);
}

#[test]
fn the_earliest_timestamp_of_what_is_acknowledged_late_is_echoed() {
    // RFC 7323, section 4.3, case A.
    let mut it = receiver(&TcpSettings { timestamps: true, ..settings(Recovery::Rack) });
    it.receive(10, data(0).stamps(1, 0));
    it.receive(12, data(1).stamps(2, 0));
    assert_eq!(it.only().segment.echo, 1);
    it.receive(14, data(2).stamps(3, 0));
    it.until(100);
    assert_eq!(it.only().segment.echo, 3);
}

#[test]
fn a_timestamp_from_beyond_a_gap_is_not_echoed() {
    // RFC 7323, section 4.3, cases B and C: segment B is missing.
    let mut it = receiver(&TcpSettings {
        timestamps: true,
        acknowledgements: Acknowledgements { every: 1, ..Acknowledgements::default() },
        ..settings(Recovery::Rack)
    });
    let mut echoes = Vec::new();
    for (index, number) in [0, 2, 1, 4, 3].into_iter().enumerate() {
        it.receive(10 + index as u64, data(number).stamps(1 + number as u32, 0));
        echoes.push(it.only().segment.echo);
    }
    assert_eq!(echoes, [1, 1, 2, 2, 4]);
}

#[test]
fn timestamps_tell_the_time_in_milliseconds() {
    let mut it = receiver(&TcpSettings { timestamps: true, ..settings(Recovery::Rack) });
    it.receive(100, data(1).stamps(7, 0));
    let answer = it.only();
    assert!(answer.has(Flags::TIMESTAMPS));
    assert_eq!(answer.segment.timestamp, 100);
}

#[test]
fn data_carries_the_acknowledgement_along() {
    let mut it = usual();
    it.receive(10, data(0));
    it.write(1_000);
    let answer = it.only();
    assert_eq!((answer.segment.length, answer.acknowledges()), (1_000, 1));
    it.until(60);
    assert!(it.all().iter().all(|it| it.segment.length > 0), "none goes by itself");
}

#[test]
fn a_gap_is_told_also_where_data_goes_the_other_way() {
    // Data segments have no room for SACK blocks, and do not count as duplicates.
    let mut it = usual();
    it.write(1_000_000);
    it.all();
    it.receive(100, ack(4));
    it.all();
    // The same segment acknowledges, so that more data may go.
    it.receive(101, data(3).acknowledging(8));
    let answer = it.all();
    assert!(
        answer.iter().any(|it| it.segment.length == 0 && it.blocks() == [(3, 4)]),
        "an acknowledgement by itself"
    );
}

#[test]
fn numbers_before_the_connection_and_far_beyond_the_window_are_harmless() {
    let mut it = usual();
    it.receive(10, data(1_000_000));
    it.receive(11, data(u64::from(u32::MAX) / 1_000 - 5));
    assert_eq!(it.end.counters().received_bytes, 0);
    assert!(it.all().iter().all(|it| it.acknowledges() == 0));
}

/// RFC 4737, section 3.3: a segment that is late counts, one that is sent again does not.
#[test]
fn segments_are_reordered_if_they_come_after_one_that_was_sent_later() {
    let mut it = usual();
    let sent = [(0, 10), (2, 12), (3, 12), (1, 11), (4, 13), (1, 40), (2, 12), (5, 41)];
    for (place, (number, milliseconds)) in (50..).zip(sent) {
        it.receive(place, data(number).stamps(milliseconds, 0));
    }
    let counters = it.end.counters();
    assert_eq!(counters.received_segments, 8);
    // 1, sent again, came twice, and 2 a second time after it.
    assert_eq!((counters.reordered, counters.duplicates), (2, 2));
}

#[test]
fn the_clock_of_timestamps_starts_again_without_reordering() {
    let mut it = usual();
    // Of two times less than half the cycle apart, it is known which is later.
    for (number, milliseconds) in [1 << 30, 5 << 29, u32::MAX - 1, 3].into_iter().enumerate() {
        it.receive(50 + number as u64, data(number as u64).stamps(milliseconds, 0));
    }
    assert_eq!(it.end.counters().reordered, 0);
    it.receive(54, data(4).stamps(u32::MAX, 0));
    assert_eq!(it.end.counters().reordered, 1);
}
