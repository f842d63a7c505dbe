//! NDN over links: aggregation, caching, strategies, loops, lifetimes and hop
//! limits, seen from outside.

use crate::common;
use crate::common::{
    Dumbbell, PAYLOAD, ask, chain, direction, disciplines, dumbbell, file, flow, join, nodes,
    patient_disciplines, port, run, serve,
};
use windtunnel_controllers::Controller;
use windtunnel_engine::{Control, Duration, Stop, Time};
use windtunnel_links::{Impairment, Loss};
use windtunnel_networks::ndn::forwarder::{ForwarderCounters, ForwarderMarks};
use windtunnel_networks::ndn::link_service::{LinkServiceCounters, LinkServiceSettings};
use windtunnel_queues::{Discipline, Pcon};
use windtunnel_transports::ndn::consumer::{ConsumerTimeout, Reaction};
use windtunnel_world::{DirectionPlan, Paths, Plan, RoutePlan, World};

fn node(world: &World, index: usize) -> ForwarderCounters {
    world.nodes().nth(index).expect("a node of the plan")
}

fn finished(world: &World, consumer: usize) -> Option<Time> {
    world.consumers().nth(consumer).expect("a consumer of the plan").finished()
}

const SEGMENTS: u64 = 200;
const WINDOW: u64 = 10;

/// Two consumers of `SEGMENTS` segments, the same or each its own, the second so
/// much later. A round trip takes 80 ms, half of it beyond the first router.
fn two_consumers(same: bool, later: Duration, strategy: &'static str) -> Plan {
    let Dumbbell { mut plan, consumers, producers } =
        dumbbell(2, &direction(1000, 10), &direction(1000, 20));
    plan.nodes.iter_mut().for_each(|it| it.strategy = strategy);
    for (number, (consumer, producer)) in consumers.into_iter().zip(producers).enumerate() {
        let uri = if same { "/same" } else { ["/first", "/second"][number] };
        if !same || number == 0 {
            serve(&mut plan, producer, uri);
        }
        let consumer = ask(&mut plan, consumer, uri, WINDOW);
        file(consumer, SEGMENTS);
        consumer.settings.start = Time::ZERO + later * number as u64;
    }
    plan
}

#[test]
fn two_synchronised_consumers_of_the_same_content_share_one_copy() {
    let upstream = |same| {
        let plan = two_consumers(same, Duration::ZERO, "best-route");
        let world = run(&plan);
        for consumer in 0..2 {
            assert_eq!(flow(&world, consumer).data, SEGMENTS);
        }
        let [interests, data] = [0, 1].map(|side| port(&plan, &world, 0, side).delivered);
        assert_eq!(interests, data);
        (data, node(&world, 0).aggregated)
    };
    assert_eq!(upstream(true), (SEGMENTS, SEGMENTS));
    assert_eq!(upstream(false), (2 * SEGMENTS, 0));
}

/// Together they receive more than the link between the routers can carry.
#[test]
fn shared_content_brings_more_goodput_than_the_bottleneck_has() {
    let mut plan = two_consumers(true, Duration::ZERO, "best-route");
    plan.links[0].directions[1] = direction(1, 20);
    let world = run(&plan);
    let last = [0, 1].map(|it| finished(&world, it).expect("the file came"));
    let seconds = last[0].max(last[1]).as_seconds();
    let goodput = 2.0 * (SEGMENTS * u64::from(PAYLOAD) * 8) as f64 / seconds;
    assert!(goodput > 1.5e6, "{goodput} bit/s over 1 Mbps");
}

