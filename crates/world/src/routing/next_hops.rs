//! The next hops of names: of every node to every producer.

use super::detours::detours;
use super::topology::Topology;
use crate::plan::{Paths, Plan};
use crate::port_id::PortId;

/// One next hop of one node to one producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NextHop {
    pub(crate) node: usize,
    pub(crate) producer: usize,
    pub(crate) port: PortId,
    pub(crate) cost: u64,
}

/// All computed next hops, producer by producer.
pub(crate) fn next_hops(plan: &Plan, topology: &Topology) -> Vec<NextHop> {
    let mut hops = Vec::new();
    for (producer, it) in plan.producers.iter().enumerate() {
        let tree = topology.tree(it.node);
        match plan.routing.paths {
            Paths::Shortest => hops.extend(tree.reached.iter().filter_map(|it| {
                Some(NextHop { node: it.node, producer, port: it.port?, cost: it.cost })
            })),
            Paths::All => hops.extend(detours(topology, &tree).into_iter().map(|it| NextHop {
                node: it.node,
                producer,
                port: it.port,
                cost: it.cost,
            })),
        }
    }
    hops
}
