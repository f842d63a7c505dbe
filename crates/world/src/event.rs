//! What happens in a world: an event is a kind of occurrence and the component that it
//! happens to, in eight bytes.

use windtunnel_engine::{Time, hash_twice};

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
    /// A shared medium is free.
    Medium,
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
            4 => Self::Medium,
            5 => Self::Arrival,
            6 => Self::Report,
            7 => Self::Layer,
            8 => Self::Function,
            9 => Self::Socket,
            _ => Self::Application,
        }
    }
}

/// What happens at an instant, to which component, and which of its timers it is: the
/// kind in the highest bits, then the tie-breaker, then the component's number among those
/// of its type, then the timer. Components are numbered in the order of the plan.
///
/// Of several components to which the same kind of thing happens at one instant, a hash of
/// the time and the number says which is first: not always the same one, which would
/// favour its flow wherever packets arrive together at a full queue (the phase effects of
/// Floyd and Jacobson 1991). So the order of events is a property of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u64);

const KIND_SHIFT: u32 = 58;
const TIE_SHIFT: u32 = 48;
const TIE_BITS: u32 = KIND_SHIFT - TIE_SHIFT;
const TIMER_BITS: u32 = 20;
const COMPONENT_BITS: u32 = TIE_SHIFT - TIMER_BITS;

impl Event {
    /// More components of one type than can be numbered do not fit into memory.
    pub(crate) const COMPONENTS: u32 = 1 << COMPONENT_BITS;

    #[inline]
    pub(crate) fn new(kind: Kind, of: u32) -> Self {
        debug_assert!(of < Self::COMPONENTS);
        Self((kind as u64) << KIND_SHIFT | u64::from(of) << TIMER_BITS)
    }

    /// One of a component with several timers.
    #[inline]
    pub(crate) fn timer(kind: Kind, of: u32, timer: u32) -> Self {
        debug_assert!(timer < 1 << TIMER_BITS);
        Self(Self::new(kind, of).0 | u64::from(timer))
    }

    /// The same with its tie-breaker at that time. Changes keep the order of the plan.
    #[inline]
    pub(crate) fn at(self, time: Time) -> Self {
        if self < Self::new(Kind::Channel, 0) {
            return self;
        }
        let tie =
            hash_twice(time.as_picos() ^ u64::from(self.of()).rotate_left(32)) >> (64 - TIE_BITS);
        Self(self.0 | tie << TIE_SHIFT)
    }

    #[inline]
    pub(crate) fn kind(self) -> Kind {
        Kind::of(self.0 >> KIND_SHIFT)
    }

    /// The component.
    #[inline]
    pub(crate) fn of(self) -> u32 {
        (self.0 >> TIMER_BITS) as u32 & (Self::COMPONENTS - 1)
    }

    #[inline]
    pub(crate) fn which_timer(self) -> u32 {
        self.0 as u32 & ((1 << TIMER_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;

    use super::*;

    const LAST: u32 = Event::COMPONENTS - 1;

    #[test]
    fn of_two_events_the_kind_decides_first() {
        for nanoseconds in 0..1000 {
            let time = Time::ZERO + Duration::from_nanos(nanoseconds);
            let service = Event::new(Kind::Service, LAST).at(time);
            assert!(service < Event::new(Kind::Arrival, 0).at(time));
        }
    }

    #[test]
    fn of_two_components_either_is_first_about_as_often() {
        let times = 10_000;
        let is_first = |nanoseconds: &u64| {
            let time = Time::ZERO + Duration::from_nanos(*nanoseconds);
            let [one, other] = [3, 700].map(|it| Event::new(Kind::Arrival, it).at(time));
            one < other
        };
        let first = (0..times).filter(is_first).count() as f64 / times as f64;
        // Five standard errors of a fair coin.
        assert!((first - 0.5).abs() < 5.0 * 0.5 / (times as f64).sqrt(), "{first}");
    }

    #[test]
    fn an_event_comes_out_as_it_went_in() {
        for kind in (0..=10).map(Kind::of) {
            let event = Event::timer(kind, LAST, 12_345).at(Time::ZERO);
            assert_eq!((event.kind(), event.of(), event.which_timer()), (kind, LAST, 12_345));
        }
    }
}
