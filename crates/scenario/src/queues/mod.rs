//! The queues of links: one file for each kind.

mod codel;
mod common;
mod drop_tail;
mod dual_pi2;
mod fq_codel;
mod link_service;
mod pcon;
mod pie;
mod ramp;
mod red;
mod sce;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_queues::{Discipline, QueueLimit};

use crate::error::Mistake;
use crate::schema::short_forms;
use common::packets;
use {
    codel::CoDel, drop_tail::DropTail, dual_pi2::DualPi2, fq_codel::FqCoDel,
    link_service::LinkService, pcon::Pcon, pie::Pie, red::Red, sce::Sce,
};

/// A queue before a link. Its name alone is the kind with all its defaults.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Queue", tag = "kind", transform = short_forms)]
pub(crate) enum Queue {
    /// First in, first out; drops packets that find no room.
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
        };
        limit.0
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
        }
    }
}
