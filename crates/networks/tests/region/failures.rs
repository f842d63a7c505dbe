//! Links that fail and return in any order: what is joined is reached, what is not is reported
//! as unreachable, and nothing goes in circles.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use windtunnel_engine::{Duration, Time};
use windtunnel_networks::region::{
    Advertisement, CodeLookup, RegionRouting, RegionSettings, Transit,
};
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::region::Code;

use crate::network::{Network, datagram, settings};

/// A region has this many nodes in a ring, of which one link may fail.
const RING: usize = 4;

/// A network: the transit of each region, between which nodes of different regions there are
/// links, how advertisements wait, and what routers look up of the codes of nodes, which are in
/// sub-regions of their own.
#[derive(Clone, Debug)]
struct Shape {
    transits: Vec<usize>,
    outside: Vec<[usize; 2]>,
    interval: u64,
    withdrawals_wait: bool,
    routing: RegionRouting,
    lookup: CodeLookup,
}

/// How regions learn of each other, and what of their codes is looked up.
const RULES: [(RegionRouting, CodeLookup); 4] = [
    (RegionRouting::PathVector, CodeLookup::TwoLevel),
    (RegionRouting::PathVector, CodeLookup::Full),
    (RegionRouting::PathVector, CodeLookup::LongestPrefix),
    (RegionRouting::LinkState, CodeLookup::TwoLevel),
];

fn shape() -> impl Strategy<Value = Shape> {
    vec(0..3usize, 2..6).prop_flat_map(|transits| {
        let nodes = RING * transits.len();
        let outside = vec([0..nodes, 0..nodes], 1..8);
        let rules = (0..4u64, any::<bool>(), select(RULES.to_vec()));
        (outside, rules).prop_map(
            move |(pairs, (interval, withdrawals_wait, (routing, lookup)))| {
                let mut outside: Vec<[usize; 2]> = Vec::new();
                for [one, other] in pairs {
                    let link = [one.min(other), one.max(other)];
                    if one / RING != other / RING && !outside.contains(&link) {
                        outside.push(link);
                    }
                }
                let transits = transits.clone();
                Shape { transits, outside, interval, withdrawals_wait, routing, lookup }
            },
        )
    })
}

fn network(shape: &Shape) -> RegionSettings {
    let regions = shape.transits.len();
    let of_ring = |region: usize| {
        (0..RING).map(move |it| [RING * region + it, RING * region + (it + 1) % RING])
    };
    let inside = (0..regions).flat_map(of_ring);
    let links: Vec<[usize; 2]> = inside.chain(shape.outside.iter().copied()).collect();
    let mut settings = settings(&vec![RING; regions], &links);
    settings.advertisement = Advertisement {
        interval: Duration::from_secs(shape.interval),
        is_jittered: true,
        withdrawals_wait: shape.withdrawals_wait,
    };
    (settings.routing, settings.lookup) = (shape.routing, shape.lookup);
    for (node, place) in settings.nodes.iter_mut().enumerate() {
        place.code = Code::of_sub_region(place.code.region(), (node % RING) as u32);
    }
    for (region, transit) in settings.regions.iter_mut().zip(&shape.transits) {
        region.transit =
            [Transit::Transparent, Transit::Tunnel(IpVersion::V4), Transit::Refused][*transit];
    }
    settings
}

/// Whether a way leads from one region to another over links that are up, on which only
/// regions lie that let others through.
fn are_joined(shape: &Shape, up: &[bool], [from, to]: [usize; 2]) -> bool {
    let mut reached = vec![from];
    let mut place = 0;
    while place < reached.len() {
        let region = reached[place];
        place += 1;
        if region != from && shape.transits[region] == 2 {
            continue;
        }
        for (link, _) in shape.outside.iter().zip(up).filter(|it| *it.1) {
            let ends = link.map(|it| it / RING);
            for [near, far] in [ends, [ends[1], ends[0]]] {
                if near == region && !reached.contains(&far) {
                    reached.push(far);
                }
            }
        }
    }
    reached.contains(&to)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
    #[test]
    fn what_is_joined_is_reached_and_nothing_else(
        shape in shape(),
        failures in vec((0..16usize, 0..2000u64), 0..20),
    ) {
        let mut network = Network::new(network(&shape));
        let mut now = Time::ZERO;
        let mut up = vec![true; shape.outside.len()];
        let mut broken: Vec<Option<usize>> = vec![None; shape.transits.len()];
        for (link, pause) in failures {
            now += Duration::from_millis(pause);
            network.run(now);
            if link % 4 == 3 {
                // One link of a ring at a time.
                let region = link / 4 % broken.len();
                let at = |it: usize| [RING * region + it, RING * region + (it + 1) % RING];
                match broken[region].take() {
                    Some(it) => network.set_link(now, at(it), true),
                    None => {
                        let it = pause as usize % RING;
                        network.set_link(now, at(it), false);
                        broken[region] = Some(it);
                    }
                }
            } else if !up.is_empty() {
                let link = link % up.len();
                up[link] = !up[link];
                network.set_link(now, shape.outside[link], up[link]);
            }
        }
        now += Duration::from_secs(60);
        network.run(now);
        let (nodes, packet) = (RING * shape.transits.len(), datagram(7, Dscp::DEFAULT));
        for from in 0..nodes {
            for to in (0..nodes).filter(|it| it / RING != from / RING) {
                let regions = [from / RING, to / RING];
                network.delivered.clear();
                network.carry(now, [from, to], packet);
                now += Duration::from_secs(2);
                network.run(now);
                let expected = are_joined(&shape, &up, regions);
                let got: Vec<usize> = network.delivered.iter().map(|it| it.0).collect();
                prop_assert_eq!(&got, &vec![to; usize::from(expected)], "{} to {}", from, to);
                prop_assert!(network.delivered.iter().all(|it| it.1 == packet));
            }
        }
        let counters = network.routers.iter().map(|it| *it.counters());
        prop_assert_eq!(counters.map(|it| it.hop_limit_exceeded).sum::<u64>(), 0);
        prop_assert!(network.is_empty(), "nothing is left over");
    }
}
