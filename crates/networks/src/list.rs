//! A doubly linked list through the entries of a store: put at the end, taken
//! out anywhere, always in constant time and without allocation.

use std::ops::{Index, IndexMut};

use windtunnel_engine::Handle;

/// An entry's neighbours.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Links {
    before: Option<Handle>,
    after: Option<Handle>,
}

/// What a list needs of its entries.
pub(crate) trait Linked {
    fn links(&mut self) -> &mut Links;
}

/// The ends of a list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct List {
    first: Option<Handle>,
    last: Option<Handle>,
}

impl List {
    #[inline]
    pub(crate) fn first(&self) -> Option<Handle> {
        self.first
    }

    #[inline]
    pub(crate) fn last(&self) -> Option<Handle> {
        self.last
    }

    /// The entry before `handle`.
    pub(crate) fn before<S>(store: &mut S, handle: Handle) -> Option<Handle>
    where
        S: IndexMut<Handle>,
        <S as Index<Handle>>::Output: Linked,
    {
        store[handle].links().before
    }

    #[inline]
    pub(crate) fn push_back<S>(&mut self, store: &mut S, handle: Handle)
    where
        S: IndexMut<Handle>,
        <S as Index<Handle>>::Output: Linked,
    {
        self.insert_after(store, self.last, handle);
    }

    /// Puts an entry behind another one, or first.
    #[inline]
    pub(crate) fn insert_after<S>(&mut self, store: &mut S, before: Option<Handle>, handle: Handle)
    where
        S: IndexMut<Handle>,
        <S as Index<Handle>>::Output: Linked,
    {
        let after = match before {
            Some(before) => store[before].links().after.replace(handle),
            None => self.first.replace(handle),
        };
        match after {
            Some(after) => store[after].links().before = Some(handle),
            None => self.last = Some(handle),
        }
        *store[handle].links() = Links { before, after };
    }

    #[inline]
    pub(crate) fn remove<S>(&mut self, store: &mut S, handle: Handle)
    where
        S: IndexMut<Handle>,
        <S as Index<Handle>>::Output: Linked,
    {
        let Links { before, after } = std::mem::take(store[handle].links());
        match before {
            Some(before) => store[before].links().after = after,
            None => self.first = after,
        }
        match after {
            Some(after) => store[after].links().before = before,
            None => self.last = before,
        }
    }
}
