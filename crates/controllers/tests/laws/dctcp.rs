//! DCTCP against RFC 8257 and the paper's model.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::{Acknowledgement, Controller, Signal, Value};

/// A round trip of `marked` segments among `delivered`.
fn round(drive: &mut Drive, delivered: f64, marked: f64) {
    drive.controller.on_acknowledgement(&Acknowledgement {
        now: drive.now,
        delivered,
        marked,
        round_ended: true,
        ..Acknowledgement::default()
    });
}

/// `alpha = (1 - g) alpha + g F`, and a mark takes `alpha / 2` of the window.
#[test]
fn dctcp_gives_up_half_the_mean_share_of_marks() {
    for shares in [&[0.0; 20] as &[f64], &[0.5; 7], &[0.0, 1.0, 0.25]] {
        let mut drive = Drive::after_loss("dctcp", 2000.0, &[]);
        let mut alpha = 1.0;
        for share in shares {
            round(&mut drive, 100.0, 100.0 * share);
            alpha += (share - alpha) / 16.0;
        }
        round(&mut drive, 0.0, 0.0);
        drive.congest(Signal::Mark);
        close(drive.cwnd(), 1000.0 * (1.0 - alpha / 2.0), 1e-12);
    }
}

#[test]
fn dctcp_halves_on_loss_whatever_the_marks_say() {
    let mut drive = Drive::after_loss("dctcp", 2000.0, &[]);
    for _ in 0..50 {
        round(&mut drive, 100.0, 0.0);
    }
    drive.congest(Signal::Loss);
    assert_eq!(drive.cwnd(), 500.0);
}

/// As Linux: what a mark takes is rounded down, and by few marks it is nothing.
#[test]
fn of_whole_segments_a_mark_takes_whole_ones() {
    let whole = ("window", Value::Choice("whole-segments"));
    for (window, share, kept) in
        [(10.0, 1.0, 5.0), (9.0, 1.0, 5.0), (15.0, 0.125, 15.0), (16.0, 0.125, 15.0)]
    {
        let mut drive =
            Drive::after_loss("dctcp", 2.0 * window, &[whole, ("g", Value::Number(1.0))]);
        round(&mut drive, 100.0, 100.0 * share);
        round(&mut drive, 0.0, 0.0);
        drive.congest(Signal::Mark);
        close(drive.cwnd(), kept, 1e-12);
    }
}

/// Alizadeh et al., section 3.3: with `W = (C T + K) / N` and `alpha = sqrt(2 / W)`
/// the queue swings by `N (W + 1) alpha / 2` below `K + N`.
#[test]
fn dctcp_has_the_papers_queue() {
    let (rate, base, threshold, flows) = (833_333, SECOND / 10_000, 65.0, 2.0);
    let mut path = Path::new(rate, 1e9, Treatment::MarkAbove(threshold))
        .flow("dctcp", base, 0, &[])
        .flow("dctcp", base, 0, &[]);
    path.run_until(SECOND / 5);
    let watched = path.watch(SECOND / 5);
    let window = (rate as f64 * 1e-4 + threshold) / flows;
    let swing = flows * (window + 1.0) * f64::sqrt(2.0 / window) / 2.0;
    close(watched.most - watched.least, swing, 0.1);
    assert!((watched.most - (threshold + flows)).abs() <= 1.0, "{}", watched.most);
    close(watched.rate(), rate as f64, 0.001);
    assert!(watched.jain() > 0.999);
}

/// A mark costs `w p / 2` and a round trip without growth; then the window grows
/// by `1 / w` for each of the `1 / p` segments until the next: `w = sqrt(2) / p`.
#[test]
fn dctcp_under_random_marks_is_inverse_to_their_share() {
    for share in [0.01, 0.02, 0.05] {
        let mut path = Path::new(1_000_000, 1e9, Treatment::Mark(share));
        path = path.flow("dctcp", SECOND / 20, 0, &[]);
        path.run_until(50 * SECOND);
        let window = path.watch(500 * SECOND).rate() / 20.0;
        close(window * share, f64::sqrt(2.0), 0.06);
    }
}
