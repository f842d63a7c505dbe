//! One direction of a link, with the queue before it.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Handle, Random, Rate, Time, prefetch};
use windtunnel_links::{Fate, Frame, Outcome, PhysicalLayer, Reception};
use windtunnel_packets::{Ecn, Packet, PacketStore};
use windtunnel_queues::{
    ArrivalDiscipline, Arriving, Backlog, Queue, QueueLimit, Verdict, Waiting,
};

use crate::plan::{DirectionPlan, LinkChange, LossChange};

mod effects;
mod egress;
mod schedule;

use effects::Effects;
use egress::Egress;
use schedule::{Airtimes, Schedule};

/// What a port counted. At any time
/// `offered + duplicates = delivered + dropped + in the queue + on the link`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Packets given to the port.
    pub offered: u64,
    /// Packets that arrived at the other end.
    pub delivered: u64,
    /// Their bytes, with all headers.
    pub delivered_bytes: u64,
    /// How many packets were sent.
    pub sent: u64,
    /// The sum of the times that they waited, and those that a shrinking queue dropped.
    pub sojourn_sum: Duration,
    /// The time that they take on the wire, each attempt of the physical layer
    /// counted; on a link with a delivery trace, at the trace's mean rate.
    pub transmission_sum: Duration,
    /// The most that waited at once; packets and bytes each by itself.
    pub maximum_backlog: Backlog,
    /// Packets dropped because the queue was at its limit.
    pub overlimit_drops: u64,
    /// Packets that the queue discipline dropped.
    pub discipline_drops: u64,
    /// Packets that the link lost, its physical layer included.
    pub losses: u64,
    /// Packets that got a congestion mark here.
    pub marks: u64,
    /// Packets that got the milder mark of SCE here.
    pub some_congestion_marks: u64,
    /// Packets that arrived a second time.
    pub duplicates: u64,
    /// Packets that arrived late, so that others could overtake them.
    pub late: u64,
    /// How often the physical layer sent a packet again that is sent once in `sent`.
    pub air_retransmissions: u64,
}

impl Counters {
    /// Packets dropped, whatever the cause.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.overlimit_drops + self.discipline_drops + self.losses
    }

    /// Puts a mark on a packet and counts it, if the verdict asks for one.
    #[inline]
    fn mark(&mut self, verdict: Verdict, packet: &mut Packet) {
        match verdict {
            Verdict::Mark => {
                self.marks += 1;
                packet.ecn = Ecn::Congestion;
            }
            Verdict::MarkSome => {
                self.some_congestion_marks += 1;
                packet.ecn = Ecn::Scalable;
            }
            Verdict::Pass | Verdict::Drop => {}
        }
    }
}

/// A packet that is, or will be, on the link.
#[derive(Clone, Copy, Debug)]
struct Transit {
    packet: Handle,
    /// [`Time::NEVER`] while the link is down, and after the end of its trace.
    starts: Time,
    /// If it starts never: until when its waiting has been counted.
    arrives: Time,
    /// Bytes on the wire, framing included.
    size: u32,
    /// The physical layer's attempts to get it across, and whether it begins a
    /// transmission there.
    attempts: u32,
    begins: bool,
    fate: Fate,
}

impl Transit {
    /// The bytes on the wire, each attempt counted.
    fn bytes(&self) -> u64 {
        u64::from(self.size) * u64::from(self.attempts)
    }

    /// How the physical layer gets it across.
    fn outcome(&self) -> Outcome {
        Outcome { attempts: self.attempts, begins: self.begins, lost: self.fate == Fate::Lost }
    }

    /// Until when its waiting has been counted.
    #[inline]
    fn counted(&self) -> Time {
        if self.starts == Time::NEVER { self.arrives } else { self.starts }
    }
}

/// What the caller has to arrange for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Due {
    /// When the packet that is newly first on the link arrives.
    pub(crate) arrival: Option<Time>,
    /// When [`Port::serve`] must be called.
    pub(crate) service: Option<Time>,
}

/// What came out at the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// The packet; none if the link lost it, or it is late.
    pub(crate) packet: Option<Handle>,
    /// When the next one arrives.
    pub(crate) next: Option<Time>,
    /// When the first of those that are late arrives, if it has become that now.
    pub(crate) late: Option<Time>,
}

