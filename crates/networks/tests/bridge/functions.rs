//! The edges as functions of their nodes: what they send, and what they count of it.

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::bridge::{
    ACKNOWLEDGED, DestinationEdge, DestinationFunction, DestinationSettings, FORTH, Order,
    RETURNED, SourceFunction,
};
use windtunnel_networks::function::{FunctionActions, LinkState, NetworkFunction, Tap};
use windtunnel_packets::PacketStore;
use windtunnel_packets::bridge::PROTOCOL;

use super::*;

/// What a function does with a packet.
fn receive(
    function: &mut impl NetworkFunction,
    tap: Tap,
    packet: Packet,
) -> (Vec<Packet>, Vec<Packet>) {
    let mut actions = FunctionActions::default();
    function.receive(Time::ZERO, tap, packet, &mut PacketStore::default(), &mut actions);
    (actions.forwarded, actions.sent)
}

fn wake(function: &mut impl NetworkFunction, now: Time, is_idle: bool) -> Vec<Packet> {
    let mut actions = FunctionActions::default();
    function.wake(now, LinkState { free_from: now, is_idle }, &mut actions);
    assert!(actions.sent.is_empty());
    actions.forwarded
}

/// The message that acknowledges a packet.
fn answer(packet: &Packet) -> Packet {
    let size = EdgeAcknowledgement::size(IpVersion::V4);
    Packet::message(PROTOCOL, 1, &acknowledgement(packet).words(), size)
}

/// A source edge that selects everything, and has let three packets leave.
fn three_left(waits_for_idle_link: bool) -> (SourceFunction, Vec<Packet>) {
    let keep = if waits_for_idle_link { Keep::LowPriority } else { Keep::Stalled };
    let settings = SourceSettings { keep, ..everything() };
    let mut function = SourceFunction::new(edge(settings), waits_for_idle_link);
    let packets: Vec<Packet> = (0..3).map(|number| data(0, 1000 * number, 1000)).collect();
    for packet in &packets {
        let (forwarded, sent) = receive(&mut function, FORTH, *packet);
        assert_eq!((forwarded.len(), sent.len()), (1, 0));
        assert_eq!(sequence(&forwarded[0]), sequence(packet));
    }
    (function, packets)
}

#[test]
fn the_source_sends_the_clones_of_what_is_lost_and_counts_their_bytes() {
    let (mut function, packets) = three_left(false);
    let size = u64::from(packets[0].size());
    assert_eq!((function.cloned_bytes(), function.resent_bytes()), (3 * size, 0));
    let (forwarded, sent) = receive(&mut function, ACKNOWLEDGED, answer(&packets[2]));
    assert_eq!(forwarded.iter().map(sequence).collect::<Vec<_>>(), [0, 1000]);
    assert!(sent.is_empty());
    assert_eq!((function.resent_bytes(), function.acknowledgements_received()), (2 * size, 1));
    assert_eq!(function.edge().backlog().packets, 0);
}

#[test]
fn what_is_not_selected_is_not_cloned() {
    let settings = SourceSettings { selected: 0.0, ..everything() };
    let mut function = SourceFunction::new(edge(settings), false);
    let (forwarded, _) = receive(&mut function, FORTH, data(0, 0, 1000));
    assert_eq!(forwarded[0].ecn, Ecn::Capable, "it is protected");
    assert_eq!(function.cloned_bytes(), 0);
}

#[test]
fn what_comes_back_to_the_hosts_passes() {
    let (mut function, _) = three_left(false);
    let back = data(0, 5, 0);
    assert_eq!(receive(&mut function, RETURNED, back), (vec![back], vec![]));
    assert_eq!(function.acknowledgements_received(), 0);
}

/// Clones that wait go when the link has nothing else to send, one each time.
#[test]
fn clones_that_wait_for_an_idle_link_go_when_it_is_idle() {
    let now = Time::ZERO + Duration::from_millis(1);
    let free_from = Time::ZERO + Duration::from_millis(2);
    let link = LinkState { free_from, is_idle: false };
    let (function, _) = three_left(false);
    assert_eq!(function.next_wake(link), Time::NEVER);
    let nothing_left = SourceFunction::new(edge(everything()), true);
    assert_eq!(nothing_left.next_wake(link), Time::NEVER);
    let (mut function, packets) = three_left(true);
    assert_eq!(function.next_wake(link), free_from);
    assert_eq!(wake(&mut function, now, false), []);
    for packet in &packets {
        let forwarded = wake(&mut function, now, true);
        assert_eq!(forwarded.iter().map(sequence).collect::<Vec<_>>(), [sequence(packet)]);
    }
    assert_eq!(wake(&mut function, now, true), []);
    assert_eq!(function.resent_bytes(), 3 * u64::from(packets[0].size()));
    let (mut at_once, _) = three_left(false);
    assert_eq!(wake(&mut at_once, now, true), [], "only those that are missing go again");
}

#[test]
fn the_destination_answers_in_the_version_of_ip_that_it_is_asked_in() {
    let mut function =
        DestinationFunction::new(DestinationEdge::new(DestinationSettings::default()), 9);
    let mut bytes = 0;
    for version in [IpVersion::V4, IpVersion::V6] {
        let mut packet = data(3, 7, 100);
        packet.network_size += version.header() - IpVersion::V4.header();
        let (forwarded, sent) = receive(&mut function, FORTH, packet);
        assert_eq!(forwarded, [packet]);
        let Body::Message(message) = sent[0].body else { panic!("it answers by a message") };
        assert_eq!((message.protocol, message.flow), (PROTOCOL, 9));
        assert_eq!(EdgeAcknowledgement::from_words(&message.words), acknowledgement(&packet));
        assert_eq!(sent[0].network_size, EdgeAcknowledgement::size(version));
        bytes += u64::from(sent[0].network_size);
    }
    assert_eq!(function.acknowledgement_bytes(), bytes);
    assert_eq!(function.edge().counters().acknowledgements, 2);
}

#[test]
fn the_destination_lets_what_it_held_go_when_its_patience_ends() {
    let patience = Duration::from_millis(10);
    let order = Order::InOrder { patience, buffer: 100_000 };
    let edge = DestinationEdge::new(DestinationSettings { order, ..Default::default() });
    let mut function = DestinationFunction::new(edge, 9);
    receive(&mut function, FORTH, data(0, 0, 100));
    let (forwarded, _) = receive(&mut function, FORTH, data(0, 200, 100));
    assert!(forwarded.is_empty(), "100 bytes are missing before it");
    let link = LinkState { free_from: Time::ZERO, is_idle: true };
    let end = Time::ZERO + patience;
    assert_eq!(function.next_wake(link), end);
    assert_eq!(wake(&mut function, end, false).iter().map(sequence).collect::<Vec<_>>(), [200]);
}
