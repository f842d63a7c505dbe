//! Next hops to every producer and ways between nodes, by delay or by hops.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use windtunnel_packets::Route;

use crate::BridgePlan;
use crate::bridges::{Part, places};
use crate::network::{Hop as NextHop, Side};
use crate::plan::{FlowPlan, Metric, Paths, Plan};

/// Who has no path to where it wants to go, by its place in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreachable {
    /// A consumer whose prefix no producer can be reached under.
    Consumer(usize),
    /// A flow between two nodes that no links join.
    Flow(usize),
    /// A bridge between two such nodes.
    Bridge(usize),
}

/// One link on a way, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The link's place in the plan.
    pub link: usize,
    /// The direction: 0 from the link's first node, 1 from its second.
    pub direction: usize,
}

impl Leg {
    /// The number of its port.
    fn port(self) -> u32 {
        (2 * self.link + self.direction) as u32
    }
}

/// The ways of all flows of a plan, as lists of hops one behind another.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    pub(crate) hops: Vec<NextHop>,
    /// For each connection of each flow, where the ways of its sender and of its
    /// receiver begin; flow by flow, and from its sender to its receiver.
    pub(crate) routes: Vec<[Route; 2]>,
    /// The ways of each bridge's own packets.
    pub(crate) bridges: Vec<BridgeWays>,
}

/// The ways of a bridge's own packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BridgeWays {
    /// The port by which the way to the destination edge begins.
    pub(crate) port: u32,
    /// Where the way back begins.
    pub(crate) back: Route,
}

impl Ways {
    /// The links of the way that begins there.
    pub(crate) fn legs(&self, route: Route) -> Vec<Leg> {
        let hops = self.hops[route.0 as usize..].iter().take_while(|it| !it.is_last());
        let ports = hops.filter_map(|hop| match hop {
            NextHop::Port(port) => Some(*port as usize),
            NextHop::Here(_) | NextHop::Edge(..) => None,
        });
        ports.map(|port| Leg { link: port / 2, direction: port % 2 }).collect()
    }

    /// Lays a way behind the others; `edges` are those at each of its nodes. Returns
    /// where it begins.
    fn lay(&mut self, legs: &[Leg], edges: impl Fn(usize) -> Vec<NextHop>, last: NextHop) -> Route {
        let route = Route(self.hops.len() as u32);
        for (place, leg) in legs.iter().enumerate() {
            self.hops.extend(edges(place));
            self.hops.push(NextHop::Port(leg.port()));
        }
        self.hops.extend(edges(legs.len()));
        self.hops.push(last);
        route
    }
}

/// One next hop of one node to one producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) node: usize,
    pub(crate) producer: usize,
    pub(crate) link: usize,
    pub(crate) cost: u64,
}

/// Whether the network has a circle, so that a packet could come back to where
/// it was.
pub(crate) fn has_circle(plan: &Plan) -> bool {
    let mut root: Vec<usize> = (0..plan.nodes.len()).collect();
    fn find(root: &mut [usize], mut node: usize) -> usize {
        while root[node] != node {
            root[node] = root[root[node]];
            node = root[node];
        }
        node
    }
    plan.links.iter().any(|link| {
        let [first, second] = link.nodes.map(|node| find(&mut root, node));
        root[first] = second;
        first == second
    })
}

/// A node that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Its place in the plan.
    pub node: usize,
    /// The cost from it to the target.
    pub cost: u64,
    /// The link to take there; none at the target.
    pub link: Option<usize>,
}

