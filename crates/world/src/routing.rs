//! Next hops to every producer, by delay or by hops.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::plan::{Metric, Paths, Plan};

/// A consumer whose prefix no producer can be reached under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// The consumer's place in the plan.
    pub consumer: usize,
}

/// One next hop of one node to one producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) node: usize,
    pub(crate) producer: usize,
    pub(crate) link: usize,
    pub(crate) cost: u64,
}

/// The links at each node.
pub(crate) fn adjacency(plan: &Plan) -> Vec<Vec<usize>> {
    let mut links = vec![Vec::new(); plan.nodes.len()];
    for (index, link) in plan.links.iter().enumerate() {
        for node in link.nodes {
            links[node].push(index);
        }
    }
    links
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

struct Graph<'a> {
    plan: &'a Plan,
    links: Vec<Vec<usize>>,
}

impl Graph<'_> {
    /// The cost of a link towards the producers: that of the direction which the
    /// Interests take, out of `node`.
    fn cost(&self, link: usize, node: usize) -> u64 {
        match self.plan.routing.metric {
            Metric::Hops => 1,
            Metric::Delay => {
                let link = &self.plan.links[link];
                let direction = usize::from(link.nodes[0] != node);
                // One more picosecond a link: of equal delays, fewer hops.
                link.directions[direction].delay.as_picos() + 1
            }
        }
    }

    fn other_end(&self, link: usize, node: usize) -> usize {
        let [first, second] = self.plan.links[link].nodes;
        if first == node { second } else { first }
    }

    /// The cost from every reachable node to `target`, and the link to take, with
    /// paths through `without` left out (Dijkstra). In order of cost.
    fn distances(&self, target: usize, without: Option<usize>) -> Vec<(usize, u64, Option<usize>)> {
        let mut best: std::collections::BTreeMap<usize, u64> = std::collections::BTreeMap::new();
        let mut reached = Vec::new();
        let mut heap = BinaryHeap::from([Reverse((0, target, None))]);
        while let Some(Reverse((cost, node, link))) = heap.pop() {
            if best.contains_key(&node) || Some(node) == without {
                continue;
            }
            best.insert(node, cost);
            reached.push((node, cost, link));
            for &next in &self.links[node] {
                let neighbour = self.other_end(next, node);
                if !best.contains_key(&neighbour) {
                    heap.push(Reverse((cost + self.cost(next, neighbour), neighbour, Some(next))));
                }
            }
        }
        reached
    }

    fn shortest(&self, producer: usize, hops: &mut Vec<Hop>) {
        let target = self.plan.producers[producer].node;
        for (node, cost, link) in self.distances(target, None) {
            hops.extend(link.map(|link| Hop { node, producer, link, cost }));
        }
    }

    fn through_each_neighbour(&self, producer: usize, hops: &mut Vec<Hop>) {
        let target = self.plan.producers[producer].node;
        for (node, ..) in self.distances(target, None) {
            if node == target {
                continue;
            }
            let others = self.distances(target, Some(node));
            for &link in &self.links[node] {
                let neighbour = self.other_end(link, node);
                let reached = others.iter().find(|(it, ..)| *it == neighbour);
                let cost = reached.map(|(_, rest, _)| rest + self.cost(link, node));
                hops.extend(cost.map(|cost| Hop { node, producer, link, cost }));
            }
        }
    }
}

/// All computed next hops, producer by producer.
pub(crate) fn hops(plan: &Plan) -> Vec<Hop> {
    let graph = Graph { plan, links: adjacency(plan) };
    let mut hops = Vec::new();
    for producer in 0..plan.producers.len() {
        match plan.routing.paths {
            Paths::Shortest => graph.shortest(producer, &mut hops),
            Paths::All => graph.through_each_neighbour(producer, &mut hops),
        }
    }
    hops
}
