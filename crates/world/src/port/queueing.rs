//! Before the link: which packets the queue takes, and which one is sent next.

use windtunnel_engine::{Duration, Handle, Time};
use windtunnel_packets::PacketStore;
use windtunnel_queues::{ArrivalDiscipline, Arriving, Queue, QueueLimit, Verdict, Waiting};

use super::egress::Egress;
use super::{Due, Port};

impl Port {
    /// Takes a packet in; for the node's own (`OWN`) there is always room.
    #[inline(always)]
    pub(crate) fn offer<const OWN: bool>(
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

    /// Asks to be served when the link is free and the next packet may leave, if one waits for
    /// that.
    pub(super) fn call(&mut self) -> Due {
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
}
