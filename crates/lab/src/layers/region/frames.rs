//! Packets of the region protocol as their bytes.

use windtunnel_packets::Body;
use windtunnel_packets::ip::{address_of_node, address_of_node_v6};
use windtunnel_packets::region::protocol::TYPED_ADDRESSES;
use windtunnel_packets::region::{
    AddressKind, Content, ETHER_TYPE, HOP_LIMIT, Header, RegionControl, RegionPacket, TypedAddress,
    TypedAddresses,
};
use windtunnel_scenario::{FrameContext, FrameError, FramePayload};
use windtunnel_world::SeenPacket;

use crate::frames::hardware_address;

/// The frame's content.
pub(super) fn encode(
    seen: &SeenPacket,
    context: &FrameContext<'_>,
) -> Result<FramePayload, FrameError> {
    let Body::Region(packet) = &seen.packet.body else {
        return Err("it is not a packet of the region protocol".into());
    };
    let (protocol, payload) = payload(packet, seen, context)?;
    let header = Header {
        dscp: packet.dscp.value(),
        ecn: seen.packet.ecn,
        hop_limit: HOP_LIMIT - seen.packet.hops,
        protocol,
        destination: packet.destination,
        source: packet.source,
        flow_label: packet.flow_label,
        ..Header::default()
    };
    // Its size was found to fit before it was sent.
    let bytes = header.encode(packet.encoding, &payload).unwrap_or_default();
    Ok(FramePayload { ether_type: ETHER_TYPE, bytes })
}

/// What is under the header, and its protocol.
fn payload(
    packet: &RegionPacket,
    seen: &SeenPacket,
    context: &FrameContext<'_>,
) -> Result<(u8, Vec<u8>), FrameError> {
    let inside = seen.inside.as_deref().map(context.inside).transpose()?;
    let inside = inside.map(|it| it.bytes).unwrap_or_default();
    let payload = match &packet.content {
        Content::Message(_) => seen.message.clone().unwrap_or_default(),
        Content::Error { kind, .. } => {
            let mut quote = inside;
            let room = seen.packet.network_size - packet.encoding.header() - RegionControl::HEADER;
            quote.truncate(usize::from(room));
            RegionControl::Error { kind: *kind, quote }.encode()
        }
        Content::Packet(_) if packet.protocol == TYPED_ADDRESSES => {
            let codes = [packet.source, packet.destination];
            // It is an IP packet of ours, and addresses have their kinds' lengths.
            typed(packet, context).in_place_of_ip(&inside, codes).unwrap_or_default()
        }
        Content::Packet(_) => inside,
    };
    Ok((packet.protocol, payload))
}

/// The addresses of a packet whose ends have such of different kinds.
fn typed(packet: &RegionPacket, context: &FrameContext<'_>) -> TypedAddresses {
    let address = |place: usize| {
        let kind = packet.kinds[place];
        let number = context.address_numbers[packet.between[place] as usize];
        let bytes = match kind {
            AddressKind::Absent => Vec::new(),
            AddressKind::Ipv4 => address_of_node(number, 0).octets().to_vec(),
            AddressKind::Ipv6 => address_of_node_v6(number, 0).octets().to_vec(),
            AddressKind::Mac => hardware_address(number).to_vec(),
            // Nobody holds the secret: the number, over and over.
            AddressKind::PublicKey => (number as u64 + 1).to_be_bytes().repeat(4),
        };
        TypedAddress { kind, bytes }
    };
    TypedAddresses { source: address(0), destination: address(1), next: 0 }
}
