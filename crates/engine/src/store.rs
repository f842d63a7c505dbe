//! A store whose places are used again: it allocates only while it grows.

use std::num::NonZeroU32;

/// Where a value lies in a [`Store`]. An `Option` of it takes no more room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(NonZeroU32);

impl Handle {
    #[inline]
    fn to(index: usize) -> Self {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        Self(number.expect("fewer than 2^32 values at once"))
    }

    #[inline]
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Values under handles. A place freed is the next one used, so that the
/// memory touched stays small and warm.
#[derive(Clone, Debug)]
pub struct Store<T> {
    values: Vec<T>,
    free: Vec<Handle>,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Store<T> {
    /// Puts a value in; its handle is good until [`Store::free`].
    #[inline]
    pub fn insert(&mut self, value: T) -> Handle {
        match self.free.pop() {
            Some(handle) => {
                self[handle] = value;
                handle
            }
            None => self.append(value),
        }
    }

    /// Puts a value in by making over the one that lay there before with `renew`,
    /// so that what it had allocated is used again; only where there is none,
    /// `new` makes one.
    #[inline]
    pub fn renew(&mut self, renew: impl FnOnce(&mut T), new: impl FnOnce() -> T) -> Handle {
        match self.free.pop() {
            Some(handle) => {
                renew(&mut self[handle]);
                handle
            }
            None => self.append(new()),
        }
    }

    fn append(&mut self, value: T) -> Handle {
        self.values.push(value);
        Handle::to(self.values.len() - 1)
    }

    /// Gives the place back; the value stays until it is used again.
    #[inline]
    pub fn free(&mut self, handle: Handle) {
        self.free.push(handle);
    }

    /// How many values are in.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// Whether nothing is in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> std::ops::Index<Handle> for Store<T> {
    type Output = T;
    #[inline]
    fn index(&self, handle: Handle) -> &T {
        &self.values[handle.index()]
    }
}

impl<T> std::ops::IndexMut<Handle> for Store<T> {
    #[inline]
    fn index_mut(&mut self, handle: Handle) -> &mut T {
        &mut self.values[handle.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_place_is_used_next() {
        let mut store = Store::default();
        let first = store.insert('a');
        let second = store.insert('b');
        store.free(first);
        assert_eq!(store.len(), 1);
        assert_eq!(store.insert('c'), first);
        assert_eq!((store[first], store[second]), ('c', 'b'));
    }
}
