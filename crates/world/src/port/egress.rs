//! The queue before a link.

use windtunnel_engine::{Duration, Random, Rate, Time};
use windtunnel_packets::Packet;
use windtunnel_queues::{
    ActiveDiscipline, AnyArrivalDiscipline, AnyQueue, ArrivalDiscipline, Arriving, Backlog, Queue,
    QueueLimit, Verdict,
};

use crate::plan::DirectionPlan;

/// The queue before the link.
#[derive(Clone, Debug)]
pub(super) enum Egress {
    /// Everything is decided when a packet arrives: its times on the link are
    /// known at once, and it goes straight into the transit ring.
    OnArrival {
        limit: QueueLimit,
        judge: Option<Box<AnyArrivalDiscipline>>,
        /// What has not started yet: this many at the end of the ring.
        backlog: Backlog,
    },
    /// Packets wait in a queue until the link is free for them.
    OnDeparture(Box<Held>),
}

/// A queue whose packets wait until the link is free for them.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) limit: QueueLimit,
    pub(super) queue: AnyQueue,
    /// When the port is going to be served, or its turn comes after that; never: nobody waits.
    pub(super) called: Time,
    /// What it has beside these where any discipline waits: on a shared medium, or because the
    /// physical layer decides on departure.
    pub(super) share: Option<Share>,
}

/// A port's part in a shared medium, or its physical layer's time.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    /// The discipline, if it decides when packets arrive.
    judge: Option<AnyArrivalDiscipline>,
    /// When its last transmission ends.
    pub(super) sends_until: Time,
    /// How long the last packet waited that was sent.
    pub(super) sojourn: Duration,
}

impl Egress {
    /// An empty queue of a link with a medium of its own or a shared one.
    pub(super) fn new(plan: &DirectionPlan, random: Random, is_shared: bool) -> Self {
        let decides_late = plan.physical_layer.as_ref().is_some_and(|it| it.decides_on_departure());
        let (is_shared, limit) = (is_shared || decides_late, plan.limit);
        let held = |queue, share| {
            Self::OnDeparture(Box::new(Held { limit, queue, called: Time::NEVER, share }))
        };
        match plan.discipline.start(random) {
            ActiveDiscipline::OnArrival(judge) if is_shared => {
                held(AnyQueue::drop_tail(), Some(Share { judge, ..Share::default() }))
            }
            ActiveDiscipline::OnArrival(judge) => {
                let backlog = Backlog::default();
                Self::OnArrival { limit, judge: judge.map(Box::new), backlog }
            }
            ActiveDiscipline::OnDeparture(queue) => held(queue, is_shared.then(Share::default)),
        }
    }
}

impl Held {
    /// What a discipline that decides on arrival decides about a packet, where the link
    /// sends at that rate. How long a packet will wait is not known on a shared medium: it
    /// is taken to be as long as the last one did (RFC 8033, section 5.2 allows for that).
    pub(super) fn judge(
        &mut self,
        now: Time,
        rate: Rate,
        is_silent: bool,
        packet: &Packet,
        size: u32,
    ) -> Verdict {
        let backlog = self.queue.backlog();
        let Some(Share { judge: Some(judge), sends_until, sojourn }) = &mut self.share else {
            return Verdict::Pass;
        };
        let free = match backlog.packets {
            _ if is_silent => Time::NEVER,
            0 => *sends_until,
            _ => now + *sojourn,
        };
        let ecn = packet.ecn;
        judge.judge(now, &Arriving { ecn, size, backlog, free, rate }).on(ecn)
    }
}
