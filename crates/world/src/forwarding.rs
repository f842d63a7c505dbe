//! How IP packets find their next hop.
//!
//! The path of a flow is computed once and written down as a list of hops; a packet holds
//! the place of its next hop there. When the topology changes, the flow's packets take
//! another list, and those that were under way on the old one are forwarded by the tables
//! of the nodes that they come to, which are the trees of shortest paths to the
//! destinations in use.
//!
//! Where nodes move, all paths are searched for again and again, and the trees are made when
//! a packet needs them.

mod moving;

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_engine::{Time, hash_pair, hash_twice};
use windtunnel_networks::layer::{Destination, Interface};
use windtunnel_networks::tunnel::ENTER;
use windtunnel_packets::Route;

use crate::host_paths;
use crate::path::{self, Hop, PathKey};
use crate::placements::{self, Placements};
use crate::plan::{Plan, Sharing};
use crate::port_id::PortId;
use crate::routing::{Topology, Tree, Unreachable, ip_tree};
use crate::side::Side;
use moving::Moving;

/// The destination of packets for which no node has a route.
const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Path {
    key: PathKey,
    /// Where packets enter it: the same for ever.
    entry: Route,
    /// The ports that it led over at any time, and where their lists begin; the last are
    /// those of now. No ports are those of a time without a path: the tables drop packets.
    lists: Vec<(Vec<PortId>, Route)>,
    is_pinned: bool,
}

impl Path {
    /// Its ports now, and where their list begins.
    fn list(&self) -> &(Vec<PortId>, Route) {
        self.lists.last().expect("a path is installed with a list")
    }
}

/// The tables of all nodes for one destination, and what happens to packets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Table {
    destination: u32,
    last: Hop,
}

/// The paths of all IP packets.
#[derive(Clone, Debug)]
pub(crate) struct Forwarding {
    hops: Vec<Hop>,
    paths: Vec<Path>,
    known: BTreeMap<PathKey, usize>,
    /// Which functions see the packets of which paths, if there are any.
    placements: Option<Placements>,
    topology: Topology,
    /// By node, its domain, if IP does not join all of them.
    domains: Option<Arc<[u32]>>,
    /// Whether IP joins all domains beside their carrier.
    has_plain_paths: bool,
    sharing: Sharing,
    /// Kept where paths may change or are looked for during the run.
    trees: BTreeMap<u32, Tree>,
    moving: Option<Box<Moving>>,
    tables: Vec<Table>,
    table_routes: BTreeMap<Table, Route>,
    /// Where the paths lead on which other network layers carry packets.
    destinations: Vec<Destination>,
    /// How many packets were shared out at each node, where packets are.
    shared: Vec<u32>,
}

impl Forwarding {
    /// The paths of all flows of a plan, and of its functions' own packets.
    ///
    /// # Errors
    /// [`Unreachable`] if a flow or a bridge has no path; of a flow only where no node moves.
    pub(crate) fn new(plan: &Plan) -> Result<Self, Unreachable> {
        let mut forwarding = Self {
            hops: Vec::new(),
            paths: Vec::new(),
            known: BTreeMap::new(),
            placements: plan.has_functions().then(|| Placements::new(plan)),
            topology: Topology::new(plan),
            domains: plan.domains.as_ref().map(|it| Arc::clone(&it.of)),
            has_plain_paths: plan.domains.as_ref().is_some_and(|it| it.has_plain_paths),
            sharing: plan.routing.sharing,
            trees: BTreeMap::new(),
            moving: plan.sky.as_ref().map(|it| Box::new(Moving::new(plan, it))),
            tables: Vec::new(),
            table_routes: BTreeMap::new(),
            destinations: Vec::new(),
            shared: vec![0; plan.nodes.len()],
        };
        forwarding.add_flows(plan)?;
        forwarding.add_functions(plan)?;
        forwarding.add_between_hosts(host_paths::between_attachments(plan).flatten());
        forwarding.add_between_hosts(host_paths::of_names(plan).flatten());
        let looks_up = !plan.attachments.is_empty() || plan.routing.sharing != Sharing::None;
        if plan.sky.is_none() && (plan.routes_change() || looks_up) {
            forwarding.keep_trees();
        }
        Ok(forwarding)
    }

