//! What border routers let pass, and what hosts do about failures.

use std::ops::Range;

use proptest::prelude::*;
use windtunnel_engine::Duration;
use windtunnel_networks::scion::{
    Beaconing, Relation, ScionNode, ScionRouterCounters, ScionSettings, SystemPlan,
};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::{Path, PathSection};

use crate::network::{Network, at, isd_as, links, two_domains};

/// A datagram from 0 to 8 arrives after one delay for each of the four links of the shortest
/// path, behind the search for paths.
#[test]
fn packets_take_the_shortest_path() {
    let mut network = Network::new(two_domains());
    network.send(at(0), [0, 8]);
    network.run(at(900));
    network.passed.clear();
    network.send(at(1000), [0, 8]);
    network.run(at(1100));
    let crossed: Vec<[usize; 2]> = network.passed.iter().map(|it| it.1).collect();
    assert_eq!(crossed, [[0, 4], [4, 3], [3, 6], [6, 8]]);
    let (time, node, _) = network.delivered[1];
    assert_eq!((time, node), (at(1020), 8));
}

/// The first packet waits for its paths: the control service asks both core systems above it,
/// two links away, for segments between cores, and those of the other domain, at most four
/// links away, for segments down to the destination.
#[test]
fn the_first_packet_waits_for_two_rounds_of_questions() {
    let mut network = Network::new(two_domains());
    network.send(at(0), [0, 8]);
    network.run(at(900));
    let (time, ..) = network.delivered[0];
    assert_eq!(time, at(2 * 10 + 2 * 15 + 20));
}

/// Whatever is changed in a path, the packet is dropped where it comes first to a router that
/// should not have made it, and its sender is told. If the time of a segment is changed, so are
/// all its hop fields: what tells the sender takes the same path back, and is dropped as well.
#[test]
fn a_packet_with_a_changed_hop_field_is_dropped_and_reported() {
    type Change = (fn(&mut Path), [u64; 2]);
    let changes: [Change; 5] = [
        (|it| it.sections[0].hops[1].mac[3] ^= 1, [1, 1]),
        (|it| it.sections[0].hops[1].expiry += 1, [1, 1]),
        (|it| it.sections[1].hops[0].mac[0] ^= 128, [1, 1]),
        (|it| it.sections[2].hops[1].mac[5] ^= 2, [1, 1]),
        (|it| it.sections[0].info.timestamp += 1, [2, 0]),
    ];
    for (number, (change, expected)) in changes.into_iter().enumerate() {
        let mut network = Network::new(two_domains());
        network.send(at(0), [0, 8]);
        network.run(at(900));
        network.tamper = Some(Box::new(change));
        network.send(at(1000), [0, 8]);
        network.run(at(1900));
        assert_eq!(network.delivered.len(), 1, "change {number}");
        let told = network.nodes[0].counters().errors_received;
        assert_eq!([network.sum(|it| it.invalid_mac), told], expected, "change {number}");
    }
}

/// A bit of a path: of a segment's info field, or of one of its hop fields.
#[derive(Clone, Copy, Debug)]
enum Bit {
    Timestamp(u32),
    Expiry(usize, u32),
    Ingress(usize, u32),
    Egress(usize, u32),
    Mac(usize, usize, u32),
}

/// One that a router ahead reads: a packet is changed on its first link, where the sender's own
/// system has been crossed. Accumulators are in the packet's position, and not changed.
fn section_and_bit() -> impl Strategy<Value = (usize, Bit)> {
    prop_oneof![
        (0..3_usize, (0..32_u32).prop_map(Bit::Timestamp)),
        (Just(0), of_a_hop(1..2)),
        (1..3_usize, of_a_hop(0..2)),
    ]
}

fn of_a_hop(hop: Range<usize>) -> impl Strategy<Value = Bit> {
    prop_oneof![
        (hop.clone(), 0..8_u32).prop_map(|(hop, bit)| Bit::Expiry(hop, bit)),
        (hop.clone(), 0..16_u32).prop_map(|(hop, bit)| Bit::Ingress(hop, bit)),
        (hop.clone(), 0..16_u32).prop_map(|(hop, bit)| Bit::Egress(hop, bit)),
        (hop, 0..6_usize, 0..8_u32).prop_map(|(hop, byte, bit)| Bit::Mac(hop, byte, bit)),
    ]
}

