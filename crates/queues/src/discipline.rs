//! The queue discipline of a link: its settings, and its state.

use windtunnel_engine::{Random, Rate, Time};
use windtunnel_packets::FlowKey;

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::backlog::{Backlog, QueueLimit};
use crate::cake::{Cake, CakeSettings};
use crate::codel::{CoDel, CoDelSettings};
use crate::drr::{Drr, DrrSettings};
use crate::dual_pi2::{DualPi2, DualPi2Settings};
use crate::ec_elastic::EcElasticQueue;
use crate::fifo::{Judged, Unjudged};
use crate::fq_codel::{FqCoDel, FqCoDelSettings};
use crate::link_service::LinkService;
use crate::pcon::Pcon;
use crate::pie::{Pie, PieSettings};
use crate::policer::Policer;
use crate::queue::{Admission, Queue, Waiting};
use crate::red::{Red, RedSettings};
use crate::sce::{Sce, SceSettings};
use crate::shaper::Shaper;
use crate::strict_priority::{Bands, StrictPriority};
use crate::token_bucket::TokenBucketSettings;
use crate::verdict::{CongestionAction, Verdict};

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
    /// EC-Elastic's queue, as printed.
    EcElastic(EcElasticQueue),
    /// CoDel with the milder signal of SCE.
    Sce(SceSettings),
    /// A queue for each flow, with CoDel.
    FqCoDel(FqCoDelSettings),
    /// Two coupled queues.
    DualPi2(DualPi2Settings),
    /// Drops what exceeds a rate and a burst.
    Policer(TokenBucketSettings),
    /// Holds what exceeds a rate and a burst.
    Shaper(TokenBucketSettings),
    /// Bands, the highest one first.
    StrictPriority(Bands),
    /// A queue for each flow, in turns by bytes.
    Drr(DrrSettings),
    /// A shaper, tins, and in each a queue for each flow.
    Cake(CakeSettings),
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
    /// Whether it ever marks a packet.
    #[must_use]
    pub fn marks(&self) -> bool {
        let codel_marks =
            |it: &CoDelSettings| it.action == CongestionAction::Mark || it.ce_threshold.is_some();
        match self {
            Self::DropTail
            | Self::Policer(_)
            | Self::Shaper(_)
            | Self::StrictPriority(_)
            | Self::Drr(_) => false,
            Self::Red(it) => it.action == CongestionAction::Mark,
            Self::Pie(it) => it.action == CongestionAction::Mark,
            Self::CoDel(it) => codel_marks(it),
            Self::FqCoDel(FqCoDelSettings { codel, .. })
            | Self::Cake(CakeSettings { queues: FqCoDelSettings { codel, .. }, .. }) => {
                codel_marks(codel)
            }
            Self::LinkService(_)
            | Self::Pcon(_)
            | Self::EcElastic(_)
            | Self::Sce(_)
            | Self::DualPi2(_) => true,
        }
    }

    /// The discipline on an empty queue, with its own random stream.
    #[must_use]
    pub fn start(&self, random: Random) -> ActiveDiscipline {
        let on_arrival = |judge| ActiveDiscipline::OnArrival(Some(judge));
        let on_departure = ActiveDiscipline::OnDeparture;
        match self.clone() {
            Self::DropTail => ActiveDiscipline::OnArrival(None),
            Self::LinkService(it) => on_arrival(AnyArrivalDiscipline::LinkService(it)),
            Self::Red(it) => on_arrival(AnyArrivalDiscipline::Red(Red::new(it, random))),
            Self::Pie(it) => on_arrival(AnyArrivalDiscipline::Pie(Pie::new(it, random))),
            Self::Policer(it) => on_arrival(AnyArrivalDiscipline::Policer(Policer::new(it))),
            Self::CoDel(it) => on_departure(AnyQueue::CoDel(Judged::new(CoDel::new(it)))),
            Self::Pcon(it) => on_departure(AnyQueue::Pcon(Judged::new(it))),
            Self::EcElastic(it) => on_departure(AnyQueue::EcElastic(Judged::new(it))),
            Self::Sce(it) => on_departure(AnyQueue::Sce(Judged::new(Sce::new(it, random)))),
            Self::FqCoDel(it) => on_departure(AnyQueue::FqCoDel(FqCoDel::new(it, random))),
            Self::DualPi2(it) => on_departure(AnyQueue::DualPi2(DualPi2::new(it, random))),
            Self::Shaper(it) => on_departure(AnyQueue::Shaper(Shaper::new(it))),
            Self::StrictPriority(it) => {
                on_departure(AnyQueue::StrictPriority(StrictPriority::new(it)))
            }
            Self::Drr(it) => on_departure(AnyQueue::Drr(Drr::new(it, random))),
            Self::Cake(it) => on_departure(AnyQueue::Cake(Cake::new(&it, &random))),
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
    /// A policer.
    Policer(Policer),
}

impl ArrivalDiscipline for AnyArrivalDiscipline {
    #[inline]
    fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict {
        match self {
            Self::LinkService(it) => it.judge(now, arriving),
            Self::Red(it) => it.judge(now, arriving),
            Self::Pie(it) => it.judge(now, arriving),
            Self::Policer(it) => it.judge(now, arriving),
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
    /// EC-Elastic's queue.
    EcElastic(Judged<EcElasticQueue>),
    /// CoDel with SCE.
    Sce(Judged<Sce>),
    /// FQ-CoDel.
    FqCoDel(FqCoDel),
    /// DualPI2.
    DualPi2(DualPi2),
    /// A shaper.
    Shaper(Shaper),
    /// Strict priority.
    StrictPriority(StrictPriority),
    /// Deficit round robin.
    Drr(Drr),
    /// CAKE.
    Cake(Cake),
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
        let admission = self.admission(limit, &waiting);
        if admission == Admission::Refused {
            return overflow(waiting);
        }
        self.push(waiting, flow);
        if admission == Admission::InPlaceOfOthers {
            self.shed(limit, &mut overflow);
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
            AnyQueue::EcElastic($it) => $call,
            AnyQueue::Sce($it) => $call,
            AnyQueue::FqCoDel($it) => $call,
            AnyQueue::DualPi2($it) => $call,
            AnyQueue::Shaper($it) => $call,
            AnyQueue::StrictPriority($it) => $call,
            AnyQueue::Drr($it) => $call,
            AnyQueue::Cake($it) => $call,
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

    fn admission(&self, limit: QueueLimit, waiting: &Waiting) -> Admission {
        each!(self, it => it.admission(limit, waiting))
    }

    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        each!(self, it => it.shed(limit, drop));
    }

    fn opens(&self) -> Time {
        each!(self, it => it.opens())
    }

    fn shaped_rate(&self) -> Option<Rate> {
        each!(self, it => it.shaped_rate())
    }
}
