//! Names of components and their numbers.
//!
//! A name whose last component is a segment is the number of its prefix and that segment. Any
//! other, and the name of an Interest with `CanBePrefix`, is the number of the whole and
//! [`Name::WHOLE`]. Interests that differ in `CanBePrefix` or `MustBeFresh` wait for themselves,
//! as in NFD: their names have other numbers than those of Data.
//!
//! Numbers that nothing refers to go, the least recently used first, when there are too many.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use windtunnel_packets::ndn::wire::{self, ComponentType};
use windtunnel_packets::ndn::{Name, PacketFormat, PrefixId};

/// What an Interest says beside its name of the Data that it accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Selectors {
    /// Whether its name may be a prefix of the Data's.
    pub(super) can_be_prefix: bool,
    /// Whether a cache may answer only with fresh Data.
    pub(super) must_be_fresh: bool,
}

impl Selectors {
    /// All there are.
    pub(super) const ALL: [Self; 4] = {
        let [no, yes] = [false, true];
        [
            Self { can_be_prefix: no, must_be_fresh: no },
            Self { can_be_prefix: no, must_be_fresh: yes },
            Self { can_be_prefix: yes, must_be_fresh: no },
            Self { can_be_prefix: yes, must_be_fresh: yes },
        ]
    };
}

#[derive(Debug)]
struct Entry {
    selectors: Selectors,
    prefix: wire::Name<'static>,
    /// How many cached Data have this number, and how many Interests wait under it.
    references: usize,
    /// When it was used last: a key of the idle ones.
    used: u64,
}

/// The names in use.
#[derive(Debug)]
pub(super) struct Names {
    entries: Vec<Option<Entry>>,
    free: Vec<u32>,
    table: HashTable<u32>,
    hasher: RandomState,
    /// Those that nothing refers to, by when they were used last.
    idle: BTreeMap<u64, u32>,
    uses: u64,
    /// Bytes of all names.
    bytes: usize,
    most: usize,
    /// How many there are of Interests with `CanBePrefix`, and with an implicit digest.
    prefixes: usize,
    digests: usize,
}

/// There is no room for another name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Names {
    /// The most bytes of all names together.
    pub(super) const MOST_BYTES: usize = 64 << 20;

    /// Room for this many names.
    pub(super) fn new(most: usize) -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
            table: HashTable::new(),
            hasher: RandomState::new(),
            idle: BTreeMap::new(),
            uses: 0,
            bytes: 0,
            most,
            prefixes: 0,
            digests: 0,
        }
    }

    /// How many names are in use.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether an Interest with `CanBePrefix` may wait.
    pub(super) fn has_prefixes(&self) -> bool {
        self.prefixes > 0
    }

    /// Whether an Interest with an implicit digest may wait.
    pub(super) fn has_digests(&self) -> bool {
        self.digests > 0
    }

    /// The number of a name, if it has one.
    pub(super) fn find(&self, name: &wire::Name<'_>, selectors: Selectors) -> Option<Name> {
        with_parts(name, selectors, |prefix, segment| {
            let index = self.index(prefix, selectors)?;
            Some(Name { prefix: id(index), segment })
        })
    }

    /// The number of a name; if that is a new one, `on_new` is given its prefix, and the numbers
    /// that are in use no longer.
    pub(super) fn number(
        &mut self,
        name: &wire::Name<'_>,
        selectors: Selectors,
        mut on_change: impl FnMut(PrefixId, Option<&wire::Name<'static>>),
    ) -> Result<Name, Full> {
        with_parts(name, selectors, |prefix, segment| {
            let index = match self.index(prefix, selectors) {
                Some(index) => index,
                None => {
                    self.make_room(prefix.components_size(), |it| on_change(it, None))?;
                    let index = self.insert(prefix, selectors);
                    let entry = self.entries[index as usize].as_ref().expect("it is there");
                    on_change(id(index), Some(&entry.prefix));
                    index
                }
            };
            self.uses += 1;
            let entry = self.entries[index as usize].as_mut().expect("it is in the table");
            self.idle.remove(&entry.used);
            entry.used = self.uses;
            if entry.references == 0 {
                self.idle.insert(entry.used, index);
            }
            Ok(Name { prefix: id(index), segment })
        })
    }

    /// Something refers to a number: Data that is cached, or an Interest that waits.
    pub(super) fn hold(&mut self, id: PrefixId) {
        let entry = self.entries[id.index()].as_mut().expect("it is in use");
        entry.references += 1;
        self.idle.remove(&entry.used);
    }

    /// It does so no longer.
    pub(super) fn release(&mut self, id: PrefixId) {
        let entry = self.entries[id.index()].as_mut().expect("it is in use");
        entry.references -= 1;
        if entry.references == 0 {
            self.idle.insert(entry.used, id.index() as u32);
        }
    }

    /// All prefixes with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PrefixId, &wire::Name<'static>)> {
        let all = self.entries.iter().enumerate();
        all.filter_map(|(index, it)| Some((id(index as u32), &it.as_ref()?.prefix)))
    }

    fn hash(&self, prefix: &wire::Name<'_>, selectors: Selectors) -> u64 {
        self.hasher.hash_one((prefix, selectors))
    }

    fn index(&self, prefix: &wire::Name<'_>, selectors: Selectors) -> Option<u32> {
        let is_it = |index: &u32| {
            let entry = self.entries[*index as usize].as_ref();
            entry.is_some_and(|it| it.selectors == selectors && it.prefix == *prefix)
        };
        self.table.find(self.hash(prefix, selectors), is_it).copied()
    }

    fn insert(&mut self, prefix: &wire::Name<'_>, selectors: Selectors) -> u32 {
        let hash = self.hash(prefix, selectors);
        let entry =
            Entry { selectors, prefix: prefix.clone().into_owned(), references: 0, used: 0 };
        self.count(&entry, 1);
        let index = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            self.entries.len() as u32 - 1
        });
        self.entries[index as usize] = Some(entry);
        let (entries, hasher) = (&self.entries, &self.hasher);
        self.table.insert_unique(hash, index, |it| {
            let entry = entries[*it as usize].as_ref().expect("it is in the table");
            hasher.hash_one((&entry.prefix, entry.selectors))
        });
        index
    }

    fn count(&mut self, entry: &Entry, change: isize) {
        let has_digest = entry
            .prefix
            .split_last()
            .is_some_and(|(_, it)| it.component_type() == ComponentType::IMPLICIT_SHA256_DIGEST);
        let add = |it: &mut usize, by: isize| *it = it.wrapping_add_signed(by);
        add(&mut self.bytes, change * entry.prefix.components_size() as isize);
        add(&mut self.prefixes, change * isize::from(entry.selectors.can_be_prefix));
        add(&mut self.digests, change * isize::from(has_digest));
    }

    fn make_room(&mut self, bytes: usize, mut on_gone: impl FnMut(PrefixId)) -> Result<(), Full> {
        while self.len() >= self.most || self.bytes + bytes > Self::MOST_BYTES {
            let (_, index) = self.idle.pop_first().ok_or(Full)?;
            let entry = self.entries[index as usize].take().expect("it is in use");
            let hash = self.hash(&entry.prefix, entry.selectors);
            if let Ok(found) = self.table.find_entry(hash, |it| *it == index) {
                found.remove();
            }
            self.count(&entry, -1);
            self.free.push(index);
            on_gone(id(index));
        }
        Ok(())
    }
}

