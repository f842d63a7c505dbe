//! Link packets: what a link carries of an NDN packet that does not go bare.

use windtunnel_engine::Handle;

use super::name::PrefixId;

/// An NDN packet, or a fragment of one, in an `LpPacket` (NDNLPv2) that needs more than a
/// congestion mark and the reason of a NACK. Its packet's
/// [`network_size`](crate::Packet::network_size) is that of the part which it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPacket {
    /// The whole packet that this is a part of.
    pub inside: Handle,
    /// The prefix of that packet's name.
    pub prefix: PrefixId,
    /// Its `Sequence`, if it is a fragment.
    pub sequence: u64,
    /// Where in the network packet its part begins.
    pub offset: u16,
    /// Bytes of its headers, without a congestion mark.
    pub headers: u16,
    /// Bytes of its PIT token; 0: none.
    pub pit_token: u8,
    /// Which fragment it is, from 0.
    pub index: u8,
    /// How many there are; 1: it is no fragment.
    pub count: u8,
}
