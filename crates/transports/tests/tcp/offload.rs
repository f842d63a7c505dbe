//! Bursts of segmentation offload, segments merged by receive offload, and acknowledgements
//! that SACK compression holds back: with Linux's sizes.

use proptest::prelude::*;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{
    Accounting, Acknowledgements, EcnMode, Endpoint, Offload, Recovery, Role, TcpSettings,
    WindowUnit,
};

use crate::script::{
    Incoming, SEGMENT, Script, ack, at, data, request, settings, syn, with_window,
};

fn segmentation(segmentation: bool) -> Offload {
    Offload { segmentation, ..Offload::default() }
}

fn sender(window: f64, pacing: bool) -> TcpSettings {
    let settings = with_window(Recovery::Rack, window);
    TcpSettings { offload: segmentation(true), pacing, ..settings }
}

/// When bursts were sent, and how many segments each has.
fn bursts(it: &mut Script) -> Vec<(Time, u64)> {
    let mut bursts: Vec<(Time, u64)> = Vec::new();
    for sent in it.all().iter().filter(|it| it.segment.length > 0) {
        match bursts.last_mut() {
            Some((time, segments)) if *time == sent.time => *segments += 1,
            _ => bursts.push((sent.time, 1)),
        }
    }
    bursts
}

/// In slow start two windows leave in a round trip, of which a burst is 1/1024 of a second. Bursts of the first
/// ten segments are not paced.
#[test]
fn a_burst_is_a_millisecond_of_data_between_two_segments_and_64_kib() {
    for (window, rtt, segments) in [
        // 200 segments a second.
        (10, 100, 2),
        (30, 300, 2),
        // 20,000 a second: 19.5.
        (200, 20, 19),
        // 50,000 a second are 48.8, and a shift by 7 half milliseconds adds 512 bytes.
        (100, 4, 49),
        // 100,000 a second are 97.7: of 1,000 bytes, 65 and their headers fit into 64 KiB.
        (500, 10, 65),
        // Half the window is less than a millisecond of 20,000 a second.
        (10, 1, 5),
    ] {
        let mut it = Script::connected(&sender(f64::from(window), true), rtt, 10_000);
        it.until(2 * rtt - 1);
        let sent = bursts(&mut it);
        let first = segments * 10_u64.div_ceil(segments);
        assert_eq!(sent[0], (at(rtt), first), "{window} in {rtt} ms");
        // The pacer lets a burst go at once, and then waits for its time.
        if sent.len() > 1 {
            assert_eq!(sent[1].1, segments, "{window} in {rtt} ms");
            let rate = 2.0 * f64::from(window) / (rtt as f64 * 1e-3);
            let gap = sent[1].0.since(sent[0].0).as_seconds();
            assert!((gap - segments as f64 / rate).abs() < 1e-9, "{gap} s at {rate}");
        }
        let all: u64 = sent.iter().map(|it| it.1).sum();
        assert!(all == window as u64 || rtt == 1, "{all} of {window}");
    }
}

/// Which segments of those that were sent have PSH, by their place.
fn pushed(it: &mut Script) -> Vec<usize> {
    let sent = it.all();
    (0..).zip(sent).filter(|(_, it)| it.has(Flags::PSH)).map(|(place, _)| place).collect()
}

/// Ten segments of a window in bursts of two.
#[test]
fn the_last_segment_of_a_burst_of_several_is_pushed() {
    let mut it = Script::connected(&sender(10.0, true), 100, 10_000);
    it.until(199);
    assert_eq!(pushed(&mut it), [1, 3, 5, 7, 9]);
    let alone = TcpSettings { offload: segmentation(false), ..sender(10.0, true) };
    let mut it = Script::connected(&alone, 100, 10_000);
    it.until(199);
    assert!(pushed(&mut it).is_empty());
}

