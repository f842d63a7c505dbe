//! The simulator's forwarder between real packets: names become numbers on the way in, and the
//! bytes that came are those that leave.

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_engine::{Duration, Random, Time};
use windtunnel_networks::ndn::FaceId;
use windtunnel_networks::ndn::content_store::ContentStore;
use windtunnel_networks::ndn::fib::NextHop;
use windtunnel_networks::ndn::forwarder::{Forwarder, ForwarderCounters, ForwarderOutbox};
use windtunnel_networks::ndn::strategy::Strategy;
use windtunnel_packets::ndn::wire::{self, Component, ComponentType, relay_interest};
use windtunnel_packets::ndn::{Data, Interest, Nack, NackReason, Name};
use windtunnel_packets::{Body, Packet};
use windtunnel_world::NodePlan;

use super::authorization::{self, Authorization};
use super::cache::{Cache, implicit_digest};
use super::link::{NetworkPacket, Token};
use super::management::{self, Command, Verb};
use super::names::{Full, Names, Selectors, unnamed};
use super::waiting::Waiting;

/// A packet to be sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) face: FaceId,
    pub(super) packet: Packet,
    pub(super) bytes: Arc<[u8]>,
    pub(super) token: Option<Token>,
}

/// What was counted at the border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BorderCounters {
    /// Interests and Data dropped because they are malformed.
    pub(super) malformed: u64,
    /// Interests for `/localhost` from another machine, which are dropped.
    pub(super) out_of_scope: u64,
    /// Interests refused because too many are pending, or too many names are in use.
    pub(super) refused: u64,
    /// Commands of management that were carried out.
    pub(super) commands: u64,
}

/// The forwarder, and what it needs of real packets.
#[derive(Debug)]
pub(super) struct Border {
    forwarder: Forwarder,
    names: Names,
    cache: Cache,
    waiting: Waiting,
    routes: BTreeMap<wire::Name<'static>, Vec<NextHop>>,
    /// Whether the other end of each face is on this machine; none of a closed one.
    faces: Vec<Option<bool>>,
    authorization: Authorization,
    outbox: ForwarderOutbox,
    swept: Time,
    counters: BorderCounters,
}

impl Border {
    /// The most pending Interests.
    pub(super) const MOST_PENDING: usize = 65_536;
    /// The most prefixes with routes.
    const MOST_ROUTES: usize = 4096;
    /// The longest that an Interest stays pending, in milliseconds.
    const LONGEST_MS: u64 = 60_000;
    /// How many cached Data are tried for an Interest with `CanBePrefix`.
    const MOST_TRIED: usize = 64;

    /// The forwarder of a plan, without faces.
    pub(super) fn new(plan: &NodePlan, random: Random) -> Self {
        let store = ContentStore::new(plan.cached, plan.policy);
        let strategy = Strategy::named(plan.strategy).expect("the plan has a known one");
        let mut forwarder = Forwarder::new(store, strategy, plan.marks, random);
        forwarder.watch_for_loops();
        Self {
            forwarder,
            names: Names::new(plan.cached + Self::MOST_PENDING),
            cache: Cache::default(),
            waiting: Waiting::new(Self::MOST_PENDING, Names::MOST_BYTES),
            routes: BTreeMap::new(),
            faces: Vec::new(),
            authorization: Authorization::new(Vec::new(), authorization::now_ms),
            outbox: ForwarderOutbox::new(),
            swept: Time::ZERO,
            counters: BorderCounters::default(),
        }
    }

    /// Who may command from now on; before, each application on this machine may.
    pub(super) fn authorize(&mut self, authorization: Authorization) {
        self.authorization = authorization;
    }

    /// What the forwarder counted.
    pub(super) fn forwarder_counters(&self) -> &ForwarderCounters {
        self.forwarder.counters()
    }

    /// What was counted at the border.
    pub(super) fn counters(&self) -> BorderCounters {
        self.counters
    }

