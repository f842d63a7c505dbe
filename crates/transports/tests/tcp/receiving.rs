//! What a receiver acknowledges, and when: RFC 5681, section 4.2; RFC 2018; RFC
//! 2883; RFC 7323, section 4.3.

use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{Acknowledgements, Buffers, Recovery, Role, TcpSettings};

use crate::script::{SEGMENT, Script, ack, data, settings, syn};

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

// -- Quick acknowledgements ---------------------------------------------------

/// With a receive buffer of this many bytes, which is advertised as a whole from the beginning if
/// that is the whole segments which fit into a window without scaling, 65.
fn quick(buffer: u64) -> Script {
    receiver(&TcpSettings {
        acknowledgements: Acknowledgements { quick: true, ..Acknowledgements::default() },
        buffers: Buffers::with_receive(buffer),
        ..settings(Recovery::Rack)
    })
}

/// What each of these segments, which come a millisecond apart, brings about at once: the segments
/// that are acknowledged, or none.
fn at_once(it: &mut Script, from: u64, numbers: std::ops::Range<u64>) -> Vec<Option<u64>> {
    let answer = |(index, number): (usize, u64)| {
        it.receive(from + index as u64, data(number));
        it.all().first().map(|it| it.acknowledges())
    };
    numbers.enumerate().map(answer).collect()
}

/// The first `singles` of them one by one, and the others two by two.
fn singles_and_pairs(numbers: std::ops::Range<u64>, singles: u64) -> Vec<Option<u64>> {
    let first = numbers.start;
    let is_answered = |it: u64| it - first < singles || (it - first - singles) % 2 == 1;
    numbers.map(|it| is_answered(it).then_some(it + 1)).collect()
}

#[test]
fn the_first_sixteen_segments_are_acknowledged_one_by_one_if_that_is_wanted() {
    let mut it = quick(65 * SEGMENT);
    assert_eq!(at_once(&mut it, 10, 0..30), singles_and_pairs(0..30, 16));
}

/// The handshake took a millisecond: the timeout is a second, as the test's settings have it.
#[test]
fn so_are_sixteen_after_a_silence_that_is_longer_than_the_timeout() {
    for (silence, singles) in [(1_000, 0), (1_001, 16)] {
        let mut it = quick(65 * SEGMENT);
        at_once(&mut it, 10, 0..20);
        it.all();
        let answers = at_once(&mut it, 29 + silence, 20..40);
        assert_eq!(answers, singles_and_pairs(20..40, singles), "{silence} ms");
    }
}

#[test]
fn so_are_those_after_a_segment_that_came_twice() {
    let mut it = quick(65 * SEGMENT);
    at_once(&mut it, 10, 0..20);
    it.receive(31, data(3));
    it.all();
    // The answer to what came twice is the first of sixteen.
    assert_eq!(at_once(&mut it, 40, 20..40), singles_and_pairs(20..40, 15));
}

/// With and without: the 20th and the 23rd are pushed.
#[test]
fn so_is_one_with_the_flag_psh() {
    let mut it = quick(65 * SEGMENT);
    let plain = TcpSettings {
        buffers: Buffers::with_receive(u64::from(u16::MAX)),
        ..settings(Recovery::Rack)
    };
    let mut other = receiver(&plain);
    for (it, answered) in [(&mut it, [20, 22, 23]), (&mut other, [20, 22, 24])] {
        at_once(it, 10, 0..18);
        it.all();
        let mut acknowledged = Vec::new();
        for number in 18..24 {
            let is_pushed = [19, 22].contains(&number);
            let flags = if is_pushed { Flags::PSH } else { Flags::default() };
            it.receive(30 + number, data(number).flags(flags));
            acknowledged.extend(it.all().iter().map(|it| it.acknowledges()));
        }
        assert_eq!(acknowledged, answered);
    }
}

/// 65 segments are advertised first, and 200 once 68 segments have come, each of which has
/// brought two more.
#[test]
fn so_are_those_by_which_the_advertised_window_grows() {
    let mut it = quick(200_000);
    let mut windows = Vec::new();
    for number in 0..68 {
        it.receive(10 + number, data(number));
        windows.push(u64::from(it.only().segment.window) << 2);
    }
    let expected = |came: u64| (65 * SEGMENT + 2 * came * SEGMENT).min(200_000);
    for (came, window) in (1..).zip(windows) {
        assert!(window <= expected(came) && window + 4 > expected(came), "{came}: {window}");
    }
    // These did not count towards the first sixteen.
    assert_eq!(at_once(&mut it, 100, 68..100), singles_and_pairs(68..100, 16));
}

/// 65 segments are advertised first, and 75 fit. Two that come in order and two beyond a gap bring
/// two more each; then what waits leaves no room for more, until the gap is filled.
#[test]
fn the_window_does_not_grow_into_the_room_of_what_waits_beyond_a_gap() {
    let mut it = quick(75 * SEGMENT);
    at_once(&mut it, 10, 0..2);
    let mut window = |at: u64, number: u64| {
        it.receive(at, data(number));
        u64::from(it.all().last().expect("an acknowledgement").segment.window) << 1
    };
    let windows: Vec<u64> = (3..11).map(|number| window(20 + number, number)).collect();
    assert_eq!(windows, [71, 73, 73, 73, 73, 73, 73, 73].map(|it| it * SEGMENT));
    assert_eq!(window(40, 2), 75 * SEGMENT);
}
