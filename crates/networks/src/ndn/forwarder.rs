//! An NDN forwarder: content store, pending Interest table, forwarding
//! information base and a strategy, joined as in NFD's pipelines.

use hashbrown::HashTable;
use smallvec::SmallVec;
use windtunnel_engine::{Duration, Handle, Random, Time};
use windtunnel_packets::ndn::{Data, Interest, Nack, NackReason, Name, PacketFormat, wire};
use windtunnel_packets::{Body, Packet};

use super::content_store::ContentStore;
use super::face::FaceId;
use super::fib::{Fib, NextHop};
use super::name_index::hash;
use super::pit::Pit;
use super::strategy::{Chosen, Decision, InterestArrival, Repetition, Strategy};

/// What is to be sent, and over which face. Callers keep one and empty it, so
/// that sending allocates nothing once warm.
pub type ForwarderOutbox = Vec<(FaceId, Packet)>;

/// What becomes of a congestion mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwarderMarks {
    /// Whether a mark on an Interest returns on its Data, as in PCON; NFD ignores
    /// it.
    pub interest_marks_return: bool,
    /// Whether Data cached with a mark keeps it, as in NFD, although the congestion may
    /// have ended long ago.
    pub cached_marks_stay: bool,
}

/// What a forwarder counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForwarderCounters {
    /// Interests that came in.
    pub interests_in: u64,
    /// Interests sent out.
    pub interests_out: u64,
    /// Data that came in.
    pub data_in: u64,
    /// Data sent out.
    pub data_out: u64,
    /// NACKs that came in.
    pub nacks_in: u64,
    /// NACKs sent out.
    pub nacks_out: u64,
    /// Interests that the content store answered.
    pub content_store_hits: u64,
    /// Interests looked up in the content store that it could not answer.
    pub content_store_misses: u64,
    /// Interests of another face that joined a pending one.
    pub aggregated: u64,
    /// Interests not forwarded because the answer was pending.
    pub suppressed: u64,
    /// Interests that looped.
    pub loops: u64,
    /// Interests whose hop limit was reached.
    pub hop_limit_exceeded: u64,
    /// Data that no Interest was pending for.
    pub unsolicited: u64,
    /// Pending Interests that expired without an answer.
    pub expired: u64,
}

/// The nonces of Interests that were pending until recently: late copies of them have
/// looped.
///
/// Source: NFD's dead nonce list, with its lifetime of 6 s. It is needed only where the
/// network has a cycle; in a tree no Interest can loop.
#[derive(Clone, Debug)]
struct DeadNonces {
    seen: HashTable<u64>,
    by_age: std::collections::VecDeque<(Time, u64)>,
}

impl DeadNonces {
    const LIFETIME: Duration = Duration::from_secs(6);

    fn key(interest: &Interest, nonce: u32) -> u64 {
        hash(interest.name) ^ u64::from(nonce)
    }

    fn insert(&mut self, now: Time, interest: &Interest, nonce: u32) {
        while let Some((time, key)) = self.by_age.front()
            && now.since(*time) > Self::LIFETIME
        {
            if let Ok(entry) = self.seen.find_entry(*key, |it| it == key) {
                entry.remove();
            }
            self.by_age.pop_front();
        }
        let key = Self::key(interest, nonce);
        if !self.contains(interest, nonce) {
            self.seen.insert_unique(key, key, |it| *it);
            self.by_age.push_back((now, key));
        }
    }

    fn contains(&self, interest: &Interest, nonce: u32) -> bool {
        let key = Self::key(interest, nonce);
        self.seen.find(key, |it| *it == key).is_some()
    }
}

/// An NDN node without its links. The fields that every packet needs come first and
/// fill few cache lines; those that few nodes have are allocated apart.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Forwarder {
    pit: Pit,
    content_store: Option<Box<ContentStore>>,
    dead_nonces: Option<Box<DeadNonces>>,
    /// Whether each face leads to an application on this node.
    local: SmallVec<[bool; 16]>,
    marks: ForwarderMarks,
    fib: Fib,
    strategy: Strategy,
    /// Where the strategy's last Interest went.
    chosen: Chosen,
    counters: ForwarderCounters,
    random: Random,
}

impl Forwarder {
    /// A forwarder without faces.
    #[must_use]
    pub fn new(
        content_store: ContentStore,
        strategy: Strategy,
        marks: ForwarderMarks,
        random: Random,
    ) -> Self {
        Self {
            local: SmallVec::new(),
            content_store: content_store.is_on().then(|| Box::new(content_store)),
            pit: Pit::default(),
            fib: Fib::default(),
            strategy,
            chosen: Chosen::new(),
            marks,
            dead_nonces: None,
            random,
            counters: ForwarderCounters::default(),
        }
    }

