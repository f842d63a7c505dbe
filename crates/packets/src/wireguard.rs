//! WireGuard's messages: their sizes, and their bytes as far as they are not encrypted.
//!
//! Donenfeld, "WireGuard: Next Generation Kernel Network Tunnel", NDSS 2017, section 5.4.
//! What only the ends can make, such as keys, authenticators and encrypted data, is zeros.

use crate::message::{Message, ProtocolNumber};
use crate::udp;

/// The UDP port of both ends.
pub const PORT: u16 = 51_820;

/// The protocol of its messages.
pub const PROTOCOL: ProtocolNumber = ProtocolNumber(PORT);

/// A packet is encrypted with zeros after it, so that its size is a multiple of this one.
pub const BLOCK: u16 = 16;

/// A data message's type, receiver and counter.
const DATA_HEADER: u16 = 16;
/// What authenticates it.
const TAG: u16 = 16;

/// What UDP and a data message add to what is encrypted in it.
pub const OVERHEAD: u16 = udp::HEADER + DATA_HEADER + TAG;

/// A message without a packet inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireGuardMessage {
    /// The first message of a handshake.
    Initiation,
    /// Its answer.
    Response,
    /// A data message with nothing in it.
    Keepalive,
}

impl WireGuardMessage {
    /// The bytes of the message.
    #[must_use]
    pub fn length(self) -> u16 {
        match self {
            Self::Initiation => 148,
            Self::Response => 92,
            Self::Keepalive => DATA_HEADER + TAG,
        }
    }

    /// The words of the message from one node to another; a keepalive has that counter.
    #[must_use]
    pub fn words(self, between: [u32; 2], counter: u64) -> [u32; 5] {
        let [from, to] = between;
        [self.number(), from, to, counter as u32, (counter >> 32) as u32]
    }

    /// The message in a packet, and the nodes that it goes between; none if it is another
    /// one's.
    #[must_use]
    pub fn of(message: &Message) -> Option<(Self, [u32; 2])> {
        let all = [Self::Initiation, Self::Response, Self::Keepalive];
        let known = all.into_iter().filter(|_| message.protocol == PROTOCOL);
        let [number, from, to, ..] = message.words;
        known.into_iter().find(|it| it.number() == number).map(|it| (it, [from, to]))
    }

    /// Its type on the wire.
    fn number(self) -> u32 {
        match self {
            Self::Initiation => 1,
            Self::Response => 2,
            Self::Keepalive => 4,
        }
    }

    /// The bytes of the message.
    #[must_use]
    pub fn encode(self, message: &Message) -> Vec<u8> {
        let [number, from, to, low, high, ..] = message.words;
        let fields = match self {
            Self::Initiation => vec![number, index(from)],
            Self::Response => vec![number, index(from), index(to)],
            Self::Keepalive => vec![number, index(to), low, high],
        };
        padded(&fields, self.length())
    }
}

/// The bytes of a data message to a node, with this many encrypted ones.
#[must_use]
pub fn encode_data(to: u32, counter: u64, encrypted: u16) -> Vec<u8> {
    let fields = [4, index(to), counter as u32, (counter >> 32) as u32];
    padded(&fields, DATA_HEADER + encrypted + TAG)
}

/// By which a node knows its session: here, its number.
fn index(node: u32) -> u32 {
    node + 1
}

/// Little-endian fields, and zeros up to a length.
fn padded(fields: &[u32], length: u16) -> Vec<u8> {
    let mut bytes: Vec<u8> = fields.iter().flat_map(|it| it.to_le_bytes()).collect();
    bytes.resize(usize::from(length), 0);
    bytes
}
