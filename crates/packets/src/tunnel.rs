//! IP packets in IP packets (RFC 2003; RFC 2473), and their ECN fields (RFC 6040).

use windtunnel_engine::Handle;

use crate::ecn::Ecn;
use crate::ip::IpVersion;
use crate::packet::{Body, Packet, Route};
use crate::store::PacketStore;

/// An IP packet inside another one, whose header this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnelled {
    /// The tunnel. It and the end represent both addresses.
    pub tunnel: u32,
    /// The end where the packet entered: the first (0) or the second (1).
    pub from: u8,
    /// The version of IP of the outer header.
    pub version: IpVersion,
    /// The packet inside.
    pub inside: Handle,
}

impl Tunnelled {
    /// Puts a packet into one that enters a tunnel at one end, in RFC 6040's normal mode:
    /// the outer header has its ECN field.
    ///
    /// # Errors
    /// The packet itself, if there is no room for another header: an IP packet has at most
    /// 65,535 bytes.
    pub fn wrap(
        packet: Packet,
        (tunnel, from): (u32, u8),
        version: IpVersion,
        packets: &mut PacketStore,
    ) -> Result<Packet, Packet> {
        let Some(network_size) = packet.network_size.checked_add(version.header()) else {
            return Err(packet);
        };
        let inside = packets.insert(packet);
        let body = Body::Tunnelled(Self { tunnel, from, version, inside });
        Ok(Packet { body, ecn: packet.ecn, network_size, route: Route::default() })
    }

    /// Takes the packet inside out of one with the ECN field `outer`.
    ///
    /// # Errors
    /// The packet with its own ECN field, if it must be dropped ([`leaving_tunnel`]).
    pub fn unwrap(self, outer: Ecn, packets: &mut PacketStore) -> Result<Packet, Packet> {
        let packet = packets.take(self.inside);
        match leaving_tunnel(packet.ecn, outer) {
            Some(ecn) => Ok(Packet { ecn, ..packet }),
            None => Err(packet),
        }
    }
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
