//! One direction of a link, with the queue before it.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Handle, Random, Rate, Store, Time, prefetch};
use windtunnel_protocols::packet::Packet;
use windtunnel_protocols::queues::{
    Backlog, CoDel, Departure, Discipline, Fifo, Limit, LinkService, Pcon, Verdict, Waiting,
};

use crate::Loss;
use crate::plan::DirectionPlan;

/// What a port counted. At any time
/// `offered = delivered + dropped + in the queue + on the link`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Packets given to the port.
    pub offered: u64,
    /// Packets that arrived at the other end.
    pub delivered: u64,
    /// Their octets, with all headers.
    pub delivered_bytes: u64,
    /// How many packets were sent.
    pub sent: u64,
    /// The sum of the times that they waited.
    pub sojourn_sum: Duration,
    /// The time that they take on the wire.
    pub transmission_sum: Duration,
    /// The most that waited at once; packets and octets each by itself.
    pub most: Backlog,
    /// Packets dropped because the queue had no room.
    pub overflows: u64,
    /// Packets that the queue discipline dropped.
    pub discipline_drops: u64,
    /// Packets that the link lost.
    pub losses: u64,
    /// Packets that got a congestion mark here.
    pub marks: u64,
}

impl Counters {
    /// Packets dropped, whatever the cause.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.overflows + self.discipline_drops + self.losses
    }
}

/// A packet that is, or will be, on the link.
#[derive(Clone, Copy, Debug)]
struct Transit {
    packet: Handle,
    starts: Time,
    arrives: Time,
    /// Octets on the wire, framing included.
    size: u32,
    lost: bool,
}

/// The queue before the link.
#[derive(Debug)]
enum Egress {
    /// Everything is decided when a packet arrives: its times on the link are
    /// known at once, and it goes straight into the transit ring.
    OnArrival {
        limit: Limit,
        marking: Option<Box<LinkService>>,
        /// What has not started yet: so many at the end of the ring.
        backlog: Backlog,
    },
    /// Packets wait in a queue and are judged when the link is free.
    OnDeparture(Box<Judged>),
}

/// A queue whose packets are judged when the link is free.
#[derive(Debug)]
struct Judged {
    queue: Fifo,
    judge: Judge,
    /// Whether the port is going to be served when the link is free.
    called: bool,
}

#[derive(Debug)]
enum Judge {
    CoDel(CoDel),
    Pcon(Pcon),
}