    fn add_flows(&mut self, plan: &Plan) -> Result<(), Unreachable> {
        let mut wanted: BTreeMap<u32, Vec<(PathKey, usize)>> = BTreeMap::new();
        let mut number = 0;
        for (index, flow) in plan.flows.iter().enumerate() {
            for (part, ports) in flow.connections() {
                let own = path::variant(self.sharing, flow, number);
                number += 1;
                if self.are_apart(part) {
                    let interfaces = ports.and_then(|it| self.interfaces(part, it));
                    self.install_carried(path::keys(part, own), interfaces);
                    continue;
                }
                if let Some(ports) = ports {
                    self.pin(path::keys(part, own), ports);
                    continue;
                }
                let takes_all = self.sharing == Sharing::Flows && flow.has_many_connections();
                let variants = if takes_all { 0..path::VARIANTS as u32 } else { own..own + 1 };
                for key in variants.flat_map(|it| path::keys(part, it)) {
                    wanted.entry(key.to).or_default().push((key, index));
                }
            }
        }
        for (to, keys) in wanted {
            let tree = self.tree(to);
            for (key, flow) in keys {
                let route = self.add(key, &tree);
                if route.is_none() && self.moving.is_some() {
                    self.install_none(key);
                } else {
                    route.ok_or(Unreachable::Flow(flow))?;
                }
            }
        }
        Ok(())
    }

    /// Lays the paths that routing does not change.
    fn pin(&mut self, [forth, back]: [PathKey; 2], ports: &[PortId]) {
        let reversed = ports.iter().rev().map(|it| it.reversed()).collect();
        self.install(forth, ports.to_vec(), true);
        self.install(back, reversed, true);
    }

    fn add_functions(&mut self, plan: &Plan) -> Result<(), Unreachable> {
        for (bridge, it) in plan.bridges.iter().enumerate() {
            let tree = self.topology.ip_tree(it.from, |_| true);
            let back = self.add(placements::acknowledgement_path(bridge, it), &tree);
            back.filter(|_| self.topology.path(it.from, it.to).is_some())
                .ok_or(Unreachable::Bridge(bridge))?;
        }
        for tunnel in 0..plan.tunnels.len() {
            let keys = [0, 1].map(|side| placements::tunnel_path(plan, tunnel, side));
            if let Some(link) = plan.tunnels[tunnel].face() {
                self.pin(keys, &[PortId::new(link, 0)]);
                continue;
            }
            for key in keys {
                let tree = self.topology.ip_tree(key.to as usize, |_| true);
                self.add(key, &tree).ok_or(Unreachable::Tunnel(tunnel))?;
            }
        }
        Ok(())
    }

    /// These paths between hosts that are of no flow, as far as there are any.
    fn add_between_hosts(&mut self, keys: impl Iterator<Item = PathKey>) {
        for key in keys {
            let ends = [key.from, key.to].map(|it| it as usize);
            if self.are_apart(ends) {
                // The path back is laid with the one forth.
                if key.last == Hop::Here(Side::Receiver) && !self.known.contains_key(&key) {
                    self.install_carried(path::keys(ends, key.variant), None);
                }
                continue;
            }
            let tree = self.tree(key.to);
            if self.add(key, &tree).is_none() && self.moving.is_some() {
                self.install_none(key);
            }
        }
    }

    fn keep_trees(&mut self) {
        for path in &self.paths {
            let to = path.key.to;
            let (domains, topology) = (self.domains.as_deref(), &self.topology);
            self.trees.entry(to).or_insert_with(|| ip_tree(topology, domains, to as usize));
        }
    }

