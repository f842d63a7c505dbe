//! Flows over IP: their ways through the network, and what they leave behind.

use crate::common;
use crate::common::{direction, ip_flow, join, nodes, port, run_flows, tcp_counters};
use windtunnel_applications::{
    ArrivalsSettings, BulkSettings, FileSettings, Sizes, Workload, udp::UdpSettings,
};
use windtunnel_engine::{Duration, Time};
use windtunnel_links::Loss;
use windtunnel_packets::ip::IpVersion;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{FlowCounters, Metric, Plan, Transport, Unreachable, World};

fn over_tcp(recovery: Recovery, workload: Workload) -> Transport {
    common::over_tcp(recovery, EcnMode::Off, workload)
}

/// Datagrams of 1000 bytes.
fn over_udp(megabits_per_second: u64) -> Transport {
    let rate = common::rate(megabits_per_second * 1_000_000);
    Transport::Udp(UdpSettings::of_rate(IpVersion::V4, rate, 1000))
}

/// Two ways from the first node to the last: one link of 30 ms, or two of 10 ms.
fn triangle(transport: Transport) -> Plan {
    let mut plan = nodes(&["a", "r", "b"]);
    join(&mut plan, 0, 2, &direction(100, 30));
    join(&mut plan, 0, 1, &direction(100, 10));
    join(&mut plan, 1, 2, &direction(100, 10));
    plan.flows.push(ip_flow("f", 0, 2, transport));
    plan.duration = Duration::from_secs(1);
    plan
}

#[test]
fn packets_take_the_way_of_the_least_delay_or_of_the_fewest_hops() {
    // One datagram a millisecond.
    let mut plan = triangle(over_udp(8));
    let offered = |plan: &Plan, link| port(plan, &run_flows(plan), link, 0).offered;
    assert_eq!([0, 1].map(|link| offered(&plan, link)), [0, 1001]);
    plan.routing.metric = Metric::Hops;
    assert_eq!([0, 1].map(|link| offered(&plan, link)), [1001, 0]);
}

#[test]
fn a_datagram_takes_what_its_way_takes() {
    let plan = triangle(over_udp(8));
    let world = run_flows(&plan);
    let FlowCounters::Udp(_, sink) = world.flows().next().expect("one flow").counters else {
        panic!("it goes over UDP")
    };
    // 1028 bytes at 100 Mbps on each of two links.
    let delay = Duration::from_millis(20) + Duration::from_nanos(2 * 82_240);
    assert_eq!((sink.delay_minimum, sink.delay_maximum), (Some(delay), delay));
}

#[test]
fn a_flow_between_parted_nodes_is_refused() {
    let mut plan = nodes(&["a", "b", "c"]);
    join(&mut plan, 0, 1, &direction(10, 1));
    plan.flows.push(ip_flow("here", 0, 1, over_udp(1)));
    plan.flows.push(ip_flow("there", 0, 2, over_udp(1)));
    assert_eq!(World::new(&plan).err(), Some(Unreachable::Flow(1)));
}

#[test]
fn an_application_that_hands_data_over_at_a_rate_has_that_goodput_and_hardly_a_queue() {
    let mut plan = nodes(&["a", "b"]);
    join(&mut plan, 0, 1, &direction(100, 5));
    let bulk = Workload::Bulk(BulkSettings { rate: Some(common::rate(20_000_000)) });
    plan.flows.push(ip_flow("f", 0, 1, over_tcp(Recovery::Rack, bulk)));
    let world = run_flows(&plan);
    let received = tcp_counters(&world, 0).receiver.received_bytes as f64;
    let goodput = received * 8.0 / plan.duration.as_seconds();
    assert!((goodput / 20e6 - 1.0).abs() < 0.01, "{goodput}");
    // A segment every 0.58 ms, which the link needs 0.12 ms for.
    let port = port(&plan, &world, 0, 0);
    let wait = port.sojourn_sum.as_seconds() / port.sent as f64;
    assert!(wait < 0.00012, "{wait} s in the queue");
}

#[test]
fn a_fast_application_waits_for_a_slow_link() {
    let mut plan = nodes(&["a", "b"]);
    join(&mut plan, 0, 1, &direction(10, 5));
    let goodput = |plan: &Plan| tcp_counters(&run_flows(plan), 0).receiver.received_bytes;
    let bulk = |rate| over_tcp(Recovery::Rack, Workload::Bulk(BulkSettings { rate }));
    plan.flows.push(ip_flow("f", 0, 1, bulk(Some(common::rate(1_000_000_000)))));
    let limited = goodput(&plan);
    plan.flows[0].transport = bulk(None);
    assert_eq!(limited, goodput(&plan), "the window limits both alike");
}

#[test]
fn a_file_arrives_whole_over_a_link_that_loses() {
    use Recovery::{NewReno, Rack, Reno, Sack, Tahoe};
    for recovery in [Tahoe, Reno, NewReno, Sack, Rack] {
        let mut plan = nodes(&["a", "b"]);
        join(&mut plan, 0, 1, &direction(10, 5));
        for direction in &mut plan.links[0].directions {
            direction.loss = Loss::Bernoulli(0.02);
        }
        let bytes = 1_000_001;
        plan.flows.push(ip_flow(
            "file",
            0,
            1,
            over_tcp(recovery, Workload::File(FileSettings { bytes })),
        ));
        plan.duration = Duration::from_secs(60);
        let world = run_flows(&plan);
        assert_eq!(tcp_counters(&world, 0).receiver.received_bytes, bytes, "{recovery:?}");
        let [transfer] = world.transfers()[..] else { panic!("{recovery:?}: one transfer") };
        assert!(transfer.completion > transfer.ideal, "{recovery:?}: {transfer:?}");
        assert!(port(&plan, &world, 0, 0).losses > 0);
        assert_eq!(world.packets_in_transit(), 0, "{recovery:?}: the connection was closed");
    }
}

#[test]
fn connections_come_and_go_and_all_their_data_arrive() {
    let mut plan = nodes(&["a", "b"]);
    join(&mut plan, 0, 1, &direction(100, 1));
    plan.links[0].directions[0].loss = Loss::Bernoulli(0.01);
    let sizes = Sizes::Fixed(10_000);
    let arrivals = Workload::Arrivals(ArrivalsSettings { per_second: 500.0, sizes });
    plan.flows.push(ip_flow("web", 0, 1, over_tcp(Recovery::Rack, arrivals)));
    plan.flows[0].stop = Time::ZERO + Duration::from_secs(10);
    plan.duration = Duration::from_secs(20);
    let world = run_flows(&plan);
    let counters = tcp_counters(&world, 0);
    // Three standard deviations of a Poisson variable.
    let off = (counters.connections as f64 - 5000.0).abs();
    assert!(off < 3.0 * 5000_f64.sqrt(), "{}", counters.connections);
    assert_eq!(world.transfers().len() as u64, counters.connections);
    assert_eq!(counters.receiver.received_bytes, 10_000 * counters.connections);
}
