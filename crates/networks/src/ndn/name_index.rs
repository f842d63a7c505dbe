//! An index from names to places in a store.

use hashbrown::HashTable;
use windtunnel_engine::{Handle, Store};
use windtunnel_packets::ndn::Name;

/// Something kept under its name.
pub(super) trait Named {
    fn name(&self) -> Name;
}

/// Values kept under their names, in a store that allocates only while it
/// grows.
#[derive(Debug)]
pub(super) struct NameIndex<T> {
    pub(super) store: Store<T>,
    table: HashTable<Handle>,
}

impl<T> Default for NameIndex<T> {
    fn default() -> Self {
        Self { store: Store::default(), table: HashTable::new() }
    }
}

/// A name's hash.
#[inline]
pub(super) fn hash(name: Name) -> u64 {
    windtunnel_engine::hash(name.segment ^ (u64::from(name.prefix.0) << 40))
}

impl<T: Named> NameIndex<T> {
    #[inline]
    pub(super) fn find(&self, name: Name) -> Option<Handle> {
        self.table.find(hash(name), |it| self.store[*it].name() == name).copied()
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
        let store = &self.store;
        self.table.insert_unique(hash(name), handle, |it| hash(store[*it].name()));
    }

    #[inline]
    pub(super) fn remove(&mut self, handle: Handle) {
        self.unindex(handle);
        self.store.free(handle);
    }

    /// Takes a value out of the index, not out of the store.
    #[inline]
    fn unindex(&mut self, handle: Handle) {
        let name = self.store[handle].name();
        if let Ok(entry) = self.table.find_entry(hash(name), |it| *it == handle) {
            entry.remove();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.store.len()
    }
}
