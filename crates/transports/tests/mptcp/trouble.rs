//! Paths that fail, and come back.

use windtunnel_engine::{Duration, Time};

use crate::paths::{Paths, SEGMENT, at, path, settings, tcp};

/// What is received in a second, from each on, in bytes.
fn by_second(paths: &mut Paths<'_>, seconds: u64) -> Vec<u64> {
    let mut last = paths.received(1);
    let each = |second: u64| {
        paths.run_until(Time::ZERO + Duration::from_secs(second + 1));
        let before = std::mem::replace(&mut last, paths.received(1));
        last - before
    };
    (0..seconds).map(each).collect()
}

#[test]
fn a_path_that_is_cut_leaves_the_rate_of_the_other_and_comes_back() {
    let it = settings(tcp("cubic"), "lowest-rtt", 2);
    let mut paths = Paths::new(it, vec![path(8, 10, 40), path(8, 10, 40)])
        .with(|now, path, _, _| path == 0 || !(at(10_000)..at(20_000)).contains(&now));
    paths.open(0, u64::MAX);
    let rates = by_second(&mut paths, 40);
    let one = 1e6 * SEGMENT as f64 / 1500.0;
    let mean = |from: usize, until: usize| {
        rates[from..until].iter().sum::<u64>() as f64 / (until - from) as f64
    };
    assert!(mean(3, 10) > 1.9 * one, "{rates:?}");
    // What was on the path is sent again after a timeout, and nothing stalls for long.
    assert!(rates[10..20].iter().all(|it| *it > 0), "{rates:?}");
    let during = mean(12, 20);
    assert!(during > 0.95 * one && during < 1.02 * one, "{rates:?}");
    // Its timeouts have doubled until about as long as it was cut.
    assert!(mean(34, 40) > 1.9 * one, "{rates:?}");
    let counters = paths.ends[0].multipath_counters();
    assert!(counters.reinjected_bytes > 0);
}

#[test]
fn what_a_dead_path_held_is_sent_again_once() {
    let it = settings(tcp("reno"), "lowest-rtt", 2);
    let mut paths = Paths::new(it, vec![path(8, 10, 40), path(8, 10, 40)])
        .with(|now, path, _, _| path == 0 || now < at(3_000));
    paths.open(0, u64::MAX);
    paths.run_until(at(3_000));
    let held = paths.ends[0].in_flight() * SEGMENT;
    paths.run_until(at(60_000));
    let again = paths.ends[0].multipath_counters().reinjected_bytes;
    assert!(again > 0 && again <= held, "{again} of {held}");
}

#[test]
fn when_all_paths_are_dead_the_connection_waits_and_goes_on() {
    let it = settings(tcp("cubic"), "lowest-rtt", 2);
    let mut paths = Paths::new(it, vec![path(8, 10, 40), path(8, 10, 40)])
        .with(|now, _, _, _| !(at(5_000)..at(8_000)).contains(&now));
    paths.open(0, u64::MAX);
    let rates = by_second(&mut paths, 20);
    assert_eq!(rates[6], 0);
    assert!(rates[15..].iter().all(|it| *it > 1_500_000), "{rates:?}");
}

/// The slow path holds what the window waits for: it goes again on the fast one, and the slow
/// one is penalised. Without that, less gets through.
#[test]
fn what_blocks_the_window_goes_again_on_the_faster_path() {
    let rate = |opportunistic| {
        let mut of_tcp = tcp("cubic");
        of_tcp.receive_buffer = windtunnel_transports::tcp::BufferLimits::fixed(60_000);
        let mut it = settings(of_tcp, "lowest-rtt", 2);
        it.opportunistic_retransmission = opportunistic;
        let mut paths = Paths::new(it, vec![path(10, 5, 30), path(1, 100, 30)]);
        paths.open(0, u64::MAX);
        let rate = paths.megabits(5_000, 30_000);
        (rate, *paths.ends[0].multipath_counters())
    };
    let ((with, counters), (without, none)) = (rate(true), rate(false));
    assert!(with > 1.2 * without, "{with} and {without}");
    assert!(counters.penalties > 0 && counters.reinjected_bytes > 0);
    assert_eq!((none.penalties, none.reinjected_bytes), (0, 0));
}
