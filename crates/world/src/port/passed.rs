//! What a port has passed on.

use windtunnel_engine::Time;

/// What a port knows if it passes on its packets. Its ring has those that wait or are held back:
/// first those that were passed on, which are there only to be counted among those that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Passed {
    /// What arrives until then is passed on at once.
    pub(super) horizon: Time,
    /// How many packets of the ring were passed on.
    pub(super) packets: u32,
}
