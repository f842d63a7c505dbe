//! Routing against models that are slow and plain.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_networks::ndn::content_store::ReplacementPolicy;
use windtunnel_networks::ndn::forwarder::ForwarderMarks;
use windtunnel_networks::ndn::link_service::LinkServiceSettings;
use windtunnel_queues::{Discipline, QueueLimit};

use super::detours::{Detour, Order, detours};
use super::{Search, Topology, Tree, ip_tree};
use crate::plan::{
    ChangePlan, DirectionPlan, LinkChange, LinkPlan, Metric, NodePlan, Paths, Plan, Routing,
    Sharing, StaticRoutePlan,
};
use crate::port_id::PortId;
use crate::series::RecordingPlan;
use windtunnel_links::{Impairment, Loss, Victims};

/// A link: the nodes that it joins, its delays there and back, and whether it is up
/// there and back.
pub(crate) type Joined = ([usize; 2], [Duration; 2], [bool; 2]);

/// A plan of nodes and links, and nothing else.
pub(crate) fn plan(nodes: usize, links: &[Joined]) -> Plan {
    Plan {
        nodes: (0..nodes).map(node).collect(),
        links: links.iter().map(|(nodes, delays, _)| link(*nodes, *delays)).collect(),
        changes: Vec::new(),
        prefixes: Vec::new(),
        formats: Vec::new(),
        producers: Vec::new(),
        consumers: Vec::new(),
        flows: Vec::new(),
        bridges: Vec::new(),
        tunnels: Vec::new(),
        sessions: Vec::new(),
        domains: None,
        attachments: Vec::new(),
        roots: Vec::new(),
        sky: None,
        routing: Routing {
            metric: Metric::Delay,
            paths: Paths::Shortest,
            sharing: Sharing::None,
            convergence: Some(Duration::ZERO),
            given: Vec::new(),
            static_routes: Vec::new(),
        },
        duration: Duration::from_secs(1),
        recording: RecordingPlan::default(),
        seed: 1,
        run: 0,
    }
}

fn node(place: usize) -> NodePlan {
    NodePlan {
        name: place.to_string(),
        cached: 0,
        policy: ReplacementPolicy::Lru,
        strategy: "best-route",
        marks: ForwarderMarks { interest_marks_return: true, cached_marks_stay: false },
        processing_time: Duration::ZERO,
        layers: Vec::new(),
    }
}

fn link(nodes: [usize; 2], delays: [Duration; 2]) -> LinkPlan {
    let directions = delays.map(|delay| DirectionPlan {
        rate: Rate::from_bits_per_second(1_000_000).expect("more than nothing"),
        opportunities: None,
        physical_layer: None,
        delay,
        loss: Loss::None,
        victims: Victims::All,
        impairment: Impairment::default(),
        limit: QueueLimit::Packets(10),
        discipline: Discipline::DropTail,
        overhead: 0,
        weight: DirectionPlan::USUAL_WEIGHT,
    });
    let link_service = LinkServiceSettings::default();
    let (channel, medium) = (None, None);
    LinkPlan { name: format!("{nodes:?}"), nodes, directions, channel, medium, link_service }
}

/// Sets which ports are up.
pub(crate) fn set_up(topology: &mut Topology, links: &[Joined]) {
    for (link, (.., up)) in links.iter().enumerate() {
        for (direction, is_up) in up.iter().enumerate() {
            let change = if *is_up { LinkChange::Up } else { LinkChange::Down };
            let port = PortId::new(link, direction);
            topology.apply(&ChangePlan { time: Time::ZERO, port, change });
        }
    }
}

/// Few delays, so that many paths are equal.
fn delay() -> impl Strategy<Value = Duration> {
    prop_oneof![30 => (0..4_u64).prop_map(Duration::from_picos), 1 => Just(Duration::MAX)]
}

/// Links among that many nodes, some of them beside each other, one in five ports down.
pub(crate) fn links(nodes: usize) -> impl Strategy<Value = Vec<Joined>> {
    let ends = (0..nodes, 1..nodes).prop_map(move |(it, step)| [it, (it + step) % nodes]);
    let up = [prop::bool::weighted(0.8), prop::bool::weighted(0.8)];
    vec((ends, [delay(), delay()], up), 0..20)
}

const NODES: usize = 8;

fn topology(links: &[Joined]) -> Topology {
    let mut topology = Topology::new(&plan(NODES, links));
    set_up(&mut topology, links);
    topology
}

/// All least costs (Floyd 1962, Warshall 1962).
fn floyd_warshall(links: &[Joined]) -> Vec<Vec<Option<u64>>> {
    let mut costs = vec![vec![None; NODES]; NODES];
    let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
    (0..NODES).for_each(|it| costs[it][it] = Some(0));
    for (nodes, delays, up) in links {
        for side in [0, 1] {
            let cost =
                up[side].then(|| delays[side].as_picos().saturating_add(1).min(u64::MAX - 1));
            let known = &mut costs[nodes[side]][nodes[1 - side]];
            *known = least(*known, cost);
        }
    }
    for (middle, from, to) in triples() {
        let through = costs[from][middle].zip(costs[middle][to]);
        let through = through.map(|(first, second)| first.saturating_add(second));
        costs[from][to] = least(costs[from][to], through);
    }
    costs
}

