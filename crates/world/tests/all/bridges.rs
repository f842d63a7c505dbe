//! Bridges: what their edges do to the packets of flows, and to nobody else's.

use crate::common;
use std::sync::Arc;

use crate::common::{
    bridge, codel, direction, ip_flow, join, join_unequal, nodes, over_tcp, ports, run_flows,
    tcp_counters,
};
use windtunnel_applications::{BulkSettings, FileSettings, Workload};
use windtunnel_engine::{Control, Duration};
use windtunnel_links::{Loss, Victims};
use windtunnel_networks::bridge::{Duplicates, Keep, Order, Resend};
use windtunnel_queues::CongestionAction;
use windtunnel_transports::tcp::{EcnMode, Recovery, TcpSettings};
use windtunnel_world::{BridgeCounters, FlowPlan, Plan, Transport, World};

// The nodes of a line: a host, the edges, another host.
const HOST: usize = 0;
const FROM: usize = 1;
const TO: usize = 2;
const OTHER: usize = 3;

const BULK: Workload = Workload::Bulk(BulkSettings { rate: None });

/// A flow over TCP from one of these nodes to another.
fn over(from: usize, to: usize, ecn: EcnMode, workload: Workload) -> FlowPlan {
    ip_flow(&format!("from {from} to {to}"), from, to, over_tcp(Recovery::Rack, ecn, workload))
}

/// The settings of the first flow.
fn tcp(plan: &mut Plan) -> &mut TcpSettings {
    match &mut plan.flows[0].transport {
        Transport::Tcp { settings, .. } => Arc::make_mut(settings),
        Transport::Udp(_) | Transport::Stack { .. } => panic!("it goes over TCP"),
    }
}

/// A host, two edges 20 ms of round trip apart, and another host; no flow yet.
fn line() -> Plan {
    let mut plan = nodes(&["host", "from", "to", "other"]);
    join(&mut plan, HOST, FROM, &direction(200, 1));
    join(&mut plan, FROM, TO, &direction(50, 10));
    join(&mut plan, TO, OTHER, &direction(200, 1));
    plan.bridges.push(bridge(FROM, TO));
    plan.duration = Duration::from_secs(5);
    plan
}

/// The line with one flow over it, of whose selected packets some are lost between
/// the edges.
fn lossy(loss: f64, workload: Workload) -> Plan {
    let mut plan = line();
    plan.flows.push(over(HOST, OTHER, EcnMode::Off, workload));
    let between = &mut plan.links[1].directions[0];
    (between.loss, between.victims) = (Loss::Bernoulli(loss), Victims::NotCapable);
    plan
}

/// Runs a line, whose packets must all be accounted for: on links, and in the edges.
fn run(plan: &Plan) -> World {
    let world = run_flows(plan);
    let ports = ports(plan, &world);
    if let Some(it) = world.bridges().next() {
        let [there, out_of_from] = [ports[0].delivered, ports[2].offered];
        assert_eq!(there + it.source.resent, out_of_from, "through the source edge");
        let [arrived, out_of_to] = [ports[2].delivered, ports[4].offered];
        assert_eq!(arrived, out_of_to + u64::from(it.waiting.packets), "the destination edge");
        let [back, out_of_to] = [ports[5].delivered, ports[3].offered];
        assert_eq!(back + it.destination.acknowledgements, out_of_to, "back through `to`");
        let [arrived, out_of_from] = [ports[3].delivered, ports[1].offered];
        let absorbed = it.acknowledgements_received + it.source.suppressed;
        assert_eq!(arrived, out_of_from + absorbed, "back through `from`");
        let source = it.source;
        let gone = source.acknowledged + source.resent + source.expired;
        assert_eq!(source.cloned, gone + u64::from(it.stalled.packets), "clones");
    }
    world
}

fn bridged(world: &World) -> BridgeCounters {
    world.bridges().next().expect("the plan has a bridge")
}

/// The share of a flow's segments that the host sent again, in runs with several seeds: a
/// late original that is taken for its retransmission can make a host repair a whole window.
fn share_retransmitted(plan: &Plan) -> f64 {
    let mut plan = plan.clone();
    let (mut retransmissions, mut segments) = (0, 0);
    for seed in 1..=8 {
        plan.seed = seed;
        let sender = tcp_counters(&run(&plan), 0).sender;
        retransmissions += sender.retransmissions;
        segments += sender.segments;
    }
    retransmissions as f64 / segments as f64
}

