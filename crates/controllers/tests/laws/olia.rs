//! OLIA against the rules of what moves its window between paths.

use crate::coupled::{increase, informed, subflow};
use crate::drive::close;
use windtunnel_controllers::{Controller, Sibling};

fn path(cwnd: f64, rtt: u64, between_losses: f64) -> Sibling {
    Sibling { between_losses, ..subflow(cwnd, rtt) }
}

/// What is added beside the linked increase, times the window: `e`.
fn shift(own: &Sibling, others: &[Sibling]) -> f64 {
    let rtt = |it: &Sibling| it.smoothed_rtt.expect("a round trip") as f64;
    let rates: f64 = others.iter().chain([own]).map(|it| it.cwnd / rtt(it)).sum();
    let linked = own.cwnd / rtt(own).powi(2) / rates.powi(2);
    (increase("olia", own, others) - linked) * own.cwnd
}

#[track_caller]
fn shifts(paths: &[Sibling], expected: &[f64]) {
    for (index, expected) in expected.iter().enumerate() {
        let others: Vec<_> = [&paths[..index], &paths[index + 1..]].concat();
        let measured = shift(&paths[index], &others);
        assert!((measured - expected).abs() < 1e-9, "{measured} on path {index}");
    }
}

/// The best paths gain what the largest lose: `1/n` in all, shared among each.
#[test]
fn olia_moves_its_window_from_the_largest_paths_to_the_best() {
    let (large, small, best) = (path(40.0, 50, 10.0), path(20.0, 50, 10.0), path(20.0, 50, 90.0));
    shifts(&[large, best], &[-0.5, 0.5]);
    shifts(&[large, small, best], &[-1.0 / 3.0, 0.0, 1.0 / 3.0]);
    shifts(&[large, large, best], &[-1.0 / 6.0, -1.0 / 6.0, 1.0 / 3.0]);
    shifts(&[large, best, best, small], &[-0.25, 0.125, 0.125, 0.0]);
    shifts(&[path(40.0, 50, 90.0), small], &[0.0, 0.0]);
    // A best path that is a largest one neither gains nor keeps the others from it.
    shifts(&[path(40.0, 50, 90.0), best], &[-0.5, 0.5]);
}

/// `l / T^2`: twice the round trip needs four times the segments between losses.
#[test]
fn olias_best_path_delivers_most_between_losses_for_the_square_of_its_round_trip() {
    shifts(&[path(40.0, 50, 10.0), path(20.0, 100, 41.0)], &[-0.5, 0.5]);
    shifts(&[path(40.0, 50, 10.0), path(20.0, 100, 39.0)], &[0.0, 0.0]);
}

/// During loss recovery the window is not yet what it will be.
#[test]
fn olia_takes_the_threshold_for_the_window_during_recovery() {
    let recovering = Sibling { recovering: true, ssthresh: 15.0, ..path(40.0, 50, 10.0) };
    shifts(&[path(20.0, 50, 90.0), recovering], &[0.0]);
    let recovering = Sibling { ssthresh: 25.0, ..recovering };
    shifts(&[path(20.0, 50, 90.0), recovering], &[0.5]);
}

/// Slow start would add a segment for each acknowledged one.
#[test]
fn olia_decreases_without_a_return_to_slow_start() {
    let (large, best) = (path(40.0, 500, 1.0), path(20.0, 50, 90.0));
    let mut drive = informed("olia", &large, &[best], &[]);
    let mut before = drive.cwnd();
    for _ in 0..100 {
        drive.acknowledge(1.0);
        assert!(drive.cwnd() < before && drive.cwnd() > before - 0.02, "{}", drive.cwnd());
        before = drive.cwnd();
    }
    close(drive.controller.ssthresh(), drive.cwnd(), 1e-12);
}
