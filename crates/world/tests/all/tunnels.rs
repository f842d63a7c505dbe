//! Tunnels: what the headers around packets cost, what routers see of them, and that
//! nothing is lost inside.

use crate::common;
use crate::common::{codel, tcp_counters};
use crate::common::{direction, fq_codel, ip_flow, join, nodes, over_tcp, port, ports, run_flows};
use windtunnel_applications::{BulkSettings, FileSettings, Workload, udp::UdpSettings};
use windtunnel_engine::{Duration, Time};
use windtunnel_links::{Impairment, Loss, Reordering};
use windtunnel_networks::tunnel::{TunnelCounters, WireGuardSettings};
use windtunnel_packets::ip::IpVersion;
use windtunnel_queues::{CongestionAction, QueueLimit};
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{
    ChangePlan, DirectionPlan, FlowCounters, LinkChange, Plan, PortId, Sharing, TcpTunnelPlan,
    Transport, TunnelCarrier, TunnelPlan, World,
};

/// The links of the line, in its order.
const INSIDE: usize = 1;

/// Two hosts, and two routers between them with a slower link.
fn line(between: &DirectionPlan) -> Plan {
    let mut plan = nodes(&["host", "in", "out", "other"]);
    join(&mut plan, 0, 1, &direction(100, 1));
    join(&mut plan, 1, 2, between);
    join(&mut plan, 2, 3, &direction(100, 1));
    plan.duration = Duration::from_secs(5);
    plan
}

fn tunnel(ends: [usize; 2], version: IpVersion) -> TunnelPlan {
    TunnelPlan { name: format!("{ends:?}"), ends, carrier: TunnelCarrier::Ip(version) }
}

/// Datagrams of 972 bytes, in IP packets of 1000.
fn datagrams(
    name: &str,
    from: usize,
    to: usize,
    megabits_per_second: u64,
) -> windtunnel_world::FlowPlan {
    let rate = common::rate(megabits_per_second * 1_000_000);
    let settings = UdpSettings::of_rate(IpVersion::V4, rate, 972);
    ip_flow(name, from, to, Transport::Udp(settings))
}

fn received_bytes(world: &World, flow: usize) -> u64 {
    match world.flows().nth(flow).expect("a flow of the plan").counters {
        FlowCounters::Udp(_, received) => received.bytes,
        FlowCounters::Tcp(it) => it.receiver.received_bytes,
        FlowCounters::Stack(ends) => ends[1].counters.received_bytes,
    }
}

/// Runs a plan; what entered its tunnels has left them, was lost on links, or is there.
fn run(plan: &Plan) -> World {
    let world = run_flows(plan);
    let of = |get: fn(&TunnelCounters) -> u64| -> u64 {
        world.tunnels().flatten().map(|it| get(&it)).sum()
    };
    let dropped: u64 = ports(plan, &world).iter().map(|it| it.dropped()).sum();
    let (entered, left) = (of(|it| it.entered), of(|it| it.left + it.unmarkable));
    assert!(left <= entered, "{left} of {entered} left");
    assert!(entered <= left + (dropped + world.packets_in_transit()) * plan.tunnels.len() as u64);
    let inside = world.packets_stored() - world.packets_in_transit();
    assert!(inside <= entered - left, "{inside} are kept inside others");
    world
}

#[test]
fn outer_headers_take_their_share_of_the_bottleneck() {
    for (versions, headers) in [
        (vec![], 0),
        (vec![IpVersion::V4], 20),
        (vec![IpVersion::V6], 40),
        (vec![IpVersion::V6, IpVersion::V4], 60),
    ] {
        let mut plan = line(&direction(10, 1));
        plan.flows.push(datagrams("f", 0, 3, 20));
        let ends = [[1, 2], [3, 0]];
        plan.tunnels = ends.into_iter().zip(&versions).map(|(it, v)| tunnel(it, *v)).collect();
        let world = run(&plan);
        let goodput = received_bytes(&world, 0) as f64 * 8.0 / 5.0;
        let expected = 10e6 * 972.0 / f64::from(1000 + headers);
        assert!((goodput / expected - 1.0).abs() < 0.002, "{goodput} for {expected}");
    }
}

