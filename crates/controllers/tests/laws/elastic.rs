//! Elastic-TCP against its closed forms.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::Signal;

/// `w(n) = (sqrt(w0) + n sqrt(R) / 2)^2` with `R = rtt_max / rtt`, a fluid: a
/// window that grows within its own round trip is acknowledged a little later.
#[test]
fn elastic_grows_like_a_parabola() {
    for (ratio, rounds) in [(1, 10), (1, 100), (4, 100)] {
        let mut drive = Drive::after_loss("elastic", 200.0, &[]);
        drive.show_round_trip(ratio * SECOND / 10);
        drive.rounds(rounds);
        let root = 10.0 + rounds as f64 * f64::sqrt(ratio as f64) / 2.0;
        close(drive.cwnd(), root * root, 0.05);
    }
}

#[test]
fn elastic_grows_from_100_to_260_in_ten_round_trips_of_two_thirds_of_the_longest() {
    let mut drive = Drive::after_loss("elastic", 200.0, &[]);
    drive.show_round_trip(3 * SECOND / 20);
    drive.rounds(10);
    close(drive.cwnd(), 259.97, 0.05);
}

/// `w_mean = 1.2895 R^(1/3) p^(-2/3)`, `w_max = 1.7527 R^(1/3) p^(-2/3)`.
#[test]
fn elastic_follows_its_response_function() {
    for ratio in [1, 3] {
        for (loss, tolerance) in [(1e-3, 0.02), (1e-4, 0.02), (1e-5, 0.01)] {
            let mut drive = Drive::after_loss("elastic", 100.0, &[]);
            drive.show_round_trip(ratio * SECOND / 10);
            let saw = drive.sawtooth(loss, 30);
            let scale = f64::cbrt(ratio as f64) * f64::powf(loss, -2.0 / 3.0);
            close(saw.mean, 1.2895 * scale, tolerance);
            close(saw.maximum, 1.7527 * scale, 0.001);
        }
    }
}

#[test]
fn elastic_forgets_the_longest_round_trip_at_a_timeout() {
    let mut drive = Drive::with("elastic", 100.0, &[]);
    drive.show_round_trip(9 * SECOND);
    drive.congest(Signal::Timeout);
    drive.acknowledge(1.0);
    close(drive.cwnd(), 100.1, 1e-12);
}
