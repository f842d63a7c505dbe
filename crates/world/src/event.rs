//! What happens in a world: an event is a kind of occurrence and the component that it
//! happens to, in eight bytes.

use windtunnel_engine::{Time, hash_twice};

use crate::port_id::PortId;

/// What happens. At one instant, what comes first here happens first: links change
/// before they carry anything, a link that becomes free takes its next packet before
/// another one arrives at its queue, and packets arrive before timers expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A link changes.
    Change,
    /// Nodes that move are elsewhere, and all nodes forward by the shortest paths there.
    Sky,
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
    /// A user of sessions does what is next, or all of a kind are looked at.
    Session,
    /// A resolver of names or a root has something to do.
    Name,
    /// A stack checks its timers.
    Stack,
}

impl Kind {
    /// The kind of that number; of any other, the last.
    #[inline]
    fn of(number: u64) -> Self {
        match number {
            0 => Self::Change,
            1 => Self::Sky,
            2 => Self::Route,
            3 => Self::Channel,
            4 => Self::Service,
            5 => Self::Medium,
            6 => Self::Arrival,
            7 => Self::Report,
            8 => Self::Layer,
            9 => Self::Function,
            10 => Self::Socket,
            11 => Self::Application,
            12 => Self::Session,
            13 => Self::Name,
            _ => Self::Stack,
        }
    }
}

/// What happens at an instant, and to which component: the kind in the highest bits, then
/// the tie-breaker, then which of the component's timers it is, then the component's number
/// among those of its type. Components are numbered in the order of the plan.
///
/// Of several components to which the same kind of thing happens at one instant, a hash of
/// the time and the number says which is first: not always the same one, which would
/// favour its flow wherever packets arrive together at a full queue (the phase effects of
/// Floyd and Jacobson 1991). So the order of events is a property of the plan.
///
/// An arrival has no timer, but before the tie-breaker the place where it happens: packets
/// that arrive at one instant at places that are nothing to each other do so in the order in
/// which these lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u64);

const KIND_SHIFT: u32 = 58;
const COMPONENT_BITS: u32 = 28;
const TIMER_BITS: u32 = 20;
const TIE_BITS: u32 = KIND_SHIFT - TIMER_BITS - COMPONENT_BITS;

impl Event {
    /// More components of one type than can be numbered do not fit into memory.
    pub(crate) const COMPONENTS: u32 = 1 << COMPONENT_BITS;

    #[inline]
    pub(crate) fn new(kind: Kind, of: u32) -> Self {
        debug_assert!(of < Self::COMPONENTS);
        Self((kind as u64) << KIND_SHIFT | u64::from(of))
    }

    /// A timer of a node's layer.
    #[inline]
    pub(crate) fn timer(node: u32, timer: u32) -> Self {
        debug_assert!(timer < 1 << TIMER_BITS);
        Self(Self::new(Kind::Layer, node).0 | u64::from(timer) << COMPONENT_BITS)
    }

    /// An arrival through a port at a place. Two places may be taken for one, but not one
    /// for two.
    #[inline]
    pub(crate) fn arrival(port: PortId, place: u32) -> Self {
        let place = u64::from(place) & ((1 << TIMER_BITS) - 1);
        Self(Self::new(Kind::Arrival, port.0).0 | place << (KIND_SHIFT - TIMER_BITS))
    }

    /// The same with its tie-breaker at that time. Changes keep the order of the plan.
    #[inline]
    pub(crate) fn at(self, time: Time) -> Self {
        if self < Self::new(Kind::Channel, 0) {
            return self;
        }
        let is_arrival = self.kind() == Kind::Arrival;
        let shift = if is_arrival { COMPONENT_BITS } else { COMPONENT_BITS + TIMER_BITS };
        let tie =
            hash_twice(time.as_picos() ^ u64::from(self.of()).rotate_left(32)) >> (64 - TIE_BITS);
        Self(self.0 | tie << shift)
    }

    #[inline]
    pub(crate) fn kind(self) -> Kind {
        Kind::of(self.0 >> KIND_SHIFT)
    }

    /// The component.
    #[inline]
    pub(crate) fn of(self) -> u32 {
        self.0 as u32 & (Self::COMPONENTS - 1)
    }

    /// Of a layer's timer: which.
    #[inline]
    pub(crate) fn which_timer(self) -> u32 {
        (self.0 >> COMPONENT_BITS) as u32 & ((1 << TIMER_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;

    use super::*;

    const LAST: u32 = Event::COMPONENTS - 1;

    fn times() -> impl Iterator<Item = Time> {
        (0..10_000).map(|it| Time::ZERO + Duration::from_nanos(it))
    }

    #[test]
    fn of_two_events_the_kind_decides_first() {
        for time in times() {
            let service = Event::new(Kind::Service, LAST).at(time);
            let arrival = |place| Event::arrival(PortId(LAST), place).at(time);
            assert!(service < arrival(0) && arrival(u32::MAX) < Event::new(Kind::Report, 0));
        }
    }

    /// Whether either of two is first about as often.
    fn is_fair(pair: impl Fn() -> [Event; 2]) -> bool {
        let is_first = |time: &Time| {
            let [one, other] = pair().map(|it| it.at(*time));
            one < other
        };
        let first = times().filter(is_first).count() as f64 / times().count() as f64;
        // Five standard errors of a fair coin.
        (first - 0.5).abs() < 5.0 * 0.5 / (times().count() as f64).sqrt()
    }

    #[test]
    fn of_two_components_either_is_first_about_as_often() {
        assert!(is_fair(|| [3, 700].map(|it| Event::new(Kind::Socket, it))));
        assert!(is_fair(|| [3, 700].map(|it| Event::timer(it, 5))));
        assert!(is_fair(|| [3, 700].map(|it| Event::arrival(PortId(it), 5))));
    }

    #[test]
    fn at_two_places_packets_arrive_in_order() {
        for time in times() {
            let [one, other] = [(LAST, 5), (0, 6)].map(|(it, at)| Event::arrival(PortId(it), at));
            assert!(one.at(time) < other.at(time));
        }
    }

    #[test]
    fn an_event_comes_out_as_it_went_in() {
        for time in times() {
            let event = Event::timer(LAST, 12_345).at(time);
            assert_eq!(
                (event.kind(), event.of(), event.which_timer()),
                (Kind::Layer, LAST, 12_345)
            );
            let event = Event::arrival(PortId(LAST), u32::MAX).at(time);
            assert_eq!((event.kind(), event.of()), (Kind::Arrival, LAST));
            for kind in (0..=13).map(Kind::of) {
                let event = Event::new(kind, LAST).at(time);
                assert_eq!((event.kind(), event.of()), (kind, LAST));
            }
        }
    }
}
