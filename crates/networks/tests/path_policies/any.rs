//! What holds for all policies, whatever happens to paths and probes.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_networks::scion::policies::{
    BanditSettings, LowestRttSettings, PathId, PathInfo, PolicySettings, Turn,
};

use super::{path, random};

/// One of each kind.
fn policies() -> Vec<PolicySettings> {
    let probe_interval = Duration::from_millis(50);
    let bandit = BanditSettings { probe_interval, worst_rtt: Duration::from_millis(200) };
    let measured = LowestRttSettings {
        probe_interval,
        hysteresis: 0.1,
        probability: 0.5,
        hold: probe_interval,
        is_smoothed: true,
    };
    vec![
        PolicySettings::First,
        PolicySettings::LowestLatency,
        PolicySettings::Widest,
        PolicySettings::LowestRtt(measured),
        PolicySettings::LowestRtt(LowestRttSettings { is_smoothed: false, ..measured }),
        PolicySettings::RoundRobin(Turn::Packets(3)),
        PolicySettings::RoundRobin(Turn::Time(probe_interval)),
        PolicySettings::EpsilonGreedy(bandit, 0.3),
        PolicySettings::Ucb1(bandit),
        PolicySettings::Exp3(bandit, 0.1),
        PolicySettings::Disjoint,
    ]
}

#[derive(Clone, Debug)]
enum Event {
    /// The paths are those of these numbers.
    Paths(Vec<u64>),
    /// So many packets are sent.
    Packets(u8),
    /// A probe of that path returns after so long, or was lost.
    Probe(u64, Option<u64>),
    /// Time passes, in microseconds.
    Wait(u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => btree_set(0..12_u64, 1..8).prop_map(|it| Event::Paths(it.into_iter().collect())),
        4 => (1..20_u8).prop_map(Event::Packets),
        4 => (0..12_u64, prop::option::of(0..1_000_000_u64))
            .prop_map(|(path, rtt)| Event::Probe(path, rtt)),
        3 => (0..100_000_u64).prop_map(Event::Wait),
    ]
}

/// A path whose properties follow from its number.
fn numbered(id: u64) -> PathInfo {
    let links: Vec<u16> = (0..=id / 4).map(|it| ((id * 7 + it * 3) % 9) as u16).collect();
    let bandwidth = Rate::from_bits_per_second(1 + (id * 5) % 7).expect("above zero");
    let latency = Duration::from_millis((id * 3) % 5);
    PathInfo { bandwidth, latency, ..path(id, &links) }
}

/// The paths that packets took.
fn taken(settings: &PolicySettings, events: &[Event]) -> Vec<PathId> {
    let (mut policy, mut random) = (settings.policy(1, 2), random("any"));
    let (mut paths, mut current) = (vec![numbered(0)], None::<PathId>);
    let (mut now, mut taken) = (Time::ZERO, Vec::new());
    for event in events {
        match event {
            Event::Paths(ids) => paths = ids.iter().map(|it| numbered(*it)).collect(),
            Event::Wait(time) => now += Duration::from_micros(*time),
            Event::Probe(id, rtt) => {
                let rtt = rtt.map(Duration::from_micros);
                let Some(path) = paths.iter_mut().find(|it| it.id.0 == *id) else { continue };
                path.rtt = rtt.or(path.rtt);
                policy.on_probe(now, path, rtt);
            }
            Event::Packets(count) => {
                for _ in 0..*count {
                    let place = current.and_then(|it| paths.iter().position(|path| path.id == it));
                    let chosen = policy.select(now, &paths, place, &mut random);
                    assert!(chosen < paths.len(), "{}: {chosen}", settings.name());
                    current = Some(paths[chosen].id);
                    taken.push(paths[chosen].id);
                }
            }
        }
    }
    taken
}

proptest! {
    /// The place is always one of a path, and the same random stream gives the same places.
    #[test]
    fn a_policy_chooses_one_of_the_paths_and_always_the_same(events in vec(event(), 0..150)) {
        for settings in policies() {
            prop_assert_eq!(taken(&settings, &events), taken(&settings, &events));
        }
    }
}
