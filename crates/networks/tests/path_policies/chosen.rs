//! Policies that measure nothing.

use windtunnel_engine::{Duration, Rate};
use windtunnel_networks::scion::policies::{PathInfo, PolicySettings, Turn};

use super::{at, paths, random};

/// The places that a policy chooses for packets at these times.
fn choices(settings: &PolicySettings, paths: &[PathInfo], times: &[u64]) -> Vec<usize> {
    let (mut policy, mut random) = (settings.policy(0, 1), random("choices"));
    let mut current = None;
    let mut choose = |time: &u64| {
        current = Some(policy.select(at(*time), paths, current, &mut random));
        current.expect("it was chosen")
    };
    times.iter().map(&mut choose).collect()
}

#[test]
fn each_takes_the_path_that_its_name_says() {
    let mut paths = paths(4);
    paths[2].latency = Duration::from_millis(3);
    paths[3].latency = Duration::from_millis(3);
    paths[1].bandwidth = Rate::from_bits_per_second(5_000_000).expect("above zero");
    for (settings, place) in [
        (PolicySettings::First, 0),
        (PolicySettings::LowestLatency, 2),
        (PolicySettings::Widest, 1),
    ] {
        assert_eq!(choices(&settings, &paths, &[0, 1]), [place; 2], "{}", settings.name());
    }
}

#[test]
fn turns_last_for_so_many_packets() {
    let settings = PolicySettings::RoundRobin(Turn::Packets(2));
    assert_eq!(choices(&settings, &paths(3), &[0; 8]), [0, 0, 1, 1, 2, 2, 0, 0]);
}

#[test]
fn turns_last_for_so_long() {
    let settings = PolicySettings::RoundRobin(Turn::Time(Duration::from_millis(10)));
    let chosen = choices(&settings, &paths(3), &[0, 9, 10, 19, 25, 30, 100]);
    assert_eq!(chosen, [0, 0, 1, 1, 2, 2, 0]);
}
