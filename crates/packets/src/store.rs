//! The packets of a network: those that wait or travel, and those inside others.

use std::ops::{Index, IndexMut};

use windtunnel_engine::{Handle, Store};

use crate::packet::{Body, Packet};

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
        if let Self::Tunnelled(it) = self { Some(it.inside) } else { None }
    }

    fn inside_mut(&mut self) -> Option<&mut Handle> {
        if let Self::Tunnelled(it) = self { Some(&mut it.inside) } else { None }
    }
}
