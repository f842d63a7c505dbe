//! SCION packets as their bytes, in the UDP datagrams of the underlay.

use std::net::{SocketAddrV4, SocketAddrV6};

use etherparse::EtherType;
use windtunnel_networks::scion::{ScionMaker, ScionSettings};
use windtunnel_packets::ip::{
    self, Addresses, IpVersion, address_of_node as address, address_of_node_v6 as wide_address,
};
use windtunnel_packets::scion::{
    HopField, HostAddress, InfoField, OneHop, Path, PathHeader, PathReference, ScionContent,
    ScionHeader, ScionPacket, Scmp, UNDERLAY_PORT, protocol, quoted_at_most,
};
use windtunnel_packets::{Body, Packet, udp};
use windtunnel_scenario::{FrameContext, FrameError, FramePayload};
use windtunnel_world::SeenPacket;

/// The UDP port of control services.
const CONTROL_PORT: u16 = 30252;
/// Addresses of the underlay are these ones of a node: unlike those of hosts they differ
/// between all systems.
const UNDERLAY: u8 = 7;
/// The data of a probe.
const PROBE: [u8; 8] = [0; 8];

/// What the bytes of SCION packets depend on besides the packets.
struct Encoding<'a> {
    settings: &'a ScionSettings,
    context: &'a FrameContext<'a>,
}

/// The frame's content: the underlay's packet.
pub(super) fn encode(
    seen: &SeenPacket,
    context: &FrameContext<'_>,
) -> Result<FramePayload, FrameError> {
    let maker = context.plan.carrier::<ScionMaker>();
    let (Body::Scion(header), Some(maker)) = (&seen.packet.body, maker) else {
        return Err("it is not a packet of a network of autonomous systems".into());
    };
    let encoding = Encoding { settings: maker.settings(), context };
    let bytes = packet(&encoding, seen, header)?;
    let [from, to] = header.underlay.map(|it| it as usize);
    let (EtherType(ether_type), addresses) = match encoding.settings.underlay {
        IpVersion::V4 => {
            let end = |node| SocketAddrV4::new(address(node, UNDERLAY), UNDERLAY_PORT);
            (EtherType::IPV4, Addresses::V4 { source: end(from), destination: end(to) })
        }
        IpVersion::V6 => {
            let end = |node| SocketAddrV6::new(wide_address(node, UNDERLAY), UNDERLAY_PORT, 0, 0);
            (EtherType::IPV6, Addresses::V6 { source: end(from), destination: end(to) })
        }
    };
    let (dscp, ecn) = (seen.packet.dscp(), seen.packet.ecn);
    Ok(FramePayload { ether_type, bytes: ip::encode_udp(&bytes, dscp, ecn, &addresses) })
}

/// The SCION packet.
fn packet(
    encoding: &Encoding<'_>,
    seen: &SeenPacket,
    header: &ScionPacket,
) -> Result<Vec<u8>, FrameError> {
    let settings = encoding.settings;
    let host = |node: u32| {
        let number = encoding.context.address_numbers[node as usize];
        match header.hosts {
            IpVersion::V4 => HostAddress::V4(address(number, 0)),
            IpVersion::V6 => HostAddress::V6(wide_address(number, 0)),
        }
    };
    let [from, to] = header.between;
    let path = match header.path {
        PathReference::Empty => PathHeader::Empty,
        PathReference::OneHop(egress) => PathHeader::OneHop(one_hop(settings, header, egress)),
        PathReference::Standard(_) => {
            let path = seen.scion_path.as_deref().map_or_else(Path::default, Path::clone);
            PathHeader::Standard(path, header.position)
        }
    };
    let scion = ScionHeader {
        dscp: header.dscp.value(),
        ecn: seen.packet.ecn,
        flow: flow(seen),
        next: next(header, seen),
        source: settings.system_of(from).isd_as,
        destination: settings.system_of(to).isd_as,
        from: host(from),
        to: host(to),
        path,
    };
    let payload = payload(encoding, seen, header, &scion)?;
    // Its size was found to fit before it was sent.
    Ok(scion.encode(&payload).unwrap_or_default())
}

