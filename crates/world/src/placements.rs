//! Where functions see packets: which of them at which node of which path.

use windtunnel_networks::bridge::{ACKNOWLEDGED, Duplicates, FORTH, RETURNED};
use windtunnel_networks::function::Tap;
use windtunnel_networks::tunnel::LEAVE;

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

/// The number of a tunnel's end among the functions: they follow those of the bridges.
pub(crate) fn end_of(plan: &Plan, tunnel: usize, side: usize) -> u32 {
    (2 * (plan.bridges.len() + tunnel) + side) as u32
}

/// Which functions see the packets of which paths.
#[derive(Clone, Debug)]
pub(crate) struct Placements {
    bridges: Vec<Placement>,
    /// The nodes of the ends of tunnels that IP packets enter, and the first end's number.
    tunnels: Vec<([usize; 2], u32)>,
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
        let tunnels = plan.tunnels.iter().enumerate().filter(|(_, it)| it.face().is_none());
        let tunnels = tunnels.map(|(tunnel, it)| (it.ends, end_of(plan, tunnel, 0))).collect();
        Self { bridges, tunnels, topology: Topology::new(plan) }
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

    /// The end of a tunnel that begins at one place of a path over `nodes`, and the place of
    /// the other end. A tunnel's own packets, which end as `last` says, do not enter it.
    pub(crate) fn tunnel_from(
        &self,
        last: Hop,
        nodes: &[usize],
        place: usize,
    ) -> Option<(u32, usize)> {
        self.tunnels.iter().find_map(|&(ends, first)| {
            let side = ends.iter().position(|it| *it == nodes[place])?;
            let exit = places(nodes, [ends[side], ends[1 - side]])?[1];
            let own = [0, 1].map(|it| Hop::ToFunction(first + it, LEAVE));
            (!own.contains(&last)).then_some((first + side as u32, exit))
        })
    }

    /// Whether a tunnel ends at a node.
    pub(crate) fn has_tunnel_at(&self, node: usize) -> bool {
        self.tunnels.iter().any(|(ends, _)| ends.contains(&node))
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
pub(crate) fn acknowledgement_path(bridge: usize, plan: &BridgePlan) -> PathKey {
    let last = Hop::ToFunction(source_of(bridge), ACKNOWLEDGED);
    PathKey { from: plan.to as u32, to: plan.from as u32, last, variant: 0 }
}

/// The path through a tunnel from its end on one side.
pub(crate) fn tunnel_path(plan: &Plan, tunnel: usize, side: usize) -> PathKey {
    let [from, to] = [side, 1 - side].map(|it| plan.tunnels[tunnel].ends[it] as u32);
    let last = Hop::ToFunction(end_of(plan, tunnel, 1 - side), LEAVE);
    PathKey { from, to, last, variant: 0 }
}