    /// Adds a path, if it is not known; none if there is none.
    fn add(&mut self, key: PathKey, tree: &Tree) -> Option<Route> {
        if let Some(known) = self.known.get(&key) {
            return Some(self.paths[*known].entry);
        }
        let ports = self.find(key, tree)?;
        Some(self.install(key, ports, false))
    }

    /// The ports of a path in a tree.
    fn find(&self, key: PathKey, tree: &Tree) -> Option<Vec<PortId>> {
        let from = key.from as usize;
        if self.sharing == Sharing::None {
            return tree.path(&self.topology, from);
        }
        tree.walk(&self.topology, from, |node| {
            let equal: Vec<PortId> = tree.equal(&self.topology, node).collect();
            let pair = hash_pair(key.from, key.to) ^ u64::from(key.variant);
            let chosen = hash_twice(pair ^ hash_pair(node as u32, key.variant));
            equal.get((chosen % equal.len().max(1) as u64) as usize).copied()
        })
    }

    fn install(&mut self, key: PathKey, ports: Vec<PortId>, is_pinned: bool) -> Route {
        let entry = if self.goes_by_tables() && !is_pinned {
            self.table(key.to, key.last)
        } else {
            self.lay(key, &ports)
        };
        self.known.insert(key, self.paths.len());
        self.paths.push(Path { key, entry, lists: vec![(ports, entry)], is_pinned });
        entry
    }

    /// Whether packets have no path but the tables.
    fn goes_by_tables(&self) -> bool {
        self.sharing == Sharing::Packets || self.moving.as_ref().is_some_and(|it| it.spreads())
    }

    /// Leads the packets of a path that there is not yet to the tables.
    fn install_none(&mut self, key: PathKey) {
        let table = self.table(key.to, key.last);
        let entry = Route(self.hops.len() as u32);
        self.hops.push(Hop::Jump(table));
        self.known.insert(key, self.paths.len());
        self.paths.push(Path { key, entry, lists: vec![(Vec::new(), entry)], is_pinned: false });
    }

    /// Leads the packets of a path and of its way back to another network layer of the node
    /// where they begin.
    fn install_carried(&mut self, [forth, back]: [PathKey; 2], ends: Option<[Interface; 2]>) {
        let reversed = ends.map(|[first, last]| [last, first]);
        for (key, interfaces) in [(forth, ends), (back, reversed)] {
            let plain = self.has_plain_paths.then(|| self.lay_plain(key)).flatten();
            let entry = Route(self.hops.len() as u32);
            self.hops.extend([Hop::Carried(self.destinations.len() as u32), key.last]);
            self.destinations.push(Destination { node: key.to, interfaces, plain });
            self.known.insert(key, self.paths.len());
            self.paths.push(Path { key, entry, lists: vec![(Vec::new(), entry)], is_pinned: true });
        }
    }

    /// Writes down the shortest path of plain IP packets through all domains, if there is one.
    fn lay_plain(&mut self, key: PathKey) -> Option<Route> {
        let tree = self.topology.ip_tree(key.to as usize, |_| true);
        let ports = tree.path(&self.topology, key.from as usize)?;
        Some(self.lay(key, &ports))
    }

    /// The interfaces at both ends of a path that begins and ends with these ports.
    fn interfaces(&self, [from, to]: [usize; 2], ports: &[PortId]) -> Option<[Interface; 2]> {
        let interface = |node: usize, port: PortId| {
            let place = self.topology.ports(node).iter().position(|it| *it == port)?;
            Some(Interface(place as u16))
        };
        Some([interface(from, *ports.first()?)?, interface(to, ports.last()?.reversed())?])
    }

    /// Where the path of that number leads on which another network layer carries packets.
    pub(crate) fn destination(&self, path: u32) -> Destination {
        self.destinations[path as usize]
    }