    /// Pending Interests, cached Data and names in use.
    pub(super) fn sizes(&self) -> [usize; 3] {
        [self.forwarder.pending(), self.cache.len(), self.names.len()]
    }

    /// When something expires, if ever.
    pub(super) fn next_expiry(&self) -> Option<Time> {
        self.forwarder.next_expiry()
    }

    /// A face is there; its number is a new one, or that of a face that was closed.
    pub(super) fn open_face(&mut self, face: FaceId, is_local: bool) {
        match self.faces.get_mut(usize::from(face.0)) {
            Some(known) => {
                *known = Some(is_local);
                self.forwarder.reuse_face(face, is_local);
            }
            None => {
                let added = self.forwarder.add_face(is_local);
                assert_eq!(added, face, "faces are numbered in order");
                self.faces.push(Some(is_local));
            }
        }
    }

    /// A face is there no longer.
    pub(super) fn close_face(&mut self, now: Time, face: FaceId) {
        self.faces[usize::from(face.0)] = None;
        let leads_there = |hops: &Vec<NextHop>| hops.iter().any(|it| it.face == face);
        let prefixes: Vec<_> = self.routes.iter().filter(|it| leads_there(it.1)).collect();
        let prefixes: Vec<_> = prefixes.into_iter().map(|it| it.0.clone()).collect();
        let was_asked = !prefixes.is_empty();
        for prefix in prefixes {
            self.remove_route(&prefix, face);
        }
        for name in self.waiting.remove_face(face) {
            self.forwarder.withdraw(now, name, face);
            self.names.release(name.prefix);
        }
        if was_asked {
            self.forwarder.remove_face(face);
        }
    }

    /// Adds a route, or gives it another cost; `false` if there are too many.
    pub(super) fn add_route(
        &mut self,
        prefix: &wire::Name<'static>,
        face: FaceId,
        cost: u64,
    ) -> bool {
        if self.routes.len() >= Self::MOST_ROUTES && !self.routes.contains_key(prefix) {
            return false;
        }
        let hops = self.routes.entry(prefix.clone()).or_default();
        hops.retain(|it| it.face != face);
        hops.push(NextHop { face, cost });
        hops.sort_by_key(|it| it.cost);
        self.apply_routes(prefix);
        true
    }

    /// Removes a route, if it is there.
    pub(super) fn remove_route(&mut self, prefix: &wire::Name<'static>, face: FaceId) {
        if let Some(hops) = self.routes.get_mut(prefix) {
            hops.retain(|it| it.face != face);
            self.apply_routes(prefix);
        }
    }

    /// Tells the forwarder the next hops of a prefix. A prefix without any stays known: its entry
    /// in the forwarding information base has its number for ever.
    fn apply_routes(&mut self, prefix: &wire::Name<'static>) {
        self.forwarder.replace_next_hops(prefix, &self.routes[prefix]);
        let fib = self.forwarder.fib();
        for (id, name) in self.names.iter() {
            if prefix.is_prefix_of(name) {
                fib.resolve(id, name);
            }
        }
    }

    /// Forgets what has expired.
    pub(super) fn expire(&mut self, now: Time) {
        self.forwarder.expire(now);
        if now.since(self.swept) > Duration::from_secs(1) {
            self.swept = now;
            for name in self.waiting.expire(now) {
                self.names.release(name.prefix);
            }
        }
    }

    /// Takes in what came over a face; what is to be sent is appended to `sent`.
    pub(super) fn receive(
        &mut self,
        now: Time,
        face: FaceId,
        packet: NetworkPacket,
        sent: &mut Vec<Outgoing>,
    ) {
        let known = match (packet.nack, packet.bytes.first()) {
            (Some(reason), _) => self.on_nack(now, face, &packet.bytes, reason, sent),
            (None, Some(5)) => self.on_interest(now, face, packet, sent),
            (None, _) => self.on_data(now, face, packet, sent),
        };
        if known.is_none() {
            self.counters.malformed += 1;
        }
    }

