//! The paths of flows, for what lies on them.

use windtunnel_world::{FlowPlan, Topology};

/// A flow's name, and the nodes that its data go through.
pub(crate) struct FlowPath<'a> {
    pub(crate) flow: &'a str,
    pub(crate) nodes: Vec<usize>,
}

/// The shortest path of each flow, or its own where it has one, of several the first.
pub(crate) fn flow_paths<'a>(flows: &'a [FlowPlan], topology: &Topology) -> Vec<FlowPath<'a>> {
    let path = |it: &'a FlowPlan| {
        let own = it.connections().next().and_then(|(_, path)| path.map(<[_]>::to_vec));
        let ports = own.or_else(|| topology.path(it.from, it.to))?;
        Some(FlowPath { flow: &it.name, nodes: topology.nodes_of(it.from, &ports) })
    };
    flows.iter().filter_map(path).collect()
}
