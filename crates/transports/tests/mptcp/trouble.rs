//! Paths that fail, and come back.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::multipath::Multipath;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::mptcp::{MultipathSettings, PathChange, PathState};

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
        of_tcp.buffers.receive = Some(60_000);
        let mut it = settings(of_tcp, "lowest-rtt", 2);
        it.options.opportunistic_retransmission = opportunistic;
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

/// Settings with these changes of its paths.
fn changing(name: &str, count: u8, changes: &[(u64, usize, PathState)]) -> MultipathSettings {
    let mut it = settings(tcp("cubic"), name, count);
    let change =
        |&(time, path, state): &(u64, usize, PathState)| PathChange { at: at(time), path, state };
    it.changes = changes.iter().map(change).collect();
    it
}

/// What a path held when it was removed under load goes over the other, once, and from then on
/// nothing goes there; the other has its rate.
#[test]
fn a_subflow_that_is_removed_under_load_leaves_the_other() {
    for path_removed in [0, 1] {
        let it = changing("lowest-rtt", 2, &[(3_000, path_removed, PathState::Removed)]);
        let mut paths = Paths::new(it, vec![path(8, 10, 40), path(8, 10, 40)]);
        paths.open(0, u64::MAX);
        paths.run_until(at(3_000));
        let held = paths.ends[0].in_flight() * SEGMENT;
        let rate = paths.megabits(4_000, 10_000) / (8.0 * 1420.0 / 1500.0);
        assert!((0.97..1.01).contains(&rate), "{rate}");
        let again = paths.ends[0].multipath_counters().reinjected_bytes;
        assert!(again > 0 && again <= held, "{again} of {held}");
        let late = paths.sent.iter().filter(|it| it.0 > at(3_200) && it.2 == path_removed);
        assert_eq!(late.count(), 0);
        let resets = paths.sent.iter().filter(|it| it.3.flags.has(Flags::RST)).count();
        assert!(resets >= 1, "no reset");
        let removals = paths.sent.iter().filter_map(|it| Some((it.2, it.3.multipath()?)));
        let removals: Vec<_> =
            removals.filter(|it| matches!(it.1, Multipath::RemoveAddress { .. })).collect();
        let address = path_removed as u8;
        assert_eq!(removals, [(1 - path_removed, Multipath::RemoveAddress { address })]);
    }
}

/// The reset is lost, and the other end sends on: each of its segments is answered by another
/// reset, or the withdrawn address says it before.
#[test]
fn a_reset_that_is_lost_is_sent_again() {
    let it = changing("lowest-rtt", 2, &[(3_000, 1, PathState::Removed)]);
    let shapes = vec![path(8, 10, 40), path(8, 10, 40)];
    let mut lost = false;
    let mut paths = Paths::new(it, shapes).with(move |_, _, _, segment| {
        let removes = matches!(segment.multipath(), Some(Multipath::RemoveAddress { .. }));
        let first = segment.flags.has(Flags::RST) && !std::mem::replace(&mut lost, true);
        !removes && !first
    });
    paths.open(1, u64::MAX);
    paths.run_until(at(10_000));
    let resets = paths.sent.iter().filter(|it| it.3.flags.has(Flags::RST)).count();
    assert!(resets > 1, "{resets}");
    let late = paths.sent.iter().filter(|it| it.0 > at(3_200) && it.2 == 1).count();
    assert_eq!(late, 0);
}

/// MP_PRIO: the path carries data only between the two changes.
#[test]
fn a_path_becomes_a_backup_and_is_none_again() {
    let changes = [(3_000, 1, PathState::Backup), (6_000, 1, PathState::Active)];
    for writer in [0, 1] {
        let it = changing("lowest-rtt", 2, &changes);
        let mut paths = Paths::new(it, vec![path(8, 10, 40), path(8, 10, 40)]);
        paths.open(writer, u64::MAX);
        paths.run_until(at(10_000));
        let data = |from, to| {
            let sent = paths.sent.iter().filter(|it| it.2 == 1 && it.3.length > 0);
            sent.filter(|it| (at(from)..at(to)).contains(&it.0)).count()
        };
        assert!(data(1_000, 3_000) > 500);
        assert_eq!(data(3_200, 6_000), 0);
        assert!(data(6_200, 10_000) > 1_000);
    }
}
