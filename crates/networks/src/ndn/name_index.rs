//! An index from names to places in a store.

use windtunnel_engine::{Handle, Store, prefetch};
use windtunnel_packets::ndn::Name;

/// Something kept under its name.
pub(super) trait Named {
    fn name(&self) -> Name;
}

/// Values kept under their names, in a store that allocates only while it
/// grows.
#[derive(Clone, Debug)]
pub(super) struct NameIndex<T> {
    pub(super) store: Store<T>,
    table: Table,
}

impl<T> Default for NameIndex<T> {
    fn default() -> Self {
        Self { store: Store::default(), table: Table::default() }
    }
}

/// A name's hash.
#[inline]
pub(super) fn hash(name: Name) -> u64 {
    windtunnel_engine::hash(name.segment ^ ((name.prefix.index() as u64) << 40))
}

impl<T: Named> NameIndex<T> {
    #[inline]
    pub(super) fn find(&self, name: Name) -> Option<Handle> {
        let place = self.table.find(hash(name), |it| self.store[it].name() == name)?;
        self.table.slots[place].handle
    }

    /// Fetches where a name is looked up.
    #[inline]
    pub(super) fn prefetch_slot(&self, name: Name) {
        self.table.prefetch(hash(name));
    }

    /// Fetches the value of a name, if there is one.
    #[inline]
    pub(super) fn prefetch_value(&self, name: Name) {
        if let Some(handle) = self.table.likely(hash(name)) {
            prefetch(&self.store[handle]);
        }
    }

    /// Puts in a value whose name is not in yet.
    #[inline]
    pub(super) fn insert(&mut self, value: T) -> Handle {
        let name = value.name();
        let handle = self.store.insert(value);
        self.index(name, handle);
        handle
    }

    /// Indexes a value that is in the store already.
    #[inline]
    pub(super) fn index(&mut self, name: Name, handle: Handle) {
        self.table.insert(hash(name), handle);
    }

    #[inline]
    pub(super) fn remove(&mut self, handle: Handle) {
        self.table.remove(hash(self.store[handle].name()), handle);
        self.store.free(handle);
    }

    pub(super) fn len(&self) -> usize {
        self.store.len()
    }
}

/// A place of the table: a part of the hash, and what has it.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    handle: Option<Handle>,
}

/// A hash table of handles with linear probing: where a hash is looked up is known without
/// a look there, so that it can be fetched ahead, and is in most cases one cache line.
#[derive(Clone, Debug, Default)]
struct Table {
    /// As many as a power of two, or none; at least half of them are free.
    slots: Vec<Slot>,
    len: usize,
}

impl Table {
    const SLOTS_AT_FIRST: usize = 16;

    #[inline]
    fn mask(&self) -> usize {
        self.slots.len().wrapping_sub(1)
    }

    /// The places where a hash may be, in order, up to the first that is free.
    #[inline]
    fn probe(&self, hash: u32) -> impl Iterator<Item = (usize, Slot)> {
        let mask = self.mask();
        let places = (0..self.slots.len()).map(move |step| (hash as usize + step) & mask);
        places.map(|it| (it, self.slots[it])).take_while(|(_, slot)| slot.handle.is_some())
    }

    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(Handle) -> bool) -> Option<usize> {
        let hash = hash as u32;
        let mut found = self.probe(hash).filter(|(_, slot)| slot.hash == hash);
        found.find(|(_, slot)| slot.handle.is_some_and(&is_it)).map(|(place, _)| place)
    }

    /// What has a hash, or very likely so.
    #[inline]
    fn likely(&self, hash: u64) -> Option<Handle> {
        self.slots[self.find(hash, |_| true)?].handle
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(hash as usize & self.mask()) {
            prefetch(slot);
        }
    }

    fn insert(&mut self, hash: u64, handle: Handle) {
        if 2 * (self.len + 1) > self.slots.len() {
            self.grow();
        }
        self.put(Slot { hash: hash as u32, handle: Some(handle) });
        self.len += 1;
    }

    fn put(&mut self, slot: Slot) {
        let mut place = slot.hash as usize & self.mask();
        while self.slots[place].handle.is_some() {
            place = (place + 1) & self.mask();
        }
        self.slots[place] = slot;
    }

    #[cold]
    fn grow(&mut self) {
        let slots = vec![Slot::default(); Self::SLOTS_AT_FIRST.max(2 * self.slots.len())];
        let before = std::mem::replace(&mut self.slots, slots);
        before.into_iter().filter(|it| it.handle.is_some()).for_each(|it| self.put(it));
    }

    /// Takes a handle out, and moves those behind it to where they are found without it
    /// (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm R).
    fn remove(&mut self, hash: u64, handle: Handle) {
        let Some(mut free) = self.find(hash, |it| it == handle) else { return };
        let mut place = free;
        self.len -= 1;
        loop {
            place = (place + 1) & self.mask();
            let slot = self.slots[place];
            if slot.handle.is_none() {
                break;
            }
            let steps = place.wrapping_sub(slot.hash as usize) & self.mask();
            if steps >= place.wrapping_sub(free) & self.mask() {
                self.slots[free] = slot;
                free = place;
            }
        }
        self.slots[free] = Slot::default();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few hashes, of which many share a place, go in and out.
        #[test]
        fn a_table_finds_what_is_in_it(operations in vec((any::<bool>(), 0..64_u64), 0..400)) {
            let mut handles = Store::default();
            let handles: Vec<Handle> = (0..64).map(|it| handles.insert(it)).collect();
            let hash = |it: u64| it % 8 * 7 + ((it / 8) << 32);
            let (mut table, mut model) = (Table::default(), BTreeMap::new());
            for (goes_in, it) in operations {
                let handle = handles[it as usize];
                if goes_in && model.insert(it, handle).is_none() {
                    table.insert(hash(it), handle);
                } else if !goes_in && model.remove(&it).is_some() {
                    table.remove(hash(it), handle);
                }
                prop_assert_eq!(table.len, model.len());
                for it in 0..64 {
                    let wanted = handles[it as usize];
                    let place = table.find(hash(it), |found| found == wanted);
                    let found = place.and_then(|place| table.slots[place].handle);
                    prop_assert_eq!(found, model.get(&it).copied());
                }
            }
        }
    }
}
