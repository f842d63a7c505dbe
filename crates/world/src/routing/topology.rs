//! The topology of a network as it is at a time, and shortest paths in it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use windtunnel_engine::{Duration, Time};

use crate::plan::{
    ChangePlan, LinkChange, LinkPlan, Metric, Plan, Routing, SkyPlan, StaticRoutePlan,
};
use crate::port_id::PortId;

/// A node that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Its place in the plan.
    pub node: usize,
    /// The cost from it to the target.
    pub cost: u64,
    /// The port to take there; none at the target.
    pub port: Option<PortId>,
}

/// Nodes, and the ports between them that are up.
#[derive(Clone, Debug)]
pub struct Topology {
    metric: Metric,
    /// The nodes that each link joins.
    ends: Vec<[u32; 2]>,
    /// The ports out of all nodes, node by node in the order of their links, and where those
    /// of each node begin, with the end of the last.
    ports: Vec<PortId>,
    first: Vec<u32>,
    /// How long a bit takes through each port, and its weight.
    delays: Vec<Duration>,
    weights: Vec<u64>,
    /// What a path pays for each port that is up and announced; `UNUSABLE` for others.
    costs: Vec<u64>,
    is_up: Vec<bool>,
    /// Whether paths may lead over each port.
    is_announced: Vec<bool>,
    /// By link, whether it joins a place on the ground with a satellite; by node, whether it
    /// is such a place. Empty without satellites.
    leads_up: Vec<bool>,
    is_station: Vec<bool>,
    /// By node, whether no path leads over it: it is a place all of whose links lead up.
    is_end: Vec<bool>,
    static_routes: Vec<StaticRoutePlan>,
}

/// The cost of a port that cannot be used.
const UNUSABLE: u64 = u64::MAX;

