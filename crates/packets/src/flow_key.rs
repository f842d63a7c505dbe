//! How a router identifies a flow.

/// A number that all packets of a flow share, and no others. It represents the fields
/// that a router would look at: the addresses and ports of an IP packet, or the
/// prefix of an NDN packet's name. It is not hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey(pub u64);

impl FlowKey {
    const fn new(protocol: u64, number: u32) -> Self {
        Self((protocol << 32) | number as u64)
    }

    /// The key of the NDN packets below a prefix.
    #[inline]
    #[must_use]
    pub const fn of_prefix(prefix: u32) -> Self {
        Self::new(0, prefix)
    }

    /// The key of a TCP connection's segments.
    #[inline]
    #[must_use]
    pub const fn of_connection(connection: u32) -> Self {
        Self::new(1, connection)
    }

    /// The number of the TCP connection whose key it is.
    #[inline]
    #[must_use]
    pub const fn connection(self) -> Option<u32> {
        if self.0 >> 32 == 1 { Some(self.0 as u32) } else { None }
    }

    /// The key of a UDP flow's datagrams.
    #[inline]
    #[must_use]
    pub const fn of_datagrams(flow: u32) -> Self {
        Self::new(2, flow)
    }

    /// The key of the messages of that flow.
    #[inline]
    #[must_use]
    pub const fn of_messages(flow: u32) -> Self {
        Self::new(3, flow)
    }

    /// The key of the messages about names of that resolver.
    #[inline]
    #[must_use]
    pub const fn of_resolver(resolver: u32) -> Self {
        Self::new(4, resolver)
    }

    /// The key of all packets in a tunnel from one node to another: a router does not look
    /// inside.
    #[inline]
    #[must_use]
    pub const fn of_tunnel([from, to]: [u32; 2]) -> Self {
        Self(4 << 60 | (from as u64) << 30 ^ to as u64)
    }

    /// The key of the packets of the region protocol with that number.
    #[inline]
    #[must_use]
    pub const fn of_regions(flow: u64) -> Self {
        Self(5 << 60 | flow)
    }

    /// The key of the packets of real hosts whose addresses, protocol and ports have that hash.
    #[inline]
    #[must_use]
    pub const fn of_real(hash: u64) -> Self {
        Self(6 << 60 | hash >> 4)
    }
}