/// The flow's number: that of the packet inside.
fn flow(seen: &SeenPacket) -> u32 {
    let inside = seen.inside.as_ref().map(|it| it.packet.flow_key().0);
    inside.map_or(1, |it| (it as u32).wrapping_add(1) & 0xf_ffff)
}

fn next(header: &ScionPacket, seen: &SeenPacket) -> u8 {
    match header.content {
        ScionContent::Packet(_) => {
            let is_tcp = seen.inside.as_ref().is_some_and(|it| it.packet.segment().is_some());
            if is_tcp { protocol::TCP } else { protocol::UDP }
        }
        ScionContent::Message(_) => protocol::UDP,
        ScionContent::Error { .. } | ScionContent::Echo { .. } => protocol::SCMP,
    }
}

fn payload(
    encoding: &Encoding<'_>,
    seen: &SeenPacket,
    header: &ScionPacket,
    scion: &ScionHeader,
) -> Result<Vec<u8>, FrameError> {
    let inside = seen.inside.as_deref();
    Ok(match header.content {
        ScionContent::Packet(_) => {
            let Some(inside) = inside else { return Ok(Vec::new()) };
            let bytes = (encoding.context.inside)(inside)?.bytes;
            let ip = inside.packet.ip_version().unwrap_or_default().header();
            with_checksum(bytes[usize::from(ip)..].to_vec(), scion)
        }
        ScionContent::Message(_) => {
            let bytes = seen.message.as_deref().unwrap_or_default();
            let length = udp::HEADER + bytes.len() as u16;
            let mut datagram = Vec::with_capacity(usize::from(length));
            for field in [CONTROL_PORT, CONTROL_PORT, length, 0] {
                datagram.extend(field.to_be_bytes());
            }
            datagram.extend(bytes);
            with_checksum(datagram, scion)
        }
        ScionContent::Error { error, .. } => {
            let origin = encoding.settings.system_of(header.between[0]).isd_as;
            let error = error.of(origin);
            let mut quote = match inside {
                Some(inside @ SeenPacket { packet: Packet { body: Body::Scion(it), .. }, .. }) => {
                    packet(encoding, inside, it)?
                }
                _ => Vec::new(),
            };
            let own = scion.encode(&[]).map_or(0, |it| it.len() as u16);
            quote.truncate(usize::from(quoted_at_most(own, &error)));
            Scmp::Error { error, quote }.encode(scion)
        }
        ScionContent::Echo { is_reply, identifier, sequence } => {
            Scmp::Echo { is_reply, identifier, sequence, data: PROBE.to_vec() }.encode(scion)
        }
    })
}

/// A segment or datagram with its checksum under a SCION header.
fn with_checksum(mut upper: Vec<u8>, scion: &ScionHeader) -> Vec<u8> {
    let is_udp = scion.next == protocol::UDP;
    let place = if is_udp { 6 } else { 16 };
    upper[place..place + 2].fill(0);
    let checksum = match scion.checksum(&upper) {
        // A datagram with 0 has none.
        0 if is_udp => 0xffff,
        it => it,
    };
    upper[place..place + 2].copy_from_slice(&checksum.to_be_bytes());
    upper
}

/// The path of a beacon: the second hop field is filled in where it comes in.
fn one_hop(settings: &ScionSettings, header: &ScionPacket, egress: u16) -> OneHop {
    let info = InfoField { is_forward: true, ..InfoField::default() };
    let [from, to] = header.between.map(|it| settings.system_of(it));
    let expiry = settings.beaconing.expiry;
    let mut first = HopField { expiry, egress, ..HopField::default() };
    first.mac = from.key.mac(0, 0, &first);
    let has_arrived = settings.system_of(header.underlay[0]).isd_as == to.isd_as;
    let mut second = HopField::default();
    if let Some(interface) = from.interface(egress).filter(|_| has_arrived) {
        second = HopField { expiry, ingress: interface.neighbour_number, ..second };
        let [a, b, ..] = first.mac;
        second.mac = to.key.mac(u16::from_be_bytes([a, b]), 0, &second);
    }
    OneHop { info, hops: [first, second] }
}