/// One direction of a link, with the queue before it. What every packet touches
/// comes first and fills few cache lines; what few links have lies elsewhere.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Port {
    transit: VecDeque<Transit>,
    /// The packet first in the ring, to be fetched ahead without a look there.
    first: Option<Handle>,
    /// The place where its packets arrive.
    leads_to: u32,
    /// The link is free from then on; never while it is down, and after the end of
    /// its trace.
    busy_until: Time,
    rate: Rate,
    delay: Duration,
    /// What leaves from now on arrives no earlier: when a change of the delay is not to
    /// let it overtake what left before.
    earliest_arrival: Time,
    overhead: u32,
    /// Whether it is down or stalled.
    down: bool,
    /// Whether it is down for good, so that nothing waits for it.
    is_cut: bool,
    egress: Egress,
    effects: Option<Box<Effects>>,
    counters: Counters,
    /// When the link would be free, were it not down.
    busy_before_outage: Time,
}

impl Port {
    /// A port with its own stream for the link, and one for the queue, on a medium of its
    /// own or a shared one, that leads to a place. `can_lose` says whether the link can be
    /// told to lose all.
    pub(crate) fn new(
        plan: &DirectionPlan,
        is_shared: bool,
        can_lose: bool,
        leads_to: u32,
        link: Random,
        queue: Random,
    ) -> Self {
        let egress = Egress::new(plan, queue, is_shared);
        let effects = Effects::new(plan, can_lose, link);
        let opportunity = effects.as_ref().and_then(|it| it.next_opportunity());
        Self {
            transit: VecDeque::new(),
            first: None,
            leads_to,
            busy_until: opportunity.unwrap_or(Time::ZERO),
            rate: plan.rate,
            delay: plan.delay,
            earliest_arrival: Time::ZERO,
            overhead: plan.overhead,
            down: false,
            is_cut: false,
            egress,
            effects,
            counters: Counters::default(),
            busy_before_outage: Time::ZERO,
        }
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The place where its packets arrive.
    #[inline]
    pub(crate) fn leads_to(&self) -> u32 {
        self.leads_to
    }

    fn has_trace(&self) -> bool {
        self.effects.as_ref().is_some_and(|it| it.opportunities.is_some())
    }

    fn airtimes(&self) -> Airtimes<'_> {
        Airtimes::new(self.rate, self.layer())
    }

    /// When the link will have sent all that it is known to send: in the past if it
    /// has nothing to send, never while it is down.
    pub(crate) fn free_from(&self) -> Time {
        self.busy_until
    }

    /// Whether anything waits that has no times on the link yet.
    pub(crate) fn waits(&self) -> bool {
        self.queued().packets > 0
    }

    /// How packets are received from now on.
    pub(crate) fn receive(&mut self, reception: Reception) {
        if let Some(effects) = &mut self.effects {
            *effects.reception() = Some(reception);
        }
    }

    fn layer(&self) -> Option<&dyn PhysicalLayer> {
        self.effects.as_ref().and_then(|it| it.layer())
    }

    /// Whether a shared medium is kept for the next packet.
    pub(crate) fn continues(&self) -> bool {
        self.layer().is_some_and(PhysicalLayer::continues)
    }

    /// On a shared medium: when its last transmission ends.
    pub(crate) fn sends_until(&self) -> Option<Time> {
        let Egress::OnDeparture(held) = &self.egress else { return None };
        held.share.as_ref().map(|it| it.sends_until)
    }

    /// The port learns that its shared medium is free from that time on.
    pub(crate) fn occupy(&mut self, until: Time) {
        if self.down {
            self.busy_before_outage = until;
        } else {
            self.busy_until = until;
        }
    }

    /// Whether nothing starts any more, until something changes.
    fn is_silent(&self) -> bool {
        self.busy_until == Time::NEVER
    }

    /// How long the link has been sending until `now`.
    pub(crate) fn busy(&self, now: Time) -> Duration {
        let has_slots = self.layer().is_some_and(|it| it.slot().is_some());
        let ahead = if self.has_trace() || has_slots {
            // An opportunity is used at an instant; between two slots the link is not used.
            let mut airtimes = self.airtimes();
            let waiting = self.transit.iter().rev().take_while(|it| it.starts > now);
            let reserved = waiting.filter(|it| it.starts != Time::NEVER);
            reserved.fold(Duration::ZERO, |sum, it| sum + airtimes.of(it))
        } else {
            let until = if self.down { self.busy_before_outage } else { self.busy_until };
            self.sends_until().unwrap_or(until).since(now)
        };
        self.counters.transmission_sum - ahead
    }

