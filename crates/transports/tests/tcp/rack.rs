//! RACK and tail loss probes: RFC 8985.

use windtunnel_engine::Duration;
use windtunnel_transports::tcp::{Recovery, TcpSettings};

use crate::script::{Script, ack, controller, with_window};

/// A round trip of 40 ms, and this many segments in flight since 40 ms; the window
/// is fixed, so that only the finding of losses shows.
fn settings(window: u64) -> TcpSettings {
    let mut it = with_window(Recovery::Rack, window as f64);
    it.controller = controller("fixed");
    it.controller
        .set("window", windtunnel_controllers::Value::Number(window as f64))
        .expect("a window");
    it
}

/// Ten segments at first, and timeouts that come long after a probe: their minimum, which a
/// single segment's probe waits for, is 30 ms, but they are 200 ms beyond the round trip.
fn probing() -> TcpSettings {
    let mut it = with_window(Recovery::Rack, 10.0);
    it.timeout.minimum = Duration::from_millis(30);
    it.timeout.minimum_variation = Duration::from_millis(200);
    it
}

fn in_flight(window: u64) -> Script {
    let mut it = Script::connected(&settings(window), 40, 10_000);
    assert_eq!(it.sent().len() as u64, window);
    it
}

/// The same after reordering was seen: segment 1 arrived before segment 0, and
/// everything to before segment 10 is acknowledged at 80 ms.
fn reordered() -> Script {
    let mut it = in_flight(10);
    it.receive(80, ack(0).sack(1..2));
    it.receive(80, ack(10));
    assert_eq!(it.sent(), (10..20).collect::<Vec<_>>());
    assert_eq!(it.end.counters().retransmissions, 0);
    it
}

#[test]
fn with_reordering_seen_the_window_is_a_quarter_of_the_least_round_trip() {
    let mut it = reordered();
    // All but 10 arrive 40 ms after they were sent.
    it.receive(120, ack(10).sack(11..20));
    it.until(129);
    assert!(it.sent().iter().all(|it| *it >= 20), "10 ms of grace");
    it.until(130);
    assert_eq!(it.sent_at().first(), Some(&(130, 10)));
}

#[test]
fn a_segment_late_by_less_than_the_window_is_not_sent_again() {
    let mut it = reordered();
    it.receive(120, ack(10).sack(11..20));
    it.receive(129, ack(20));
    it.until(150);
    assert_eq!(it.end.counters().retransmissions, 0);
    assert_eq!(it.end.counters().decreases, 0);
}

#[test]
fn without_reordering_three_arrivals_above_tell_of_a_loss_at_once() {
    let mut it = in_flight(10);
    it.receive(80, ack(0).sack(1..3));
    it.receive(81, ack(0).sack(1..4));
    let sent = it.sent_at();
    assert!(sent.contains(&(81, 0)), "{sent:?}");
}

#[test]
fn with_fewer_arrivals_a_quarter_of_a_round_trip_tells() {
    let mut it = in_flight(3);
    it.receive(80, ack(0).sack(1..2));
    it.until(89);
    assert!(!it.sent().contains(&0));
    it.until(90);
    assert_eq!(it.sent_at(), [(90, 0)]);
    assert_eq!(it.end.counters().timeouts, 0);
}

#[test]
fn the_timer_repairs_a_loss_although_no_acknowledgement_follows() {
    // As above with a window that comes down: the first retransmission waits for
    // nothing, because nothing else may come.
    let mut it = Script::connected(&with_window(Recovery::Rack, 10.0), 40, 3);
    it.all();
    it.receive(80, ack(1).sack(2..3));
    it.until(90);
    assert_eq!(it.sent_at(), [(90, 1)]);
    assert_eq!(it.end.counters().decreases, 1);
}

#[test]
fn a_lost_retransmission_is_noticed_without_a_timeout() {
    let mut it = in_flight(10);
    it.receive(80, ack(0).sack(1..5));
    assert!(it.sent().contains(&0), "sent again at 80 ms");
    // What was sent with and after the retransmission arrives; it does not.
    it.receive(121, ack(0).sack(1..13));
    assert!(it.sent().contains(&0), "sent a third time");
    assert_eq!(it.end.counters().timeouts, 0);
}

/// Beyond a gap the receiver goes on echoing what came before it (RFC 7323, section
/// 4.3): that does not make the arrival one of the first sending.
#[test]
fn a_retransmission_that_arrives_beyond_a_gap_tells_of_those_sent_before_it() {
    let mut stamped = settings(10);
    stamped.timestamps = true;
    let mut it = Script::connected(&stamped, 40, 10);
    it.all();
    it.receive(80, ack(0).sack(3..10).stamps(60, 0));
    assert_eq!(it.sent(), [0, 1, 2]);
    it.receive(120, ack(0).sack(2..10).stamps(100, 0));
    assert_eq!(it.sent_at(), [(120, 0), (120, 1)], "lost a second time");
    assert_eq!(it.end.counters().timeouts, 0);
}

