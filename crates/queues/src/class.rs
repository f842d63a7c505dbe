//! Classes of packets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_packets::Dscp;

/// The class of packets, by the name of its differentiated services codepoint (RFC 2474). What a
/// class is for is that of RFC 4594; a queue does something about it only if it says so.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "Dscp")]
pub enum Class {
    /// The default: best effort.
    #[default]
    Df = 0,
    /// Lower effort (RFC 8622).
    Le = 1,
    /// Class selector 1: low priority.
    Cs1 = 8,
    /// Assured forwarding 1, dropped last: high-throughput data.
    Af11 = 10,
    /// Assured forwarding 1.
    Af12 = 12,
    /// Assured forwarding 1, dropped first.
    Af13 = 14,
    /// Class selector 2: operation and maintenance.
    Cs2 = 16,
    /// Assured forwarding 2, dropped last: low-latency data.
    Af21 = 18,
    /// Assured forwarding 2.
    Af22 = 20,
    /// Assured forwarding 2, dropped first.
    Af23 = 22,
    /// Class selector 3: broadcast video.
    Cs3 = 24,
    /// Assured forwarding 3, dropped last: multimedia streaming.
    Af31 = 26,
    /// Assured forwarding 3.
    Af32 = 28,
    /// Assured forwarding 3, dropped first.
    Af33 = 30,
    /// Class selector 4: real-time interaction.
    Cs4 = 32,
    /// Assured forwarding 4, dropped last: multimedia conferencing.
    Af41 = 34,
    /// Assured forwarding 4.
    Af42 = 36,
    /// Assured forwarding 4, dropped first.
    Af43 = 38,
    /// Class selector 5: signalling.
    Cs5 = 40,
    /// Voice that was admitted (RFC 5865).
    Va = 44,
    /// Expedited forwarding: telephony.
    Ef = 46,
    /// Class selector 6: network control.
    Cs6 = 48,
    /// Class selector 7.
    Cs7 = 56,
}

impl From<Class> for Dscp {
    fn from(class: Class) -> Self {
        Self::new(class as u8)
    }
}
