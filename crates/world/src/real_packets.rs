//! What nodes do as routers with packets of real hosts (RFC 1812, section 5.3): they decrement
//! time to live and hop limit, fragment what is larger than a link's MTU where that is allowed, and report
//! what they cannot forward to its sender, by ICMP.

use windtunnel_engine::{Handle, Time};
use windtunnel_packets::fragments::fragments;
use windtunnel_packets::icmp::{IcmpError, message_about};
use windtunnel_packets::ip::{address_of_node, address_of_node_v6};
use windtunnel_packets::real::{RealHeader, RealPacket, decrement_hop_limit};
use windtunnel_packets::{Body, Packet};

use crate::network::{At, Network};
use crate::port_id::PortId;

impl Network {
    /// A node that a port leads to forwards a packet of a real host.
    pub(crate) fn forward_real(&mut self, now: Time, port: PortId, packet: Handle) {
        let Body::Real(real) = self.packets[packet].body else { return };
        if decrement_hop_limit(self.packets.message_mut(real.bytes)) {
            self.forward(now, At::FarEnd(port), packet);
        } else {
            self.hop_limit_drops += 1;
            self.refuse(now, At::FarEnd(port), packet, IcmpError::TimeExceeded);
        }
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
            Body::Real(it) if RealPacket::exceeds(self.packets.message(it.bytes), mtu) => it,
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
        let Body::Real(real) = self.packets[packet].body else { return self.drop_here(packet) };
        let router = self.reporter(at);
        let addresses = (address_of_node(router, 0), address_of_node_v6(router, 0));
        let message = message_about(error, addresses, self.packets.message(real.bytes));
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
