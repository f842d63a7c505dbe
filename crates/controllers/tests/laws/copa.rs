//! Copa against its paper.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::{Acknowledgement, Controller, Signal, Value};

const ALONE: [(&str, Value<'_>); 1] = [("competitive", Value::Flag(false))];
const BASE: u64 = SECOND / 20;

/// Section 3: with `1/delta = 2`, each connection's queue has a mean of 2.5
/// segments and swings between none and 5.
#[test]
fn copa_keeps_a_few_segments_in_the_queue_and_empties_it_each_cycle() {
    for flows in [1_u32, 2, 4] {
        let mut path = Path::new(1000, 1e9, Treatment::Nothing);
        for index in 0..flows {
            path = path.flow("copa", BASE, u64::from(index) * SECOND, &ALONE);
        }
        path.run_until(20 * SECOND);
        let watched = path.watch(20 * SECOND);
        let flows = f64::from(flows);
        assert!(
            (1.25 * flows..=3.75 * flows + 1.0).contains(&watched.mean),
            "{} of {flows}",
            watched.mean
        );
        assert!(watched.most <= 7.5 * flows + 1.0, "{}", watched.most);
        assert!(watched.rate() > 980.0);
        assert!(watched.jain() > 0.99, "{:?}", watched.rates);
        for _ in 0..20 {
            // Two cycles of five round trips.
            assert!(path.watch(SECOND / 2).least <= 2.0);
        }
    }
}

#[test]
fn copa_shares_alike_whatever_the_round_trip() {
    let mut path = Path::new(1000, 1e9, Treatment::Nothing)
        .flow("copa", SECOND / 50, 0, &ALONE)
        .flow("copa", SECOND / 10, SECOND, &ALONE);
    path.run_until(30 * SECOND);
    let watched = path.watch(60 * SECOND);
    assert!(watched.jain() > 0.9, "{:?}", watched.rates);
}

#[test]
fn copa_holds_its_own_beside_a_connection_that_fills_the_queue() {
    for (values, low, high) in [(&[] as &[_], 0.35, 0.75), (&ALONE, 0.0, 0.2)] {
        let mut path = Path::new(1000, 100.0, Treatment::Nothing)
            .flow("copa", BASE, 0, values)
            .flow("aimd", BASE, SECOND, &[]);
        path.run_until(20 * SECOND);
        let watched = path.watch(60 * SECOND);
        let share = watched.rates[0] / watched.rate();
        assert!((low..=high).contains(&share), "{share}");
    }
}

#[test]
fn copa_takes_random_loss_for_nothing() {
    let mut path = Path::new(1000, 1e9, Treatment::Lose(0.05)).flow("copa", BASE, 0, &ALONE);
    path.run_until(10 * SECOND);
    close(path.watch(20 * SECOND).rate(), 1000.0, 0.05);
}

/// A connection that has seen a round trip of 100 ms, and now sees one of 110 ms for good: with
/// 10 ms of queueing delay and a delta of 1/2 the target is 200 segments a second, a window of 22.
fn with_a_queue(window: f64, values: &[(&str, Value<'_>)]) -> Drive {
    let mut drive = Drive::with("copa", window, values);
    drive.show_round_trip(SECOND / 10);
    drive.now += SECOND;
    drive.rtt = 11 * SECOND / 100;
    drive
}

/// Section 2.1: the window grows by a segment for each until `w / T` is above
/// `1 / (delta dq)`, and then falls by `1 / (delta w)` for each.
#[test]
fn copa_leaves_slow_start_above_its_target() {
    let mut drive = with_a_queue(10.5, &ALONE);
    for window in 11..=22 {
        drive.acknowledge(1.0);
        close(drive.cwnd(), f64::from(window) + 0.5, 1e-6);
    }
    drive.acknowledge(1.0);
    close(drive.cwnd(), 22.5 - 2.0 / 22.5, 1e-6);
}

/// It then rises below the target and falls above it, by `v / delta` in a round trip.
#[test]
fn copa_moves_towards_its_target_by_the_reciprocal_of_delta() {
    for (delta, segments) in [(0.5, 2.0), (0.25, 4.0)] {
        let values = [ALONE[0], ("delta", Value::Number(delta))];
        let mut drive = with_a_queue(100.0, &values);
        close(drive.growth(), -segments, 1e-6);
        drive.now += SECOND;
        drive.rtt = SECOND / 10;
        let mut up = drive.clone();
        close(up.growth(), segments, 1e-6);
        // What the window does not limit does not raise it.
        let before = drive.cwnd();
        let rtt = Some(SECOND / 10);
        let (now, delivered, smoothed_rtt) = (drive.now, 1.0, rtt);
        let unlimited =
            Acknowledgement { now, delivered, rtt, smoothed_rtt, ..Acknowledgement::default() };
        drive.controller.on_acknowledgement(&unlimited);
        assert_eq!(drive.cwnd(), before);
    }
}

/// Section 2.2: once the direction has been the same for three round trips, the velocity doubles
/// with each; a change of direction makes it one again.
#[test]
fn copa_doubles_its_velocity_in_a_steady_direction_and_resets_it_in_another() {
    let mut drive = with_a_queue(1000.0, &ALONE);
    let change = |drive: &mut Drive, rtt| {
        drive.now += SECOND / 5;
        drive.rtt = rtt;
        let before = drive.cwnd();
        drive.begin_round();
        drive.acknowledge(before);
        drive.cwnd() - before
    };
    let long = 11 * SECOND / 100;
    let down: Vec<f64> = (0..7).map(|_| change(&mut drive, long)).collect();
    for (change, expected) in down.iter().zip([-2.0, -2.0, -2.0, -4.0, -8.0, -16.0, -32.0]) {
        close(*change, expected, 1e-6);
    }
    close(change(&mut drive, SECOND / 10), 2.0, 1e-6);
}

/// The authors' guard: more than 30 % lost of more than 20 segments over two round trips leaves
/// 70 % of the window.
#[test]
fn copa_yields_to_heavy_loss_alone() {
    for (delivered, lost, kept) in
        [(68.0, 32.0, 0.7), (72.0, 28.0, 1.0), (9.0, 10.0, 1.0), (11.0, 10.0, 0.7)]
    {
        let mut drive = with_a_queue(1000.0, &ALONE);
        // Without a sample it neither rises nor falls by more than a few segments.
        drive.acknowledge(1e-9);
        let mut round = |delivered, lost| {
            let now = drive.now;
            drive.controller.on_acknowledgement(&Acknowledgement {
                now,
                delivered,
                lost,
                round_ended: true,
                ..Acknowledgement::default()
            });
            drive.cwnd()
        };
        // The first round trip ends an observation, the third the one after.
        round(delivered / 2.0, lost / 2.0);
        round(delivered / 2.0, lost / 2.0);
        let before = round(0.0, 0.0);
        assert!((before / 1000.0 - kept).abs() < 0.01, "{before} after {lost} of {delivered}");
    }
}

/// In competition `1 / delta` grows by one a round trip, and halves on a loss; it is never less
/// than that of the default.
#[test]
fn copa_in_competition_keeps_a_segment_more_each_round_trip_and_half_after_a_loss() {
    let mut drive = with_a_queue(1000.0, &[]);
    // The queue was never nearly empty within five round trips.
    for step in 1..=20 {
        drive.now += SECOND / 10;
        drive.rtt = if step % 2 == 0 { 13 * SECOND / 100 } else { 15 * SECOND / 100 };
        drive.acknowledge(1.0);
    }
    let reciprocal = |drive: &Drive| {
        let mut copy = drive.clone();
        copy.growth().abs()
    };
    close(reciprocal(&drive), 2.0, 1e-6);
    for more in 1..=6 {
        drive.begin_round();
        drive.acknowledge(1.0);
        let velocity = f64::powi(2.0, (more - 2).max(0));
        close(reciprocal(&drive) / velocity, 2.0 + f64::from(more), 1e-6);
    }
    drive.congest(Signal::Loss);
    close(reciprocal(&drive), 4.0, 1e-6);
    (0..3).for_each(|_| drive.congest(Signal::Loss));
    close(reciprocal(&drive), 2.0, 1e-6);
}

#[test]
fn copa_after_a_timeout_starts_slowly_from_two_segments() {
    let mut drive = with_a_queue(1000.0, &ALONE);
    drive.acknowledge(1.0);
    drive.congest(Signal::Timeout);
    assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (2.0, f64::INFINITY));
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 3.0);
}

/// `2 w / T`, with the standing round trip: the minimum within half a smoothed one.
#[test]
fn copa_paces_at_two_windows_a_standing_round_trip() {
    let mut drive = with_a_queue(20.0, &ALONE);
    drive.acknowledge(1e-9);
    close(drive.controller.pacing_rate().expect("it paces"), 2.0 * 20.0 / 0.11, 1e-6);
    drive.now += SECOND / 20;
    drive.rtt = 12 * SECOND / 100;
    drive.acknowledge(1e-9);
    close(drive.controller.pacing_rate().expect("it paces"), 2.0 * 20.0 / 0.11, 1e-6);
    drive.now += SECOND / 50;
    drive.acknowledge(1e-9);
    close(drive.controller.pacing_rate().expect("it paces"), 2.0 * 20.0 / 0.12, 1e-6);
}

/// The minimum round trip is that of 10 s, or of 20 times itself on longer paths: one of 1 s is
/// known for 20 s.
#[test]
fn copa_remembers_the_minimum_round_trip_for_ten_seconds_or_twenty_times_itself() {
    for (base, age, falls) in
        [(100, 9, true), (100, 11, false), (1000, 19, true), (1000, 21, false)]
    {
        let mut drive = Drive::with("copa", 1000.0, &ALONE);
        drive.show_round_trip(base * SECOND / 1000);
        drive.now += age * SECOND;
        drive.rtt = 2 * base * SECOND / 1000;
        assert_eq!(drive.growth() < 0.0, falls, "{base} ms, {age} s ago");
    }
}
