//! The parts of a sender's state, and what it passes between its parts.

use windtunnel_controllers::AnyController;
use windtunnel_engine::{Duration, Time};

use crate::delivery::Snapshot;

/// What a connection is doing about congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Open,
    /// The window comes down after a mark, until this byte is acknowledged.
    Reducing(u64),
    /// A loss is repaired, until this byte is acknowledged.
    Recovery(u64),
    /// After a timeout, until this byte is acknowledged.
    Loss(u64),
}

/// A segment to be sent.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Transmission {
    pub(in crate::tcp) sequence: u64,
    pub(in crate::tcp) length: u16,
    pub(in crate::tcp) fin: bool,
    /// The peer is to hand over what there is (RFC 9293, section 3.9.1.2): nothing follows that was
    /// written, or not in the same burst.
    pub(in crate::tcp) push: bool,
    pub(in crate::tcp) retransmission: bool,
    /// It confirms the receiver's ECN echo with CWR (RFC 3168).
    pub(in crate::tcp) reduced: bool,
}

/// What one acknowledgement newly delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivered {
    pub(super) bytes: u64,
    /// The bytes that it acknowledges, in order or selectively, for the first time: without SACK
    /// more or less than what is known to be newly delivered.
    pub(super) acknowledged: u64,
    pub(super) segments: u64,
    /// After a timeout: whether a segment was among them that had been sent before
    /// it, and not again.
    pub(super) originals: bool,
    /// The most recently sent: its order, when, and what it remembers.
    pub(super) newest: Option<(u64, Time, Snapshot)>,
    /// The round trips of those sent once: of the first, and of the last sent.
    pub(super) longest: Option<Duration>,
    pub(super) latest: Option<Duration>,
    /// A segment was among them that had been sent again.
    pub(super) repeated: bool,
    /// The receiver reported a duplicate; of how many segments, if it is of one that was sent
    /// again since the last decrease.
    pub(super) duplicate: bool,
    pub(super) duplicates_of_resent: u64,
}

/// What is restored if a decrease was spurious.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// The controller of before the decrease.
    pub(super) controller: Option<Box<AnyController>>,
    pub(super) possible: bool,
    /// What was not acknowledged when the decrease came.
    pub(super) from: u64,
    /// Retransmissions since, less those that the receiver reports as duplicates.
    pub(super) retransmissions: i64,
    /// The first of them, if it was of what is acknowledged next: the clock when it was
    /// sent, and the byte after it.
    pub(super) first: Option<(u32, u64)>,
}

/// Forward RTO recovery (RFC 5682, section 3): after a timeout new data is tried
/// before more of the old is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForwardRecovery {
    Off,
    /// The first segment was sent again.
    Probing,
    /// Its acknowledgement advanced: two new segments are sent, no old ones.
    Trying(u8),
}

/// A part of a segment, where the receiver has room for no more and nothing is in flight (RFC
/// 9293, section 3.8.6.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// There is none, or it goes as it is.
    None,
    /// It waits for more room.
    Waits,
    /// It has waited for long enough.
    Goes,
}

/// A tail loss probe that was sent (RFC 8985, section 7).
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// The byte after everything sent until then.
    pub(super) end: u64,
    /// Whether it was of what had been sent before, and repairs a loss that nothing has
    /// answered, should there be one.
    pub(super) is_to_be_answered: bool,
}
