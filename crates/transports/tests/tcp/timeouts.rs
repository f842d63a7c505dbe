//! The retransmission timer: RFC 6298, RFC 5681, section 3.1, and Karn's rule.

use windtunnel_engine::Duration;
use windtunnel_transports::tcp::{Recovery, TcpSettings};

use crate::script::{Script, ack, with_window};

const EVERY: [Recovery; 5] =
    [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Rack];

/// The timer at its equation, with no floor.
fn without_floor(recovery: Recovery) -> TcpSettings {
    let mut it = with_window(recovery, 10.0);
    it.timeout.minimum = Duration::ZERO;
    it
}

#[test]
fn the_first_timeout_is_three_round_trips() {
    // RFC 6298, rule 2.2: srtt = R, rttvar = R/2, so srtt + 4 rttvar = 3 R.
    let mut it = Script::connected(&without_floor(Recovery::Sack), 100, 1);
    it.all();
    it.until(410);
    assert_eq!(it.sent_at(), [(400, 0)]);
}

#[test]
fn each_sample_moves_the_timeout_by_an_eighth_and_a_quarter() {
    let mut it = Script::connected(&without_floor(Recovery::Sack), 100, 1);
    it.receive(280, ack(1));
    it.all();
    // A sample of 180 ms: srtt = 110, rttvar = 50 + (80 - 50)/4 = 57.5.
    it.write(1_000);
    it.all();
    it.until(280 + 341);
    assert_eq!(it.sent_at(), [(280 + 340, 1)]);
}

#[test]
fn the_timeout_is_not_below_its_floor() {
    for (floor, expected) in [(1_000, 1_100), (200, 400)] {
        let mut settings = with_window(Recovery::Sack, 10.0);
        settings.timeout.minimum = Duration::from_millis(floor);
        let mut it = Script::connected(&settings, 100, 1);
        it.all();
        it.until(expected);
        assert_eq!(it.sent_at(), [(expected, 0)]);
    }
}

#[test]
fn repeated_timeouts_double_the_wait_up_to_a_minute() {
    for recovery in EVERY {
        let settings = with_window(recovery, 10.0);
        let mut it = Script::connected(&settings, 100, 1);
        it.all();
        it.until(360_000);
        let times: Vec<u64> = it.sent_at().into_iter().map(|it| it.0).collect();
        let gaps: Vec<u64> = times.windows(2).map(|it| it[1] - it[0]).collect();
        let tail = gaps.len() - 8;
        assert_eq!(
            gaps[tail..],
            [4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000],
            "{recovery:?}"
        );
    }
}

#[test]
fn repeated_timeouts_of_the_same_data_set_the_threshold_once() {
    for recovery in EVERY {
        let mut it = Script::connected(&with_window(recovery, 10.0), 100, 100);
        it.until(10_000);
        assert!(it.end.counters().timeouts >= 3);
        assert_eq!(it.ssthresh(), 5.0, "{recovery:?}");
        assert_eq!(it.end.counters().decreases, 1, "{recovery:?}");
        assert_eq!(it.cwnd(), 1.0);
    }
}

#[test]
fn a_timeout_of_other_data_starts_again_from_one_segment() {
    // RFC 5681, section 3.1: after progress, a timeout is a new one; also where
    // Karn's rule keeps the timer backed off.
    for recovery in EVERY {
        let mut it = Script::connected(&with_window(recovery, 10.0), 100, 100);
        it.until(1_500);
        for (now, next) in [(1_550, 1), (1_600, 2), (1_610, 3)] {
            it.receive(now, ack(next));
        }
        assert!(it.cwnd() > 2.0, "{recovery:?}");
        let before = it.end.counters().timeouts;
        it.until(20_000);
        assert!(it.end.counters().timeouts > before);
        assert_eq!(it.cwnd(), 1.0, "{recovery:?}");
        assert!(it.end.counters().decreases >= 2, "{recovery:?}");
    }
}

#[test]
fn after_a_timeout_one_segment_is_sent() {
    for recovery in EVERY {
        let mut it = Script::connected(&with_window(recovery, 10.0), 100, 100);
        it.until(1_050);
        it.all();
        it.until(1_500);
        assert_eq!(it.sent(), [0], "{recovery:?}");
    }
}

#[test]
fn each_advance_restarts_the_timer() {
    let mut it = Script::connected(&with_window(Recovery::Sack, 10.0), 100, 10);
    it.all();
    it.receive(900, ack(3));
    it.until(1_899);
    assert!(it.sent().is_empty());
}

#[test]
fn the_timer_is_off_while_nothing_is_outstanding() {
    for recovery in EVERY {
        let mut it = Script::connected(&with_window(recovery, 10.0), 100, 10);
        it.receive(200, ack(10));
        assert_eq!(it.end.next_wake(), None, "{recovery:?}");
    }
}

#[test]
fn a_segment_that_was_sent_again_measures_nothing_without_timestamps() {
    // Karn's rule.
    let mut it = Script::connected(&with_window(Recovery::NewReno, 10.0), 100, 1);
    it.until(1_200);
    it.receive(1_250, ack(1));
    assert_eq!(it.end.smoothed_rtt(), Some(Duration::from_millis(100)));
    assert_eq!(it.end.counters().rtt_samples, 0);
}

#[test]
fn what_waited_behind_a_repaired_loss_measures_nothing() {
    // Segments 1 to 9 arrived at once, and are acknowledged a second later
    // together with the repair of 0.
    let mut it = Script::connected(&with_window(Recovery::NewReno, 10.0), 100, 10);
    it.until(1_100);
    it.receive(1_200, ack(10));
    assert_eq!(it.end.smoothed_rtt(), Some(Duration::from_millis(100)));
}

#[test]
fn backing_off_lasts_until_a_segment_sent_once_is_acknowledged() {
    let mut it = Script::connected(&with_window(Recovery::NewReno, 10.0), 100, 1);
    it.until(3_200);
    it.receive(3_300, ack(1));
    it.all();
    // The next segment's timer is still backed off twice: 4 s.
    it.write(1_000);
    it.all();
    it.until(7_299);
    assert!(it.sent().is_empty());
    it.until(7_301);
    assert_eq!(it.sent(), [1]);
}