    /// What waits at `now`.
    pub(crate) fn backlog(&mut self, now: Time) -> Backlog {
        self.start_transmissions(now);
        match &self.egress {
            Egress::OnArrival { backlog, .. } => *backlog,
            Egress::OnDeparture(it) => it.queue.backlog(),
        }
    }

    /// Packets on the link or waiting for it.
    pub(crate) fn in_transit(&self) -> u64 {
        let queued = u64::from(self.queued().packets);
        let late = self.effects.as_ref().map_or(0, |it| it.late());
        self.transit.len() as u64 + late as u64 + queued
    }

    /// The packets on the link that began to leave by `now`, and when, without the
    /// first `reported` that were ever sent. Those must include all that have arrived.
    pub(crate) fn started(&self, reported: u64, now: Time) -> impl Iterator<Item = (Time, Handle)> {
        let gone = self.counters.sent - self.transit.len() as u64;
        let left = self.transit.iter().skip((reported - gone) as usize);
        left.map(|it| (it.starts, it.packet)).take_while(move |(starts, _)| *starts <= now)
    }

    /// Takes a packet in.
    #[inline]
    pub(crate) fn offer(&mut self, now: Time, packet: Handle, store: &mut PacketStore) -> Due {
        self.admit::<false>(now, packet, store)
    }

    /// Takes in a packet of the node's own, for which there is always room.
    #[inline]
    pub(crate) fn offer_own(&mut self, now: Time, packet: Handle, store: &mut PacketStore) -> Due {
        self.admit::<true>(now, packet, store)
    }

    /// When all that waits will have been sent; where disciplines decide on it later, if they
    /// let all of it pass. Now, if the link is down.
    #[inline]
    pub(crate) fn clear_at(&self, now: Time) -> Time {
        if self.is_silent() {
            return now;
        }
        match &self.egress {
            Egress::OnArrival { .. } => self.busy_until,
            Egress::OnDeparture(it) => {
                let bytes = u32::try_from(it.queue.backlog().bytes).unwrap_or(u32::MAX);
                let rate = it.queue.shaped_rate().map_or(self.rate, |it| it.min(self.rate));
                self.busy_until.max(now) + rate.transmission_time(bytes)
            }
        }
    }

    #[inline]
    fn admit<const OWN: bool>(
        &mut self,
        now: Time,
        packet: Handle,
        store: &mut PacketStore,
    ) -> Due {
        self.counters.offered += 1;
        self.start_transmissions(now);
        if self.busy_until < now {
            self.await_opportunity(now);
        }
        match &mut self.egress {
            Egress::OnArrival { limit, judge, backlog } => {
                let ecn = store[packet].ecn;
                let mut size = store[packet].size() + self.overhead;
                // The discipline judges before the queue takes the packet, or not.
                if let Some(judge) = judge {
                    let (free, rate) = (self.busy_until, self.rate);
                    let arriving = Arriving { ecn, size, backlog: *backlog, free, rate };
                    let verdict = judge.judge(now, &arriving).on(ecn);
                    if verdict == Verdict::Drop {
                        self.counters.discipline_drops += 1;
                        store.drop_at(packet);
                        return Due::default();
                    }
                    self.counters.mark(verdict, &mut store[packet]);
                    size = store[packet].size() + self.overhead;
                }
                if self.busy_until > now {
                    if self.is_cut {
                        self.counters.losses += 1;
                        store.drop_at(packet);
                        return Due::default();
                    }
                    if !OWN && !limit.admits(*backlog, size) {
                        self.counters.overlimit_drops += 1;
                        store.drop_at(packet);
                        return Due::default();
                    }
                    backlog.add(size);
                    self.counters.maximum_backlog = self.counters.maximum_backlog.or_more(*backlog);
                }
                if self.is_silent() {
                    self.wait_for_the_link(now, packet, size, store);
                    return Due::default();
                }
                Due { arrival: self.transmit(now, packet, size, store), service: None }
            }
            Egress::OnDeparture(_) => self.enqueue(now, packet, store, OWN),
        }
    }