impl Judge {
    fn judge(&mut self, now: Time, sojourn: Duration, backlog: u64) -> Verdict {
        match self {
            Self::CoDel(it) => it.judge(now, sojourn, backlog),
            Self::Pcon(it) => it.judge(now, sojourn, backlog),
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

/// What came out at the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// The packet; none if the link lost it.
    pub(crate) packet: Option<Packet>,
    /// When the next one arrives.
    pub(crate) next: Option<Time>,
}

/// A link that loses packets.
#[derive(Debug)]
struct Lossy {
    loss: Loss,
    random: Random,
}

/// One direction of a link, with the queue before it. What every packet touches
/// comes first and fills few cache lines; what few links have lies elsewhere.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Port {
    transit: VecDeque<Transit>,
    /// The link is free from then on.
    busy_until: Time,
    rate: Rate,
    delay: Duration,
    overhead: u32,
    egress: Egress,
    lossy: Option<Box<Lossy>>,
    counters: Counters,
}

impl Port {
    pub(crate) fn new(plan: &DirectionPlan, random: Random) -> Self {
        let limit = plan.limit;
        let on_arrival =
            |marking| Egress::OnArrival { limit, marking, backlog: Backlog::default() };
        let on_departure = |judge| {
            let queue = Fifo::new(limit);
            Egress::OnDeparture(Box::new(Judged { queue, judge, called: false }))
        };
        let egress = match plan.discipline.clone() {
            Discipline::DropTail => on_arrival(None),
            Discipline::LinkService(marking) => on_arrival(Some(Box::new(marking))),
            Discipline::CoDel(codel) => on_departure(Judge::CoDel(codel)),
            Discipline::Pcon(pcon) => on_departure(Judge::Pcon(pcon)),
        };
        let loss = plan.loss;
        let lossy = (loss != Loss::None).then(|| Box::new(Lossy { loss, random }));
        Self {
            transit: VecDeque::new(),
            busy_until: Time::ZERO,
            rate: plan.rate,
            delay: plan.delay,
            overhead: plan.overhead,
            egress,
            lossy,
            counters: Counters::default(),
        }
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How long the link has been sending until `now`.
    pub(crate) fn busy(&self, now: Time) -> Duration {
        self.counters.transmission_sum - self.busy_until.since(now)
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
    pub(crate) fn held(&self) -> u64 {
        let queued = match &self.egress {
            Egress::OnArrival { .. } => 0,
            Egress::OnDeparture(it) => u64::from(it.queue.backlog().packets),
        };
        self.transit.len() as u64 + queued
    }

    /// Takes a packet in.
    #[inline]
    pub(crate) fn offer(
        &mut self,
        now: Time,
        mut packet: Packet,
        store: &mut Store<Packet>,
    ) -> Due {
        self.counters.offered += 1;
        self.start_transmissions(now);
        let size = packet.size() + self.overhead;
        match &mut self.egress {
            Egress::OnArrival { limit, marking, backlog } => {
                let mut size = size;
                // The link service marks before the queue takes the packet, or not.
                if let Some(marking) = marking
                    && marking.marks(now, backlog.bytes)
                {
                    self.counters.marks += 1;
                    packet.marked = true;
                    size = packet.size() + self.overhead;
                }
                if self.busy_until > now {
                    if !limit.admits(*backlog, size) {
                        self.counters.overflows += 1;
                        return Due::default();
                    }
                    backlog.add(size);
                    self.counters.most = self.counters.most.or_more(*backlog);
                }
                let packet = store.insert(packet);
                Due { arrival: self.transmit(now, packet, size), service: None }
            }
            Egress::OnDeparture(judged) => {
                let packet = store.insert(packet);
                let waiting = Waiting { packet, size, arrived: now };
                // What finds the link free does not wait, and needs no room.
                if self.busy_until <= now && !judged.called {
                    return self.depart(now, &waiting, store).unwrap_or_default();
                }
                if !judged.queue.push(waiting) {
                    store.free(packet);
                    self.counters.overflows += 1;
                    return Due::default();
                }
                self.counters.most = self.counters.most.or_more(judged.queue.backlog());
                let service = (!judged.called).then_some(self.busy_until);
                judged.called = true;
                Due { arrival: None, service }
            }
        }
    }

    /// The link is free: sends the next packet that its discipline lets pass.
    pub(crate) fn serve(&mut self, now: Time, store: &mut Store<Packet>) -> Due {
        loop {
            let Egress::OnDeparture(judged) = &mut self.egress else { return Due::default() };
            judged.called = false;
            let Some(head) = judged.queue.pop() else { return Due::default() };
            if let Some(due) = self.depart(now, &head, store) {
                return due;
            }
        }
    }

    /// Sends a packet over the free link, if its discipline lets it pass.
    fn depart(&mut self, now: Time, head: &Waiting, store: &mut Store<Packet>) -> Option<Due> {
        let Egress::OnDeparture(judged) = &mut self.egress else { return None };
        let sojourn = now.since(head.arrived);
        let backlog = judged.queue.backlog();
        let mut size = head.size;
        match judged.judge.judge(now, sojourn, backlog.bytes) {
            Verdict::Pass => {}
            Verdict::Mark => {
                self.counters.marks += 1;
                let packet = &mut store[head.packet];
                packet.marked = true;
                size = packet.size() + self.overhead;
            }
            Verdict::Drop => {
                self.counters.discipline_drops += 1;
                store.free(head.packet);
                return None;
            }
        }
        let more = backlog.packets > 0;
        judged.called = more;
        self.counters.sojourn_sum += sojourn;
        let arrival = self.transmit(now, head.packet, size);
        Some(Due { arrival, service: more.then_some(self.busy_until) })
    }

    /// The packet first on the link arrives.
    #[inline]
    pub(crate) fn arrive(&mut self, store: &mut Store<Packet>) -> Arrived {
        // Those that waited started before they arrived.
        if let Some(head) = self.transit.front() {
            self.start_transmissions(head.starts);
        }
        let head = self.transit.pop_front().expect("an arrival is called for a packet on the link");
        store.free(head.packet);
        let packet = if head.lost {
            self.counters.losses += 1;
            None
        } else {
            self.counters.delivered += 1;
            self.counters.delivered_bytes += u64::from(head.size);
            Some(store[head.packet])
        };
        Arrived { packet, next: self.transit.front().map(|it| it.arrives) }
    }

    /// Brings near the packet that arrives next.
    #[inline]
    pub(crate) fn prefetch(&self, store: &Store<Packet>) {
        if let Some(head) = self.transit.front() {
            prefetch(&store[head.packet]);
        }
    }

    /// Puts a packet on the link as soon as that is free; returns its arrival if
    /// it is first there.
    #[inline]
    fn transmit(&mut self, now: Time, packet: Handle, size: u32) -> Option<Time> {
        let starts = now.max(self.busy_until);
        let transmission = self.rate.transmission_time(size);
        self.busy_until = starts + transmission;
        let arrives = self.busy_until + self.delay;
        let lost = self.lossy.as_mut().is_some_and(|it| it.loss.strikes(&mut it.random));
        self.counters.sent += 1;
        self.counters.sojourn_sum += starts.since(now);
        self.counters.transmission_sum += transmission;
        let first = self.transit.is_empty();
        self.transit.push_back(Transit { packet, starts, arrives, size, lost });
        first.then_some(arrives)
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
