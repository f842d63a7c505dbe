//! Queue disciplines: what waits before a link, what is dropped and what is
//! marked. Each works from the times and sizes it is given.
//!
//! A discipline that decides everything when a packet *arrives* ([`Arrival`]:
//! drop-tail, the link service, RED, PIE) lets the link compute the packet's
//! departure at once. Others decide when a packet *leaves*: those that judge the
//! head of a first-in-first-out queue ([`Departure`]: CoDel, PCON, SCE), and
//! queues with an order of their own ([`FqCoDel`], [`DualPi2`]).

mod codel;
mod discipline;
mod dual_pi2;
mod fifo;
mod flow;
mod fq_codel;
mod link_service;
mod pcon;
mod pie;
mod ramp;
mod red;
mod sce;

use windtunnel_engine::{Duration, Handle, Rate, Time};

pub use codel::{CoDel, Settings as CoDelSettings};
pub use discipline::{AnyArrival, AnyQueue, Discipline, Started};
pub use dual_pi2::{DualPi2, Settings as DualPi2Settings};
pub use fifo::{Fifo, Judged};
pub use flow::flow_of;
pub use fq_codel::{FqCoDel, Settings as FqCoDelSettings};
pub use link_service::LinkService;
pub use pcon::Pcon;
pub use pie::{Pie, Settings as PieSettings};
pub use ramp::Ramp;
pub use red::{Red, Settings as RedSettings, Thresholds};
pub use sce::{Sce, Settings as SceSettings};

use crate::packet::{Ecn, Packet};

/// How much may wait: whichever limit is reached first. The packet under
/// transmission does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many packets.
    Packets(u32),
    /// At most so many octets.
    Bytes(u64),
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets waiting.
    pub packets: u32,
    /// Their octets on the link.
    pub bytes: u64,
}

impl Limit {
    /// Whether one more packet of `size` octets finds room beside `backlog`.
    #[inline]
    #[must_use]
    pub fn admits(self, backlog: Backlog, size: u32) -> bool {
        match self {
            Self::Packets(most) => backlog.packets < most,
            Self::Bytes(most) => backlog.bytes + u64::from(size) <= most,
        }
    }

    /// Whether `backlog` is more than may wait.
    #[inline]
    #[must_use]
    pub fn is_exceeded_by(self, backlog: Backlog) -> bool {
        match self {
            Self::Packets(most) => backlog.packets > most,
            Self::Bytes(most) => backlog.bytes > most,
        }
    }
}

impl Backlog {
    /// Counts a packet in.
    #[inline]
    pub fn add(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    /// The larger of two backlogs, packets and octets each by itself.
    #[inline]
    #[must_use]
    pub fn or_more(self, other: Self) -> Self {
        Self { packets: self.packets.max(other.packets), bytes: self.bytes.max(other.bytes) }
    }

    /// Counts a packet out.
    #[inline]
    pub fn remove(&mut self, size: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
    }
}

/// What a discipline does to a packet that it chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Drops it.
    Drop,
    /// Marks it if it is ECN-capable, and drops it otherwise.
    Mark,
}

/// What a discipline decides about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on as it is.
    Pass,
    /// It goes on, and tells of some congestion: ECT(0) becomes ECT(1), as in SCE.
    MarkSome,
    /// It goes on with a congestion mark.
    Mark,
    /// It is dropped.
    Drop,
}

impl Verdict {
    /// What the verdict comes to for a packet with that ECN field: a mark that
    /// nobody would understand is a drop (RFC 3168, section 5), and only an
    /// ECT(0) packet can tell of some congestion.
    #[inline]
    #[must_use]
    pub fn on(self, ecn: Ecn) -> Self {
        match self {
            Self::Mark if !ecn.is_capable() => Self::Drop,
            Self::MarkSome if ecn != Ecn::Capable => Self::Pass,
            verdict => verdict,
        }
    }
}

impl From<Action> for Verdict {
    fn from(action: Action) -> Self {
        match action {
            Action::Drop => Self::Drop,
            Action::Mark => Self::Mark,
        }
    }
}

/// A packet that arrives, and what it finds.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// Its ECN field.
    pub ecn: Ecn,
    /// What waits before it.
    pub backlog: Backlog,
    /// When the link will have sent what is before it, or has been free since;
    /// [`Time::NEVER`] while the link is down.
    pub free: Time,
    /// How fast the link sends.
    pub rate: Rate,
}

/// A discipline that decides when a packet arrives.
pub trait Arrival {
    /// Judges the packet that arrives at `now`, before it is known whether it
    /// finds room.
    fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict;
}

/// A packet at the head of its queue.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Its ECN field.
    pub ecn: Ecn,
    /// How long it waited.
    pub sojourn: Duration,
    /// The octets that still wait behind it.
    pub backlog: u64,
}

/// A discipline that decides when a packet leaves a first-in-first-out queue.
pub trait Departure {
    /// Judges the packet at the head, at `now`.
    fn judge(&mut self, now: Time, leaving: &Leaving) -> Verdict;
}

/// A queue that decides in what order packets leave, and which.
pub trait Queue {
    /// Takes a packet in, whatever waits already.
    fn push(&mut self, waiting: Waiting, packet: &Packet);

    /// Takes out the packet whose turn it is at `now`, with what is decided about
    /// it; if that is a drop, the next one's turn has come.
    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)>;

    /// What waits.
    fn backlog(&self) -> Backlog;
}

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// The packet.
    pub packet: Handle,
    /// Its octets on the link.
    pub size: u32,
    /// When it came.
    pub arrived: Time,
    /// Its ECN field.
    pub ecn: Ecn,
}

impl Waiting {
    /// The same packet as it leaves, with `backlog` octets behind it.
    fn leaving(&self, now: Time, backlog: u64) -> Leaving {
        Leaving { ecn: self.ecn, sojourn: now.since(self.arrived), backlog }
    }
}

/// A queue discipline's name and what it is.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The name in scenario files.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// What defines it.
    pub source: &'static str,
}

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
