//! The queue discipline of a link: its settings, and its state.

use windtunnel_engine::{Random, Time};
use windtunnel_packets::FlowKey;

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::backlog::{Backlog, QueueLimit};
use crate::codel::{CoDel, CoDelSettings};
use crate::dual_pi2::{DualPi2, DualPi2Settings};
use crate::fifo::{Judged, Unjudged};
use crate::fq_codel::{FqCoDel, FqCoDelSettings};
use crate::link_service::LinkService;
use crate::pcon::Pcon;
use crate::pie::{Pie, PieSettings};
use crate::queue::{Queue, Waiting};
use crate::red::{Red, RedSettings};
use crate::sce::{Sce, SceSettings};
use crate::verdict::Verdict;

/// A queue discipline with its settings.
#[derive(Clone, Debug)]
pub enum Discipline {
    /// Drops what finds no room, and nothing else.
    DropTail,
    /// Drop-tail with the marking of NFD's link service.
    LinkService(LinkService),
    /// Random early detection.
    Red(RedSettings),
    /// PIE.
    Pie(PieSettings),
    /// Controlled delay, dropping or marking.
    CoDel(CoDelSettings),
    /// The marking queue of PCON.
    Pcon(Pcon),
    /// CoDel with the milder signal of SCE.
    Sce(SceSettings),
    /// A queue for each flow, with CoDel.
    FqCoDel(FqCoDelSettings),
    /// Two coupled queues.
    DualPi2(DualPi2Settings),
}

/// A discipline with the state of one queue.
#[derive(Debug)]
pub enum ActiveDiscipline {
    /// Decides when a packet arrives; `None`: only the limit decides.
    OnArrival(Option<AnyArrivalDiscipline>),
    /// Decides when a packet leaves.
    OnDeparture(AnyQueue),
}

impl Discipline {
    /// The discipline on an empty queue, with its own random stream.
    #[must_use]
    pub fn start(&self, random: Random) -> ActiveDiscipline {
        let on_arrival = |judge| ActiveDiscipline::OnArrival(Some(judge));
        match self.clone() {
            Self::DropTail => ActiveDiscipline::OnArrival(None),
            Self::LinkService(it) => on_arrival(AnyArrivalDiscipline::LinkService(it)),
            Self::Red(it) => on_arrival(AnyArrivalDiscipline::Red(Red::new(it, random))),
            Self::Pie(it) => on_arrival(AnyArrivalDiscipline::Pie(Pie::new(it, random))),
            Self::CoDel(it) => {
                ActiveDiscipline::OnDeparture(AnyQueue::CoDel(Judged::new(CoDel::new(it))))
            }
            Self::Pcon(it) => ActiveDiscipline::OnDeparture(AnyQueue::Pcon(Judged::new(it))),
            Self::Sce(it) => {
                ActiveDiscipline::OnDeparture(AnyQueue::Sce(Judged::new(Sce::new(it, random))))
            }
            Self::FqCoDel(it) => {
                ActiveDiscipline::OnDeparture(AnyQueue::FqCoDel(FqCoDel::new(it, random)))
            }
            Self::DualPi2(it) => {
                ActiveDiscipline::OnDeparture(AnyQueue::DualPi2(DualPi2::new(it, random)))
            }
        }
    }
}

/// Any discipline that decides when a packet arrives.
#[derive(Clone, Debug)]
pub enum AnyArrivalDiscipline {
    /// NFD's link service.
    LinkService(LinkService),
    /// RED.
    Red(Red),
    /// PIE.
    Pie(Pie),
}

impl ArrivalDiscipline for AnyArrivalDiscipline {
    #[inline]
    fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict {
        match self {
            Self::LinkService(it) => it.judge(now, arriving),
            Self::Red(it) => it.judge(now, arriving),
            Self::Pie(it) => it.judge(now, arriving),
        }
    }
}

/// Any queue that decides when packets leave.
#[derive(Debug)]
pub enum AnyQueue {
    /// First in, first out, where nothing is decided when packets leave.
    DropTail(Judged<Unjudged>),
    /// CoDel.
    CoDel(Judged<CoDel>),
    /// PCON's queue.
    Pcon(Judged<Pcon>),
    /// CoDel with SCE.
    Sce(Judged<Sce>),
    /// FQ-CoDel.
    FqCoDel(FqCoDel),
    /// DualPI2.
    DualPi2(DualPi2),
}

impl AnyQueue {
    /// First in, first out: for disciplines that decide everything when packets arrive, where
    /// packets wait until a shared medium is free for them.
    #[must_use]
    pub fn drop_tail() -> Self {
        Self::DropTail(Judged::new(Unjudged))
    }

    /// Takes in a packet if there is room; packets for which there is none, this one or
    /// others, go to `overflow`.
    pub fn offer(
        &mut self,
        limit: QueueLimit,
        waiting: Waiting,
        flow: FlowKey,
        mut overflow: impl FnMut(Waiting),
    ) {
        match self {
            Self::FqCoDel(queue) => {
                queue.push(waiting, flow);
                while limit.is_exceeded_by(queue.backlog()) {
                    queue.shed(&mut overflow);
                }
            }
            queue if limit.admits(queue.backlog(), waiting.size) => queue.push(waiting, flow),
            _ => overflow(waiting),
        }
    }
}

/// Calls the same on whichever queue it is.
macro_rules! each {
    ($queue:expr, $it:ident => $call:expr) => {
        match $queue {
            AnyQueue::DropTail($it) => $call,
            AnyQueue::CoDel($it) => $call,
            AnyQueue::Pcon($it) => $call,
            AnyQueue::Sce($it) => $call,
            AnyQueue::FqCoDel($it) => $call,
            AnyQueue::DualPi2($it) => $call,
        }
    };
}

impl Queue for AnyQueue {
    fn push(&mut self, waiting: Waiting, flow: FlowKey) {
        each!(self, it => it.push(waiting, flow));
    }

    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)> {
        each!(self, it => it.pop(now))
    }

    fn backlog(&self) -> Backlog {
        each!(self, it => it.backlog())
    }
}
