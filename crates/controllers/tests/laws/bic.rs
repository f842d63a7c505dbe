//! BIC against the round trips its steps take.

use crate::drive::{Drive, close};
use windtunnel_controllers::{Signal, Value};

/// Counted with one step per round trip. Acknowledgement by acknowledgement the
/// step shrinks within the round trip too, which costs one or two more.
#[test]
fn bic_climbs_back_in_the_round_trips_its_steps_take() {
    for (maximum, rounds) in [(100.0, 39.0), (1000.0, 52.0), (10_000.0, 164.0)] {
        let measured = Drive::after_loss("bic", maximum, &[]).rounds_to(maximum);
        assert!((rounds..=rounds + 2.0).contains(&measured), "{maximum}: {measured}");
    }
}

/// 16 at most, else a quarter of the gap, and 0.2 at the end.
#[test]
fn bic_steps_shrink_towards_the_maximum_and_grow_beyond_it() {
    for (maximum, rounds_before, step) in [
        (10_000.0, 0, 16.0), // 2000 below
        (125.0, 0, 6.0),     // 25 below
        (30.0, 0, 0.2),      // 6 below: a step of one
        (100.0, 50, 0.2),    // less than 4 beyond
        (100.0, 100, 16.0),  // more than 48 beyond
    ] {
        let mut drive = Drive::after_loss("bic", maximum, &[]);
        drive.rounds(rounds_before);
        let before = drive.cwnd();
        drive.acknowledge(1.0);
        close(drive.cwnd() - before, step / before, 1e-9);
    }
}

/// From `last + 4` to `last + 48`, a third of the distance is reached.
#[test]
fn bic_probes_by_a_third_of_what_it_has_gained() {
    for gained in [5.0, 11.0, 30.0, 47.0] {
        let mut drive = Drive::after_loss("bic", 1000.0, &[]);
        drive.rounds_to(1000.0 + gained);
        let before = drive.cwnd();
        drive.acknowledge(1.0);
        let step = (before.floor() - 1000.0) / 3.0;
        close(drive.cwnd() - before, step.min(16.0) / before, 1e-6);
    }
}

#[test]
fn bic_never_grows_faster_than_its_largest_step() {
    let mut drive = Drive::after_loss("bic", 500.0, &[]);
    for _ in 0..300 {
        let before = drive.cwnd();
        drive.round();
        assert!((0.1..=16.0).contains(&(drive.cwnd() - before)));
    }
}

#[test]
fn bic_is_reno_in_a_small_window() {
    let mut drive = Drive::after_loss("bic", 14.0, &[]);
    assert_eq!(drive.cwnd(), 7.0);
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 7.0 + 1.0 / 7.0);
}

#[test]
fn bic_grows_by_a_twentieth_while_it_knows_no_maximum() {
    let mut drive = Drive::new("bic", 1000.0);
    drive.congest(Signal::Timeout);
    drive.round();
    close(drive.cwnd(), 1050.0, 0.002);
}

/// A second loss below the maximum aims at `w (1 + beta) / 2`: from 800, that
/// is 720 and not 800, so that the window is there sooner.
#[test]
fn bic_converges_fast_by_aiming_lower() {
    let rounds = |converge| {
        let settings = [("fast-convergence", Value::Flag(converge))];
        let mut drive = Drive::after_loss("bic", 1000.0, &settings);
        drive.congest(Signal::Loss);
        close(drive.cwnd(), 640.0, 1e-12);
        drive.rounds_to(720.0)
    };
    let (with, without) = (rounds(true), rounds(false));
    assert!(without <= 6.0, "80 segments are five steps of 16");
    assert!(with > 35.0, "the last eight segments before a maximum take 40 round trips");
}
