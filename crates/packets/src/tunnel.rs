//! IP packets in IP packets (RFC 2003; RFC 2473), and their ECN fields (RFC 6040).

use windtunnel_engine::Handle;

use crate::ecn::Ecn;
use crate::ip::IpVersion;

/// An IP packet inside another one, whose header this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnelled {
    /// The nodes where it entered and where it leaves; they represent both addresses.
    pub between: [u32; 2],
    /// The version of IP of the outer header.
    pub version: IpVersion,
    /// The packet inside.
    pub inside: Handle,
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
