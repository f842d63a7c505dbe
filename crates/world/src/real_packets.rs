//! What nodes do as routers with packets of real hosts (RFC 1812, section 5.3): they decrement
//! time to live and hop limit, fragment what is larger than a link's MTU where that is allowed, report
//! what they cannot forward to its sender, by ICMP, and answer echo requests to themselves.

use std::net::{Ipv4Addr, Ipv6Addr};

use windtunnel_engine::{Handle, Time};
use windtunnel_packets::fragments::fragments;
use windtunnel_packets::icmp::{Answer, IcmpError, answer_of_router, message_about};
use windtunnel_packets::ip::{address_of_node, address_of_node_v6, node_of_address};
use windtunnel_packets::real::{RealHeader, RealPacket, decrement_hop_limit};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Packet};

use crate::network::{At, Network};
use crate::port_id::PortId;

impl Network {
    /// A node that a port leads to forwards a packet of a real host.
    pub(crate) fn forward_real(&mut self, now: Time, port: PortId, packet: Handle) {
        let Packet { body: Body::Real(real), route, .. } = self.packets[packet] else { return };
        let is_at_end = self.forwarding.ends_at(route, self.forwarding.topology().far(port));
        if real.is_frame() || is_at_end || decrement_hop_limit(self.packets.message_mut(real.bytes))
        {
            self.forward(now, At::FarEnd(port), packet);
        } else {
            self.hop_limit_drops += 1;
            self.refuse(now, At::FarEnd(port), packet, IcmpError::TimeExceeded);
        }
    }

    /// A packet of a real host is where it was sent to.
    pub(crate) fn receive_real(&mut self, now: Time, packet: Packet) {
        match packet.body {
            Body::Real(real) if real.to == RealPacket::TO_ROUTER => self.answer(now, &packet, real),
            _ => self.attachments.receive(now, packet),
        }
    }

    /// A router answers a packet that is for itself.
    #[cold]
    fn answer(&mut self, now: Time, packet: &Packet, real: RealPacket) {
        let bytes = self.packets.message(real.bytes);
        let router = RealHeader::parse(bytes).and_then(|it| node_of_address(it.destination));
        let answer = router.and_then(|it| answer_of_router(addresses(it), bytes));
        self.packets.discard(packet);
        let Some((router, answer)) = router.zip(answer) else { return };
        let bytes = match answer {
            Answer::Echo(bytes) => bytes,
            Answer::Error(bytes) if self.routers.budgets[router].allows(now) => bytes,
            Answer::Error(_) => return,
        };
        self.send_message(now, At::Node(router as u32), real.from, &bytes);
    }

    /// Gives a packet to a port whose link has an MTU, if it is not one of a real host that is
    /// larger.
    #[cold]
    pub(crate) fn offer_within(
        &mut self,
        now: Time,
        at: At,
        (port, mtu): (PortId, u16),
        packet: Handle,
    ) {
        let real = match self.packets[packet].body {
            Body::Real(it) if it.is_frame() => {
                return self.offer_frame_within(now, (port, mtu), packet);
            }
            Body::Real(it) if RealPacket::exceeds(self.packets.message(it.bytes), mtu) => it,
            // Stacks search for the path's MTU by themselves (RFC 8899), with DF set.
            Body::Datagram(Datagram { content: Some(_), .. })
                if self.packets[packet].network_size > mtu =>
            {
                self.routers.too_big += 1;
                return self.drop_here(packet);
            }
            _ => return self.offer(now, port, packet),
        };
        match fragments(self.packets.message(real.bytes), mtu) {
            Some(parts) => self.offer_fragments(now, port, packet, &parts),
            None => {
                self.routers.too_big += 1;
                self.refuse(now, at, packet, IcmpError::TooBig(mtu));
            }
        }
    }

    /// The same of a frame. A bridge tells nobody what it drops.
    fn offer_frame_within(&mut self, now: Time, (port, mtu): (PortId, u16), packet: Handle) {
        if self.packets[packet].network_size <= mtu {
            return self.offer(now, port, packet);
        }
        self.routers.too_big += 1;
        self.drop_here(packet);
    }

    fn offer_fragments(&mut self, now: Time, port: PortId, whole: Handle, parts: &[Vec<u8>]) {
        let whole = self.packets.take(whole);
        let Body::Real(real) = whole.body else { return };
        self.packets.discard(&whole);
        let ends = [real.from, real.to];
        for (place, part) in parts.iter().enumerate() {
            let bytes = match place {
                0 => self.packets.insert_real(ends, part),
                _ => self.packets.insert_copy(ends, part),
            };
            let body = Body::Real(RealPacket { bytes, ..real });
            self.emit(now, port, Packet { body, network_size: part.len() as u16, ..whole });
        }
    }

    /// Drops a packet; if it is one of a real host, that is told why, unless too many were told
    /// such.
    #[cold]
    pub(crate) fn refuse(&mut self, now: Time, at: At, packet: Handle, error: IcmpError) {
        let real = match self.packets[packet].body {
            Body::Real(it) if !it.is_frame() => it,
            _ => return self.drop_here(packet),
        };
        let router = self.reporter(at);
        let message = message_about(error, addresses(router), self.packets.message(real.bytes));
        self.drop_here(packet);
        if let Some(message) = message.filter(|_| self.routers.budgets[router].allows(now)) {
            self.send_message(now, at, real.from, &message);
        }
    }

    /// Drops a packet that no port took.
    pub(crate) fn drop_here(&mut self, packet: Handle) {
        self.packets.drop_at(packet);
        self.log_drops(None);
    }

    /// The router that reports what happened there: where real hosts are, the next one, for they
    /// have the address of their own node.
    fn reporter(&self, at: At) -> usize {
        let topology = self.forwarding.topology();
        match at {
            At::FarEnd(port) => topology.far(port),
            At::Node(node) => {
                let node = node as usize;
                topology.ports(node).first().map_or(node, |it| topology.far(*it))
            }
        }
    }

    /// Sends a router's message to the hosts of an attachment.
    fn send_message(&mut self, now: Time, at: At, to: u16, message: &[u8]) {
        let Some(header) = RealHeader::parse(message) else { return };
        let node = match at {
            At::FarEnd(port) => self.forwarding.topology().far(port) as u32,
            At::Node(node) => node,
        };
        let route = self.routers.to_attachments[usize::from(to)];
        self.send_real(now, (node, route), [to; 2], &header, message);
    }
}

/// The addresses that a router reports from.
fn addresses(router: usize) -> (Ipv4Addr, Ipv6Addr) {
    (address_of_node(router, 0), address_of_node_v6(router, 0))
}
