//! The forwarding information base: for each announced prefix, the faces that
//! lead to it. A name is forwarded by the longest announced prefix of it.

use std::collections::BTreeMap;

use super::{FaceId, PrefixId, wire};

/// A face that leads to a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextHop {
    /// The face.
    pub face: FaceId,
    /// The lower, the better.
    pub cost: u64,
}

/// The number of an announced prefix's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FibEntryId(pub usize);

/// Announced prefixes with their next hops.
#[derive(Clone, Debug, Default)]
pub struct Fib {
    announced: BTreeMap<wire::Name<'static>, FibEntryId>,
    next_hops: Vec<Vec<NextHop>>,
    /// The longest match of every prefix in use.
    matches: Vec<Option<FibEntryId>>,
}

impl Fib {
    /// Adds a next hop to a prefix. Next hops stay in order of cost; among equal
    /// costs, in the order in which they were added.
    pub fn announce(&mut self, prefix: &wire::Name<'static>, next_hop: NextHop) {
        let next_hops = &mut self.next_hops;
        let id = *self.announced.entry(prefix.clone()).or_insert_with(|| {
            next_hops.push(Vec::new());
            FibEntryId(next_hops.len() - 1)
        });
        let hops = &mut self.next_hops[id.0];
        let place = hops.partition_point(|it| it.cost <= next_hop.cost);
        hops.insert(place, next_hop);
    }

    /// Finds the longest match of a prefix in use, for [`Fib::find`]; to be
    /// called again after an announcement.
    pub fn resolve(&mut self, id: PrefixId, prefix: &wire::Name<'static>) {
        let longest = self
            .announced
            .iter()
            .filter(|(announced, _)| announced.is_prefix_of(prefix))
            .max_by_key(|(announced, _)| announced.components_size())
            .map(|(_, entry)| *entry);
        let index = id.0 as usize;
        if self.matches.len() <= index {
            self.matches.resize(index + 1, None);
        }
        self.matches[index] = longest;
    }

    /// The entry that names below a prefix are forwarded by.
    #[inline]
    #[must_use]
    pub fn find(&self, id: PrefixId) -> Option<FibEntryId> {
        self.matches.get(id.0 as usize).copied().flatten()
    }

    /// An entry's next hops, the best first.
    #[inline]
    #[must_use]
    pub fn next_hops(&self, id: FibEntryId) -> &[NextHop] {
        &self.next_hops[id.0]
    }
}