impl Topology {
    /// The topology of a plan at its start.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self::of(plan.nodes.len(), &plan.links, plan.sky.as_ref(), &plan.routing)
    }

    /// The topology of that many nodes and these links, some of which may lead to satellites.
    #[must_use]
    pub fn of(nodes: usize, links: &[LinkPlan], sky: Option<&SkyPlan>, routing: &Routing) -> Self {
        let mut of_nodes = vec![Vec::new(); nodes];
        for (index, link) in links.iter().enumerate() {
            for (side, node) in link.nodes.into_iter().enumerate() {
                of_nodes[node].push(PortId::new(index, side));
            }
        }
        let ends = links.iter().map(|it| it.nodes.map(|node| node as u32)).collect();
        let directions = || links.iter().flat_map(|it| &it.directions);
        let is_up = vec![true; 2 * links.len()];
        let is_announced = is_up.clone();
        let mut first = vec![0];
        first.extend(of_nodes.iter().scan(0, |sum, it| {
            *sum += it.len() as u32;
            Some(*sum)
        }));
        let mut topology = Self {
            metric: routing.metric,
            ends,
            first,
            delays: directions().map(|it| it.delay).collect(),
            weights: directions().map(|it| it.weight).collect(),
            costs: vec![UNUSABLE; is_up.len()],
            is_up,
            is_announced,
            leads_up: Vec::new(),
            is_station: Vec::new(),
            is_end: vec![false; nodes],
            ports: of_nodes.concat(),
            static_routes: routing.static_routes.clone(),
        };
        topology.ports.clone().into_iter().for_each(|it| topology.update_cost(it));
        if let Some(sky) = sky {
            topology.add_sky(links, sky);
        }
        topology
    }

    /// Takes in which nodes are on the ground, and which links cannot be used at first.
    fn add_sky(&mut self, links: &[LinkPlan], sky: &SkyPlan) {
        self.is_station = vec![false; self.nodes()];
        sky.stations.iter().for_each(|it| self.is_station[it.0] = true);
        self.leads_up = vec![false; links.len()];
        for &link in &sky.links {
            self.leads_up[link] = links[link].nodes.iter().any(|it| self.is_station[*it]);
        }
        for node in 0..self.nodes() {
            let all_lead_up = self.ports(node).iter().all(|it| self.leads_up[it.link()]);
            self.is_end[node] = self.is_station[node] && all_lead_up;
        }
        let first = sky.contacts.iter().filter(|it| it.from == Time::ZERO).map(|it| it.link);
        for (links, is_announced) in [(sky.intermittent.clone(), false), (first.collect(), true)] {
            let ports = links.into_iter().flat_map(|it| [0, 1].map(|side| PortId::new(it, side)));
            for port in ports {
                self.is_announced[port.index()] = is_announced;
                self.update_cost(port);
            }
        }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// The ports out of a node, up or not.
    #[must_use]
    pub fn ports(&self, node: usize) -> &[PortId] {
        let [first, end] = [0, 1].map(|it| self.first[node + it] as usize);
        &self.ports[first..end]
    }

    /// The node that a port leads from.
    #[inline]
    #[must_use]
    pub fn near(&self, port: PortId) -> usize {
        self.ends[port.link()][port.direction()] as usize
    }

    /// The node that a port leads to.
    #[inline]
    #[must_use]
    pub fn far(&self, port: PortId) -> usize {
        self.ends[port.link()][1 - port.direction()] as usize
    }

    /// What a path pays for a port; none if that is down.
    #[inline]
    #[must_use]
    pub fn cost(&self, port: PortId) -> Option<u64> {
        Some(self.costs[port.index()]).filter(|it| *it != UNUSABLE)
    }

    /// Computes what a path pays for a port.
    fn update_cost(&mut self, port: PortId) {
        let index = port.index();
        let can_be_used = self.is_up[index] && self.is_announced[index];
        let cost = self.metric.cost(self.delays[index], self.weights[index]);
        self.costs[index] = if can_be_used { cost.min(UNUSABLE - 1) } else { UNUSABLE };
    }

    /// Whether a path that comes to a node through a port may go on through another one: a
    /// place on the ground does not forward from one satellite to another.
    #[inline]
    pub(crate) fn may_follow(&self, node: usize, into: PortId, out: Option<PortId>) -> bool {
        let leads_up = |port: PortId| self.leads_up.get(port.link()) == Some(&true);
        self.is_station.get(node) != Some(&true) || !(leads_up(into) && out.is_some_and(leads_up))
    }

    /// Whether paths can only begin and end at a node.
    #[inline]
    pub(crate) fn is_end(&self, node: usize) -> bool {
        self.is_end[node]
    }

    /// A link has another delay, in both directions.
    pub(crate) fn set_delay(&mut self, link: usize, delay: Duration) {
        for port in [0, 1].map(|side| PortId::new(link, side)) {
            self.delays[port.index()] = delay;
            self.update_cost(port);
        }
    }

    /// How long a bit takes along ports.
    pub(crate) fn propagation(&self, ports: &[PortId]) -> Duration {
        ports.iter().fold(Duration::ZERO, |sum, it| sum + self.delays[it.index()])
    }

    /// Becomes what it is after a change.
    pub fn apply(&mut self, change: &ChangePlan) {
        let port = change.port;
        match change.change {
            LinkChange::Up => self.is_up[port.index()] = true,
            LinkChange::Down | LinkChange::Cut => self.is_up[port.index()] = false,
            LinkChange::Announce => self.is_announced[port.index()] = true,
            LinkChange::Withdraw => self.is_announced[port.index()] = false,
            LinkChange::Delay(delay) => self.delays[port.index()] = delay,
            LinkChange::Rate(_)
            | LinkChange::Loss(_)
            | LinkChange::Lateness(_)
            | LinkChange::QueueLimit(_)
            | LinkChange::Stall
            | LinkChange::Lose
            | LinkChange::Deliver => {}
        }
        self.update_cost(port);
    }

    /// The least cost from every node to `target`, in order of cost (Dijkstra
    /// 1959). `cost` is that of a port; one without is not taken. Of several ports of
    /// equal cost a node takes the one of the first link.
    pub fn reach(&self, target: usize, cost: impl Fn(PortId) -> Option<u64>) -> Vec<Reached> {
        let mut is_done = vec![false; self.nodes()];
        let mut reached = Vec::new();
        let mut heap = BinaryHeap::from([Reverse((0, target as u32, None))]);
        while let Some(Reverse((so_far, node, port))) = heap.pop() {
            let node = node as usize;
            if std::mem::replace(&mut is_done[node], true) {
                continue;
            }
            reached.push(Reached { node, cost: so_far, port });
            for &out in self.ports(node) {
                let back = out.reversed();
                let neighbour = self.far(out);
                if !is_done[neighbour]
                    && self.may_follow(node, back, port)
                    && let Some(cost) = cost(back)
                {
                    let total = so_far.saturating_add(cost);
                    heap.push(Reverse((total, neighbour as u32, Some(back))));
                }
            }
        }
        reached
    }

    /// The shortest paths from every node to `target`.
    #[must_use]
    pub fn tree(&self, target: usize) -> Tree {
        self.tree_over(target, |_| true)
    }

    /// The paths of IP packets from every node to `target`, which lead only through ports that
    /// `may_use` allows: by static routes where a node has one, elsewhere the shortest.
    #[must_use]
    pub fn ip_tree(&self, target: usize, may_use: impl Fn(PortId) -> bool) -> Tree {
        let mut tree = self.tree_over(target, may_use);
        let routes = self.static_routes.iter().filter(|it| it.destination == target);
        routes.for_each(|it| tree.fix(self.near(it.port), it.port));
        tree
    }

    /// Whether a node has a static route to a destination.
    pub(crate) fn has_static_routes(&self, destination: usize) -> bool {
        self.static_routes.iter().any(|it| it.destination == destination)
    }

    fn tree_over(&self, target: usize, may_use: impl Fn(PortId) -> bool) -> Tree {
        let mut tree = Tree {
            target: target as u32,
            reached: self.reach(target, |port| self.cost(port).filter(|_| may_use(port))),
            costs: vec![None; self.nodes()],
            next: vec![None; self.nodes()],
            fixed: Vec::new(),
        };
        for it in &tree.reached {
            (tree.costs[it.node], tree.next[it.node]) = (Some(it.cost), it.port);
        }
        tree
    }

    /// The path of IP packets from one node to another, as its ports; none if no links that
    /// are up join them, or static routes form a loop.
    #[must_use]
    pub fn path(&self, from: usize, to: usize) -> Option<Vec<PortId>> {
        self.ip_tree(to, |_| true).path(self, from)
    }

    /// The nodes of a path that begins at `from`.
    #[must_use]
    pub fn nodes_of(&self, from: usize, path: &[PortId]) -> Vec<usize> {
        std::iter::once(from).chain(path.iter().map(|it| self.far(*it))).collect()
    }
}