#[test]
fn without_loss_every_byte_arrives_and_nothing_is_sent_again() {
    let bytes = 5_000_001;
    let world = run(&lossy(0.0, Workload::File(FileSettings { bytes })));
    let (flow, bridge) = (tcp_counters(&world, 0), bridged(&world));
    assert_eq!(flow.receiver.received_bytes, bytes);
    assert_eq!((flow.sender.retransmissions, bridge.source.resent), (0, 0));
    // Three standard deviations of a binomial variable.
    let packets = bridge.source.forwarded as f64;
    let off = bridge.source.selected as f64 - 0.1 * packets;
    assert!(off.abs() < 3.0 * (0.09 * packets).sqrt(), "{off} of {packets}");
    assert_eq!(bridge.source.acknowledged, bridge.source.selected);
    assert_eq!((bridge.stalled.packets, bridge.stalled.bytes), (0, 0));
}

#[test]
fn what_the_network_drops_of_the_selected_arrives_by_the_clones() {
    let bytes = 10_000_001;
    let plan = lossy(0.05, Workload::File(FileSettings { bytes }));
    let world = run(&plan);
    let (flow, bridge) = (tcp_counters(&world, 0), bridged(&world));
    assert_eq!(flow.receiver.received_bytes, bytes);
    let lost = ports(&plan, &world)[2].losses;
    assert!(lost > 20 && bridge.source.resent > 20, "{lost} lost, {}", bridge.source.resent);
    // Only clones are sent whose packets were lost, since packets keep their order.
    assert!(bridge.source.resent <= lost);
}

#[test]
fn hosts_repair_less_with_a_bridge_and_nothing_if_it_keeps_the_order() {
    let mut plan = lossy(0.05, BULK);
    let with = share_retransmitted(&plan);
    plan.bridges[0].source.resend = Resend::Capable;
    let patience = Duration::from_secs(1);
    plan.bridges[0].destination.order = Order::InOrder { patience, buffer: 10_000_000 };
    let in_order = run(&plan);
    assert!(bridged(&in_order).destination.held > 0);
    assert_eq!(tcp_counters(&in_order, 0).sender.retransmissions, 0);
    plan.bridges.clear();
    let without = share_retransmitted(&plan);
    // A twentieth is lost, and of the selected tenth a twentieth.
    assert!(with > 0.0 && 5.0 * with < without, "{with} with, {without} without");
}

#[test]
fn without_a_bridge_loss_of_the_selected_takes_all_that_is_not_ecn_capable() {
    let mut plan = lossy(1.0, BULK);
    plan.bridges.clear();
    assert_eq!(tcp_counters(&run(&plan), 0).receiver.received_bytes, 0);
    plan.links[1].directions[0].victims = Victims::All;
    assert_eq!(tcp_counters(&run(&plan), 0).receiver.received_bytes, 0);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let mut plan = lossy(0.05, BULK);
    let all = |plan: &Plan| {
        let world = run(plan);
        let received = tcp_counters(&world, 0).receiver.received_bytes;
        (bridged(&world), ports(plan, &world), received)
    };
    let first = all(&plan);
    assert_eq!(first, all(&plan));
    plan.seed += 1;
    assert_ne!(first, all(&plan));
}

#[test]
fn a_flow_the_other_way_and_one_that_leaves_before_are_untouched() {
    let mut plan = line();
    plan.nodes.push(plan.nodes[OTHER].clone());
    join(&mut plan, FROM, 4, &direction(20, 5));
    plan.bridges[0].source.duplicates =
        Duplicates::Suppress { round_trip: Duration::from_millis(20) };
    plan.flows.push(over(OTHER, HOST, EcnMode::Off, BULK));
    plan.flows.push(over(HOST, 4, EcnMode::Off, BULK));
    let outcome = |plan: &Plan| {
        let mut world = World::new(plan).expect("links join the nodes of every flow");
        let (_, events) = world.run(&Control::default(), None);
        let seen = |it: BridgeCounters| it.source.forwarded + it.destination.received;
        let seen: u64 = world.bridges().map(seen).sum();
        ([0, 1].map(|it| tcp_counters(&world, it)), ports(plan, &world), events, seen)
    };
    let with = outcome(&plan);
    assert_eq!(with.3, 0, "the edges see nothing of them");
    plan.bridges.clear();
    assert_eq!(with, outcome(&plan));
}

#[test]
fn an_edge_that_hears_nothing_harms_nothing_but_its_buffer() {
    let mut plan = lossy(0.0, BULK);
    // What the other host sends back takes another way than the edges' messages.
    join_unequal(&mut plan, OTHER, HOST, [direction(200, 11), direction(200, 1000)]);
    plan.links[1].directions[1].loss = Loss::Bernoulli(1.0);
    plan.bridges[0].source.buffer = 100_000;
    let outcome = |plan: &Plan| {
        let mut world = World::new(plan).expect("links join the nodes of every flow");
        let _ = world.run(&Control::default(), None);
        world
    };
    let with = outcome(&plan);
    let bridge = bridged(&with);
    assert_eq!((bridge.acknowledgements_received, bridge.source.resent), (0, 0));
    assert!(bridge.destination.acknowledgements > 1000);
    assert!(bridge.source.expired > 0 && bridge.source.largest.bytes <= 100_000);
    plan.bridges.clear();
    assert_eq!(tcp_counters(&with, 0), tcp_counters(&outcome(&plan), 0));
}

