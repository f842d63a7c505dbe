//! Named Data Networking: the forwarder, the consumer, the producer and the
//! packet format.

pub mod consumer;
pub mod content_store;
mod encoding;
pub mod fib;
pub mod forwarder;
mod hash;
mod name;
pub mod pit;
pub mod producer;
pub mod strategy;
pub mod wire;

use windtunnel_engine::Duration;

pub use encoding::{encode_data, encode_interest};
pub use name::{Name, PrefixId};
pub use wire::NackReason;

use crate::packet::Packet;

/// A face of a forwarder: a link or an application beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId(pub u16);

/// What is to be sent, and over which face. Callers keep one and empty it, so
/// that sending allocates nothing once warm.
pub type Outbox = Vec<(FaceId, Packet)>;

/// A request for the Data of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    /// What is asked for.
    pub name: Name,
    /// Tells this request from every other for the same name.
    pub nonce: u32,
    /// How long it stays pending, in milliseconds.
    pub lifetime_ms: u32,
    /// How many more hops it may take, if limited.
    pub hop_limit: Option<u8>,
    /// Whether cached Data past its freshness period will not do.
    pub must_be_fresh: bool,
}

/// The Data of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Whose Data it is.
    pub name: Name,
    /// The octets of content in it.
    pub content: u32,
    /// How long it counts as fresh after it arrived, in milliseconds.
    pub freshness_ms: u32,
}

/// An Interest that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nack {
    /// The Interest.
    pub interest: Interest,
    /// Why.
    pub reason: NackReason,
}

impl Interest {
    /// How long it stays pending.
    #[inline]
    #[must_use]
    pub fn lifetime(&self) -> Duration {
        Duration::from_millis(u64::from(self.lifetime_ms))
    }
}
