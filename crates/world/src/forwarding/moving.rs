//! What forwarding keeps where nodes move.

use std::collections::{BTreeMap, HashMap, VecDeque};

use windtunnel_engine::{Duration, Streams, Time};

use crate::path::PathKey;
use crate::plan::{LinkPlan, Plan, SkyPlan};
use crate::port_id::PortId;
use crate::routing::{Search, Topology, Tree};

/// The search for paths, and the tables of the last instants if nodes do not change theirs at
/// once.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    search: Search,
    /// Whether all links are alike in both directions, so that paths are.
    is_symmetric: bool,
    /// The paths that were found at this instant, by their ends.
    found: HashMap<[u32; 2], Vec<PortId>>,
    /// How much later each node forwards by new tables; empty if all do at once.
    lateness: Vec<Duration>,
    most: Duration,
    /// By destination the trees and since when they are, in the order of time.
    trees: BTreeMap<u32, VecDeque<(Time, Tree)>>,
}

impl Moving {
    pub(super) fn new(plan: &Plan, sky: &SkyPlan) -> Self {
        let streams = Streams::new(plan.seed, plan.run);
        let late = |name: &str| {
            let share = streams.stream(&format!("routes of {name}")).unit();
            sky.spread.scaled(share)
        };
        let lateness = plan.nodes.iter().map(|it| late(&it.name));
        let is_at_once = sky.spread == Duration::ZERO;
        Self {
            search: Search::default(),
            is_symmetric: plan.changes.is_empty() && plan.links.iter().all(is_symmetric),
            found: HashMap::new(),
            lateness: if is_at_once { Vec::new() } else { lateness.collect() },
            most: sky.spread,
            trees: BTreeMap::new(),
        }
    }

    /// Whether each node changes its tables at a time of its own.
    pub(super) fn spreads(&self) -> bool {
        !self.lateness.is_empty()
    }

    /// Another instant has come.
    pub(super) fn forget_paths(&mut self) {
        self.found.clear();
    }

    /// The ports of the shortest path; none if there is none. `bound` says what a path between
    /// two nodes costs at the least.
    pub(super) fn path(
        &mut self,
        topology: &Topology,
        key: PathKey,
        bound: impl Fn(usize, usize) -> u64,
    ) -> &[PortId] {
        let (ends, reversed) = ([key.from, key.to], [key.to, key.from]);
        if !self.found.contains_key(&ends) {
            let ports = match self.found.get(&reversed).filter(|_| self.is_symmetric) {
                Some(ports) => ports.iter().rev().map(|it| it.reversed()).collect(),
                None => {
                    let [from, to] = ends.map(|it| it as usize);
                    let bound = |node| bound(node, from);
                    self.search.path(topology, [from, to], bound).unwrap_or_default()
                }
            };
            self.found.insert(ends, ports);
        }
        &self.found[&ends]
    }

    /// Keeps the trees of `now`, and of those before what a node may still forward by.
    pub(super) fn keep(
        &mut self,
        now: Time,
        topology: &Topology,
        destinations: impl Iterator<Item = u32>,
    ) {
        for destination in destinations {
            let trees = self.trees.entry(destination).or_default();
            if trees.back().is_some_and(|it| it.0 == now) {
                continue;
            }
            trees.push_back((now, topology.ip_tree(destination as usize, |_| true)));
            while trees.get(1).is_some_and(|it| it.0 + self.most <= now) {
                trees.pop_front();
            }
        }
    }

    /// The tree that a node forwards by at `now`.
    pub(super) fn tree(&self, destination: u32, node: usize, now: Time) -> Option<&Tree> {
        let trees = self.trees.get(&destination)?;
        let is_known = |it: &&(Time, Tree)| it.0 + self.lateness[node] <= now;
        trees.iter().rev().find(is_known).or(trees.front()).map(|it| &it.1)
    }
}

fn is_symmetric(link: &LinkPlan) -> bool {
    let [forth, back] = &link.directions;
    forth.delay == back.delay && forth.weight == back.weight
}
