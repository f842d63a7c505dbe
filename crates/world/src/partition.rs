//! How a world is cut into parts that run on threads of their own. Nodes stay together
//! that act on each other without delay: those on the ends of a link without delay or of
//! one that follows a channel, those of links that share a medium, the ends of a tunnel that is a
//! TCP connection, the sender that a radio's reports go to, the nodes that serve sessions of one
//! kind, and the ends of a flow that waits for the address of its name.
//!
//! Of the cuts that share the work about as well, that with the longest links is made: parts run
//! the longer before they wait for each other.
//!
//! Inside a part, only links with a delay as long as a window of time lead from one island to
//! another: islands run one after another through each window. What changes for several parts or
//! islands, such as a link between them, or paths, does so where all of them stand still.

use std::cmp::Reverse;
use std::collections::VecDeque;

use windtunnel_engine::{Duration, Time};

use crate::forwarding::Forwarding;
use crate::loads::loads;
use crate::plan::{ChangePlan, LinkChange, LinkPlan, Plan, SkyPlan, TunnelCarrier};
use crate::port_id::PortId;
use crate::routing::Groups;
use crate::sky::Sky;

/// With so few ports everything lies in the caches: nothing is worth being kept there, or fetched
/// ahead.
pub(crate) const FEW_PORTS: usize = 256;

/// Which part each node belongs to, and where the parts touch.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    parts: usize,
    /// By node.
    of: Vec<u32>,
    /// The ports that lead from one part to another.
    pub(crate) cut: Vec<PortId>,
    /// How long islands run at a time; for ever, if no part has several.
    pub(crate) window: Duration,
    /// When something changes for several parts, or for several islands of one, in order: then all
    /// of them stand still.
    pub(crate) changes: Vec<Time>,
    islands: Islands,
}

/// The islands of each part.
#[derive(Clone, Debug)]
struct Islands {
    /// By node, the number of its island among those of its part.
    of: Vec<u32>,
    /// By part, how many there are.
    counts: Vec<u32>,
}

impl Partition {
    /// Everything in one part.
    pub(crate) fn whole(plan: &Plan) -> Self {
        Self::new(plan, 1, vec![0; plan.nodes.len()])
    }

    /// Everything in one part, with its islands, of a plan that can be cut.
    pub(crate) fn islands_of(plan: &Plan) -> Self {
        Self::whole(plan).with_islands(plan)
    }

    /// At most this many parts of about the same load.
    pub(crate) fn of(plan: &Plan, forwarding: &Forwarding, threads: usize) -> Self {
        let loads = loads(plan, forwarding);
        let of = far_apart(plan, &loads, threads);
        Self::new(plan, threads, of).with_islands(plan)
    }

    fn new(plan: &Plan, parts: usize, of: Vec<u32>) -> Self {
        let ports = plan.links.iter().enumerate().filter(|(_, it)| {
            let [first, second] = it.nodes;
            of[first] != of[second]
        });
        let cut: Vec<PortId> =
            ports.flat_map(|(link, _)| [0, 1].map(|it| PortId::new(link, it))).collect();
        let changes = changes(plan, &cut);
        let islands = Islands { of: vec![0; of.len()], counts: vec![1; parts] };
        Self { parts, of, cut, window: Duration::MAX, changes, islands }
    }

    /// The same with the islands of each part, but where links between them, or paths, change more
    /// often than windows end. Where nodes move, all links do so, and there are none.
    fn with_islands(self, plan: &Plan) -> Self {
        let is_large = 2 * plan.links.len() > FEW_PORTS;
        if !is_large || plan.sky.is_some() || !plan.attachments.is_empty() {
            return self;
        }
        let window = window(plan);
        let islands = Islands::of(plan, &self, window);
        let are_apart = |[one, other]: [usize; 2]| {
            self.of[one] != self.of[other] || islands.of[one] != islands.of[other]
        };
        let apart = plan.links.iter().enumerate().filter(|it| are_apart(it.1.nodes));
        let apart = apart.flat_map(|(link, _)| [0, 1].map(|it| PortId::new(link, it)));
        let mut changes = changes(plan, &apart.collect::<Vec<_>>());
        changes.extend(reroutes(plan));
        changes.sort_unstable();
        changes.dedup();
        let windows = plan.duration.as_picos() / window.as_picos().max(1);
        let are_several = islands.counts.iter().any(|it| *it > 1);
        if are_several && changes.len() as u64 <= windows {
            return Self { window, changes, islands, ..self };
        }
        self
    }

    /// How many parts there are.
    pub(crate) fn parts(&self) -> usize {
        self.parts
    }

    /// The part of a node.
    pub(crate) fn part(&self, node: usize) -> usize {
        self.of[node] as usize
    }

    /// How many islands a part has.
    pub(crate) fn islands(&self, part: usize) -> usize {
        self.islands.counts[part] as usize
    }

