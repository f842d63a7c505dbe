//! Paths of equal cost are shared, by flow or by packet.

use crate::common::{direction, ip_flow, join, nodes, over_tcp, port, ports, rate, run_flows};
use windtunnel_applications::{ArrivalsSettings, FileSettings, Sizes, Workload, udp};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{DirectionPlan, FlowCounters, Plan, Sharing, Transport, World};

/// A fat tree of switches with `k` ports (Al-Fares et al., SIGCOMM 2008): `k` pods of
/// `k/2` edge and `k/2` aggregation switches, and `(k/2)²` core switches.
struct FatTree {
    plan: Plan,
    hosts: Vec<usize>,
    /// The links between the aggregation and the core switches.
    core: std::ops::Range<usize>,
}

fn fat_tree(k: usize, link: &DirectionPlan) -> FatTree {
    let half = k / 2;
    let [cores, switches, hosts] = [half * half, k * half, k * half * half];
    let all = cores + 2 * switches + hosts;
    let names: Vec<String> = (0..all).map(|it| format!("n{it}")).collect();
    let mut plan = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let aggregation = |pod: usize, place: usize| cores + pod * half + place;
    let edge = |pod: usize, place: usize| cores + switches + pod * half + place;
    for (pod, place, port) in triples(k, half) {
        join(&mut plan, aggregation(pod, place), place * half + port, link);
    }
    let core = 0..plan.links.len();
    for (pod, place, port) in triples(k, half) {
        join(&mut plan, edge(pod, place), aggregation(pod, port), link);
    }
    for (pod, place, port) in triples(k, half) {
        let host = cores + 2 * switches + (pod * half + place) * half + port;
        join(&mut plan, host, edge(pod, place), link);
    }
    FatTree { plan, hosts: (cores + 2 * switches..all).collect(), core }
}

fn triples(k: usize, half: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let pairs = (0..k).flat_map(move |pod| (0..half).map(move |place| (pod, place)));
    pairs.flat_map(move |(pod, place)| (0..half).map(move |port| (pod, place, port)))
}

/// Each of 128 hosts sends eight files to hosts of other pods, which no queue drops.
fn files_across_pods(sharing: Sharing) -> (FatTree, World) {
    let mut tree = fat_tree(8, &direction(1000, 1));
    tree.plan.routing.sharing = sharing;
    for (place, from) in tree.hosts.iter().enumerate() {
        for file in 0..8 {
            let to = tree.hosts[(place + 16 * (1 + file % 7)) % tree.hosts.len()];
            let file = over_tcp(
                Recovery::Rack,
                EcnMode::Off,
                Workload::File(FileSettings { bytes: 50_000 }),
            );
            let flow = ip_flow(&format!("f{}", tree.plan.flows.len()), *from, to, file);
            tree.plan.flows.push(flow);
        }
    }
    tree.plan.duration = Duration::from_secs(5);
    let world = run_flows(&tree.plan);
    assert_eq!(world.transfers().len(), 8 * 128);
    (tree, world)
}

/// How many directions of core links carry packets.
fn used(tree: &FatTree, world: &World) -> usize {
    let ports = ports(&tree.plan, world);
    let core = &ports[2 * tree.core.start..2 * tree.core.end];
    core.iter().filter(|it| it.delivered > 0).count()
}

/// Segments sent again, and received again.
fn sent_again(world: &World) -> [u64; 2] {
    let counters = world.flows().map(|it| match it.counters {
        FlowCounters::Tcp(it) => [it.sender.retransmissions, it.receiver.duplicates],
        FlowCounters::Udp(..) | FlowCounters::Stack(_) => panic!("all go over TCP"),
    });
    counters.fold([0, 0], |sum, it| [sum[0] + it[0], sum[1] + it[1]])
}

#[test]
fn flows_of_a_fat_tree_use_all_core_links_and_each_keeps_its_path() {
    let (tree, world) = files_across_pods(Sharing::Flows);
    assert_eq!((tree.hosts.len(), tree.core.len()), (128, 128));
    assert_eq!(used(&tree, &world), 256);
    assert_eq!(sent_again(&world), [0, 0]);
}

#[test]
fn without_sharing_most_core_links_of_a_fat_tree_are_idle() {
    let (tree, world) = files_across_pods(Sharing::None);
    let used = used(&tree, &world);
    assert!(used <= 256 / 2, "{used}");
    assert_eq!(sent_again(&world), [0, 0]);
}

