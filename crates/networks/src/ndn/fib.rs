//! The forwarding information base: for each announced prefix, the faces that
//! lead to it. A name is forwarded by the longest announced prefix of it.

use smallvec::SmallVec;
use windtunnel_packets::ndn::{PrefixId, wire};

use super::face::FaceId;

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
pub struct FibEntryId(pub u32);

/// An announced prefix.
#[derive(Clone, Debug)]
struct Entry {
    prefix: wire::Name<'static>,
    next_hops: SmallVec<[NextHop; 2]>,
}

/// Announced prefixes with their next hops. Most nodes know few: what is looked
/// up for every packet then lies in the table itself.
#[derive(Clone, Debug, Default)]
pub struct Fib {
    entries: SmallVec<[Entry; 1]>,
    /// The longest match of every prefix in use that has one, in order.
    matches: SmallVec<[(PrefixId, FibEntryId); 2]>,
}

impl Fib {
    /// Adds a next hop to a prefix. Next hops stay in order of cost; among equal
    /// costs, in the order in which they were added.
    pub fn announce(&mut self, prefix: &wire::Name<'static>, next_hop: NextHop) {
        let known = self.entries.iter().position(|it| it.prefix == *prefix);
        let index = known.unwrap_or_else(|| {
            self.entries.push(Entry { prefix: prefix.clone(), next_hops: SmallVec::new() });
            self.entries.len() - 1
        });
        let hops = &mut self.entries[index].next_hops;
        let place = hops.partition_point(|it| it.cost <= next_hop.cost);
        hops.insert(place, next_hop);
    }

    /// Withdraws a prefix's next hops and announces others, of which there may be none,
    /// in place of them. Returns the prefix's entry if that changed anything.
    pub fn replace(
        &mut self,
        prefix: &wire::Name<'static>,
        next_hops: &[NextHop],
    ) -> Option<FibEntryId> {
        let known = self.entries.iter().position(|it| it.prefix == *prefix);
        if known.map_or(&[][..], |it| &self.entries[it].next_hops) == next_hops {
            return None;
        }
        if let Some(index) = known {
            self.entries[index].next_hops.clear();
        }
        next_hops.iter().for_each(|it| self.announce(prefix, *it));
        known.or(self.entries.len().checked_sub(1)).map(|it| FibEntryId(it as u32))
    }

    /// Finds the longest match of a prefix in use, for [`Fib::find`]; to be
    /// called again after an announcement.
    pub fn resolve(&mut self, id: PrefixId, prefix: &wire::Name<'static>) {
        let announced = self.entries.iter().enumerate();
        let longest = announced
            .filter(|(_, it)| !it.next_hops.is_empty() && it.prefix.is_prefix_of(prefix))
            .max_by_key(|(_, entry)| entry.prefix.components_size())
            .map(|(index, _)| FibEntryId(index as u32));
        let place = self.matches.binary_search_by_key(&id, |(it, _)| *it);
        match (place, longest) {
            (Ok(place), Some(entry)) => self.matches[place].1 = entry,
            (Ok(place), None) => drop(self.matches.remove(place)),
            (Err(place), Some(entry)) => self.matches.insert(place, (id, entry)),
            (Err(_), None) => {}
        }
    }

    /// Forgets a prefix that is no longer in use.
    pub fn forget(&mut self, id: PrefixId) {
        if let Ok(place) = self.matches.binary_search_by_key(&id, |(it, _)| *it) {
            self.matches.remove(place);
        }
    }

    /// The entry that names below a prefix are forwarded by.
    #[inline]
    #[must_use]
    pub fn find(&self, id: PrefixId) -> Option<FibEntryId> {
        let place = self.matches.binary_search_by_key(&id, |(it, _)| *it).ok()?;
        Some(self.matches[place].1)
    }

    /// An entry's next hops, the best first.
    #[inline]
    #[must_use]
    pub fn next_hops(&self, id: FibEntryId) -> &[NextHop] {
        &self.entries[id.0 as usize].next_hops
    }
}
