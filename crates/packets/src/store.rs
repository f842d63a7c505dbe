//! The packets of a network: those that wait or travel, and those inside others.

use std::ops::{Index, IndexMut};

use windtunnel_engine::{Handle, Store};

use crate::ecn::Ecn;
use crate::ip::IpVersion;
use crate::packet::{Body, Packet, Route};
use crate::tunnel::{Tunnelled, leaving_tunnel};

/// Packets under handles. A packet is copied as a value, but what is inside of it lies here
/// once and belongs to it: whoever drops a packet discards it, and whoever copies one that
/// travels on duplicates it.
#[derive(Debug, Default)]
pub struct PacketStore {
    packets: Store<Packet>,
}

impl PacketStore {
    /// Puts a packet in.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> Handle {
        self.packets.insert(packet)
    }

    /// Takes a packet out, with what is inside of it.
    #[inline]
    pub fn take(&mut self, handle: Handle) -> Packet {
        self.packets.free(handle);
        self.packets[handle]
    }

    /// Drops a packet that is not in the store, with what is inside of it.
    #[inline]
    pub fn discard(&mut self, packet: &Packet) {
        let mut inside = packet.body.inside();
        while let Some(handle) = inside {
            inside = self.take(handle).body.inside();
        }
    }

    /// Drops a packet that is in the store, with what is inside of it.
    #[inline]
    pub fn drop_at(&mut self, handle: Handle) {
        let packet = self.take(handle);
        self.discard(&packet);
    }

    /// Another packet that is the same, with the same inside of it.
    #[must_use]
    pub fn duplicate(&mut self, packet: &Packet) -> Packet {
        let mut copy = *packet;
        if let Some(inside) = copy.body.inside_mut() {
            let inner = self[*inside];
            let inner = self.duplicate(&inner);
            *inside = self.insert(inner);
        }
        copy
    }

    /// Puts a packet into one that enters a tunnel at one end, in RFC 6040's normal mode:
    /// the outer header has its ECN field.
    ///
    /// # Errors
    /// The packet itself, if there is no room for another header: an IP packet has at most
    /// 65,535 bytes.
    pub fn wrap(
        &mut self,
        packet: Packet,
        (tunnel, from): (u32, u8),
        version: IpVersion,
    ) -> Result<Packet, Packet> {
        let Some(network_size) = packet.network_size.checked_add(version.header()) else {
            return Err(packet);
        };
        let inside = self.insert(packet);
        let body = Body::Tunnelled(Tunnelled { tunnel, from, version, inside });
        Ok(Packet { body, ecn: packet.ecn, network_size, hops: 0, route: Route::default() })
    }

    /// Takes the packet out of one with the ECN field `outer`.
    ///
    /// # Errors
    /// The packet with its own ECN field, if it must be dropped ([`leaving_tunnel`]).
    pub fn unwrap(&mut self, tunnelled: Tunnelled, outer: Ecn) -> Result<Packet, Packet> {
        let packet = self.take(tunnelled.inside);
        match leaving_tunnel(packet.ecn, outer) {
            Some(ecn) => Ok(Packet { ecn, ..packet }),
            None => Err(packet),
        }
    }

    /// A packet whose inside lay in another store: `inside` gives that, and what is inside
    /// of that, and so on.
    #[inline]
    #[must_use]
    pub fn restore(
        &mut self,
        mut packet: Packet,
        mut inside: impl Iterator<Item = Packet>,
    ) -> Packet {
        if packet.body.inside().is_some() {
            self.put_inside(&mut packet, &mut inside);
        }
        packet
    }

    #[cold]
    fn put_inside(&mut self, packet: &mut Packet, inside: &mut dyn Iterator<Item = Packet>) {
        let Some(handle) = packet.body.inside_mut() else { return };
        let mut inner = inside.next().expect("what is inside of a packet follows it");
        self.put_inside(&mut inner, inside);
        *handle = self.packets.insert(inner);
    }

    /// How many packets are in, those inside others included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

impl Index<Handle> for PacketStore {
    type Output = Packet;
    #[inline]
    fn index(&self, handle: Handle) -> &Packet {
        &self.packets[handle]
    }
}

impl IndexMut<Handle> for PacketStore {
    #[inline]
    fn index_mut(&mut self, handle: Handle) -> &mut Packet {
        &mut self.packets[handle]
    }
}

impl Body {
    /// The packet inside of it, if there is one.
    #[inline]
    #[must_use]
    pub fn inside(&self) -> Option<Handle> {
        match self {
            Self::Tunnelled(it) => Some(it.inside),
            Self::LinkPacket(it) => Some(it.inside),
            _ => None,
        }
    }

    fn inside_mut(&mut self) -> Option<&mut Handle> {
        match self {
            Self::Tunnelled(it) => Some(&mut it.inside),
            Self::LinkPacket(it) => Some(&mut it.inside),
            _ => None,
        }
    }
}