/// Half of a window of five are two whole segments.
#[test]
fn a_burst_has_whole_segments() {
    let mut it = Script::connected(&sender(5.0, true), 100, 10_000);
    it.until(199);
    assert_eq!(pushed(&mut it), [1, 3], "bursts of two, two and one");
}

/// Sends a window at the end of the first round trip, and acknowledges it by two segments each
/// 100 µs, from the end of the second one on. Returns what each acknowledgement let out.
fn acknowledged_by_two(settings: &TcpSettings, rtt: u64, written: u64, acks: u64) -> Vec<u64> {
    let mut it = Script::connected(settings, rtt, written);
    it.until(2 * rtt);
    it.all();
    (1..=acks)
        .map(|number| {
            it.until_time(at(2 * rtt) + Duration::from_micros(100) * number);
            it.receive_now(ack(2 * number));
            it.sent().len() as u64
        })
        .collect()
}

/// In slow start an acknowledgement of two segments lets four out.
#[test]
fn a_burst_that_is_not_full_waits_for_the_next_acknowledgement() {
    // The first is sent because nothing was for more than a millisecond. The window is of 46,
    // 52 and 56 segments then: 8.98, 10.2 and 10.9 of them in 1/1024 s. Of 12 that the window
    // lets out two wait.
    let settings = sender(40.0, false);
    assert_eq!(acknowledged_by_two(&settings, 10, 1_000, 8), [4, 0, 8, 0, 0, 10, 0, 10]);
    let without = TcpSettings { offload: segmentation(false), ..settings };
    assert_eq!(acknowledged_by_two(&without, 10, 1_000, 8), [4; 8]);
}

#[test]
fn a_third_of_the_window_does_not_wait() {
    // A burst would be of 21 segments and more; a third of 34 to 40 segments is less.
    let sent = acknowledged_by_two(&sender(30.0, false), 3, 1_000, 5);
    assert_eq!(sent, [4, 0, 0, 0, 16]);
}

#[test]
fn the_last_data_does_not_wait() {
    // Two of the six that are left after the first acknowledgement do not fill a burst.
    let sent = acknowledged_by_two(&sender(40.0, false), 10, 48, 3);
    assert_eq!(sent, [4, 4, 0]);
}

#[test]
fn nothing_waits_where_no_acknowledgement_is_due() {
    // They come a millisecond before their time, and a little more.
    let mut it = Script::connected(&sender(40.0, false), 10, 1_000);
    it.all();
    for (number, micros) in [(1, 8_500), (2, 8_600), (3, 8_700), (4, 9_900)] {
        it.until_time(at(10) + Duration::from_micros(micros));
        it.receive_now(ack(2 * number));
        let sent = it.sent().len();
        assert_eq!(sent, 4, "{micros} µs");
    }
}

/// What waits for more room at the receiver does not count as limited by the window.
#[test]
fn a_burst_that_waits_for_room_lets_no_window_grow() {
    let grown = |offload| {
        let settings = TcpSettings { offload: segmentation(offload), ..sender(40.0, false) };
        let mut it = Script::connected(&settings, 10, 1_000);
        let room = 20 * 1_024;
        it.receive(20, ack(40).window(room));
        it.all();
        let before = it.cwnd();
        let mut sent = Vec::new();
        for number in 1..=8 {
            it.until_time(at(30) + Duration::from_micros(100) * number);
            it.receive_now(ack(40 + 2 * number).window(room));
            sent.push(it.sent().len());
        }
        (sent, it.cwnd() - before)
    };
    assert_eq!(grown(false), (vec![2; 8], 0.0));
    // A third of 20,480 bytes needs seven segments.
    assert_eq!(grown(true), (vec![2, 0, 0, 0, 8, 0, 0, 0], 0.0));
}

