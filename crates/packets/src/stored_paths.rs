//! The paths of SCION packets, kept for the whole run, with what became of their hop fields.

use std::sync::Arc;

use crate::scion::{Path, PathHandle};

/// What became of a hop field when it was last checked: by which system, behind which
/// accumulator, and whether it was right.
pub(crate) type Checked = Option<(u32, u16, bool)>;

/// A path, and what became of its hop fields.
#[derive(Clone, Debug)]
struct StoredPath {
    path: Arc<Path>,
    checked: Box<[Checked]>,
}

/// The paths that were put in here, and those of the other stores of one network. A path's handle
/// is that of the store that it was put into, in all of them.
#[derive(Clone, Debug)]
pub(crate) struct StoredPaths {
    /// Which of the stores this is.
    place: usize,
    /// By store.
    all: Vec<Vec<StoredPath>>,
}

impl Default for StoredPaths {
    fn default() -> Self {
        Self::new(0, 1)
    }
}

impl StoredPaths {
    /// Those of one of so many stores.
    pub(crate) fn new(place: usize, stores: usize) -> Self {
        Self { place, all: vec![Vec::new(); stores] }
    }

    /// Puts a path in.
    pub(crate) fn insert(&mut self, path: Arc<Path>) -> PathHandle {
        let place = self.all[self.place].len();
        self.insert_of(self.place, path);
        PathHandle((place * self.all.len() + self.place) as u32)
    }

    /// Puts the next path of a store in.
    pub(crate) fn insert_of(&mut self, store: usize, path: Arc<Path>) {
        let checked = vec![None; path.hops()].into();
        self.all[store].push(StoredPath { path, checked });
    }

    /// Those that were put in here, without the first few.
    pub(crate) fn own(&self, without: usize) -> impl Iterator<Item = &Arc<Path>> {
        self.all[self.place][without..].iter().map(|it| &it.path)
    }

    /// The store of a path, and its place there.
    fn place(&self, handle: PathHandle) -> (usize, usize) {
        let (handle, stores) = (handle.0 as usize, self.all.len());
        (handle % stores, handle / stores)
    }

    /// A path.
    pub(crate) fn get(&self, handle: PathHandle) -> &Arc<Path> {
        let (store, place) = self.place(handle);
        &self.all[store][place].path
    }

    /// What became of a hop field of a path.
    pub(crate) fn checked(&mut self, handle: PathHandle, hop: u8) -> &mut Checked {
        let (store, place) = self.place(handle);
        &mut self.all[store][place].checked[usize::from(hop)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_handle_in_all_stores() {
        let mut stores = [0, 1, 2].map(|it| StoredPaths::new(it, 3));
        let paths: Vec<Arc<Path>> = (0..9).map(|_| Arc::default()).collect();
        let put = paths.iter().zip([2, 0, 0, 1, 2, 2, 1, 0, 2]);
        let handles: Vec<PathHandle> =
            put.map(|(path, store)| stores[store].insert(Arc::clone(path))).collect();
        for from in 0..3 {
            let own: Vec<Arc<Path>> = stores[from].own(0).cloned().collect();
            for to in (0..3).filter(|it| *it != from) {
                own.iter().for_each(|it| stores[to].insert_of(from, Arc::clone(it)));
            }
        }
        for store in &stores {
            let found = handles.iter().map(|it| store.get(*it));
            assert!(found.zip(&paths).all(|(one, other)| Arc::ptr_eq(one, other)));
        }
    }
}
