//! What the sender reports to its controller: what limited it, what was lost, when sending
//! began, and of which data a delivery rate is known.

use windtunnel_controllers::{Acknowledgement, Delivery};
use windtunnel_transports::tcp::{Recovery, TcpSettings};

use crate::script::{SEGMENT, Script, ack, controller, settings, with_window};
use crate::spy::{Shared, spied};

fn connected(window: f64, rtt: u64, segments: u64) -> (Script, Shared) {
    let (settings, heard) = spied(&with_window(Recovery::Rack, window));
    (Script::connected(&settings, rtt, segments), heard)
}

/// With a round trip of 100 ms and a window of ten segments.
fn recorded(segments: u64) -> (Script, Shared) {
    let (mut it, heard) = connected(10.0, 100, segments);
    it.all();
    heard.lock().expect("no panic").acknowledgements.clear();
    (it, heard)
}

/// What was reported since this was asked last.
fn all(heard: &Shared) -> Vec<Acknowledgement> {
    std::mem::take(&mut heard.lock().expect("no panic").acknowledgements)
}

/// The one acknowledgement that was reported since this was asked last.
fn only(heard: &Shared) -> Acknowledgement {
    let all = all(heard);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]
}

fn delivery(report: &Acknowledgement) -> Delivery {
    report.delivery.expect("data was delivered")
}

/// Draft-ietf-ccwg-bbr, section 4.1.2.4: only an application with nothing to send makes
/// samples mere lower bounds.
#[test]
fn a_receiver_without_room_does_not_make_samples_application_limited() {
    let (mut it, heard) = connected(40.0, 100, 1_000);
    for round in 2..20 {
        let next = *it.sent().last().expect("data is sent") + 1;
        it.receive(100 * round, ack(next).window(10 * SEGMENT + 512));
    }
    let heard = heard.lock().expect("no panic");
    let later = &heard.acknowledgements[4..];
    assert!(later.iter().all(|it| !it.window_limited), "the window is 40, and 10 are in flight");
    let limited = |it: &Delivery| it.application_limited;
    assert!(later.iter().all(|it| !it.delivery.as_ref().is_some_and(limited)));
}

#[test]
fn a_full_send_buffer_lets_no_more_data_out_until_it_is_acknowledged() {
    let (mut settings, heard) = spied(&with_window(Recovery::Rack, 100.0));
    settings.buffers.send = 30 * SEGMENT;
    let mut it = Script::connected(&settings, 100, 1_000);
    assert_eq!(it.sent().len(), 30);
    it.receive(200, ack(10));
    assert_eq!(it.sent().len(), 10);
    // What arrived beyond a gap is held all the same.
    it.receive(300, ack(10).sack(11..40));
    assert!(it.sent().iter().all(|it| *it == 10));
    it.receive(400, ack(40));
    assert_eq!(it.sent().len(), 30);
    let heard = heard.lock().expect("no panic");
    assert!(heard.acknowledgements.iter().all(|it| !it.window_limited));
}

/// In order, what an acknowledgement newly delivers opens the window (RFC 5681); once segments
/// came later than three others did, what arrives beyond a gap opens it as well, as in Linux.
#[test]
fn what_arrives_beyond_a_gap_opens_the_window_once_gaps_are_reordering() {
    let (mut it, heard) = recorded(1_000);
    let opened = || only(&heard).acknowledged;
    it.receive(200, ack(0).sack(1..3));
    assert_eq!(opened(), 0.0, "limited transmit (RFC 3042)");
    it.receive(200, ack(3));
    assert_eq!(opened(), 1.0);
    // In the grace that RACK gives, more arrive than would indicate a loss.
    it.receive(210, ack(3).sack(4..9));
    assert_eq!(opened(), 0.0);
    it.receive(220, ack(10));
    assert_eq!(opened(), 2.0);
    it.receive(300, ack(10).sack(11..13));
    assert_eq!(opened(), 2.0);
}

#[test]
fn what_arrives_beyond_a_loss_does_not_open_the_window() {
    let (mut it, heard) = recorded(1_000);
    it.receive(200, ack(0).sack(1..3));
    it.receive(200, ack(0).sack(1..10));
    let next = *it.sent().last().expect("new data") + 1;
    it.receive(300, ack(next));
    let opened = all(&heard).iter().map(|it| it.acknowledged).sum::<f64>();
    // The repair, and what was sent since.
    assert_eq!(opened, 1.0 + (next as f64 - 10.0));
}

