//! Loss recovery without SACK: Tahoe, Reno (RFC 5681), NewReno (RFC 6582), and
//! limited transmit (RFC 3042).

use windtunnel_engine::Duration;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{Recovery, TcpSettings};

use crate::path::{self, Path};
use crate::script::{Script, ack, at, with_window};
use crate::spy::spied;

/// A sender whose first ten segments left at 100 ms, in slow start with a window
/// of ten, and more to send.
fn ten_in_flight(recovery: Recovery) -> Script {
    let mut it = Script::connected(&with_window(recovery, 10.0), 100, 1000);
    assert_eq!(it.sent(), (0..10).collect::<Vec<_>>());
    it
}

#[test]
fn slow_start_sends_two_segments_for_each_acknowledged_one() {
    let mut it = ten_in_flight(Recovery::NewReno);
    let mut next = 10;
    for acknowledged in (2..=10).step_by(2) {
        it.receive(200 + acknowledged, ack(acknowledged));
        assert_eq!(it.sent(), (next..next + 4).collect::<Vec<_>>());
        next += 4;
    }
    assert_eq!(it.cwnd(), 20.0);
}

#[test]
fn a_window_update_is_no_duplicate_acknowledgement() {
    // RFC 5681, section 2: a duplicate has the same window.
    let mut it = ten_in_flight(Recovery::NewReno);
    for (index, window) in [90_000, 80_000, 70_000, 60_000].into_iter().enumerate() {
        it.receive(200 + index as u64, ack(0).window(window));
    }
    assert!(it.sent().is_empty());
    assert_eq!(it.cwnd(), 10.0);
}

#[test]
fn a_segment_with_data_is_no_duplicate_acknowledgement() {
    let mut it = ten_in_flight(Recovery::NewReno);
    for index in 0..4 {
        it.receive(200 + index, ack(0).length(10));
    }
    assert_eq!(it.end.counters().decreases, 0);
}

#[test]
fn limited_transmit_sends_one_new_segment_for_each_of_the_first_two_duplicates() {
    for recovery in [Recovery::Reno, Recovery::NewReno] {
        let mut it = ten_in_flight(recovery);
        it.receive(200, ack(0));
        assert_eq!(it.sent(), [10]);
        it.receive(201, ack(0));
        assert_eq!(it.sent(), [11]);
        assert_eq!(it.cwnd(), 10.0, "the window is left alone");
    }
}

#[test]
fn the_third_duplicate_sends_the_first_segment_again_and_halves_the_window() {
    for recovery in [Recovery::Reno, Recovery::NewReno] {
        let mut it = ten_in_flight(recovery);
        for index in 0..3 {
            it.receive(200 + index, ack(0));
        }
        assert_eq!(it.sent(), [10, 11, 0], "{recovery:?}");
        assert_eq!((it.cwnd(), it.ssthresh()), (5.0, 5.0));
    }
}

#[test]
fn in_fast_recovery_a_new_segment_goes_for_each_duplicate_beyond_half_the_window() {
    // RFC 5681, section 3.2: the window is ssthresh + 3 and grows by one for each
    // duplicate; 12 are outstanding, so that the eighth lets the next one go.
    for recovery in [Recovery::Reno, Recovery::NewReno] {
        let mut it = ten_in_flight(recovery);
        for index in 1..=11 {
            it.receive(200 + index, ack(0));
        }
        assert_eq!(
            it.sent_at(),
            [(201, 10), (202, 11), (203, 0), (208, 12), (209, 13), (210, 14), (211, 15)]
        );
    }
}

#[test]
fn new_reno_repairs_k_losses_of_one_window_in_k_round_trips_with_one_halving() {
    for losses in 1..=4 {
        let mut it = ten_in_flight(Recovery::NewReno);
        // The first `losses` are lost, the others arrive.
        for index in 0..10 - losses {
            it.receive(200 + index, ack(0));
        }
        let mut now = 300;
        let mut repaired = vec![0];
        it.all();
        for partial in 1..losses {
            it.receive(now, ack(partial));
            let again: Vec<u64> = it.sent().into_iter().filter(|it| *it < 10).collect();
            assert_eq!(again, [partial], "one hole a round trip");
            repaired.extend(again);
            now += 100;
        }
        // Limited transmit sent two more before the first repair.
        it.receive(now, ack(12));
        assert_eq!(repaired.len() as u64, losses);
        let counters = it.end.counters();
        assert_eq!((counters.decreases, counters.timeouts), (1, 0));
        assert_eq!(counters.retransmissions, losses);
        assert_eq!(it.ssthresh(), 5.0);
    }
}

