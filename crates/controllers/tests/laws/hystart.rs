//! HyStart++ in CUBIC's slow start, against RFC 9406.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Controller, Nanoseconds, Value};

const EMPTY: Nanoseconds = SECOND / 10;

fn doubles(drive: &mut Drive, rtt: Nanoseconds) -> bool {
    let before = drive.cwnd();
    drive.rtt = rtt;
    drive.round();
    (drive.cwnd() / before - 2.0).abs() < 1e-9
}

/// A path that holds 100 segments in 100 ms: the round of 160 takes 160 ms, more
/// than an eighth longer. Its first eight samples tell; then the window grows by a
/// quarter a round trip, to the end of the fifth round.
#[test]
fn hystart_leaves_slow_start_in_the_round_whose_queue_shows() {
    let mut drive = Drive::new("cubic", 10.0);
    for expected in [20.0, 40.0, 80.0, 160.0] {
        drive.round_over(100.0, EMPTY);
        close(drive.cwnd(), expected, 1e-9);
    }
    drive.round_over(100.0, EMPTY);
    let mut expected = 160.0 + 8.0 + 152.0 / 4.0;
    close(drive.cwnd(), expected, 1e-9);
    for _ in 0..4 {
        assert_eq!(drive.controller.ssthresh(), f64::INFINITY);
        drive.round_over(100.0, EMPTY);
        expected *= 1.25;
        close(drive.cwnd(), expected, 1e-9);
    }
    drive.round_over(100.0, EMPTY);
    close(drive.controller.ssthresh(), expected, 1e-9);
    assert!(drive.cwnd() < 1.1 * expected);
}

/// An eighth of the round trip, within 4 ms and 16 ms.
#[test]
fn hystart_minds_an_eighth_of_the_round_trip() {
    let millisecond = SECOND / 1000;
    for (rtt, increase) in [(1, 4), (10, 4), (32, 4), (80, 10), (128, 16), (500, 16)] {
        for (more, expected) in [(increase, false), (increase - 1, true)] {
            let mut drive = Drive::new("cubic", 32.0);
            assert!(doubles(&mut drive, rtt * millisecond));
            assert_eq!(doubles(&mut drive, (rtt + more) * millisecond), expected);
        }
    }
}

#[test]
fn hystart_needs_eight_samples() {
    for (window, expected) in [(3.0, true), (4.0, true), (5.0, false)] {
        let mut drive = Drive::new("cubic", window);
        assert!(doubles(&mut drive, EMPTY));
        assert!(drive.cwnd() <= 8.0 || window == 5.0);
        assert_eq!(doubles(&mut drive, 2 * EMPTY), expected);
    }
}

/// A round trip that was long by chance: once it is shorter again, slow start goes
/// on as before.
#[test]
fn hystart_goes_on_with_slow_start_where_the_delay_passes() {
    let mut drive = Drive::new("cubic", 32.0);
    assert!(doubles(&mut drive, EMPTY));
    assert!(!doubles(&mut drive, 2 * EMPTY));
    assert!(!doubles(&mut drive, EMPTY), "it takes eight samples to see");
    assert!(doubles(&mut drive, EMPTY));
    assert_eq!(drive.controller.ssthresh(), f64::INFINITY);
}

/// What was measured before the application was silent says nothing about the path after it:
/// slow start begins anew, and its first round is compared with none.
#[test]
fn hystart_begins_anew_after_a_silence_of_the_application() {
    for slow in [true, false] {
        let mut drive = Drive::new("cubic", 32.0);
        assert!(doubles(&mut drive, EMPTY));
        if slow {
            assert!(!doubles(&mut drive, 2 * EMPTY));
        }
        drive.begin_again();
        drive.controller.lower_window(5.0, f64::INFINITY);
        assert!(doubles(&mut drive, 2 * EMPTY), "too few samples to see that the delay has passed");
        assert!(doubles(&mut drive, 2 * EMPTY));
        assert!(!doubles(&mut drive, 4 * EMPTY), "the second round is compared with the first");
    }
}

/// RFC 9406, section 4.3: `L` = 8.
#[test]
fn hystart_adds_eight_segments_at_most_for_an_acknowledgement() {
    let mut drive = Drive::new("cubic", 32.0);
    drive.acknowledge(20.0);
    assert_eq!(drive.cwnd(), 40.0);
}

#[test]
fn hystart_can_be_off() {
    let mut drive = Drive::with("cubic", 10.0, &[("hystart", Value::Flag(false))]);
    for round in 1..10 {
        assert!(doubles(&mut drive, round * EMPTY));
    }
}

/// With the threshold that a timeout sets, slow start is the standard one.
#[test]
fn hystart_watches_the_first_slow_start_only() {
    let mut drive = Drive::new("cubic", 10.0);
    drive.rounds(7);
    drive.congest(windtunnel_controllers::Signal::Timeout);
    assert!(doubles(&mut drive, EMPTY));
    assert!(doubles(&mut drive, 2 * EMPTY));
}
