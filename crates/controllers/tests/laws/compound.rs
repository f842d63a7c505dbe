//! Compound TCP against its closed forms.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::Signal;

/// Without a queue the window grows by `alpha w^k` per round trip, so that a cycle
/// from `w/2` to `w` delivers `w^(2-k) (1 - 2^(k-2)) / (alpha (2-k))` segments in
/// `w^(1-k) (1 - 2^(k-1)) / (alpha (1-k))` round trips: the window goes with
/// `p^(-1/(2-k))`, the power -0.8.
#[test]
fn compound_follows_its_response_function() {
    let (alpha, k) = (0.125, 0.75);
    for loss in [1e-4, 1e-5, 1e-6] {
        let maximum: f64 =
            (alpha * (2.0 - k) / (loss * (1.0 - f64::powf(2.0, k - 2.0)))).powf(1.0 / (2.0 - k));
        let rounds = maximum.powf(1.0 - k) * (1.0 - f64::powf(2.0, k - 1.0)) / (alpha * (1.0 - k));
        let saw = Drive::new("compound", 100.0).sawtooth(loss, 20);
        close(saw.maximum, maximum, 0.05);
        close(saw.mean, 1.0 / (loss * rounds), 0.05);
    }
}

#[test]
fn compound_is_reno_below_sixteen_segments() {
    let mut drives = ["compound", "reno"].map(|name| Drive::after_loss(name, 16.0, &[]));
    for drive in &mut drives {
        drive.rounds(7);
    }
    close(drives[0].cwnd(), drives[1].cwnd(), 1e-12);
}

/// With 30 segments queued the delay component loses as many in a round trip, until
/// only Reno's is left.
#[test]
fn compound_gives_way_to_a_queue() {
    let mut drive = Drive::after_loss("compound", 400.0, &[]);
    drive.rounds(20);
    let grown = drive.cwnd();
    assert!(grown > 300.0, "{grown}");
    drive.rtt = SECOND / 8; // a fifth of the window waits
    drive.round();
    drive.round();
    close(drive.cwnd(), grown + 2.0 + 0.125 * grown.powf(0.75) - 1.0 - 0.2 * grown, 0.03);
    drive.rounds(20);
    let before = drive.cwnd();
    drive.round();
    close(drive.cwnd() - before, 1.0, 0.01);
}

/// Of a window that is Reno's part and the delay's, half of each remains.
#[test]
fn compound_halves_both_of_its_parts() {
    let mut drive = Drive::after_loss("compound", 400.0, &[]);
    drive.rounds(10);
    close(drive.kept(), 0.5, 1e-12);
    let grown = drive.cwnd();
    // All of the delay component gives way: 10 round trips had added one segment each
    // to Reno's 200, and the loss halved that.
    drive.rtt = SECOND;
    drive.round();
    drive.round();
    assert!(drive.cwnd() < grown);
    close(drive.cwnd(), 107.0, 0.01);
}

#[test]
fn compound_after_a_timeout_has_no_delay_window() {
    let mut drive = Drive::new("compound", 100.0);
    drive.congest(Signal::Loss);
    drive.rounds(20);
    drive.congest(Signal::Timeout);
    drive.rounds_to(100.0);
    let before = drive.cwnd();
    drive.rtt = SECOND;
    drive.round();
    assert!(drive.cwnd() >= before, "there is no delay component left to decrease");
}
