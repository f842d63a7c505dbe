//! The packet under transmission, when the link's rate changes: the bits that a link has sent
//! are the integral of its rate, so that what is left of a packet is sent at the new rate, or
//! later, if there is none. What is left is exact; only the end of a transmission is rounded,
//! to the nearest picosecond.

use windtunnel_engine::{Duration, Rate, Time, Work};
use windtunnel_links::{Fate, PhysicalLayer};

use super::Port;
use super::egress::Egress;
use super::remainder::Remainder;
use super::schedule::Airtimes;

impl Port {
    /// The place in the transit ring of the packet that is under transmission at `now`, if one
    /// is: the last that has started. With a delivery trace none is: opportunities are instants.
    pub(super) fn under_transmission(&self, now: Time) -> Option<usize> {
        let place = self.first_waiting().checked_sub(1)?;
        let is_sending = !self.transit[place].is_interrupted() && self.transmission_ends() > now;
        (is_sending && !self.has_trace()).then_some(place)
    }

    /// When the last transmission that has begun ends.
    fn transmission_ends(&self) -> Time {
        if let Some(time) = self.sends_until() {
            return time;
        }
        if self.is_silent() {
            return self.busy_before_outage;
        }
        self.transit.get(self.first_waiting()).map_or(self.busy_until, |it| it.starts)
    }

    /// The place in the transit ring of a packet whose transmission is interrupted.
    pub(super) fn interrupted(&self) -> Option<usize> {
        let place = self.first_waiting().checked_sub(1)?;
        self.transit[place].is_interrupted().then_some(place)
    }

    /// Whether a packet whose transmission was interrupted waits for its turn on a shared medium.
    #[inline]
    pub(super) fn awaits_a_turn(&self) -> bool {
        let is_shared = matches!(&self.egress, Egress::OnDeparture(it) if it.share.is_some());
        is_shared && self.interrupted().is_some()
    }

    /// Interrupts what is under transmission, unless it keeps its rate; returns its place in
    /// the transit ring.
    pub(super) fn interrupt(&mut self, now: Time) -> Option<usize> {
        let keeps_its_rate = self.layer().is_some_and(PhysicalLayer::keeps_its_rate);
        if keeps_its_rate {
            return None;
        }
        let Some(place) = self.under_transmission(now) else { return self.interrupted() };
        self.settle(place, now);
        let left = self.transmission_ends().since(now);
        self.counters.transmission_sum = self.counters.transmission_sum - left;
        self.transit[place].arrives = Time::NEVER;
        self.set_free_from(now);
        Some(place)
    }

    /// Goes on at `now` with a packet whose transmission was interrupted.
    pub(super) fn resume(&mut self, place: usize, now: Time) {
        let Some(remainder) = self.remainder else { return };
        let Remainder { ahead, work, delay, .. } = remainder;
        let outcome = self.transit[place].outcome();
        let more = self.layer().map_or(Duration::ZERO, |it| it.delay(outcome));
        let before = place.checked_sub(1).map_or(Time::ZERO, |it| self.transit[it].arrives);
        let time = ahead + self.rate.time_for(work);
        self.counters.transmission_sum += time;
        self.earliest_arrival = before.max(now + time + delay + more);
        self.transit[place].arrives = self.earliest_arrival;
        if self.effects.as_mut().is_some_and(|it| it.loses_since().is_some()) {
            self.transit[place].fate = Fate::Lost;
        }
        self.remainder = Some(Remainder { since: now, ..remainder });
        self.set_free_from(now + time);
    }

    /// Finds out what is left at `now` of a packet under transmission.
    pub(super) fn settle(&mut self, place: usize, now: Time) {
        let starts = self.transit[place].starts;
        let known = self.remainder.filter(|it| it.starts == starts);
        let it = known.unwrap_or_else(|| self.whole(place));
        let elapsed = now.since(it.since);
        let work = it.work - self.rate.work_in(elapsed - it.ahead);
        self.remainder = Some(Remainder { since: now, ahead: it.ahead - elapsed, work, ..it });
    }

    /// The whole of a packet, when its transmission starts.
    fn whole(&self, place: usize) -> Remainder {
        let packet = &self.transit[place];
        let (starts, work) = (packet.starts, Work::of_bytes(packet.bytes()));
        // What takes its time at any rate.
        let fastest = Rate::from_bits_per_second(u64::MAX).expect("it is above zero");
        let ahead = Airtimes::new(fastest, self.layer()).of(packet);
        Remainder { starts, since: starts, ahead, work, delay: self.delay }
    }

    /// What has started is sent by `time`.
    fn set_free_from(&mut self, time: Time) {
        self.occupy(time);
        if let Egress::OnDeparture(held) = &mut self.egress
            && let Some(share) = &mut held.share
        {
            share.sends_until = time;
        }
    }
}
