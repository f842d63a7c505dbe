//! What nodes answer to packets that real hosts send to them as routers.

use std::net::IpAddr;

use crate::routers::{at, chain};
use etherparse::icmpv4::DestUnreachableHeader;
use etherparse::icmpv6::DestUnreachableCode;
use etherparse::{
    IcmpEchoHeader, Icmpv4Type, Icmpv6Type, IpSlice, PacketBuilder, SlicedPacket, TransportSlice,
};
use proptest::prelude::*;
use windtunnel_engine::Time;
use windtunnel_packets::ip::{address_of_node, address_of_node_v6, node_of_address};
use windtunnel_packets::real::RealHeader;
use windtunnel_world::World;

const ECHO: IcmpEchoHeader = IcmpEchoHeader { id: 7, seq: 9 };

fn address(node: usize, is_v6: bool) -> IpAddr {
    if is_v6 { address_of_node_v6(node, 0).into() } else { address_of_node(node, 0).into() }
}

/// An echo request from the first node to another.
fn echo(to: usize, is_v6: bool, hop_limit: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = if is_v6 {
        let [source, destination] = [0, to].map(|it| address_of_node_v6(it, 0).octets());
        let builder = PacketBuilder::ipv6(source, destination, hop_limit);
        builder.icmpv6(Icmpv6Type::EchoRequest(ECHO)).write(&mut bytes, data)
    } else {
        let [source, destination] = [0, to].map(|it| address_of_node(it, 0).octets());
        let builder = PacketBuilder::ipv4(source, destination, hop_limit);
        builder.icmpv4(Icmpv4Type::EchoRequest(ECHO)).write(&mut bytes, data)
    };
    written.unwrap();
    bytes
}

/// What comes back to the first host of a packet to a router, and the world then.
fn answers(to: usize, bytes: &[u8]) -> (Vec<(Time, Vec<u8>)>, World) {
    let mut world = World::new(&chain()).unwrap();
    world.enter_to_router(at(0), [0, to], &RealHeader::parse(bytes).unwrap(), bytes);
    world.advance(at(100));
    let mut all = Vec::new();
    world.departures(|it| {
        assert_eq!(it.to, 0);
        all.push((it.time, it.bytes.to_vec()));
    });
    assert_eq!((world.packets_stored(), world.messages_stored()), (0, 0));
    (all, world)
}

fn hop_limit(bytes: &[u8]) -> u8 {
    match IpSlice::from_slice(bytes).unwrap() {
        IpSlice::Ipv4(it) => it.header().ttl(),
        IpSlice::Ipv6(it) => it.header().hop_limit(),
    }
}

/// Whether a message of ICMP says that it has no such port.
fn is_port_unreachable(bytes: &[u8]) -> bool {
    match SlicedPacket::from_ip(bytes).unwrap().transport {
        Some(TransportSlice::Icmpv4(it)) => {
            it.icmp_type() == Icmpv4Type::DestinationUnreachable(DestUnreachableHeader::Port)
        }
        Some(TransportSlice::Icmpv6(it)) => {
            it.icmp_type() == Icmpv6Type::DestinationUnreachable(DestUnreachableCode::Port)
        }
        _ => false,
    }
}

#[test]
fn a_router_answers_an_echo_request_after_the_round_trip() {
    for (is_v6, router) in [(false, 1), (false, 2), (true, 1), (true, 2)] {
        let data: Vec<u8> = (0..201).map(|it| it as u8).collect();
        let (all, _) = answers(router, &echo(router, is_v6, 64, &data));
        let [(time, bytes)] = &all[..] else { panic!("{all:?}") };
        let header = RealHeader::parse(bytes).unwrap();
        assert_eq!(header.source, address(router, is_v6));
        assert_eq!(header.destination, address(0, is_v6));
        // The reply is the packet that another implementation makes, less the routers on its path.
        let mut expected = Vec::new();
        let limit = 64 - (router as u8 - 1);
        let written = if is_v6 {
            let [source, destination] = [router, 0].map(|it| address_of_node_v6(it, 0).octets());
            PacketBuilder::ipv6(source, destination, limit)
                .icmpv6(Icmpv6Type::EchoReply(ECHO))
                .write(&mut expected, &data)
        } else {
            let [source, destination] = [router, 0].map(|it| address_of_node(it, 0).octets());
            PacketBuilder::ipv4(source, destination, limit)
                .icmpv4(Icmpv4Type::EchoReply(ECHO))
                .write(&mut expected, &data)
        };
        written.unwrap();
        assert_eq!(bytes, &expected);
        let round_trip = 10 * router as u64;
        assert!((at(round_trip)..at(round_trip + 1)).contains(time));
    }
}

