//! Onto the link: when a packet is sent, and when it arrives.

use windtunnel_engine::{Handle, Time};
use windtunnel_links::{Fate, Frame, Outcome};
use windtunnel_packets::PacketStore;

use super::Port;
use super::transit::Transit;

impl Port {
    /// Puts a packet on the link as soon as that is free; returns its arrival if
    /// it is first there, or is passed on.
    #[inline]
    pub(super) fn transmit(
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
        if self.passes_on() {
            return self.pass_on(now, packet, size, [starts, arrives]);
        }
        self.push(Transit::once(packet, size, [starts, arrives], fate)).then_some(arrives)
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
    pub(super) fn wait_for_the_link(
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
    pub(super) fn await_opportunity(&mut self, now: Time) {
        if let Some(next) = self.effects.as_mut().and_then(|it| it.opportunity_from(now)) {
            self.busy_until = next;
        }
    }

    /// Appends a packet to the ring; returns whether it is first there.
    #[inline]
    pub(super) fn push(&mut self, transit: Transit) -> bool {
        let first = self.transit.is_empty();
        if first {
            self.first = Some(transit.packet);
        }
        self.transit.push_back(transit);
        first
    }

    /// Takes the first packet out of the ring.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Transit> {
        let head = self.transit.pop_front();
        self.first = self.transit.front().map(|it| it.packet);
        head
    }

    /// When the packet first on the link arrives, if that is known.
    #[inline]
    pub(super) fn next_arrival(&self) -> Option<Time> {
        let first = self.transit.front().filter(|it| it.starts != Time::NEVER);
        first.map(|it| it.arrives).filter(|it| *it != Time::NEVER)
    }
}

/// When a packet starts that the link is free for from then on; while that is not known, because
/// the link is down, `now`.
#[inline]
pub(super) fn starting(now: Time, free: Time) -> Time {
    if free == Time::NEVER { now } else { now.max(free) }
}