/// The links of a plan, by node.
#[derive(Debug)]
pub struct Graph<'a> {
    plan: &'a Plan,
    links: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    /// The graph of a plan.
    #[must_use]
    pub fn new(plan: &'a Plan) -> Self {
        let mut links = vec![Vec::new(); plan.nodes.len()];
        for (index, link) in plan.links.iter().enumerate() {
            for node in link.nodes {
                links[node].push(index);
            }
        }
        Self { plan, links }
    }

    /// The links at a node.
    #[must_use]
    pub fn links(&self, node: usize) -> &[usize] {
        &self.links[node]
    }

    /// The node at the other end of a link.
    #[must_use]
    pub fn other_end(&self, link: usize, node: usize) -> usize {
        let [first, second] = self.plan.links[link].nodes;
        if first == node { second } else { first }
    }

    /// The least cost from every node to `target`, in order of cost (Dijkstra
    /// 1959). `cost` is that of a link out of a node; a link without one is not
    /// taken.
    pub fn reach(&self, target: usize, cost: impl Fn(usize, usize) -> Option<u64>) -> Vec<Reached> {
        let mut done = BTreeSet::new();
        let mut reached = Vec::new();
        let mut heap = BinaryHeap::from([Reverse((0, target, None))]);
        while let Some(Reverse((so_far, node, link))) = heap.pop() {
            if !done.insert(node) {
                continue;
            }
            reached.push(Reached { node, cost: so_far, link });
            for &next in &self.links[node] {
                let neighbour = self.other_end(next, node);
                if !done.contains(&neighbour)
                    && let Some(cost) = cost(next, neighbour)
                {
                    heap.push(Reverse((so_far.saturating_add(cost), neighbour, Some(next))));
                }
            }
        }
        reached
    }

    /// What Interests pay for a link out of `node`.
    fn cost(&self, link: usize, node: usize) -> u64 {
        match self.plan.routing.metric {
            Metric::Hops => 1,
            Metric::Delay => {
                let link = &self.plan.links[link];
                let direction = usize::from(link.nodes[0] != node);
                // One more picosecond a link: of equal delays, fewer hops.
                link.directions[direction].delay.as_picos().saturating_add(1)
            }
        }
    }

    /// The next link of every node on its shortest way to `target`.
    fn next_links(&self, target: usize) -> Vec<Option<usize>> {
        let mut next = vec![None; self.plan.nodes.len()];
        for reached in self.reach(target, |it, from| Some(self.cost(it, from))) {
            next[reached.node] = reached.link;
        }
        next
    }

    /// The way from `from` to `to` by the next links to there; none if no links
    /// join them.
    fn follow(&self, next: &[Option<usize>], from: usize, to: usize) -> Option<Vec<Leg>> {
        let (mut node, mut way) = (from, Vec::new());
        while node != to {
            let link = next[node]?;
            way.push(Leg { link, direction: usize::from(self.plan.links[link].nodes[0] != node) });
            node = self.other_end(link, node);
        }
        Some(way)
    }

    /// The shortest way from one node to another; none if no links join them.
    #[must_use]
    pub fn way(&self, from: usize, to: usize) -> Option<Vec<Leg>> {
        self.follow(&self.next_links(to), from, to)
    }

    /// The nodes that a way leads over which begins at `from`.
    #[must_use]
    pub fn nodes(&self, from: usize, way: &[Leg]) -> Vec<usize> {
        let behind = way.iter().map(|it| self.plan.links[it.link].nodes[1 - it.direction]);
        std::iter::once(from).chain(behind).collect()
    }

    fn shortest(&self, producer: usize, hops: &mut Vec<Hop>) {
        let target = self.plan.producers[producer].node;
        for Reached { node, cost, link } in self.reach(target, |it, from| Some(self.cost(it, from)))
        {
            hops.extend(link.map(|link| Hop { node, producer, link, cost }));
        }
    }

    fn through_each_neighbour(&self, producer: usize, hops: &mut Vec<Hop>) {
        let target = self.plan.producers[producer].node;
        for Reached { node, .. } in self.reach(target, |it, from| Some(self.cost(it, from))) {
            if node == target {
                continue;
            }
            let around = |link, from| {
                let leaves = self.other_end(link, from) == node || from == node;
                (!leaves).then(|| self.cost(link, from))
            };
            let others = self.reach(target, around);
            for &link in &self.links[node] {
                let neighbour = self.other_end(link, node);
                let reached = others.iter().find(|it| it.node == neighbour);
                let cost = reached.map(|it| it.cost.saturating_add(self.cost(link, node)));
                hops.extend(cost.map(|cost| Hop { node, producer, link, cost }));
            }
        }
    }
}

