//! What stacks send, as packets of the network.

use std::net::IpAddr;

use windtunnel_engine::Time;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::real::{RealHeader, set_dscp};
use windtunnel_packets::udp::{self, Content, Datagram};
use windtunnel_packets::{Body, Ecn, Packet, Route};
use windtunnel_stack::{Departure, Unit};

use super::stack_ends::{Stacks, ecn_of_stack};
use crate::network::Network;
use crate::side::Side;

/// The most bytes of the data of a datagram, over any version of IP.
const MOST_BYTES: usize = (u16::MAX - udp::HEADER - IpVersion::V6.header()) as usize;

impl Stacks {
    /// What is wrong with what an end sends at once, in datagrams of so many bytes.
    pub(super) fn check(&self, side: Side, to: &Departure, segment: usize) -> Result<(), String> {
        if segment > MOST_BYTES {
            return Err(format!(
                "it sends a datagram of {segment} B, and {MOST_BYTES} B is the most"
            ));
        }
        let peer = self.addresses[side.other() as usize];
        if self.settings.maker.unit() == Unit::UdpDatagram && to.to != peer {
            return Err(format!("it sends to {}, and its peer is {peer}", to.to));
        }
        Ok(())
    }

    /// The packet of one datagram that an end sends, or of an IP packet.
    ///
    /// # Errors
    /// What is wrong with the IP packet.
    pub(super) fn packet(
        &self,
        network: &mut Network,
        side: Side,
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
        let [own, peer]: [IpAddr; 2] =
            [side, side.other()].map(|it| self.addresses[it as usize].ip());
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
