//! UDP datagrams (RFC 768).

use windtunnel_engine::{Handle, Time};

use crate::dscp::Dscp;

/// The length of a UDP header in bytes.
pub const HEADER: u16 = 8;

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// The flow that it belongs to; represents both addresses and ports.
    pub flow: u32,
    /// The length of its data in bytes.
    pub length: u16,
    /// The class of its IP packet.
    pub dscp: Dscp,
    /// Which of its flow's paths it takes, by what it has its addresses from.
    pub path: u8,
    /// Its number in the flow.
    pub sequence: u64,
    /// When it was sent.
    pub sent: Time,
    /// Its data, if it is one of a stack: of others they are of no concern.
    pub content: Option<Handle>,
}
