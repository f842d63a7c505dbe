//! A store whose places are used again: it allocates only while it grows.

/// Where a value lies in a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(u32);

impl Handle {
    /// The place as an index, for tables that run beside the store.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Values under handles. A place freed is the next one used, so that the
/// memory touched stays small and warm.
#[derive(Debug)]
pub struct Store<T> {
    values: Vec<T>,
    free: Vec<u32>,
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
            Some(index) => {
                self.values[index as usize] = value;
                Handle(index)
            }
            None => {
                let index = u32::try_from(self.values.len()).expect("fewer than 2^32 values at once");
                self.values.push(value);
                Handle(index)
            }
        }
    }

    /// Gives the place back; the value stays until it is used again.
    #[inline]
    pub fn free(&mut self, handle: Handle) {
        self.free.push(handle.0);
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
        &self.values[handle.0 as usize]
    }
}

impl<T> std::ops::IndexMut<Handle> for Store<T> {
    #[inline]
    fn index_mut(&mut self, handle: Handle) -> &mut T {
        &mut self.values[handle.0 as usize]
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