/// The second consumer's first window finds the same segments pending. What it
/// then receives came for the first one: from there on both are in step.
#[test]
fn a_consumer_that_comes_later_is_sent_on_again_by_best_route_and_not_by_pcon() {
    let sent_again = |later_ms, strategy| {
        let plan = two_consumers(true, Duration::from_millis(later_ms), strategy);
        let world = run(&plan);
        let upstream = port(&plan, &world, 0, 0).delivered;
        let unsolicited: u64 = world.nodes().map(|it| it.unsolicited).sum();
        assert_eq!(unsolicited, upstream - SEGMENTS, "the second copies");
        upstream - SEGMENTS
    };
    assert_eq!(sent_again(9, "best-route"), 0);
    assert_eq!(sent_again(15, "best-route"), WINDOW);
    // Retransmissions and probes are none here: one face leads upstream.
    assert_eq!(sent_again(9, "pcon"), 0);
    assert_eq!(sent_again(15, "pcon"), 0);
}

#[test]
fn a_consumer_that_comes_after_the_other_is_served_from_the_content_store() {
    let mut plan = two_consumers(true, Duration::from_secs(5), "best-route");
    plan.nodes[0].cached = SEGMENTS as usize;
    let world = run(&plan);
    assert_eq!(port(&plan, &world, 0, 0).delivered, SEGMENTS);
    let router = node(&world, 0);
    assert_eq!((router.content_store_hits, router.content_store_misses), (SEGMENTS, SEGMENTS));
    let [first, second] = [0, 1].map(|it| flow(&world, it).delay_minimum.expect("Data came"));
    assert!(first > Duration::from_millis(80) && second < Duration::from_millis(21));
}

/// One by one from the first segment on: each has just made room for the one
/// before it.
#[test]
fn a_content_store_one_segment_too_small_serves_nothing_to_who_comes_later() {
    let mut plan = two_consumers(true, Duration::from_secs(20), "best-route");
    plan.consumers[1].controller = common::fixed(1);
    plan.nodes[0].cached = SEGMENTS as usize - 1;
    plan.duration = Duration::from_secs(60);
    let world = run(&plan);
    assert_eq!(node(&world, 0).content_store_hits, 0);
    assert_eq!(port(&plan, &world, 0, 0).delivered, 2 * SEGMENTS);
}

/// Four nodes in a ring; the producer sits across from the consumer.
fn ring(strategy: &'static str, paths: Paths) -> Plan {
    let mut plan = nodes(&["a", "b", "c", "d"]);
    for node in 0..4 {
        join(&mut plan, node, (node + 1) % 4, &direction(10, 1 + node as u64));
    }
    plan.nodes.iter_mut().for_each(|it| it.strategy = strategy);
    plan.routing.paths = paths;
    serve(&mut plan, 2, "/data");
    file(ask(&mut plan, 0, "/data", WINDOW), SEGMENTS);
    plan
}

#[test]
fn no_interest_circulates_in_a_ring_and_everything_ends() {
    let plan = ring("multicast", Paths::All);
    let world = run(&plan);
    assert_eq!(flow(&world, 0).interests, SEGMENTS);
    assert!(finished(&world, 0).is_some());
    assert_eq!(world.packets_in_transit(), 0);
    for side in 0..2 * plan.links.len() {
        let crossing = port(&plan, &world, side / 2, side % 2);
        // An Interest once, and an answer once: Data, or a refusal.
        assert!(crossing.offered <= 2 * SEGMENTS, "{crossing:?}");
    }
    let loops: u64 = world.nodes().map(|it| it.loops).sum();
    assert!(loops > 0, "the ring brings Interests back");
    let events = |seconds| {
        let plan = Plan { duration: Duration::from_secs(seconds), ..plan.clone() };
        let mut world = World::new(&plan).expect("there is a path");
        world.run(&Control::default(), None)
    };
    assert_eq!(events(20), events(1_000));
}

/// A copy comes back from the other way round after its Interest was answered:
/// the ring's long side is slow.
#[test]
fn a_late_copy_of_an_answered_interest_is_refused() {
    let mut plan = ring("multicast", Paths::All);
    for link in [2, 3] {
        plan.links[link].directions[0].delay = Duration::from_secs(1);
        plan.links[link].directions[1].delay = Duration::from_secs(1);
    }
    let world = run(&plan);
    assert_eq!(flow(&world, 0).interests, SEGMENTS);
    assert_eq!(world.packets_in_transit(), 0);
    for side in 0..8 {
        assert!(port(&plan, &world, side / 2, side % 2).offered <= 2 * SEGMENTS);
    }
}

