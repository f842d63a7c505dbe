//! BBR, version 1, against what its draft promises.

use crate::drive::{SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::{Congestion, Controller, Nanoseconds, Signal};

/// 10,000 packets a second over 40 ms: a BDP of 400 packets.
const RATE: u64 = 10_000;
const BASE: Nanoseconds = SECOND / 25;
const BDP: f64 = 400.0;
/// The quanta on top of the window, in packets: three milliseconds of startup's rate.
const QUANTA: f64 = 3.0 * 28.85;

fn path(treatment: Treatment) -> Path {
    Path::new(RATE, 1e9, treatment).flow("bbr1", BASE, 0, &[])
}

/// When something first holds, looking each millisecond.
fn when(path: &mut Path, holds: impl Fn(&Path) -> bool) -> Nanoseconds {
    while !holds(path) {
        path.run_until(path.now + SECOND / 1000);
        assert!(path.now < 100 * SECOND, "it never does");
    }
    path.now
}

#[test]
fn bbr1_startup_leaves_less_than_two_bdps_in_the_queue() {
    let most = path(Treatment::Nothing).watch(SECOND).most;
    assert!(most > 1.5 * BDP && most <= 1.885 * BDP + QUANTA + 10.0, "{most}");
}

/// From `1.885 BDP` at a pacing gain of 1/2.885: 2.89 round trips. Quanta and
/// the last packets in flight at the higher rate add to it.
#[test]
fn bbr1_drains_startups_queue_in_three_round_trips() {
    let mut path = path(Treatment::Nothing);
    let full = when(&mut path, |it| it.queue() > 1.8 * BDP);
    let draining = when(&mut path, |it| it.now > full + SECOND / 10 && it.queue() < 1.8 * BDP);
    let drained = when(&mut path, |it| it.queue() < 0.1 * BDP);
    let round_trips = (drained - draining) as f64 / BASE as f64;
    assert!((2.0..=3.5).contains(&round_trips), "{round_trips} round trips");
}

/// Every 10 s, for 200 ms and the round trips there and back: about 2 %.
#[test]
fn bbr1_probes_for_the_round_trip_every_ten_seconds_at_little_cost() {
    let mut path = path(Treatment::Nothing);
    let at_four = |it: &Path| it.cwnd(0) == 4.0;
    let first = when(&mut path, at_four);
    when(&mut path, |it| !at_four(it));
    let second = when(&mut path, at_four);
    close((second - first) as f64, 10.0 * SECOND as f64, 0.05);
    let cost = 1.0 - path.watch(40 * SECOND).rate() / RATE as f64;
    assert!(cost > 0.015 && cost < (0.2 + 2.0 * 0.04) / 10.0, "{cost}");
}

#[test]
fn bbr1_keeps_a_small_queue_and_a_busy_link() {
    let mut path = path(Treatment::Nothing);
    path.run_until(2 * SECOND);
    let watched = path.watch(8 * SECOND);
    close(watched.rate(), RATE as f64, 0.01);
    assert!(watched.mean < 0.25 * BDP && watched.most < 0.5 * BDP, "{}", watched.mean);
}

/// Until the loss eats what probing adds: 1 - 1/1.25.
#[test]
fn bbr1_takes_random_loss_for_nothing() {
    for share in [0.001, 0.01, 0.05, 0.1] {
        let mut path = path(Treatment::Lose(share));
        path.run_until(2 * SECOND);
        close(path.watch(7 * SECOND).rate(), (1.0 - share) * RATE as f64, 0.02);
    }
}

#[test]
fn bbr1_over_a_longer_round_trip_gets_more() {
    let mut path = Path::new(RATE, 1e9, Treatment::Nothing)
        .flow("bbr1", SECOND / 100, 0, &[])
        .flow("bbr1", SECOND / 20, 0, &[]);
    path.run_until(20 * SECOND);
    let watched = path.watch(40 * SECOND);
    assert!(watched.rates[1] > 1.5 * watched.rates[0], "{:?}", watched.rates);
}

/// A policer has no queue: what comes too fast is lost, and so would be what
/// every fourth round trip of probing adds. Its rate is trusted for 48 rounds.
#[test]
fn bbr1_finds_a_policers_rate_and_keeps_to_it_for_48_rounds() {
    let police = Treatment::Police(RATE as f64, 10.0 * BDP);
    let mut path = Path::new(10 * RATE, 1e9, police).flow("bbr1", BASE, 0, &[]);
    path.run_until(SECOND);
    let lost = path.flows[0].lost;
    close(path.watch(40 * BASE).rate(), 0.99 * RATE as f64, 0.01);
    assert_eq!(path.flows[0].lost, lost);
    path.run_until(path.now + 30 * BASE);
    assert!(path.flows[0].lost > lost, "the trust never ends");
}

#[test]
fn bbr1_after_a_timeout_starts_from_one_segment_and_returns_to_its_window() {
    let mut path = path(Treatment::Nothing);
    path.run_until(2 * SECOND);
    let before = path.cwnd(0);
    let controller = &mut path.flows[0].controller;
    let timeout = Congestion { now: 2 * SECOND, signal: Signal::Timeout, in_flight: 0.0 };
    controller.on_congestion(&timeout);
    assert_eq!(controller.cwnd(), 1.0);
    controller.on_recovered(3 * SECOND);
    assert_eq!(controller.cwnd(), before);
}

/// By a quarter every eight round trips: `ln 10 / ln 1.25` cycles.
#[test]
fn bbr1_finds_ten_times_the_bandwidth_in_eleven_cycles() {
    let mut path = path(Treatment::Nothing);
    path.set_rate(RATE / 10);
    path.run_until(3 * SECOND);
    path.set_rate(RATE);
    path.run_until(path.now + 11 * 8 * BASE);
    let rate = path.watch(10 * BASE).rate();
    assert!(rate > 0.9 * RATE as f64, "{rate}");
}