    fn on_interest(
        &mut self,
        now: Time,
        face: FaceId,
        packet: NetworkPacket,
        sent: &mut Vec<Outgoing>,
    ) -> Option<()> {
        let NetworkPacket { bytes, token, marked, .. } = packet;
        let interest = wire::Interest::decode(&bytes).ok()?;
        if management::is_local(&interest.name) {
            self.on_local(face, &interest, &bytes, token, sent);
            return Some(());
        }
        let lifetime_ms = interest.effective_lifetime_ms().min(Self::LONGEST_MS) as u32;
        let until = now + Duration::from_millis(u64::from(lifetime_ms));
        let cached = self.cached(now, &interest);
        let nonce =
            interest.nonce.unwrap_or_else(|| windtunnel_engine::hash(now.as_picos()) as u32);
        let asked = |name| Interest {
            name,
            nonce,
            lifetime_ms,
            hop_limit: interest.hop_limit,
            must_be_fresh: interest.must_be_fresh,
        };
        let selectors = selectors(&interest);
        let size = interest.name.components_size();
        let known = cached.or_else(|| self.names.find(&interest.name, selectors));
        let has_room = self.waiting.has_room(face, known, size);
        let name = match cached {
            Some(name) => Ok(name),
            None if has_room => self.number(&interest.name, selectors),
            None => Err(Full),
        };
        let bytes: Arc<[u8]> = bytes.as_slice().into();
        let Ok(name) = name else {
            self.counters.refused += 1;
            let interest = asked(unnamed());
            let body = Body::Nack(Nack { interest, reason: NackReason::CONGESTION });
            let packet = Packet::ndn(body, bytes.len() as u16);
            sent.push(Outgoing { face, packet, bytes, token });
            return Some(());
        };
        if self.waiting.insert(face, name, size, until, token) {
            self.names.hold(name.prefix);
        }
        let packet = Packet::ndn(Body::Interest(asked(name)), bytes.len() as u16);
        let mut outbox = std::mem::take(&mut self.outbox);
        self.forwarder.receive(now, face, &packet.marked_if(marked), &mut outbox);
        self.send(&mut outbox, &bytes, None, sent);
        self.outbox = outbox;
        Some(())
    }

    fn on_data(
        &mut self,
        now: Time,
        face: FaceId,
        packet: NetworkPacket,
        sent: &mut Vec<Outgoing>,
    ) -> Option<()> {
        let NetworkPacket { bytes, marked, .. } = packet;
        let data = wire::Data::decode(&bytes).ok()?;
        let pending = self.pending_for(&data.name, &bytes);
        let name = if pending.is_empty() {
            unnamed()
        } else {
            match self.number(&data.name, Selectors::default()) {
                Ok(name) => name,
                Err(Full) => {
                    self.counters.refused += 1;
                    return Some(());
                }
            }
        };
        let freshness = data.meta_info.freshness_period_ms.unwrap_or(0);
        let body = Body::Data(Data {
            name,
            content: data.content.map_or(0, |it| it.len() as u32),
            freshness_ms: u32::try_from(freshness).unwrap_or(u32::MAX),
        });
        let packet = Packet::ndn(body, bytes.len() as u16).marked_if(marked);
        let shared: Arc<[u8]> = bytes.as_slice().into();
        let mut outbox = std::mem::take(&mut self.outbox);
        self.forwarder.receive_data(now, face, &packet, &pending, &mut outbox);
        if !pending.is_empty() && self.forwarder.keeps_data() {
            if let Some(evicted) = self.forwarder.take_evicted() {
                self.cache.remove(evicted);
                self.names.release(evicted.prefix);
            }
            if self.cache.insert(data.name.into_owned(), name, Arc::clone(&shared)) {
                self.names.hold(name.prefix);
            }
        }
        self.send(&mut outbox, &shared, Some(&shared), sent);
        self.outbox = outbox;
        Some(())
    }

