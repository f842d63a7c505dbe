//! A host does not drop its own packets: what a connection sends waits in the connection, and
//! not in the queue of its host's link.

use crate::common;
use std::sync::Arc;

use crate::common::{
    direction, disciplines, ip_flow, join, nodes, over_tcp, ports, run_flows, tcp_counters,
};
use windtunnel_applications::{BulkSettings, Workload};
use windtunnel_engine::{Duration, Rate};
use windtunnel_links::{RateTrace, RateTraces};
use windtunnel_queues::QueueLimit;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{DirectionPlan, Plan, Transport};

const BULK: Workload = Workload::Bulk(BulkSettings { rate: None });

/// Flows from a host over a first link, with a queue of 5 packets, and one of 100 Mbps.
fn behind(first: &DirectionPlan, flows: usize, small_queues: Option<bool>) -> Plan {
    let mut plan = nodes(&["host", "router", "other"]);
    join(&mut plan, 0, 1, first);
    let limit = QueueLimit::Packets(200);
    join(&mut plan, 1, 2, &DirectionPlan { limit, ..direction(100, 10) });
    for flow in 0..flows {
        let mut transport = over_tcp(Recovery::Rack, EcnMode::Off, BULK);
        if let Transport::Tcp { settings, .. } = &mut transport {
            Arc::make_mut(settings).small_queues = small_queues;
        }
        plan.flows.push(ip_flow(&format!("f{flow}"), 0, 2, transport));
    }
    plan
}

fn access(megabits_per_second: u64) -> DirectionPlan {
    let limit = QueueLimit::Packets(5);
    DirectionPlan { limit, ..direction(megabits_per_second, 1) }
}

/// The bits per second that all flows received.
fn goodput(plan: &Plan) -> f64 {
    let world = run_flows(plan);
    let received = (0..plan.flows.len())
        .map(|it| tcp_counters(&world, it).receiver.received_bytes)
        .sum::<u64>();
    received as f64 * 8.0 / plan.duration.as_seconds()
}

#[test]
fn a_host_drops_none_of_its_packets_and_its_router_does() {
    for flows in [1, 5, 50] {
        let plan = behind(&access(200), flows, None);
        let world = run_flows(&plan);
        let ports = ports(&plan, &world);
        assert_eq!(ports[0].dropped(), 0, "{flows} flows");
        assert!(ports[2].dropped() > 0, "{flows} flows");
        let dropping = behind(&access(200), flows, Some(false));
        let world = run_flows(&dropping);
        assert!(common::ports(&dropping, &world)[0].dropped() > 0, "the queue is short");
    }
}

/// An application writes 1 Mbps. The two segments that are handed to the link at 100 bps would
/// leave after minutes: with the rate they leave earlier, and the connection goes on.
#[test]
fn a_host_goes_on_when_the_rate_of_its_own_link_rises() {
    let goodput = |low: u64| {
        let mut plan = nodes(&["host", "other"]);
        let limit = QueueLimit::Packets(1000);
        join(&mut plan, 0, 1, &DirectionPlan { limit, ..direction(10, 10) });
        let rates = [10_000_000, low, 10_000_000].map(Rate::from_bits_per_second);
        let rows = (0..).zip(rates).map(|(second, rate)| (Duration::from_secs(second), rate));
        let trace = RateTrace { rows: rows.collect(), delays: Vec::new(), repeat: None };
        plan.links[0].channel = Some(Arc::new(RateTraces([Some(Arc::new(trace)), None])));
        let bulk = Workload::Bulk(BulkSettings { rate: Rate::from_bits_per_second(1_000_000) });
        let mut transport = over_tcp(Recovery::Rack, EcnMode::Off, bulk);
        if let Transport::Tcp { settings, .. } = &mut transport {
            Arc::make_mut(settings).small_queues = Some(true);
        }
        plan.flows.push(ip_flow("f", 0, 1, transport));
        goodput(&plan)
    };
    // Nine seconds of ten, if what was written meanwhile is not made up for.
    for low in [0, 1, 100, 10_000] {
        assert!(goodput(low) > 0.9e6, "{low} bps: {} bps", goodput(low));
    }
}

/// Two segments, or a millisecond of data at the rate of sending, for each connection: in slow
/// start that is two windows a round trip, and the window twice what is in flight.
#[test]
fn a_queue_stays_small_and_its_link_busy() {
    for flows in [1, 10] {
        // The host's link is the only one that is full.
        let mut plan = behind(&access(50), flows, Some(true));
        plan.links[0].directions[0].limit = QueueLimit::Packets(10_000);
        let world = run_flows(&plan);
        let waited = ports(&plan, &world)[0].maximum_backlog.packets;
        let millisecond = 4.0 * 50e6 * 1e-3 / 8.0 / 1500.0;
        let most = (millisecond as u32 + 2).max(3 * flows as u32);
        assert!(waited <= most, "{waited} packets of {flows} flows");
        let least = 0.97 * 50e6 * 1448.0 / 1500.0;
        assert!(goodput(&plan) > least, "{flows} flows: {} bps", goodput(&plan));
    }
}

/// With every discipline, whether it decides at arrival or at departure.
#[test]
fn every_discipline_of_a_hosts_queue_lets_its_connections_go_on() {
    for discipline in disciplines() {
        let first = DirectionPlan { discipline: discipline.clone(), ..access(50) };
        let mut plan = behind(&first, 3, Some(true));
        plan.duration = Duration::from_secs(5);
        let world = run_flows(&plan);
        assert_eq!(ports(&plan, &world)[0].overlimit_drops, 0, "{discipline:?}");
        assert!(goodput(&plan) > 0.8 * 50e6, "{discipline:?}: {} bps", goodput(&plan));
    }
}

/// The only link, or the narrowest of all, stands for the network: its queue is a router's.
#[test]
fn a_link_that_is_the_bottleneck_has_the_queue_of_a_router() {
    let plan = behind(&access(50), 1, None);
    let world = run_flows(&plan);
    assert!(ports(&plan, &world)[0].dropped() > 0);
    let mut plan = nodes(&["host", "other"]);
    join(&mut plan, 0, 1, &access(100));
    let transport = over_tcp(Recovery::Rack, EcnMode::Off, BULK);
    plan.flows.push(ip_flow("f", 0, 1, transport));
    if let Transport::Tcp { settings, .. } = &mut plan.flows[0].transport {
        Arc::make_mut(settings).small_queues = None;
    }
    let world = run_flows(&plan);
    assert!(ports(&plan, &world)[0].dropped() > 0);
}
