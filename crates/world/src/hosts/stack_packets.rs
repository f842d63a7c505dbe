//! What stacks send, as packets of the network.

use windtunnel_engine::Time;
use windtunnel_packets::real::set_dscp;
use windtunnel_packets::udp::{Content, Datagram};
use windtunnel_packets::{Body, Ecn, Packet, Route};
use windtunnel_stack::Unit;

use super::stack_ends::Stacks;
use crate::network::Network;

impl Stacks {
    /// The packet of one datagram that an end sends on a path, or of an IP packet.
    pub(super) fn packet(
        &self,
        network: &mut Network,
        path: usize,
        (sent, sequence): (Time, u64),
        bytes: &[u8],
        ecn: Ecn,
    ) -> Packet {
        let is_packet = self.settings.maker.unit() == Unit::IpPacket;
        let network_size = self.settings.headers() + bytes.len() as u16;
        let own = if is_packet { self.settings.ip.header() } else { 0 };
        let dscp = self.settings.dscp;
        let content = network.packets.copy_message(bytes);
        if is_packet {
            set_dscp(network.packets.message_mut(content), dscp);
        }
        let body = Body::Datagram(Datagram {
            flow: self.flow,
            length: bytes.len() as u16 - own,
            dscp,
            path: path as u8,
            sequence,
            sent,
            content: Some(Content { bytes: content, is_packet }),
        });
        Packet { body, ecn, network_size, hops: 0, route: Route::default() }
    }
}
