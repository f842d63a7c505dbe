//! Whether links join who talks to each other.

use windtunnel_world::Plan;

/// The parts of a network that no links join.
pub(crate) struct Parts {
    /// For each node, another one of its part; the part's own number at its root.
    parent: Vec<usize>,
}

impl Parts {
    /// The parts of a plan's network.
    pub(crate) fn of(plan: &Plan) -> Self {
        let mut parts = Self { parent: (0..plan.nodes.len()).collect() };
        for link in &plan.links {
            let [first, second] = link.nodes.map(|it| parts.shortened(it));
            parts.parent[first] = second;
        }
        for node in 0..plan.nodes.len() {
            parts.parent[node] = parts.shortened(node);
        }
        parts
    }

    /// Whether a path joins two nodes.
    pub(crate) fn joined(&self, [first, second]: [usize; 2]) -> bool {
        self.parent[first] == self.parent[second]
    }

    /// The root of a node's part, to which the path gets shorter (Tarjan 1975).
    fn shortened(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }
}

/// The first flow whose destination it cannot reach.
pub(crate) fn parted_flow(plan: &Plan) -> Option<usize> {
    let parts = Parts::of(plan);
    plan.flows.iter().position(|it| !parts.joined([it.from, it.to]))
}

/// The first consumer that reaches no producer of what it asks for, neither by links nor
/// by a route of the scenario's own.
pub(crate) fn parted_consumer(plan: &Plan) -> Option<usize> {
    let parts = Parts::of(plan);
    plan.consumers.iter().position(|consumer| {
        let prefix = &plan.prefixes[consumer.settings.prefix.0 as usize];
        let serves = |node: usize, served: usize| {
            parts.joined([node, consumer.node]) && plan.prefixes[served].is_prefix_of(prefix)
        };
        let routed = plan.routing.given.iter();
        let mut routed = routed.filter(|it| it.node == consumer.node);
        !plan.producers.iter().any(|it| serves(it.node, it.prefix))
            && !routed.any(|it| it.prefix.is_prefix_of(prefix))
    })
}
