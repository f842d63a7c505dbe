//! The queues of links: one file for each kind.

mod cake;
mod codel;
mod common;
mod drop_tail;
mod drr;
mod dual_pi2;
mod ec_elastic;
mod fq_codel;
mod link_service;
mod pcon;
mod pie;
mod policer;
mod ramp;
mod red;
mod sce;
mod shaper;
mod strict_priority;
mod token_bucket;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_queues::{Discipline, QueueLimit};

use crate::reading::error::Mistake;
use crate::reading::schema::short_forms;
use common::packets;
use {
    cake::Cake, codel::CoDel, drop_tail::DropTail, drr::Drr, dual_pi2::DualPi2,
    ec_elastic::EcElastic, fq_codel::FqCoDel, link_service::LinkService, pcon::Pcon, pie::Pie,
    policer::Policer, red::Red, sce::Sce, shaper::Shaper, strict_priority::StrictPriority,
};

/// A queue before a link. Its name alone is the kind with all its defaults.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Queue", tag = "kind", transform = short_forms)]
pub(crate) enum Queue {
    /// First in, first out; drops packets when it is full.
    DropTail(DropTail),
    /// Drop-tail with the marking of NFD's link service.
    LinkService(LinkService),
    /// Random early detection (Floyd and Jacobson 1993).
    Red(Red),
    /// Controlled delay (RFC 8289).
    #[serde(rename = "codel")]
    CoDel(CoDel),
    /// A queue for each flow, with controlled delay (RFC 8290).
    #[serde(rename = "fq-codel")]
    FqCoDel(FqCoDel),
    /// Proportional integral controller enhanced (RFC 8033).
    Pie(Pie),
    /// Two coupled queues, for L4S and for all others (RFC 9332).
    #[serde(rename = "dualpi2")]
    DualPi2(DualPi2),
    /// Controlled delay that first signals some congestion, by ECT(1).
    Sce(Sce),
    /// The marking queue of PCON.
    Pcon(Pcon),
    /// The queue of EC-Elastic, as printed.
    EcElastic(EcElastic),
    /// Deficit round robin (Shreedhar and Varghese 1996).
    Drr(Drr),
    /// Bands by the classes of packets, the highest one first.
    StrictPriority(StrictPriority),
    /// A token bucket, for which packets wait.
    Shaper(Shaper),
    /// A shaper, tins by class, and in each a queue for each flow (Høiland-Jørgensen et al. 2018).
    Cake(Cake),
    /// A token bucket; drops what exceeds it (RFC 2697).
    Policer(Policer),
}

impl Default for Queue {
    fn default() -> Self {
        Self::DropTail(DropTail { limit: packets::<100>() })
    }
}

impl Queue {
    /// How much may wait in it.
    pub(crate) fn limit(&self) -> QueueLimit {
        let limit = match self {
            Self::DropTail(it) => it.limit,
            Self::LinkService(it) => it.limit,
            Self::Red(it) => it.limit,
            Self::CoDel(it) => it.limit,
            Self::FqCoDel(it) => it.limit,
            Self::Pie(it) => it.limit,
            Self::DualPi2(it) => it.limit,
            Self::Sce(it) => it.limit,
            Self::Pcon(it) => it.limit,
            Self::EcElastic(it) => it.limit,
            Self::Drr(it) => it.limit,
            Self::StrictPriority(it) => it.limit,
            Self::Shaper(it) => it.limit,
            Self::Cake(it) => it.limit,
            Self::Policer(it) => it.limit,
        };
        limit.0
    }

    /// Whether packets wait in it although the link is free.
    pub(crate) fn shapes(&self) -> bool {
        match self {
            Self::Shaper(_) | Self::Cake(_) => true,
            Self::DropTail(_)
            | Self::LinkService(_)
            | Self::Red(_)
            | Self::CoDel(_)
            | Self::FqCoDel(_)
            | Self::Pie(_)
            | Self::DualPi2(_)
            | Self::Sce(_)
            | Self::Pcon(_)
            | Self::EcElastic(_)
            | Self::Drr(_)
            | Self::StrictPriority(_)
            | Self::Policer(_) => false,
        }
    }

    /// Which packets it drops and marks.
    pub(crate) fn discipline(&self) -> Result<Discipline, Mistake> {
        match self {
            Self::DropTail(_) => Ok(Discipline::DropTail),
            Self::LinkService(it) => it.discipline(),
            Self::Red(it) => it.discipline(),
            Self::CoDel(it) => it.discipline(),
            Self::FqCoDel(it) => it.discipline(),
            Self::Pie(it) => it.discipline(),
            Self::DualPi2(it) => it.discipline(),
            Self::Sce(it) => it.discipline(),
            Self::Pcon(it) => it.discipline(),
            Self::EcElastic(it) => it.discipline(),
            Self::Drr(it) => it.discipline(),
            Self::StrictPriority(it) => it.discipline(),
            Self::Shaper(it) => it.discipline(),
            Self::Cake(it) => it.discipline(),
            Self::Policer(it) => it.discipline(),
        }
    }
}
