//! What beacons find, and which paths are made of that.

use proptest::prelude::*;
use windtunnel_networks::scion::{
    Beaconing, Combined, Known, Relation, ScionSettings, discover, paths,
};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::{IsdAs, Position};

use crate::network::{DELAY, links, systems, two_domains};

fn of(settings: &ScionSettings, known: &[Known], ends: [u32; 2]) -> Vec<Combined> {
    paths(settings, known, ends)
}

/// The nodes of a path, where each system has one.
fn nodes(settings: &ScionSettings, path: &Combined) -> Vec<u32> {
    let node = |it: IsdAs| settings.system(it).expect("there is such a one").control();
    path.systems().map(node).collect()
}

/// Whether each hop field of a path is right for its system, as routers check it on the way.
fn is_accepted(settings: &ScionSettings, combined: &Combined) -> bool {
    let path = &combined.path;
    let mut position = Position::first(path);
    let mut systems: Vec<IsdAs> = combined.systems().collect();
    systems.reverse();
    let mut is_first = true;
    loop {
        let Some(mut current) = position.current(path) else { return false };
        let Some(isd_as) = systems.pop() else { return false };
        let key = &settings.system(isd_as).expect("there is such a one").key;
        if !is_first && !current.info.is_forward && !current.is_peering {
            position.chain(&current.hop);
            current = position.current(path).expect("it is the same place");
        }
        is_first = false;
        if !key.is_right(current.info.segment_id, current.info.timestamp, &current.hop) {
            return false;
        }
        if current.is_last {
            return systems.is_empty();
        }
        if current.ends_section && !current.is_peering {
            position.advance(&current);
            current = position.current(path).expect("another segment follows");
            if !key.is_right(current.info.segment_id, current.info.timestamp, &current.hop) {
                return false;
            }
        }
        if current.info.is_forward && !current.is_peering {
            position.chain(&current.hop);
        }
        position.advance(&current);
    }
}

/// All valley-free paths from 0 to 8 of the two domains, by hand: up to either core system of
/// the own domain, over the core without loops, down from 6, over the peers 7 and 8 and 1 and 4
/// where a segment passes them.
#[test]
fn the_paths_between_two_domains_are_those_drawn_by_hand() {
    let settings = two_domains();
    let known = discover(&settings);
    let found = of(&settings, &known, [0, 8]);
    let mut found: Vec<Vec<u32>> = found.iter().map(|it| nodes(&settings, it)).collect();
    found.sort();
    let expected = [
        vec![0, 1, 2, 3, 6, 8],
        vec![0, 1, 2, 5, 6, 8],
        vec![0, 4, 3, 2, 5, 6, 8],
        vec![0, 4, 3, 6, 8],
    ];
    assert_eq!(found, expected);
    // Over the peers 7 and 8 only what goes to 7 itself and below; there is nothing below.
    let mut peers: Vec<Vec<u32>> =
        of(&settings, &known, [7, 8]).iter().map(|it| nodes(&settings, it)).collect();
    peers.sort();
    assert_eq!(peers, [vec![7, 5, 2, 3, 6, 8], vec![7, 5, 6, 8], vec![7, 8]]);
    // From 1 to 4: over the peering link, over 0's other parent never: 0 is below both.
    let mut peers: Vec<Vec<u32>> =
        of(&settings, &known, [1, 4]).iter().map(|it| nodes(&settings, it)).collect();
    peers.sort();
    assert_eq!(peers, [vec![1, 2, 3, 4], vec![1, 2, 5, 6, 3, 4], vec![1, 4]]);
    // To a system above, and back down: one segment alone.
    let above = of(&settings, &known, [0, 1]);
    assert!(above.iter().any(|it| nodes(&settings, it) == [0, 1]));
    let below = of(&settings, &known, [1, 0]);
    assert!(below.iter().any(|it| nodes(&settings, it) == [1, 0]));
}

/// Announced latencies add up to one delay for each link, bandwidth and MTU are those of the
/// links, the underlay's 28 bytes taken off.
#[test]
fn metadata_are_those_of_the_links() {
    let settings = two_domains();
    for path in of(&settings, &discover(&settings), [0, 8]) {
        let micros = DELAY.as_nanos() / 1000;
        assert_eq!(path.latency, micros * path.links() as u64);
        assert_eq!(path.bandwidth, Some(100_000));
        assert_eq!(path.mtu, 1472);
    }
}

