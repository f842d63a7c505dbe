//! The stalled queue: clones in the order in which their packets left, bounded in
//! bytes. Everything takes constant time: clones are linked through a store, and
//! found by their acknowledgement or by the byte at which their data begin.

use hashbrown::HashTable;
use windtunnel_engine::{Handle, Store, hash_pair};
use windtunnel_packets::Packet;
use windtunnel_packets::bridge::EdgeAcknowledgement;
use windtunnel_packets::tcp::Flags;
use windtunnel_queues::Backlog;

use super::start::Start;
use crate::list::{Linked, Links, List};

/// The number of a clone that was moved to the front: before all others'.
const FORWARD: u64 = 0;
/// The number of the first clone.
pub(super) const FIRST: u64 = 1;

/// A clone that is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    packet: Packet,
    key: EdgeAcknowledgement,
    /// Its place among all clones ever kept.
    number: u64,
    links: Links,
}

impl Linked for Kept {
    #[inline]
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl Kept {
    /// Whether it takes sequence numbers, so that a receiver can miss it.
    fn can_be_missed(&self) -> bool {
        let Some(segment) = self.packet.segment() else { return false };
        segment.length > 0 || segment.flags.has(Flags::SYN) || segment.flags.has(Flags::FIN)
    }
}

/// The clones that are kept.
#[derive(Clone, Debug)]
pub(super) struct StalledQueue {
    /// How many bytes it may hold.
    most: u64,
    kept: Store<Kept>,
    order: List,
    by_packet: HashTable<Handle>,
    by_start: HashTable<Handle>,
    backlog: Backlog,
    next: u64,
}

fn hash_packet(key: &EdgeAcknowledgement) -> u64 {
    // Turned, so that equal halves do not cancel each other.
    Start::of(key).hash().rotate_left(32) ^ hash_pair(key.acknowledgement, key.timestamp)
}

impl StalledQueue {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            kept: Store::default(),
            order: List::default(),
            by_packet: HashTable::new(),
            by_start: HashTable::new(),
            backlog: Backlog::default(),
            next: FIRST,
        }
    }

    /// What is held.
    #[inline]
    pub(super) fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// The number that the next clone will get.
    #[inline]
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// The number of the clone at the head.
    #[inline]
    pub(super) fn head(&self) -> Option<u64> {
        self.order.first().map(|it| self.kept[it].number)
    }

    fn find(&self, key: &EdgeAcknowledgement) -> Option<Handle> {
        self.by_packet.find(hash_packet(key), |it| self.kept[*it].key == *key).copied()
    }

    /// Whether the clone with that acknowledgement is held.
    pub(super) fn contains(&self, key: &EdgeAcknowledgement) -> bool {
        self.find(key).is_some()
    }

    /// Appends a clone whose equal is not held yet. The oldest are removed until there is
    /// room; a clone larger than the whole queue is not kept. Returns how many clones
    /// were removed or not kept.
    pub(super) fn push(&mut self, packet: Packet, key: EdgeAcknowledgement) -> u64 {
        let size = packet.size();
        if u64::from(size) > self.most {
            return 1;
        }
        let mut expired = 0;
        while self.backlog.bytes + u64::from(size) > self.most {
            self.pop();
            expired += 1;
        }
        self.backlog.add(size);
        let number = self.next;
        self.next += 1;
        let handle = self.kept.insert(Kept { packet, key, number, links: Links::default() });
        self.index(handle);
        self.order.push_back(&mut self.kept, handle);
        expired
    }

    /// Takes out the clone at the head.
    pub(super) fn pop(&mut self) -> Option<(Packet, EdgeAcknowledgement)> {
        let first = self.order.first()?;
        let Kept { packet, key, .. } = self.kept[first];
        self.take_out(first);
        Some((packet, key))
    }

    /// Takes out the clone with that acknowledgement; returns its number.
    pub(super) fn remove(&mut self, key: &EdgeAcknowledgement) -> Option<u64> {
        let handle = self.find(key)?;
        let number = self.kept[handle].number;
        self.take_out(handle);
        Some(number)
    }

    /// Moves a clone that begins at that byte of a connection to the front; returns
    /// whether there is one.
    pub(super) fn move_to_front(&mut self, start: Start) -> bool {
        let begins = |it: &Handle| Start::of(&self.kept[*it].key) == start;
        let Some(found) = self.by_start.find(start.hash(), begins).copied() else {
            return false;
        };
        self.order.remove(&mut self.kept, found);
        self.kept[found].number = FORWARD;
        self.order.insert_after(&mut self.kept, None, found);
        true
    }

    fn take_out(&mut self, handle: Handle) {
        self.order.remove(&mut self.kept, handle);
        self.backlog.remove(self.kept[handle].packet.size());
        let Kept { key, .. } = self.kept[handle];
        let places = [
            (&mut self.by_packet, hash_packet(&key)),
            (&mut self.by_start, Start::of(&key).hash()),
        ];
        for (table, hashed) in places {
            if let Ok(entry) = table.find_entry(hashed, |it| *it == handle) {
                entry.remove();
            }
        }
        self.kept.free(handle);
    }

    fn index(&mut self, handle: Handle) {
        let kept = &self.kept;
        let clone = &kept[handle];
        let rehash = |it: &Handle| hash_packet(&kept[*it].key);
        self.by_packet.insert_unique(hash_packet(&clone.key), handle, rehash);
        if clone.can_be_missed() {
            let rehash = |it: &Handle| Start::of(&kept[*it].key).hash();
            self.by_start.insert_unique(Start::of(&clone.key).hash(), handle, rehash);
        }
    }
}
