//! Shallow buffers are worse than they look where segments leave one by one: hosts send bursts.

use std::sync::Arc;

use crate::common::{
    controller, direction, ip_flow, join, nodes, over_tcp, ports, run_flows, tcp_counters,
};
use windtunnel_applications::{BulkSettings, Workload};
use windtunnel_controllers::Value;
use windtunnel_engine::Duration;
use windtunnel_queues::QueueLimit;
use windtunnel_transports::tcp::{EcnMode, Recovery, TcpSettings};
use windtunnel_world::{DirectionPlan, Plan, Transport};

/// A flow from a host over a link of 1 Gbps, one of 100 Mbps behind a queue of this many packets,
/// and another one of 1 Gbps.
fn shallow(name: &str, packets: u32, change: impl Fn(&mut TcpSettings)) -> Plan {
    let mut plan = nodes(&["host", "first", "second", "other"]);
    join(&mut plan, 0, 1, &direction(1_000, 1));
    let limit = QueueLimit::Packets(packets);
    join(&mut plan, 1, 2, &DirectionPlan { limit, ..direction(100, 8) });
    join(&mut plan, 2, 3, &direction(1_000, 1));
    let bulk = Workload::Bulk(BulkSettings { rate: None });
    let mut transport = over_tcp(Recovery::Rack, EcnMode::Off, bulk);
    if let Transport::Tcp { settings, .. } = &mut transport {
        let settings = Arc::make_mut(settings);
        settings.controller = controller(name);
        settings.small_queues = Some(true);
        change(settings);
    }
    plan.flows.push(ip_flow("f", 0, 3, transport));
    plan.duration = Duration::from_secs(10);
    plan
}

fn offload(settings: &mut TcpSettings) {
    settings.offload.segmentation = true;
    settings.offload.receive = true;
    settings.acknowledgements.sack_compression = true;
}

/// Drops at the queue, and the bits per second that arrived.
fn drops_and_goodput(plan: &Plan) -> (u64, f64) {
    let world = run_flows(plan);
    let received = tcp_counters(&world, 0).receiver.received_bytes;
    let drops = ports(plan, &world)[2].dropped();
    (drops, received as f64 * 8.0 / plan.duration.as_seconds())
}

/// The same window, paced, of nine tenths of what the path holds: where it leaves in bursts of
/// ten segments, their ends find shallow queues full more often.
#[test]
fn a_shallow_queue_drops_more_of_a_window_that_leaves_in_bursts() {
    let fixed = |packets, change: fn(&mut TcpSettings)| {
        let plan = shallow("fixed", packets, |settings| {
            settings.pacing = true;
            settings.controller.set("window", Value::Number(150.0)).expect("a window");
            change(settings);
        });
        drops_and_goodput(&plan).0
    };
    for packets in [5, 10, 20] {
        let (singly, in_bursts) = (fixed(packets, |_| {}), fixed(packets, offload));
        assert!(4 * in_bursts > 5 * singly, "{packets}: {in_bursts} drops, {singly} without");
    }
    assert_eq!((fixed(150, |_| {}), fixed(150, offload)), (0, 0), "a deep queue drops none");
}

/// Controllers answer with smaller windows: links behind shallow queues carry less.
#[test]
fn a_link_behind_a_shallow_queue_carries_less_with_offload_and_behind_a_deep_one_as_much() {
    for name in ["aimd", "cubic"] {
        for packets in [10, 20] {
            let [singly, in_bursts] = goodputs(name, packets);
            assert!(in_bursts < 0.99 * singly, "{name}, {packets}: {in_bursts} of {singly} bps");
            assert!(in_bursts > 0.9 * singly, "{name}, {packets}: {in_bursts} of {singly} bps");
        }
        // A product of bandwidth and delay.
        let [singly, in_bursts] = goodputs(name, 170);
        assert!((in_bursts / singly - 1.0).abs() < 0.005, "{name}: {in_bursts} of {singly} bps");
    }
}

/// The bits per second that arrive without offload, and with it.
fn goodputs(name: &str, packets: u32) -> [f64; 2] {
    let plans = [shallow(name, packets, |_| {}), shallow(name, packets, offload)];
    plans.map(|plan| drops_and_goodput(&plan).1)
}

/// Where the receiver's link is fast, and acknowledgements come in polls as well.
#[test]
fn a_fast_link_stays_busy_with_few_acknowledgements() {
    let transfer = |change: fn(&mut TcpSettings)| {
        let mut plan = nodes(&["host", "other"]);
        join(
            &mut plan,
            0,
            1,
            &DirectionPlan { delay: Duration::from_micros(500), ..direction(10_000, 0) },
        );
        let bulk = Workload::Bulk(BulkSettings { rate: None });
        let mut transport = over_tcp(Recovery::Rack, EcnMode::Off, bulk);
        if let Transport::Tcp { settings, .. } = &mut transport {
            change(Arc::make_mut(settings));
        }
        plan.flows.push(ip_flow("f", 0, 1, transport));
        plan.duration = Duration::from_secs(1);
        let world = run_flows(&plan);
        let received = tcp_counters(&world, 0).receiver;
        (received.received_bytes, ports(&plan, &world)[1].offered)
    };
    let (all, every_second) = transfer(|_| {});
    let (offloaded, few) = transfer(offload);
    assert!(offloaded as f64 > 0.95 * all as f64, "{offloaded} of {all} bytes");
    // 50 µs of 10 Gbps are 41 packets, and 64 KiB are 45, the last of which has PSH. What is merged
    // ends with either: 21 on average.
    let ratio = every_second as f64 / few as f64;
    assert!((10.0..12.0).contains(&ratio), "{few} of {every_second} acknowledgements");
}
