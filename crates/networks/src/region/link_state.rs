//! What a router knows of its own region: the newest record of each router and border, and the
//! shortest paths over them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use windtunnel_packets::region::{BorderRecord, Code, ExternalRecord, Record, RouterRecord};

use crate::layer::Interface;

/// How a router reaches another one of its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    /// What the path pays.
    pub(super) cost: u64,
    /// The interface that it begins with; none at the router itself.
    pub(super) first: Option<Interface>,
}

/// The database of one router.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkState {
    routers: BTreeMap<u32, RouterRecord>,
    externals: BTreeMap<(Code, u32), ExternalRecord>,
    borders: BTreeMap<u32, BorderRecord>,
    reached: BTreeMap<u32, Reached>,
}

/// Keeps a record, if it is newer than what is known; returns whether it is.
fn newest<K: Ord, R: Clone>(
    known: &mut BTreeMap<K, R>,
    key: K,
    record: &R,
    sequence: impl Fn(&R) -> u32,
) -> bool {
    let is_newer = known.get(&key).is_none_or(|it| sequence(it) < sequence(record));
    if is_newer {
        known.insert(key, record.clone());
    }
    is_newer
}

impl LinkState {
    /// Keeps a record, if it is newer than what is known; returns whether it is.
    pub(super) fn install(&mut self, record: &Record) -> bool {
        match record {
            Record::Router(it) => newest(&mut self.routers, it.router, it, |it| it.sequence),
            Record::External(it) => {
                newest(&mut self.externals, (it.code, it.router), it, |it| it.sequence)
            }
            Record::Border(it) => newest(&mut self.borders, it.router, it, |it| it.sequence),
        }
    }

    /// All records.
    pub(super) fn records(&self) -> impl Iterator<Item = Record> {
        let routers = self.routers.values().cloned().map(Record::Router);
        let externals = self.externals.values().cloned().map(Record::External);
        routers.chain(externals).chain(self.borders().cloned().map(Record::Border))
    }

    /// The links of borders to other regions: of all regions.
    pub(super) fn borders(&self) -> impl Iterator<Item = &BorderRecord> + Clone {
        self.borders.values()
    }

    /// The record that a border made of a region; the last, if it was withdrawn.
    pub(super) fn external(&self, code: Code, router: u32) -> Option<&ExternalRecord> {
        self.externals.get(&(code, router))
    }

    /// What the borders that can be reached say of a region.
    pub(super) fn externals(&self, code: Code) -> impl Iterator<Item = (&ExternalRecord, Reached)> {
        let of_code = self.externals.range((code, 0)..=(code, u32::MAX)).map(|it| it.1);
        of_code
            .filter(|it| !it.path.is_empty())
            .filter_map(|it| Some((it, self.reached(it.router)?)))
    }

    /// The regions of which anything is known.
    pub(super) fn codes(&self) -> impl Iterator<Item = Code> {
        let mut last = None;
        self.externals.keys().map(|it| it.0).filter(move |it| last.replace(*it) != Some(*it))
    }

    /// How a router is reached.
    pub(super) fn reached(&self, router: u32) -> Option<Reached> {
        self.reached.get(&router).copied()
    }

    /// How many routers are reached, the own one included.
    pub(super) fn count(&self) -> usize {
        self.reached.len()
    }

    /// The nearest router of a sub-region: of equal ones the first.
    pub(super) fn nearest(&self, sub_region: u32) -> Option<Reached> {
        let those = self.routers.values().filter(|it| it.sub_region == sub_region);
        those.filter_map(|it| self.reached(it.router)).min_by_key(|it| it.cost)
    }

    /// The sub-regions of the routers that are reached, in order; 0 is of those in none.
    pub(super) fn sub_regions(&self) -> Vec<u32> {
        let reached = self.reached.keys().filter_map(|it| self.routers.get(it));
        let mut numbers: Vec<u32> = reached.map(|it| it.sub_region).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Computes the shortest paths anew (Dijkstra 1959), over links that both ends record.
    /// `interface` leads from the own router to a neighbour. Returns whether any path changed.
    pub(super) fn search(
        &mut self,
        own: u32,
        interface: impl Fn(u32) -> Option<Interface>,
    ) -> bool {
        let mut reached = BTreeMap::new();
        let mut heap = BinaryHeap::from([Reverse((0, own, None))]);
        while let Some(Reverse((cost, router, first))) = heap.pop() {
            if reached.contains_key(&router) {
                continue;
            }
            reached.insert(router, Reached { cost, first });
            let Some(record) = self.routers.get(&router) else { continue };
            for link in &record.neighbours {
                let joins_both = self
                    .routers
                    .get(&link.router)
                    .is_some_and(|it| it.neighbours.iter().any(|it| it.router == router));
                let first = if router == own { interface(link.router) } else { first };
                if joins_both && first.is_some() && !reached.contains_key(&link.router) {
                    let cost = cost + u64::from(link.metric);
                    heap.push(Reverse((cost, link.router, first)));
                }
            }
        }
        let has_changed = reached != self.reached;
        self.reached = reached;
        has_changed
    }
}