#[test]
fn hosts_without_ecn_ignore_the_marks_on_packets_that_an_edge_made_capable() {
    let outcome = |ecn, selected| {
        let mut plan = line();
        plan.flows.push(over(HOST, OTHER, ecn, BULK));
        plan.bridges[0].source.selected = selected;
        plan.links[1].directions[0].discipline = codel(CongestionAction::Mark);
        let world = run(&plan);
        let marks = bridged(&world).destination.marks;
        assert!(marks > 0, "the network marks");
        tcp_counters(&world, 0)
    };
    let ignored = outcome(EcnMode::Off, 0.0);
    assert_eq!((ignored.sender.decreases, ignored.sender.retransmissions), (0, 0));
    let obeyed = outcome(EcnMode::Classic, 0.0);
    assert!(obeyed.sender.decreases > 0, "{:?}", obeyed.sender);
    assert_eq!(obeyed.sender.retransmissions, 0);
}

#[test]
fn clones_of_low_priority_leave_an_idle_link_at_once_and_never_wait_before_others() {
    let outcome = |workload, keep| {
        let mut plan = lossy(0.0, workload);
        plan.bridges[0].source.keep = keep;
        let world = run(&plan);
        (tcp_counters(&world, 0), bridged(&world), ports(&plan, &world)[2])
    };
    let slow = || Workload::Bulk(BulkSettings { rate: Some(common::rate(10_000_000)) });
    let (flow, bridge, _) = outcome(slow(), Keep::LowPriority);
    assert!(bridge.source.resent + 2 >= bridge.source.cloned, "{bridge:?}");
    assert_eq!(flow.sender.retransmissions, 0);
    assert!(flow.receiver.duplicates > 0, "what was sent twice arrives twice");
    // A window far beyond the product of bandwidth and delay: the link is never idle.
    let (busy, bridge, port) = outcome(BULK, Keep::LowPriority);
    let (alone, _, before) = outcome(BULK, Keep::Stalled);
    assert!(bridge.source.resent * 10 < bridge.source.cloned, "{bridge:?}");
    let more = busy.receiver.received_bytes as f64 / alone.receiver.received_bytes as f64;
    assert!(more > 0.99, "{more}");
    assert_eq!(port.overlimit_drops, before.overlimit_drops);
}

#[test]
fn hosts_hear_of_no_loss_if_the_edge_drops_the_duplicate_acknowledgements_of_it() {
    let outcome = |duplicates| {
        // No queue stands, so that each round trip takes little more than the delays.
        let mut plan =
            lossy(0.05, Workload::Bulk(BulkSettings { rate: Some(common::rate(40_000_000)) }));
        tcp(&mut plan).recovery = Recovery::NewReno;
        plan.bridges[0].source.resend = Resend::Capable;
        plan.bridges[0].source.duplicates = duplicates;
        let world = run(&plan);
        let sender = tcp_counters(&world, 0).sender;
        (sender.decreases, sender.retransmissions, bridged(&world).source.suppressed)
    };
    let (decreases, retransmissions, _) = outcome(Duplicates::Pass);
    assert!(decreases > 20 && retransmissions > 20, "{decreases}, {retransmissions}");
    // From the source edge to the receiver and back: 22 ms of delays.
    let round_trip = Duration::from_millis(30);
    let (decreases, retransmissions, suppressed) = outcome(Duplicates::Suppress { round_trip });
    assert_eq!((decreases, retransmissions), (0, 0));
    assert!(suppressed > 100, "{suppressed}");
}

#[test]
fn a_bridge_joins_its_flow_to_the_hosts_beside_its_edges() {
    let bytes = 3_000_001;
    let mut plan = lossy(0.05, Workload::File(FileSettings { bytes }));
    // The edges are the hosts themselves.
    (plan.bridges[0].from, plan.bridges[0].to) = (HOST, OTHER);
    plan.bridges[0].source.duplicates =
        Duplicates::Suppress { round_trip: Duration::from_millis(30) };
    let patience = Duration::from_millis(100);
    plan.bridges[0].destination.order = Order::InOrder { patience, buffer: 1_000_000 };
    let mut world = World::new(&plan).expect("links join the nodes of every flow");
    let _ = world.run(&Control::default(), None);
    assert_eq!(tcp_counters(&world, 0).receiver.received_bytes, bytes);
    let bridge = bridged(&world);
    assert!(bridge.source.resent > 5 && bridge.destination.held > 5, "{bridge:?}");
    assert_eq!(world.packets_in_transit() + u64::from(bridge.waiting.packets), 0);
}
