//! For every node and each of its neighbours, the shortest path to a target that begins
//! with that neighbour and does not come back.
//!
//! A neighbour whose own shortest path does not lead through the node takes that one.
//! The others lie behind the node in the tree of shortest paths, and only their part of
//! the tree is searched again, from the ports that lead out of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::topology::{Topology, Tree};
use crate::port_id::PortId;

/// A next hop: a port of a node, and the cost of the path that begins with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Detour {
    pub(super) node: usize,
    pub(super) port: PortId,
    pub(super) cost: u64,
}

/// The nodes of the tree such that what lies behind a node follows it directly.
pub(super) struct Order {
    nodes: Vec<u32>,
    /// For each node, where it and what lies behind it begins and ends.
    spans: Vec<[u32; 2]>,
}

impl Order {
    pub(super) fn of(topology: &Topology, tree: &Tree) -> Self {
        let mut behind = vec![Vec::new(); topology.nodes()];
        for it in tree.reached.iter().rev() {
            if let Some(port) = it.port {
                behind[topology.far(port)].push(it.node as u32);
            }
        }
        let mut order = Self { nodes: Vec::new(), spans: vec![[0; 2]; topology.nodes()] };
        let mut stack = vec![(tree.target() as u32, false)];
        while let Some((node, is_left)) = stack.pop() {
            let place = order.nodes.len() as u32;
            if is_left {
                order.spans[node as usize][1] = place;
                continue;
            }
            order.spans[node as usize][0] = place;
            order.nodes.push(node);
            stack.push((node, true));
            stack.extend(behind[node as usize].iter().map(|it| (*it, false)));
        }
        order
    }

    pub(super) fn behind(&self, node: usize) -> &[u32] {
        let [start, end] = self.spans[node];
        &self.nodes[start as usize + 1..end as usize]
    }

    fn is_behind(&self, node: usize, other: usize) -> bool {
        let [start, end] = self.spans[node];
        (start..end).contains(&self.spans[other][0])
    }
}

/// All next hops towards the tree's target, node by node in order of cost.
pub(super) fn detours(topology: &Topology, tree: &Tree) -> Vec<Detour> {
    let order = Order::of(topology, tree);
    let mut costs = vec![None; topology.nodes()];
    let mut detours = Vec::new();
    for node in tree.reached.iter().map(|it| it.node).filter(|it| *it != tree.target()) {
        search(topology, tree, &order, node, &mut costs);
        for &port in topology.ports(node) {
            let neighbour = topology.far(port);
            let rest = match order.is_behind(node, neighbour) {
                true => costs[neighbour],
                false => tree.cost(neighbour),
            };
            if let (Some(cost), Some(rest)) = (topology.cost(port), rest) {
                detours.push(Detour { node, port, cost: rest.saturating_add(cost) });
            }
        }
        order.behind(node).iter().for_each(|it| costs[*it as usize] = None);
    }
    detours
}

/// Finds the costs of what lies behind a node without it.
fn search(topology: &Topology, tree: &Tree, order: &Order, node: usize, costs: &mut [Option<u64>]) {
    let mut heap = BinaryHeap::new();
    for &inner in order.behind(node) {
        let out = topology.ports(inner as usize).iter().filter_map(|port| {
            let far = topology.far(*port);
            let leads_out = far != node && !order.is_behind(node, far);
            let rest = tree.cost(far).filter(|_| leads_out)?;
            Some(rest.saturating_add(topology.cost(*port)?))
        });
        if let Some(cost) = out.min() {
            heap.push(Reverse((cost, inner)));
        }
    }
    while let Some(Reverse((cost, inner))) = heap.pop() {
        let inner = inner as usize;
        if costs[inner].is_some() {
            continue;
        }
        costs[inner] = Some(cost);
        for port in topology.ports(inner) {
            let neighbour = topology.far(*port);
            if neighbour != node
                && order.is_behind(node, neighbour)
                && let Some(more) = topology.cost(port.reversed())
            {
                heap.push(Reverse((cost.saturating_add(more), neighbour as u32)));
            }
        }
    }
}