/// The paths from every node to one target: the shortest, except for those of static routes.
#[derive(Clone, Debug)]
pub struct Tree {
    target: u32,
    /// The nodes that reach the target, in order of cost, by the shortest paths.
    pub reached: Vec<Reached>,
    /// By node; none from where the target is not reached.
    costs: Vec<Option<u64>>,
    next: Vec<Option<PortId>>,
    /// The nodes with a static route.
    fixed: Vec<usize>,
}

impl Tree {
    /// The node that all paths lead to.
    #[must_use]
    pub fn target(&self) -> usize {
        self.target as usize
    }

    /// A node takes that port, however long the path is.
    fn fix(&mut self, node: usize, port: PortId) {
        self.next[node] = Some(port);
        self.fixed.push(node);
    }

    /// The cost of the shortest path from a node, if it reaches the target.
    #[must_use]
    pub fn cost(&self, node: usize) -> Option<u64> {
        self.costs[node]
    }

    /// The port that a node's path begins with.
    #[must_use]
    pub fn next(&self, node: usize) -> Option<PortId> {
        self.next[node]
    }

    /// All ports with which paths of a node begin, in the order of their links: that of its static
    /// route, or those of shortest paths, each of which leads nearer to the target. None from
    /// where that is not reached.
    pub fn equal(&self, topology: &Topology, node: usize) -> impl Iterator<Item = PortId> {
        let total = self.cost(node).filter(|_| !self.fixed.contains(&node));
        topology.ports(node).iter().copied().filter(move |port| {
            let rest = self.cost(topology.far(*port));
            let through = topology.cost(*port).zip(rest);
            let through = through.map(|(cost, rest)| cost.saturating_add(rest));
            // Beyond the clock all costs are equal, and only the tree leads to its target.
            self.next(node) == Some(*port) || through == total && rest < total
        })
    }

    /// The path from a node, as its ports.
    #[must_use]
    pub fn path(&self, topology: &Topology, from: usize) -> Option<Vec<PortId>> {
        self.walk(topology, from, |node| self.next(node))
    }

    /// The path from a node on which each node's next port is chosen; none if it comes back to
    /// where it was.
    pub(crate) fn walk(
        &self,
        topology: &Topology,
        from: usize,
        choose: impl Fn(usize) -> Option<PortId>,
    ) -> Option<Vec<PortId>> {
        let (mut node, mut path) = (from, Vec::new());
        while node != self.target() {
            let port = choose(node).filter(|_| path.len() < topology.nodes())?;
            path.push(port);
            node = topology.far(port);
        }
        Some(path)
    }
}