#[test]
fn links_inside_carry_a_header_more_and_links_outside_do_not() {
    let mut plan = line(&direction(50, 1));
    plan.flows.push(datagrams("f", 0, 3, 20));
    plan.tunnels.push(tunnel([2, 1], IpVersion::V6));
    let world = run(&plan);
    let bytes = |link| {
        let it = port(&plan, &world, link, 0);
        it.delivered_bytes / it.delivered
    };
    assert_eq!([0, 1, 2].map(bytes), [1000, 1040, 1000]);
    let [far, near] = world.tunnels().next().expect("the plan has a tunnel");
    assert_eq!(near.entered_bytes, 1040 * near.entered);
    assert_eq!((near.left, far.entered), (0, 0), "all packets go one way");
    assert_eq!(far.left, port(&plan, &world, INSIDE, 0).delivered);
}

#[test]
fn a_file_arrives_whole_through_a_tunnel_that_loses_duplicates_and_reorders() {
    let impairment = Impairment {
        duplication: 0.01,
        reordering: Reordering::Independent(0.02),
        lateness: Duration::from_millis(7),
        ..Impairment::default()
    };
    let bad = DirectionPlan { impairment, loss: Loss::Bernoulli(0.01), ..direction(20, 5) };
    let bytes = 2_000_001;
    let mut plan = line(&bad);
    let transport = over_tcp(Recovery::Rack, EcnMode::Off, Workload::File(FileSettings { bytes }));
    plan.flows.push(ip_flow("f", 0, 3, transport));
    plan.tunnels = vec![tunnel([0, 2], IpVersion::V4), tunnel([1, 2], IpVersion::V6)];
    plan.duration = Duration::from_secs(20);
    let mut world = World::new(&plan).expect("links join the nodes");
    world.advance(plan.end());
    assert_eq!(received_bytes(&world, 0), bytes);
    let inside = port(&plan, &world, INSIDE, 0);
    assert!(inside.losses > 0 && inside.duplicates > 0 && inside.late > 0);
    assert_eq!((world.packets_in_transit(), world.packets_stored()), (0, 0), "nothing is kept");
}

#[test]
fn a_packet_of_a_tunnel_that_is_dropped_takes_with_it_what_is_inside() {
    for discipline in [codel(CongestionAction::Drop), fq_codel(CongestionAction::Drop)] {
        let limit = QueueLimit::Packets(20);
        let between = DirectionPlan { discipline, limit, ..direction(5, 1) };
        let mut plan = line(&between);
        plan.flows.push(datagrams("f", 0, 3, 20));
        plan.flows[0].stop = Time::ZERO + Duration::from_secs(3);
        plan.tunnels.push(tunnel([1, 2], IpVersion::V4));
        let world = run(&plan);
        assert!(port(&plan, &world, INSIDE, 0).dropped() > 1000);
        assert_eq!(world.packets_stored(), 0);
    }
}

#[test]
fn marks_made_in_a_tunnel_reach_the_receiver() {
    let between = DirectionPlan { discipline: codel(CongestionAction::Mark), ..direction(10, 5) };
    let marks = |tunnels: Vec<TunnelPlan>| {
        let mut plan = line(&between);
        let transport =
            over_tcp(Recovery::Rack, EcnMode::Classic, Workload::Bulk(BulkSettings { rate: None }));
        plan.flows.push(ip_flow("f", 0, 3, transport));
        plan.tunnels = tunnels;
        let world = run(&plan);
        let made = port(&plan, &world, INSIDE, 0).marks;
        let left: u64 = world.tunnels().flatten().map(|it| it.marks).sum();
        (made, left, tcp_counters(&world, 0).receiver.marks)
    };
    let (made, left, received) = marks(vec![tunnel([1, 2], IpVersion::V4)]);
    assert!(made > 10, "{made} marks");
    // The last may still be on its way.
    assert!(made - left <= 1 && left - received <= 1, "{made}, {left}, {received}");
    let (made, _, received) = marks(Vec::new());
    assert!(made - received <= 1);
}

/// A tunnel that is a TCP connection between the two routers.
fn tcp_tunnel(buffer: u64) -> TunnelPlan {
    let outer = over_tcp(Recovery::Rack, EcnMode::Off, Workload::Bulk(BulkSettings { rate: None }));
    let Transport::Tcp { settings, .. } = outer else { unreachable!("it is TCP") };
    let carrier = TunnelCarrier::Tcp(TcpTunnelPlan { face: None, settings, buffer });
    TunnelPlan { name: "tcp".into(), ends: [1, 2], carrier }
}

