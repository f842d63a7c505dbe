//! A UDP datagram: its header's size, and what it carries (RFC 768).

use windtunnel_engine::Time;

/// The octets of a UDP header.
pub const HEADER: u16 = 8;

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// The flow that it belongs to: stands for both ports and addresses.
    pub flow: u32,
    /// The octets that it carries.
    pub length: u16,
    /// Its number in the flow.
    pub sequence: u64,
    /// When it was sent.
    pub sent: Time,
}
