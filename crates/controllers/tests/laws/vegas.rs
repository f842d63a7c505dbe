//! Vegas against its equilibrium.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::Controller;

/// `w = C Tb + 2..4`; the packet that is being sent does not wait.
#[test]
fn vegas_keeps_two_to_four_segments_in_the_queue() {
    for milliseconds in [20, 50, 100] {
        let base = milliseconds * SECOND / 1000;
        let mut path = Path::new(1000, 1e9, Treatment::Nothing).flow("vegas", base, 0, &[]);
        path.run_until(200 * SECOND);
        let watched = path.watch(10 * SECOND);
        let waiting = watched.mean - 1.0;
        assert!((1.8..=4.0).contains(&waiting), "{waiting} segments wait");
        close(watched.rate(), 1000.0, 0.001);
    }
}

#[test]
fn vegas_gives_a_latecomer_more_than_its_share() {
    let base = SECOND / 20;
    let mut path = Path::new(1000, 1e9, Treatment::Nothing).flow("vegas", base, 0, &[]).flow(
        "vegas",
        base,
        40 * SECOND,
        &[],
    );
    path.run_until(100 * SECOND);
    let watched = path.watch(20 * SECOND);
    close(watched.rate(), 1000.0, 0.001);
    assert!(watched.rates[1] > 1.2 * watched.rates[0], "{:?}", watched.rates);
}

#[test]
fn vegas_moves_by_one_segment_a_round_trip() {
    let mut drive = Drive::after_loss("vegas", 40.0, &[]);
    drive.rounds(2);
    let before = drive.cwnd();
    drive.rounds(5);
    assert_eq!(drive.cwnd(), before + 5.0);
    drive.rtt *= 2;
    drive.round();
    let before = drive.cwnd();
    drive.rounds(5);
    assert_eq!(drive.cwnd(), before - 5.0);
}

/// Out at `w Tb / T + 1`, in the round that follows the one that was slower.
#[test]
fn vegas_leaves_slow_start_when_a_segment_stands_in_the_queue() {
    let mut drive = Drive::new("vegas", 4.0);
    drive.rounds(3);
    assert_eq!(drive.cwnd(), 32.0);
    drive.rtt = drive.rtt * 11 / 10;
    drive.rounds(2);
    close(drive.controller.ssthresh(), 64.0 / 1.1 + 1.0, 1e-9);
}

/// Linux's conditions: a round of fewer than three samples is no measurement, and the window grows
/// like Reno's; while a loss is repaired nothing is judged.
#[test]
fn vegas_judges_rounds_of_three_samples_that_open_the_window() {
    for (samples, acknowledged, change) in
        [(2, 0.5, 0.5), (2, 5.0, 1.0), (3, 0.5, -1.0), (3, 0.0, 0.0), (2, 0.0, 0.0)]
    {
        let mut drive = Drive::after_loss("vegas", 40.0, &[]);
        drive.rounds(2);
        // All samples of the round are of a path with a long queue.
        drive.rtt *= 2;
        drive.begin_round();
        (0..samples).for_each(|_| drive.acknowledge(1e-12));
        let before = drive.cwnd();
        drive.begin_round();
        drive.acknowledge(acknowledged);
        let changed = drive.cwnd() - before;
        assert!((changed - change).abs() < 1e-9, "{changed} after {samples} samples");
    }
}
