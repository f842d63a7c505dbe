//! Paths inside an autonomous system: the shortest at the start of the run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use windtunnel_engine::{Duration, Rate};

use super::plan::{SystemLinkPlan, SystemPlan};
use crate::layer::Interface;

/// A node of an autonomous system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemNode {
    /// Its system, by place among those.
    pub system: u32,
    /// Its place among the nodes of its system.
    pub member: u32,
    /// Its ports, in their order.
    pub ports: Vec<Port>,
    /// Its path to each node of its system, in the order of those.
    pub paths: Vec<InsidePath>,
}

/// A port of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The node at the other end.
    pub node: u32,
    /// The number of the interface that it is, if it leads to another system.
    pub interface: Option<u16>,
    /// The largest packet that the link carries, in bytes with the underlay's headers.
    pub mtu: u16,
}

/// A path from a node to another one of its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsidePath {
    /// The port to take; none at the node itself, and where there is no path.
    pub first: Option<Interface>,
    /// How long a bit takes.
    pub latency: Duration,
    /// The least that a link of it carries.
    pub bandwidth: Rate,
    /// Whether it exists.
    pub is_joined: bool,
}

/// Of no link at all.
pub(super) const FASTEST: Rate = match Rate::from_bits_per_second(u64::MAX) {
    Some(it) => it,
    None => panic!("it is not zero"),
};

impl InsidePath {
    const HERE: Self =
        Self { first: None, latency: Duration::ZERO, bandwidth: FASTEST, is_joined: true };

    const NONE: Self = Self { is_joined: false, ..Self::HERE };
}

/// All nodes, with the paths inside their systems.
pub(super) fn nodes(systems: &[SystemPlan], links: &[SystemLinkPlan]) -> Vec<SystemNode> {
    let count = systems.iter().flat_map(|it| &it.nodes).max().map_or(0, |it| *it as usize + 1);
    let mut nodes = vec![SystemNode::default(); count];
    for (system, plan) in (0..).zip(systems) {
        for (member, node) in (0..).zip(&plan.nodes) {
            nodes[*node as usize] = SystemNode { system, member, ..SystemNode::default() };
        }
    }
    let mut ends: Vec<Vec<&SystemLinkPlan>> = vec![Vec::new(); count];
    for link in links {
        for side in [0, 1] {
            let [near, far] = [link.nodes[side], link.nodes[1 - side]];
            let port = Port { node: far, interface: None, mtu: link.mtu };
            nodes[near as usize].ports.push(port);
            ends[near as usize].push(link);
        }
    }
    for plan in systems {
        for node in &plan.nodes {
            nodes[*node as usize].paths = paths(*node, plan, &nodes, &ends);
        }
    }
    nodes
}

/// The shortest paths from a node, as IP's paths.
fn paths(
    from: u32,
    plan: &SystemPlan,
    nodes: &[SystemNode],
    ends: &[Vec<&SystemLinkPlan>],
) -> Vec<InsidePath> {
    let mut paths = vec![InsidePath::NONE; plan.nodes.len()];
    let mut costs = vec![u64::MAX; plan.nodes.len()];
    let member = |node: u32| nodes[node as usize].member as usize;
    paths[member(from)] = InsidePath::HERE;
    costs[member(from)] = 0;
    let mut open = BinaryHeap::from([Reverse((0_u64, from))]);
    while let Some(Reverse((cost, node))) = open.pop() {
        if cost > costs[member(node)] {
            continue;
        }
        let known = paths[member(node)];
        for (number, link) in (0..).zip(&ends[node as usize]) {
            if link.relation.is_some() {
                continue;
            }
            let far = nodes[node as usize].ports[usize::from(number)].node;
            let next = cost.saturating_add(link.costs[usize::from(link.nodes[0] != node)]);
            if next < costs[member(far)] {
                costs[member(far)] = next;
                paths[member(far)] = InsidePath {
                    first: known.first.or(Some(Interface(number))),
                    latency: known.latency + link.latency,
                    bandwidth: known.bandwidth.min(link.bandwidth),
                    is_joined: true,
                };
                open.push(Reverse((next, far)));
            }
        }
    }
    paths
}
