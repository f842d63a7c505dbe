//! How a connection ends: a DATA_FIN for the data of each end, then FINs on the subflows (RFC
//! 8684, section 3.3.3).

use windtunnel_engine::{Duration, Time};

/// The time after which a DATA_FIN is sent again where no timeout is known, and at least.
pub(super) const AGAIN: Duration = Duration::from_secs(1);

/// How far the end is.
#[derive(Clone, Debug)]
pub(super) struct Closing {
    /// When a DATA_FIN is sent again that is not acknowledged; never before the first.
    pub(super) again: Time,
    pub(super) was_sent: bool,
    /// Whether the subflows were told to close.
    pub(super) has_begun: bool,
}

impl Default for Closing {
    fn default() -> Self {
        Self { again: Time::NEVER, was_sent: false, has_begun: false }
    }
}

impl Closing {
    /// When it wants to be woken.
    pub(super) fn due(&self) -> Time {
        self.again
    }

    /// Whether the subflows are closing.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// A DATA_FIN goes.
    pub(super) fn note_fin(&mut self, now: Time) {
        (self.was_sent, self.again) = (true, now + AGAIN);
    }
}
