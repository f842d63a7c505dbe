//! The shortest paths between regions, over the links that their borders tell all of.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use windtunnel_packets::region::BorderRecord;

/// The regions on the way to each region, from the first to that one.
type Paths = BTreeMap<u8, Vec<u8>>;

/// The paths from the neighbours of a region, none of which leads through that one.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionGraph {
    paths: BTreeMap<u8, Paths>,
}

/// Links that both ends tell of, and the regions that carry what others send.
#[derive(Debug, Default)]
struct Links {
    of: BTreeMap<u8, BTreeSet<u8>>,
    carry: BTreeSet<u8>,
}

impl RegionGraph {
    /// Computes all paths anew: those through the fewest regions, of equal ones the first found
    /// in the order of their numbers.
    pub(super) fn search<'a>(
        &mut self,
        own: u8,
        borders: impl Iterator<Item = &'a BorderRecord> + Clone,
    ) {
        let links = Links::of(borders);
        let neighbours = links.of.get(&own).into_iter().flatten();
        self.paths = neighbours.map(|it| (*it, links.paths(*it, own))).collect();
    }

    /// The path to a region that begins with that neighbour.
    pub(super) fn path(&self, first: u8, to: u8) -> Option<&Vec<u8>> {
        self.paths.get(&first)?.get(&to)
    }

    /// The regions that are reached.
    pub(super) fn regions(&self) -> BTreeSet<u8> {
        self.paths.values().flat_map(BTreeMap::keys).copied().collect()
    }
}

impl Links {
    fn of<'a>(borders: impl Iterator<Item = &'a BorderRecord> + Clone) -> Self {
        let ends = |it: &BorderRecord| {
            let from = it.code.region();
            it.links.iter().map(move |to| (from, to.region)).collect::<Vec<_>>()
        };
        let told: BTreeSet<(u8, u8)> = borders.clone().flat_map(ends).collect();
        let mut links = Self::default();
        for &(from, to) in told.iter().filter(|it| told.contains(&(it.1, it.0))) {
            links.of.entry(from).or_default().insert(to);
        }
        links.carry = borders.filter(|it| it.carries).map(|it| it.code.region()).collect();
        links
    }

    /// The shortest paths from a region, without another one.
    fn paths(&self, first: u8, without: u8) -> Paths {
        let mut paths = Paths::from([(first, vec![first])]);
        let mut waiting = VecDeque::from([first]);
        while let Some(region) = waiting.pop_front() {
            if !self.carry.contains(&region) {
                continue;
            }
            for &next in self.of.get(&region).into_iter().flatten() {
                if next != without && !paths.contains_key(&next) {
                    let path = paths[&region].iter().copied().chain([next]).collect();
                    paths.insert(next, path);
                    waiting.push_back(next);
                }
            }
        }
        paths
    }
}
