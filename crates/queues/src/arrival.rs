//! Disciplines that decide when a packet arrives.

use windtunnel_engine::{Rate, Time};
use windtunnel_packets::Ecn;

use crate::backlog::Backlog;
use crate::verdict::Verdict;

/// A packet that arrives, and what it finds.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its bytes on the link.
    pub size: u32,
    /// What waits before it.
    pub backlog: Backlog,
    /// When the link will have sent what is before it, or has been free since;
    /// [`Time::NEVER`] while the link is down.
    pub free: Time,
    /// How fast the link sends.
    pub rate: Rate,
}

/// A discipline that decides when a packet arrives.
pub trait ArrivalDiscipline {
    /// Judges the packet that arrives at `now`, before it is known whether it
    /// finds room.
    fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict;
}
