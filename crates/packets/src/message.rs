//! Messages of protocols that are spoken in the network itself: between the edges of a
//! bridge, or by a network layer of one's own.

/// A protocol between the nodes of a network: the number by which a node finds the layer that takes
/// in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolNumber(pub u16);

impl ProtocolNumber {
    /// IP of both versions, by IPv4's EtherType.
    pub const IP: Self = Self(0x0800);
    /// NDN and CCNx, by NDN's EtherType.
    pub const NDN: Self = Self(0x8624);
}

/// How many numbers a message holds.
pub const MESSAGE_WORDS: usize = 11;

/// A message: values that its protocol knows the meaning of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whose it is.
    pub protocol: ProtocolNumber,
    /// Which flow a router takes it for, among those of messages.
    pub flow: u32,
    /// What it says.
    pub words: [u32; MESSAGE_WORDS],
}