/// Segments 0 and 20 are lost. In the second round trip of the repair, the acknowledgement of
/// the second one's retransmission is due.
#[test]
fn a_repair_does_not_wait() {
    let mut it = Script::connected(&sender(40.0, false), 10, 1_000);
    it.until(20);
    it.all();
    for number in 1..40 {
        it.until_time(at(20) + Duration::from_micros(100 * number));
        let arrived = ack(0).sack(1..number.min(19) + 1);
        it.receive_now(if number > 20 { arrived.sack(21..number + 1) } else { arrived });
    }
    let sent = it.sent();
    assert!(sent.contains(&0) && sent.contains(&20), "both are sent again: {sent:?}");
    for number in 0..9 {
        it.until_time(at(31) + Duration::from_micros(200 * number));
        it.receive_now(ack(20).sack(21..41 + number));
        let sent = it.sent().len();
        assert_eq!(sent, if number == 0 { 2 } else { 1 }, "at acknowledgement {number}");
    }
}

/// At 10,000 segments a second, where the host's queue lets nothing out before the end.
#[test]
fn a_small_queue_takes_two_bursts_and_then_as_much_when_all_have_left() {
    for (offload, first) in [(false, 9), (true, 18)] {
        let settings = TcpSettings { offload: segmentation(offload), ..sender(100.0, false) };
        let mut it = Script::closed(Role::Client, &settings);
        assert!(!it.end.keeps_queue_small());
        it.end = it.end.with_small_queue();
        assert!(it.end.keeps_queue_small());
        it.open();
        it.receive(20, syn(Flags::ACK));
        it.write(1_000 * SEGMENT);
        it.receive(20, ack(0));
        assert_eq!(it.sent().len(), first, "in 1/1024 s");
        // They leave one each 100 µs.
        let leaves = |number: u64| at(20) + Duration::from_micros(100) * (number + 1);
        (0..first as u64)
            .for_each(|number| it.end.leave_queue(at(20), SEGMENT as u16, leaves(number)));
        it.until_time(leaves(first as u64 - 2));
        assert!(it.sent().is_empty(), "the last is still in the queue");
        it.until_time(leaves(first as u64 - 1));
        assert_eq!(it.sent().len(), first, "as many again");
    }
}

/// The client's application gives it this many segments, each as a record of its own.
fn give(it: &mut Script, segments: u64) {
    (0..segments).for_each(|_| it.act(|end, now, _| end.write_record(now, SEGMENT)));
    it.act(Endpoint::send);
}

/// A subflow with a small queue, whose connection was established after 20 ms; at 10,000 segments
/// a second, 9 of them may wait in the queue.
fn subflow() -> Script {
    let settings = TcpSettings { offload: segmentation(false), ..sender(100.0, false) };
    let mut it = Script::closed(Role::Client, &settings);
    let (unit, paced_excess) = (WindowUnit::Packets, 0);
    let accounting = Accounting { application_limited: true, unit, paced_excess };
    it.end = it.end.as_subflow(accounting).with_small_queue();
    it.open();
    it.receive(20, syn(Flags::ACK));
    it.receive(20, ack(0));
    it
}