    /// Adds a face: to an application on this node if `local`, else to a link.
    pub fn add_face(&mut self, local: bool) -> FaceId {
        let face = FaceId(u16::try_from(self.local.len()).expect("fewer than 65,536 faces"));
        self.local.push(local);
        face
    }

    /// Takes a face out of use: nothing waits for it any more. It must have no next hops.
    pub fn remove_face(&mut self, face: FaceId) {
        self.pit.remove_face(face);
    }

    /// A face waits for a name no longer; an Interest that nobody else waits with is forgotten.
    pub fn withdraw(&mut self, now: Time, name: Name, face: FaceId) {
        let Some(handle) = self.pit.find(name) else { return };
        let waiting = &mut self.pit.entry(handle).in_records;
        waiting.retain(|it| it.face != face && it.expires > now);
        if waiting.is_empty() {
            self.pit.remove(handle);
        }
    }

    /// Uses the number of a removed face for another one.
    pub fn reuse_face(&mut self, face: FaceId, local: bool) {
        self.local[usize::from(face.0)] = local;
    }

    /// Remembers the nonces of answered Interests, to detect late loops.
    pub fn watch_for_loops(&mut self) {
        let by_age = std::collections::VecDeque::new();
        self.dead_nonces = Some(Box::new(DeadNonces { seen: HashTable::new(), by_age }));
    }

    /// Replaces the next hops of a prefix. What the strategy knew of the old ones is
    /// forgotten.
    pub fn replace_next_hops(&mut self, prefix: &wire::Name<'static>, next_hops: &[NextHop]) {
        if let Some(entry) = self.fib.replace(prefix, next_hops) {
            self.strategy.forget(entry);
        }
    }

    /// The forwarding information base.
    pub fn fib(&mut self) -> &mut Fib {
        &mut self.fib
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> &ForwarderCounters {
        &self.counters
    }

    /// How many Interests are pending.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pit.len()
    }

    /// How many Data packets the content store holds.
    #[must_use]
    pub fn cached(&self) -> usize {
        self.content_store.as_ref().map_or(0, |it| it.len())
    }

    /// Whether an Interest of that name is pending.
    #[must_use]
    pub fn is_pending(&self, name: Name) -> bool {
        self.pit.find(name).is_some()
    }

    /// Whether the content store would answer an Interest.
    #[must_use]
    pub fn answers(&self, now: Time, interest: &Interest) -> bool {
        self.content_store.as_ref().is_some_and(|it| it.answers(now, interest))
    }

    /// Whether the content store keeps anything.
    #[must_use]
    pub fn keeps_data(&self) -> bool {
        self.content_store.is_some()
    }

    /// The name of the Data that the content store evicted since this was asked last; after
    /// each Data that was received it is one at most.
    pub fn take_evicted(&mut self) -> Option<Name> {
        self.content_store.as_mut().and_then(|it| it.take_evicted())
    }

    /// When [`Forwarder::expire`] wants to be called, if ever.
    #[inline]
    #[must_use]
    pub fn next_expiry(&self) -> Option<Time> {
        self.pit.next_expiry().map(|(_, time)| time)
    }

    /// Fetches where the table of pending Interests is looked up for a name.
    #[inline]
    pub fn prefetch_index(&self, name: Name) {
        self.pit.prefetch_index(name);
    }

    /// Fetches what is found there.
    #[inline]
    pub fn prefetch_pending(&self, name: Name) {
        self.pit.prefetch_entry(name);
    }

    /// Receives a packet over `face`; what is to be sent goes to `outbox`. Returns when
    /// [`Forwarder::expire`] must have been called for an Interest that waits now.
    #[inline]
    pub fn receive(
        &mut self,
        now: Time,
        face: FaceId,
        packet: &Packet,
        outbox: &mut ForwarderOutbox,
    ) -> Option<Time> {
        match &packet.body {
            Body::Interest(interest) => {
                return self.on_interest(now, face, *interest, packet, outbox);
            }
            Body::Data(data) => self.on_data(now, face, data, packet, outbox),
            Body::Nack(nack) => self.on_nack(now, face, nack, packet.network_size, outbox),
            // These are not forwarded by name.
            _ => {}
        }
        None
    }

    /// Receives Data over `face` that answers Interests of other names than its own too, as
    /// those for a prefix: the names in `pending`. Who waits gets it under the name that he
    /// asked for; the content store keeps it under its own.
    pub fn receive_data(
        &mut self,
        now: Time,
        face: FaceId,
        packet: &Packet,
        pending: &[Name],
        outbox: &mut ForwarderOutbox,
    ) {
        let Body::Data(data) = packet.body else { return };
        self.counters.data_in += 1;
        let mut is_wanted = false;
        for name in pending {
            let Some(handle) = self.pit.find(*name) else { continue };
            if !std::mem::replace(&mut is_wanted, true) {
                self.keep(now, &data, packet);
            }
            let body = Body::Data(Data { name: *name, ..data });
            self.satisfy(now, face, handle, *name, &Packet { body, ..*packet }, outbox);
        }
        self.counters.unsolicited += u64::from(!is_wanted);
    }

