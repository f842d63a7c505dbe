//! A packet of the region protocol in transit.

use windtunnel_engine::Handle;

use super::addresses::AddressKind;
use super::code::Code;
use super::control::ErrorKind;
use super::header::Encoding;
use crate::dscp::Dscp;

/// What a packet of the region protocol says to those that forward it; the hops that it has
/// passed stand in [`Packet::hops`](crate::Packet).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionPacket {
    /// The region that it goes to.
    pub destination: Code,
    /// The region that it comes from.
    pub source: Code,
    /// The class of service that its sender asks for: that of the packet in it (RFC 2983).
    pub dscp: Dscp,
    /// How its header is encoded.
    pub encoding: Encoding,
    /// What it holds: see [`protocol`](super::protocol).
    pub protocol: u8,
    /// The nodes whose addresses its payload has: the sender and the receiver. Between regions
    /// nobody looks at them.
    pub between: [u32; 2],
    /// The interface of the receiver whose address that is, by its place there; none: it is the
    /// node's.
    pub interface: Option<u16>,
    /// Of what kinds these addresses are, if the payload is preceded by both: protocol
    /// [`TYPED_ADDRESSES`](super::protocol).
    pub kinds: [AddressKind; 2],
    /// The flow label; only the encoding `flow` carries it.
    pub flow_label: u32,
    /// What is in it.
    pub content: Content,
}

/// What is in a packet of the region protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A packet.
    Packet(Handle),
    /// A message, as its bytes.
    Message(Handle),
    /// Why a packet was dropped, and that packet, of which the beginning is quoted.
    Error {
        /// Why.
        kind: ErrorKind,
        /// The packet.
        quoted: Handle,
    },
}

impl RegionPacket {
    /// A number that the router distinguishes flows by: the flow label where there is one, and
    /// else the two codes. It is not for other kinds of packets.
    pub(crate) fn flow(&self) -> u64 {
        match self.encoding {
            Encoding::Flow => u64::from(self.flow_label),
            Encoding::Compact | Encoding::Ipv4Shaped => {
                // Two codes have no room beside a kind: of 64 bits the highest two are those
                // of regions, which routers between them look at.
                let [from, to] = [self.source, self.destination].map(|it| u64::from(it.region()));
                1 << 32 | from << 8 | to
            }
        }
    }
}
