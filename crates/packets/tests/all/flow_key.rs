//! Flow keys: one for all packets of a flow, and different ones for different flows.

use std::collections::BTreeSet;

use windtunnel_engine::Time;
use windtunnel_packets::bridge::{EdgeAcknowledgement, PROTOCOL};
use windtunnel_packets::dns::DnsMessage;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::ndn::{Data, Interest, Nack, NackReason, Name, PacketFormat, PrefixId};
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, FlowKey, Packet, PacketStore, Route};

fn packet(body: Body, place: u32) -> Packet {
    Packet { body, ecn: Ecn::Capable, network_size: 100, hops: 0, route: Route(place) }
}

fn interest(prefix: usize, segment: u64) -> Interest {
    let name = Name { prefix: PrefixId::new(prefix, PacketFormat::Ndn), segment };
    Interest { name, nonce: 1, lifetime_ms: 4000, hop_limit: None, must_be_fresh: false }
}

/// A packet of each protocol that has the number of its flow in it.
fn each_protocol(number: u32) -> [Packet; 5] {
    let segment = Segment::new(number, 1000, Flags::ACK);
    let datagram = Datagram {
        flow: number,
        length: 100,
        sequence: 3,
        sent: Time::ZERO,
        dscp: Dscp::DEFAULT,
        path: 0,
        content: None,
    };
    let message = DnsMessage {
        between: [1, 2],
        resolver: Some(number),
        version: IpVersion::V4,
        bytes: PacketStore::default().insert_message(Vec::new()),
    };
    let words = EdgeAcknowledgement::of(&segment).words();
    [
        packet(Body::Interest(interest(number as usize, 7)), 0),
        packet(Body::Segment(segment), 0),
        packet(Body::Datagram(datagram), 0),
        packet(Body::Dns(message), 0),
        Packet::message(PROTOCOL, number, &words, 100),
    ]
}

#[test]
fn flows_of_any_protocol_have_different_keys() {
    let packets = (0..100).flat_map(each_protocol);
    let keys: BTreeSet<_> = packets.map(|it| it.flow_key()).collect();
    assert_eq!(keys.len(), 500);
}

#[test]
fn all_segments_of_a_connection_have_the_same_key() {
    let key = |sequence, flags, place| {
        packet(Body::Segment(Segment::new(5, sequence, flags)), place).flow_key()
    };
    assert_eq!(key(0, Flags::SYN, 1), key(1000, Flags::ACK, 2));
}

#[test]
fn all_packets_below_a_prefix_have_the_same_key() {
    let interest = interest(5, 7);
    let name = Name { segment: 8, ..interest.name };
    let data = Data { name, content: 1000, freshness_ms: 0 };
    let nack = Nack { interest, reason: NackReason::CONGESTION };
    let bodies = [Body::Interest(interest), Body::Data(data), Body::Nack(nack)];
    let keys: BTreeSet<_> = bodies.map(|it| packet(it, 0).flow_key()).into_iter().collect();
    assert_eq!(keys.len(), 1);
}

#[test]
fn flows_of_one_protocol_have_different_keys_also_in_tunnels() {
    let makers = [
        FlowKey::of_prefix,
        FlowKey::of_connection,
        FlowKey::of_datagrams,
        FlowKey::of_messages,
        |it| FlowKey::of_tunnel([it, 1]),
        |it| FlowKey::of_tunnel([1, it]),
        |it: u32| FlowKey::of_regions(it.into()),
    ];
    let keys: BTreeSet<_> = makers.iter().flat_map(|it| [0, 2, u32::MAX].map(it)).collect();
    assert_eq!(keys.len(), 21);
}
