//! Whether links join who talks to each other.

use windtunnel_world::{Groups, Plan};

/// The parts of a network that no links join.
fn parts(plan: &Plan) -> Groups {
    let mut parts = Groups::new(plan.nodes.len());
    for link in &plan.links {
        parts.join(link.nodes);
    }
    parts
}

/// Whether links join two nodes.
pub(crate) fn are_joined(plan: &Plan, nodes: [usize; 2]) -> bool {
    parts(plan).are_joined(nodes)
}

/// The first flow whose destination it cannot reach.
pub(crate) fn parted_flow(plan: &Plan) -> Option<usize> {
    let mut parts = parts(plan);
    plan.flows.iter().position(|it| !parts.are_joined([it.from, it.to]))
}

/// Of the parts of the network that two nodes are in, all nodes of the lesser one.
pub(crate) fn lesser_part(plan: &Plan, nodes: [usize; 2]) -> Vec<usize> {
    let mut parts = parts(plan);
    let part = |of| (0..plan.nodes.len()).filter(|it| parts.are_joined([*it, of])).collect();
    let [one, other]: [Vec<usize>; 2] = nodes.map(part);
    if other.len() <= one.len() { other } else { one }
}

/// The first consumer that reaches no producer of what it asks for, neither by links nor
/// by a route of the scenario's own.
pub(crate) fn parted_consumer(plan: &Plan) -> Option<usize> {
    let mut parts = parts(plan);
    plan.consumers.iter().position(|consumer| {
        let prefix = &plan.prefixes[consumer.settings.prefix.index()];
        let mut serves = |node: usize, served: usize| {
            parts.are_joined([node, consumer.node]) && plan.prefixes[served].is_prefix_of(prefix)
        };
        let routed = plan.routing.given.iter();
        let mut routed = routed.filter(|it| it.node == consumer.node);
        !plan.producers.iter().any(|it| serves(it.node, it.prefix))
            && !routed.any(|it| it.prefix.is_prefix_of(prefix))
    })
}