    /// Whether IP does not join two nodes.
    fn are_apart(&self, nodes: [usize; 2]) -> bool {
        self.domains.as_ref().is_some_and(|it| it[nodes[0]] != it[nodes[1]])
    }

    /// The shortest paths to a node from all of its domain.
    fn tree(&self, to: u32) -> Tree {
        ip_tree(&self.topology, self.domains.as_deref(), to as usize)
    }

    /// Writes a path down behind the others. Returns where it begins.
    fn lay(&mut self, key: PathKey, ports: &[PortId]) -> Route {
        let route = Route(self.hops.len() as u32);
        let nodes = self.topology.nodes_of(key.from as usize, ports);
        let mut place = 0;
        while place < nodes.len() {
            if let Some(exit) = self.lay_functions(key, &nodes, place) {
                place = exit;
                continue;
            }
            self.hops.push(ports.get(place).map_or(key.last, |it| Hop::Port(*it)));
            place += 1;
        }
        route
    }

    /// Writes down the functions at one place of a path. Returns the place where a tunnel
    /// ends that begins there: between them a path of its own leads.
    fn lay_functions(&mut self, key: PathKey, nodes: &[usize], place: usize) -> Option<usize> {
        let placements = self.placements.as_ref()?;
        let functions = placements.on_path(key, nodes, place).into_iter();
        self.hops.extend(functions.map(|(function, tap)| Hop::Function(function, tap)));
        let (function, exit) = placements.tunnel_from(key.last, nodes, place)?;
        self.hops.push(Hop::Function(function, ENTER));
        Some(exit)
    }

    /// Where packets wait for nothing but the tables to tell their next hop.
    fn table(&mut self, destination: u32, last: Hop) -> Route {
        let table = Table { destination, last };
        *self.table_routes.entry(table).or_insert_with(|| {
            self.tables.push(table);
            self.hops.push(Hop::Table(self.tables.len() as u32 - 1));
            Route(self.hops.len() as u32 - 1)
        })
    }

    /// Where packets of no flow enter that find an attachment by the tables, from any node.
    pub(crate) fn lay_to_attachment(&mut self, node: u32) -> Route {
        self.table(node, Hop::Here(Side::Receiver))
    }

    /// Where packets enter, from any node, that are for a router itself.
    pub(crate) fn lay_to_router(&mut self, node: u32) -> Route {
        if self.moving.is_none() && !self.trees.contains_key(&node) {
            self.trees.insert(node, self.tree(node));
        }
        self.table(node, Hop::Here(Side::Receiver))
    }

    /// Whether a packet at that place of its path has come to its end at a node, by the tables.
    pub(crate) fn ends_at(&self, route: Route, node: usize) -> bool {
        let Some(Hop::Table(table)) = self.peek(route) else { return false };
        self.tables[table as usize].destination as usize == node
    }

    /// The path of packets from a node that have no destination: to the next node, which has no
    /// route for them; none from a node without links.
    pub(crate) fn lay_to_nowhere(&mut self, node: usize) -> Option<Route> {
        let port = *self.topology.ports(node).first()?;
        let table = self.table(NOWHERE, Hop::Here(Side::Receiver));
        let route = Route(self.hops.len() as u32);
        self.hops.extend([Hop::Port(port), Hop::Jump(table)]);
        Some(route)
    }

    /// Where the path begins that packets between two hosts take.
    pub(crate) fn route(&self, key: PathKey) -> Option<Route> {
        self.known.get(&key).map(|it| self.paths[*it].entry)
    }

    /// The ports of a path, as it is now.
    pub(crate) fn ports(&self, key: PathKey) -> &[PortId] {
        self.known.get(&key).map_or(&[], |it| &self.paths[*it].list().0)
    }

    /// The ports that packets of a path take now; none if there is none.
    pub(crate) fn current(&self, key: PathKey) -> Option<Vec<PortId>> {
        if self.goes_by_tables() {
            return self.topology.path(key.from as usize, key.to as usize);
        }
        Some(self.ports(key).to_vec()).filter(|it| !it.is_empty())
    }

