//! What the edges count.

use windtunnel_queues::Backlog;

/// What a source edge counted. At any time `cloned` is the sum of `acknowledged`,
/// `resent`, `expired` and what is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounters {
    /// Packets forwarded.
    pub forwarded: u64,
    /// Packets selected.
    pub selected: u64,
    /// Packets selected as probes, included in `selected`.
    pub probes: u64,
    /// Clones made.
    pub cloned: u64,
    /// Clones whose packets were acknowledged in time.
    pub acknowledged: u64,
    /// Clones sent.
    pub resent: u64,
    /// Clones that made room for others, or for which there was none.
    pub expired: u64,
    /// Acknowledgements whose packets' clones were not held.
    pub unmatched: u64,
    /// Duplicate acknowledgements dropped.
    pub suppressed: u64,
    /// The most that was ever held.
    pub largest: Backlog,
}

/// What a destination edge counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DestinationCounters {
    /// Packets received.
    pub received: u64,
    /// Acknowledgements given.
    pub acknowledgements: u64,
    /// Packets received with a mark.
    pub marks: u64,
    /// Segments that had to wait.
    pub held: u64,
    /// Segments that waited as long as they may, so that a gap was given up.
    pub expired: u64,
    /// How often a gap was given up because the buffer was full.
    pub overflows: u64,
    /// The most that ever waited.
    pub largest: Backlog,
}
