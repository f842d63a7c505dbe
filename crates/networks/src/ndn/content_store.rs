//! The content store: Data kept to answer later Interests.

use windtunnel_engine::{Duration, Handle, Time};
use windtunnel_packets::ndn::{Data, Interest, Name};

use super::name_index::{NameIndex, Named};
use crate::list::{Linked, Links, List};

/// Which Data is evicted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacementPolicy {
    /// The least recently used.
    Lru,
    /// The first that came in.
    Fifo,
}

/// Cached Data, as it came.
#[derive(Clone, Copy, Debug)]
pub struct Cached {
    /// The Data.
    pub data: Data,
    /// Its network-layer size in bytes.
    pub network_size: u16,
    /// Whether it carried a congestion mark when it came.
    pub marked: bool,
    fresh_until: Time,
    links: Links,
}

impl Named for Cached {
    #[inline]
    fn name(&self) -> Name {
        self.data.name
    }
}

impl Linked for Cached {
    #[inline]
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// A store of at most `capacity` Data packets; with none, it is off.
#[derive(Clone, Debug)]
pub struct ContentStore {
    capacity: usize,
    policy: ReplacementPolicy,
    index: NameIndex<Cached>,
    /// From the next to go to the last.
    order: List,
    /// What was evicted last.
    evicted: Option<Name>,
}

impl ContentStore {
    /// An empty store.
    #[must_use]
    pub fn new(capacity: usize, policy: ReplacementPolicy) -> Self {
        let (index, order) = (NameIndex::default(), List::default());
        Self { capacity, policy, index, order, evicted: None }
    }

    /// Whether it keeps anything.
    #[inline]
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.capacity > 0
    }

    /// The Data that answers an Interest, if it is in.
    #[inline]
    pub fn find(&mut self, now: Time, interest: &Interest) -> Option<Cached> {
        if !self.is_on() {
            return None;
        }
        let handle = self.index.find(interest.name)?;
        let cached = self.index.store[handle];
        if interest.must_be_fresh && cached.fresh_until <= now {
            return None;
        }
        if self.policy == ReplacementPolicy::Lru {
            self.move_to_end(handle);
        }
        Some(cached)
    }

    /// Whether it would answer an Interest.
    #[must_use]
    pub fn answers(&self, now: Time, interest: &Interest) -> bool {
        let found = self.index.find(interest.name).map(|it| &self.index.store[it]);
        found.is_some_and(|it| !interest.must_be_fresh || it.fresh_until > now)
    }

    /// The name of the Data that was evicted last, if any was since this was asked.
    pub fn take_evicted(&mut self) -> Option<Name> {
        self.evicted.take()
    }

    /// Keeps Data; evicts other Data where there is no room.
    #[inline]
    pub fn insert(&mut self, now: Time, data: &Data, network_size: u16, marked: bool) {
        if !self.is_on() {
            return;
        }
        let fresh_until = now + Duration::from_millis(u64::from(data.freshness_ms));
        let cached =
            Cached { data: *data, network_size, marked, fresh_until, links: Links::default() };
        if let Some(handle) = self.index.find(data.name) {
            let links = self.index.store[handle].links;
            self.index.store[handle] = Cached { links, ..cached };
            if self.policy == ReplacementPolicy::Lru {
                self.move_to_end(handle);
            }
            return;
        }
        if self.index.len() == self.capacity
            && let Some(evicted) = self.order.first()
        {
            self.evicted = Some(self.index.store[evicted].name());
            self.order.remove(&mut self.index.store, evicted);
            self.index.remove(evicted);
        }
        let handle = self.index.insert(cached);
        self.order.push_back(&mut self.index.store, handle);
    }

    fn move_to_end(&mut self, handle: Handle) {
        self.order.remove(&mut self.index.store, handle);
        self.order.push_back(&mut self.index.store, handle);
    }

    /// How many Data packets are in.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
