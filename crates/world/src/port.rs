//! One direction of a link, with the queue before it.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Handle, Random, Rate, Time, prefetch};
use windtunnel_links::{Fate, Frame, Outcome, PhysicalLayer, Reception};
use windtunnel_packets::{Ecn, Packet, PacketStore};
use windtunnel_queues::{
    ArrivalDiscipline, Arriving, Backlog, Queue, QueueLimit, Verdict, Waiting,
};

use crate::plan::DirectionPlan;

mod arrivals;
mod changes;
mod effects;
mod egress;
mod interruption;
mod remainder;
mod schedule;
mod transit;

use effects::Effects;
use egress::Egress;
use remainder::Remainder;
use schedule::Airtimes;
use transit::Transit;

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

/// What the caller has to arrange for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Due {
    /// When the packet that is newly first on the link arrives.
    pub(crate) arrival: Option<Time>,
    /// When [`Port::serve`] must be called.
    pub(crate) service: Option<Time>,
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
    /// Whether it is down.
    is_down: bool,
    /// Whether it has no rate at present.
    is_stalled: bool,
    /// Whether it is down for good, so that nothing waits for it.
    is_cut: bool,
    egress: Egress,
    effects: Option<Box<Effects>>,
    counters: Counters,
    /// When the link would be free, were it not down or stalled.
    busy_before_outage: Time,
    /// What is left of the packet under transmission, if the link changed since that began.
    remainder: Option<Remainder>,
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
            is_down: false,
            is_stalled: false,
            is_cut: false,
            egress,
            effects,
            counters: Counters::default(),
            busy_before_outage: Time::ZERO,
            remainder: None,
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

    /// How fast the link sends; none: it has no rate at present.
    pub(crate) fn rate(&self) -> Option<Rate> {
        (!self.is_stalled).then_some(self.rate)
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
        if self.is_silent() {
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
            let until = if self.is_silent() { self.busy_before_outage } else { self.busy_until };
            self.sends_until().unwrap_or(until).since(now)
        };
        self.counters.transmission_sum - ahead
    }

    /// How fast its queue lets packets leave at the most, if that shapes.
    pub(crate) fn shaped_rate(&self) -> Option<Rate> {
        match &self.egress {
            Egress::OnArrival { .. } => None,
            Egress::OnDeparture(it) => it.queue.shaped_rate(),
        }
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
                let rate = self.shaped_rate().map_or(self.rate, |it| it.min(self.rate));
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
        let is_free = self.busy_until <= now && held.called == Time::NEVER;
        if is_free && held.queue.shaped_rate().is_none() {
            held.queue.push(waiting, flow);
            return self.take_turn(now, store);
        }
        let limit = if is_own { QueueLimit::Bytes(u64::MAX) } else { held.limit };
        held.queue.offer(limit, waiting, flow, |it| {
            self.counters.overlimit_drops += 1;
            store.drop_at(it.packet);
        });
        let due = if is_free { self.take_turn(now, store) } else { self.call() };
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
        let (is_silent, awaits_a_turn) = (self.is_silent(), self.awaits_a_turn());
        let Egress::OnDeparture(held) = &mut self.egress else { return Due::default() };
        let is_waiting = held.queue.backlog().packets > 0 || awaits_a_turn;
        if held.called != Time::NEVER || is_silent || !is_waiting {
            return Due::default();
        }
        let time = self.busy_until.max(held.queue.opens());
        held.called = time;
        Due { arrival: None, service: Some(time) }
    }

    /// The link is free, unless it has changed since the port asked to be served.
    pub(crate) fn serve(&mut self, now: Time, store: &mut PacketStore) -> Due {
        match &self.egress {
            Egress::OnDeparture(held) if held.called <= now => self.take_turn(now, store),
            _ => Due::default(),
        }
    }

    /// Sends the next packet that the discipline lets pass, if the link is free.
    pub(crate) fn take_turn(&mut self, now: Time, store: &mut PacketStore) -> Due {
        // A shaper may have let opportunities pass.
        if self.busy_until < now {
            self.await_opportunity(now);
        }
        let (silent, is_early) = (self.is_silent(), self.busy_until > now);
        let awaits_a_turn = self.awaits_a_turn();
        let Egress::OnDeparture(held) = &mut self.egress else { return Due::default() };
        held.called = Time::NEVER;
        if silent || is_early {
            return self.call();
        }
        if awaits_a_turn {
            return self.resume_in_turn(now);
        }
        let Egress::OnDeparture(held) = &mut self.egress else { return Due::default() };
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

    /// Goes on with the packet whose transmission was interrupted.
    #[cold]
    fn resume_in_turn(&mut self, now: Time) -> Due {
        let before = self.next_arrival();
        if let Some(it) = self.interrupted() {
            self.resume(it, now);
        }
        let arrival = self.next_arrival().filter(|it| before != Some(*it));
        Due { arrival, ..self.call() }
    }

    /// On a shared medium: notes the transmission that has begun, of a packet that waited
    /// so long.
    fn share_the_medium(&mut self, sojourn: Duration) {
        let Egress::OnDeparture(held) = &mut self.egress else { return };
        if let Some(share) = &mut held.share {
            (share.sends_until, share.sojourn) = (self.busy_until, sojourn);
        }
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
        let first = self.transit.front().filter(|it| it.starts != Time::NEVER);
        first.map(|it| it.arrives).filter(|it| *it != Time::NEVER)
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
}

/// When a packet starts that the link is free for from then on; while that is not known, because
/// the link is down, `now`.
#[inline]
fn starting(now: Time, free: Time) -> Time {
    if free == Time::NEVER { now } else { now.max(free) }
}

#[cfg(test)]
mod tests;