/// A flow through a TCP tunnel over such a link, for 20 s.
fn through_tcp(between: &DirectionPlan, flow: windtunnel_world::FlowPlan, buffer: u64) -> World {
    let mut plan = line(between);
    plan.flows.push(flow);
    plan.tunnels.push(tcp_tunnel(buffer));
    plan.duration = Duration::from_secs(20);
    run_flows(&plan)
}

/// 2 bytes before each packet of 1000 and a header of 52 bytes around both: the buffer is smaller
/// than the window, so that each packet is sent as it comes.
#[test]
fn a_tcp_tunnel_leaves_its_packets_their_share_without_headers() {
    let world = through_tcp(&direction(10, 1), datagrams("f", 0, 3, 20), 100_000);
    let goodput = received_bytes(&world, 0) as f64 * 8.0 / 20.0;
    let expected = 10e6 * 972.0 / 1054.0;
    assert!((goodput / expected - 1.0).abs() < 0.002, "{goodput} for {expected}");
}

#[test]
fn nothing_is_lost_inside_a_tcp_tunnel_whatever_its_path_loses() {
    let bad = DirectionPlan { loss: Loss::Bernoulli(0.03), ..direction(10, 5) };
    let mut flow = datagrams("f", 0, 3, 2);
    flow.stop = Time::ZERO + Duration::from_secs(10);
    let world = through_tcp(&bad, flow, 10_000_000);
    let [near, far] = world.tunnels().next().expect("the plan has a tunnel");
    assert!(near.entered > 2000 && near.dropped == 0, "{near:?}");
    assert_eq!((near.entered, world.packets_stored()), (far.left, 0));
    let [outer, _] = world.tunnel_connections().next().expect("the plan has a tunnel");
    assert!(outer.expect("it is a connection").retransmissions > 20);
}

/// What finds no room is dropped before it enters, as by a device's queue.
#[test]
fn a_tcp_tunnel_drops_only_what_its_buffer_has_no_room_for() {
    let world = through_tcp(&direction(5, 1), datagrams("f", 0, 3, 10), 100_000);
    let [near, far] = world.tunnels().next().expect("the plan has a tunnel");
    assert!(near.dropped > 5000, "{near:?}");
    assert!(near.entered - far.left <= 100, "no more than the buffer is under way");
}

/// Without a tunnel the lost datagram alone is missing, and delays are as without loss.
#[test]
fn what_a_path_loses_delays_all_that_is_inside_a_tcp_tunnel() {
    let delay = |loss: f64, tunnels: Vec<TunnelPlan>| {
        let between = DirectionPlan { loss: Loss::Bernoulli(loss), ..direction(20, 20) };
        let mut plan = line(&between);
        plan.flows.push(datagrams("f", 0, 3, 2));
        plan.tunnels = tunnels;
        plan.duration = Duration::from_secs(20);
        let world = run_flows(&plan);
        match world.flows().next().expect("a flow of the plan").counters {
            FlowCounters::Udp(_, it) => it.delay_sum.as_seconds() / it.datagrams as f64,
            FlowCounters::Tcp(_) | FlowCounters::Stack(_) => unreachable!("it is UDP"),
        }
    };
    let bare = delay(0.0, Vec::new());
    assert!((delay(0.02, Vec::new()) - bare).abs() < 0.0005);
    let inside = delay(0.0, vec![tcp_tunnel(1_000_000)]);
    assert!(inside - bare < 0.005, "{inside} without loss");
    // A loss is repaired a round trip of 40 ms later, and what follows waits for it.
    let delayed = delay(0.02, vec![tcp_tunnel(1_000_000)]);
    assert!(delayed - bare > 0.003, "{delayed} for {bare}");
}

#[test]
fn a_file_arrives_whole_through_a_tcp_tunnel_that_loses() {
    let bad = DirectionPlan { loss: Loss::Bernoulli(0.01), ..direction(20, 5) };
    let bytes = 2_000_001;
    let transport = over_tcp(Recovery::Rack, EcnMode::Off, Workload::File(FileSettings { bytes }));
    let world = through_tcp(&bad, ip_flow("f", 0, 3, transport), 200_000);
    assert_eq!(received_bytes(&world, 0), bytes);
}

