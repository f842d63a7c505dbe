//! What happens in a world: an event is a kind of occurrence and the component that it
//! happens to, in eight bytes.

use std::cmp::Ordering;

/// What happens. At one instant, what comes first here happens first: links change
/// before they carry anything, a link that becomes free takes its next packet before
/// another one arrives at its queue, and packets arrive before timers expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    /// A link changes.
    Change,
    /// A channel is sampled.
    Channel,
    /// A port's link is free.
    Service,
    /// The packet first on a port's link arrives.
    Arrival,
    /// A report of a link's channel arrives at the senders that subscribe to it.
    Report,
    /// A producer's answer is ready.
    Answer,
    /// NDN packets inside nodes go on.
    Settlement,
    /// A pending Interest of a node may have expired.
    Expiry,
    /// Packets have waited as long as they may at the destination edge of a bridge.
    DestinationEdge,
    /// The source edge of a bridge may find its link idle.
    SourceEdge,
    /// An end of a connection checks its timers.
    Socket,
    /// A consumer starts or checks for timeouts.
    ConsumerWake,
    /// An application starts, does what is next, or stops.
    Application,
}

/// What happens at an instant, and to which component: its place among those of its
/// type. Components are numbered in the order of the plan, so that the order of events
/// is a property of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Event {
    pub(crate) of: u32,
    pub(crate) kind: Kind,
}

impl Event {
    #[inline]
    pub(crate) fn new(kind: Kind, of: u32) -> Self {
        Self { of, kind }
    }

    /// The kind in the upper half, the component in the lower one.
    #[inline]
    fn rank(self) -> u64 {
        (self.kind as u64) << 32 | u64::from(self.of)
    }
}

impl PartialOrd for Event {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_events_the_kind_decides_and_then_the_component() {
        let last_service = Event::new(Kind::Service, u32::MAX);
        assert!(last_service < Event::new(Kind::Arrival, 0));
        assert!(Event::new(Kind::Arrival, 0) < Event::new(Kind::Arrival, 1));
        assert_eq!(size_of::<Event>(), 8);
    }
}
