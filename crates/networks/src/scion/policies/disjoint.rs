//! For Multipath TCP: each subflow has a path that shares as few interfaces as possible with
//! those of the others.
//!
//! All subflows see the same paths, and each works out for itself the same places for all of
//! them; it takes its own.

use windtunnel_engine::{Random, Time};

use super::{PathId, PathInfo, PathPolicy};

/// How many sets of paths are tried at most. What is found until then is not always the best
/// where there are many paths and none are disjoint.
const MOST_TRIED: u32 = 100_000;

/// The policy.
#[derive(Clone, Debug)]
pub(super) struct Disjoint {
    subflow: usize,
    subflows: usize,
    /// The paths that it chose among, and the place that it chose.
    known: Vec<PathId>,
    chosen: usize,
}

impl Disjoint {
    pub(super) fn new(subflow: usize, subflows: usize) -> Self {
        Self { subflow, subflows, known: Vec::new(), chosen: 0 }
    }
}

impl PathPolicy for Disjoint {
    fn select(&mut self, _: Time, paths: &[PathInfo], _: Option<usize>, _: &mut Random) -> usize {
        let ids = paths.iter().map(|it| it.id);
        if !self.known.iter().copied().eq(ids.clone()) {
            self.chosen = Search::new(paths, self.subflows).best()[self.subflow];
            self.known.clear();
            self.known.extend(ids);
        }
        self.chosen
    }
}

/// How many interfaces two paths share.
fn shared(one: &PathInfo, other: &PathInfo) -> u32 {
    one.interfaces.iter().filter(|it| other.interfaces.contains(it)).count() as u32
}

/// Looks for paths that share the fewest interfaces, each pair of them counted; of several such
/// sets it finds the first in the order of paths. A path is taken twice where there are too few.
struct Search {
    paths: usize,
    wanted: usize,
    /// What each pair shares.
    shared: Vec<u32>,
    taken: Vec<usize>,
    best: Vec<usize>,
    least: u32,
    tried: u32,
}

impl Search {
    fn new(paths: &[PathInfo], wanted: usize) -> Self {
        let pairs = paths.iter().flat_map(|one| paths.iter().map(move |other| shared(one, other)));
        Self {
            paths: paths.len(),
            wanted,
            shared: pairs.collect(),
            taken: Vec::new(),
            best: vec![0; wanted],
            least: u32::MAX,
            tried: 0,
        }
    }

    fn best(mut self) -> Vec<usize> {
        self.extend(0, 0);
        self.best
    }

    /// Takes further paths, from that place on, to those that share this many.
    fn extend(&mut self, from: usize, sum: u32) {
        self.tried += 1;
        if self.taken.len() == self.wanted {
            (self.least, self.best) = (sum, self.taken.clone());
            return;
        }
        for place in from..self.paths {
            let more: u32 = self.taken.iter().map(|it| self.shared[it * self.paths + place]).sum();
            if sum + more < self.least && self.tried < MOST_TRIED {
                self.taken.push(place);
                self.extend(place, sum + more);
                self.taken.pop();
            }
        }
    }
}
