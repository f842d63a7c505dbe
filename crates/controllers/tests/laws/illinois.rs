//! TCP-Illinois against its curves.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Nanoseconds, Signal};

const MILLISECOND: Nanoseconds = SECOND / 1000;

/// In avoidance at 500 segments; round trips from 100 ms to 200 ms have been seen.
fn seasoned() -> Drive {
    let mut drive = Drive::after_loss("illinois", 1000.0, &[]);
    drive.show_round_trip(100 * MILLISECOND);
    drive.show_round_trip(200 * MILLISECOND);
    drive.round();
    drive
}

/// The growth and the fraction kept after a round trip of `delay` above the minimum.
fn after_delay(delay: Nanoseconds) -> (f64, f64) {
    let mut drive = seasoned();
    drive.rtt = (100 + delay) * MILLISECOND;
    // The first ends the round before, and the second one of this delay alone.
    drive.round();
    drive.begin_round();
    drive.acknowledge(1e-9);
    (drive.growth(), drive.kept())
}

/// `dm` = 100 ms.
#[test]
fn illinois_follows_its_curves() {
    for (delay, alpha, beta) in [
        (2, 7.538, 0.125),
        (5, 4.336, 0.125),
        (10, 2.5385, 0.125),
        (20, 1.388, 0.1786),
        (50, 0.588, 0.339),
        (80, 0.373, 0.5),
        (100, 0.3, 0.5),
    ] {
        let (growth, kept) = after_delay(delay);
        close(growth, alpha, 0.002);
        close(kept, 1.0 - beta, 0.002);
    }
}

/// Once there was a queue, `alpha` is back at 10 after the fifth round trip
/// without one; until then it stays.
#[test]
fn illinois_waits_five_round_trips_before_it_grows_fastest_again() {
    let mut drive = seasoned();
    drive.rtt = 120 * MILLISECOND;
    drive.rounds(2);
    drive.rtt = 100 * MILLISECOND;
    let growth: Vec<f64> = (0..7)
        .map(|_| {
            drive.round();
            drive.growth()
        })
        .collect();
    growth[..5].iter().for_each(|it| close(*it, 1.388, 0.002));
    growth[5..].iter().for_each(|it| close(*it, 10.0, 0.002));
}

#[test]
fn illinois_is_reno_below_fifteen_segments_and_after_a_timeout() {
    let mut drives = ["illinois", "reno"].map(|name| Drive::after_loss(name, 16.0, &[]));
    for drive in &mut drives {
        drive.round(); // before the first, `alpha` is not chosen yet
        drive.congest(Signal::Loss);
        drive.rounds(5);
    }
    close(drives[0].growth(), drives[1].growth(), 1e-9);
    close(drives[0].kept(), 0.5, 1e-9);
    let mut drive = seasoned();
    drive.congest(Signal::Timeout);
    close(drive.kept(), 0.5, 1e-9);
}

/// Without a queue it adds ten segments per round trip and a loss takes an eighth:
/// `w_mean = sqrt(a (2 - b) / (2 b p))`.
#[test]
fn illinois_follows_its_response_function_without_a_queue() {
    for loss in [1e-3, 1e-4, 1e-5] {
        let saw = Drive::new("illinois", 100.0).sawtooth(loss, 100);
        close(saw.mean, f64::sqrt(10.0 * 1.875 / (0.25 * loss)), 0.03);
    }
}