/// The name of a packet whose bytes alone have it.
pub(super) fn unnamed() -> Name {
    Name { prefix: id(0), segment: Name::WHOLE }
}

fn id(index: u32) -> PrefixId {
    PrefixId::new(index as usize, PacketFormat::Ndn)
}

/// Calls `with` with the prefix and the segment of a name.
fn with_parts<T>(
    name: &wire::Name<'_>,
    selectors: Selectors,
    with: impl FnOnce(&wire::Name<'_>, u64) -> T,
) -> T {
    if !selectors.can_be_prefix
        && let Some((prefix, last)) = name.split_last()
        && last.component_type() == ComponentType::SEGMENT
        && let Some(segment) = last.number().filter(|it| *it != Name::WHOLE)
    {
        return with(&prefix, segment);
    }
    with(name, Name::WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire_name(text: &str) -> wire::Name<'static> {
        text.parse().expect("it is a name")
    }

    fn number(names: &mut Names, text: &str, selectors: Selectors) -> Result<Name, Full> {
        names.number(&wire_name(text), selectors, |_, _| {})
    }

    #[test]
    fn segments_of_one_prefix_have_its_number_and_other_names_their_own() {
        let mut names = Names::new(100);
        let plain = Selectors::default();
        let first = number(&mut names, "/a/v=1/seg=0", plain).unwrap();
        let second = number(&mut names, "/a/v=1/seg=300", plain).unwrap();
        assert_eq!((first.prefix, first.segment, second.segment), (second.prefix, 0, 300));
        let whole = number(&mut names, "/a/v=1", plain).unwrap();
        assert_eq!((whole.prefix, whole.segment), (first.prefix, Name::WHOLE));
        let last = number(&mut names, "/a/v=1/seg=18446744073709551615", plain).unwrap();
        assert_ne!(last, whole, "the largest segment is not the prefix");
        let mut all: Vec<_> = Selectors::ALL
            .iter()
            .map(|it| number(&mut names, "/a/v=1/seg=0", *it).unwrap())
            .collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn a_segment_that_is_not_in_its_shortest_form_is_another_name() {
        let mut names = Names::new(100);
        let mut longer = wire_name("/a");
        longer.push(wire::Component::new(ComponentType::SEGMENT, &[0, 1]).unwrap());
        let same = names.number(&longer, Selectors::default(), |_, _| {});
        assert_ne!(same, number(&mut names, "/a/seg=1", Selectors::default()));
    }

    #[test]
    fn the_least_recently_used_go_but_not_those_that_something_refers_to() {
        let mut names = Names::new(3);
        let plain = Selectors::default();
        let cached = number(&mut names, "/cached", plain).unwrap();
        names.hold(cached.prefix);
        let waiting = number(&mut names, "/waiting", plain).unwrap();
        names.hold(waiting.prefix);
        let idle = number(&mut names, "/idle", plain).unwrap();
        let mut gone = Vec::new();
        let other = names.number(&wire_name("/other"), plain, |it, new| {
            if new.is_none() {
                gone.push(it);
            }
        });
        assert_eq!((gone, other.as_ref().unwrap().prefix), (vec![idle.prefix], idle.prefix));
        names.hold(other.unwrap().prefix);
        assert_eq!(number(&mut names, "/one-more", plain), Err(Full));
        assert_eq!(names.find(&wire_name("/waiting"), plain), Some(waiting));
        names.release(cached.prefix);
        assert_eq!(number(&mut names, "/one-more", plain).unwrap().prefix, cached.prefix);
        assert_eq!(names.len(), 3);
    }
}
