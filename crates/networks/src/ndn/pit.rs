//! The pending Interest table: which faces wait for which Data, and which were asked
//! for it.

use smallvec::SmallVec;
use windtunnel_engine::{Duration, Handle, Time};
use windtunnel_packets::ndn::{Interest, Name};

use super::face::FaceId;
use super::name_index::{NameIndex, Named};
use crate::list::{Linked, Links, List};

/// A downstream face that waits.
#[derive(Clone, Copy, Debug)]
pub struct InRecord {
    /// The face.
    pub face: FaceId,
    /// The nonce of its latest Interest.
    pub nonce: u32,
    /// When it stops waiting.
    pub expires: Time,
    /// Whether its Interest carried a congestion mark.
    pub marked: bool,
}

/// An upstream face that was asked.
#[derive(Clone, Copy, Debug)]
pub struct OutRecord {
    /// The face.
    pub face: FaceId,
    /// The nonce of the latest Interest sent to it.
    pub nonce: u32,
    /// When that was sent.
    pub sent: Time,
    /// Whether it answered with a NACK.
    pub nacked: bool,
}

/// A pending Interest. It fills two cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct PitEntry {
    /// The Interest as it came last.
    pub interest: Interest,
    /// Its network-layer size in bytes.
    pub network_size: u16,
    /// The faces that wait.
    pub in_records: SmallVec<[InRecord; 1]>,
    /// The faces that were asked.
    pub out_records: SmallVec<[OutRecord; 1]>,
    /// How long retransmissions are suppressed after the last sending; zero
    /// before the first one.
    pub suppression: Duration,
    expires: Time,
    links: Links,
}

impl Named for PitEntry {
    #[inline]
    fn name(&self) -> Name {
        self.interest.name
    }
}

impl Linked for PitEntry {
    #[inline]
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl PitEntry {
    fn new(interest: Interest, network_size: u16) -> Self {
        Self {
            interest,
            network_size,
            in_records: SmallVec::new(),
            out_records: SmallVec::new(),
            suppression: Duration::ZERO,
            expires: Time::ZERO,
            links: Links::default(),
        }
    }

    /// Reuses the entry for another name; its allocations stay.
    fn renew(&mut self, interest: Interest, network_size: u16) {
        self.interest = interest;
        self.network_size = network_size;
        self.in_records.clear();
        self.out_records.clear();
        self.suppression = Duration::ZERO;
        self.expires = Time::ZERO;
        self.links = Links::default();
    }

    /// Whether a nonce was seen before, and not as the latest one of `face`, which
    /// may send its Interest again: then the Interest looped.
    #[must_use]
    pub fn saw_elsewhere(&self, nonce: u32, face: FaceId) -> bool {
        let again = self.in_records.iter().any(|it| it.nonce == nonce && it.face == face);
        !again
            && (self.in_records.iter().any(|it| it.nonce == nonce)
                || self.out_records.iter().any(|it| it.nonce == nonce))
    }

    /// Whether an answer from upstream is still awaited.
    #[must_use]
    pub fn awaits_answer(&self, now: Time) -> bool {
        self.out_records.iter().any(|it| !it.nacked && self.awaits(now, it))
    }

    /// Whether an upstream face's answer is not overdue.
    #[must_use]
    pub fn awaits(&self, now: Time, record: &OutRecord) -> bool {
        record.sent + self.interest.lifetime() > now
    }

    /// Notes that an Interest came from `face`; returns whether that face was
    /// already waiting.
    pub fn note_in(&mut self, now: Time, face: FaceId, interest: &Interest, marked: bool) -> bool {
        let expires = now + interest.lifetime();
        let record = InRecord { face, nonce: interest.nonce, expires, marked };
        match self.in_records.iter_mut().find(|it| it.face == face) {
            Some(existing) => {
                *existing = InRecord { marked: marked || existing.marked, ..record };
                true
            }
            None => {
                self.in_records.push(record);
                false
            }
        }
    }

    /// Notes that the Interest was sent to `face`.
    pub fn note_out(&mut self, now: Time, face: FaceId, nonce: u32) {
        let record = OutRecord { face, nonce, sent: now, nacked: false };
        match self.out_records.iter_mut().find(|it| it.face == face) {
            Some(existing) => *existing = record,
            None => self.out_records.push(record),
        }
    }

    /// When the Interest was last sent upstream.
    #[must_use]
    pub fn last_sent(&self) -> Option<Time> {
        self.out_records.iter().map(|it| it.sent).max()
    }
}

/// The table, with its entries in order of expiry.
#[derive(Clone, Debug, Default)]
pub struct Pit {
    index: NameIndex<PitEntry>,
    by_expiry: List,
}

impl Pit {
    /// The entry of that name.
    #[inline]
    #[must_use]
    pub fn find(&self, name: Name) -> Option<Handle> {
        self.index.find(name)
    }

    /// Fetches where a name is looked up.
    #[inline]
    pub fn prefetch_index(&self, name: Name) {
        self.index.prefetch_slot(name);
    }

    /// Fetches a name's entry, if there is one.
    #[inline]
    pub fn prefetch_entry(&self, name: Name) {
        self.index.prefetch_value(name);
    }

    /// A new entry; there must be none of that name.
    #[inline]
    pub fn insert(&mut self, interest: &Interest, network_size: u16) -> Handle {
        let handle = self.index.store.renew(
            |entry| entry.renew(*interest, network_size),
            || PitEntry::new(*interest, network_size),
        );
        self.index.index(interest.name, handle);
        self.by_expiry.push_back(&mut self.index.store, handle);
        handle
    }

    /// Takes an entry out.
    #[inline]
    pub fn remove(&mut self, handle: Handle) {
        self.by_expiry.remove(&mut self.index.store, handle);
        self.index.remove(handle);
    }

    /// The entry under a handle.
    #[inline]
    #[must_use]
    pub fn entry(&mut self, handle: Handle) -> &mut PitEntry {
        &mut self.index.store[handle]
    }

    /// Lets an entry live until `expires` at least, and keeps the order of expiry:
    /// one step where all lifetimes are alike. Returns until when it lives.
    #[inline]
    pub fn set_expiry(&mut self, handle: Handle, expires: Time) -> Time {
        let store = &mut self.index.store;
        let expires = store[handle].expires.max(expires);
        store[handle].expires = expires;
        if self.by_expiry.last() == Some(handle) && List::before(store, handle).is_none() {
            return expires;
        }
        self.by_expiry.remove(store, handle);
        let mut before = self.by_expiry.last();
        while let Some(earlier) = before
            && store[earlier].expires > expires
        {
            before = List::before(store, earlier);
        }
        self.by_expiry.insert_after(store, before, handle);
        expires
    }

    /// The entry that expires next, and when.
    #[inline]
    #[must_use]
    pub fn next_expiry(&self) -> Option<(Handle, Time)> {
        self.by_expiry.first().map(|handle| (handle, self.index.store[handle].expires))
    }

    /// Forgets a face in all entries.
    pub fn remove_face(&mut self, face: FaceId) {
        let store = &mut self.index.store;
        let mut next = self.by_expiry.last();
        while let Some(handle) = next {
            store[handle].in_records.retain(|it| it.face != face);
            store[handle].out_records.retain(|it| it.face != face);
            next = List::before(store, handle);
        }
    }

    /// How many Interests are pending.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether no Interest is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