fn change(path: &mut Path, section: usize, bit: Bit) {
    let PathSection { info, hops, .. } = &mut path.sections[section];
    match bit {
        Bit::Timestamp(bit) => info.timestamp ^= 1 << bit,
        Bit::Expiry(hop, bit) => hops[hop].expiry ^= 1 << bit,
        Bit::Ingress(hop, bit) => hops[hop].ingress ^= 1 << bit,
        Bit::Egress(hop, bit) => hops[hop].egress ^= 1 << bit,
        Bit::Mac(hop, byte, bit) => hops[hop].mac[byte] ^= 1 << bit,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Path authorization, the property that VerifiedSCION proves of the reference router
    /// (Pereira et al., Protocols to Code, 2024): packets travel only on paths that each system on
    /// them has authorized.
    #[test]
    fn no_packet_arrives_of_whose_path_a_bit_was_changed((section, bit) in section_and_bit()) {
        let mut network = Network::new(two_domains());
        network.send(at(0), [0, 8]);
        network.run(at(900));
        network.tamper = Some(Box::new(move |it| change(it, section, bit)));
        network.send(at(1000), [0, 8]);
        network.run(at(1900));
        prop_assert!(network.tamper.is_none());
        prop_assert_eq!(network.delivered.len(), 1);
    }
}

/// A hop field that leads elsewhere is dropped where it is not known.
#[test]
fn a_packet_with_swapped_hop_fields_is_dropped() {
    let mut network = Network::new(two_domains());
    network.send(at(0), [0, 8]);
    network.run(at(900));
    network.tamper = Some(Box::new(|it| it.sections[0].hops.swap(1, 2)));
    network.send(at(1000), [0, 8]);
    network.run(at(1900));
    assert_eq!(network.delivered.len(), 1);
    assert_eq!(network.sum(|it| it.invalid_mac + it.invalid_path), 1);
}

/// The law that path-aware networks are built for: a host is told by the router before the
/// failure, and uses another path within one round trip to there.
#[test]
fn a_failure_is_gone_round_within_a_round_trip() {
    let mut network = Network::new(two_domains());
    network.send(at(0), [0, 8]);
    network.run(at(999));
    for milliseconds in 1000..1100 {
        if milliseconds == 1050 {
            network.set_link(at(milliseconds), [3, 6], false);
        }
        network.run(at(milliseconds));
        network.send(at(milliseconds), [0, 8]);
    }
    network.run(at(2000));
    let first = network.passed.iter().find(|it| it.1 == [0, 1]).expect("another path is used");
    // The packet sent at 1,040 ms is at 3 at 1,050; what that says is here 10 ms later.
    assert_eq!(first.0, at(1060));
    let lost: u64 = network.sum(|it| it.interface_down);
    assert_eq!(lost, 20, "those of one round trip to there");
    assert_eq!(network.delivered.len() as u64, 101 - lost);
}

/// A link that is back is used again ten seconds after it was reported down.
#[test]
fn a_link_that_is_back_is_used_again() {
    let mut network = Network::new(two_domains());
    network.send(at(0), [0, 8]);
    network.run(at(999));
    network.set_link(at(1000), [3, 6], false);
    network.send(at(1000), [0, 8]);
    network.run(at(2000));
    network.set_link(at(2000), [3, 6], true);
    for (time, first) in [(3000, [0, 1]), (11_000, [0, 1]), (11_021, [0, 4])] {
        network.run(at(time - 1));
        network.passed.clear();
        network.send(at(time), [0, 8]);
        network.run(at(time + 100));
        assert_eq!(network.passed[0].1, first, "{time}");
    }
}

/// Every packet that begins anywhere ends somewhere, is dropped for a reason that is counted, or
/// is on a link.
#[test]
fn no_packet_is_unaccounted_for() {
    let mut network = Network::new(two_domains());
    for milliseconds in 0..3000 {
        network.run(at(milliseconds));
        match milliseconds {
            700 => network.set_link(at(700), [3, 6], false),
            1200 => network.set_link(at(1200), [2, 5], false),
            1500 => network.set_link(at(1500), [3, 6], true),
            1700 => network.tamper = Some(Box::new(|it| it.sections[0].hops[1].mac[0] ^= 1)),
            _ => {}
        }
        network.send(at(milliseconds), [0, 8]);
        network.send(at(milliseconds), [7, 1]);
        let count = |of: fn(&ScionRouterCounters) -> u64| network.sum(of);
        let ended = count(|it| {
            it.received
                + it.invalid_mac
                + it.expired
                + it.invalid_path
                + it.interface_down
                + it.inside_down
                + it.too_big
                + it.hop_limit_exceeded
        });
        let began = count(|it| it.sent);
        assert_eq!(began, ended + network.on_the_way() + network.lost, "at {milliseconds} ms");
    }
    assert!(network.sum(|it| it.interface_down) > 0 && network.sum(|it| it.invalid_mac) > 0);
}

/// What a router keeps depends on its own system alone, not on how many others there are, and
/// does not grow with the paths in use.
#[test]
fn routers_keep_nothing_of_other_systems() {
    let mut network = Network::new(two_domains());
    let sizes = |network: &Network| -> Vec<usize> {
        network.nodes.iter().map(ScionNode::table_size).collect()
    };
    let before = sizes(&network);
    // One node, and the interfaces: 0 has two, the core systems three.
    assert_eq!(before, [3, 4, 4, 4, 4, 4, 4, 3, 3]);
    for (number, ends) in [[0, 8], [8, 0], [7, 4], [1, 7], [5, 0]].into_iter().enumerate() {
        network.send(at(100 * number as u64), ends);
        network.run(at(100 * number as u64 + 99));
    }
    network.run(at(2000));
    assert_eq!(network.delivered.len(), 5);
    assert_eq!(sizes(&network), before);
}

/// Without anything known at the start, packets wait for beacons, and then flow.
#[test]
fn beacons_find_paths_from_nothing() {
    let with = |beaconing| ScionSettings { beaconing, ..two_domains() };
    let mut network = Network::new(with(Beaconing { is_known: false, ..Beaconing::default() }));
    for seconds in 0..60 {
        network.run(at(1000 * seconds));
        network.send(at(1000 * seconds), [0, 8]);
    }
    network.run(at(61_000));
    let first = network.delivered.iter().map(|it| it.0).min().expect("some arrive");
    assert!(first > at(1000), "nothing is known at first");
    // Each of at most four systems on the way of a beacon passes it on within 5 s.
    assert!(first < at(40_000), "{first:?}");
}

/// Hop fields expire, and hosts ask for new ones before: with a lifetime of 337.5 s and
/// beacons every 5 s packets arrive for a quarter of an hour.
#[test]
fn paths_are_renewed_before_they_expire() {
    let with = |beaconing| ScionSettings { beaconing, ..two_domains() };
    let mut network = Network::new(with(Beaconing { expiry: 0, ..Beaconing::default() }));
    for seconds in 0..900 {
        network.run(at(1000 * seconds));
        network.send(at(1000 * seconds), [0, 8]);
    }
    network.run(at(901_000));
    assert_eq!(network.delivered.len(), 900);
    assert_eq!(network.sum(|it| it.expired), 0);
}

/// Without beacons no path is renewed, and after its lifetime none is used.
#[test]
fn what_has_expired_is_not_used() {
    let interval = Duration::from_secs(100_000);
    let beaconing = Beaconing { expiry: 0, interval, ..Beaconing::default() };
    let mut network = Network::new(ScionSettings { beaconing, ..two_domains() });
    for seconds in 0..500 {
        network.run(at(1000 * seconds));
        network.send(at(1000 * seconds), [0, 8]);
    }
    network.run(at(501_000));
    assert_eq!(network.delivered.len(), 338, "those of the seconds 0 to 337");
}

/// A link inside a system on the way fails: its router says which two interfaces do not reach
/// each other any more, and the host takes a path round the system.
#[test]
fn a_failure_inside_a_system_is_gone_round() {
    let system = |number: u64, is_core: bool, nodes: &[u32]| SystemPlan {
        name: String::new(),
        isd_as: isd_as(1, number),
        is_core,
        nodes: nodes.to_vec(),
    };
    let all = [
        system(1, false, &[0]),
        system(2, true, &[1, 2]),
        system(3, true, &[3]),
        system(4, true, &[4]),
        system(5, false, &[5]),
    ];
    let mut joined = links(&[
        (0, 1, Relation::Parent),
        (1, 2, Relation::Core),
        (2, 5, Relation::Child),
        (0, 3, Relation::Parent),
        (3, 4, Relation::Core),
        (4, 5, Relation::Child),
        (1, 3, Relation::Core),
        (4, 2, Relation::Core),
    ]);
    joined[1].relation = None;
    let beaconing = Beaconing { interval: Duration::from_secs(100_000), ..Beaconing::default() };
    let settings = ScionSettings::new(&all, &joined, beaconing, IpVersion::V4);
    let mut network = Network::new(settings);
    network.send(at(0), [0, 5]);
    network.run(at(999));
    assert!(network.passed.iter().any(|it| it.1 == [1, 2]), "that is the shortest");
    network.set_link(at(1000), [1, 2], false);
    network.send(at(1000), [0, 5]);
    network.run(at(1500));
    assert_eq!(network.nodes[1].counters().inside_down, 1);
    assert_eq!(network.nodes[0].counters().errors_received, 1);
    network.passed.clear();
    network.send(at(1500), [0, 5]);
    network.run(at(2000));
    let crossed: Vec<[usize; 2]> = network.passed.iter().map(|it| it.1).collect();
    assert_eq!(crossed, [[0, 3], [3, 4], [4, 5]]);
}

/// A packet that is larger than a link on its path carries is dropped, and its sender leaves the
/// path alone.
#[test]
fn a_packet_that_is_too_big_is_reported() {
    let mut settings = two_domains();
    // The policy of the host does not look at what beacons announce of that.
    for system in &mut settings.systems {
        for it in &mut system.interfaces {
            if [it.node, it.neighbour_node] == [3, 6] {
                it.mtu = 900;
            }
        }
    }
    let mut network = Network::new(settings);
    network.send(at(0), [0, 8]);
    network.run(at(900));
    assert_eq!(network.nodes[3].counters().too_big, 1);
    assert_eq!(network.delivered.len(), 0);
    // Two of the four paths cross that link.
    for milliseconds in [1000, 1100] {
        network.send(at(milliseconds), [0, 8]);
        network.run(at(milliseconds + 99));
    }
    assert_eq!(network.delivered.len(), 1, "over a path that does not");
    assert_eq!(network.nodes[3].counters().too_big, 2);
}
