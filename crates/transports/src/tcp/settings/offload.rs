//! What a host's interface does for a connection.

use windtunnel_engine::Duration;
#[cfg(feature = "serde")]
use windtunnel_units::As;

/// What a host's interface does for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct Offload {
    /// Whether the sender hands segments to its host's interface in bursts, as Linux does with
    /// TSO or GSO: of a millisecond at its rate, at least 2 segments, at most 64 KiB. A burst
    /// leaves back to back, with pacing as well, which is then Linux's: the first ten segments are not
    /// paced, and up to half of what a burst takes is given back where it is late. One that is not
    /// full waits for an acknowledgement that is about to come.
    pub segmentation: bool,
    /// Whether segments that arrive in one poll of the receiving host's interface are merged,
    /// up to 64 KiB, and acknowledged once, as Linux does with GRO. It holds for both ends:
    /// acknowledgements are not merged, but they arrive in polls as well.
    pub receive: bool,
    /// With `receive`: how long after the first segment of a poll the poll is (`rx-usecs` of
    /// ethtool). The default is that of Linux's drivers for Intel's adapters of 10 Gbps and more,
    /// 20,000 interrupts a second.
    #[cfg_attr(feature = "serde", serde(with = "As::<Duration>"))]
    pub coalescing: Duration,
}

impl Default for Offload {
    fn default() -> Self {
        Self { segmentation: false, receive: false, coalescing: Duration::from_micros(50) }
    }
}
