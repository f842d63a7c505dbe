//! What stacks send, as packets of the network.

use std::net::IpAddr;

use windtunnel_engine::Time;
use windtunnel_packets::real::{RealHeader, set_dscp};
use windtunnel_packets::udp::{Content, Datagram};
use windtunnel_packets::{Body, Ecn, Packet, Route};
use windtunnel_stack::{Path, Unit};

use super::stack_ends::{Stacks, ecn_of_stack};
use crate::network::Network;
use crate::side::Side;

impl Stacks {
    /// The packet of one datagram that an end sends, or of an IP packet.
    ///
    /// # Errors
    /// What is wrong with the IP packet.
    pub(super) fn packet(
        &self,
        network: &mut Network,
        (side, path): (Side, usize),
        (sent, sequence): (Time, u64),
        bytes: &[u8],
        ecn: windtunnel_stack::Ecn,
    ) -> Result<Packet, String> {
        let is_packet = self.settings.maker.unit() == Unit::IpPacket;
        let ecn = if is_packet { self.read(side, bytes)? } else { ecn_of_stack(ecn) };
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
        Ok(Packet { body, ecn, network_size, hops: 0, route: Route::default() })
    }

    /// The ECN field of an IP packet that an end sends.
    fn read(&self, side: Side, bytes: &[u8]) -> Result<Ecn, String> {
        let header = RealHeader::parse(bytes).ok_or_else(|| {
            format!("it sends {} B that are not one IP packet with its headers", bytes.len())
        })?;
        let Path { own, peer } = self.paths[0].from(side);
        let [own, peer]: [IpAddr; 2] = [own.ip(), peer.ip()];
        if header.source != own {
            return Err(format!("it sends a packet from {}, and is at {own}", header.source));
        }
        if header.destination != peer {
            let to = header.destination;
            return Err(format!("it sends a packet to {to}, and its peer is at {peer}"));
        }
        Ok(header.ecn)
    }
}