/// Two hosts joined by `between` nodes, at equal cost.
fn parallel(between: usize) -> Plan {
    let names: Vec<String> = (0..between + 2).map(|it| format!("n{it}")).collect();
    let mut plan = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for node in 2..between + 2 {
        join(&mut plan, 0, node, &direction(100, 2));
        join(&mut plan, node, 1, &direction(100, 2));
    }
    plan
}

/// What the first links of all paths delivered, and their last ones on the way back.
fn delivered(plan: &Plan, world: &World, between: usize) -> [Vec<u64>; 2] {
    let of = |last: usize| {
        let links = (0..between).map(move |it| 2 * it + last);
        links.map(|it| port(plan, world, it, last).delivered).collect()
    };
    [of(0), of(1)]
}

#[test]
fn packets_are_shared_out_in_turn() {
    let mut plan = parallel(4);
    plan.routing.sharing = Sharing::Packets;
    let datagrams = udp::UdpSettings::of_rate(IpVersion::V4, rate(8_000_000), 1000);
    plan.flows.push(ip_flow("f", 0, 1, Transport::Udp(datagrams)));
    plan.flows[0].stop = Time::ZERO + Duration::from_secs(4);
    let world = run_flows(&plan);
    let [there, _] = delivered(&plan, &world, 4);
    assert_eq!(there, [1000; 4]);
    assert_eq!(world.unroutable(), 0);
}

#[test]
fn packets_of_a_connection_overtake_each_other_where_its_paths_differ() {
    let reordered = |sharing| {
        let mut plan = parallel(2);
        plan.routing.sharing = sharing;
        // Equal in their delays, not in how long they take for a packet.
        for link in [0, 1] {
            plan.links[link].directions.iter_mut().for_each(|it| it.rate = rate(3_000_000));
        }
        let file = Workload::File(FileSettings { bytes: 1_000_000 });
        plan.flows.push(ip_flow("f", 0, 1, over_tcp(Recovery::NewReno, EcnMode::Off, file)));
        let world = run_flows(&plan);
        assert_eq!(world.transfers().len(), 1);
        sent_again(&world)[1] > 0
    };
    assert_eq!([Sharing::Flows, Sharing::Packets].map(reordered), [false, true]);
}

/// 2000 connections between two hosts over eight paths: 250 each, up to four standard
/// deviations.
#[test]
fn connections_of_one_flow_spread_over_equal_paths() {
    let mut plan = parallel(8);
    let arrivals =
        Workload::Arrivals(ArrivalsSettings { per_second: 400.0, sizes: Sizes::Fixed(1000) });
    plan.flows.push(ip_flow("web", 0, 1, over_tcp(Recovery::Rack, EcnMode::Off, arrivals)));
    plan.flows[0].stop = Time::ZERO + Duration::from_secs(5);
    let world = run_flows(&plan);
    let alone = delivered(&plan, &world, 8);
    assert!(alone.iter().all(|it| it.iter().filter(|it| **it > 0).count() == 1), "{alone:?}");
    plan.routing.sharing = Sharing::Flows;
    let world = run_flows(&plan);
    assert_eq!(sent_again(&world), [0, 0]);
    for shares in delivered(&plan, &world, 8) {
        let mean = shares.iter().sum::<u64>() as f64 / 8.0;
        let most = shares.iter().map(|it| (*it as f64 / mean - 1.0).abs()).fold(0.0, f64::max);
        // The mean is of 250 connections; 256 hashes stand for all of them.
        assert!(most < 4.0 * (1.0 / 250.0 + 8.0 / 256.0_f64).sqrt(), "{shares:?}");
    }
}

#[test]
fn what_comes_back_may_take_another_path_but_always_the_same() {
    let mut plan = parallel(8);
    plan.routing.sharing = Sharing::Flows;
    for number in 0..32 {
        let bulk = Workload::File(FileSettings { bytes: 20_000 });
        let flow = over_tcp(Recovery::Rack, EcnMode::Off, bulk);
        plan.flows.push(ip_flow(&format!("f{number}"), 0, 1, flow));
        plan.flows[number].start = Time::ZERO + Duration::from_millis(250) * number as u64;
    }
    let mut world = World::new(&plan).expect("links join the hosts");
    let mut before = ports(&plan, &world);
    for number in 1..=32 {
        world.advance(Time::ZERO + Duration::from_millis(249) * number);
        let now = ports(&plan, &world);
        for side in [0, 1] {
            let links = (0..8).map(|it| 2 * (2 * it + side) + side);
            let used = links.filter(|it| now[*it].offered > before[*it].offered).count();
            assert_eq!(used, 1, "connection {number}");
        }
        before = now;
    }
}