    /// Takes a packet into a queue where packets wait until the link is free.
    fn enqueue(&mut self, now: Time, packet: Handle, store: &mut PacketStore, is_own: bool) -> Due {
        let is_silent = self.is_silent();
        if self.is_cut {
            self.counters.losses += 1;
            store.drop_at(packet);
            return Due::default();
        }
        let Egress::OnDeparture(held) = &mut self.egress else { return Due::default() };
        let it = &mut store[packet];
        let size = it.size() + self.overhead;
        let verdict = held.judge(now, self.rate, is_silent, it, size);
        if verdict == Verdict::Drop {
            self.counters.discipline_drops += 1;
            store.drop_at(packet);
            return Due::default();
        }
        self.counters.mark(verdict, it);
        // A mark may add to its size.
        let (size, flow) = (it.size() + self.overhead, it.flow_key());
        let waiting = Waiting { packet, size, arrived: now, ecn: it.ecn, dscp: it.dscp() };
        // What finds the link free does not wait, and needs no room, but where it is shaped.
        let is_free = self.busy_until <= now && !held.called;
        if is_free && held.queue.shaped_rate().is_none() {
            held.queue.push(waiting, flow);
            return self.serve(now, store);
        }
        let limit = if is_own { QueueLimit::Bytes(u64::MAX) } else { held.limit };
        held.queue.offer(limit, waiting, flow, |it| {
            self.counters.overlimit_drops += 1;
            store.drop_at(it.packet);
        });
        let due = if is_free { self.serve(now, store) } else { self.call() };
        let backlog = self.queued();
        self.counters.maximum_backlog = self.counters.maximum_backlog.or_more(backlog);
        due
    }

    /// What waits in a queue until the link is free.
    fn queued(&self) -> Backlog {
        match &self.egress {
            Egress::OnArrival { .. } => Backlog::default(),
            Egress::OnDeparture(it) => it.queue.backlog(),
        }
    }

    /// Asks to be served when the link is free and the next packet may leave, if one waits for
    /// that.
    fn call(&mut self) -> Due {
        let silent = self.is_silent();
        let Egress::OnDeparture(held) = &mut self.egress else { return Due::default() };
        if held.called || silent || held.queue.backlog().packets == 0 {
            return Due::default();
        }
        held.called = true;
        Due { arrival: None, service: Some(self.busy_until.max(held.queue.opens())) }
    }

    /// The link is free: sends the next packet that its discipline lets pass.
    pub(crate) fn serve(&mut self, now: Time, store: &mut PacketStore) -> Due {
        // A shaper may have let opportunities pass.
        if self.busy_until < now {
            self.await_opportunity(now);
        }
        let (silent, is_early) = (self.is_silent(), self.busy_until > now);
        let Egress::OnDeparture(held) = &mut self.egress else { return Due::default() };
        held.called = false;
        if silent || is_early {
            return self.call();
        }
        loop {
            let Some((head, verdict)) = held.queue.pop(now) else { return self.call() };
            if verdict == Verdict::Drop {
                self.counters.discipline_drops += 1;
                store.drop_at(head.packet);
                continue;
            }
            let mut size = head.size;
            if verdict != Verdict::Pass {
                let packet = &mut store[head.packet];
                self.counters.mark(verdict, packet);
                size = packet.size() + self.overhead;
            }
            let sojourn = now.since(head.arrived);
            self.counters.sojourn_sum += sojourn;
            let arrival = self.transmit(now, head.packet, size, store);
            self.share_the_medium(sojourn);
            return Due { arrival, ..self.call() };
        }
    }

    /// On a shared medium: notes the transmission that has begun, of a packet that waited
    /// so long.
    fn share_the_medium(&mut self, sojourn: Duration) {
        let Egress::OnDeparture(held) = &mut self.egress else { return };
        if let Some(share) = &mut held.share {
            (share.sends_until, share.sojourn) = (self.busy_until, sojourn);
        }
    }

