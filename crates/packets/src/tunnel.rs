//! IP packets in IP packets (RFC 2003; RFC 2473) or in WireGuard's messages, and their ECN
//! fields (RFC 6040).

use windtunnel_engine::Handle;

use crate::dscp::Dscp;
use crate::ecn::Ecn;
use crate::ip::IpVersion;
use crate::wireguard;

/// An IP packet inside another one, whose headers these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnelled {
    /// The nodes where it entered and where it leaves; they represent both addresses.
    pub between: [u32; 2],
    /// The version of IP of the outer header.
    pub version: IpVersion,
    /// The class of the outer packet: that of the packet inside, where it entered (RFC 2983).
    pub dscp: Dscp,
    /// What is between that and the packet inside.
    pub encapsulation: Encapsulation,
    /// The packet inside.
    pub inside: Handle,
}

/// What is between an outer IP header and the packet inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// Nothing.
    None,
    /// UDP and a data message of WireGuard, in which the packet is encrypted.
    WireGuard {
        /// The message's number.
        counter: u64,
        /// The bytes of zeros that are encrypted after the packet.
        padding: u8,
    },
}

impl Encapsulation {
    /// The bytes that it adds to the packet inside.
    #[must_use]
    pub fn bytes(self) -> u16 {
        match self {
            Self::None => 0,
            Self::WireGuard { padding, .. } => wireguard::OVERHEAD + u16::from(padding),
        }
    }
}

/// The number of the connection whose segments one end of a tunnel sends, if the tunnel is a
/// TCP connection; the ends are on sides 0 and 1. No flow's connection has it.
#[must_use]
pub fn connection(tunnel: u32, side: u32) -> u32 {
    u32::MAX - 2 * tunnel - side
}

/// The tunnel and the side that sent the segments of a connection with that number, if it is
/// a tunnel's.
#[must_use]
pub fn tunnel_of(connection: u32) -> Option<(u32, u32)> {
    let place = u32::MAX - connection;
    (place < u32::MAX / 2).then_some((place / 2, place % 2))
}

/// The ECN field of a packet that leaves a tunnel; none: it must be dropped, because a
/// router wanted to mark what cannot be marked (RFC 6040, figure 4).
#[must_use]
pub fn leaving_tunnel(inner: Ecn, outer: Ecn) -> Option<Ecn> {
    match (inner, outer) {
        (Ecn::NotCapable, Ecn::Congestion) => None,
        (Ecn::NotCapable, _) => Some(Ecn::NotCapable),
        (Ecn::Congestion, _) | (_, Ecn::Congestion) => Some(Ecn::Congestion),
        (Ecn::Scalable, _) | (_, Ecn::Scalable) => Some(Ecn::Scalable),
        (Ecn::Capable, Ecn::Capable | Ecn::NotCapable) => Some(Ecn::Capable),
    }
}