    /// The island of a node, among those of its part.
    pub(crate) fn island(&self, node: usize) -> usize {
        self.islands.of[node] as usize
    }
}

impl Islands {
    /// Those between which packets take at least a window.
    fn of(plan: &Plan, partition: &Partition, window: Duration) -> Self {
        let mut groups = Shares::of(plan).groups;
        let inside = |it: &[usize; 2]| partition.part(it[0]) == partition.part(it[1]);
        let short = plan.links.iter().zip(least_delays(plan)).filter(|it| it.1 < window);
        short.map(|it| it.0.nodes).filter(inside).for_each(|it| _ = groups.join(it));
        let mut counts = vec![0; partition.parts];
        let mut of = vec![0; plan.nodes.len()];
        // The root of a group is the least of its nodes.
        for node in 0..plan.nodes.len() {
            let root = groups.root(node);
            if root == node {
                let count = &mut counts[partition.part(node)];
                of[node] = *count;
                *count += 1;
            } else {
                of[node] = of[root];
            }
        }
        Self { of, counts }
    }
}

/// When some of these ports change, in order, or what moves is elsewhere.
fn changes(plan: &Plan, ports: &[PortId]) -> Vec<Time> {
    if ports.is_empty() {
        return Vec::new();
    }
    let contacts: Vec<ChangePlan> = plan.sky.iter().flat_map(SkyPlan::changes).collect();
    let all = plan.changes.iter().chain(&contacts);
    let of_ports = all.filter(|it| ports.binary_search(&it.port).is_ok()).map(|it| it.time);
    let instants = plan.sky.iter().flat_map(|it| (0..).map(|step| Time::ZERO + it.interval * step));
    let mut changes: Vec<Time> =
        instants.take_while(|it| *it <= plan.end()).chain(of_ports).collect();
    changes.sort_unstable();
    changes.dedup();
    changes
}

/// When all nodes forward by other paths, because links have changed.
fn reroutes(plan: &Plan) -> impl Iterator<Item = Time> {
    let changes = plan.changes.iter().filter(|it| it.change.is_of_topology());
    changes.filter_map(|it| Some(it.time + plan.routing.convergence?))
}

/// By link, its least delay; of those between nodes that move, of some instants.
fn least_delays(plan: &Plan) -> Vec<Duration> {
    // In this time a satellite moves by 80 km, a quarter of a millisecond of light.
    const SAMPLED: Duration = Duration::from_secs(10);
    let least = |it: &LinkPlan| it.directions[0].delay.min(it.directions[1].delay);
    let mut delays: Vec<Duration> = plan.links.iter().map(least).collect();
    let changed = plan.changes.iter().filter_map(|it| match it.change {
        LinkChange::Delay(delay) => Some((it.port.link(), delay)),
        _ => None,
    });
    let moved = Sky::least_delays(plan, SAMPLED);
    changed.chain(moved).for_each(|(link, delay)| delays[link] = delays[link].min(delay));
    delays
}

/// By node, its part: links between parts are as long as they can be where the part with the most
/// load has not much more than if they might be short. With shorter ones parts wait more often, and
/// more packets go from part to part: halves of a dumbbell that are cut at the links of its hosts
/// take longer than its two sides, of which one has a quarter more.
fn far_apart(plan: &Plan, loads: &[u64], parts: usize) -> Vec<u32> {
    let delays = least_delays(plan);
    let share = |shortest: Duration| {
        let mut shares = Shares::of(plan);
        let short = plan.links.iter().zip(&delays).filter(|it| *it.1 < shortest);
        short.for_each(|(link, _)| _ = shares.groups.join(link.nodes));
        shares.share(plan, loads, parts)
    };
    let most = |of: &[u32]| {
        let mut sums = vec![0_u64; parts];
        of.iter().zip(loads).for_each(|(part, load)| sums[*part as usize] += load);
        sums.into_iter().max().unwrap_or(0)
    };
    let of = share(Duration::ZERO);
    let not_much_more = most(&of) * 13 / 10;
    let mut lengths = delays.clone();
    lengths.sort_unstable();
    lengths.dedup();
    let fair = lengths.partition_point(|it| most(&share(*it)) <= not_much_more);
    fair.checked_sub(1).map_or(of, |it| share(lengths[it]))
}

/// How long islands run at a time: as long as the fastest link takes for so many full frames. Long
/// enough that an island finds in the caches what it touched before, and short enough that a run
/// can be stopped between two windows.
fn window(plan: &Plan) -> Duration {
    const FRAMES: u32 = 256;
    const FRAME: u32 = 1500;
    let rates = plan.links.iter().flat_map(|it| &it.directions).map(|it| it.rate);
    rates.max().map_or(Duration::MAX, |it| it.transmission_time(FRAMES * FRAME))
}

/// How the groups of nodes that stay together are shared out.
struct Shares {
    groups: Groups,
}