    /// The packet first on the link arrives, or the first of those that are late.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, store: &mut PacketStore) -> Arrived {
        // Those that waited started before they arrived.
        self.start_transmissions(now);
        self.arrive_next(now, store)
    }

    /// Takes out what arrives next if that is up to `last`, and when it does; the packet is
    /// none if the link lost it. Nothing happens to the port before `start` any more, and
    /// what arrives up to `last` has left before that.
    #[inline(never)]
    pub(crate) fn give_out(
        &mut self,
        start: Time,
        last: Time,
        store: &mut PacketStore,
    ) -> Option<(Time, Option<Handle>)> {
        self.start_transmissions(start);
        let late = self.effects.as_ref().and_then(|it| it.first_late());
        let time = self.next_arrival().into_iter().chain(late).min().filter(|it| *it <= last)?;
        Some((time, self.arrive_next(time, store).packet))
    }

    /// Puts a packet on the link that left through the same port of another part. Returns
    /// whether it is the only one there.
    pub(crate) fn take_in(&mut self, time: Time, packet: Packet, store: &mut PacketStore) -> bool {
        let size = packet.size() + self.overhead;
        let packet = store.insert(packet);
        let (attempts, begins, fate) = (1, true, Fate::Arrives);
        let starts = Time::ZERO;
        self.push(Transit { packet, starts, arrives: time, size, attempts, begins, fate })
    }

    #[inline(always)]
    fn arrive_next(&mut self, now: Time, store: &mut PacketStore) -> Arrived {
        if self.effects.is_some() {
            return self.arrive_with_effects(now, store);
        }
        let head = self.pop().expect("an arrival is called for a packet on the link");
        let packet = self.leave(head.packet, head.size, head.fate == Fate::Lost, store);
        Arrived { packet, next: self.next_arrival(), late: None }
    }

    /// The same on a link that has more to it. One that stalls while a packet waits
    /// for an opportunity has called for an arrival that is none.
    fn arrive_with_effects(&mut self, now: Time, store: &mut PacketStore) -> Arrived {
        let head = self.transit.front().copied();
        let Some(head) = head.filter(|it| it.starts <= now && it.arrives <= now) else {
            return self.arrive_late(now, store);
        };
        let mut late = None;
        let is_lost = self.effects.as_mut().and_then(|it| *it.loses_since());
        let is_lost = is_lost.is_some_and(|since| self.was_sent_after(&head, since));
        let packet = match if is_lost { Fate::Lost } else { head.fate } {
            Fate::Twice => {
                // It stays first, to arrive again at once.
                self.transit[0].fate = Fate::Arrives;
                self.counters.duplicates += 1;
                self.counters.delivered += 1;
                self.counters.delivered_bytes += u64::from(head.size);
                let packet = store[head.packet];
                let copy = store.duplicate(&packet);
                Some(store.insert(copy))
            }
            Fate::Late => {
                self.pop();
                if let Some(effects) = &mut self.effects {
                    self.counters.late += u64::from(!effects.keeps_order());
                    late = effects.delay(now, head.packet, head.size);
                }
                None
            }
            Fate::Arrives | Fate::Lost => {
                self.pop();
                let is_lost = is_lost || head.fate == Fate::Lost;
                self.leave(head.packet, head.size, is_lost, store)
            }
        };
        Arrived { packet, next: self.next_arrival(), late }
    }

    /// The first of the late packets arrives, if its time has come.
    fn arrive_late(&mut self, now: Time, store: &mut PacketStore) -> Arrived {
        let (first, late) = self.effects.as_mut().map_or((None, None), |it| it.next_late(now));
        let packet = first.and_then(|it| self.leave(it.packet, it.size, it.lost, store));
        Arrived { packet, next: None, late }
    }

    /// A packet leaves the link, delivered or lost.
    #[inline]
    fn leave(
        &mut self,
        packet: Handle,
        size: u32,
        lost: bool,
        store: &mut PacketStore,
    ) -> Option<Handle> {
        if lost {
            self.counters.losses += 1;
            store.drop_at(packet);
            return None;
        }
        self.counters.delivered += 1;
        self.counters.delivered_bytes += u64::from(size);
        Some(packet)
    }

    /// Appends a packet to the ring; returns whether it is first there.
    #[inline]
    fn push(&mut self, transit: Transit) -> bool {
        let first = self.transit.is_empty();
        if first {
            self.first = Some(transit.packet);
        }
        self.transit.push_back(transit);
        first
    }

    /// Takes the first packet out of the ring.
    #[inline]
    fn pop(&mut self) -> Option<Transit> {
        let head = self.transit.pop_front();
        self.first = self.transit.front().map(|it| it.packet);
        head
    }

    /// When the packet first on the link arrives, if that is known.
    #[inline]
    fn next_arrival(&self) -> Option<Time> {
        self.transit.front().filter(|it| it.starts != Time::NEVER).map(|it| it.arrives)
    }

    /// The packet that arrives next.
    #[inline]
    pub(crate) fn first<'a>(&self, store: &'a PacketStore) -> Option<&'a Packet> {
        self.first.map(|it| &store[it])
    }

    /// Brings near the packet that arrives next.
    #[inline]
    pub(crate) fn prefetch(&self, store: &PacketStore) {
        if let Some(packet) = self.first {
            prefetch(&store[packet]);
        }
        // The ring's own memory: where the first lies is known without reading it.
        if let Some(first) = self.transit.front() {
            prefetch(first);
        }
    }

    /// Fetches where the packet that is put on the link next will lie behind.
    #[inline]
    pub(crate) fn prefetch_end(&self) {
        if let Some(last) = self.transit.back() {
            prefetch(last);
        }
    }

    /// Puts a packet on the link as soon as that is free; returns its arrival if
    /// it is first there.
    #[inline]
    fn transmit(
        &mut self,
        now: Time,
        packet: Handle,
        size: u32,
        store: &PacketStore,
    ) -> Option<Time> {
        let fate = match &mut self.effects {
            None => Fate::Arrives,
            // While the link is down, when it will send is not known.
            Some(it) if it.sends_at_once() => {
                it.fate(starting(now, self.busy_until), &store[packet])
            }
            Some(_) => return self.transmit_with_effects(now, packet, size, store),
        };
        let starts = now.max(self.busy_until);
        let transmission = self.rate.transmission_time(size);
        self.busy_until = starts + transmission;
        let arrives = self.earliest_arrival.max(self.busy_until + self.delay);
        self.counters.sent += 1;
        self.counters.sojourn_sum += starts.since(now);
        self.counters.transmission_sum += transmission;
        let (attempts, begins) = (1, true);
        let transit = Transit { packet, starts, arrives, size, attempts, begins, fate };
        self.push(transit).then_some(arrives)
    }

    /// The same through a physical layer, or at the opportunities of a trace.
    fn transmit_with_effects(
        &mut self,
        now: Time,
        packet: Handle,
        size: u32,
        store: &PacketStore,
    ) -> Option<Time> {
        let first = self.wait_for_the_link(now, packet, size, store);
        self.busy_until = self.busy_until.max(now);
        self.schedule_from(self.transit.len() - 1);
        self.next_arrival().filter(|_| first)
    }

    /// Puts a packet into the transit ring without its times; returns whether it is
    /// first there.
    fn wait_for_the_link(
        &mut self,
        now: Time,
        packet: Handle,
        size: u32,
        store: &PacketStore,
    ) -> bool {
        let before = self.sends_until().unwrap_or(self.busy_until);
        let (rate, was_free, free) = (self.rate, before < now, self.busy_until.max(now));
        let mut effects = self.effects.as_mut();
        let reception = effects.as_mut().and_then(|it| *it.reception());
        let frame = Frame { size, rate, was_free, free, reception };
        let (Outcome { attempts, begins, .. }, fate) = effects
            .map_or((Outcome::AT_ONCE, Fate::Arrives), |it| it.send(now, &frame, &store[packet]));
        self.counters.sent += 1;
        self.counters.air_retransmissions += u64::from(attempts - 1);
        let (starts, arrives) = (Time::NEVER, now);
        self.push(Transit { packet, starts, arrives, size, attempts, begins, fate })
    }

    /// A link that has been free since before `now` is so at its next opportunity, if
    /// it has a trace.
    #[inline]
    fn await_opportunity(&mut self, now: Time) {
        if let Some(next) = self.effects.as_mut().and_then(|it| it.opportunity_from(now)) {
            self.busy_until = next;
        }
    }

    /// Counts those out of the backlog whose transmission has started by `now`.
    #[inline]
    fn start_transmissions(&mut self, now: Time) {
        let Egress::OnArrival { backlog, .. } = &mut self.egress else { return };
        while backlog.packets > 0 {
            let next = &self.transit[self.transit.len() - backlog.packets as usize];
            if next.starts > now {
                break;
            }
            backlog.remove(next.size);
        }
    }

    /// The link changes; what is under transmission or on its way keeps its times.
    #[cold]
    pub(crate) fn change(&mut self, now: Time, change: LinkChange, store: &mut PacketStore) -> Due {
        self.start_transmissions(now);
        match (change, self.down) {
            (LinkChange::Rate(rate), _) => self.change_rate(rate),
            (LinkChange::Delay(delay), _) => self.change_delay(delay),
            (LinkChange::Loss(it), _) => self.change_loss(now, &it, store),
            (LinkChange::QueueLimit(limit), _) => self.change_limit(now, limit, store),
            (LinkChange::Stall, false) => self.stall(now),
            (LinkChange::Down, false) => {
                self.stall(now);
                self.lose_what_is_under_way();
            }
            (LinkChange::Up, true) => {
                self.down = false;
                self.is_cut = false;
                self.busy_until = self.busy_before_outage.max(now);
                self.await_opportunity(self.busy_until);
                let first = self.first_waiting();
                self.schedule_from(first);
                let arrival = self.next_arrival().filter(|_| first == 0);
                return Due { arrival, ..self.call() };
            }
            (LinkChange::Down, true) => self.lose_what_is_under_way(),
            (LinkChange::Cut, is_down) => {
                if !is_down {
                    self.stall(now);
                }
                self.is_cut = true;
                self.lose_what_is_under_way();
                self.drop_what_waits(now, store);
            }
            (LinkChange::Lose, _) => self.lose_from(now),
            (LinkChange::Deliver, _) => self.deliver_from(now),
            (LinkChange::Stall, true)
            | (LinkChange::Up, false)
            | (LinkChange::Announce | LinkChange::Withdraw, _) => {}
        }
        Due::default()
    }

    /// What has not started is sent at another rate.
    fn change_rate(&mut self, rate: Rate) {
        if !self.has_trace() {
            self.rate = rate;
            self.reschedule();
        }
    }

    /// What has not started takes another time to the other end. With a trace, what waits
    /// for an opportunity has been called for.
    fn change_delay(&mut self, delay: Duration) {
        let started = self.first_waiting().checked_sub(1);
        self.earliest_arrival = started.map_or(Time::ZERO, |it| self.transit[it].arrives);
        self.delay = delay;
        if !self.has_trace() {
            self.reschedule();
        }
    }

    /// What has not started is lost as the change says. The physical layer has decided about
    /// what waits for it.
    fn change_loss(&mut self, now: Time, change: &LossChange, store: &PacketStore) {
        let first = self.first_waiting();
        let Some(effects) = &mut self.effects else { return };
        effects.change_loss(now, change);
        if effects.layer().is_none() {
            for it in self.transit.range_mut(first..) {
                it.fate = effects.fate(starting(now, it.starts), &store[it.packet]);
            }
        }
    }

    /// What is more than may wait from now on is dropped.
    fn change_limit(&mut self, now: Time, limit: QueueLimit, store: &mut PacketStore) {
        match &mut self.egress {
            Egress::OnArrival { limit: before, .. } => {
                *before = limit;
                while self.exceeds_its_limit() {
                    self.drop_last(now, store);
                }
                self.first = self.transit.front().map(|it| it.packet);
            }
            Egress::OnDeparture(held) => {
                held.limit = limit;
                held.queue.shed(limit, &mut |it| {
                    self.counters.overlimit_drops += 1;
                    store.drop_at(it.packet);
                });
            }
        }
    }

    fn exceeds_its_limit(&self) -> bool {
        match &self.egress {
            Egress::OnArrival { limit, backlog, .. } => limit.is_exceeded_by(*backlog),
            Egress::OnDeparture(_) => false,
        }
    }

    /// Drops the last packet that waits in the transit ring, as if it had found no room: the
    /// others keep their times.
    fn drop_last(&mut self, now: Time, store: &mut PacketStore) {
        let (Some(last), Egress::OnArrival { backlog, .. }) =
            (self.transit.pop_back(), &mut self.egress)
        else {
            return;
        };
        backlog.remove(last.size);
        if last.starts != Time::NEVER {
            let airtime = self.airtimes().of(&last);
            self.counters.transmission_sum = self.counters.transmission_sum - airtime;
            self.counters.sojourn_sum = self.counters.sojourn_sum - last.starts.since(now);
            self.busy_until = last.starts;
            self.effects.iter_mut().for_each(|it| it.give_back(last.bytes()));
        }
        self.counters.air_retransmissions -= u64::from(last.attempts - 1);
        self.counters.sent -= 1;
        self.counters.overlimit_drops += 1;
        store.drop_at(last.packet);
    }

    /// What has not started gets new times.
    fn reschedule(&mut self) {
        if !self.down {
            let first = self.first_waiting();
            let free = self.transit.get(first).map_or(self.busy_until, |it| it.starts);
            let withdrawn = self.busy_until.since(free);
            self.counters.transmission_sum = self.counters.transmission_sum - withdrawn;
            self.busy_until = free;
            self.schedule_from(first);
        }
    }

    /// Nothing starts any more.
    fn stall(&mut self, now: Time) {
        self.busy_before_outage = self.withdraw(now);
        self.busy_until = Time::NEVER;
        self.down = true;
    }

    /// The place in the transit ring of the first packet that has not started.
    fn first_waiting(&self) -> usize {
        let Egress::OnArrival { backlog, .. } = &self.egress else { return self.transit.len() };
        self.transit.len() - backlog.packets as usize
    }

    /// Takes back the times of the packets that have not started; returns when
    /// the link is free without them.
    fn withdraw(&mut self, now: Time) -> Time {
        let first = self.first_waiting();
        let free = self.transit.get(first).map_or(self.busy_until, |it| it.starts);
        let layer = self.effects.as_ref().and_then(|it| it.layer());
        let mut airtimes = Airtimes::new(self.rate, layer);
        let mut bytes = 0;
        let waiting = self.transit.range_mut(first..);
        for waiting in waiting.take_while(|it| it.starts != Time::NEVER) {
            let counters = &mut self.counters;
            counters.transmission_sum = counters.transmission_sum - airtimes.of(waiting);
            counters.sojourn_sum = counters.sojourn_sum - waiting.starts.since(now);
            bytes += waiting.bytes();
            (waiting.starts, waiting.arrives) = (Time::NEVER, now);
        }
        if let Some(effects) = &mut self.effects {
            effects.give_back(bytes);
        }
        free
    }

    /// Gives the packets from a place in the transit ring on their times.
    fn schedule_from(&mut self, place: usize) {
        let before = place.checked_sub(1).map_or(Time::ZERO, |it| self.transit[it].arrives);
        let (layer, opportunities) = self.effects.as_mut().map_or((None, None), |it| it.timing());
        let mut schedule = Schedule {
            airtimes: Airtimes::new(self.rate, layer),
            delay: self.delay,
            opportunities,
            sojourn_sum: self.counters.sojourn_sum,
            transmission_sum: self.counters.transmission_sum,
            free: self.busy_until,
            before,
        };
        self.transit.range_mut(place..).for_each(|it| schedule.give(it));
        self.busy_until = schedule.free;
        self.counters.sojourn_sum = schedule.sojourn_sum;
        self.counters.transmission_sum = schedule.transmission_sum;
    }

    /// Whether a packet's transmission ended after that time.
    fn was_sent_after(&self, packet: &Transit, time: Time) -> bool {
        packet.arrives > time + self.delay
    }

    /// What is under transmission, and what starts until [`Self::deliver_from`], is lost: it
    /// is known when it arrives.
    fn lose_from(&mut self, now: Time) {
        if let Some(effects) = &mut self.effects {
            effects.loses_since().get_or_insert(now);
        }
    }

    /// What has started since [`Self::lose_from`], or was under transmission then, will not
    /// arrive; what starts from now on does.
    fn deliver_from(&mut self, now: Time) {
        let Some(since) = self.effects.as_mut().and_then(|it| it.loses_since().take()) else {
            return;
        };
        let last = since + self.delay;
        let started = self.transit.iter_mut().filter(|it| it.starts < now && it.arrives > last);
        started.for_each(|it| it.fate = Fate::Lost);
    }

    /// What has started will not arrive.
    fn lose_what_is_under_way(&mut self) {
        let first = self.first_waiting();
        self.transit.range_mut(..first).for_each(|it| it.fate = Fate::Lost);
        if let Some(effects) = &mut self.effects {
            effects.lose_late();
        }
    }

    /// What has not started never will.
    fn drop_what_waits(&mut self, now: Time, store: &mut PacketStore) {
        let started = self.first_waiting();
        let waiting = self.transit.len() - started;
        self.counters.losses += waiting as u64;
        self.counters.sent -= waiting as u64;
        self.transit.drain(started..).for_each(|it| store.drop_at(it.packet));
        self.first = self.transit.front().map(|it| it.packet);
        match &mut self.egress {
            Egress::OnArrival { backlog, .. } => *backlog = Backlog::default(),
            Egress::OnDeparture(held) => {
                while let Some((head, _)) = held.queue.pop(now) {
                    self.counters.losses += 1;
                    store.drop_at(head.packet);
                }
            }
        }
    }
}

/// When a packet starts that the link is free for from then on; while that is not known, because
/// the link is down, `now`.
#[inline]
fn starting(now: Time, free: Time) -> Time {
    if free == Time::NEVER { now } else { now.max(free) }
}

#[cfg(test)]
mod tests;
