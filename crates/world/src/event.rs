//! What happens in a world: an event is a kind of occurrence and the component that it
//! happens to, in eight bytes.

/// What happens. At one instant, what comes first here happens first: links change
/// before they carry anything, a link that becomes free takes its next packet before
/// another one arrives at its queue, and packets arrive before timers expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A link changes.
    Change,
    /// Nodes forward by the paths of the changed topology.
    Route,
    /// A channel is sampled.
    Channel,
    /// A port's link is free.
    Service,
    /// The packet first on a port's link arrives.
    Arrival,
    /// A report of a link's channel arrives at the senders that subscribe to it.
    Report,
    /// A timer of a node's network layer expires.
    Layer,
    /// A function inside the network may have something to do.
    Function,
    /// An end of a connection checks its timers.
    Socket,
    /// An application starts, does what is next, or stops.
    Application,
}

impl Kind {
    /// The kind of that number; of any other, the last.
    #[inline]
    fn of(number: u64) -> Self {
        match number {
            0 => Self::Change,
            1 => Self::Route,
            2 => Self::Channel,
            3 => Self::Service,
            4 => Self::Arrival,
            5 => Self::Report,
            6 => Self::Layer,
            7 => Self::Function,
            8 => Self::Socket,
            _ => Self::Application,
        }
    }
}

/// What happens at an instant, to which component, and which of its timers it is: the
/// kind in the highest eight bits, then the component's place among those of its type,
/// then the timer. Components are numbered in the order of the plan, so that the order of
/// events is a property of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u64);

const KIND_SHIFT: u32 = 56;
const TIMER_BITS: u32 = 24;

impl Event {
    #[inline]
    pub(crate) fn new(kind: Kind, of: u32) -> Self {
        Self((kind as u64) << KIND_SHIFT | u64::from(of) << TIMER_BITS)
    }

    /// One of a component with several timers.
    #[inline]
    pub(crate) fn timer(kind: Kind, of: u32, timer: u32) -> Self {
        debug_assert!(timer < 1 << TIMER_BITS);
        Self(Self::new(kind, of).0 | u64::from(timer))
    }

    #[inline]
    pub(crate) fn kind(self) -> Kind {
        Kind::of(self.0 >> KIND_SHIFT)
    }

    /// The component.
    #[inline]
    pub(crate) fn of(self) -> u32 {
        (self.0 >> TIMER_BITS) as u32
    }

    #[inline]
    pub(crate) fn which_timer(self) -> u32 {
        self.0 as u32 & ((1 << TIMER_BITS) - 1)
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
        assert!(Event::timer(Kind::Layer, 0, 7) < Event::new(Kind::Layer, 1));
    }

    #[test]
    fn an_event_comes_out_as_it_went_in() {
        for kind in (0..=9).map(Kind::of) {
            let event = Event::timer(kind, u32::MAX, 12_345);
            assert_eq!((event.kind(), event.of(), event.which_timer()), (kind, u32::MAX, 12_345));
        }
    }
}
