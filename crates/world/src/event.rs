//! What happens in a world, in four octets: with thousands of links the event
//! queue no longer fits the nearest cache, and every octet counts.

/// What happens at an instant, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The packet first on a port's link arrives.
    Arrival(u32),
    /// A port's link is free.
    Service(u32),
    /// A link changes.
    Change(u32),
    /// A link looks at its channel.
    Channel(u32),
    /// A report of a link's channel arrives at the senders that hear of it.
    Report(u32),
    /// A pending Interest of a node may have expired.
    Expiry(u32),
    /// A consumer starts or looks for timeouts.
    ConsumerWake(u32),
    /// A producer's answer is ready.
    Answer(u32),
    /// NDN packets inside nodes go on.
    Settlement,
    /// A flow's application starts, does what is next, or stops.
    Application(u32),
    /// The sending end of a connection looks at its timers.
    SenderWake(u32),
    /// The receiving end of a connection looks at its timers.
    ReceiverWake(u32),
    /// The source edge of a bridge may find its link idle.
    SourceEdge(u32),
    /// Packets have waited as long as they may at the destination edge of a bridge.
    DestinationEdge(u32),
}

/// An event in four octets: what happens in the highest bits, and to whom in the
/// others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed(u32);

/// More of anything than so many bits can count does not fit into memory.
const INDEX_BITS: u32 = 28;
const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;

impl From<Event> for Packed {
    #[inline]
    fn from(event: Event) -> Self {
        let (kind, index) = match event {
            Event::Arrival(index) => (0, index),
            Event::Service(index) => (1, index),
            Event::Change(index) => (2, index),
            Event::Expiry(index) => (3, index),
            Event::ConsumerWake(index) => (4, index),
            Event::Answer(index) => (5, index),
            Event::Settlement => (6, 0),
            Event::Application(index) => (7, index),
            Event::SenderWake(index) => (8, index),
            Event::ReceiverWake(index) => (9, index),
            Event::Channel(index) => (10, index),
            Event::Report(index) => (11, index),
            Event::SourceEdge(index) => (12, index),
            Event::DestinationEdge(index) => (13, index),
        };
        assert!(index <= INDEX_MASK, "more than {INDEX_MASK} of one kind");
        Self(kind << INDEX_BITS | index)
    }
}

impl From<Packed> for Event {
    #[inline]
    fn from(packed: Packed) -> Self {
        let index = packed.0 & INDEX_MASK;
        match packed.0 >> INDEX_BITS {
            0 => Self::Arrival(index),
            1 => Self::Service(index),
            2 => Self::Change(index),
            3 => Self::Expiry(index),
            4 => Self::ConsumerWake(index),
            5 => Self::Answer(index),
            6 => Self::Settlement,
            7 => Self::Application(index),
            8 => Self::SenderWake(index),
            9 => Self::ReceiverWake(index),
            10 => Self::Channel(index),
            11 => Self::Report(index),
            12 => Self::SourceEdge(index),
            _ => Self::DestinationEdge(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_comes_out_as_it_went_in() {
        assert_eq!(size_of::<Packed>(), 4);
        let kinds = [
            Event::Arrival(INDEX_MASK),
            Event::Service(INDEX_MASK),
            Event::Change(INDEX_MASK),
            Event::Expiry(INDEX_MASK),
            Event::ConsumerWake(INDEX_MASK),
            Event::Answer(INDEX_MASK),
            Event::Settlement,
            Event::Application(INDEX_MASK),
            Event::SenderWake(INDEX_MASK),
            Event::ReceiverWake(INDEX_MASK),
            Event::Channel(INDEX_MASK),
            Event::Report(INDEX_MASK),
            Event::SourceEdge(INDEX_MASK),
            Event::DestinationEdge(INDEX_MASK),
        ];
        for event in kinds {
            assert_eq!(Event::from(Packed::from(event)), event);
        }
    }
}
