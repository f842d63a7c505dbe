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

/// Makes [`Queue`], an enum over all kinds; an entry is a module and the table of its keys there.
macro_rules! queue_kinds {
    ($($(#[$attribute:meta])+ $module:ident :: $kind:ident,)+) => {
        /// A queue before a link. Its name alone is the kind with all its defaults.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename = "kind", rename_all = "kebab-case")]
        #[schemars(rename = "Queue", tag = "kind", transform = short_forms)]
        pub(crate) enum Queue { $($(#[$attribute])+ $kind($module::$kind),)+ }

        impl Queue {
            /// How much may wait in it.
            pub(crate) fn limit(&self) -> QueueLimit {
                match self { $(Self::$kind(it) => it.limit.0,)+ }
            }

            /// Which packets it drops and marks.
            pub(crate) fn discipline(&self) -> Result<Discipline, Mistake> {
                match self { $(Self::$kind(it) => it.discipline(),)+ }
            }
        }
    };
}

queue_kinds! {
    /// First in, first out; drops packets when it is full.
    drop_tail::DropTail,
    /// Drop-tail with the marking of NFD's link service.
    link_service::LinkService,
    /// Random early detection (Floyd and Jacobson 1993).
    red::Red,
    /// Controlled delay (RFC 8289).
    #[serde(rename = "codel")]
    codel::CoDel,
    /// A queue for each flow, with controlled delay (RFC 8290).
    #[serde(rename = "fq-codel")]
    fq_codel::FqCoDel,
    /// Proportional integral controller enhanced (RFC 8033).
    pie::Pie,
    /// Two coupled queues, for L4S and for all others (RFC 9332).
    #[serde(rename = "dualpi2")]
    dual_pi2::DualPi2,
    /// Controlled delay that first signals some congestion, by ECT(1).
    sce::Sce,
    /// The marking queue of PCON.
    pcon::Pcon,
    /// The queue of EC-Elastic, as printed.
    ec_elastic::EcElastic,
    /// Deficit round robin (Shreedhar and Varghese 1996).
    drr::Drr,
    /// Bands by the classes of packets, the highest one first.
    strict_priority::StrictPriority,
    /// A token bucket, for which packets wait.
    shaper::Shaper,
    /// A shaper, tins by class, and in each a queue for each flow (Høiland-Jørgensen et al. 2018).
    cake::Cake,
    /// A token bucket; drops what exceeds it (RFC 2697).
    policer::Policer,
}

impl Default for Queue {
    fn default() -> Self {
        Self::DropTail(drop_tail::DropTail { limit: packets::<100>() })
    }
}

impl Queue {
    /// Whether packets wait in it although the link is free.
    pub(crate) fn shapes(&self) -> bool {
        self.discipline().is_ok_and(|it| it.description().shapes)
    }
}
