//! How packets of real hosts enter the world and leave it.

use windtunnel_engine::Time;
use windtunnel_packets::real::{RealHeader, RealPacket, set_ecn};
use windtunnel_packets::{Body, Packet, RealPackets, Route};

use crate::attachments::{Departure, Entry};
use crate::network::Network;
use crate::world::World;

impl Network {
    /// Sends a packet of a real host from one attachment to another.
    fn enter(&mut self, now: Time, ends: [usize; 2], header: &RealHeader, bytes: &[u8]) -> Entry {
        let [from, to] = ends;
        let Some(route) = self.attachments.route(from, to, header) else {
            self.enter_without_route(now, from, header, bytes);
            return Entry::Unreachable;
        };
        let begin = (self.attachments.nodes[from], route);
        self.send_real(now, begin, ends.map(|it| it as u16), header, bytes);
        Entry::Entered
    }

    /// Sends a packet of a real host to a router itself.
    fn enter_to_router(
        &mut self,
        now: Time,
        [from, router]: [usize; 2],
        header: &RealHeader,
        bytes: &[u8],
    ) {
        let route = self.forwarding.lay_to_router(router as u32);
        let begin = (self.attachments.nodes[from], route);
        self.send_real(now, begin, [from as u16, RealPacket::TO_ROUTER], header, bytes);
    }

    /// Sends a packet for which there is no path to the next node, which reports that.
    fn enter_without_route(&mut self, now: Time, from: usize, header: &RealHeader, bytes: &[u8]) {
        if let Some(route) = self.attachments.to_nowhere(from) {
            let begin = (self.attachments.nodes[from], route);
            self.send_real(now, begin, [from as u16; 2], header, bytes);
        }
    }

    /// Sends a packet of a real host, or of a router to one, from a node along a path.
    pub(crate) fn send_real(
        &mut self,
        now: Time,
        (node, route): (u32, Route),
        [from, to]: [u16; 2],
        header: &RealHeader,
        bytes: &[u8],
    ) {
        let bytes = self.packets.insert_real([from, to], bytes);
        let RealHeader { dscp, ecn, flow, length: network_size, link_header, .. } = *header;
        let entered = now;
        let body =
            Body::Real(RealPacket { from, to, dscp, ecn, entered, flow, bytes, link_header });
        let packet = Packet { body, ecn, network_size, hops: 0, route: Route::default() };
        self.send(now, node, route, packet);
    }
}

impl World {
    /// A packet or a frame of a real host enters at the attachment `ends[0]` and is to leave at `ends[1]`,
    /// both by their places in [`Plan::attachments`](crate::Plan::attachments). Time moves on to `now` first. Only for a
    /// world on one thread.
    pub fn enter(
        &mut self,
        now: Time,
        ends: [usize; 2],
        header: &RealHeader,
        bytes: &[u8],
    ) -> Entry {
        self.advance(now);
        let part = self.only_part();
        let entry = part.network.enter(now, ends, header, bytes);
        part.hand_over(now);
        entry
    }

    /// A packet of a real host enters at an attachment, to an address of none: its sender is
    /// told so, by ICMP. Otherwise as [`World::enter`].
    pub fn enter_to_nowhere(&mut self, now: Time, from: usize, header: &RealHeader, bytes: &[u8]) {
        self.advance(now);
        let part = self.only_part();
        part.network.enter_without_route(now, from, header, bytes);
        part.hand_over(now);
    }

    /// A packet of a real host enters at the attachment `ends[0]`, to the address of the node
    /// `ends[1]` of the plan, where no host is: that answers echo requests (RFC 1812, section
    /// 4.3.3.6), and has no ports. Otherwise as [`World::enter`].
    pub fn enter_to_router(
        &mut self,
        now: Time,
        ends: [usize; 2],
        header: &RealHeader,
        bytes: &[u8],
    ) {
        self.advance(now);
        let part = self.only_part();
        part.network.enter_to_router(now, ends, header, bytes);
        part.hand_over(now);
    }

    /// The packets of real hosts that entered at the attachment `ends[0]` and are to leave at
    /// `ends[1]`. Only for a world on one thread.
    pub fn real_packets(&mut self, ends: [usize; 2]) -> RealPackets {
        self.only_part().network.packets.real_packets(ends.map(|it| it as u16))
    }

    /// Calls `leave` with each packet that has left since the last call, in the order in which
    /// they did.
    pub fn departures(&mut self, mut leave: impl FnMut(Departure<'_>)) {
        let Network { attachments, packets, .. } = &mut self.only_part().network;
        for (time, packet) in attachments.arrived.drain(..) {
            let Body::Real(real) = packet.body else { continue };
            let bytes = packets.message_mut(real.bytes);
            let is_marked = real.ecn != packet.ecn;
            if is_marked {
                set_ecn(&mut bytes[usize::from(real.link_header)..], packet.ecn);
            }
            let delay = time.since(real.entered);
            let [from, to] = [real.from, real.to].map(usize::from);
            leave(Departure { time, delay, from, to, bytes, is_marked });
            packets.discard(&packet);
        }
    }
}