    /// An application here publishes Data: the content store keeps it, although nobody asked.
    pub fn publish(&mut self, now: Time, packet: &Packet) {
        if let Body::Data(data) = &packet.body {
            self.keep(now, data, packet);
        }
    }

    /// The content store, if there is one, keeps Data.
    #[inline]
    fn keep(&mut self, now: Time, data: &Data, packet: &Packet) {
        if let Some(content_store) = &mut self.content_store {
            content_store.insert(now, data, packet.network_size, packet.marked());
        }
    }

    /// Removes the pending Interests whose lifetime is over.
    pub fn expire(&mut self, now: Time) {
        while let Some((handle, expires)) = self.pit.next_expiry()
            && expires <= now
        {
            let pending = self.pit.entry(handle);
            if let Some(id) = self.fib.find(pending.interest.name.prefix) {
                self.strategy.on_expiry(id, self.fib.next_hops(id), pending);
            }
            self.counters.expired += 1;
            self.forget(now, handle);
        }
    }

    fn on_interest(
        &mut self,
        now: Time,
        face: FaceId,
        mut interest: Interest,
        packet: &Packet,
        outbox: &mut ForwarderOutbox,
    ) -> Option<Time> {
        self.counters.interests_in += 1;
        if !self.decrement_hop_limit(face, &mut interest) {
            self.counters.hop_limit_exceeded += 1;
            return None;
        }
        let found = self.pit.find(interest.name);
        if self.is_loop(face, &interest, found) {
            self.counters.loops += 1;
            self.send_nack(face, interest, packet.network_size, NackReason::DUPLICATE, outbox);
            return None;
        }
        let pending = match found {
            Some(pending) => pending,
            None if self.answer_from_store(now, face, &interest, packet.marked(), outbox) => {
                return None;
            }
            None => self.pit.insert(&interest, packet.network_size),
        };
        let entry = self.pit.entry(pending);
        let hop_limit = entry.interest.hop_limit;
        entry.interest = interest;
        let waited = entry.note_in(now, face, &interest, packet.marked());
        if found.is_some() && !waited {
            self.counters.aggregated += 1;
        }
        let repetition = match interest.name.prefix.format() {
            PacketFormat::Ndn if waited => Repetition::SameFace,
            PacketFormat::Ndn => Repetition::OtherFace,
            PacketFormat::Ccnx => {
                entry.interest.hop_limit = interest.hop_limit.max(hop_limit);
                let goes_further = interest.hop_limit > hop_limit;
                if waited || goes_further { Repetition::Forwarded } else { Repetition::Aggregated }
            }
        };
        let expires = self.pit.set_expiry(pending, now + interest.lifetime());
        self.forward(now, face, repetition, pending, packet.network_size, outbox);
        Some(expires)
    }

    /// Decrements the Interest's hop limit if it came over a link; `false` if it was 0
    /// already.
    fn decrement_hop_limit(&self, face: FaceId, interest: &mut Interest) -> bool {
        match &mut interest.hop_limit {
            Some(0) => false,
            Some(hops) if !self.local[usize::from(face.0)] => {
                *hops -= 1;
                true
            }
            _ => true,
        }
    }

    /// Whether it was here before; CCNx's Interests have no nonces, and their hop limits end
    /// them.
    fn is_loop(&mut self, face: FaceId, interest: &Interest, pending: Option<Handle>) -> bool {
        let dead = self.dead_nonces.as_ref();
        let was_here = dead.is_some_and(|it| it.contains(interest, interest.nonce))
            || pending
                .is_some_and(|handle| self.pit.entry(handle).saw_elsewhere(interest.nonce, face));
        was_here && interest.name.prefix.format() == PacketFormat::Ndn
    }

    fn answer_from_store(
        &mut self,
        now: Time,
        face: FaceId,
        interest: &Interest,
        marked: bool,
        outbox: &mut ForwarderOutbox,
    ) -> bool {
        let Some(content_store) = &mut self.content_store else { return false };
        let Some(cached) = content_store.find(now, interest) else {
            self.counters.content_store_misses += 1;
            return false;
        };
        self.counters.content_store_hits += 1;
        self.counters.data_out += 1;
        let marked = (marked && self.marks.interest_marks_return)
            || (cached.marked && self.marks.cached_marks_stay);
        let body = Body::Data(cached.data);
        outbox.push((face, Packet::ndn(body, cached.network_size).marked_if(marked)));
        true
    }