#[test]
fn new_reno_grows_again_after_the_acknowledgement_of_all_that_was_outstanding() {
    let mut it = ten_in_flight(Recovery::NewReno);
    for index in 0..9 {
        it.receive(200 + index, ack(0));
    }
    let last = *it.sent().iter().max().expect("limited transmit");
    it.receive(300, ack(10));
    assert_eq!(it.cwnd(), 5.0, "a partial acknowledgement opens nothing");
    it.receive(301, ack(last + 1));
    let window = it.cwnd();
    it.receive(400, ack(last + 5));
    assert!(it.cwnd() > window);
}

/// RFC 9937, section 6: without SACK, DeliveredData is one segment for each duplicate; what the
/// repair of the gap acknowledges is what they have not counted.
#[test]
fn each_duplicate_reports_a_segment_as_delivered_and_the_repair_the_rest() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno] {
        let (settings, heard) = spied(&with_window(recovery, 10.0));
        let mut it = Script::connected(&settings, 100, 10);
        // Of ten the first is lost, and the duplicate of the second.
        (0..8).for_each(|index| it.receive(200 + index, ack(0)));
        it.receive(310, ack(10));
        let heard = heard.lock().expect("no test panics");
        let delivered: Vec<f64> = heard.acknowledgements.iter().map(|it| it.delivered).collect();
        let duplicates = if recovery == Recovery::Tahoe { 3 } else { 8 };
        let mut expected = vec![1.0; duplicates];
        expected.resize(8, 0.0);
        expected.push(10.0 - duplicates as f64);
        assert_eq!(delivered[delivered.len() - 9..], expected, "{recovery:?}");
    }
}

/// After a timeout too, what fills a gap is delivered with it, and not what duplicates have
/// counted: the window of a model grows by that.
#[test]
fn each_gap_that_is_filled_after_a_timeout_reports_a_segment() {
    let (settings, heard) = spied(&with_window(Recovery::Reno, 20.0));
    let mut it = Script::connected(&settings, 100, 20);
    // Of twenty each fourth is lost.
    (0..15).for_each(|index| it.receive(200 + index, ack(0)));
    it.until(2_000);
    assert_eq!(it.end.counters().timeouts, 1);
    heard.lock().expect("no test panics").acknowledgements.clear();
    (1..5).for_each(|gap| it.receive(2_000 + gap, ack(4 * gap)));
    let heard = heard.lock().expect("no test panics");
    let delivered: Vec<f64> = heard.acknowledgements.iter().map(|it| it.delivered).collect();
    assert_eq!(delivered, [1.0; 4]);
}

/// Whatever is lost, in the end as much has been delivered as was written, and no sample has a
/// rate above that of the path.
#[test]
fn without_sack_as_much_is_delivered_as_was_sent_at_the_rate_of_the_path() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno] {
        let mut settings = TcpSettings { recovery, ..path::settings("reno") };
        settings.window.initial = 60.0;
        let (settings, heard) = spied(&settings);
        let mut sent = 0;
        let mut path = Path::new(settings, 10_000_000, Duration::from_millis(20), 100).with(
            move |_, forward, segment| {
                sent += u32::from(forward && segment.length > 0);
                let lost = forward && segment.length > 0 && matches!(sent % 83, 0 | 5);
                if lost { vec![] } else { vec![Duration::ZERO] }
            },
        );
        path.open(1_000 * 1_448);
        path.run_until(at(600_000));
        assert_eq!(path.ends[0].unacknowledged(), 0, "{recovery:?}");
        let heard = heard.lock().expect("no test panics");
        let delivered: f64 = heard.acknowledgements.iter().map(|it| it.delivered).sum();
        assert!((delivered - 1_000.0).abs() < 1e-6, "{recovery:?}: {delivered}");
        let rates = heard.acknowledgements.iter().filter_map(|it| it.delivery?.rate);
        let most = rates.fold(0.0, f64::max);
        let rate = 10_000_000.0 / 8.0 / 1_500.0;
        assert!(most < 1.05 * rate, "{recovery:?}: {most} segments a second of {rate}");
    }
}

