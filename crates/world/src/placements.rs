//! Where functions see packets: which of them at which node of which path.

use windtunnel_networks::bridge::{ACKNOWLEDGED, Duplicates, FORTH, RETURNED};
use windtunnel_networks::function::Tap;

use crate::path::{Hop, PathKey};
use crate::plan::{BridgePlan, Plan};
use crate::routing::Topology;
use crate::side::Side;

/// The places of the two `edges` on a path over these nodes; none if it does not lead
/// from the one to the other.
#[must_use]
pub fn places(nodes: &[usize], edges: [usize; 2]) -> Option<[usize; 2]> {
    let place = |node| nodes.iter().position(|it| *it == node);
    let [from, to] = [place(edges[0])?, place(edges[1])?];
    (from < to).then_some([from, to])
}

/// The number of a bridge's source edge among the functions; its destination edge
/// follows.
pub(crate) fn source_of(bridge: usize) -> u32 {
    2 * bridge as u32
}

/// Which functions see the packets of which paths.
#[derive(Clone, Debug)]
pub(crate) struct Placements {
    bridges: Vec<Placement>,
    /// The paths of data, by the hosts between which they lead: what comes back passes the
    /// same bridges.
    topology: Topology,
}

#[derive(Clone, Debug)]
struct Placement {
    edges: [usize; 2],
    /// Whether the source edge has to see what comes back.
    sees_returned: bool,
}

impl Placements {
    pub(crate) fn new(plan: &Plan) -> Self {
        let placement = |it: &BridgePlan| Placement {
            edges: [it.from, it.to],
            sees_returned: it.source.duplicates != Duplicates::Pass,
        };
        let bridges = plan.bridges.iter().map(placement).collect();
        Self { bridges, topology: Topology::new(plan) }
    }

    /// The functions that see the packets of a path over `nodes` at one place of it: where
    /// a bridge ends and another begins, the end comes first.
    pub(crate) fn on_path(&self, key: PathKey, nodes: &[usize], place: usize) -> Vec<(u32, Tap)> {
        match key.last {
            Hop::Here(Side::Receiver) => self.forth(nodes, place),
            Hop::Here(Side::Sender) => self.back(key, nodes[place]),
            _ => Vec::new(),
        }
    }

    fn forth(&self, nodes: &[usize], place: usize) -> Vec<(u32, Tap)> {
        let crossed = |side: usize| {
            let bridges = self.bridges.iter().enumerate();
            bridges
                .filter(move |(_, it)| places(nodes, it.edges).is_some_and(|it| it[side] == place))
                .map(move |(bridge, _)| (source_of(bridge) + side as u32, FORTH))
        };
        crossed(1).chain(crossed(0)).collect()
    }

    /// Those at one node on the way back to a sender, if the flow's path there crosses
    /// their bridges.
    fn back(&self, key: PathKey, node: usize) -> Vec<(u32, Tap)> {
        let crosses = |it: &Placement| {
            let (from, to) = (key.to as usize, key.from as usize);
            let path = self.topology.path(from, to).unwrap_or_default();
            places(&self.topology.nodes_of(from, &path), it.edges).is_some()
        };
        let bridges = self.bridges.iter().enumerate();
        bridges
            .filter(|(_, it)| it.sees_returned && it.edges[0] == node && crosses(it))
            .map(|(bridge, _)| (source_of(bridge), RETURNED))
            .collect()
    }
}

/// The path of a bridge's acknowledgements.
pub(crate) fn own_path(bridge: usize, plan: &BridgePlan) -> PathKey {
    let last = Hop::Function(source_of(bridge), ACKNOWLEDGED);
    PathKey { from: plan.to as u32, to: plan.from as u32, last, variant: 0 }
}
