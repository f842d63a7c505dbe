//! Which way Interests go: by delay, by hops, as given, and to which producer.

use crate::common::{ask, direction, file, flow, join, join_unequal, nodes, port, run, serve};
use windtunnel_engine::Duration;
use windtunnel_links::Loss;
use windtunnel_world::{DirectionPlan, Metric, Paths, Plan, RoutePlan, Unreachable, World};

const SEGMENTS: u64 = 20;

/// Two ways from the consumer's node 0 to the producer's node 3: the first over
/// nodes 1 and 2 in three links of these delays, the second in one link.
fn two_ways(long_ms: u64, direct_ms: u64) -> Plan {
    let mut plan = nodes(&["consumer", "x", "y", "producer"]);
    for (first, second) in [(0, 1), (1, 2), (2, 3)] {
        join(&mut plan, first, second, &direction(10, long_ms));
    }
    join(&mut plan, 0, 3, &direction(10, direct_ms));
    serve(&mut plan, 3, "/data");
    file(ask(&mut plan, 0, "/data", 2), SEGMENTS);
    plan
}

/// How many Interests take the long way, and how many the direct one.
fn shares(plan: &Plan) -> [u64; 2] {
    let world = run(plan);
    assert_eq!(flow(&world, 0).data, SEGMENTS);
    [0, 3].map(|link| port(plan, &world, link, 0).delivered)
}

#[test]
fn the_least_delay_wins_and_of_equal_delays_the_fewest_hops() {
    for (long_ms, direct_ms, expected) in
        [(3, 10, [SEGMENTS, 0]), (3, 8, [0, SEGMENTS]), (3, 9, [0, SEGMENTS])]
    {
        assert_eq!(shares(&two_ways(long_ms, direct_ms)), expected, "{long_ms}, {direct_ms} ms");
    }
}

#[test]
fn by_hops_the_delay_does_not_matter() {
    let mut plan = two_ways(1, 100);
    assert_eq!(shares(&plan), [SEGMENTS, 0]);
    plan.routing.metric = Metric::Hops;
    assert_eq!(shares(&plan), [0, SEGMENTS]);
}

/// Data goes back where its Interest came from, whatever that direction costs.
#[test]
fn the_delay_that_counts_is_the_interests() {
    let mut plan = two_ways(3, 10);
    plan.links[3].directions[1].delay = Duration::ZERO;
    assert_eq!(shares(&plan), [SEGMENTS, 0]);
    plan.links[3].directions = [direction(10, 8), direction(10, 100)];
    assert_eq!(shares(&plan), [0, SEGMENTS]);
}

#[test]
fn a_given_route_replaces_what_was_computed_for_its_node_and_prefix() {
    let mut plan = two_ways(3, 8);
    assert_eq!(shares(&plan), [0, SEGMENTS]);
    let prefix = plan.prefixes[0].clone();
    plan.routing.given = vec![RoutePlan { node: 0, prefix, link: 0, cost: 0 }];
    assert_eq!(shares(&plan), [SEGMENTS, 0]);
}

#[test]
fn a_given_route_to_a_longer_prefix_goes_before_the_computed_one() {
    let mut plan = two_ways(3, 8);
    plan.consumers.clear();
    file(ask(&mut plan, 0, "/data/special", 2), SEGMENTS);
    let prefix = "/data/special".parse().expect("a name");
    plan.routing.given = vec![RoutePlan { node: 0, prefix, link: 0, cost: 9 }];
    assert_eq!(shares(&plan), [SEGMENTS, 0]);
}

#[test]
fn where_all_paths_are_used_a_retransmission_takes_the_other_one() {
    let mut plan = two_ways(3, 1);
    plan.links[3].directions[0].loss = Loss::Bernoulli(1.0);
    let limits = &mut plan.consumers[0].settings.timeout;
    (limits.initial, limits.maximum) = (Duration::from_millis(200), Duration::from_millis(200));
    let world = run(&plan);
    assert_eq!(flow(&world, 0).data, 0, "the only path loses everything");
    plan.routing.paths = Paths::All;
    let world = run(&plan);
    let counters = flow(&world, 0);
    assert_eq!((counters.data, counters.retransmissions), (SEGMENTS, SEGMENTS));
}

#[test]
fn the_nearest_of_several_producers_answers() {
    let mut plan = nodes(&["left", "consumer", "right"]);
    join(&mut plan, 0, 1, &direction(10, 5));
    join(&mut plan, 1, 2, &direction(10, 4));
    serve(&mut plan, 0, "/data");
    serve(&mut plan, 2, "/data");
    ask(&mut plan, 1, "/data", 1);
    let world = run(&plan);
    assert_eq!(port(&plan, &world, 0, 1).offered, 0);
    assert!(port(&plan, &world, 1, 0).offered > 0);
}

#[test]
fn the_producer_of_the_longest_prefix_answers_however_far() {
    let mut plan = nodes(&["general", "consumer", "special"]);
    join(&mut plan, 0, 1, &direction(10, 1));
    join(&mut plan, 1, 2, &direction(10, 100));
    serve(&mut plan, 0, "/data");
    serve(&mut plan, 2, "/data/special");
    ask(&mut plan, 1, "/data/special/1", 1);
    let world = run(&plan);
    assert_eq!(port(&plan, &world, 0, 1).offered, 0);
    assert!(flow(&world, 0).data > 0);
}

#[test]
fn a_consumer_without_a_path_is_named() {
    let mut plan = nodes(&["a", "b", "island"]);
    join(&mut plan, 0, 1, &direction(10, 1));
    serve(&mut plan, 1, "/data");
    ask(&mut plan, 0, "/data", 1);
    assert!(World::new(&plan).is_ok());
    ask(&mut plan, 2, "/data", 1);
    assert_eq!(World::new(&plan).err(), Some(Unreachable::Consumer(1)));
    plan.consumers[1].node = 0;
    plan.consumers[1].settings.prefix = {
        ask(&mut plan, 0, "/nobody", 1);
        plan.consumers[2].settings.prefix
    };
    assert_eq!(World::new(&plan).err(), Some(Unreachable::Consumer(1)));
}

#[test]
fn delays_that_add_up_beyond_the_clock_are_only_long() {
    let endless = DirectionPlan { delay: Duration::MAX, ..direction(10, 0) };
    let mut plan = nodes(&["a", "b", "c"]);
    join_unequal(&mut plan, 0, 1, [endless.clone(), endless.clone()]);
    join_unequal(&mut plan, 1, 2, [endless.clone(), endless]);
    serve(&mut plan, 2, "/data");
    ask(&mut plan, 0, "/data", 1);
    for paths in [Paths::Shortest, Paths::All] {
        plan.routing.paths = paths;
        assert_eq!(flow(&run(&plan), 0).data, 0);
    }
}
