//! IP packets follow the topology.

use windtunnel_applications::{BulkSettings, Workload, udp};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{
    FlowCounters, LinkChange, Metric, Plan, PortCounters, PortId, Transport, World,
};

use crate::common::{ip_flow, over_tcp, rate, run_flows, tcp_counters};
use crate::{CONVERGENCE_MS, LONG, SHORT, at, change, two_paths};

/// Half of what a link carries, so that no queue grows.
fn half() -> Transport {
    let bulk = Workload::Bulk(BulkSettings { rate: Some(rate(5_000_000)) });
    over_tcp(Recovery::Rack, EcnMode::Off, bulk)
}

/// A datagram of 1000 bytes each millisecond.
fn datagrams() -> Transport {
    let rate = rate(8_000_000);
    Transport::Udp(udp::UdpSettings::of_rate(IpVersion::V4, rate, 1000))
}

fn plan_of(transport: Transport) -> Plan {
    let mut plan = two_paths();
    plan.flows.push(ip_flow("flow", 0, 3, transport));
    plan
}

fn world(plan: &Plan) -> World {
    World::new(plan).expect("links join the hosts")
}

fn counters(world: &World, link: usize, direction: usize) -> PortCounters {
    let place = PortId::new(link, direction).index();
    *world.ports(world.now()).nth(place).expect("a port of the plan").0
}

/// What the first links of both paths were offered, and what their second links were
/// on the way back.
fn offered(world: &World, path: [usize; 2]) -> [u64; 2] {
    [counters(world, path[0], 0).offered, counters(world, path[1], 1).offered]
}

fn received(world: &World, flow: usize) -> u64 {
    match world.flows().nth(flow).expect("a flow of the plan").counters {
        FlowCounters::Tcp(counters) => counters.receiver.received_bytes,
        FlowCounters::Udp(_, counters) => counters.bytes,
        FlowCounters::Stack(ends) => ends[1].counters.received_bytes,
    }
}

/// The longest time without anything received between two times, to 5 ms.
fn longest_silence(world: &mut World, from: Time, to: Time) -> Duration {
    let step = Duration::from_millis(5);
    let (mut now, mut since, mut longest) = (from, from, Duration::ZERO);
    world.advance(now);
    let mut last = received(world, 0);
    while now < to {
        now += step;
        world.advance(now);
        let bytes = received(world, 0);
        if bytes > last {
            (last, since) = (bytes, now);
        }
        longest = longest.max(now.since(since));
    }
    longest
}

#[test]
fn tcp_goes_on_over_the_other_path_within_the_convergence_and_a_timeout() {
    for link in SHORT {
        let mut plan = plan_of(half());
        change(&mut plan, 2000, link, LinkChange::Down);
        let mut world = world(&plan);
        let silence = longest_silence(&mut world, at(1000), at(9000));
        // At most a round trip of the old path passes before the timer is set again.
        let round_trips = Duration::from_millis(20 + 80);
        let convergence = Duration::from_millis(CONVERGENCE_MS);
        let least = RtoLimits::default().minimum;
        assert!(silence <= convergence + least + round_trips, "link {link}: {silence:?}");
        assert!(silence > Duration::from_millis(CONVERGENCE_MS), "link {link}: {silence:?}");
        let before = received(&world, 0);
        world.advance(at(10_000));
        let goodput = (received(&world, 0) - before) as f64 * 8.0;
        assert!((goodput / 5e6 - 1.0).abs() < 0.02, "link {link}: {goodput} bit/s");
    }
}