/// All computed next hops, producer by producer.
pub(crate) fn hops(plan: &Plan) -> Vec<Hop> {
    let graph = Graph::new(plan);
    let mut hops = Vec::new();
    for producer in 0..plan.producers.len() {
        match plan.routing.paths {
            Paths::Shortest => graph.shortest(producer, &mut hops),
            Paths::All => graph.through_each_neighbour(producer, &mut hops),
        }
    }
    hops
}

/// The edges that packets to a receiver come by at one place of their way over
/// `nodes`: where a bridge ends and another begins, the end comes first.
fn edges_there(plan: &Plan, nodes: &[usize], place: usize) -> Vec<NextHop> {
    let places = |it: &BridgePlan| places(nodes, [it.from, it.to]);
    let crossed = || (0..).zip(plan.bridges.iter().map(places));
    let edge = |side: usize, part| {
        let is_here = move |(number, places): (u32, Option<[usize; 2]>)| {
            places.filter(|it| it[side] == place).map(|_| NextHop::Edge(number, part))
        };
        crossed().filter_map(is_here)
    };
    edge(1, Part::Destination).chain(edge(0, Part::Source)).collect()
}

/// The edges that packets back to a sender come by at one node, if the flow's way
/// there crosses their bridges.
fn edges_back(graph: &Graph<'_>, [from, to]: [usize; 2], node: usize) -> Vec<NextHop> {
    let crosses = |it: &BridgePlan| {
        let way = graph.way(from, to).unwrap_or_default();
        places(&graph.nodes(from, &way), [it.from, it.to]).is_some()
    };
    let is_here = |it: &BridgePlan| it.from == node && it.sees_returned() && crosses(it);
    let bridges = (0..).zip(&graph.plan.bridges).filter(|(_, it)| is_here(it));
    bridges.map(|(number, _)| NextHop::Edge(number, Part::Returned)).collect()
}

/// The ways of all flows there and back; those between the same nodes are
/// shared. Behind them those of the bridges' own packets.
pub(crate) fn ways(plan: &Plan) -> Result<Ways, Unreachable> {
    let graph = Graph::new(plan);
    // By target, so that each needs its shortest paths once.
    let mut wanted: BTreeMap<usize, BTreeMap<(usize, bool), Route>> = BTreeMap::new();
    let parts = || plan.flows.iter().flat_map(FlowPlan::parts);
    for [from, to] in parts() {
        wanted.entry(to).or_default().insert((from, true), Route::default());
        wanted.entry(from).or_default().insert((to, false), Route::default());
    }
    let mut ways = Ways::default();
    for (&to, starts) in &mut wanted {
        let next = graph.next_links(to);
        for (&(from, to_receiver), route) in starts {
            let Some(way) = graph.follow(&next, from, to) else {
                let parted =
                    |it: &FlowPlan| it.parts().any(|part| part == [from, to] || part == [to, from]);
                let flow = plan.flows.iter().position(parted).expect("a flow wants this way");
                return Err(Unreachable::Flow(flow));
            };
            let nodes = graph.nodes(from, &way);
            *route = if to_receiver {
                let edges = |place| edges_there(plan, &nodes, place);
                ways.lay(&way, edges, NextHop::Here(Side::Receiver))
            } else {
                let edges = |place: usize| edges_back(&graph, [to, from], nodes[place]);
                ways.lay(&way, edges, NextHop::Here(Side::Sender))
            };
        }
    }
    ways.routes = parts()
        .map(|[from, to]| [wanted[&to][&(from, true)], wanted[&from][&(to, false)]])
        .collect();
    for (number, bridge) in plan.bridges.iter().enumerate() {
        let way = |from, to| graph.way(from, to).ok_or(Unreachable::Bridge(number));
        let (there, back) = (way(bridge.from, bridge.to)?, way(bridge.to, bridge.from)?);
        let port = there.first().ok_or(Unreachable::Bridge(number))?.port();
        let last = NextHop::Edge(number as u32, Part::Acknowledged);
        let back = ways.lay(&back, |_| Vec::new(), last);
        ways.bridges.push(BridgeWays { port, back });
    }
    Ok(ways)
}
