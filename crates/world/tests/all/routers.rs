//! What nodes do as routers with packets of real hosts: hop limits, MTUs, and ICMP.

use std::net::IpAddr;

use crate::common::{direction, join_unequal, nodes};
use etherparse::icmpv4::DestUnreachableHeader;
use etherparse::{
    Icmpv4Type, Icmpv6Type, IpFragOffset, Ipv4Header, Ipv4HeaderSlice, PacketBuilder, SlicedPacket,
    TransportSlice, icmpv4, icmpv6,
};
use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::{address_of_node, address_of_node_v6};
use windtunnel_packets::real::RealHeader;
use windtunnel_world::{Plan, World};

/// Hosts at the ends of two routers; each link takes 5 ms.
pub(crate) fn chain() -> Plan {
    let mut plan = nodes(&["near", "one", "other", "far"]);
    for first in 0..3 {
        join_unequal(&mut plan, first, first + 1, [direction(1_000, 5), direction(1_000, 5)]);
    }
    plan.attachments = vec![0, 3];
    plan
}

/// A UDP datagram from the host at the first node to that at the last.
fn datagram(is_v6: bool, hop_limit: u8, data: usize) -> Vec<u8> {
    let (v4, v6) = (
        [0, 3].map(|it| address_of_node(it, 0).octets()),
        [0, 3].map(|it| address_of_node_v6(it, 0).octets()),
    );
    let data: Vec<u8> = (0..data).map(|it| it as u8).collect();
    let mut bytes = Vec::new();
    if is_v6 {
        PacketBuilder::ipv6(v6[0], v6[1], hop_limit).udp(1, 2).write(&mut bytes, &data).unwrap();
    } else {
        PacketBuilder::ipv4(v4[0], v4[1], hop_limit).udp(1, 2).write(&mut bytes, &data).unwrap();
    }
    bytes
}

/// The same, that may be fragmented.
fn fragmentable(data: usize) -> Vec<u8> {
    let bytes = datagram(false, 64, data);
    let (mut header, data) = Ipv4Header::from_slice(&bytes).unwrap();
    (header.dont_fragment, header.identification) = (false, 77);
    header.header_checksum = header.calc_header_checksum();
    [&header.to_bytes()[..], data].concat()
}

pub(crate) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

/// What leaves until `end`: when, where, and its bytes.
fn leaving(world: &mut World, end: Time) -> Vec<(Time, usize, Vec<u8>)> {
    let mut all = Vec::new();
    world.advance(end);
    world.departures(|it| all.push((it.time, it.to, it.bytes.to_vec())));
    all
}

fn enter(world: &mut World, now: Time, bytes: &[u8]) {
    world.enter(now, [0, 1], &RealHeader::parse(bytes).unwrap(), bytes);
}

#[derive(Debug, PartialEq, Eq)]
enum Message {
    V4(Icmpv4Type),
    V6(Icmpv6Type),
}

/// Who sent an ICMP message, what it says, and the packet that it quotes.
fn message(bytes: &[u8]) -> (IpAddr, Message, Vec<u8>) {
    let header = RealHeader::parse(bytes).unwrap();
    match SlicedPacket::from_ip(bytes).unwrap().transport {
        Some(TransportSlice::Icmpv4(it)) => {
            let sum: u32 = it
                .slice()
                .chunks(2)
                .map(|it| u32::from(it[0]) << 8 | it.get(1).map_or(0, |it| u32::from(*it)))
                .sum();
            assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff, "the checksum is right");
            (header.source, Message::V4(it.icmp_type()), it.payload().to_vec())
        }
        Some(TransportSlice::Icmpv6(it)) => {
            let SlicedPacket { net: Some(etherparse::NetSlice::Ipv6(ip)), .. } =
                SlicedPacket::from_ip(bytes).unwrap()
            else {
                panic!("it is of IPv6")
            };
            let (source, destination) = (ip.header().source(), ip.header().destination());
            assert!(it.is_checksum_valid(source, destination));
            (header.source, Message::V6(it.icmp_type()), it.payload().to_vec())
        }
        other => panic!("no message of ICMP: {other:?}"),
    }
}

fn address(node: usize, is_v6: bool) -> IpAddr {
    if is_v6 { address_of_node_v6(node, 0).into() } else { address_of_node(node, 0).into() }
}

#[test]
fn each_router_and_no_host_decrements_the_hop_limit() {
    for is_v6 in [false, true] {
        let mut world = World::new(&chain()).unwrap();
        enter(&mut world, at(0), &datagram(is_v6, 64, 100));
        let left = leaving(&mut world, at(100));
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].2, datagram(is_v6, 62, 100));
    }
}

