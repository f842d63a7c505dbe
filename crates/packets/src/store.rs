//! The packets of a network: those that wait or travel, and those inside others.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use windtunnel_engine::{Handle, Store};

use crate::corruption::Corruption;
use crate::dns::DnsMessage;
use crate::ecn::Ecn;
use crate::ip::IpVersion;
use crate::packet::{Body, Packet, Route};
use crate::real::RealPacket;
use crate::region::{Content, RegionPacket};
use crate::scion::{Path, PathHandle, ScionContent, ScionPacket};
use crate::stored_paths::StoredPaths;
use crate::tunnel::{Encapsulation, Tunnelled, leaving_tunnel};
use crate::udp::{self, Datagram};

/// Packets under handles. A packet is copied as a value, but what is inside of it lies here
/// once and belongs to it: whoever drops a packet discards it, and whoever copies one that
/// travels on duplicates it.
#[derive(Clone, Debug, Default)]
pub struct PacketStore {
    packets: Store<Packet>,
    /// The bytes of messages.
    messages: Store<Vec<u8>>,
    /// The paths that SCION packets have had, for the whole run: hosts add one when they first
    /// use it.
    paths: StoredPaths,
    /// Those that were dropped, if somebody asks for them.
    dropped: Option<Vec<Packet>>,
    /// Packets of real hosts, by where they entered and where they leave.
    real: BTreeMap<[u16; 2], RealPackets>,
}

/// Packets of real hosts that go from one attachment to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RealPackets {
    /// Those that are in the network, wherever they wait.
    pub in_flight: u64,
    /// Copies that links have made, and fragments that routers have made beyond the first, in all.
    pub copies: u64,
}