#[test]
fn reno_ends_its_recovery_at_the_first_advance_and_halves_again_for_the_next_loss() {
    let mut it = ten_in_flight(Recovery::Reno);
    // Segments 0 and 5 are lost.
    for index in 0..8 {
        it.receive(200 + index, ack(0));
    }
    assert!(it.sent().contains(&0));
    it.receive(300, ack(5));
    assert!(!it.sent().contains(&5), "a partial acknowledgement repairs nothing");
    for index in 0..3 {
        it.receive(310 + index, ack(5));
    }
    assert!(it.sent().contains(&5));
    assert_eq!(it.end.counters().decreases, 2);
    assert!(it.ssthresh() <= 3.0);
}

#[test]
fn tahoe_starts_again_from_one_segment_and_sends_what_followed_again() {
    let mut it = ten_in_flight(Recovery::Tahoe);
    for index in 0..9 {
        it.receive(200 + index, ack(0));
    }
    assert_eq!(it.sent_at(), [(200, 10), (201, 11), (202, 0)], "then nothing until it advances");
    assert_eq!((it.cwnd(), it.ssthresh()), (1.0, 5.0));
    it.receive(300, ack(1));
    assert_eq!(it.sent(), [1, 2], "slow start, from where the loss was");
    assert_eq!(it.end.counters().timeouts, 0);
}

/// What Tahoe sends again the receiver may have: its duplicates are no new loss (RFC
/// 6582, section 3.2: more than `recover` must have been acknowledged).
#[test]
fn duplicates_of_what_was_sent_again_start_no_further_repair() {
    for recovery in [Recovery::Tahoe, Recovery::NewReno] {
        let mut it = ten_in_flight(recovery);
        // The first is lost, the others are not.
        (0..9).for_each(|_| it.receive(140, ack(0)));
        let decreases = it.end.counters().decreases;
        it.receive(180, ack(10));
        (0..3).for_each(|_| it.receive(190, ack(10)));
        assert_eq!(it.end.counters().decreases, decreases, "{recovery:?}");
        // A loss beyond is one again.
        it.receive(220, ack(12));
        it.receive(260, ack(13));
        (0..3).for_each(|_| it.receive(270, ack(13)));
        assert_eq!(it.end.counters().decreases, decreases + 1, "{recovery:?}");
    }
}

/// RFC 6582, section 3.2, step 2: duplicates start a repair only where the acknowledgement
/// covers more than `recover`, the last byte that was sent when the last repair began. RFC
/// 5681 by itself knows no such rule.
#[test]
fn three_duplicates_of_recover_itself_start_a_repair_in_reno_alone() {
    for (recovery, repairs) in [(Recovery::Tahoe, 1), (Recovery::NewReno, 1), (Recovery::Reno, 2)] {
        let mut it = ten_in_flight(recovery);
        (0..3).for_each(|_| it.receive(140, ack(0)));
        // Limited transmit sent two more before the repair began.
        it.receive(180, ack(12));
        assert!(it.end.in_flight() >= 4, "{recovery:?}: enough for three duplicates");
        (0..3).for_each(|_| it.receive(190, ack(12)));
        assert_eq!(it.end.counters().decreases, repairs, "{recovery:?}");
    }
}

#[test]
fn after_a_timeout_duplicates_of_the_old_flight_open_nothing() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno] {
        let mut it = ten_in_flight(recovery);
        it.until(1_150);
        assert_eq!(it.sent_at(), [(1_100, 0)], "{recovery:?}");
        for index in 0..5 {
            it.receive(1_160 + index, ack(0));
        }
        assert!(it.sent().is_empty(), "{recovery:?}: one segment until it is acknowledged");
    }
}

#[test]
fn after_a_timeout_slow_start_goes_through_what_was_outstanding() {
    let mut it = ten_in_flight(Recovery::Reno);
    it.until(1_150);
    assert_eq!(it.sent(), [0]);
    it.receive(1_200, ack(1));
    assert_eq!(it.sent(), [1, 2]);
    it.receive(1_300, ack(2));
    it.receive(1_301, ack(3));
    assert_eq!(it.sent(), [3, 4, 5, 6]);
    it.receive(1_400, ack(10));
    assert!(it.sent().iter().all(|it| *it >= 10), "what is acknowledged is not sent again");
}

#[test]
fn an_acknowledgement_of_what_was_never_sent_is_answered_and_ignored() {
    let mut it = ten_in_flight(Recovery::NewReno);
    it.receive(200, ack(11));
    // RFC 9293, section 3.10.7.4.
    let answer = it.only();
    assert_eq!((answer.segment.length, answer.acknowledges()), (0, 0));
    assert_eq!(it.end.counters().acknowledged_bytes, 0);
    it.receive(210, ack(10).flags(Flags::PSH));
    assert_eq!(it.end.counters().acknowledged_bytes, 10_000);
}
