//! The shortest path between two nodes, by A* (Hart, Nilsson and Raphael 1968): of the nodes
//! that a path may lead over, those are looked at first from which the straight line is
//! short. Among thousands of satellites a few dozen are looked at.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::topology::Topology;
use crate::port_id::PortId;

/// What a search needs, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// Those of the last search have its number.
    seen: Vec<Seen>,
    number: u32,
    heap: BinaryHeap<Reverse<(u64, u64, u32)>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    number: u32,
    /// The least cost to the target that is known.
    cost: u64,
    /// What is left from the source at the least.
    rest: u64,
    port: Option<PortId>,
}

impl Search {
    /// The shortest path, as its ports; none if no links that can be used join the two.
    /// `bound` says of a node what a path to `from` costs at the least: never more than one
    /// link's cost less than of a neighbour.
    pub(crate) fn path(
        &mut self,
        topology: &Topology,
        [from, to]: [usize; 2],
        bound: impl Fn(usize) -> u64,
    ) -> Option<Vec<PortId>> {
        self.number += 1;
        self.seen.resize(topology.nodes(), Seen::default());
        self.heap.clear();
        self.seen[to] = Seen { number: self.number, cost: 0, rest: 0, port: None };
        self.heap.push(Reverse((bound(to), 0, to as u32)));
        while let Some(Reverse((_, cost, node))) = self.heap.pop() {
            let node = node as usize;
            let port = self.seen[node].port;
            if cost > self.seen[node].cost {
                continue;
            }
            if node == from {
                return Some(self.ports(topology, from, to));
            }
            for &out in topology.ports(node) {
                let back = out.reversed();
                let Some(more) = topology.cost(back) else { continue };
                let neighbour = topology.far(out);
                if topology.is_end(neighbour) && neighbour != from {
                    continue;
                }
                let total = cost.saturating_add(more);
                let seen = &mut self.seen[neighbour];
                if (seen.number < self.number || total < seen.cost)
                    && topology.may_follow(node, back, port)
                {
                    let is_new = seen.number < self.number;
                    let rest = if is_new { bound(neighbour) } else { seen.rest };
                    *seen = Seen { number: self.number, cost: total, rest, port: Some(back) };
                    let least = total.saturating_add(rest);
                    self.heap.push(Reverse((least, total, neighbour as u32)));
                }
            }
        }
        None
    }

    /// The path that the last search found.
    fn ports(&self, topology: &Topology, from: usize, to: usize) -> Vec<PortId> {
        let next = |node: usize| Some(node).filter(|it| *it != to).and(self.seen[node].port);
        std::iter::successors(next(from), |port| next(topology.far(*port))).collect()
    }
}