#[test]
fn the_hop_limit_of_a_request_must_last_to_the_router() {
    for is_v6 in [false, true] {
        let (all, _) = answers(2, &echo(2, is_v6, 2, b"data"));
        assert_eq!(RealHeader::parse(&all[0].1).unwrap().source, address(2, is_v6));
        let (all, world) = answers(2, &echo(2, is_v6, 1, b"data"));
        assert_eq!(RealHeader::parse(&all[0].1).unwrap().source, address(1, is_v6));
        assert_eq!(world.hop_limit_drops(), 1);
    }
}

#[test]
fn a_router_has_no_ports() {
    for is_v6 in [false, true] {
        for is_tcp in [false, true] {
            let builder = match is_v6 {
                false => PacketBuilder::ipv4(
                    address_of_node(0, 0).octets(),
                    address_of_node(2, 0).octets(),
                    64,
                ),
                true => PacketBuilder::ipv6(
                    address_of_node_v6(0, 0).octets(),
                    address_of_node_v6(2, 0).octets(),
                    64,
                ),
            };
            let mut bytes = Vec::new();
            match is_tcp {
                true => builder.tcp(1, 80, 5, 1000).syn().write(&mut bytes, &[]).unwrap(),
                false => builder.udp(1, 33434).write(&mut bytes, &[0; 12]).unwrap(),
            }
            let (all, world) = answers(2, &bytes);
            let [(_, bytes)] = &all[..] else { panic!("{all:?}") };
            assert!(is_port_unreachable(bytes));
            assert_eq!(RealHeader::parse(bytes).unwrap().source, address(2, is_v6));
            assert_eq!(hop_limit(bytes), 63);
            assert_eq!((world.unroutable(), world.hop_limit_drops()), (0, 0));
        }
    }
}

#[test]
fn an_address_is_that_of_its_node() {
    for node in [0, 1, 255, 70_000] {
        for is_v6 in [false, true] {
            assert_eq!(node_of_address(address(node, is_v6)), Some(node));
        }
    }
    for other in ["10.0.0.0", "11.0.0.1", "10.32.0.1", "fd00::", "fd00:1::1", "fd00::1:0:0:1"] {
        assert_eq!(node_of_address(other.parse().unwrap()), None, "{other}");
    }
    assert_eq!(node_of_address("fd00::ffff:ffff:ffff:ffff".parse().unwrap()), None);
}

proptest! {
    #[test]
    fn any_packet_to_a_router_has_at_most_one_answer(
        mut bytes in prop::collection::vec(any::<u8>(), 48..100), is_v6: bool, kind in 0..4_u8,
    ) {
        let protocol = [1, 58, 6, 17][usize::from(kind)];
        let whole = echo(2, is_v6, 64, &bytes);
        let start = if is_v6 { 40 } else { 20 };
        bytes = [&whole[..start], &bytes[..whole.len() - start - 8]].concat();
        let length = if is_v6 { bytes.len() - 40 } else { bytes.len() } as u16;
        let at = if is_v6 { 4 } else { 2 };
        bytes[at..at + 2].copy_from_slice(&length.to_be_bytes());
        bytes[if is_v6 { 6 } else { 9 }] = protocol;
        let (all, _) = answers(2, &bytes);
        prop_assert!(all.len() <= 1);
        prop_assert!(all.iter().all(|it| RealHeader::parse(&it.1).is_some()));
    }
}