#[test]
fn best_route_takes_the_shorter_side_of_a_ring() {
    let plan = ring("best-route", Paths::All);
    let world = run(&plan);
    // Over b it takes 1 + 2 ms, over d 3 + 4 ms.
    let offered = [(0, 0), (3, 1)].map(|(link, side)| port(&plan, &world, link, side).offered);
    assert_eq!(offered, [SEGMENTS, 0]);
}

/// A lost Interest or Data leaves its Interest pending until its lifetime ends.
#[test]
fn an_interest_that_is_never_answered_expires_in_every_node_on_its_way() {
    let mut plan = chain(3, &direction(10, 1), 5);
    plan.links[2].directions[0].loss = Loss::Bernoulli(1.0);
    for (end_ms, expired) in [(4_000, [5, 0, 0, 0]), (5_000, [5, 5, 5, 0])] {
        plan.duration = Duration::from_millis(end_ms);
        let world = run(&plan);
        let counted: Vec<u64> = world.nodes().map(|it| it.expired).collect();
        assert_eq!(counted, expired, "at {end_ms} ms");
    }
}

#[test]
fn interests_of_mixed_lifetimes_expire_each_in_its_time() {
    let mut plan = chain(1, &direction(10, 1), 1);
    plan.links[0].directions[0].loss = Loss::Bernoulli(1.0);
    plan.consumers.clear();
    for (number, lifetime_ms) in [700, 100, 400, 300].into_iter().enumerate() {
        let consumer = ask(&mut plan, 0, &format!("/data/{number}"), 1);
        consumer.settings.lifetime_ms = lifetime_ms;
    }
    for (end_ms, expired) in [(99, 0), (100, 1), (299, 1), (300, 2), (400, 3), (699, 3), (700, 4)] {
        plan.duration = Duration::from_millis(end_ms);
        assert_eq!(node(&run(&plan), 0).expired, expired, "at {end_ms} ms");
    }
}

#[test]
fn an_interest_goes_as_far_as_its_hop_limit() {
    for (hop_limit, received) in [(2, 0), (3, SEGMENTS)] {
        let mut plan = chain(3, &direction(100, 1), WINDOW);
        file(&mut plan.consumers[0], SEGMENTS);
        plan.consumers[0].settings.hop_limit = Some(hop_limit);
        let world = run(&plan);
        assert_eq!(flow(&world, 0).data, received);
        assert_eq!(node(&world, 2).hop_limit_exceeded > 0, received == 0);
    }
}

/// A given route leads into a node that knows none.
#[test]
fn an_interest_without_a_route_is_refused_all_the_way_back() {
    let mut plan = nodes(&["consumer", "router", "end", "producer"]);
    for (first, second) in [(0, 1), (1, 2), (1, 3)] {
        join(&mut plan, first, second, &direction(100, 1));
    }
    serve(&mut plan, 3, "/data");
    ask(&mut plan, 0, "/data", WINDOW);
    let prefix = plan.prefixes[0].clone();
    let route = |node, link| RoutePlan { node, prefix: prefix.clone(), link, cost: 0 };
    plan.routing.given = vec![route(1, 1), route(2, 1)];
    let world = run(&plan);
    let counters = flow(&world, 0);
    assert_eq!((counters.nacks, counters.data), (WINDOW, 0));
    assert_eq!([0, 1, 2].map(|it| node(&world, it).nacks_out), [WINDOW; 3]);
    let waiting = world.consumers().next().map(|it| it.in_flight());
    assert_eq!(waiting, Some(WINDOW), "each waits for its timeout");
}