impl PacketStore {
    /// One of several stores from each of which packets go to the others, this being number
    /// `place` of them. A path has the same handle in all.
    #[must_use]
    pub fn of_several(place: usize, stores: usize) -> Self {
        Self { paths: StoredPaths::new(place, stores), ..Self::default() }
    }

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
        let mut body = packet.body;
        while let Some(handle) = body.inside() {
            body = self.take(handle).body;
        }
        if let Some(message) = body.message() {
            self.messages.free(message);
            if let Body::Real(it) = body
                && let Some(of_both) = self.real.get_mut(&[it.from, it.to])
            {
                of_both.in_flight -= 1;
            }
        }
    }

    /// Drops a packet that is in the store, with what is inside of it.
    #[inline]
    pub fn drop_at(&mut self, handle: Handle) {
        let packet = self.take(handle);
        if self.dropped.is_some() {
            self.remember(packet);
        }
        self.discard(&packet);
    }

    /// From now on, packets that are dropped are kept for
    /// [`take_dropped`](Self::take_dropped).
    pub fn keep_dropped(&mut self) {
        self.dropped = Some(Vec::new());
    }

    /// The packets that [`drop_at`](Self::drop_at) has dropped since the last call, each behind
    /// the one that it was inside of; none unless they are kept.
    pub fn take_dropped(&mut self) -> Vec<Packet> {
        self.dropped.as_mut().map(std::mem::take).unwrap_or_default()
    }

    #[cold]
    fn remember(&mut self, packet: Packet) {
        let mut next = Some(packet);
        while let (Some(packet), Some(dropped)) = (next, &mut self.dropped) {
            dropped.push(packet);
            next = packet.body.inside().map(|it| self.packets[it]);
        }
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
        if let Some(message) = copy.body.message_mut() {
            let bytes = self.messages[*message].clone();
            *message = self.messages.insert(bytes);
        }
        if let Body::Real(it) = copy.body {
            let of_both = self.real.entry([it.from, it.to]).or_default();
            of_both.in_flight += 1;
            of_both.copies += 1;
        }
        copy
    }

    /// Changes a byte of a packet that is in the store, if it is a datagram or an IP packet whose
    /// bytes are kept; false if none can be changed, and only a checksum would say that one is.
    pub fn corrupt(&mut self, packet: Handle, corruption: Corruption) -> bool {
        match self.packets[packet].body {
            Body::Datagram(Datagram { content: Some(it), .. }) if !it.is_packet => {
                corruption.of_data(self.message_mut(it.bytes))
            }
            Body::Datagram(Datagram { content: Some(udp::Content { bytes, .. }), .. }) => {
                corruption.of_packet(self.message_mut(bytes))
            }
            Body::Real(it) if !it.is_frame() => corruption.of_packet(self.message_mut(it.bytes)),
            _ => false,
        }
    }

    /// Puts the bytes of a message in, for a packet that they will belong to.
    pub fn insert_message(&mut self, bytes: Vec<u8>) -> Handle {
        self.messages.insert(bytes)
    }

    /// Copies the bytes of a real host's packet in, which goes from one attachment to another.
    pub fn insert_real(&mut self, ends: [u16; 2], bytes: &[u8]) -> Handle {
        self.real.entry(ends).or_default().in_flight += 1;
        self.copy_message(bytes)
    }

    /// Copies the bytes of a message in, for a packet that they will belong to, into room that an
    /// earlier message has left if there is any.
    pub fn copy_message(&mut self, bytes: &[u8]) -> Handle {
        let renew = |room: &mut Vec<u8>| {
            room.clear();
            room.extend_from_slice(bytes);
        };
        self.messages.renew(renew, || bytes.to_vec())
    }

    /// Puts in the bytes of another packet that was made from a real host's, such as of its second
    /// fragment; a copy.
    pub fn insert_copy(&mut self, ends: [u16; 2], bytes: &[u8]) -> Handle {
        self.real.entry(ends).or_default().copies += 1;
        self.insert_real(ends, bytes)
    }

    /// The packets of real hosts that go from one attachment to another.
    #[must_use]
    pub fn real_packets(&self, ends: [u16; 2]) -> RealPackets {
        self.real.get(&ends).copied().unwrap_or_default()
    }

    /// The bytes of a message, to be changed.
    pub fn message_mut(&mut self, handle: Handle) -> &mut [u8] {
        &mut self.messages[handle]
    }

    /// Takes the bytes of a message out.
    pub fn take_message(&mut self, handle: Handle) -> Vec<u8> {
        self.messages.free(handle);
        std::mem::take(&mut self.messages[handle])
    }

    /// The bytes of a message.
    #[must_use]
    pub fn message(&self, handle: Handle) -> &[u8] {
        &self.messages[handle]
    }

    /// Puts in a path that packets will have.
    pub fn insert_path(&mut self, path: Arc<Path>) -> PathHandle {
        self.paths.insert(path)
    }

    /// Puts in paths of another store, in the order in which that got them.
    pub fn insert_paths_of(&mut self, store: usize, paths: impl Iterator<Item = Arc<Path>>) {
        paths.for_each(|it| self.paths.insert_of(store, it));
    }

    /// The paths that were put in here, in that order, without the first few.
    pub fn own_paths(&self, without: usize) -> impl Iterator<Item = &Arc<Path>> {
        self.paths.own(without)
    }

    /// A path of packets.
    #[must_use]
    pub fn path(&self, handle: PathHandle) -> &Arc<Path> {
        self.paths.get(handle)
    }

    /// Whether a hop field of a path is right for the system that checks it, behind an
    /// accumulator. The answer is kept: it is the same for all packets.
    pub fn is_right(
        &mut self,
        handle: PathHandle,
        hop: u8,
        (system, accumulator): (u32, u16),
        check: impl FnOnce() -> bool,
    ) -> bool {
        let kept = self.paths.checked(handle, hop);
        match *kept {
            Some((by, behind, is_right)) if (by, behind) == (system, accumulator) => is_right,
            _ => {
                let is_right = check();
                *kept = Some((system, accumulator, is_right));
                is_right
            }
        }
    }

    /// Puts a packet into one that goes through a tunnel from one node to another, in RFC 6040's
    /// normal mode: the outer header has its ECN field.
    ///
    /// # Errors
    /// The packet itself, if there is no room for another header: an IP packet has at most
    /// 65,535 bytes.
    pub fn wrap(
        &mut self,
        packet: Packet,
        between: [u32; 2],
        version: IpVersion,
    ) -> Result<Packet, Packet> {
        self.wrap_in(packet, between, version, Encapsulation::None)
    }

    /// The same, with something between the outer IP header and the packet.
    ///
    /// # Errors
    /// As [`PacketStore::wrap`].
    pub fn wrap_in(
        &mut self,
        packet: Packet,
        between: [u32; 2],
        version: IpVersion,
        encapsulation: Encapsulation,
    ) -> Result<Packet, Packet> {
        let headers = version.header() + encapsulation.bytes();
        let Some(network_size) = packet.network_size.checked_add(headers) else {
            return Err(packet);
        };
        let (inside, dscp) = (self.insert(packet), packet.dscp());
        let body = Body::Tunnelled(Tunnelled { between, version, dscp, encapsulation, inside });
        Ok(Packet { body, ecn: packet.ecn, network_size, hops: 0, route: Route::default() })
    }

    /// Takes the packet out of one with the ECN field `outer`.
    ///
    /// # Errors
    /// The packet with its own ECN field, if it must be dropped ([`leaving_tunnel`]).
    pub fn unwrap(&mut self, tunnelled: Tunnelled, outer: Ecn) -> Result<Packet, Packet> {
        self.unwrap_at(tunnelled.inside, outer)
    }

    /// Takes a packet out of any other one with the ECN field `outer`.
    ///
    /// # Errors
    /// As [`PacketStore::unwrap`].
    pub fn unwrap_at(&mut self, inside: Handle, outer: Ecn) -> Result<Packet, Packet> {
        let packet = self.take(inside);
        match leaving_tunnel(packet.ecn, outer) {
            Some(ecn) => Ok(Packet { ecn, ..packet }),
            None => Err(packet),
        }
    }

    /// A packet whose inside lay in another store: `inside` gives that, and what is inside
    /// of that, and so on, and `messages` the bytes of the innermost, if that has a message.
    #[inline]
    #[must_use]
    pub fn restore(
        &mut self,
        mut packet: Packet,
        mut inside: impl Iterator<Item = Packet>,
        mut messages: impl Iterator<Item = Vec<u8>>,
    ) -> Packet {
        if packet.body.inside().is_some() || packet.body.message().is_some() {
            self.put_inside(&mut packet, &mut inside, &mut messages);
        }
        packet
    }

    #[cold]
    fn put_inside(
        &mut self,
        packet: &mut Packet,
        inside: &mut dyn Iterator<Item = Packet>,
        messages: &mut dyn Iterator<Item = Vec<u8>>,
    ) {
        if let Some(handle) = packet.body.inside_mut() {
            let mut inner = inside.next().expect("what is inside of a packet follows it");
            self.put_inside(&mut inner, inside, messages);
            *handle = self.packets.insert(inner);
        } else if let Some(handle) = packet.body.message_mut() {
            *handle = self.messages.insert(messages.next().expect("a message has bytes"));
        }
    }

    /// How many packets are in, those inside others included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// How many messages are in.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.messages.len()
    }

    /// Whether there is none, and no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty() && self.messages.is_empty()
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
            Self::Region(it) => match it.content {
                Content::Packet(it) | Content::Error { quoted: it, .. } => Some(it),
                Content::Message(_) => None,
            },
            Self::Scion(it) => match it.content {
                ScionContent::Packet(it) | ScionContent::Error { quoted: it, .. } => Some(it),
                ScionContent::Message(_) | ScionContent::Echo { .. } => None,
            },
            _ => None,
        }
    }

    /// The bytes of its message, if it has one.
    #[must_use]
    pub fn message(mut self) -> Option<Handle> {
        self.message_mut().copied()
    }

    fn message_mut(&mut self) -> Option<&mut Handle> {
        match self {
            Self::Region(RegionPacket { content: Content::Message(it), .. })
            | Self::Scion(ScionPacket { content: ScionContent::Message(it), .. })
            | Self::Dns(DnsMessage { bytes: it, .. })
            | Self::Real(RealPacket { bytes: it, .. })
            | Self::Datagram(Datagram { content: Some(udp::Content { bytes: it, .. }), .. }) => {
                Some(it)
            }
            _ => None,
        }
    }

    fn inside_mut(&mut self) -> Option<&mut Handle> {
        match self {
            Self::Tunnelled(it) => Some(&mut it.inside),
            Self::LinkPacket(it) => Some(&mut it.inside),
            Self::Region(it) => match &mut it.content {
                Content::Packet(it) | Content::Error { quoted: it, .. } => Some(it),
                Content::Message(_) => None,
            },
            Self::Scion(it) => match &mut it.content {
                ScionContent::Packet(it) | ScionContent::Error { quoted: it, .. } => Some(it),
                ScionContent::Message(_) | ScionContent::Echo { .. } => None,
            },
            _ => None,
        }
    }
}
