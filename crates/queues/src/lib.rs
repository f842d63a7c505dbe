//! Queue disciplines: which packets wait before a link, which are dropped and which are
//! marked. They see a packet's arrival time, size, class, ECN field and flow key, never the
//! packet itself, so that packets of a real network can wait in them too.
//!
//! A discipline that decides everything when a packet *arrives*
//! ([`ArrivalDiscipline`]: drop-tail, the link service, RED, PIE, a policer) lets the link compute
//! the packet's departure at once. Others decide when a packet *leaves*: those that
//! judge the head of a first-in-first-out queue ([`DepartureDiscipline`]: CoDel, PCON,
//! SCE), queues with an order of their own ([`FqCoDel`], [`Drr`], [`StrictPriority`],
//! [`DualPi2`]), and those that hold packets back as well ([`Shaper`], [`Cake`]).
//!
//! **To add one:** its file, with its keys in scenario files, and its line in the list below.
//! `docs/adding-a-queue.md` does so step by step.

/// All queue disciplines, for a macro that makes something of them: each is its module and its
/// state there, after which it is named, with what the manual says of it.
macro_rules! disciplines {
    ($make:ident) => {
        $make! {
            on_arrival {
                /// Drop-tail with the marking of NFD's link service.
                link_service::LinkService,
                /// Random early detection (Floyd and Jacobson 1993).
                red::Red,
                /// Proportional integral controller enhanced (RFC 8033).
                pie::Pie,
                /// A token bucket; drops what exceeds it (RFC 2697).
                policer::Policer,
            }
            on_departure {
                /// Controlled delay (RFC 8289).
                #[serde(rename = "codel")]
                codel::CoDel,
                /// The marking queue of PCON.
                pcon::Pcon,
                /// The queue of EC-Elastic, as printed.
                #[serde(rename = "ec-elastic")]
                ec_elastic::EcElasticQueue,
                /// Controlled delay that first signals some congestion, by ECT(1).
                sce::Sce,
            }
            queues {
                /// A queue for each flow, with controlled delay (RFC 8290).
                #[serde(rename = "fq-codel")]
                fq_codel::FqCoDel,
                /// Two coupled queues, for L4S and for all others (RFC 9332).
                #[serde(rename = "dualpi2")]
                dual_pi2::DualPi2,
                /// A token bucket, for which packets wait.
                shaper::Shaper,
                /// Bands by the classes of packets, the highest one first.
                strict_priority::StrictPriority,
                /// Deficit round robin (Shreedhar and Varghese 1996).
                drr::Drr,
                /// A shaper, tins by class, and in each a queue for each flow (Høiland-Jørgensen et
                /// al. 2018).
                cake::Cake,
            }
        }
    };
}

mod arrival;
mod backlog;
mod cake;
mod class;
mod codel;
mod departure;
mod description;
mod drr;
mod dual_pi2;
mod ec_elastic;
mod fifo;
mod flow_queues;
mod fq_codel;
mod keys;
mod link_service;
mod pcon;
mod pie;
mod policer;
mod queue;
mod ramp;
mod red;
mod registry;
mod sce;
mod shaper;
mod strict_priority;
mod token_bucket;
mod verdict;

pub use arrival::{ArrivalDiscipline, Arriving};
pub use backlog::{Backlog, QueueLimit};
pub use cake::{Cake, CakeSettings};
pub use class::Class;
pub use codel::{CoDel, CoDelSettings};
pub use departure::{DepartureDiscipline, Leaving};
pub use description::QueueDescription;
pub use drr::{Drr, DrrSettings};
pub use dual_pi2::{DualPi2, DualPi2Settings};
pub use ec_elastic::EcElasticQueue;
pub use fifo::{DropTailKeys, Fifo, Judged, Unjudged};
pub use fq_codel::{FqCoDel, FqCoDelSettings};
pub use keys::Keys;
pub use link_service::LinkService;
pub use pcon::Pcon;
pub use pie::{Pie, PieSettings};
pub use policer::Policer;
pub use queue::{Admission, Queue, Waiting};
pub use ramp::Ramp;
pub use red::{Red, RedSettings, Thresholds};
pub use registry::{
    ActiveDiscipline, AnyArrivalDiscipline, AnyQueue, DESCRIPTIONS, Discipline, QueueKeys,
};
pub use sce::{Sce, SceSettings};
pub use shaper::Shaper;
pub use strict_priority::{Bands, StrictPriority};
pub use token_bucket::{TokenBucket, TokenBucketSettings};
pub use verdict::{CongestionAction, Verdict};