#[test]
fn the_router_where_the_hop_limit_is_used_up_says_so() {
    for (is_v6, hop_limit) in [(false, 1), (false, 2), (true, 1), (true, 2)] {
        let mut world = World::new(&chain()).unwrap();
        enter(&mut world, at(0), &datagram(is_v6, hop_limit, 100));
        let left = leaving(&mut world, at(100));
        let [(time, 0, bytes)] = &left[..] else { panic!("{left:?}") };
        let (router, said, quoted) = message(bytes);
        assert_eq!(router, address(usize::from(hop_limit), is_v6));
        let expected = match is_v6 {
            false => Message::V4(Icmpv4Type::TimeExceeded(
                icmpv4::TimeExceededCode::TtlExceededInTransit,
            )),
            true => {
                Message::V6(Icmpv6Type::TimeExceeded(icmpv6::TimeExceededCode::HopLimitExceeded))
            }
        };
        assert_eq!(said, expected);
        assert_eq!(quoted, datagram(is_v6, 1, 100));
        // There and back over so many links, of 5 ms and some microseconds each.
        assert!((at(0) + Duration::from_millis(10 * u64::from(hop_limit))..).contains(time));
        assert!(*time < at(10 * u64::from(hop_limit) + 1));
        assert_eq!(
            (world.hop_limit_drops(), world.packets_stored(), world.messages_stored()),
            (1, 0, 0)
        );
    }
}

#[test]
fn a_hop_limit_that_reaches_the_host_is_enough() {
    let mut world = World::new(&chain()).unwrap();
    enter(&mut world, at(0), &datagram(false, 3, 100));
    assert_eq!(leaving(&mut world, at(100))[0].1, 1);
}

#[test]
fn the_next_router_reports_that_it_has_no_route_to_an_unknown_address() {
    for is_v6 in [false, true] {
        let mut world = World::new(&chain()).unwrap();
        let bytes = datagram(is_v6, 64, 100);
        world.enter_to_nowhere(at(0), 0, &RealHeader::parse(&bytes).unwrap(), &bytes);
        let left = leaving(&mut world, at(100));
        let [(time, 0, bytes)] = &left[..] else { panic!("{left:?}") };
        let (router, said, _) = message(bytes);
        assert_eq!(router, address(1, is_v6));
        assert_eq!(
            said,
            match is_v6 {
                false =>
                    Message::V4(Icmpv4Type::DestinationUnreachable(DestUnreachableHeader::Network)),
                true => Message::V6(Icmpv6Type::DestinationUnreachable(
                    icmpv6::DestUnreachableCode::NoRoute
                )),
            }
        );
        assert!(*time >= at(10));
        assert_eq!((world.unroutable(), world.messages_stored()), (0, 0));
    }
}

#[test]
fn a_link_with_a_smaller_mtu_is_reported() {
    for is_v6 in [false, true] {
        let mut plan = chain();
        plan.links[1].link_service.mtu = Some(1400);
        let mut world = World::new(&plan).unwrap();
        let headers = if is_v6 { 48 } else { 28 };
        for size in [1400, 1401] {
            enter(&mut world, at(0), &datagram(is_v6, 64, size - headers));
        }
        let left = leaving(&mut world, at(100));
        let [(_, 0, bytes), (_, 1, whole)] = &left[..] else { panic!("{left:?}") };
        assert_eq!(whole.len(), 1400);
        let (router, said, quoted) = message(bytes);
        assert_eq!(router, address(1, is_v6));
        assert_eq!(
            said,
            match is_v6 {
                false => Message::V4(Icmpv4Type::DestinationUnreachable(
                    DestUnreachableHeader::FragmentationNeeded { next_hop_mtu: 1400 },
                )),
                true => Message::V6(Icmpv6Type::PacketTooBig { mtu: 1400 }),
            }
        );
        let longest = if is_v6 { 1280 } else { 576 };
        assert_eq!(bytes.len(), longest);
        assert!(datagram(is_v6, 63, 1401 - headers).starts_with(&quoted));
        assert_eq!(world.too_big(), 1);
    }
}

#[test]
fn the_first_link_is_reported_by_the_router_behind_it() {
    let mut plan = chain();
    plan.links[0].link_service.mtu = Some(600);
    let mut world = World::new(&plan).unwrap();
    enter(&mut world, at(0), &datagram(false, 64, 1000));
    let left = leaving(&mut world, at(100));
    assert_eq!(message(&left[0].2).0, address(1, false));
}

#[test]
fn ipv6_is_carried_up_to_its_least_mtu() {
    let mut plan = chain();
    plan.links[1].link_service.mtu = Some(600);
    let mut world = World::new(&plan).unwrap();
    for size in [1280, 1281] {
        enter(&mut world, at(0), &datagram(true, 64, size - 48));
    }
    let left = leaving(&mut world, at(100));
    assert_eq!(left[0].1, 0);
    assert_eq!(message(&left[0].2).1, Message::V6(Icmpv6Type::PacketTooBig { mtu: 1280 }));
    assert_eq!((left[1].1, left[1].2.len()), (1, 1280));
}

