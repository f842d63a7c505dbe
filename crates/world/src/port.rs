//! One direction of a link, with the queue before it.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Handle, Random, Rate, Time, prefetch};
use windtunnel_links::{PhysicalLayer, Reception};
use windtunnel_packets::{Packet, PacketStore};
use windtunnel_queues::{Backlog, Queue};

use crate::plan::DirectionPlan;

mod arrivals;
mod changes;
mod counters;
mod effects;
mod egress;
mod interruption;
mod passed;
mod passing;
mod queueing;
mod remainder;
mod schedule;
mod transit;
mod transmission;

pub use counters::Counters;
use effects::Effects;
use egress::Egress;
use passed::Passed;
use remainder::Remainder;
use schedule::Airtimes;
use transit::Transit;

/// What the caller has to arrange for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Due {
    /// When the packet that is newly first on the link arrives; where the port passes on its
    /// packets, when the one does that it was given, if that is passed on.
    pub(crate) arrival: Option<Time>,
    /// When [`Port::serve`] must be called.
    pub(crate) service: Option<Time>,
}

/// One direction of a link, with the queue before it. What every packet touches
/// comes first and fills few cache lines; what few links have lies elsewhere.
#[derive(Clone, Debug)]
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
    /// Whether it passes on its packets.
    passes_on: bool,
    egress: Egress,
    effects: Option<Box<Effects>>,
    counters: Counters,
    passed: Passed,
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
            passes_on: false,
            egress,
            effects,
            counters: Counters::default(),
            passed: Passed::default(),
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

    /// How long what leaves from now on takes to the other end at the least.
    pub(crate) fn delay(&self) -> Duration {
        self.delay
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
        (self.transit.len() - self.passed.packets as usize) as u64 + late as u64 + queued
    }

    /// The packets on the link that began to leave by `now`, and when, without the
    /// first `reported` that were ever sent. Those must include all that have arrived.
    pub(crate) fn started(&self, reported: u64, now: Time) -> impl Iterator<Item = (Time, Handle)> {
        let gone = self.counters.sent - self.transit.len() as u64;
        let left = self.transit.iter().skip((reported - gone) as usize);
        left.map(|it| (it.starts, it.packet)).take_while(move |(starts, _)| *starts <= now)
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

    /// What waits in a queue until the link is free.
    fn queued(&self) -> Backlog {
        match &self.egress {
            Egress::OnArrival { .. } => Backlog::default(),
            Egress::OnDeparture(it) => it.queue.backlog(),
        }
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

    /// Whether packets wait that are known to leave at their times.
    #[inline]
    fn counts_backlog(&self) -> bool {
        matches!(&self.egress, Egress::OnArrival { backlog, .. } if backlog.packets > 0)
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

#[cfg(test)]
mod tests;
