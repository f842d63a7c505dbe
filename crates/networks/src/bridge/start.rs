//! Where a segment begins.

use windtunnel_engine::hash_pair;
use windtunnel_packets::bridge::EdgeAcknowledgement;

/// A byte of a connection, with which a segment begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) connection: u32,
    pub(super) sequence: u32,
}

impl Start {
    /// Where the data of an acknowledged packet begin.
    #[inline]
    pub(super) fn of(acknowledged: &EdgeAcknowledgement) -> Self {
        let EdgeAcknowledgement { connection, sequence, .. } = *acknowledged;
        Self { connection, sequence }
    }

    #[inline]
    pub(super) fn hash(self) -> u64 {
        hash_pair(self.connection, self.sequence)
    }
}
