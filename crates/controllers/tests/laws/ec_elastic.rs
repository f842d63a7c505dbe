//! EC-Elastic against its closed forms.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Controller, Signal, Value};

/// From `0.9 w` to `w`: `0.1026 sqrt(w / R)` round trips.
#[test]
fn ec_elastic_climbs_back_in_a_tenth_of_the_root_of_the_window() {
    let beta = ("beta-slow-start", Value::Number(0.9));
    for (window, ratio) in [(10_000.0, 1), (90_000.0, 1), (90_000.0, 4)] {
        let mut drive = Drive::after_loss("ec-elastic", window, &[beta]);
        drive.show_round_trip(ratio * SECOND / 10);
        let expected = 0.1026 * f64::sqrt(window / ratio as f64);
        close(drive.rounds_to(window), expected, 0.05);
    }
}

#[test]
fn ec_elastic_grows_like_elastic() {
    let [mut ec_elastic, mut elastic] = [("ec-elastic", 0.85), ("elastic", 0.5)]
        .map(|(name, kept)| Drive::after_loss(name, 170.0 / kept, &[]));
    for drive in [&mut ec_elastic, &mut elastic] {
        drive.show_round_trip(SECOND / 4);
        drive.rounds(20);
    }
    close(ec_elastic.cwnd(), elastic.cwnd(), 1e-12);
}

/// With the window outside the radical each segment adds `sqrt(rtt_max / rtt)`,
/// one at least: in avoidance too, every round trip doubles the window.
#[test]
fn ec_elastic_as_printed_grows_exponentially() {
    for (ratio, growth) in [(1, 2.0), (4, 3.0)] {
        let settings = [("weighting", Value::Choice("as-printed"))];
        let mut drive = Drive::after_loss("ec-elastic", 20.0, &settings);
        drive.show_round_trip(ratio * SECOND / 10);
        drive.rounds(6);
        close(drive.cwnd(), 17.0 * f64::powi(growth, 6), 1e-6);
    }
}

#[test]
fn ec_elastic_sets_its_threshold_one_below_the_window() {
    let mut drive = Drive::new("ec-elastic", 100.0);
    for (signal, window, ssthresh) in [
        (Signal::Mark, 85.0, 84.0),
        (Signal::Nack, 76.5, 75.5),
        (Signal::Loss, 68.85, 67.85),
        (Signal::Timeout, 100.0, 60.965),
    ] {
        drive.congest(signal);
        close(drive.cwnd(), window, 1e-12);
        close(drive.controller.ssthresh(), ssthresh, 1e-12);
    }
}

/// Algorithm 2 takes the longest round trip in avoidance alone.
#[test]
fn ec_elastic_learns_no_round_trip_in_slow_start() {
    let mut drive = Drive::new("ec-elastic", 100.0);
    drive.show_round_trip(9 * SECOND);
    drive.congest(Signal::Mark);
    drive.acknowledge(1.0);
    close(drive.cwnd(), 85.0 + 1.0 / f64::sqrt(85.0), 1e-9);
}
