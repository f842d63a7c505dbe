//! Packets of real hosts: they enter at attachments, wait in queues and travel on links like any
//! others, and leave as they came.

use crate::common;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::common::{direction, join_unequal, nodes};
use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::{Addresses, encode_udp};
use windtunnel_packets::real::{RealHeader, decrement_hop_limit};
use windtunnel_packets::{Dscp, Ecn};
use windtunnel_queues::QueueLimit;
use windtunnel_world::{Entry, LinkChange, Plan, PortId, Sharing, World};

/// A UDP datagram whose data are its number, over and over.
fn datagram(number: u32, length: usize, ecn: Ecn, port: u16, is_v6: bool) -> Vec<u8> {
    let data: Vec<u8> = number.to_be_bytes().into_iter().cycle().take(length).collect();
    let mut addresses = if is_v6 {
        let end = |it| std::net::SocketAddrV6::new(Ipv6Addr::from(it), port, 0, 0);
        Addresses::V6 { source: end(1_u128), destination: end(2) }
    } else {
        let end = |it| std::net::SocketAddrV4::new(Ipv4Addr::from(it), port);
        Addresses::V4 { source: end(1_u32), destination: end(2) }
    };
    addresses.set_ports([port; 2]);
    encode_udp(&data, Dscp::DEFAULT, ecn, &addresses)
}

/// Two hosts at the ends of a router, whose second link has 8 Mbps and 10 ms.
fn dumbbell() -> Plan {
    let mut plan = nodes(&["near", "router", "far"]);
    join_unequal(&mut plan, 0, 1, [direction(1_000, 0), direction(1_000, 0)]);
    join_unequal(&mut plan, 1, 2, [direction(8, 10), direction(8, 10)]);
    plan.attachments = vec![0, 2];
    plan
}

/// The packet as one router leaves it.
fn behind_a_router(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    assert!(decrement_hop_limit(&mut bytes));
    bytes
}

struct Left {
    time: Time,
    delay: Duration,
    ends: [usize; 2],
    bytes: Vec<u8>,
    is_marked: bool,
}

fn departures(world: &mut World) -> Vec<Left> {
    let mut all = Vec::new();
    world.departures(|it| {
        let (ends, bytes) = ([it.from, it.to], it.bytes.to_vec());
        all.push(Left { time: it.time, delay: it.delay, ends, bytes, is_marked: it.is_marked });
    });
    all
}

fn enter(world: &mut World, now: Time, ends: [usize; 2], bytes: &[u8]) -> Entry {
    world.enter(now, ends, &RealHeader::parse(bytes).unwrap(), bytes)
}

fn at(microseconds: u64) -> Time {
    Time::ZERO + Duration::from_micros(microseconds)
}

#[test]
fn a_packet_takes_what_its_bytes_and_the_links_take() {
    let mut world = World::new(&dumbbell()).unwrap();
    let bytes = datagram(7, 972, Ecn::NotCapable, 80, false);
    assert_eq!(bytes.len(), 1000);
    assert_eq!(enter(&mut world, at(5), [0, 1], &bytes), Entry::Entered);
    world.advance(at(50_000));
    let left = departures(&mut world);
    // 8 µs at 1 Gbps, 1 ms at 8 Mbps, and 10 ms of propagation.
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].time, left[0].delay), (at(5 + 8 + 11_000), Duration::from_micros(11_008)));
    assert_eq!((left[0].ends, left[0].is_marked), ([0, 1], false));
    assert_eq!(left[0].bytes, behind_a_router(&bytes));
    assert_eq!((world.packets_stored(), world.messages_stored()), (0, 0));
}

#[test]
fn what_was_to_happen_before_a_packet_enters_has_happened() {
    let mut world = World::new(&dumbbell()).unwrap();
    let bytes = datagram(7, 972, Ecn::NotCapable, 80, false);
    enter(&mut world, at(0), [0, 1], &bytes);
    enter(&mut world, at(50_000), [0, 1], &bytes);
    assert_eq!(departures(&mut world).len(), 1);
}

#[test]
fn packets_go_both_ways_and_no_path_is_told() {
    let mut plan = dumbbell();
    plan.nodes.push(nodes(&["island"]).nodes.remove(0));
    plan.attachments.push(3);
    let mut world = World::new(&plan).unwrap();
    let bytes = datagram(1, 100, Ecn::NotCapable, 80, true);
    assert_eq!(enter(&mut world, at(0), [1, 0], &bytes), Entry::Entered);
    assert_eq!(enter(&mut world, at(0), [0, 2], &bytes), Entry::Unreachable);
    world.advance(at(50_000));
    assert_eq!(departures(&mut world).iter().map(|it| it.ends).collect::<Vec<_>>(), [[1, 0]]);
}

#[test]
fn an_overfull_queue_drops_the_last_ones() {
    let mut plan = dumbbell();
    plan.links[1].directions[0].limit = QueueLimit::Packets(10);
    let mut world = World::new(&plan).unwrap();
    for number in 0..50 {
        let bytes = datagram(number, 972, Ecn::Capable, 80, false);
        assert_eq!(enter(&mut world, at(0), [0, 1], &bytes), Entry::Entered);
    }
    world.advance(at(1_000_000));
    let left = departures(&mut world);
    // One is sent while ten wait; the access link feeds 125 times as fast as the bottleneck.
    assert_eq!(left.len(), 11);
    let drops: u64 = world.ports(at(0)).map(|(it, _)| it.dropped()).sum();
    assert_eq!(drops, 39);
    assert!(left.is_sorted_by_key(|it| it.time));
    let number = |it: &Left| u32::from_be_bytes([28, 29, 30, 31].map(|at| it.bytes[at]));
    assert!(left.iter().map(number).eq(0..11));
}