    /// How long light takes along a path, in seconds, where paths are measured by delay; none
    /// if there is none.
    pub(crate) fn propagation(&self, key: PathKey) -> Option<f64> {
        let ports = self.current(key)?;
        Some(self.topology.propagation(&ports).as_seconds())
    }

    /// The ports of each path.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[PortId]> {
        self.paths.iter().map(|it| &it.list().0[..])
    }

    /// The ports of the paths of packets that functions send themselves, one path after another.
    pub(crate) fn ports_of_functions(&self) -> impl Iterator<Item = &PortId> {
        let paths = self.paths.iter().filter(|it| matches!(it.key.last, Hop::ToFunction(..)));
        paths.flat_map(|it| &it.list().0)
    }

    /// How equal paths are shared.
    pub(crate) fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// The topology that the paths are those of.
    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The hop at a place.
    #[inline]
    pub(crate) fn hop(&self, route: Route) -> Hop {
        self.hops[route.0 as usize]
    }

    /// What happens to a packet at a place, if it is on a path at all.
    #[inline]
    pub(crate) fn peek(&self, route: Route) -> Option<Hop> {
        self.hops.get(route.0 as usize).copied()
    }

    /// What a node does at `now` with a packet by its table.
    #[cold]
    pub(crate) fn look_up(&mut self, now: Time, table: u32, node: usize) -> Option<Hop> {
        let Table { destination, last } = self.tables[table as usize];
        if node == destination as usize {
            return Some(last);
        }
        if destination == NOWHERE {
            return None;
        }
        let moving = self.moving.as_ref();
        if moving.is_some_and(|it| !it.spreads()) && !self.trees.contains_key(&destination) {
            self.trees.insert(destination, self.tree(destination));
        }
        let tree = match self.moving.as_ref().filter(|it| it.spreads()) {
            Some(moving) => moving.tree(destination, node, now)?,
            None => self.trees.get(&destination)?,
        };
        if let Some(function) = self.tunnel_at(tree, last, node) {
            return Some(Hop::Function(function, ENTER));
        }
        if self.sharing != Sharing::Packets {
            return tree.next(node).map(Hop::Port);
        }
        let count = tree.equal(&self.topology, node).count().max(1) as u32;
        let turn = self.shared[node];
        self.shared[node] = turn.wrapping_add(1);
        tree.equal(&self.topology, node).nth((turn % count) as usize).map(Hop::Port)
    }

    /// The end of a tunnel that packets enter at a node from which a tree leads them.
    fn tunnel_at(&self, tree: &Tree, last: Hop, node: usize) -> Option<u32> {
        let placements = self.placements.as_ref().filter(|it| it.has_tunnel_at(node))?;
        let nodes = self.topology.nodes_of(node, &tree.path(&self.topology, node)?);
        Some(placements.tunnel_from(last, &nodes, 0)?.0)
    }

    /// To which side of its flow a packet at a place goes; none for a function's own.
    pub(crate) fn side(&self, route: Route) -> Option<Side> {
        let last = self.hops[route.0 as usize..].iter().find_map(|hop| match *hop {
            Hop::Table(table) => Some(self.tables[table as usize].last),
            hop if hop.is_last() => Some(hop),
            _ => None,
        });
        if let Some(Hop::Here(side)) = last { Some(side) } else { None }
    }

    /// The topology has changed as `change` changes it: all paths that are not pinned
    /// become the shortest again. A destination that is not reached any more keeps its
    /// paths: packets wait where the link is down. Where static routes and the new paths form a
    /// loop, packets go round by the tables until their hop limit.
    pub(crate) fn update(&mut self, change: impl FnOnce(&mut Topology)) {
        change(&mut self.topology);
        let topology = &self.topology;
        let domains = self.domains.as_deref();
        self.trees.values_mut().for_each(|it| *it = ip_tree(topology, domains, it.target()));
        for index in 0..self.paths.len() {
            let path = &self.paths[index];
            if path.is_pinned || self.goes_by_tables() {
                continue;
            }
            let tree = &self.trees[&path.key.to];
            let by_tables = || tree.next(path.key.from as usize).map(|_| Vec::new());
            let ports = self.find(path.key, tree).or_else(by_tables);
            if let Some(ports) = ports.filter(|it| *it != path.list().0) {
                self.divert(index, ports);
            }
        }
    }

    /// Nodes have moved, and the topology becomes what it is with `change`: all paths that are
    /// not pinned become the shortest. `bound` says what a path between two nodes costs at the
    /// least. Without a path packets go by the tables, which drop them.
    pub(crate) fn follow(
        &mut self,
        now: Time,
        change: impl FnOnce(&mut Topology),
        bound: impl Fn(usize, usize) -> u64,
    ) {
        change(&mut self.topology);
        let Some(mut moving) = self.moving.take() else { return };
        if moving.spreads() {
            moving.keep(now, &self.topology, self.paths.iter().map(|it| it.key.to));
        } else {
            self.trees.clear();
            moving.forget_paths();
            for index in 0..self.paths.len() {
                let Path { key, is_pinned, .. } = self.paths[index];
                if is_pinned {
                    continue;
                }
                if self.topology.has_static_routes(key.to as usize) {
                    let path = self.topology.path(key.from as usize, key.to as usize);
                    self.divert_if_changed(index, &path.unwrap_or_default());
                } else {
                    let ports = moving.path(&self.topology, key, &bound);
                    self.divert_if_changed(index, ports);
                }
            }
        }
        self.moving = Some(moving);
    }

    fn divert_if_changed(&mut self, index: usize, ports: &[PortId]) {
        if *ports != self.paths[index].list().0 {
            self.divert(index, ports.to_vec());
        }
    }

    /// Leads what enters a path over other ports, or with none to the tables. What is under
    /// way on the old ones is forwarded by the tables from the next node on.
    fn divert(&mut self, index: usize, ports: Vec<PortId>) {
        let path = &mut self.paths[index];
        let (key, entry, old) = (path.key, path.entry, path.list().1);
        let led_on = !path.list().0.is_empty();
        let before = path.lists.iter().position(|it| it.0 == ports);
        let before = before.map(|it| path.lists.remove(it).1);
        let table = self.table(key.to, key.last);
        if led_on {
            let inner = self.inner(old);
            self.hops[inner].fill(Hop::Jump(table));
        }
        // The first list begins where packets enter, so another one is laid for it.
        let list = match before.filter(|it| *it != entry) {
            _ if ports.is_empty() => table,
            Some(list) => self.restore(list, key, &ports),
            None => self.lay(key, &ports),
        };
        self.hops[entry.0 as usize] = Hop::Jump(list);
        self.paths[index].lists.push((ports, list));
    }

    /// The places of a list behind its first hop, up to the last port: what has left
    /// through that arrives as it would have.
    fn inner(&self, list: Route) -> std::ops::Range<usize> {
        let start = list.0 as usize;
        let hops = &self.hops[start..];
        let end = hops.iter().position(|it| it.is_last()).unwrap_or(0);
        let leads_on = |hop: &Hop| matches!(hop, Hop::Port(_) | Hop::Jump(_));
        let last_port = hops[..end].iter().rposition(leads_on).unwrap_or(0);
        start + 1..start + last_port + 1
    }

    /// Writes a path down again where it was before.
    fn restore(&mut self, list: Route, key: PathKey, ports: &[PortId]) -> Route {
        let fresh = self.lay(key, ports).0 as usize;
        let length = self.hops.len() - fresh;
        self.hops.copy_within(fresh.., list.0 as usize);
        self.hops.truncate(self.hops.len() - length);
        list
    }
}

#[cfg(test)]
pub(crate) mod tests;
