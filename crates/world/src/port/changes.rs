//! What becomes of packets when the link changes.

use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_links::Fate;
use windtunnel_packets::PacketStore;
use windtunnel_queues::{Backlog, Queue, QueueLimit};

use super::egress::Egress;
use super::schedule::{Airtimes, Schedule};
use super::transmission::starting;
use super::{Due, Port};
use crate::plan::{LinkChange, LossChange};

impl Port {
    /// The link changes.
    #[cold]
    pub(crate) fn change(&mut self, now: Time, change: LinkChange, store: &mut PacketStore) -> Due {
        self.start_transmissions(now);
        let before = self.next_arrival();
        self.apply(now, change, store);
        let arrival = self.next_arrival().filter(|it| before != Some(*it));
        Due { arrival, ..self.call() }
    }

    /// The link is free at another time than it was to be: the port is served anew, if that
    /// is earlier. On a shared medium it has taken its place among those that wait.
    fn forget_the_call(&mut self) {
        let free = self.busy_until;
        if let Egress::OnDeparture(held) = &mut self.egress
            && held.share.is_none()
            && free < held.called
        {
            held.called = Time::NEVER;
        }
    }

    fn apply(&mut self, now: Time, change: LinkChange, store: &mut PacketStore) {
        match change {
            LinkChange::Rate(rate) => self.change_rate(now, rate),
            LinkChange::Delay(delay) => self.change_delay(now, delay),
            LinkChange::Loss(it) => self.change_loss(now, &it, store),
            LinkChange::Lateness(lateness) => {
                if let Some(effects) = &mut self.effects {
                    effects.change_lateness(lateness);
                }
            }
            LinkChange::QueueLimit(limit) => self.change_limit(now, limit, store),
            LinkChange::Stall => self.stall(now),
            LinkChange::Down => self.go_down(now),
            LinkChange::Up => self.come_up(now),
            LinkChange::Cut => {
                self.go_down(now);
                self.is_cut = true;
                self.drop_what_waits(now, store);
            }
            LinkChange::Lose => self.lose_from(now),
            LinkChange::Deliver => self.deliver_from(now),
            LinkChange::Announce | LinkChange::Withdraw => {}
        }
    }

    /// What is left of the packet under transmission, and what follows, is sent at another rate;
    /// a link that had none sends again. One with a delivery trace keeps to that.
    fn change_rate(&mut self, now: Time, rate: Rate) {
        let rate = if self.has_trace() { self.rate } else { rate };
        if std::mem::replace(&mut self.is_stalled, false) {
            self.rate = rate;
            // On a shared medium it waits for its turn.
            if let Some(it) = self.interrupted().filter(|_| self.sends_until().is_none()) {
                self.resume(it, now);
            }
            if !self.is_down {
                self.wake(now);
            }
        } else if !self.has_trace() {
            self.reschedule(|port| {
                let under_transmission = port.interrupt(now);
                port.rate = rate;
                under_transmission.into_iter().for_each(|it| port.resume(it, now));
            });
            self.forget_the_call();
        }
    }

    /// What has not started takes another time to the other end. With a trace, what waits
    /// for an opportunity has been called for.
    fn change_delay(&mut self, now: Time, delay: Duration) {
        if let Some(it) = self.under_transmission(now) {
            self.settle(it, now);
        }
        if self.interrupted().is_none() {
            let started = self.first_waiting().checked_sub(1);
            self.earliest_arrival = started.map_or(Time::ZERO, |it| self.transit[it].arrives);
        }
        self.delay = delay;
        if !self.has_trace() {
            self.reschedule(|_| ());
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

    /// What has not started gets new times, after what `change` does to the rest.
    fn reschedule(&mut self, change: impl FnOnce(&mut Self)) {
        if self.is_silent() {
            return change(self);
        }
        let first = self.first_waiting();
        let free = self.transit.get(first).map_or(self.busy_until, |it| it.starts);
        let withdrawn = self.busy_until.since(free);
        self.counters.transmission_sum = self.counters.transmission_sum - withdrawn;
        self.busy_until = free;
        change(self);
        self.schedule_from(first);
    }

    /// Nothing starts any more, and what is under transmission is interrupted.
    fn stall(&mut self, now: Time) {
        self.fall_silent(now);
        self.is_stalled = true;
        self.interrupt(now);
    }

    /// Nothing starts any more, and what is under way is lost.
    fn go_down(&mut self, now: Time) {
        self.fall_silent(now);
        self.is_down = true;
        self.lose_what_is_under_way();
    }

    /// The link can be used again.
    fn come_up(&mut self, now: Time) {
        let was_down = std::mem::replace(&mut self.is_down, false);
        self.is_cut = false;
        if was_down && !self.is_stalled {
            self.wake(now);
        }
    }

    /// Nothing starts any more.
    fn fall_silent(&mut self, now: Time) {
        if !self.is_down && !self.is_stalled {
            self.busy_before_outage = self.withdraw(now);
            self.busy_until = Time::NEVER;
        }
    }

    /// What waits goes on.
    fn wake(&mut self, now: Time) {
        self.busy_until = self.busy_before_outage.max(now);
        self.await_opportunity(self.busy_until);
        self.schedule_from(self.first_waiting());
        // What was under transmission may have got another rate during the outage.
        self.forget_the_call();
    }

    /// The place in the transit ring of the first packet that has not started.
    pub(super) fn first_waiting(&self) -> usize {
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
    pub(super) fn schedule_from(&mut self, place: usize) {
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

    /// What is under transmission, and what starts until [`Self::deliver_from`], is lost: it
    /// is known when it arrives.
    fn lose_from(&mut self, now: Time) {
        let under_transmission = self.under_transmission(now);
        let Some(effects) = &mut self.effects else { return };
        effects.loses_since().get_or_insert(now);
        if let Some(it) = under_transmission {
            self.transit[it].fate = Fate::Lost;
        }
    }

    /// What has started since [`Self::lose_from`] will not arrive; what starts from now on does.
    fn deliver_from(&mut self, now: Time) {
        let Some(since) = self.effects.as_mut().and_then(|it| it.loses_since().take()) else {
            return;
        };
        let started = self.transit.iter_mut().filter(|it| it.starts < now && it.starts >= since);
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