#[test]
fn an_active_queue_marks_what_may_be_marked() {
    let mut plan = dumbbell();
    plan.links[1].directions[0].discipline =
        common::codel(windtunnel_queues::CongestionAction::Mark);
    let mut world = World::new(&plan).unwrap();
    for number in 0..400 {
        let ecn = if number % 2 == 0 { Ecn::Capable } else { Ecn::NotCapable };
        let bytes = datagram(number, 972, ecn, 80, number % 3 == 0);
        enter(&mut world, at(0), [0, 1], &bytes);
    }
    world.advance(at(2_000_000));
    let left = departures(&mut world);
    assert!(left.iter().any(|it| it.is_marked) && left.len() < 400);
    for it in &left {
        let header = RealHeader::parse(&it.bytes).unwrap();
        assert_eq!(header.ecn == Ecn::Congestion, it.is_marked);
        // The checksum of an IPv4 header is right, with the mark or without.
        if it.bytes[0] >> 4 == 4 {
            let words = it.bytes[..20].chunks(2).map(|it| u32::from(it[0]) << 8 | u32::from(it[1]));
            let sum: u32 = words.sum();
            assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff);
        }
    }
}

#[test]
fn flows_share_equal_paths_by_their_ports() {
    let mut plan = nodes(&["near", "one", "other", "far"]);
    let both = || [direction(100, 1), direction(100, 1)];
    for [first, second] in [[0, 1], [1, 3], [0, 2], [2, 3]] {
        join_unequal(&mut plan, first, second, both());
    }
    plan.attachments = vec![0, 3];
    plan.routing.sharing = Sharing::Flows;
    let mut world = World::new(&plan).unwrap();
    for number in 0..200 {
        let bytes = datagram(number, 100, Ecn::NotCapable, 1000 + number as u16 % 100, false);
        enter(&mut world, at(u64::from(number) * 100), [0, 1], &bytes);
    }
    world.advance(at(1_000_000));
    assert_eq!(departures(&mut world).len(), 200);
    let sent: Vec<u64> = world.ports(at(0)).map(|(it, _)| it.delivered).collect();
    // A fair coin for each of 100 flows: five standard deviations are 25 flows, 50 packets.
    assert!((50..=150).contains(&sent[0]) && sent[0].is_multiple_of(2), "{sent:?}");
    assert_eq!(sent[0] + sent[4], 200);
}

proptest! {
    /// Whatever enters leaves, waits, or was dropped where that is counted; each flow in order.
    #[test]
    fn nothing_is_lost_unaccounted(
        packets in prop::collection::vec((0_u64..3_000, 0_u32..2, 0_usize..1_400, any::<bool>()), 1..200),
        limit in 1_u32..20,
        cut in 0_u64..200_000,
    ) {
        let mut plan = dumbbell();
        plan.links[1].directions[0].limit = QueueLimit::Packets(limit);
        plan.links[1].directions[1].limit = QueueLimit::Packets(limit);
        for (time, change) in [(cut, LinkChange::Down), (cut + 40_000, LinkChange::Up)] {
            let port = PortId::new(1, 0);
            plan.changes.push(windtunnel_world::ChangePlan { time: at(time), port, change });
        }
        let mut world = World::new(&plan).unwrap();
        let (mut now, mut left, mut sent) = (0, Vec::new(), BTreeMap::new());
        for (number, (gap, to, length, is_v6)) in (0..).zip(&packets) {
            now += gap;
            let bytes = datagram(number, length + 4, Ecn::Capable, 80, *is_v6);
            let ends = [1 - *to as usize, *to as usize];
            prop_assert_eq!(enter(&mut world, at(now), ends, &bytes), Entry::Entered);
            sent.insert(number, bytes);
            left.extend(departures(&mut world));
        }
        let in_flight: u64 = [[0, 1], [1, 0]].map(|it| world.real_packets(it).in_flight).iter().sum();
        let lost = world.ports(at(0)).map(|(it, _)| it.dropped()).sum::<u64>();
        prop_assert_eq!(left.len() as u64 + lost + in_flight, packets.len() as u64);
        world.advance(at(9_999_999));
        left.extend(departures(&mut world));
        let lost = world.ports(at(0)).map(|(it, _)| it.dropped()).sum::<u64>();
        prop_assert_eq!(left.len() as u64 + lost, packets.len() as u64);
        prop_assert_eq!((world.packets_stored(), world.messages_stored()), (0, 0));
        let mut last = [None; 2];
        for it in &left {
            let data = if it.bytes[0] >> 4 == 6 { 48 } else { 28 };
            let number = u32::from_be_bytes([0, 1, 2, 3].map(|at| it.bytes[data + at]));
            prop_assert_eq!(&it.bytes, &behind_a_router(&sent[&number]));
            prop_assert!(last[it.ends[0]] < Some(number));
            last[it.ends[0]] = Some(number);
        }
    }
}
