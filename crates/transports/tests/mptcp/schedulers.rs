//! What each scheduler does, on whole connections.

use windtunnel_transports::mptcp::DESCRIPTIONS;

use crate::paths::{Paths, SEGMENT, at, path, settings, tcp};

#[test]
fn on_equal_paths_all_schedulers_but_the_redundant_one_have_the_same_goodput() {
    for it in DESCRIPTIONS {
        let mut paths = Paths::new(settings(tcp("cubic"), it.name, 2), vec![path(10, 20, 60); 2]);
        paths.open(0, u64::MAX);
        let share = paths.megabits(10_000, 30_000) / (20.0 * SEGMENT as f64 / 1500.0);
        let expected = if it.name == "redundant" { 0.5 } else { 1.0 };
        assert!((share / expected - 1.0).abs() < 0.03, "{}: {share}", it.name);
    }
}

#[test]
fn any_scheduler_carries_a_file_over_unequal_paths() {
    for it in DESCRIPTIONS {
        let shapes = vec![path(10, 5, 40), path(1, 100, 40), path(3, 20, 40)];
        let mut paths = Paths::new(settings(tcp("bbr1"), it.name, 3), shapes);
        paths.open(1, 1_000_000);
        paths.act(1, |it, now, outbox| it.close(now, outbox));
        paths.run_until(at(60_000));
        assert_eq!(paths.received(0), 1_000_000, "{}", it.name);
    }
}

/// The redundant one is as quick as the quickest path, whichever that is at the moment.
#[test]
fn the_redundant_one_takes_the_least_of_the_latencies() {
    let time = |name: &str, shapes: Vec<crate::paths::Shape>| {
        let count = shapes.len() as u8;
        let mut paths = Paths::new(settings(tcp("reno"), name, count), shapes);
        paths.open(0, 1_000);
        paths.run_until(at(3_000));
        paths.act(0, |it, now, outbox| it.write(now, 10 * SEGMENT, outbox));
        let mut until = 3_000;
        while paths.received(1) < 1_000 + 10 * SEGMENT {
            until += 1;
            paths.run_until(at(until));
        }
        until - 3_000
    };
    let quick = time("lowest-rtt", vec![path(10, 10, 100)]);
    let both = time("redundant", vec![path(10, 50, 100), path(10, 10, 100)]);
    let slow = time("lowest-rtt", vec![path(10, 50, 100)]);
    assert!(both <= quick + 1 && quick + 30 < slow, "{quick} {both} {slow} ms");
}

#[test]
fn round_robin_takes_turns_and_sticky_does_not() {
    let switches = |name| {
        let mut paths = Paths::new(settings(tcp("reno"), name, 2), vec![path(10, 20, 60); 2]);
        paths.open(0, 100);
        paths.run_until(at(1_000));
        // As many as fit one window.
        paths.act(0, |it, now, outbox| it.write(now, 10 * SEGMENT, outbox));
        paths.run_until(at(2_000));
        paths.ends[0].multipath_counters().switches
    };
    assert!(switches("round-robin") >= 9);
    assert!(switches("sticky") <= 1 && switches("lowest-rtt") <= 1);
}

/// The slow path's round trip is long, and the window small: those that estimate blocking
/// complete no later than the default.
#[test]
fn estimating_what_blocks_does_not_delay_a_download() {
    let time = |name: &str| {
        let mut of_tcp = tcp("cubic");
        of_tcp.buffers.receive = Some(50_000);
        let mut paths =
            Paths::new(settings(of_tcp, name, 2), vec![path(10, 5, 10), path(10, 50, 10)]);
        paths.open(0, 3_000_000);
        let mut until = 0;
        while paths.received(1) < 3_000_000 {
            until += 10;
            assert!(until < 60_000, "{name}");
            paths.run_until(at(until));
        }
        until as f64
    };
    let lowest = time("lowest-rtt");
    for name in ["blest", "ecf"] {
        assert!(time(name) <= 1.02 * lowest, "{name}: {} and {lowest} ms", time(name));
    }
}
