//! FAST against its equilibrium.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::Value;

fn alpha(segments: f64) -> [(&'static str, Value<'static>); 1] {
    [("alpha", Value::Number(segments))]
}

#[test]
fn fast_keeps_alpha_segments_in_the_queue() {
    for segments in [10.0, 20.0, 100.0] {
        let mut path =
            Path::new(1000, 1e9, Treatment::Nothing).flow("fast", SECOND / 20, 0, &alpha(segments));
        path.run_until(20 * SECOND);
        let watched = path.watch(5 * SECOND);
        assert!((watched.mean - segments).abs() <= 1.0, "{} of {segments}", watched.mean);
        close(watched.rate(), 1000.0, 0.001);
    }
}

/// `x = alpha / q`, for any round trip; the queue is the sum of the alphas.
#[test]
fn fast_shares_by_alpha_and_not_by_round_trip() {
    let shares = [(200.0, SECOND / 50, 0.25), (600.0, SECOND / 10, 0.75)];
    let mut path = Path::new(10_000, 1e9, Treatment::Nothing);
    for (segments, base, _) in shares {
        path = path.flow("fast", base, 0, &alpha(segments));
    }
    path.run_until(30 * SECOND);
    let watched = path.watch(10 * SECOND);
    close(watched.mean, 800.0, 0.02);
    for (rate, (.., share)) in watched.rates.iter().zip(shares) {
        close(*rate, 10_000.0 * share, 0.03);
    }
}

/// Where the queue does not answer, an error shrinks by `1 - gamma q / T` a round.
#[test]
fn fast_approaches_its_goal_by_gamma_of_the_way() {
    let mut drive = Drive::after_loss("fast", 80.0, &alpha(20.0));
    drive.round();
    drive.rtt *= 2;
    drive.round();
    for _ in 0..5 {
        let error = drive.cwnd() - 40.0;
        drive.round();
        close(drive.cwnd() - 40.0, 0.75 * error, 1e-9);
    }
}