#[test]
fn a_router_sends_ten_messages_a_second() {
    let mut world = World::new(&chain()).unwrap();
    for millisecond in 0..1_000 {
        enter(&mut world, at(millisecond), &datagram(false, 1, 100));
    }
    let left = leaving(&mut world, at(1_500));
    // Ten at once, and one each 100 ms.
    assert!((19..=20).contains(&left.len()), "{}", left.len());
    assert_eq!(world.hop_limit_drops(), 1_000);
}

#[test]
fn nothing_is_said_about_messages_that_report_errors() {
    let mut world = World::new(&chain()).unwrap();
    enter(&mut world, at(0), &datagram(false, 1, 100));
    let mut error = leaving(&mut world, at(100)).remove(0).2;
    error[8] = 1;
    let (mut header, _) = Ipv4Header::from_slice(&error).unwrap();
    header.source = address_of_node(0, 0).octets();
    header.header_checksum = header.calc_header_checksum();
    let error = [&header.to_bytes()[..], &error[20..]].concat();
    enter(&mut world, at(100), &error);
    assert!(leaving(&mut world, at(200)).is_empty());
    assert_eq!(world.hop_limit_drops(), 2);
}

proptest! {
    /// What may be fragmented arrives in parts that fit, and are the whole; all are accounted for.
    #[test]
    fn fragments_are_the_packet(data in 0_usize..1_473, mtus in [300_u16..1_500, 300_u16..1_500]) {
        let mut plan = chain();
        plan.links[1].link_service.mtu = Some(mtus[0]);
        plan.links[2].link_service.mtu = Some(mtus[1]);
        let mut world = World::new(&plan).unwrap();
        let whole = fragmentable(data);
        enter(&mut world, at(0), &whole);
        prop_assert_eq!(world.real_packets([0, 1]).in_flight, 1);
        let parts = leaving(&mut world, at(100));
        prop_assert_eq!(world.real_packets([0, 1]).copies, parts.len() as u64 - 1);
        prop_assert_eq!((world.real_packets([0, 1]).in_flight, world.messages_stored()), (0, 0));
        let mut joined = vec![None; whole.len() - 20];
        for (_, to, bytes) in &parts {
            prop_assert_eq!(*to, 1);
            prop_assert!(bytes.len() <= usize::from(mtus[0].min(mtus[1])));
            let header = Ipv4HeaderSlice::from_slice(bytes).unwrap();
            prop_assert_eq!(header.header_checksum(), header.to_header().calc_header_checksum());
            prop_assert_eq!(header.identification(), 77);
            let offset = usize::from(header.fragments_offset().value()) * 8;
            let end = offset + bytes.len() - 20;
            prop_assert_eq!(header.more_fragments(), end < joined.len());
            for (place, byte) in joined[offset..end].iter_mut().zip(&bytes[20..]) {
                prop_assert_eq!(place.replace(*byte), None);
            }
        }
        let joined: Option<Vec<u8>> = joined.into_iter().collect();
        prop_assert_eq!(joined.as_deref(), Some(&whole[20..]));
    }

    /// Whatever enters where it cannot go is answered at most once, with a whole packet.
    #[test]
    fn any_packet_has_at_most_one_answer(
        mut bytes in prop::collection::vec(any::<u8>(), 20..100), is_v6: bool, protocol: u8,
        offset in 0_u16..0x2000,
    ) {
        if is_v6 {
            bytes.resize(bytes.len().max(40), 0);
            bytes[0] = 0x60;
            let length = (bytes.len() - 40) as u16;
            bytes[4..6].copy_from_slice(&length.to_be_bytes());
            bytes[6] = protocol;
        } else {
            let length = bytes.len() as u16;
            let header = Ipv4Header {
                total_len: length,
                protocol: protocol.into(),
                fragment_offset: IpFragOffset::try_new(offset).unwrap(),
                source: bytes[12..16].try_into().unwrap(),
                destination: bytes[16..20].try_into().unwrap(),
                ..Ipv4Header::default()
            };
            bytes[..20].copy_from_slice(&header.to_bytes());
        }
        let Some(header) = RealHeader::parse(&bytes) else { return Ok(()) };
        let mut world = World::new(&chain()).unwrap();
        world.enter_to_nowhere(at(0), 0, &header, &bytes);
        let left = leaving(&mut world, at(100));
        prop_assert!(left.len() <= 1);
        prop_assert!(left.iter().all(|it| RealHeader::parse(&it.2).is_some()));
        prop_assert!(left.is_empty() || is_v6 || offset == 0);
        prop_assert_eq!((world.packets_stored(), world.messages_stored()), (0, 0));
    }
}
