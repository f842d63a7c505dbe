//! AIMD against its closed forms.

use crate::drive::{Drive, close};
use windtunnel_controllers::{Controller, Signal, Value};

/// `w_mean = sqrt(a (2 - b) / (2 b p))` and `w_max = sqrt(2 a / (b (2 - b) p))`
/// for a growth of `a` per round trip and a decrease by the share `b`. At
/// p = 0.01 a cycle is seven round trips, and whole ones: hence the tolerance.
#[test]
fn aimd_follows_the_square_root_law() {
    for (beta, mean, maximum) in [(0.5, 1.2247, 1.6330), (0.8, 2.1213, 2.3570)] {
        for (loss, tolerance) in [(1e-2, 0.08), (1e-3, 0.03), (1e-4, 0.01)] {
            let saw =
                Drive::with("aimd", 2.0, &[("beta", Value::Number(beta))]).sawtooth(loss, 100);
            close(saw.mean, mean / f64::sqrt(loss), tolerance);
            close(saw.maximum, maximum / f64::sqrt(loss), tolerance);
        }
    }
}

#[test]
fn aimd_step_by_step() {
    let mut drive = Drive::new("aimd", 2.0);
    drive.acknowledge(1.0);
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 4.0);
    drive.congest(Signal::Mark);
    assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (2.0, 2.0));
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 2.5);
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 2.9);
    drive.congest(Signal::Timeout);
    assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (2.0, 1.45));
}

#[test]
fn aimd_grows_by_one_segment_a_round_trip() {
    let mut drive = Drive::after_loss("aimd", 200.0, &[]);
    drive.rounds(50);
    close(drive.cwnd(), 150.0, 0.003);
    assert!(drive.cwnd() <= 150.0);
}