#[test]
fn tcp_comes_back_to_the_shorter_path_when_that_is_up_again() {
    let mut plan = plan_of(half());
    change(&mut plan, 2000, SHORT[1], LinkChange::Down);
    change(&mut plan, 5000, SHORT[1], LinkChange::Up);
    let mut world = world(&plan);
    world.advance(at(1900));
    assert_eq!(offered(&world, LONG), [0, 0]);
    world.advance(at(4000));
    let short = offered(&world, SHORT);
    world.advance(at(5000 + CONVERGENCE_MS - 1));
    assert_eq!(offered(&world, SHORT), short, "nothing while it is down");
    // What is on its way to the node with the acknowledgements still comes back so.
    world.advance(at(5000 + CONVERGENCE_MS + 50));
    let long = offered(&world, LONG);
    assert!(long.iter().all(|it| *it > 500), "{long:?}");
    world.advance(at(10_000));
    assert_eq!(offered(&world, LONG), long, "nothing on the longer path any more");
    assert!(offered(&world, SHORT)[0] > short[0] + 1000);
}

#[test]
fn a_path_that_fails_again_and_again_is_left_and_taken_again_each_time() {
    let mut plan = plan_of(datagrams());
    for second in 1..10 {
        change(&mut plan, 1000 * second, SHORT[0], LinkChange::Down);
        change(&mut plan, 1000 * second + 500, SHORT[0], LinkChange::Up);
    }
    let mut world = world(&plan);
    for second in 1..9 {
        // The datagram of the millisecond in which paths change takes the new one.
        let [down, up] = [0, 500].map(|it| 1000 * second + it + CONVERGENCE_MS - 1);
        world.advance(at(down));
        let short = offered(&world, SHORT)[0];
        world.advance(at(up));
        let long = offered(&world, LONG)[0];
        assert_eq!(offered(&world, SHORT)[0], short, "after {down} ms");
        world.advance(at(down + 1000));
        assert_eq!(offered(&world, LONG)[0], long, "after {up} ms");
        assert_eq!(long, 500 * second);
    }
}

#[test]
fn without_convergence_packets_wait_in_the_queue() {
    let mut plan = plan_of(datagrams());
    plan.routing.convergence = None;
    change(&mut plan, 2000, SHORT[0], LinkChange::Down);
    change(&mut plan, 3000, SHORT[0], LinkChange::Up);
    let mut world = world(&plan);
    world.advance(at(2999));
    assert_eq!(world.packets_in_transit(), 1000);
    world.advance(plan.end());
    assert_eq!(offered(&world, LONG), [0, 0]);
    // What was on the link, in 5 ms and in a transmission, is lost.
    let lost = counters(&world, SHORT[0], 0).dropped();
    assert!((5..=6).contains(&lost), "{lost}");
    assert_eq!(counters(&world, SHORT[1], 0).offered, counters(&world, SHORT[0], 0).delivered);
}

#[test]
fn a_destination_that_is_not_reached_any_more_keeps_its_path() {
    let mut plan = plan_of(datagrams());
    change(&mut plan, 2000, SHORT[1], LinkChange::Down);
    change(&mut plan, 3000, LONG[0], LinkChange::Down);
    change(&mut plan, 4000, LONG[0], LinkChange::Up);
    let mut world = world(&plan);
    world.advance(at(3999));
    // What waits before the short path's second link was there before it was left.
    let waits = world.packets_in_transit() - (CONVERGENCE_MS + 1);
    assert!((990..=1000).contains(&waits), "{waits}");
    world.advance(at(10_000));
    assert_eq!(world.unroutable(), 0);
    assert!(received(&world, 0) > 9_850 * 1000, "{}", received(&world, 0));
}

#[test]
fn a_link_that_grows_longer_is_left_if_paths_are_measured_by_delay() {
    for (metric, moves) in [(Metric::Delay, true), (Metric::Hops, false)] {
        let mut plan = plan_of(datagrams());
        plan.routing.metric = metric;
        change(&mut plan, 2000, SHORT[1], LinkChange::Delay(Duration::from_millis(100)));
        change(&mut plan, 4000, SHORT[1], LinkChange::Delay(Duration::from_millis(5)));
        let mut world = world(&plan);
        world.advance(at(10_000));
        // Those that were on their way to the link turn back.
        let expected = if moves { 2000..=2006 } else { 0..=0 };
        let long = offered(&world, LONG)[0];
        assert!(expected.contains(&long), "{metric:?}: {long}");
        assert_eq!(world.ports(world.now()).map(|it| it.0.dropped()).sum::<u64>(), 0);
    }
}