/// A random network: core systems in a circle with chords, others below one or two of those
/// before them, some peers.
fn random() -> impl Strategy<Value = (ScionSettings, [u32; 2])> {
    let sizes = (2_u32..5, 1_u32..8);
    sizes.prop_flat_map(|(core, others)| {
        let parents = prop::collection::vec((any::<u32>(), any::<u32>()), others as usize);
        let peers = prop::collection::vec((any::<u32>(), any::<u32>()), 0..4);
        let ends = (any::<u32>(), any::<u32>());
        (Just(core), parents, peers, ends).prop_map(|(core, parents, peers, ends)| {
            let count = core + parents.len() as u32;
            let all = systems(count, &(0..core).collect::<Vec<_>>(), count);
            let mut joined = Vec::new();
            for a in 0..core {
                joined.extend((a + 1..core).map(|b| (a, b, Relation::Core)));
            }
            for (own, (a, b)) in (core..).zip(&parents) {
                joined.push((own, a % own, Relation::Parent));
                if b % own != a % own {
                    joined.push((own, b % own, Relation::Parent));
                }
            }
            for (a, b) in peers {
                let [a, b] = [a, b].map(|it| it % count);
                let is_known = joined.iter().any(|it| [(a, b), (b, a)].contains(&(it.0, it.1)));
                if a != b && !is_known {
                    joined.push((a, b, Relation::Peer));
                }
            }
            let from = ends.0 % count;
            let to = (from + 1 + ends.1 % (count - 1)) % count;
            let beaconing = Beaconing::default();
            let settings = ScionSettings::new(&all, &links(&joined), beaconing, IpVersion::V4);
            (settings, [from, to])
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Paths begin and end where they should, cross no system twice, none is there twice, every
    /// hop field on them is accepted, and so is every one on the way back. There are no more
    /// than up × core × down segments, and those across a common system or a peering link.
    #[test]
    fn paths_lead_from_end_to_end_without_loops((settings, [from, to]) in random()) {
        let known = discover(&settings);
        let found = of(&settings, &known, [from, to]);
        prop_assert!(!found.is_empty(), "all are below the core, which is joined");
        for (number, path) in found.iter().enumerate() {
            let crossed = nodes(&settings, path);
            prop_assert_eq!(crossed[0], from);
            prop_assert_eq!(crossed[crossed.len() - 1], to);
            let mut once = crossed.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), crossed.len());
            prop_assert!(found[..number].iter().all(|it| it.interfaces != path.interfaces));
            prop_assert!(is_accepted(&settings, path), "{:?}", crossed);
            prop_assert!(path.path.sections.len() <= 3);
        }
        let count = |system: u32| known[system as usize].beacons.segments().len().max(1);
        let core: usize = settings
            .systems
            .iter()
            .zip(&known)
            .filter(|it| it.0.is_core)
            .map(|it| it.1.beacons.segments().len())
            .sum();
        let most = count(from) * core.max(1) * count(to);
        let across = count(from) * count(to) * 100;
        prop_assert!(found.len() <= most + across);
    }

    /// Every path is valley-free: up, at most one time across peers, and down.
    #[test]
    fn paths_have_no_valleys((settings, ends) in random()) {
        let known = discover(&settings);
        for path in of(&settings, &known, ends) {
            let steps: Vec<Relation> = path
                .interfaces
                .iter()
                .step_by(2)
                .map(|(isd_as, number)| {
                    let system = settings.system(*isd_as).expect("there is such a one");
                    system.interface(*number).expect("it has such an interface").relation
                })
                .collect();
            let rank = |it: &Relation| match it {
                Relation::Parent => 0,
                Relation::Core | Relation::Peer => 1,
                Relation::Child => 2,
            };
            prop_assert!(steps.is_sorted_by_key(rank), "{:?}", steps);
            let peers = steps.iter().filter(|it| **it == Relation::Peer).count();
            let core = steps.iter().filter(|it| **it == Relation::Core).count();
            prop_assert!(peers <= 1 && (peers == 0 || core == 0), "{:?}", steps);
        }
    }
}

/// The nodes of all paths between two systems, each of whose hop fields routers accept.
fn drawn(settings: &ScionSettings, ends: [u32; 2]) -> Vec<Vec<u32>> {
    let found = of(settings, &discover(settings), ends);
    assert!(found.iter().all(|it| is_accepted(settings, it)));
    let mut found: Vec<Vec<u32>> = found.iter().map(|it| nodes(settings, it)).collect();
    found.sort();
    found
}

/// Peering links exist between any two systems, in the core or not
/// (draft-dekater-scion-controlplane, section 1.2): here between 0, below the core system 1, and
/// the core system 2 of another isolation domain, below which 3 is.
#[test]
fn a_core_system_may_be_a_peer() {
    let joined = links(&[
        (0, 1, Relation::Parent),
        (1, 2, Relation::Core),
        (0, 2, Relation::Peer),
        (3, 2, Relation::Parent),
    ]);
    let all = systems(4, &[1, 2], 2);
    let settings = ScionSettings::new(&all, &joined, Beaconing::default(), IpVersion::V4);
    assert_eq!(drawn(&settings, [0, 2]), [vec![0, 1, 2], vec![0, 2]]);
    assert_eq!(drawn(&settings, [2, 0]), [vec![2, 0], vec![2, 1, 0]]);
    assert_eq!(drawn(&settings, [0, 3]), [vec![0, 1, 2, 3], vec![0, 2, 3]]);
    assert_eq!(drawn(&settings, [3, 0]), [vec![3, 2, 0], vec![3, 2, 1, 0]]);
    // The link is for what is below its ends: 1 is above 0.
    assert_eq!(drawn(&settings, [1, 2]), [[1, 2]]);
    let direct = of(&settings, &discover(&settings), [0, 2]);
    let micros = DELAY.as_nanos() / 1000;
    assert_eq!((direct[0].latency, direct[0].mtu), (micros, 1472));
}

/// Peers 1 and 2 are both in the core, which also joins them by 3.
#[test]
fn two_core_systems_may_be_peers() {
    let joined = links(&[
        (0, 1, Relation::Parent),
        (1, 3, Relation::Core),
        (3, 2, Relation::Core),
        (1, 2, Relation::Peer),
    ]);
    let all = systems(4, &[1, 2, 3], 2);
    let settings = ScionSettings::new(&all, &joined, Beaconing::default(), IpVersion::V4);
    assert_eq!(drawn(&settings, [1, 2]), [vec![1, 2], vec![1, 3, 2]]);
    assert_eq!(drawn(&settings, [0, 2]), [vec![0, 1, 2], vec![0, 1, 3, 2]]);
    assert_eq!(drawn(&settings, [2, 0]), [vec![2, 1, 0], vec![2, 3, 1, 0]]);
    assert_eq!(drawn(&settings, [0, 3]), [[0, 1, 3]]);
}

/// Beacons pass at most this many systems, and this many segments are registered.
#[test]
fn beacons_are_limited_in_length_and_number() {
    // A ladder of parents: 2^5 ways up from the last.
    let mut joined = vec![(1, 0, Relation::Parent), (2, 0, Relation::Parent)];
    for rung in 0..4 {
        let [a, b] = [1 + 2 * rung, 2 + 2 * rung];
        for own in [a + 2, b + 2] {
            joined.extend([(own, a, Relation::Parent), (own, b, Relation::Parent)]);
        }
    }
    let all = systems(11, &[0], 11);
    let with = |beaconing| ScionSettings::new(&all, &links(&joined), beaconing, IpVersion::V4);
    let count = |settings: &ScionSettings| discover(settings)[9].beacons.segments().len();
    assert_eq!(count(&with(Beaconing { best_set: 100, ..Beaconing::default() })), 16);
    assert_eq!(count(&with(Beaconing { best_set: 5, ..Beaconing::default() })), 5);
    assert_eq!(count(&with(Beaconing { most_hops: 5, ..Beaconing::default() })), 0);
    assert_eq!(count(&with(Beaconing { most_hops: 6, ..Beaconing::default() })), 16);
}
