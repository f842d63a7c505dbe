//! Queue disciplines: what waits before a link, what is dropped and what is
//! marked. Each works from the times and sizes it is given.
//!
//! A discipline that decides everything when a packet *arrives* ([`DropTail`],
//! [`LinkService`]) lets the link compute a packet's departure at once; one that
//! decides when a packet *leaves* ([`CoDel`], [`Pcon`]) is asked again then.

mod codel;
mod link_service;
mod pcon;

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Handle, Time};

pub use codel::{Action, CoDel};
pub use link_service::LinkService;
pub use pcon::Pcon;

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

/// What a discipline decides about the packet at the head of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on as it is.
    Pass,
    /// It goes on with a congestion mark.
    Mark,
    /// It is dropped, and the next one is looked at.
    Drop,
}

/// A discipline that decides when a packet leaves a first-in-first-out queue.
pub trait Departure {
    /// Judges the packet at the head at `now`, after it waited for `sojourn`,
    /// with `backlog` octets still behind it.
    fn judge(&mut self, now: Time, sojourn: Duration, backlog: u64) -> Verdict;
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
}

/// A first-in-first-out queue with a limit.
#[derive(Debug)]
pub struct Fifo {
    limit: Limit,
    waiting: VecDeque<Waiting>,
    backlog: Backlog,
}

impl Fifo {
    /// An empty queue.
    #[must_use]
    pub fn new(limit: Limit) -> Self {
        Self { limit, waiting: VecDeque::new(), backlog: Backlog::default() }
    }

    /// Takes a packet in; `false` if it finds no room.
    #[must_use]
    pub fn push(&mut self, waiting: Waiting) -> bool {
        let admitted = self.limit.admits(self.backlog, waiting.size);
        if admitted {
            self.backlog.add(waiting.size);
            self.waiting.push_back(waiting);
        }
        admitted
    }

    /// Takes out the packet at the head.
    pub fn pop(&mut self) -> Option<Waiting> {
        let head = self.waiting.pop_front()?;
        self.backlog.remove(head.size);
        Some(head)
    }

    /// What waits.
    #[must_use]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }
}

/// What a scenario may ask for at an egress.
#[derive(Clone, Debug)]
pub enum Discipline {
    /// Drops what finds no room, and nothing else.
    DropTail,
    /// Drop-tail with the marking of NFD's link service.
    LinkService(LinkService),
    /// Controlled delay, dropping or marking.
    CoDel(CoDel),
    /// The marking queue of PCON.
    Pcon(Pcon),
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
    link_service::DESCRIPTION,
    codel::DESCRIPTION,
    pcon::DESCRIPTION,
];
