//! Messages from edge to edge as bytes.

use std::net::{Ipv4Addr, SocketAddrV4, SocketAddrV6};

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_packets::bridge::{
    self, EdgeAcknowledgement, EdgeAddresses, EdgeMessage, EdgeMessageError,
};
use windtunnel_packets::ip::{Addresses, IpVersion};
use windtunnel_packets::{Body, Packet};

fn any_addresses() -> impl Strategy<Value = Addresses> {
    let v4 = any::<([u8; 4], u16)>().prop_map(|(it, port)| SocketAddrV4::new(it.into(), port));
    let v6 =
        any::<([u8; 16], u16)>().prop_map(|(it, port)| SocketAddrV6::new(it.into(), port, 0, 0));
    prop_oneof![
        (v4.clone(), v4).prop_map(|(source, destination)| Addresses::V4 { source, destination }),
        (v6.clone(), v6).prop_map(|(source, destination)| Addresses::V6 { source, destination }),
    ]
}

prop_compose! {
    fn any_message()(
        addresses in any_addresses(),
        [from, to] in any::<[[u8; 4]; 2]>(),
        [sequence, acknowledgement, timestamp] in any::<[u32; 3]>(),
    ) -> EdgeMessage {
        let edges = EdgeAddresses { from: from.into(), to: to.into() };
        let found = EdgeAcknowledgement { connection: 0, sequence, acknowledgement, timestamp };
        found.message(addresses, edges)
    }
}

fn example() -> EdgeMessage {
    let address = |last, port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, last), port);
    let addresses = Addresses::V4 { source: address(1, 49152), destination: address(2, 5001) };
    let edges = EdgeAddresses { from: Ipv4Addr::new(10, 1, 0, 2), to: Ipv4Addr::new(10, 1, 0, 1) };
    let sequence = 0x0102_0304;
    EdgeMessage { edges, addresses, sequence, acknowledgement: 5, timestamp: 0xfffe_fdfc }
}

#[test]
fn a_message_has_the_bytes_that_its_format_says() {
    let bytes = example().encode();
    let ports = [0xdc, 0x1b, 0xdc, 0x1b];
    assert_eq!(bytes[20..24], ports);
    let expected = [
        [1, 4, 6, 0],
        [10, 0, 0, 1],
        [10, 0, 0, 2],
        [0xc0, 0x00, 0x13, 0x89],
        [1, 2, 3, 4],
        [0, 0, 0, 5],
        [0xff, 0xfe, 0xfd, 0xfc],
    ];
    assert_eq!(bytes[28..], *expected.as_flattened());
}

/// The outer header is that of a packet which routers forward: from edge to edge, whole, and
/// not ECN-capable.
#[test]
fn a_message_goes_from_edge_to_edge_and_may_not_be_marked_or_fragmented() {
    let bytes = example().encode();
    let packet = etherparse::SlicedPacket::from_ip(&bytes).expect("an IP packet");
    let Some(etherparse::NetSlice::Ipv4(ip)) = packet.net else { panic!("it is of version 4") };
    let header = ip.header();
    assert_eq!((header.source(), header.destination()), ([10, 1, 0, 2], [10, 1, 0, 1]));
    assert_eq!((header.ttl(), header.dont_fragment()), (64, true));
    assert_eq!(header.ecn(), etherparse::IpEcn::NotEct);
}

#[test]
fn other_formats_are_refused_by_name() {
    for (byte, value, field) in [
        (0, 2, "the format"),
        (1, 5, "the acknowledged packet's IP version"),
        (3, 1, "the fourth byte"),
    ] {
        let mut payload = example().encode()[28..].to_vec();
        payload[byte] = value;
        let mut bytes = Vec::new();
        etherparse::PacketBuilder::ipv4([10, 1, 0, 2], [10, 1, 0, 1], 64)
            .udp(bridge::PORT, bridge::PORT)
            .write(&mut bytes, &payload)
            .unwrap();
        let refusal = EdgeMessage::decode(&bytes).unwrap_err();
        assert!(
            matches!(refusal, EdgeMessageError::Field { field: it, .. } if it == field),
            "{refusal}"
        );
    }
}

proptest! {
    #[test]
    fn a_message_survives_its_bytes(message in any_message(), connection: u32) {
        let bytes = message.encode();
        let version = match message.addresses {
            Addresses::V4 { .. } => IpVersion::V4,
            Addresses::V6 { .. } => IpVersion::V6,
        };
        prop_assert_eq!(bytes.len(), usize::from(EdgeAcknowledgement::size(version)));
        let decoded = EdgeMessage::decode(&bytes).unwrap();
        prop_assert_eq!(decoded, message);
        let found = decoded.acknowledgement(connection);
        prop_assert_eq!(found.message(message.addresses, message.edges), message);
    }

    #[test]
    fn an_acknowledgement_survives_the_words_of_a_message(
        [connection, sequence, acknowledgement, timestamp] in any::<[u32; 4]>(),
    ) {
        let it = EdgeAcknowledgement { connection, sequence, acknowledgement, timestamp };
        let message = Packet::message(bridge::PROTOCOL, 3, &it.words(), 56);
        let Body::Message(message) = message.body else { unreachable!("it is one") };
        prop_assert_eq!(EdgeAcknowledgement::from_words(&message.words), it);
        prop_assert_eq!(message.words[4..].iter().sum::<u32>(), 0, "the others are 0");
    }

    #[test]
    fn a_cut_message_is_refused(message in any_message(), share in 0.0..1.0_f64) {
        let bytes = message.encode();
        let cut = (share * bytes.len() as f64) as usize;
        prop_assert!(EdgeMessage::decode(&bytes[..cut]).is_err());
    }

    #[test]
    fn each_wrong_bit_is_noticed(message in any_message()) {
        let bytes = message.encode();
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(EdgeMessage::decode(&changed).is_err(), "bit {}", bit);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = EdgeMessage::decode(&bytes);
    }

    /// Behind right headers, so that the message itself is reached.
    #[test]
    fn an_arbitrary_message_never_panics(payload in vec(any::<u8>(), 0..80), version in 3..8_u8) {
        let mut payload = payload;
        for (byte, value) in payload.iter_mut().zip([1, version, 6, 0]) {
            *byte = value;
        }
        let mut bytes = Vec::new();
        etherparse::PacketBuilder::ipv4([1, 2, 3, 4], [5, 6, 7, 8], 9)
            .udp(bridge::PORT, bridge::PORT)
            .write(&mut bytes, &payload)
            .unwrap();
        let whole = match version {
            4 => payload.len() == 28,
            6 => payload.len() == 52,
            _ => false,
        };
        prop_assert_eq!(EdgeMessage::decode(&bytes).is_ok(), whole);
    }
}