#[test]
fn what_was_sent_later_than_the_newest_that_arrived_is_not_lost() {
    let mut it = in_flight(10);
    it.receive(80, ack(2));
    assert_eq!(it.sent(), [10, 11]);
    it.receive(85, ack(2).sack(3..10));
    assert_eq!(it.sent().iter().filter(|it| **it < 12).count(), 1, "only segment 2");
}

/// A retransmission that was for nothing shows reordering as well as a late arrival that was
/// not sent again does.
#[test]
fn a_spurious_retransmission_shows_reordering() {
    let stamped = TcpSettings { timestamps: true, ..with_window(Recovery::Rack, 10.0) };
    let mut it = Script::connected(&stamped, 40, 10_000);
    it.all();
    it.receive(80, ack(0).sack(1..10).stamps(60, 40));
    assert!(it.sent().contains(&0), "where no reordering was ever seen");
    it.receive(85, ack(10).stamps(65, 40));
    assert_eq!(it.end.counters().decreases_undone, 1);
    it.all();
    // Segment 10 left at 85 ms at the latest, and those behind it took 40 ms.
    it.receive(125, ack(10).sack(11..16).stamps(105, 85));
    it.until(129);
    assert!(!it.sent().contains(&10), "it has a quarter of a round trip");
    it.until(136);
    assert!(it.sent().contains(&10));
}

#[test]
fn a_reported_duplicate_widens_the_window() {
    let mut it = reordered();
    // Segment 10 is sent again too early; the receiver reports it twice.
    it.receive(120, ack(10).sack(11..20));
    it.until(135);
    assert!(it.sent().contains(&10));
    it.receive(140, ack(20));
    let next = *it.sent().iter().max().expect("the window is open again") + 1;
    it.receive(180, ack(next).sack(10..11));
    assert_eq!(it.sent(), (next..next + 10).collect::<Vec<_>>());
    // The next gap is given twice the grace: 20 ms instead of 10.
    it.receive(220, ack(next).sack(next + 1..next + 10));
    it.until(239);
    assert!(!it.sent().contains(&next));
    it.until(240);
    assert!(it.sent().contains(&next));
}

#[test]
fn a_lost_tail_is_probed_and_repaired_without_a_timeout() {
    // Of ten segments the last is lost.
    let mut it = Script::connected(&probing(), 40, 10);
    it.all();
    it.receive(80, ack(9));
    // The smoothed round trip is 40 ms; one segment in flight may be acknowledged late, by
    // as much as the least timeout (RFC 8985, section 7.2: the maximum delay of
    // acknowledgements, as Linux has it).
    it.until(400);
    assert_eq!(it.sent_at(), [(80 + 2 * 40 + 30, 9)]);
    it.receive(400, ack(10));
    let counters = it.end.counters();
    assert_eq!((counters.probes, counters.timeouts), (1, 0));
}

/// RFC 8985, section 7.2: a probe that would come later than the timeout replaces it. With a
/// round trip of 300 ms and Linux's limits the timeout is at 500 ms, the probe's time at 602.
#[test]
fn a_probe_replaces_a_timeout_that_would_come_first() {
    let mut limited = settings(10);
    limited.timeout.minimum = Duration::from_millis(200);
    limited.timeout.minimum_variation = Duration::from_millis(200);
    let mut it = Script::connected(&limited, 300, 10_000);
    for round in 2..=100 {
        it.receive(300 * round, ack(10 * (round - 1)));
    }
    it.all();
    it.until(30_000 + 499);
    assert_eq!(it.sent_at(), []);
    it.until(30_000 + 900);
    assert_eq!(it.sent_at(), [(30_500, 1_000)], "new data");
    let counters = it.end.counters();
    assert_eq!((counters.probes, counters.timeouts), (1, 0));
    // The timeout runs anew from the probe.
    it.until(30_000 + 1_000);
    assert_eq!(it.end.counters().timeouts, 1);
}

#[test]
fn with_more_than_one_segment_in_flight_a_probe_does_not_wait_for_delayed_acknowledgements() {
    let mut it = Script::connected(&with_window(Recovery::Rack, 10.0), 40, 10);
    it.all();
    it.receive(80, ack(7));
    it.until(300);
    assert_eq!(it.sent_at(), [(80 + 2 * 40 + 2, 9)], "the last segment");
    // The probe arrives: 7 and 8 are lost, and are repaired as data is delivered.
    it.receive(300, ack(7).sack(9..10));
    it.receive(340, ack(8).sack(9..10));
    assert_eq!(it.sent_at(), [(300, 7), (340, 8)]);
    assert_eq!(it.end.counters().timeouts, 0);
}

