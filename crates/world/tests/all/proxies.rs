//! Flows that proxies split: what arrives, and what a proxy holds.

use crate::common::{direction, ip_flow, join, nodes, over_tcp, port, run_flows, tcp_counters};
use windtunnel_applications::{ArrivalsSettings, BulkSettings, FileSettings, Sizes, Workload};
use windtunnel_engine::{Duration, Time};
use windtunnel_links::Loss;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{Plan, SplitPlan};

const BULK: Workload = Workload::Bulk(BulkSettings { rate: None });

/// A host, two proxies and another host; the links are as fast as said and 10 ms long.
fn line(megabits_per_second: [u64; 3], workload: Workload) -> Plan {
    let mut plan = nodes(&["host", "first", "second", "other"]);
    for (place, rate) in megabits_per_second.into_iter().enumerate() {
        join(&mut plan, place, place + 1, &direction(rate, 10));
    }
    plan.flows.push(ip_flow("f", 0, 3, over_tcp(Recovery::Rack, EcnMode::Off, workload)));
    plan.flows[0].split = Some(SplitPlan { at: vec![1, 2], buffer: 200_000 });
    plan
}

#[test]
fn a_file_arrives_whole_and_once_over_links_that_lose() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let bytes = 3_000_001;
        let mut plan = line([20, 20, 20], Workload::File(FileSettings { bytes }));
        let transport = over_tcp(recovery, EcnMode::Off, Workload::File(FileSettings { bytes }));
        plan.flows[0].transport = transport;
        for link in &mut plan.links {
            for direction in &mut link.directions {
                direction.loss = Loss::Bernoulli(0.02);
            }
        }
        plan.duration = Duration::from_secs(60);
        let world = run_flows(&plan);
        let counters = tcp_counters(&world, 0);
        assert_eq!(counters.receiver.received_bytes, bytes, "{recovery:?}");
        assert_eq!((counters.connections, world.transfers().len()), (1, 1), "{recovery:?}");
        assert!(world.flows().next().is_some_and(|it| it.finished.is_some()), "{recovery:?}");
        // The proxies repair losses too: none of those is the host's.
        let lost = |link| port(&plan, &world, link, 0).losses;
        assert!(lost(1) > 10 && lost(2) > 10, "{recovery:?}");
        assert!(counters.sender.retransmissions < lost(0) + lost(1), "{recovery:?}");
    }
}

#[test]
fn a_proxy_holds_no_more_than_its_buffer_and_keeps_the_slow_link_busy() {
    for slow in [1, 2] {
        let mut rates = [100; 3];
        rates[slow] = 10;
        let plan = line(rates, BULK);
        let counters = tcp_counters(&run_flows(&plan), 0);
        let held = counters.sender.acknowledged_bytes - counters.receiver.received_bytes;
        // What lies before the slow link, and on the way behind it.
        let buffers = 200_000 * slow as u64;
        assert!(held <= buffers + 200_000, "{held} bytes");
        assert!(held > buffers / 2, "{held} bytes");
        // Nine tenths of 10 s: a buffer is ten times what the slow link's round trip
        // holds.
        let goodput = counters.receiver.received_bytes as f64 * 8.0 / 10.0;
        assert!(goodput > 9e6, "{goodput}");
        assert_eq!(counters.sender.retransmissions, 0);
    }
}

#[test]
fn a_proxy_with_a_small_buffer_sends_a_buffer_each_round_trip() {
    let mut plan = line([100, 100, 100], BULK);
    plan.flows[0].split = Some(SplitPlan { at: vec![1], buffer: 20_000 });
    let goodput = tcp_counters(&run_flows(&plan), 0).receiver.received_bytes as f64 * 8.0 / 10.0;
    // A byte stays in the proxy until it is acknowledged over the other two links,
    // 40 ms later; room is told in halves of the buffer.
    let most = 20_000.0 * 8.0 / 0.04;
    assert!((most / 4.0..=most).contains(&goodput), "{goodput} of {most}");
}

#[test]
fn splitting_multiplies_what_loss_lets_through() {
    let mut plan = line([100, 100, 100], BULK);
    for link in &mut plan.links {
        link.directions[0].loss = Loss::Bernoulli(0.01);
    }
    plan.duration = Duration::from_secs(30);
    plan.flows[0].split = plan.flows[0].split.take().map(|it| SplitPlan { buffer: 1 << 30, ..it });
    let goodput = |plan: &Plan| tcp_counters(&run_flows(plan), 0).receiver.received_bytes as f64;
    let split = goodput(&plan);
    plan.flows[0].split = None;
    let whole = goodput(&plan);
    // By the law of the square root: a third of the round trip, a third of the loss,
    // 3√3 = 5.2; the slowest of three parts is below their mean.
    let gain = split / whole;
    assert!((3.0..6.5).contains(&gain), "{gain}");
}

#[test]
fn connections_come_and_go_over_proxies_and_all_their_data_arrive() {
    let arrivals =
        Workload::Arrivals(ArrivalsSettings { per_second: 200.0, sizes: Sizes::Fixed(5000) });
    let mut plan = line([100, 50, 100], arrivals);
    plan.flows[0].stop = Time::ZERO + Duration::from_secs(5);
    for link in &mut plan.links {
        link.directions[0].loss = Loss::Bernoulli(0.01);
    }
    plan.duration = Duration::from_secs(20);
    let world = run_flows(&plan);
    let counters = tcp_counters(&world, 0);
    assert!(counters.connections > 800, "{}", counters.connections);
    assert_eq!(world.transfers().len() as u64, counters.connections);
    assert_eq!(counters.receiver.received_bytes, 5000 * counters.connections);
    assert_eq!(counters.sender.acknowledged_bytes, 5000 * counters.connections);
    assert_eq!(world.packets_in_transit(), 0);
}
