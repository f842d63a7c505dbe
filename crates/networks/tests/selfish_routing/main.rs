//! Selfish routing: what becomes of a network whose hosts all choose the path that is best for
//! themselves (Wardrop 1952; Roughgarden and Tardos, "How bad is selfish routing?", J. ACM 2002).

mod equilibria;
mod game;
mod oscillation;

use windtunnel_engine::Duration;
use windtunnel_networks::scion::policies::{BanditSettings, LowestRttSettings, PolicySettings};

use game::{Latency, Network, ROUND};

/// The lowest round trip of the last round: a share `moving` of those who gain more than the
/// hysteresis by it switches.
fn lowest_rtt(moving: f64, hysteresis: f64) -> PolicySettings {
    PolicySettings::LowestRtt(LowestRttSettings {
        probe_interval: ROUND,
        hysteresis,
        probability: moving,
        hold: Duration::ZERO,
        is_smoothed: false,
    })
}

fn bandit() -> BanditSettings {
    BanditSettings { probe_interval: ROUND, worst_rtt: game::UNIT * 2 }
}

fn constant(latency: f64) -> Latency {
    Box::new(move |_| latency)
}

/// The load to that power.
fn power(degree: i32) -> Latency {
    Box::new(move |load| load.powi(degree))
}

/// The time in an M/M/1 queue of that capacity; a thousand when it is overloaded.
fn queue(capacity: f64) -> Latency {
    Box::new(move |load| if load < capacity { (1.0 / (capacity - load)).min(1e3) } else { 1e3 })
}

/// Pigou's network (1920): a link of latency 1, and one of the load to that power.
fn pigou(degree: i32) -> Network {
    parallel(vec![constant(1.0), power(degree)], 1.0)
}

/// Links side by side.
fn parallel(links: Vec<Latency>, demand: f64) -> Network {
    let paths = (0..links.len()).map(|it| vec![it]).collect();
    Network { links, paths, demand }
}

/// Braess' network (1968): from s by v or w to t; the links from s to v and from w to t have the
/// load as latency, the two others 1, and one of latency 0 may lead from v to w.
fn braess(has_shortcut: bool) -> Network {
    let links = vec![power(1), constant(1.0), constant(1.0), power(1), constant(0.0)];
    let mut paths = vec![vec![0, 1], vec![2, 3]];
    if has_shortcut {
        paths.push(vec![0, 4, 3]);
    }
    Network { links, paths, demand: 1.0 }
}

/// Two links whose latencies are their loads.
fn two_equal() -> Network {
    parallel(vec![power(1), power(1)], 1.0)
}