#[test]
fn a_probe_is_new_data_where_there_is_some() {
    let mut it = in_flight(4);
    it.until(130);
    assert_eq!(it.sent_at(), [(40 + 80 + 2, 4)]);
}

#[test]
fn there_is_one_probe_until_a_round_trip_is_measured() {
    let mut it = in_flight(4);
    it.until(1_000);
    assert_eq!(it.end.counters().probes, 1);
}

#[test]
fn a_probe_that_repaired_a_loss_is_answered_as_one_loss() {
    let mut it = Script::connected(&probing(), 40, 10);
    it.all();
    it.receive(80, ack(9));
    it.until(200);
    assert_eq!(it.sent().len(), 1, "the probe");
    it.receive(240, ack(10));
    // RFC 8985, section 7.4.2: known when more than the probe is acknowledged.
    it.write(2_000);
    it.receive(280, ack(12));
    assert_eq!(it.end.counters().decreases, 1);
}

/// RFC 8985, section 7.4: the response to a probe is that to a loss which it has repaired by
/// itself. What it shows is answered by the recovery that follows, once.
#[test]
fn a_lost_tail_that_a_probe_shows_is_answered_once() {
    let mut it = Script::connected(&probing(), 40, 10);
    it.all();
    it.receive(80, ack(7));
    it.until(200);
    assert_eq!(it.sent(), [9], "the probe");
    it.receive(202, ack(7).sack(9..10));
    assert_eq!(it.end.counters().decreases, 1);
    it.receive(242, ack(8).sack(9..10));
    it.receive(282, ack(10));
    it.write(2_000);
    it.receive(322, ack(12));
    let counters = it.end.counters();
    assert_eq!((counters.decreases, counters.timeouts, counters.probes), (1, 0, 1));
}

#[test]
fn a_probe_beside_a_late_original_is_not_answered() {
    let mut it = Script::connected(&probing(), 40, 10);
    it.all();
    it.receive(80, ack(9));
    it.until(200);
    assert_eq!(it.sent().len(), 1, "the probe");
    // The acknowledgement of the original comes, then the duplicate is reported.
    it.receive(205, ack(10));
    it.receive(240, ack(10).sack(9..10));
    it.write(2_000);
    it.receive(290, ack(12));
    assert_eq!(it.end.counters().decreases, 0);
}

#[test]
fn a_probe_of_new_data_is_not_answered() {
    let mut it = in_flight(4);
    it.until(130);
    assert_eq!(it.end.counters().probes, 1);
    it.receive(160, ack(5));
    it.receive(200, ack(9));
    assert_eq!(it.end.counters().decreases, 0);
}

#[test]
fn at_a_timeout_only_what_is_overdue_is_lost() {
    // RFC 8985, section 6.3. New data goes 10 ms before the timer expires, a second
    // after the probe of 162 ms.
    let mut it = Script::connected(&settings(10), 40, 6);
    it.receive(80, ack(2));
    it.until(1_150);
    it.write(2_000);
    it.all();
    it.until(1_162);
    assert_eq!(it.end.counters().timeouts, 1);
    assert_eq!(it.sent_at(), [(1_162, 2), (1_162, 3), (1_162, 4), (1_162, 5)]);
    assert_eq!(it.end.in_flight(), 6, "the new ones are not overdue");
}

/// RFC 8985, section 6.2, step 2: what arrives sooner after it was sent again than any round trip
/// took is the first sending, and does not show that others sent before the second are late.
#[test]
fn an_answer_too_early_for_a_retransmission_does_not_make_others_late() {
    let mut it = in_flight(10);
    it.receive(80, ack(0).sack(1..4));
    assert_eq!(it.sent().iter().filter(|it| **it < 10).count(), 1, "segment 0 is sent again");
    it.receive(85, ack(4));
    assert!(it.sent().iter().all(|it| *it >= 10), "segments 4 to 9 are on their way");
    it.receive(90, ack(10));
    assert_eq!(it.end.counters().retransmissions, 1);
    // After a whole round trip the answer is one to the retransmission.
    let mut it = in_flight(10);
    it.receive(80, ack(0).sack(1..4));
    it.receive(120, ack(4));
    assert_eq!(it.sent().iter().filter(|it| (4..10).contains(*it)).count(), 6, "those are lost");
}