/// The Interests' way is slow, the Data's is not: without the marks' return the
/// consumer would never learn of it.
#[test]
fn congestion_of_interests_reaches_the_consumer_where_marks_return() {
    for (returns, marked) in [(true, true), (false, false)] {
        let mut plan = chain(2, &direction(100, 1), 400);
        let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
        let discipline = Discipline::Pcon(Pcon::new(target, interval));
        plan.links[0].directions[0] =
            DirectionPlan { rate: common::rate(200_000), discipline, ..direction(1, 1) };
        for node in &mut plan.nodes {
            node.marks =
                ForwarderMarks { interest_marks_return: returns, cached_marks_stay: false };
        }
        let world = run(&plan);
        let (made, seen) = (port(&plan, &world, 0, 0).marks, flow(&world, 0).marks);
        assert!(made > 0);
        assert_eq!(seen > 0, marked);
        let under_way = made - seen;
        assert!(!returns || under_way <= world.packets_in_transit(), "{seen} of {made}");
    }
}

/// The next mark or drop of CoDel comes `100 ms / sqrt(n)` after the n-th, that of
/// PCON 1.1 times as much; the link service is one step ahead.
#[test]
fn a_standing_queue_is_marked_or_dropped_from_as_often_as_the_discipline_says() {
    let seconds = 2.0;
    let marks_by = |spacing: f64, first: u32| {
        let mut instants = (first..).scan(0.0, |time, number| {
            *time += spacing / f64::from(number).sqrt();
            Some(*time)
        });
        // The first comes an interval after the queue grew.
        1 + instants.position(|time| time > seconds - 0.1).expect("time goes on") as i64
    };
    let codel = marks_by(0.1, 1);
    let (service, pcon) = (marks_by(0.1, 2), marks_by(0.11, 1));
    let expected = [0, service, codel, codel, pcon, codel, codel];
    for (discipline, expected) in disciplines().into_iter().zip(expected) {
        let mut plan = chain(1, &direction(100, 1), 1000);
        plan.links[0].directions[1].discipline = discipline.clone();
        plan.duration = Duration::from_secs(2);
        let world = run(&plan);
        let counters = port(&plan, &world, 0, 1);
        let marks = counters.marks as i64;
        let hits = marks + counters.discipline_drops as i64;
        // The queue takes some milliseconds to grow; a mark takes ten in the end.
        assert!((hits - expected).abs() <= 1, "{hits} for {expected}: {discipline:?}");
        let under_way = marks - flow(&world, 0).marks as i64;
        assert!((0..=world.packets_in_transit() as i64).contains(&under_way));
    }
}

/// Where every mark decreases, AIMD keeps CoDel's queue short.
#[test]
fn a_consumer_that_obeys_marks_keeps_the_queue_near_its_target() {
    for discipline in patient_disciplines().split_off(2) {
        let mut plan = chain(2, &direction(100, 5), 1);
        common::adaptive(&mut plan.consumers[0], "aimd");
        plan.consumers[0].settings.on_mark = Reaction::Every;
        plan.links[1].directions[1] = DirectionPlan { discipline, ..direction(10, 5) };
        plan.duration = Duration::from_secs(60);
        let world = run(&plan);
        let (counters, busy) = world.ports(plan.end()).nth(3).expect("the bottleneck");
        let wait = counters.sojourn_sum.as_seconds() / counters.sent as f64;
        assert!(wait < 0.015, "{wait} s");
        assert!(busy.as_seconds() > 0.85 * 60.0, "{busy:?}");
    }
}

#[test]
fn timeouts_recover_a_file_from_loss_both_ways() {
    let mut plan = chain(3, &direction(10, 5), 1);
    common::adaptive(&mut plan.consumers[0], "cubic");
    file(&mut plan.consumers[0], 2_000);
    for direction in plan.links.iter_mut().flat_map(|it| &mut it.directions) {
        direction.loss = Loss::Bernoulli(0.01);
    }
    plan.duration = Duration::from_secs(1_000);
    let world = run(&plan);
    assert!(finished(&world, 0).is_some());
    let counters = flow(&world, 0);
    assert_eq!(counters.bytes, 2_000 * u64::from(PAYLOAD));
    assert!(counters.timeouts > 0 && counters.interests == 2_000 + counters.retransmissions);
    assert_eq!(world.packets_in_transit(), 0);
}

