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
//! **To add one:** its file and a line in `registry`; its keys in files are in
//! `crates/scenario/src/network/queues`. `docs/adding-a-queue.md` does so step by step.

mod arrival;
mod backlog;
mod cake;
mod codel;
mod departure;
mod description;
mod drr;
mod dual_pi2;
mod ec_elastic;
mod fifo;
mod flow_queues;
mod fq_codel;
#[cfg(feature = "units")]
mod limit_units;
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
pub use codel::{CoDel, CoDelSettings};
pub use departure::{DepartureDiscipline, Leaving};
pub use description::QueueDescription;
pub use drr::{Drr, DrrSettings};
pub use dual_pi2::{DualPi2, DualPi2Settings};
pub use ec_elastic::EcElasticQueue;
pub use fifo::{Fifo, Judged, Unjudged};
pub use fq_codel::{FqCoDel, FqCoDelSettings};
pub use link_service::LinkService;
pub use pcon::Pcon;
pub use pie::{Pie, PieSettings};
pub use policer::Policer;
pub use queue::{Admission, Queue, Waiting};
pub use ramp::Ramp;
pub use red::{Red, RedSettings, Thresholds};
pub use registry::{ActiveDiscipline, AnyArrivalDiscipline, AnyQueue, DESCRIPTIONS, Discipline};
pub use sce::{Sce, SceSettings};
pub use shaper::Shaper;
pub use strict_priority::{Bands, StrictPriority};
pub use token_bucket::{TokenBucket, TokenBucketSettings};
pub use verdict::{CongestionAction, Verdict};
