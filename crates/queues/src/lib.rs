//! Queue disciplines: what waits before a link, what is dropped and what is
//! marked. Each works from the times and sizes it is given.
//!
//! A discipline that decides everything when a packet *arrives* ([`Arrival`]:
//! drop-tail, the link service, RED, PIE) lets the link compute the packet's
//! departure at once. Others decide when a packet *leaves*: those that judge the
//! head of a first-in-first-out queue ([`Departure`]: CoDel, PCON, SCE), and
//! queues with an order of their own ([`FqCoDel`], [`DualPi2`]).

mod arrival;
mod backlog;
mod codel;
mod departure;
mod description;
mod discipline;
mod dual_pi2;
mod fifo;
mod fq_codel;
mod link_service;
mod pcon;
mod pie;
mod queue;
mod ramp;
mod red;
mod sce;
mod verdict;

pub use arrival::{Arrival, Arriving};
pub use backlog::{Backlog, Limit};
pub use codel::{CoDel, Settings as CoDelSettings};
pub use departure::{Departure, Leaving};
pub use description::Description;
pub use discipline::{AnyArrival, AnyQueue, Discipline, Started};
pub use dual_pi2::{DualPi2, Settings as DualPi2Settings};
pub use fifo::{Fifo, Judged};
pub use fq_codel::{FqCoDel, Settings as FqCoDelSettings};
pub use link_service::LinkService;
pub use pcon::Pcon;
pub use pie::{Pie, Settings as PieSettings};
pub use queue::{Queue, Waiting};
pub use ramp::Ramp;
pub use red::{Red, Settings as RedSettings, Thresholds};
pub use sce::{Sce, Settings as SceSettings};
pub use verdict::{Action, Verdict};

/// Every queue discipline.
pub const DESCRIPTIONS: &[Description] = &[
    Description {
        name: "drop-tail",
        meaning: "first in, first out; drops what finds no room",
        source: "common practice",
    },
    red::DESCRIPTION,
    codel::DESCRIPTION,
    fq_codel::DESCRIPTION,
    pie::DESCRIPTION,
    dual_pi2::DESCRIPTION,
    sce::DESCRIPTION,
    link_service::DESCRIPTION,
    pcon::DESCRIPTION,
];