#[test]
fn a_producers_response_delay_is_part_of_each_round_trip() {
    let measured = |response: Duration| {
        let mut plan = chain(1, &direction(1000, 10), 4);
        file(&mut plan.consumers[0], 40);
        plan.producers[0].producer.response_delay = response;
        let mut world = World::new(&plan).expect("there is a path");
        assert_eq!(world.run(&Control::default(), None).0, Stop::Finished);
        flow(&world, 0).delay_minimum.expect("Data came")
    };
    let response = Duration::from_millis(7);
    assert_eq!(measured(response), measured(Duration::ZERO) + response);
}

#[test]
fn timeouts_double_and_a_dead_path_is_asked_ever_more_rarely() {
    let mut plan = chain(1, &direction(10, 1), 1);
    plan.links[0].directions[0].loss = Loss::Bernoulli(1.0);
    plan.consumers[0].settings.timeout = ConsumerTimeout::default();
    for (seconds, interests) in
        [(0, 1), (1, 2), (3, 3), (7, 4), (15, 5), (31, 6), (63, 7), (123, 8)]
    {
        plan.duration = Duration::from_millis(1000 * seconds + 500);
        let world = run(&plan);
        assert_eq!(flow(&world, 0).interests, interests, "after {seconds} s");
    }
}

#[test]
fn the_window_is_what_is_in_flight_while_a_stream_goes_on() {
    let plan = chain(2, &direction(10, 5), 17);
    let world = run(&plan);
    let consumer = world.consumers().next().expect("one consumer");
    assert_eq!((consumer.in_flight(), consumer.controller().cwnd()), (17, 17.0));
}

/// A router between a consumer and a producer; each Data becomes three fragments on the
/// second link, which loses and repeats some.
fn in_fragments() -> Plan {
    let lossy = Loss::Bernoulli(0.02);
    let link = DirectionPlan { loss: lossy, ..direction(20, 5) };
    let link = DirectionPlan {
        impairment: Impairment { duplication: 0.02, ..Impairment::default() },
        ..link
    };
    let mut plan = nodes(&["consumer", "router", "producer"]);
    join(&mut plan, 0, 1, &direction(100, 1));
    join(&mut plan, 1, 2, &link);
    plan.links[1].link_service = LinkServiceSettings { mtu: Some(400), pit_token: 4 };
    serve(&mut plan, 2, "/data");
    let consumer = ask(&mut plan, 0, "/data", WINDOW);
    file(consumer, SEGMENTS);
    consumer.settings.timeout = ConsumerTimeout::default();
    plan
}

#[test]
fn a_file_arrives_whole_in_fragments_of_which_some_are_lost() {
    let plan = in_fragments();
    let world = run(&plan);
    assert!(finished(&world, 0).is_some());
    let services: Vec<_> = world.link_services().collect();
    let [consumer, router, producer] = services[..] else { panic!("three nodes") };
    assert_eq!(consumer, LinkServiceCounters::default(), "its link asks nothing");
    assert!(producer.fragmented >= SEGMENTS && router.fragmented == 0);
    assert_eq!(producer.fragments_out, 3 * producer.fragmented);
    let down = port(&plan, &world, 1, 1);
    assert_eq!(down.offered, producer.fragments_out);
    assert!(down.losses > 0 && down.duplicates > 0);
    assert_eq!(router.fragments_in, down.delivered);
    assert_eq!(router.reassembled, node(&world, 1).data_in);
    // Of a packet's three fragments one is lost, or more.
    let incomplete = producer.fragmented - router.reassembled;
    assert!(incomplete <= down.losses && 3 * incomplete >= down.losses, "{incomplete}");
}
