//! Next hops to every producer, by delay or by hops.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

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
