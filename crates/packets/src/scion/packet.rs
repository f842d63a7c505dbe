//! A SCION packet in transit.

use windtunnel_engine::Handle;

use super::path::Position;
use super::scmp::ScmpError;
use crate::dscp::Dscp;
use crate::ip::IpVersion;

/// A path that packets have: its place in the [`PacketStore`](crate::PacketStore).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathHandle(pub u32);

/// Which path a packet takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathReference {
    /// None: it stays in its autonomous system.
    Empty,
    /// Across the link behind this interface, as beacons do.
    OneHop(u16),
    /// That one.
    Standard(PathHandle),
}

/// What a SCION packet says to those that forward it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScionPacket {
    /// The nodes of the two hosts.
    pub between: [u32; 2],
    /// The class of service that its sender asks for, in its header and in the underlay's: that
    /// of the packet in it (RFC 2983).
    pub dscp: Dscp,
    /// The nodes between which the underlay carries it at present: routers and hosts.
    pub underlay: [u32; 2],
    /// Its path.
    pub path: PathReference,
    /// Where it is on its path.
    pub position: Position,
    /// Of which version of IP the addresses of its hosts are.
    pub hosts: IpVersion,
    /// What is in it.
    pub content: ScionContent,
}

/// What is in a SCION packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScionContent {
    /// An IP packet, of which the header is left out.
    Packet(Handle),
    /// A message of the control plane in a UDP datagram, as its bytes.
    Message(Handle),
    /// Why a packet was dropped, and that packet, of which the beginning is quoted.
    Error {
        /// Why.
        error: ErrorReport,
        /// The packet.
        quoted: Handle,
    },
    /// A request to answer, or the answer.
    Echo {
        /// Whether it is the answer.
        is_reply: bool,
        /// Who asks.
        identifier: u16,
        /// Which of its requests.
        sequence: u16,
    },
}

/// Why a packet was dropped, by a router of the system of that packet's sender's first node:
/// an [`ScmpError`] without the number of the system, which is the router's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorReport {
    /// No such host.
    Unreachable(u8),
    /// It is larger than this many bytes, the underlay not counted.
    TooBig(u16),
    /// A field of its header is wrong: the code, and where.
    Parameter(u8, u16),
    /// The link behind an interface does not work.
    ExternalInterfaceDown(u16),
    /// Two interfaces do not reach each other.
    InternalConnectivityDown([u16; 2]),
}

impl ErrorReport {
    /// The message of a router of that autonomous system.
    #[must_use]
    pub fn of(self, origin: super::IsdAs) -> ScmpError {
        match self {
            Self::Unreachable(code) => ScmpError::Unreachable(code),
            Self::TooBig(mtu) => ScmpError::TooBig(mtu),
            Self::Parameter(code, pointer) => ScmpError::Parameter { code, pointer },
            Self::ExternalInterfaceDown(interface) => {
                ScmpError::ExternalInterfaceDown { origin, interface }
            }
            Self::InternalConnectivityDown([ingress, egress]) => {
                ScmpError::InternalConnectivityDown { origin, ingress, egress }
            }
        }
    }
}
