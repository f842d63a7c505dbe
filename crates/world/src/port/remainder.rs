//! What is left of a transmission.

use windtunnel_engine::{Duration, Time, Work};

/// What is left of the packet under transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remainder {
    /// When it started: that tells it from those before it.
    pub(super) starts: Time,
    /// What was left then: of what goes ahead of its bits, such as a preamble, and of those.
    pub(super) since: Time,
    pub(super) ahead: Duration,
    pub(super) work: Work,
    /// The link's delay when it started.
    pub(super) delay: Duration,
}