    fn on_nack(
        &mut self,
        now: Time,
        face: FaceId,
        bytes: &[u8],
        reason: NackReason,
        sent: &mut Vec<Outgoing>,
    ) -> Option<()> {
        let interest = wire::Interest::decode(bytes).ok()?;
        let Some(name) = self.names.find(&interest.name, selectors(&interest)) else {
            return Some(());
        };
        let refused = Interest {
            name,
            nonce: interest.nonce?,
            lifetime_ms: 0,
            hop_limit: interest.hop_limit,
            must_be_fresh: interest.must_be_fresh,
        };
        let body = Body::Nack(Nack { interest: refused, reason });
        let packet = Packet::ndn(body, bytes.len() as u16);
        let mut outbox = std::mem::take(&mut self.outbox);
        self.forwarder.receive(now, face, &packet, &mut outbox);
        self.send(&mut outbox, &bytes.into(), None, sent);
        self.outbox = outbox;
        Some(())
    }

    /// An Interest for this machine alone: a command, or nothing that is known here.
    fn on_local(
        &mut self,
        face: FaceId,
        interest: &wire::Interest<'_>,
        bytes: &[u8],
        token: Option<Token>,
        sent: &mut Vec<Outgoing>,
    ) {
        if self.faces[usize::from(face.0)] != Some(true) {
            self.counters.out_of_scope += 1;
            return;
        }
        let name = interest.name.clone();
        let answer = match Command::read(&name) {
            Some(Ok(command)) => match self.authorization.check(interest, bytes) {
                Err(why) => management::refuse(name, 403, why),
                Ok(()) => self.carry_out(face, &command, name),
            },
            Some(Err(error)) => management::refuse(name, 400, &error.to_string()),
            None => management::refuse(
                name,
                501,
                "only faces/list, rib/register and rib/unregister are here",
            ),
        };
        let Some(bytes) = answer else { return };
        let name = unnamed();
        let body = Body::Data(Data { name, content: 0, freshness_ms: 0 });
        let packet = Packet::ndn(body, bytes.len() as u16);
        sent.push(Outgoing { face, packet, bytes: bytes.into(), token });
    }

    fn carry_out(
        &mut self,
        from: FaceId,
        command: &Command,
        name: wire::Name<'_>,
    ) -> Option<Vec<u8>> {
        let face = command.face.unwrap_or(u64::from(from.0) + management::FIRST_FACE);
        let meant = face
            .checked_sub(management::FIRST_FACE)
            .and_then(|it| u16::try_from(it).ok())
            .map(FaceId);
        let is_open = |it: &FaceId| {
            self.faces.get(usize::from(it.0)).is_some_and(|is_local| is_local.is_some())
        };
        let Some(meant) = meant.filter(is_open) else {
            return management::refuse(name, 410, "there is no such face");
        };
        match command.verb {
            Verb::Unregister => self.remove_route(&command.prefix, meant),
            Verb::Register if self.add_route(&command.prefix, meant, command.cost) => {}
            Verb::Register => return management::refuse(name, 503, "too many prefixes"),
        }
        self.counters.commands += 1;
        command.done(name, face)
    }

    /// The number of a name, which is resolved in the forwarding information base if it is new.
    fn number(&mut self, name: &wire::Name<'_>, selectors: Selectors) -> Result<Name, Full> {
        let fib = self.forwarder.fib();
        self.names.number(name, selectors, |id, prefix| match prefix {
            Some(prefix) => fib.resolve(id, prefix),
            None => fib.forget(id),
        })
    }

