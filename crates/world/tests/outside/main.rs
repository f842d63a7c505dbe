//! A network layer and an application from outside the crates: those of the pages in
//! `docs` that say how to add one.

#[path = "../common/mod.rs"]
mod common;
mod flooding;
mod ping_pong;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{direction, ip_flow, join, nodes, over_tcp, ports, run_flows, tcp_counters};
use flooding::Flooding;
use ping_pong::PingPong;
use windtunnel_applications::Workload;
use windtunnel_engine::{Duration, Time};
use windtunnel_networks::layer::LayerMaker;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{ChangePlan, LinkChange, Plan, PortId, World};

const NETWORK_LAYER: &str = include_str!("../../../../docs/adding-a-network-layer.md");
const APPLICATION: &str = include_str!("../../../../docs/adding-an-application.md");

#[test]
fn the_pages_show_exactly_this_code() {
    assert!(NETWORK_LAYER.contains(&block(include_str!("flooding.rs"))));
    assert!(NETWORK_LAYER.contains(&part("flooding")));
    assert!(APPLICATION.contains(&block(include_str!("ping_pong.rs"))));
    assert!(APPLICATION.contains(&part("ping-pong")));
}

fn block(code: &str) -> String {
    format!("```rust\n{code}```\n")
}

/// The part of this file between two comments of that name, as the page shows it.
fn part(name: &str) -> String {
    let marker = format!("    // page: {name}\n");
    let code = include_str!("main.rs").split(&marker).nth(1).expect("two comments");
    let lines = code.lines().map(|it| it.strip_prefix("    ").unwrap_or(it));
    format!("```rust,ignore\n{}\n```\n", lines.collect::<Vec<_>>().join("\n"))
}

/// A ring of six nodes and one link across it.
fn ring() -> Plan {
    let mut plan = nodes(&["a", "b", "c", "d", "e", "f"]);
    for node in 0..6 {
        join(&mut plan, node, (node + 1) % 6, &direction(10, 5));
    }
    join(&mut plan, 0, 2, &direction(10, 5));
    plan.duration = Duration::from_millis(950);
    plan
}

/// Puts flooding onto all nodes; returns the counts of what they receive.
fn flood(plan: &mut Plan) -> Arc<[AtomicU64]> {
    // page: flooding
    let received: Arc<[AtomicU64]> = plan.nodes.iter().map(|_| AtomicU64::new(0)).collect();
    let interval = Duration::from_millis(100);
    let layer: Arc<dyn LayerMaker> =
        Arc::new(Flooding { source: 0, interval, received: Arc::clone(&received) });
    plan.nodes.iter_mut().for_each(|it| it.layers.push(Arc::clone(&layer)));
    // page: flooding
    received
}

fn counts(received: &[AtomicU64]) -> Vec<u64> {
    received.iter().map(|it| it.load(Ordering::Relaxed)).collect()
}

#[test]
fn a_flooded_message_reaches_each_node_once_and_crosses_no_link_direction_twice() {
    let mut plan = ring();
    let received = flood(&mut plan);
    let world = run_flows(&plan);
    assert_eq!(counts(&received), [0, 10, 10, 10, 10, 10]);
    // All send through all ports but the one that the message came by.
    let (ends, others) = (2 * plan.links.len() as u64, plan.nodes.len() as u64 - 1);
    assert_eq!(world.packet_hops(), 10 * (ends - others));
    assert!(ports(&plan, &world).iter().all(|it| it.delivered <= 10));
}

#[test]
fn a_message_takes_one_delay_a_hop_and_finds_the_way_around_a_failed_link() {
    let mut plan = ring();
    let received = flood(&mut plan);
    let port = PortId::new(0, 0);
    let time = Time::ZERO + Duration::from_millis(250);
    plan.changes.push(ChangePlan { time, port, change: LinkChange::Down });
    let mut world = World::new(&plan).expect("nobody asks for a path");
    // 5 ms and 80 us a hop.
    world.advance(Time::ZERO + Duration::from_micros(10_159));
    assert_eq!(counts(&received), [0, 1, 1, 0, 0, 1]);
    world.advance(Time::ZERO + Duration::from_micros(10_160));
    assert_eq!(counts(&received), [0, 1, 1, 1, 1, 1]);
    world.advance(plan.end());
    assert_eq!(counts(&received), [0, 10, 10, 10, 10, 10]);
}

/// Two hosts and a flow between them.
fn two_hosts() -> Plan {
    let mut plan = nodes(&["a", "b"]);
    join(&mut plan, 0, 1, &direction(100, 10));
    plan
}

/// Puts ping-pong onto both; returns the count of rounds.
fn play(plan: &mut Plan) -> Arc<AtomicU64> {
    // page: ping-pong
    let rounds = Arc::new(AtomicU64::new(0));
    let pause = Duration::from_millis(80);
    let maker = PingPong { bytes: 1000, pause, rounds: Arc::clone(&rounds) };
    let workload = Workload::External(Arc::new(maker));
    // page: ping-pong
    let transport = over_tcp(Recovery::Rack, EcnMode::Off, workload);
    plan.flows.push(ip_flow("ping-pong", 0, 1, transport));
    rounds
}

#[test]
fn a_round_takes_a_round_trip_and_the_pause() {
    let mut plan = two_hosts();
    let rounds = play(&mut plan);
    // The handshake, then 100.17 ms a round with the time of 1052 bytes there and back.
    plan.duration = Duration::from_millis(20 + 50 * 101);
    let world = run_flows(&plan);
    assert_eq!(rounds.load(Ordering::Relaxed), 51);
    let counters = tcp_counters(&world, 0);
    assert_eq!((counters.connections, counters.receiver.received_bytes), (1, 51_000));
}

#[test]
fn what_stops_closes_its_connection_and_begins_no_round() {
    let mut plan = two_hosts();
    let rounds = play(&mut plan);
    plan.flows[0].stop = Time::ZERO + Duration::from_millis(500);
    let world = run_flows(&plan);
    assert_eq!(rounds.load(Ordering::Relaxed), 5);
    assert_eq!(world.packets_in_transit(), 0);
    assert_eq!(tcp_counters(&world, 0).receiver.received_bytes, 5000);
}
