//! UDP datagrams (RFC 768).

use windtunnel_engine::{Handle, Time};

use crate::dscp::Dscp;

/// The length of a UDP header in bytes.
pub const HEADER: u16 = 8;

/// A datagram, or another IP packet of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// The flow that it belongs to; represents both addresses and ports.
    pub flow: u32,
    /// The length of its data in bytes; of a whole packet, of all that follows the IP header.
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
    pub content: Option<Content>,
}

/// The bytes of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// Where they are kept.
    pub bytes: Handle,
    /// Whether they are a whole IP packet with its headers, rather than the data of a datagram.
    pub is_packet: bool,
}

impl Datagram {
    /// The bytes that follow the IP header.
    #[must_use]
    pub fn size(&self) -> u16 {
        let is_packet = self.content.is_some_and(|it| it.is_packet);
        if is_packet { self.length } else { HEADER + self.length }
    }
}