    /// The cached Data that answers an Interest, where that is not found under the Interest's own
    /// number.
    fn cached(&self, now: Time, interest: &wire::Interest<'_>) -> Option<Name> {
        let is_answer = |name: &Name| {
            let interest = Interest {
                name: *name,
                nonce: 0,
                lifetime_ms: 0,
                hop_limit: None,
                must_be_fresh: interest.must_be_fresh,
            };
            self.forwarder.answers(now, &interest)
        };
        if let Some((prefix, last)) = interest.name.split_last()
            && last.component_type() == ComponentType::IMPLICIT_SHA256_DIGEST
        {
            let found = self.cache.with_digest(&prefix.into_owned(), last.value());
            return found.filter(is_answer);
        }
        if interest.can_be_prefix {
            let prefix = interest.name.clone().into_owned();
            return self.cache.below(&prefix).take(Self::MOST_TRIED).find(is_answer);
        }
        let plain = self.names.find(&interest.name, Selectors::default());
        plain.filter(|it| self.cache.bytes(*it).is_some() && is_answer(it))
    }

    /// The names of pending Interests that Data of that name answers.
    fn pending_for(&self, name: &wire::Name<'_>, bytes: &[u8]) -> Vec<Name> {
        let mut all = Vec::new();
        let mut add = |name: &wire::Name<'_>, can_be_prefix: bool| {
            for selectors in Selectors::ALL.iter().filter(|it| it.can_be_prefix == can_be_prefix) {
                let found = self.names.find(name, *selectors);
                all.extend(found.filter(|it| self.forwarder.is_pending(*it)));
            }
        };
        add(name, false);
        if self.names.has_prefixes() {
            name.prefixes().for_each(|it| add(&it, true));
        }
        if self.names.has_digests() {
            let digest = implicit_digest(bytes);
            let component = Component::new(ComponentType::IMPLICIT_SHA256_DIGEST, &digest);
            let mut full = name.clone().into_owned();
            full.push(component.expect("a digest has 32 octets"));
            add(&full, false);
            add(&full, true);
        }
        all
    }

    /// Gives the forwarder's packets their bytes: those of the packet that came, or of cached
    /// Data where it was no Data.
    fn send(
        &mut self,
        outbox: &mut ForwarderOutbox,
        came: &Arc<[u8]>,
        data: Option<&Arc<[u8]>>,
        sent: &mut Vec<Outgoing>,
    ) {
        for (face, packet) in outbox.drain(..) {
            let (bytes, token) = match &packet.body {
                Body::Interest(it) => (relay_interest(came, it.nonce, it.hop_limit).ok(), None),
                Body::Nack(it) => {
                    let bytes = relay_interest(came, it.interest.nonce, None).ok();
                    (bytes, self.token_for_nack(face, it))
                }
                Body::Data(it) => {
                    let token = self.answered(face, it.name);
                    if let Some(bytes) = data.or_else(|| self.cache.bytes(it.name)) {
                        sent.push(Outgoing { face, packet, bytes: Arc::clone(bytes), token });
                    }
                    continue;
                }
                _ => continue,
            };
            if let Some(bytes) = bytes {
                sent.push(Outgoing { face, packet, bytes: bytes.into(), token });
            }
        }
    }

    /// A face waits for a name no longer; its token.
    fn answered(&mut self, face: FaceId, name: Name) -> Option<Token> {
        let token = self.waiting.take(face, name)?;
        self.names.release(name.prefix);
        token
    }

    /// The token for a Nack. Who has sent an Interest that looped may wait for its name all the
    /// same.
    fn token_for_nack(&mut self, face: FaceId, nack: &Nack) -> Option<Token> {
        let name = nack.interest.name;
        match nack.reason {
            NackReason::DUPLICATE => self.waiting.token(face, name),
            _ => self.answered(face, name),
        }
    }
}

fn selectors(interest: &wire::Interest<'_>) -> Selectors {
    Selectors { can_be_prefix: interest.can_be_prefix, must_be_fresh: interest.must_be_fresh }
}

#[cfg(test)]
mod tests;