/// An original that arrives after its retransmission was sent: what that remembers is of
/// another time. It gives no rate, and ends no round trip.
#[test]
fn an_arrival_that_may_be_an_originals_is_no_sample() {
    let (mut it, heard) = connected(10.0, 100, 1_000);
    // Segment 0 is late, and is sent again; then it arrives.
    it.receive(200, ack(0).sack(1..10));
    let resent = it.sent();
    assert!(resent.contains(&0));
    it.receive(210, ack(10));
    // The retransmission of one that was really lost.
    let next = *resent.last().expect("new data");
    it.receive(300, ack(10).sack(11..next + 1));
    it.receive(400, ack(next + 1));
    let heard = heard.lock().expect("no panic");
    let at = |milliseconds: u64| {
        let of = heard.acknowledgements.iter().find(|it| it.now == milliseconds * 1_000_000);
        *of.expect("one was reported")
    };
    let ambiguous = at(210);
    assert_eq!((ambiguous.delivered, ambiguous.round_ended), (1.0, false));
    assert!(ambiguous.delivery.is_none(), "{:?}", ambiguous.delivery);
    assert!(at(400).delivery.is_some());
}

/// A loss that is found when a timer expires is reported with the next acknowledgement, once.
#[test]
fn what_timers_find_lost_is_reported() {
    let (mut it, heard) = connected(10.0, 100, 10);
    it.receive(200, ack(5));
    it.until(5_000);
    assert!(it.end.counters().timeouts > 0);
    it.receive(5_001, ack(6));
    it.receive(5_101, ack(10));
    let heard = heard.lock().expect("no panic");
    let lost: f64 = heard.acknowledgements.iter().map(|it| it.lost).sum();
    assert!(lost >= 5.0, "{lost}");
    assert_eq!(heard.acknowledgements.last().map(|it| it.lost), Some(0.0));
}

#[test]
fn the_beginning_of_sending_is_told_and_its_end_is_the_applications() {
    let (mut it, heard) = connected(10.0, 100, 20);
    it.receive(200, ack(10));
    it.receive(300, ack(20));
    it.until(2_000);
    it.write(SEGMENT);
    // One is still in flight: nothing begins.
    it.until(2_050);
    it.write(SEGMENT);
    it.receive(2_150, ack(22));
    let heard = heard.lock().expect("no panic");
    let starts: Vec<_> =
        heard.starts.iter().map(|it| (it.now / 1_000_000, it.application_limited)).collect();
    // At 200 ms all that was in flight had just been acknowledged at once.
    assert_eq!(starts, [(100, false), (200, false), (2_000, true)]);
    // The handshake took 100 ms, and the data as long.
    let rtts: Vec<_> = heard.starts.iter().map(|it| it.smoothed_rtt).collect();
    assert_eq!(rtts, [Some(100_000_000); 3]);
}

/// The retransmission timeout is that of the first segment: when that is sent again, it
/// begins anew.
#[test]
fn the_timeout_begins_again_with_the_first_segments_retransmission() {
    let (mut it, _) = connected(10.0, 100, 10);
    // Found by the reordering timer at 1,025 ms; the timeout would be over at 1,200 ms.
    it.receive(200, ack(1));
    it.receive(1_000, ack(1).sack(2..3));
    it.until(1_100);
    assert!(it.sent().contains(&1), "sent again");
    assert_eq!(it.end.counters().timeouts, 0);
    it.until(1_900);
    assert_eq!(it.end.counters().timeouts, 0);
    it.until(2_300);
    assert_eq!(it.end.counters().timeouts, 1);
}

/// Windows that do not limit the sender say nothing about the path (RFC 7661, section 4.3; RFC
/// 9438, section 5.8): an application that writes a segment a round trip uses one of ten.
#[test]
fn a_window_that_does_not_limit_the_sender_is_reported_as_such_and_opens_nothing() {
    let (mut it, reports) = recorded(1);
    for round in 1..20 {
        it.receive(100 + 100 * round, ack(round));
        let report = only(&reports);
        assert!(!report.window_limited, "round {round}");
        assert_eq!((report.acknowledged, report.delivered), (0.0, 1.0));
        it.write(1_000);
    }
}

#[test]
fn a_window_that_limits_the_sender_is_reported_as_such_and_all_that_arrives_opens_it() {
    let (mut it, reports) = recorded(1_000);
    for round in 1..20 {
        it.receive(100 + 100 * round, ack(10 * round));
        let report = only(&reports);
        assert!(report.window_limited, "round {round}");
        assert_eq!((report.acknowledged, report.delivered), (10.0, 10.0));
    }
}

/// The same with every window that grows by what is acknowledged.
#[test]
fn no_window_grows_while_it_does_not_limit_the_sender() {
    for name in ["aimd", "reno", "cubic", "dctcp", "prague", "copa"] {
        let settings = TcpSettings { controller: controller(name), ..settings(Recovery::Rack) };
        let mut it = Script::connected(&settings, 100, 1);
        for round in 1..50 {
            it.receive(100 + 100 * round, ack(round));
            it.write(1_000);
        }
        assert!(it.cwnd() <= 10.0, "{name}: {}", it.cwnd());
    }
}

