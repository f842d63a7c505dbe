//! Scalable TCP against its closed forms.

use crate::drive::{Drive, close};
use windtunnel_controllers::{Signal, Value};

/// `ln(1 / (1 - b)) / ln(1 + a) = 13.42` round trips.
#[test]
fn scalable_recovers_in_the_same_time_whatever_the_window() {
    for window in [100.0, 1000.0, 10_000.0] {
        close(Drive::after_loss("scalable", window, &[]).rounds_to(window), 13.42, 0.01);
    }
}

/// A cycle adds `a / p` and a loss takes `b w_max`: `w_max = a / (b p)`. The
/// mean is a cycle's segments over its `ln(1 / (1 - b)) / a` round trips.
#[test]
fn scalable_has_a_window_inverse_to_the_loss() {
    for loss in [1e-3, 1e-4, 1e-5] {
        let saw = Drive::new("scalable", 100.0).sawtooth(loss, 60);
        close(saw.maximum, 0.08 / loss, 0.01);
        close(saw.mean, 0.07489 / loss, 0.02);
    }
}

/// Two flows that lose together keep their shares forever, where AIMD's meet.
#[test]
fn scalable_never_converges_where_aimd_does() {
    let ratio = |name| {
        let mut flows = [Drive::new(name, 800.0), Drive::new(name, 200.0)];
        for _ in 0..100 {
            flows.iter_mut().for_each(|it| it.congest(Signal::Loss));
            while flows[0].cwnd() + flows[1].cwnd() < 1000.0 {
                flows.iter_mut().for_each(Drive::round);
            }
        }
        flows[0].cwnd() / flows[1].cwnd()
    };
    close(ratio("scalable"), 4.0, 1e-3);
    close(ratio("aimd"), 1.0, 1e-3);
}

#[test]
fn scalable_is_reno_below_its_low_window() {
    for (low_window, kept) in [(16.0, 0.875), (32.0, 0.5)] {
        let settings = [("low-window", Value::Number(low_window))];
        let mut drive = Drive::after_loss("scalable", 20.0, &settings);
        let window = 20.0 * kept;
        assert_eq!(drive.cwnd(), window);
        drive.acknowledge(1.0);
        let growth = if window < low_window { 1.0 / window } else { 0.01 };
        assert_eq!(drive.cwnd(), window + growth);
    }
}