/// The new path is shorter by 30 ms: what was sent within that time before is overtaken. On a
/// longer path nothing is, though what was on the link is lost, and TCP sends it again.
#[test]
fn only_a_shorter_path_reorders_and_as_much_as_was_sent_within_the_difference() {
    let reordered = |world: &World| match world.flows().next().expect("one flow").counters {
        FlowCounters::Tcp(counters) => counters.receiver.reordered,
        FlowCounters::Udp(_, counters) => counters.reordered,
        FlowCounters::Stack(ends) => ends[1].counters.reordered,
    };
    // 5 Mbps in segments of 1,448 bytes: 13 in 30 ms.
    for (transport, overtaken) in [(datagrams(), 29..=30), (half(), 11..=15)] {
        let mut plan = plan_of(transport);
        plan.routing.convergence = Some(Duration::ZERO);
        change(&mut plan, 2000, SHORT[0], LinkChange::Down);
        change(&mut plan, 5000, SHORT[0], LinkChange::Up);
        let mut world = world(&plan);
        world.advance(at(4999));
        assert!(counters(&world, SHORT[0], 0).dropped() > 0);
        assert_eq!(reordered(&world), 0);
        world.advance(at(8000));
        assert!(overtaken.contains(&reordered(&world)), "{}", reordered(&world));
    }
}

/// Each flow sends a datagram each millisecond over links of ten.
#[test]
fn a_flow_with_a_path_of_its_own_keeps_it_and_no_other_follows() {
    let slow = || {
        let rate = rate(800_000);
        Transport::Udp(udp::UdpSettings::of_rate(IpVersion::V4, rate, 100))
    };
    let mut plan = plan_of(slow());
    plan.flows.push(ip_flow("pinned", 0, 3, slow()));
    plan.flows[1].path = Some(LONG.map(|link| PortId::new(link, 0)).to_vec());
    change(&mut plan, 2000, SHORT[0], LinkChange::Down);
    change(&mut plan, 4000, SHORT[0], LinkChange::Up);
    change(&mut plan, 6000, LONG[0], LinkChange::Down);
    change(&mut plan, 8000, LONG[0], LinkChange::Up);
    let mut world = world(&plan);
    for (from, to, long) in
        [(0, 1900, 1), (2100, 3900, 2), (4100, 5900, 1), (6100, 7900, 1), (8100, 9900, 1)]
    {
        world.advance(at(from));
        let before = offered(&world, LONG)[0];
        let flows = [0, 1].map(|it| received(&world, it));
        world.advance(at(to));
        let came = offered(&world, LONG)[0] - before;
        assert!(came.abs_diff(long * (to - from)) <= 2, "{came} from {from} to {to} ms");
        let goes_on = received(&world, 1) > flows[1];
        assert_eq!(goes_on, from != 6100, "the pinned flow from {from} to {to} ms");
        assert!(received(&world, 0) > flows[0]);
    }
    let sent = 10_001 * 100;
    assert!(received(&world, 1) > sent - 100 * 200, "it waited");
}

#[test]
fn acknowledgements_of_a_flow_with_a_path_of_its_own_take_it_too() {
    let mut plan = plan_of(half());
    plan.flows[0].path = Some(LONG.map(|link| PortId::new(link, 0)).to_vec());
    change(&mut plan, 2000, SHORT[0], LinkChange::Down);
    change(&mut plan, 3000, SHORT[0], LinkChange::Up);
    let world = run_flows(&plan);
    assert_eq!(offered(&world, SHORT), [0, 0]);
    assert!(offered(&world, LONG).iter().all(|it| *it > 1000));
    assert_eq!(tcp_counters(&world, 0).sender.retransmissions, 0);
}
