//! Disciplines that decide when a packet leaves a first-in-first-out queue.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;

use crate::verdict::Verdict;

/// A packet at the head of its queue.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Its ECN field.
    pub ecn: Ecn,
    /// How long it waited.
    pub sojourn: Duration,
    /// The bytes that still wait behind it.
    pub backlog: u64,
}

/// A discipline that decides when a packet leaves a first-in-first-out queue.
pub trait DepartureDiscipline {
    /// Judges the packet at the head, at `now`.
    fn judge(&mut self, now: Time, leaving: &Leaving) -> Verdict;
}
