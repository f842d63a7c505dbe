//! Veno against its closed forms.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Controller, Signal};

/// In avoidance at 100 segments, `queued` of them waiting.
fn with_backlog(queued: f64) -> Drive {
    let mut drive = Drive::after_loss("veno", 200.0, &[]);
    (0..3).for_each(|_| drive.show_round_trip(SECOND / 10));
    drive.rtt = (SECOND as f64 / 10.0 / (1.0 - queued / 100.0)) as u64;
    drive.show_round_trip(drive.rtt);
    drive
}

#[test]
fn veno_keeps_four_fifths_until_three_segments_wait() {
    for (queued, kept) in [(0.0, 0.8), (2.9, 0.8), (3.1, 0.5), (50.0, 0.5)] {
        for signal in [Signal::Loss, Signal::Mark] {
            let mut drive = with_backlog(queued);
            drive.congest(signal);
            close(drive.cwnd(), 100.0 * kept, 1e-9);
        }
    }
}

#[test]
fn veno_grows_half_as_fast_once_three_segments_wait() {
    for (queued, growth) in [(0.0, 1.0), (2.9, 1.0), (3.1, 0.5), (50.0, 0.5)] {
        close(with_backlog(queued).growth(), growth, 1e-9);
    }
}

/// A timeout is no random loss, and sampling starts again.
#[test]
fn veno_after_a_timeout_is_reno() {
    let mut drive = with_backlog(0.0);
    drive.congest(Signal::Timeout);
    close(drive.controller.ssthresh(), 50.0, 1e-9);
    close(drive.kept(), 0.5, 1e-12);
}

/// Losses without a queue: `w_mean = sqrt((2 - b) / (2 b p))` for `b` = 0.2, the
/// root of three times Reno's.
#[test]
fn veno_follows_its_law_for_random_losses() {
    for loss in [1e-3, 1e-4, 1e-5] {
        let saw = Drive::new("veno", 10.0).sawtooth(loss, 100);
        close(saw.mean, 2.1213 / f64::sqrt(loss), 0.03);
        close(saw.maximum, 2.357 / f64::sqrt(loss), 0.03);
    }
}