#[test]
fn a_wireguard_tunnel_costs_its_headers_and_a_handshake() {
    let mut plan = line(&direction(10, 10));
    plan.flows.push(datagrams("f", 0, 3, 20));
    let settings = WireGuardSettings { version: IpVersion::V6, mtu: 1420, crypto: None };
    let carrier = TunnelCarrier::WireGuard(settings);
    plan.tunnels.push(TunnelPlan { name: "wireguard".into(), ends: [1, 2], carrier });
    plan.duration = Duration::from_secs(20);
    let world = run(&plan);
    let goodput = received_bytes(&world, 0) as f64 * 8.0 / 20.0;
    // 1000 bytes are padded to 1008.
    let expected = 10e6 * 972.0 / 1088.0;
    assert!((goodput / expected - 1.0).abs() < 0.005, "{goodput} for {expected}");
    let [near, _] = world.tunnels().next().expect("the plan has a tunnel");
    assert_eq!((near.handshakes, near.too_large), (1, 0));
}

/// 10 Mbps for 16 and 4: a queue for each flow gives the small one all it wants, and within
/// a tunnel both lose alike.
#[test]
fn fair_queues_see_one_flow_in_a_tunnel() {
    let shares = |tunnels: Vec<TunnelPlan>| {
        let between = DirectionPlan {
            discipline: fq_codel(CongestionAction::Drop),
            limit: QueueLimit::Packets(100),
            ..direction(10, 1)
        };
        let mut plan = line(&between);
        plan.flows.push(datagrams("large", 0, 3, 16));
        plan.flows.push(datagrams("small", 0, 3, 4));
        plan.tunnels = tunnels;
        let world = run(&plan);
        let small = received_bytes(&world, 1) as f64;
        small / (small + received_bytes(&world, 0) as f64)
    };
    let apart = shares(Vec::new());
    // 4 Mbps of payload in packets with 28 bytes of headers more.
    assert!((apart - 0.4 * 1000.0 / 972.0).abs() < 0.02, "{apart} of the link for the small one");
    let together = shares(vec![tunnel([1, 2], IpVersion::V4)]);
    assert!((together - 0.2).abs() < 0.02, "{together} of the link for the small one");
}

#[test]
fn a_tunnel_follows_its_path_around_a_link_that_fails() {
    let mut plan = line(&direction(50, 5));
    join(&mut plan, 1, 2, &direction(50, 10));
    plan.flows.push(datagrams("f", 0, 3, 10));
    plan.tunnels.push(tunnel([1, 2], IpVersion::V4));
    plan.routing.convergence = Some(Duration::from_millis(50));
    let time = Time::ZERO + Duration::from_secs(2);
    for side in [0, 1] {
        let port = PortId::new(INSIDE, side);
        plan.changes.push(ChangePlan { time, port, change: LinkChange::Down });
    }
    let world = run(&plan);
    let around = port(&plan, &world, 3, 0);
    assert_eq!(around.delivered_bytes, 1020 * around.delivered, "within the tunnel as before");
    // 10 Mbps of payload: 1286 packets a second, for a little less than three seconds.
    assert!(around.delivered > 3600, "{} packets", around.delivered);
}

#[test]
fn packets_that_each_go_their_own_path_enter_a_tunnel_too() {
    let mut plan = line(&direction(6, 5));
    join(&mut plan, 1, 2, &direction(6, 5));
    plan.flows.push(datagrams("f", 0, 3, 10));
    plan.tunnels.push(tunnel([1, 2], IpVersion::V4));
    plan.routing.sharing = Sharing::Packets;
    let world = run(&plan);
    for link in [INSIDE, 3] {
        let it = port(&plan, &world, link, 0);
        assert_eq!(it.delivered_bytes, 1020 * it.delivered);
        assert!(it.delivered > 3000, "each of the two carries half");
    }
}

#[test]
fn packets_that_are_too_large_for_another_header_are_counted() {
    let mut plan = line(&direction(50, 1));
    let rate = common::rate(10_000_000);
    let settings = UdpSettings::of_rate(IpVersion::V4, rate, 65_500);
    plan.flows.push(ip_flow("f", 0, 3, Transport::Udp(settings)));
    plan.tunnels.push(tunnel([1, 2], IpVersion::V4));
    let world = run(&plan);
    let [near, far] = world.tunnels().next().expect("the plan has a tunnel");
    assert_eq!((near.entered, far.left), (0, 0));
    assert_eq!(near.too_large, port(&plan, &world, 0, 0).delivered);
}
