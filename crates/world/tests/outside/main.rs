//! An application, a channel and a physical layer from outside the crates: those of the pages in
//! `docs` that say how to add one; and a network layer that carries the packets of hosts.

#[path = "../common/mod.rs"]
mod common;
mod ping_pong;
mod sine;
mod wrapping;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{
    direction, ip_flow, join, nodes, over_tcp, port, rate, record, recorded, run_flows,
    tcp_counters,
};
use ping_pong::PingPong;
use sine::{BitErrors, Sine};
use windtunnel_applications::{Workload, udp::UdpSettings};
use windtunnel_engine::{Control, Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_queues::QueueLimit;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{DomainsPlan, FlowCounters, Plan, RecordingPlan, Transport, World};
use wrapping::{Wrapper, Wrapping};

const CHANNEL: &str = include_str!("../../../../docs/adding-a-channel.md");
const APPLICATION: &str = include_str!("../../../../docs/adding-an-application.md");

#[test]
fn the_pages_show_exactly_this_code() {
    assert!(APPLICATION.contains(&block(include_str!("ping_pong.rs"))));
    assert!(APPLICATION.contains(&part("ping-pong")));
    assert!(CHANNEL.contains(&block(include_str!("sine.rs"))));
    assert!(CHANNEL.contains(&part("sine")));
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

#[test]
fn an_ip_packet_without_a_path_comes_to_the_layer_that_carries_those_of_hosts() {
    let mut plan = two_hosts();
    plan.flows.push(ip_flow("datagrams", 0, 1, datagrams(1000)));
    let (of, carrier) = (Arc::from([0, 1]), Arc::new(Wrapping));
    plan.domains = Some(DomainsPlan { of, carrier, ndn_header: None, has_plain_paths: false });
    let world = run_flows(&plan);
    let layer = world.layer::<Wrapper>(1, wrapping::PROTOCOL).expect("each node has one");
    assert!(layer.unwrapped > 0);
    assert_eq!(layer.unwrapped, port(&plan, &world, 0, 0).delivered);
    let flow = world.flows().next().expect("there is one");
    let FlowCounters::Udp(_, sink) = flow.counters else { panic!("it goes over UDP") };
    assert_eq!(sink.datagrams, layer.unwrapped);
}

/// Two hosts and a flow between them.
fn two_hosts() -> Plan {
    let mut plan = nodes(&["a", "b"]);
    join(&mut plan, 0, 1, &direction(100, 10));
    plan
}

/// Puts ping-pong onto both; returns the count of what they receive.
fn play(plan: &mut Plan) -> Arc<AtomicU64> {
    // page: ping-pong
    let received = Arc::new(AtomicU64::new(0));
    let begins = Time::NEVER;
    let maker = PingPong { bytes: 1000, received: Arc::clone(&received), begins };
    let workload = Workload::External(Arc::new(maker));
    // page: ping-pong
    let transport = over_tcp(Recovery::Rack, EcnMode::Off, workload);
    plan.flows.push(ip_flow("ping-pong", 0, 1, transport));
    received
}

#[test]
fn the_bytes_arrive_once_in_half_a_round_trip() {
    let mut plan = two_hosts();
    let received = play(&mut plan);
    // The handshake, then 10 ms and the time of 1052 bytes at 100 Mbps.
    plan.duration = Duration::from_micros(21_000 + 100 * 10_085);
    let world = run_flows(&plan);
    assert_eq!(received.load(Ordering::Relaxed), 100);
    let counters = tcp_counters(&world, 0);
    assert_eq!((counters.connections, counters.receiver.received_bytes), (1, 50_000));
    assert_eq!(counters.sender.received_bytes, 50_000);
}

/// Two hosts and a link of 8 Mbps on which one sends the other datagrams of that size, in
/// bytes with all headers, faster than it can.
fn saturated(size: u16) -> Plan {
    let mut plan = nodes(&["a", "b"]);
    join(&mut plan, 0, 1, &direction(8, 1));
    plan.flows.push(ip_flow("datagrams", 0, 1, datagrams(size)));
    plan.links[0].directions[0].limit = QueueLimit::Packets(20);
    plan
}

fn datagrams(size: u16) -> Transport {
    let (ip, rate, payload) = (IpVersion::V4, rate(20_000_000), size - 28);
    Transport::Udp(UdpSettings::of_rate(ip, rate, payload))
}

/// Has its link follow a sine, with a physical layer where bits are wrong.
fn swing(plan: &mut Plan, probability: f64, preamble: Duration) {
    let link = &mut plan.links[0];
    // page: sine
    link.channel = Some(Arc::new(Sine { period: Duration::from_secs(2) }));
    for direction in &mut link.directions {
        direction.physical_layer = Some(Arc::new(BitErrors { probability, preamble }));
    }
    // page: sine
}

/// The mean of 1 + sin(x)/2 is 1 + 1/π over the first half of a period, and 1 − 1/π over
/// the second.
#[test]
fn a_link_carries_what_its_channel_lets_it() {
    let mut plan = saturated(1000);
    swing(&mut plan, 0.0, Duration::ZERO);
    plan.recording = RecordingPlan::every(Duration::from_secs(1));
    let mut world = World::new(&plan).expect("a link joins the hosts");
    let series = record(&plan, &mut world, 100);
    let _ = world.run(&Control::default(), None);
    let series = recorded(&series);
    assert_eq!(series.ports.len(), 20);
    for (number, sample) in series.ports.iter().step_by(2).enumerate() {
        let swing = std::f64::consts::FRAC_1_PI * if number % 2 == 0 { 1.0 } else { -1.0 };
        let expected = 8e6 * (1.0 + swing);
        let error = (sample.throughput_bps / expected - 1.0).abs();
        assert!(error < 0.005, "{} of {expected} in {number}", sample.throughput_bps);
    }
}

#[test]
fn a_packet_is_lost_with_the_probability_that_its_size_gives_it() {
    let probability = 1e-4;
    for size in [60, 200, 700, 1500] {
        let mut plan = saturated(size);
        swing(&mut plan, probability, Duration::ZERO);
        let world = run_flows(&plan);
        let port = port(&plan, &world, 0, 0);
        let packets = (port.delivered + port.losses) as f64;
        let expected = 1.0 - (1.0 - probability).powi(8 * i32::from(size));
        let standard_error = (expected * (1.0 - expected) / packets).sqrt();
        let share = port.losses as f64 / packets;
        assert!((share - expected).abs() < 4.0 * standard_error, "{share} of {expected}");
    }
}

/// Four packets of 1 ms and a preamble of 1 ms.
#[test]
fn a_preamble_takes_airtime_once_for_packets_that_are_sent_together() {
    let mut plan = saturated(1000);
    swing(&mut plan, 0.0, Duration::from_millis(1));
    plan.links[0].channel = None;
    let world = run_flows(&plan);
    let delivered = port(&plan, &world, 0, 0).delivered;
    assert!(delivered.abs_diff(8000) <= 4, "{delivered}");
}

/// Four packets of 1 ms and a preamble of 1 ms alone; 1 ms for each with a preamble if
/// two directions take turns.
#[test]
fn packets_of_another_direction_in_between_end_a_transmission() {
    let mut plan = saturated(1000);
    swing(&mut plan, 0.0, Duration::from_millis(1));
    plan.links[0].channel = None;
    plan.links[0].medium = Some(0);
    let alone = port(&plan, &run_flows(&plan), 0, 0).delivered;
    assert!(alone.abs_diff(8000) <= 4, "{alone}");
    plan.flows.push(ip_flow("back", 1, 0, datagrams(1000)));
    let world = run_flows(&plan);
    for side in [0, 1] {
        let delivered = port(&plan, &world, 0, side).delivered;
        assert!(delivered.abs_diff(2500) <= 4, "{delivered}");
    }
}
