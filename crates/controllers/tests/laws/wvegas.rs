//! wVegas against its equilibrium: ten segments in queues, shared by rate.

use crate::coupled::subflow;
use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::{Controller, Signal, Value};

const BASE: u64 = SECOND / 20;

fn path(values: &[(&str, Value<'_>)]) -> Path {
    Path::new(1000, 1e9, Treatment::Nothing).flow("wvegas", BASE, 0, values)
}

/// Beside the packet that is being sent; and one more or less, by which the window moves.
#[track_caller]
fn waiting(path: &mut Path, expected: f64) -> Vec<f64> {
    path.run_until(30 * SECOND);
    let watched = path.watch(30 * SECOND);
    assert!((watched.mean - 1.0 - expected).abs() <= 1.0, "{} segments wait", watched.mean);
    watched.rates
}

#[test]
fn wvegas_keeps_ten_segments_in_the_queue_of_one_path() {
    close(waiting(&mut path(&[]), 10.0)[0], 1000.0, 0.001);
}

#[test]
fn wvegas_keeps_ten_segments_in_a_queue_that_two_subflows_share() {
    let mut path = path(&[]).subflow().flow("wvegas", BASE, SECOND / 10, &[]).subflow();
    let rates = waiting(&mut path, 10.0);
    close(rates[0] + rates[1], 1000.0, 0.001);
    close(rates[0], rates[1], 0.15);
}

/// Five and five on paths alike, eight and two where one is four times as fast.
#[test]
fn wvegas_shares_ten_segments_between_two_queues_by_rate() {
    for (rate, first) in [(1000, 5.0), (250, 8.0)] {
        let path = path(&[]).subflow().flow("wvegas", BASE, SECOND / 10, &[]).subflow();
        let rates = waiting(&mut path.apart(rate), first);
        close(rates[0], 1000.0, 0.001);
        close(rates[1], rate as f64, 0.001);
    }
}

/// As soon as the window exceeds the 50 segments of the path by two, it is halved; slow start takes
/// it back to the first threshold and it grows by one again.
#[test]
fn wvegas_that_counts_every_round_for_the_drain_never_fills_its_share() {
    let mut path = path(&[("drain", Value::Choice("every-round"))]);
    path.run_until(30 * SECOND);
    let watched = path.watch(30 * SECOND);
    assert!(watched.most < 6.0, "{} segments wait", watched.most);
    assert!(watched.rate() < 900.0, "{} segments per second", watched.rate());
}

/// In congestion avoidance, with ten segments in the queue: 50 of them fill the path.
fn at_equilibrium() -> Drive {
    let mut drive = Drive::after_loss("wvegas", 80.0, &[]).on_path(BASE);
    (0..40).for_each(|_| drive.round_over(50.0, BASE));
    assert!((59.0..=61.0).contains(&drive.cwnd()), "{}", drive.cwnd());
    drive
}

#[test]
fn wvegas_moves_by_one_segment_a_round_trip_towards_its_share() {
    // Of 60 segments a twelfth waits, and then three thirteenths: 5 and 14.
    for (rtt, change) in [(BASE * 12 / 11, 5.0), (BASE * 13 / 10, -5.0)] {
        let mut drive = at_equilibrium();
        drive.rtt = rtt;
        drive.round();
        let before = drive.cwnd();
        drive.rounds(5);
        assert_eq!(drive.cwnd(), before + change);
    }
}

/// To `w Tb / 2T`; the threshold stays, so that slow start fills the path again.
#[test]
fn wvegas_drains_a_queue_that_has_doubled() {
    let drive = at_equilibrium();
    let threshold = drive.controller.ssthresh();
    // Another flow's queue: the delay beyond the base is a fifth of it, and becomes two fifths.
    let window = drive.cwnd();
    for (rtt, drains) in [(BASE * 138 / 100, false), (BASE * 142 / 100, true)] {
        let mut drive = drive.clone();
        drive.rtt = rtt;
        drive.round();
        drive.begin_round();
        drive.acknowledge(1e-9);
        if drains {
            let expected = window * BASE as f64 / (2.0 * rtt as f64);
            close(drive.cwnd(), expected, 0.03);
            assert!(drive.controller.ssthresh() >= threshold.min(window - 2.0));
            // The longer queue is what the next one is compared with.
            drive.rounds(2);
            for _ in 0..20 {
                let before = drive.cwnd();
                drive.round();
                assert!(drive.cwnd() >= before - 1.0, "{} after {before}", drive.cwnd());
            }
        } else {
            close(drive.cwnd(), window - 1.0, 0.03);
        }
    }
}

/// Its share is never less than two segments, however slow the path is beside the others.
#[test]
fn wvegas_keeps_two_segments_on_the_slowest_path() {
    let mut drive = Drive::after_loss("wvegas", 80.0, &[]).on_path(BASE);
    for _ in 0..80 {
        let own = subflow(drive.cwnd(), 50);
        drive.controller.on_siblings(&own, &[subflow(10_000.0, 50)]);
        drive.round_over(50.0, BASE);
    }
    assert!((52.0..=53.0).contains(&drive.cwnd()), "{}", drive.cwnd());
}

/// Out at `w Tb / T + 1`, in the round that follows the one that was slower.
#[test]
fn wvegas_leaves_slow_start_when_a_segment_stands_in_the_queue() {
    let mut drive = Drive::new("wvegas", 4.0);
    drive.rounds(3);
    assert_eq!(drive.cwnd(), 32.0);
    drive.rtt = drive.rtt * 11 / 10;
    drive.rounds(2);
    close(drive.controller.ssthresh(), 64.0 / 1.1 + 1.0, 1e-9);
}

/// Where there is no queue there is none to drain.
#[test]
fn wvegas_drains_no_empty_queue() {
    let values = [("drain", Value::Choice("every-round"))];
    let mut drive = Drive::after_loss("wvegas", 80.0, &values);
    drive.rounds(2);
    let before = drive.cwnd();
    drive.rounds(5);
    assert_eq!(drive.cwnd(), before + 5.0);
}

/// A round of fewer than three samples is no measurement, and the window grows like Reno's; while a
/// loss is repaired nothing is judged; and what was measured before it is discarded.
#[test]
fn wvegas_judges_rounds_of_three_samples_that_open_the_window() {
    for (samples, loss, acknowledged, change) in [
        (2, false, 5.0, 1.0),
        (3, false, 5.0, -1.0),
        (3, false, 0.0, 0.0),
        (2, false, 0.0, 0.0),
        (3, true, 5.0, 1.0),
    ] {
        let mut drive = at_equilibrium();
        drive.begin_round();
        drive.acknowledge(1e-12);
        drive.begin_round();
        // A queue of more than its share, but not twice that; after a loss as well.
        drive.rtt = if loss { BASE * 2 } else { BASE * 13 / 10 };
        (0..samples).for_each(|_| drive.acknowledge(1e-12));
        if loss {
            drive.congest(Signal::Loss);
        }
        let before = drive.cwnd();
        drive.begin_round();
        drive.acknowledge(acknowledged);
        let changed = drive.cwnd() - before;
        assert!((changed - change).abs() < 1e-9, "{changed} after {samples} samples");
    }
}