/// Section 4.1.1.3 of draft-ietf-ccwg-bbr: a sample of data sent while the application had
/// nothing more, and the window room, is a lower bound. It lasts until what was then in
/// flight is delivered.
#[test]
fn the_rate_of_data_sent_while_the_application_had_no_more_is_marked_as_limited() {
    let (mut it, reports) = recorded(3);
    it.receive(200, ack(3));
    assert!(!delivery(&only(&reports)).application_limited, "the first were not sent after a lull");
    for round in 0..10 {
        it.write(3_000);
        it.receive(300 + 100 * round, ack(6 + 3 * round));
        let limited = delivery(&only(&reports)).application_limited;
        assert!(limited, "round {round}: there were three segments for a window of ten");
    }
}

/// The repair of a loss waits for nothing that the application would write: also where that has
/// written its last byte, the rate of what is sent again is that of the path.
#[test]
fn the_rate_of_a_repair_after_the_last_byte_is_not_marked_as_limited() {
    let (mut it, reports) = recorded(8);
    it.receive(200, ack(0).sack(1..8));
    assert_eq!(it.sent().last(), Some(&0), "sent again");
    it.receive(300, ack(8));
    let limited =
        all(&reports).iter().map(|it| delivery(it).application_limited).collect::<Vec<_>>();
    assert_eq!(limited, [false, false]);
}

/// A tail loss probe asks the path after a silence.
#[test]
fn the_rate_of_a_probe_is_marked_as_limited() {
    let (mut it, reports) = recorded(2);
    it.until(310);
    assert_eq!(it.end.counters().probes, 1);
    it.receive(410, ack(2));
    assert!(delivery(&only(&reports)).application_limited);
}

/// What is written at the moment when the window opens leaves no silence.
#[test]
fn the_rate_of_what_is_written_as_the_window_opens_is_not_marked_as_limited() {
    let (mut it, reports) = recorded(10);
    for round in 1..10 {
        it.receive(100 + 100 * round, ack(10 * round));
        it.write(10_000);
        assert!(!delivery(&only(&reports)).application_limited, "round {round}");
    }
}

#[test]
fn the_rate_of_an_application_that_always_has_more_is_never_marked_as_limited() {
    let (mut it, reports) = recorded(1_000);
    for round in 1..20 {
        it.receive(100 + 100 * round, ack(10 * round));
        assert!(!delivery(&only(&reports)).application_limited, "round {round}");
    }
}

/// A round trip ends with the first acknowledgement of data sent after the one before ended: once
/// in each, however many acknowledgements there are (draft-ietf-ccwg-bbr, section 5.5.1).
#[test]
fn a_round_ends_once_in_a_round_trip() {
    let (mut it, reports) = recorded(1_000);
    let mut rounds = Vec::new();
    for pair in 0..50 {
        // Every second segment is acknowledged, a round trip after it was sent.
        it.receive(200 + 100 * (pair / 5) + pair % 5, ack(2 * (pair + 1)));
        rounds.push(only(&reports).round_ended);
    }
    let expected: Vec<bool> = (0..50).map(|it| it % 5 == 0).collect();
    assert_eq!(rounds, expected);
}

/// What is considered lost is reported once, and counts for the samples of all that was sent
/// before.
#[test]
fn losses_are_reported_once_and_counted_since_data_was_sent() {
    let (mut it, reports) = recorded(1_000);
    it.receive(200, ack(0).sack(2..4));
    it.receive(201, ack(0).sack(2..6));
    let told = all(&reports);
    assert_eq!(told.iter().map(|it| it.lost).collect::<Vec<_>>(), [0.0, 2.0]);
    assert_eq!(told.iter().map(|it| it.delivered).collect::<Vec<_>>(), [2.0, 2.0]);
    assert_eq!(delivery(&told[1]).lost_since_send, 2.0);
    assert!(told[1].recovering, "which begins with it");
    it.receive(202, ack(0).sack(2..10));
    let told = only(&reports);
    assert_eq!((told.lost, delivery(&told).lost_since_send), (0.0, 2.0));
    assert_eq!((delivery(&told).total, told.delivered), (8.0, 4.0));
    // The repairs, and what was sent after the loss was found.
    let again = it.sent();
    assert!(again.contains(&0) && again.contains(&1), "{again:?}");
    let next = again.iter().max().expect("new data") + 1;
    it.receive(302, ack(next));
    let told = only(&reports);
    assert_eq!((told.lost, delivery(&told).lost_since_send), (0.0, 0.0));
}

/// The round trip is that of the segment sent last among those that were sent once; what was sent
/// again measures nothing (Karn's rule: RFC 6298, section 3).
#[test]
fn no_round_trip_is_measured_by_what_was_sent_again() {
    let (mut it, reports) = recorded(1_000);
    it.receive(200, ack(0).sack(1..10));
    it.receive(250, ack(1).sack(1..10));
    it.receive(300, ack(1).sack(1..10));
    let milliseconds: Vec<_> =
        all(&reports).iter().map(|it| it.rtt.map(|it| it / 1_000_000)).collect();
    assert_eq!(milliseconds[..2], [Some(100), None]);
}