fn triples() -> impl Iterator<Item = (usize, usize, usize)> {
    let pairs = (0..NODES).flat_map(|one| (0..NODES).map(move |other| (one, other)));
    pairs.flat_map(|(one, other)| (0..NODES).map(move |third| (one, other, third)))
}

fn cost_of(topology: &Topology, path: &[PortId]) -> Option<u64> {
    path.iter().try_fold(0_u64, |sum, port| Some(sum.saturating_add(topology.cost(*port)?)))
}

/// The next hops of a node through each neighbour, by a search without the node.
fn plain_detours(topology: &Topology, target: usize, node: usize) -> Vec<Detour> {
    let without = |port: PortId| {
        let avoids = topology.near(port) != node && topology.far(port) != node;
        topology.cost(port).filter(|_| avoids)
    };
    let reached = topology.reach(target, without);
    let rest = |of| reached.iter().find(|it| it.node == of).map(|it| it.cost);
    let detours = topology.ports(node).iter().filter_map(|&port| {
        let cost = topology.cost(port)?.saturating_add(rest(topology.far(port))?);
        Some(Detour { node, port, cost })
    });
    detours.collect()
}

proptest! {
    #[test]
    fn least_costs_are_those_of_floyd_and_warshall(links in links(NODES)) {
        let (topology, costs) = (topology(&links), floyd_warshall(&links));
        for target in 0..NODES {
            let tree = topology.tree(target);
            prop_assert!(tree.reached.is_sorted_by_key(|it| it.cost));
            for (from, costs) in costs.iter().enumerate() {
                prop_assert_eq!(tree.cost(from), costs[target]);
            }
        }
    }

    #[test]
    fn a_path_leads_to_its_target_over_ports_that_are_up_at_the_least_cost(
        links in links(NODES),
    ) {
        let topology = topology(&links);
        for target in 0..NODES {
            let tree = topology.tree(target);
            for from in 0..NODES {
                let path = tree.path(&topology, from);
                prop_assert_eq!(path.is_some(), tree.cost(from).is_some());
                let Some(path) = path else { continue };
                prop_assert_eq!(topology.nodes_of(from, &path).pop(), Some(target));
                prop_assert_eq!(cost_of(&topology, &path), tree.cost(from));
            }
        }
    }

    /// Whatever lower bound guides it, as long as that is one.
    #[test]
    fn a_search_finds_a_path_of_the_least_cost(links in links(NODES), share in 0..=4_u64) {
        let topology = topology(&links);
        let costs = floyd_warshall(&links);
        let mut search = Search::default();
        for target in 0..NODES {
            let tree = topology.tree(target);
            for (from, costs) in costs.iter().enumerate() {
                let bound = |node: usize| costs[node].unwrap_or(0) / 4 * share;
                let path = search.path(&topology, [from, target], bound);
                prop_assert_eq!(path.is_some(), tree.cost(from).is_some());
                let Some(path) = path else { continue };
                prop_assert_eq!(topology.nodes_of(from, &path).pop(), Some(target));
                prop_assert_eq!(cost_of(&topology, &path), tree.cost(from));
            }
        }
    }

    #[test]
    fn with_each_of_the_equal_ports_a_shortest_path_begins_and_with_no_other(
        links in links(NODES),
    ) {
        let topology = topology(&links);
        for target in 0..NODES {
            let tree = topology.tree(target);
            let begins = |port: &PortId| {
                let rest = tree.cost(topology.far(*port))?;
                Some(topology.cost(*port)?.saturating_add(rest))
            };
            // Costs beyond the clock are not compared.
            for node in (0..NODES).filter(|it| *it != target && tree.cost(*it) != Some(u64::MAX)) {
                let total = tree.cost(node);
                let shortest = |it: &PortId| total.is_some() && begins(it) == total;
                let expected = topology.ports(node).iter().copied().filter(shortest);
                let equal: Vec<PortId> = tree.equal(&topology, node).collect();
                prop_assert_eq!(equal, expected.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_path_of_equal_ports_is_as_short_whichever_are_taken(
        links in links(NODES),
        choice: usize,
    ) {
        let topology = topology(&links);
        for target in 0..NODES {
            let tree = topology.tree(target);
            for from in 0..NODES {
                let path = tree.walk(&topology, from, |node| {
                    let equal: Vec<PortId> = tree.equal(&topology, node).collect();
                    equal.get(choice.wrapping_mul(node + 1) % equal.len().max(1)).copied()
                });
                prop_assert_eq!(path.and_then(|it| cost_of(&topology, &it)), tree.cost(from));
            }
        }
    }

    #[test]
    fn a_next_hop_through_a_neighbour_costs_the_shortest_path_that_does_not_come_back(
        links in links(NODES),
    ) {
        let topology = topology(&links);
        for target in 0..NODES {
            let tree = topology.tree(target);
            let found = detours(&topology, &tree);
            let others = tree.reached.iter().map(|it| it.node).filter(|it| *it != target);
            let expected = others.flat_map(|node| plain_detours(&topology, target, node));
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }
}

proptest! {
    /// Where each node goes on by its own route, if it has one, a walk comes back to where it was
    /// exactly if a loop is found, and that is a loop of next hops.
    #[test]
    fn a_loop_is_found_where_packets_would_go_round(
        links in links(NODES),
        fixed in vec(0..40_usize, 0..6),
        from in 0..NODES,
    ) {
        let mut plan = plan(NODES, &links);
        let ports = || (0..2 * links.len() as u32).map(PortId);
        let target = NODES - 1;
        for port in fixed.iter().filter_map(|it| ports().nth(*it)) {
            let near = links[port.link()].0[port.direction()];
            let known = |it: &StaticRoutePlan| links[it.port.link()].0[it.port.direction()] == near;
            if near != target && !plan.routing.static_routes.iter().any(known) {
                plan.routing.static_routes.push(StaticRoutePlan { destination: target, port });
            }
        }
        let mut topology = Topology::new(&plan);
        set_up(&mut topology, &links);
        let tree = ip_tree(&topology, None, target);
        let next = |node: usize| (node != target).then(|| tree.next(node)).flatten();
        let walk = std::iter::successors(Some(from), |node| Some(topology.far(next(*node)?)));
        let goes_round = walk.take(NODES + 1).count() > NODES;
        let found = tree.loop_from(&topology, from, Sharing::None);
        prop_assert_eq!(found.is_some(), goes_round);
        prop_assert!(!goes_round || tree.path(&topology, from).is_none());
        for pair in found.iter().flat_map(|it| it.windows(2)) {
            prop_assert_eq!(next(pair[0]).map(|it| topology.far(it)), Some(pair[1]));
        }
        // Shared among more paths, packets go round all the more.
        if goes_round {
            prop_assert!(tree.loop_from(&topology, from, Sharing::Packets).is_some());
        }
        for it in &plan.routing.static_routes {
            let equal: Vec<PortId> = tree.equal(&topology, topology.near(it.port)).collect();
            prop_assert_eq!(equal, [it.port]);
        }
        // Routes of IP packets do not lead Interests.
        prop_assert_eq!(topology.tree(target).reached, tree.reached);
    }

    /// By weight, the least sum, as by delays that are alike.
    #[test]
    fn paths_by_weight_are_those_of_delays_of_that_size(links in links(NODES)) {
        let finite = |links: &[Joined]| -> Vec<Joined> {
            let delay = |it: Duration| Duration::from_picos(it.as_picos() % 5);
            links.iter().map(|it| (it.0, it.1.map(delay), it.2)).collect()
        };
        let links = finite(&links);
        let by_delay = topology(&links);
        let mut weighted = plan(NODES, &links);
        weighted.routing.metric = Metric::Weight;
        for link in &mut weighted.links {
            for it in &mut link.directions {
                (it.weight, it.delay) = (it.delay.as_picos() + 1, Duration::from_millis(1));
            }
        }
        let mut by_weight = Topology::new(&weighted);
        set_up(&mut by_weight, &links);
        for target in 0..NODES {
            prop_assert_eq!(by_weight.tree(target).reached, by_delay.tree(target).reached);
        }
    }
}

/// A tree among 1,000 nodes with two random links each.
fn large() -> (Topology, Tree) {
    let nodes = 1000;
    let far = |node: usize, turn: u64| {
        let bits = windtunnel_engine::hash_twice(2 * node as u64 + turn) as usize;
        (node + 1 + bits % (nodes - 1)) % nodes
    };
    let links: Vec<Joined> = (0..2 * nodes)
        .map(|it| {
            let (node, turn) = (it / 2, it as u64 % 2);
            ([node, far(node, turn)], [Duration::from_millis(1 + turn); 2], [true; 2])
        })
        .collect();
    let topology = Topology::new(&plan(nodes, &links));
    let tree = topology.tree(0);
    (topology, tree)
}

/// The work of all next hops is a search of that part for each node.
#[test]
fn what_is_searched_again_for_a_node_is_only_what_lies_behind_it() {
    let (topology, tree) = large();
    let order = Order::of(&topology, &tree);
    let searched: usize = tree.reached.iter().skip(1).map(|it| order.behind(it.node).len()).sum();
    let depth = |node| tree.path(&topology, node).map_or(0, |it| it.len());
    let depths: usize = (0..topology.nodes()).map(|it| depth(it).saturating_sub(1)).sum();
    assert_eq!(searched, depths);
    assert!(searched < 10 * topology.nodes(), "{searched}");
}
