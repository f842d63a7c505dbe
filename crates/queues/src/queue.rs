//! Queues that decide in what order packets leave, and which.

use windtunnel_engine::{Handle, Rate, Time};
use windtunnel_packets::{Dscp, Ecn, FlowKey};

use crate::backlog::{Backlog, QueueLimit};
use crate::departure::Leaving;
use crate::verdict::Verdict;

/// A queue that decides in what order packets leave, and which.
pub trait Queue {
    /// Takes in a packet of that flow, whatever waits already.
    fn push(&mut self, waiting: Waiting, flow: FlowKey);

    /// Takes out the packet whose turn it is at `now`, with what is decided about
    /// it; if that is a drop, the next one's turn has come. Nothing before [`Queue::opens`].
    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)>;

    /// What waits.
    fn backlog(&self) -> Backlog;

    /// Whether a packet finds room where `limit` may wait.
    fn admission(&self, limit: QueueLimit, waiting: &Waiting) -> Admission {
        Admission::of(limit.admits(self.backlog(), waiting.size))
    }

    /// Drops what is more than may wait.
    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting));

    /// From when on the next packet may leave, if one waits: later than now only where it
    /// shapes.
    fn opens(&self) -> Time {
        Time::ZERO
    }

    /// How fast it lets packets leave at the most, if it shapes.
    fn shaped_rate(&self) -> Option<Rate> {
        None
    }
}

/// Whether a packet is taken in where only so much may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// There is no room for it.
    Refused,
    /// There is room for it.
    Admitted,
    /// It is taken in, and what then exceeds the limit is [shed](Queue::shed).
    InPlaceOfOthers,
}

impl Admission {
    /// Of a packet that is taken in if there is room for it.
    #[must_use]
    pub fn of(has_room: bool) -> Self {
        if has_room { Self::Admitted } else { Self::Refused }
    }
}

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// The packet.
    pub packet: Handle,
    /// Its bytes on the link.
    pub size: u32,
    /// When it came.
    pub arrived: Time,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its class.
    pub dscp: Dscp,
}

impl Waiting {
    /// The same packet as it leaves, with `backlog` bytes behind it.
    pub(crate) fn leaving(&self, now: Time, backlog: u64) -> Leaving {
        Leaving { ecn: self.ecn, sojourn: now.since(self.arrived), backlog }
    }
}
