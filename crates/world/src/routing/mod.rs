//! Routing: the topology as it is, the shortest paths in it, and the next hops of names.

mod detours;
mod groups;
mod loops;
mod next_hops;
mod search;
#[cfg(test)]
pub(crate) mod tests;
mod topology;

pub use groups::Groups;
pub(crate) use next_hops::{NextHop, next_hops};
pub(crate) use search::Search;
pub use topology::{Reached, Topology, Tree};

use crate::plan::Plan;

/// The paths of IP packets to a node over links that IP uses: those inside a domain. `domains` are
/// the numbers of the domains by node.
#[must_use]
pub fn ip_tree(topology: &Topology, domains: Option<&[u32]>, to: usize) -> Tree {
    let is_inside =
        |port| domains.is_none_or(|of| of[topology.near(port)] == of[topology.far(port)]);
    topology.ip_tree(to, is_inside)
}

/// Who has no path to where it wants to go, by its place in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreachable {
    /// A consumer whose prefix no producer can be reached under.
    Consumer(usize),
    /// A flow between two nodes that no links join.
    Flow(usize),
    /// A bridge between two such nodes.
    Bridge(usize),
    /// A tunnel between two such nodes.
    Tunnel(usize),
}

/// Whether the network has a cycle, so that a packet could come back to where it was.
pub(crate) fn has_cycle(plan: &Plan) -> bool {
    let mut joined = Groups::new(plan.nodes.len());
    plan.links.iter().any(|link| !joined.join(link.nodes))
}