    fn forward(
        &mut self,
        now: Time,
        face: FaceId,
        repetition: Repetition,
        pending: Handle,
        network_size: u16,
        outbox: &mut ForwarderOutbox,
    ) {
        let entry = self.pit.entry(pending);
        let interest = entry.interest;
        let decision = match self.fib.find(interest.name.prefix) {
            None => Decision::NoRoute,
            Some(id) => {
                let next_hops = self.fib.next_hops(id);
                let nonce = interest.nonce;
                let arrival =
                    InterestArrival { now, face, nonce, repetition, entry: id, next_hops };
                self.strategy.decide(&arrival, entry, &mut self.random, &mut self.chosen)
            }
        };
        match decision {
            Decision::Suppress => self.counters.suppressed += 1,
            Decision::NoRoute if entry.out_records.is_empty() => {
                self.pit.remove(pending);
                self.send_nack(face, interest, network_size, NackReason::NO_ROUTE, outbox);
            }
            Decision::NoRoute => {}
            Decision::Forward => {
                for &(upstream, nonce) in &self.chosen {
                    if interest.hop_limit == Some(0) && !self.local[usize::from(upstream.0)] {
                        self.counters.hop_limit_exceeded += 1;
                        continue;
                    }
                    entry.note_out(now, upstream, nonce);
                    self.counters.interests_out += 1;
                    let body = Body::Interest(Interest { nonce, ..interest });
                    outbox.push((upstream, Packet::ndn(body, network_size)));
                }
            }
        }
    }

    fn on_data(
        &mut self,
        now: Time,
        face: FaceId,
        data: &Data,
        packet: &Packet,
        outbox: &mut ForwarderOutbox,
    ) {
        self.counters.data_in += 1;
        let Some(handle) = self.pit.find(data.name) else {
            self.counters.unsolicited += 1;
            return;
        };
        self.keep(now, data, packet);
        self.satisfy(now, face, handle, data.name, packet, outbox);
    }

    /// Sends Data to those who wait for it under that name.
    #[inline]
    fn satisfy(
        &mut self,
        now: Time,
        face: FaceId,
        handle: Handle,
        name: Name,
        packet: &Packet,
        outbox: &mut ForwarderOutbox,
    ) {
        if let Some(id) = self.fib.find(name.prefix) {
            self.strategy.on_data(id, self.fib.next_hops(id), face, packet.marked());
        }
        let returns = self.marks.interest_marks_return;
        for record in &self.pit.entry(handle).in_records {
            if record.face != face && record.expires > now {
                let marked = returns && record.marked;
                outbox.push((record.face, packet.marked_if(marked)));
                self.counters.data_out += 1;
            }
        }
        self.forget(now, handle);
    }

    fn on_nack(
        &mut self,
        now: Time,
        face: FaceId,
        nack: &Nack,
        network_size: u16,
        outbox: &mut ForwarderOutbox,
    ) {
        self.counters.nacks_in += 1;
        let Some(handle) = self.pit.find(nack.interest.name) else { return };
        let pending = self.pit.entry(handle);
        let nonce = nack.interest.nonce;
        let asked = pending.out_records.iter_mut().find(|it| it.face == face && it.nonce == nonce);
        let Some(record) = asked else { return };
        record.nacked = true;
        if let Some(id) = self.fib.find(nack.interest.name.prefix) {
            self.strategy.on_nack(now, id, self.fib.next_hops(id), face, nack.reason);
        }
        if pending.awaits_answer(now) {
            return;
        }
        let interest = pending.interest;
        for record in &pending.in_records {
            let interest = Interest { nonce: record.nonce, ..interest };
            let body = Body::Nack(Nack { interest, reason: nack.reason });
            outbox.push((record.face, Packet::ndn(body, network_size)));
            self.counters.nacks_out += 1;
        }
        self.forget(now, handle);
    }

    fn send_nack(
        &mut self,
        face: FaceId,
        interest: Interest,
        network_size: u16,
        reason: NackReason,
        outbox: &mut ForwarderOutbox,
    ) {
        self.counters.nacks_out += 1;
        let body = Body::Nack(Nack { interest, reason });
        outbox.push((face, Packet::ndn(body, network_size)));
    }

    /// Removes an entry from the table; its nonces are remembered where loops are
    /// detected.
    #[inline]
    fn forget(&mut self, now: Time, handle: Handle) {
        if let Some(dead_nonces) = &mut self.dead_nonces {
            let pending = self.pit.entry(handle);
            for record in &pending.out_records {
                dead_nonces.insert(now, &pending.interest, record.nonce);
            }
        }
        self.pit.remove(handle);
    }
}
