//! Interest, Data and NACK as values.

use windtunnel_engine::Duration;

use super::name::Name;
use super::wire::NackReason;

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
    /// The bytes of content in it.
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