impl Shares {
    fn of(plan: &Plan) -> Self {
        let mut groups = Groups::new(plan.nodes.len());
        for (index, link) in plan.links.iter().enumerate() {
            let ports = [0, 1].map(|it| PortId::new(index, it));
            let changes = plan.changes.iter().filter(|it| ports.contains(&it.port));
            let loses_delay = |it: &ChangePlan| it.change == LinkChange::Delay(Duration::ZERO);
            let is_without_delay = link.directions.iter().any(|it| it.delay == Duration::ZERO);
            if is_without_delay || link.channel.is_some() || changes.clone().any(loses_delay) {
                groups.join(link.nodes);
            }
        }
        // What one port sends on a shared medium keeps all others from sending at once.
        for medium in media(plan) {
            for pair in medium.windows(2) {
                groups.join([pair[0], pair[1]]);
            }
        }
        // What is in a tunnel that is a TCP connection is with one end until the other has it.
        let connections =
            plan.tunnels.iter().filter(|it| matches!(it.carrier, TunnelCarrier::Tcp(_)));
        connections.for_each(|it| _ = groups.join(it.ends));
        // A session is one thing at all nodes that serve it, and those of one kind are counted
        // together.
        for sessions in &plan.sessions {
            let messages =
                plan.flows[sessions.flows.clone()].iter().flat_map(|it| [it.from, it.to]);
            let nodes: Vec<usize> = sessions.nodes().chain(messages).collect();
            nodes.windows(2).for_each(|it| _ = groups.join([it[0], it[1]]));
        }
        // With the answer to one end of a flow, the other end begins too.
        for flow in plan.flows.iter().filter(|it| it.lookup.is_some()) {
            groups.join([flow.from, flow.to]);
        }
        for flow in plan.flows.iter().filter(|it| it.needs_radio_reports()) {
            if let Some(port) = flow.radio {
                groups.join([flow.from, plan.links[port.link()].nodes[0]]);
            }
        }
        Self { groups }
    }

    /// Fills one part after another, each with nodes that are near each other: whole
    /// networks that no link joins to others first, the largest first.
    fn share(mut self, plan: &Plan, loads: &[u64], parts: usize) -> Vec<u32> {
        let networks = self.networks(plan, loads);
        let total: u64 = loads.iter().sum();
        let mut filled = vec![0_u64; parts];
        let mut of = vec![0_u32; plan.nodes.len()];
        for network in networks {
            let load: u64 = network.iter().flatten().map(|it| loads[*it]).sum();
            let emptiest = (0..parts).min_by_key(|it| filled[*it]).unwrap_or(0);
            // One that fits as a whole is not cut.
            if filled[emptiest] + load <= total.div_ceil(parts as u64) * 21 / 20 {
                network.iter().flatten().for_each(|it| of[*it] = emptiest as u32);
                filled[emptiest] += load;
                continue;
            }
            for group in network {
                let emptiest = (0..parts).min_by_key(|it| filled[*it]).unwrap_or(0);
                let share = total.div_ceil(parts as u64);
                let part = (0..parts).find(|it| filled[*it] < share).unwrap_or(emptiest);
                filled[part] += group.iter().map(|it| loads[*it]).sum::<u64>();
                group.iter().for_each(|it| of[*it] = part as u32);
            }
        }
        of
    }

    /// The groups of each network that no link joins to another one, neighbours one
    /// after another; the networks with the most load first.
    fn networks(&mut self, plan: &Plan, loads: &[u64]) -> Vec<Vec<Vec<usize>>> {
        let mut members = vec![Vec::new(); plan.nodes.len()];
        (0..plan.nodes.len()).for_each(|node| members[self.groups.root(node)].push(node));
        let mut neighbours = vec![Vec::new(); plan.nodes.len()];
        for link in &plan.links {
            let [first, second] = link.nodes.map(|it| self.groups.root(it));
            if first != second {
                neighbours[first].push(second);
                neighbours[second].push(first);
            }
        }
        let mut is_known = vec![false; plan.nodes.len()];
        let mut networks = Vec::new();
        for start in 0..plan.nodes.len() {
            if members[start].is_empty() || is_known[start] {
                continue;
            }
            is_known[start] = true;
            let mut queue = VecDeque::from([start]);
            let mut network = Vec::new();
            while let Some(group) = queue.pop_front() {
                network.push(members[group].clone());
                for &next in &neighbours[group] {
                    if !std::mem::replace(&mut is_known[next], true) {
                        queue.push_back(next);
                    }
                }
            }
            networks.push(network);
        }
        let load = |it: &Vec<Vec<usize>>| it.iter().flatten().map(|it| loads[*it]).sum::<u64>();
        networks.sort_by_key(|it| Reverse(load(it)));
        networks
    }
}

/// The nodes of each shared medium.
fn media(plan: &Plan) -> Vec<Vec<usize>> {
    let mut media = vec![Vec::new(); plan.media()];
    for link in &plan.links {
        link.medium.into_iter().for_each(|it| media[it].extend(link.nodes));
    }
    media
}