/// What is given while others wait for the host's queue waits behind them.
#[test]
fn what_is_given_while_the_queue_is_full_goes_when_that_has_room() {
    let mut it = subflow();
    let mut sent = Vec::new();
    for (given, leaves) in [(12, None), (12, None), (0, Some(20)), (0, Some(21))] {
        if let Some(leaves) = leaves {
            (0..9).for_each(|_| it.end.leave_queue(at(20), SEGMENT as u16, at(leaves)));
        }
        give(&mut it, given);
        sent.push(it.sent().len());
    }
    it.until(21);
    sent.push(it.sent().len());
    assert_eq!(sent, [9, 0, 9, 0, 6]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// A subflow does not try again what waits for the queue: nothing may come of it.
    #[test]
    fn what_an_attempt_leaves_waiting_cannot_be_sent_at_that_moment(
        steps in prop::collection::vec((0..8_u64, 0..8_usize, 20..22_u64, any::<bool>()), 1..12),
    ) {
        let mut it = subflow();
        let rate = Rate::from_bits_per_second(1_000_000_000).expect("above zero");
        let mut in_queue = 0;
        for (given, leave, leaves, stops) in steps {
            for _ in 0..leave.min(in_queue) {
                it.end.leave_queue(at(20), SEGMENT as u16, at(leaves));
                in_queue -= 1;
            }
            if stops {
                it.end.change_queue_rate(at(20), rate, None);
            }
            give(&mut it, given);
            in_queue += it.sent().len();
            it.act(Endpoint::wake);
            prop_assert!(it.sent().is_empty());
        }
    }
}

// -- Receive offload ----------------------------------------------------------

fn receiver(settings: &TcpSettings) -> Script {
    let mut it = Script::closed(Role::Server, settings);
    it.receive(0, syn(request(settings.ecn)));
    it.receive(10, ack(0).ace(0b010));
    it.all();
    it
}

fn merging() -> TcpSettings {
    let coalescing = Duration::from_millis(1);
    let offload = Offload { receive: true, coalescing, ..Offload::default() };
    TcpSettings { offload, ..settings(Recovery::Rack) }
}

/// When acknowledgements were sent, and what they acknowledge.
fn acknowledged(it: &mut Script) -> Vec<(u64, u64)> {
    it.all().iter().map(|it| (it.milliseconds(), it.acknowledges())).collect()
}

#[test]
fn what_arrives_in_one_poll_is_acknowledged_once() {
    let mut it = receiver(&merging());
    for number in 0..7 {
        it.until_time(at(20) + Duration::from_micros(150) * number);
        it.receive_now(data(number));
    }
    assert_eq!(it.end.counters().received_bytes, 0, "nothing is taken in before the poll");
    // What comes at 21 ms or later is of the next poll.
    it.receive(22, data(7));
    it.receive(22, data(8));
    it.until(30);
    assert_eq!(acknowledged(&mut it), [(21, 7), (23, 9)]);
    assert_eq!(it.end.counters().received_segments, 9);
    assert_eq!(it.end.counters().received_bytes, 9 * SEGMENT);
}

#[test]
fn a_single_segment_waits_for_the_delay_after_the_poll() {
    let mut it = receiver(&merging());
    it.receive(20, data(0));
    it.until(200);
    assert_eq!(acknowledged(&mut it), [(61, 1)]);
}

/// The peer's segments 0 to 5, all in one poll, of which the last two are somehow different:
/// what is acknowledged.
fn in_one_poll(settings: &TcpSettings, segments: [Incoming; 6]) -> Vec<(u64, u64)> {
    let mut it = receiver(settings);
    segments.into_iter().for_each(|segment| it.receive(20, segment));
    it.until(30);
    acknowledged(&mut it)
}

#[test]
fn a_merged_segment_ends_where_the_header_changes() {
    let numbers = [0, 1, 2, 3, 4, 5];
    let changed = |change: fn(Incoming) -> Incoming| {
        numbers.map(|it| if it < 4 { data(it) } else { change(data(it)) })
    };
    let settings = merging();
    assert_eq!(in_one_poll(&settings, numbers.map(data)), [(21, 6)]);
    for change in [
        |it: Incoming| it.ecn(Ecn::Congestion),
        |it: Incoming| it.flags(Flags::CWR),
        |it: Incoming| it.flags(Flags::ECE),
        |it: Incoming| it.stamps(7, 0),
        |it: Incoming| it.window(1 << 12),
        |it: Incoming| it.acknowledging(0).flags(Flags::AE),
    ] {
        assert_eq!(in_one_poll(&settings, changed(change)), [(21, 4), (21, 6)]);
    }
    let pushed = numbers.map(|it| if it == 3 { data(it).flags(Flags::PSH) } else { data(it) });
    assert_eq!(in_one_poll(&settings, pushed), [(21, 4), (21, 6)], "nothing follows PSH");
}

/// The bytes that are acknowledged of segments that arrive in one poll.
fn bytes_acknowledged(segments: &[Incoming]) -> Vec<u32> {
    let mut it = receiver(&TcpSettings {
        acknowledgements: Acknowledgements { every: 1, ..Acknowledgements::default() },
        ..merging()
    });
    segments.iter().for_each(|segment| it.receive(20, *segment));
    it.until(30);
    it.all().iter().map(|it| it.segment.acknowledgement - 1).collect()
}

#[test]
fn a_segment_that_is_shorter_than_the_first_is_the_last_that_is_merged() {
    let lengths = [(0, 2_000), (2, 2_000), (4, 1_000), (5, 1_000)];
    let segments = lengths.map(|(number, length)| data(number).length(length));
    assert_eq!(bytes_acknowledged(&segments), [5_000, 6_000]);
    let longer = [data(0), data(1), data(2).length(1_001)];
    assert_eq!(bytes_acknowledged(&longer), [2_000, 3_001]);
}

#[test]
fn a_fin_is_the_last_that_is_merged() {
    assert_eq!(bytes_acknowledged(&[data(0), data(1).flags(Flags::FIN)]), [2_001]);
    let segments = [data(0).flags(Flags::FIN), data(1)];
    assert_eq!(bytes_acknowledged(&segments).len(), 2);
}

#[test]
fn a_segment_without_data_is_not_merged_and_ends_what_is() {
    let mut it = receiver(&merging());
    [data(0), data(1), data(2).length(0), data(2), data(3)]
        .into_iter()
        .for_each(|segment| it.receive(20, segment));
    it.until(30);
    assert_eq!(acknowledged(&mut it), [(21, 2), (21, 4)]);
    assert_eq!(it.end.counters().received_segments, 4);
}

#[test]
fn a_gap_ends_a_merged_segment_and_what_lies_beyond_is_merged() {
    let numbers = [0, 1, 3, 4, 5, 6];
    let mut it = receiver(&merging());
    numbers.into_iter().for_each(|number| it.receive(20, data(number)));
    it.until(30);
    let answers: Vec<_> = it.all().iter().map(|it| (it.acknowledges(), it.blocks())).collect();
    assert_eq!(answers, [(2, vec![]), (2, vec![(3, 7)])]);
}

#[test]
fn a_merged_segment_fits_into_64_kib() {
    let mut it = receiver(&merging());
    (0..140).for_each(|number| it.receive(20, data(number)));
    it.until(30);
    // 65,535 bytes less 40 of headers.
    assert_eq!(acknowledged(&mut it), [(21, 65), (21, 130), (21, 140)]);
}

#[test]
fn every_mark_of_a_merged_segment_counts() {
    let mut it = receiver(&TcpSettings {
        ecn: EcnMode::Accurate,
        server_ecn: EcnMode::Accurate,
        ..merging()
    });
    (0..5).for_each(|number| it.receive(20, data(number).ecn(Ecn::Congestion)));
    it.until(30);
    assert_eq!(it.only().segment.flags.ace().wrapping_sub(5) & 7, 5);
    assert_eq!(it.end.counters().marks, 5);
}

#[test]
fn duplicates_that_were_merged_are_reported_together() {
    let mut it = receiver(&merging());
    (0..4).for_each(|number| it.receive(20, data(number)));
    it.until(30);
    it.all();
    (0..4).for_each(|number| it.receive(30, data(number)));
    it.until(40);
    assert_eq!(it.only().blocks(), [(0, 4)]);
    assert_eq!(it.end.counters().duplicates, 4);
}

/// RFC 3708: three were sent again, and all three arrived twice.
#[test]
fn a_report_of_several_duplicates_undoes_the_decrease() {
    for (reported, undone) in [(3, 1), (2, 0)] {
        let mut it = Script::connected(&with_window(Recovery::Sack, 20.0), 100, 1_000);
        for arrived in 4..=20 {
            it.receive(200 + arrived, ack(0).sack(3..arrived));
        }
        it.receive(250, ack(0).sack(3..20));
        it.until(260);
        assert_eq!(it.end.counters().retransmissions, 3);
        it.receive(300, ack(3).sack(0..reported).sack(3..20));
        assert_eq!(it.end.counters().decreases_undone, undone, "{reported} reported");
    }
}

// -- SACK compression ---------------------------------------------------------

fn with_compression(recovery: Recovery) -> TcpSettings {
    let acknowledgements =
        Acknowledgements { sack_compression: true, ..Acknowledgements::default() };
    TcpSettings { acknowledgements, ..settings(recovery) }
}

fn compressing(recovery: Recovery) -> Script {
    receiver(&with_compression(recovery))
}

/// When acknowledgements were sent, in microseconds after the 20th millisecond, and their last
/// block.
fn reported(it: &mut Script) -> Vec<(u64, (u64, u64))> {
    let micros = |time: Time| time.since(at(20)).as_nanos() / 1_000;
    it.all().iter().map(|it| (micros(it.time), it.blocks()[0])).collect()
}

#[test]
fn three_beyond_a_gap_are_acknowledged_at_once_and_others_together() {
    let mut it = compressing(Recovery::Rack);
    for number in 1..8 {
        it.until_time(at(20) + Duration::from_micros(10) * number);
        it.receive_now(data(number));
    }
    it.until(30);
    // A twentieth of the 10 ms of the handshake after the fourth.
    let expected = [(10, (1, 2)), (20, (1, 3)), (30, (1, 4)), (540, (1, 8))];
    assert_eq!(reported(&mut it), expected);
    // The acknowledgement of what fills the gap waits for nothing.
    it.receive(30, data(0));
    assert_eq!(it.only().acknowledges(), 8);
}

#[test]
fn an_acknowledgement_beyond_a_gap_waits_for_a_millisecond_at_most() {
    let mut it = Script::closed(Role::Server, &with_compression(Recovery::Sack));
    it.receive(0, syn(Flags::default()));
    it.receive(100, ack(0));
    it.all();
    (1..=4).for_each(|number| it.receive(200, data(number)));
    it.until(300);
    let times: Vec<u64> = it.all().iter().map(|it| it.milliseconds()).collect();
    assert_eq!(times, [200, 200, 200, 201]);
}

#[test]
fn forty_four_wait_and_the_next_does_not() {
    let mut it = compressing(Recovery::Rack);
    (1..=60).for_each(|number| it.receive(20, data(number)));
    it.until(30);
    let expected = [(0, (1, 2)), (0, (1, 3)), (0, (1, 4)), (0, (1, 49)), (500, (1, 61))];
    assert_eq!(reported(&mut it), expected);
}

/// Of what came beyond gaps an acknowledgement reports the three ranges that changed last:
/// if only every other segment arrives, none may wait until it is not one of them.
#[test]
fn every_range_is_reported_however_many_there_are() {
    let mut it = compressing(Recovery::Rack);
    let mut reported = Vec::new();
    for number in 0..30 {
        it.until_time(at(20) + Duration::from_micros(20) * number);
        it.receive_now(data(2 * number + 1));
        reported.extend(it.all().iter().flat_map(|it| it.blocks()));
    }
    for number in 0..30 {
        assert!(reported.contains(&(2 * number + 1, 2 * number + 2)), "{number}");
    }
}

#[test]
fn each_gap_has_three_at_once() {
    let mut it = compressing(Recovery::Rack);
    (1..=5).for_each(|number| it.receive(20, data(number)));
    it.receive(22, data(0));
    it.all();
    (7..=10).for_each(|number| it.receive(30, data(number)));
    assert_eq!(it.all().len(), 3);
}

#[test]
fn without_sack_no_acknowledgement_beyond_a_gap_waits() {
    let mut it = compressing(Recovery::NewReno);
    (1..=20).for_each(|number| it.receive(20, data(number)));
    assert_eq!(it.all().len(), 20);
}
