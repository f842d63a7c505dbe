//! Whether links join who talks to each other.

use windtunnel_world::{FlowPlan, Groups};

use crate::network::stages::{Content, Network, Routed};

/// The parts of a network that no links join.
fn parts(network: &Network) -> Groups {
    let mut parts = Groups::new(network.nodes.len());
    for link in &network.links {
        parts.join(link.nodes);
    }
    parts
}

/// Whether links join two nodes.
pub(crate) fn are_joined(network: &Network, nodes: [usize; 2]) -> bool {
    parts(network).are_joined(nodes)
}

/// The first flow whose destination it cannot reach.
pub(crate) fn parted_flow(network: &Network, flows: &[FlowPlan]) -> Option<usize> {
    let mut parts = parts(network);
    flows.iter().position(|it| !parts.are_joined([it.from, it.to]))
}

/// Of the parts of the network that two nodes are in, all nodes of the lesser one.
pub(crate) fn lesser_part(network: &Network, nodes: [usize; 2]) -> Vec<usize> {
    let mut parts = parts(network);
    let part = |of| (0..network.nodes.len()).filter(|it| parts.are_joined([*it, of])).collect();
    let [one, other]: [Vec<usize>; 2] = nodes.map(part);
    if other.len() <= one.len() { other } else { one }
}

/// The first consumer that reaches no producer of what it asks for, neither by links nor
/// by a route of the scenario's own.
pub(crate) fn parted_consumer(routed: &Routed) -> Option<usize> {
    let Content { prefixes, producers, consumers, .. } = &routed.content;
    let mut parts = parts(&routed.network);
    consumers.iter().position(|consumer| {
        let prefix = &prefixes[consumer.settings.prefix.index()];
        let mut serves = |node: usize, served: usize| {
            parts.are_joined([node, consumer.node]) && prefixes[served].is_prefix_of(prefix)
        };
        let given = routed.routing.given.iter();
        let mut given = given.filter(|it| it.node == consumer.node);
        !producers.iter().any(|it| serves(it.node, it.prefix))
            && !given.any(|it| it.prefix.is_prefix_of(prefix))
    })
}
