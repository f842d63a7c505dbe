//! Routing: the topology as it is, the shortest paths in it, and the next hops of names.

mod detours;
mod next_hops;
#[cfg(test)]
pub(crate) mod tests;
mod topology;

pub(crate) use next_hops::next_hops;
pub use topology::{PortId, Reached, Topology, Tree};

use crate::plan::Plan;

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

/// Whether the network has a cycle, so that a packet could come back to where it was.
pub(crate) fn has_cycle(plan: &Plan) -> bool {
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
