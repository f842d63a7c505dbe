//! PCON-BIC, step by step and by its bounds.

use crate::drive::{Drive, close};
use windtunnel_controllers::{Signal, Value};

fn acknowledge(drive: &mut Drive) -> f64 {
    drive.acknowledge(1.0);
    drive.cwnd()
}

/// Slow start to 14; there the first target, 0, costs a segment, and then
/// every round trip adds 16.
#[test]
fn pcon_bic_starts_slowly_and_then_adds_sixteen_a_round_trip() {
    let mut drive = Drive::new("pcon-bic", 1.0);
    let begun: Vec<f64> = (0..15).map(|_| acknowledge(&mut drive)).collect();
    assert_eq!(begun[..13], [2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14.]);
    assert_eq!(begun[13..], [13.0, 14.0]);
    close(acknowledge(&mut drive), 14.0 + 16.0 / 14.0, 1e-15);
    drive.rounds(20);
    let before = drive.cwnd();
    drive.round();
    close(drive.cwnd() - before, 16.0, 0.05);
}

/// No maximum was known, so the first loss at 40 aims at 30, between 20 and 40.
#[test]
fn pcon_bic_halves_the_gap_to_the_maximum() {
    let mut drive = Drive::after_loss("pcon-bic", 40.0, &[]);
    assert_eq!(drive.cwnd(), 20.0);
    let mut expected = 20.0;
    for target in [25.0, 25.125, 25.245_370_370_370_37] {
        expected += (target - expected) / expected;
        close(acknowledge(&mut drive), expected, 1e-14);
    }
    // Half the gap per round trip, acknowledgement by acknowledgement: e^(-1/2);
    // somewhat less, as the window grows within the round trip.
    let gap = 30.0 - drive.cwnd();
    drive.rounds(4);
    close(30.0 - drive.cwnd(), gap * f64::exp(-2.0), 0.1);
    assert!(drive.cwnd() < 30.0);
}

/// Beyond the maximum, 150, the steps are 1, 2, 4 and 8 segments per round trip,
/// each until that much is gained; then one segment steps back to the old
/// target, and 16 per round trip follow.
#[test]
fn pcon_bic_probes_beyond_the_maximum_with_doubling_steps() {
    let mut drive = Drive::after_loss("pcon-bic", 200.0, &[]);
    drive.rounds_to(149.9);
    let mut steps = vec![];
    while drive.cwnd() < 200.0 {
        let before = drive.cwnd();
        let step = ((acknowledge(&mut drive) - before) * before).round();
        if steps.last().is_none_or(|(last, _)| *last != step) {
            steps.push((step, before.floor()));
        }
    }
    let (sizes, begun): (Vec<f64>, Vec<f64>) = steps.into_iter().unzip();
    assert_eq!(sizes, [0.0, 1.0, 2.0, 4.0, 8.0, -15.0, 16.0]);
    assert_eq!(begun[1..5], [149.0, 151.0, 153.0, 157.0]);
}

/// Below a known maximum and beyond a forgotten one alike, a loss at `w` that
/// keeps `k` makes `(w + k) / 2` the maximum, and the next target lies between.
#[test]
fn pcon_bic_aims_at_a_quarter_of_what_it_lost() {
    for window in [165.0, 300.0] {
        let mut drive = Drive::after_loss("pcon-bic", 200.0, &[("beta", Value::Number(0.8))]);
        drive.rounds_to(window);
        let before = drive.cwnd();
        drive.congest(Signal::Mark);
        let kept = drive.cwnd();
        close(kept, 0.8 * before, 1e-12);
        drive.acknowledge(1.0);
        close(drive.cwnd(), kept + f64::min((before - kept) / 4.0, 16.0) / kept, 1e-12);
    }
}

#[test]
fn pcon_bic_is_reno_in_a_small_window() {
    let mut drive = Drive::after_loss("pcon-bic", 10.0, &[]);
    assert_eq!(drive.cwnd(), 5.0);
    assert_eq!(acknowledge(&mut drive), 5.2);
}

#[test]
fn pcon_bic_forgets_everything_at_a_timeout() {
    let mut drive = Drive::after_loss("pcon-bic", 40.0, &[]);
    drive.rounds(100);
    drive.congest(Signal::Timeout);
    let mut fresh = Drive::new("pcon-bic", 40.0);
    for _ in 0..1000 {
        assert_eq!(acknowledge(&mut drive), acknowledge(&mut fresh));
    }
}
