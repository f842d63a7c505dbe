//! Interests follow the topology.

use windtunnel_engine::{Control, Duration, Stop};
use windtunnel_networks::ndn::forwarder::ForwarderCounters as NodeCounters;
use windtunnel_packets::ndn::{PacketFormat, PrefixId};
use windtunnel_transports::ndn::consumer::ConsumerTimeout;
use windtunnel_world::{LinkChange, Paths, Plan, PortId, World};

use crate::common::{ask, assert_conserved, direction, flow, join, nodes, serve};
use crate::{CONVERGENCE_MS, LONG, SHORT, at, change, two_paths};

/// A consumer on the first node and a producer on the last.
fn plan_of(strategy: &'static str, paths: Paths) -> Plan {
    let mut plan = two_paths();
    plan.routing.paths = paths;
    plan.nodes.iter_mut().for_each(|it| it.strategy = strategy);
    serve(&mut plan, 3, "/data");
    ask(&mut plan, 0, "/data", 4).settings.timeout = ConsumerTimeout::default();
    plan
}

fn world(plan: &Plan) -> World {
    World::new(plan).expect("the consumer reaches the producer")
}

/// The Interests that the first link of a path was offered.
fn interests(world: &World, path: [usize; 2]) -> u64 {
    let place = PortId::new(path[0], 0).index();
    world.ports(world.now()).nth(place).expect("a port of the plan").0.offered
}

fn node(world: &World, place: usize) -> NodeCounters {
    world.nodes().nth(place).expect("a node of the plan")
}

fn finish(plan: &Plan, mut world: World) {
    assert_eq!(world.run(&Control::default(), None).0, Stop::Finished);
    assert_conserved(plan, &world);
}

const STRATEGIES: [&str; 2] = ["best-route", "pcon"];

#[test]
fn interests_take_the_other_path_and_come_back() {
    for strategy in STRATEGIES {
        for paths in [Paths::Shortest, Paths::All] {
            let case = format!("{strategy}, {paths:?}");
            let mut plan = plan_of(strategy, paths);
            change(&mut plan, 2000, SHORT[1], LinkChange::Down);
            change(&mut plan, 5000, SHORT[1], LinkChange::Up);
            let mut world = world(&plan);
            world.advance(at(2000));
            assert_eq!(interests(&world, LONG), 0, "{case}");
            world.advance(at(3000));
            let [short, before] = [SHORT, LONG].map(|it| interests(&world, it));
            let data = flow(&world, 0).data;
            world.advance(at(5000));
            assert_eq!(interests(&world, SHORT), short, "{case}: none while it is down");
            // Four a round trip of 80 ms.
            let came = interests(&world, LONG) - before;
            assert!((90..=100).contains(&came), "{case}: {came}");
            assert!(flow(&world, 0).data - data >= 90, "{case}");
            world.advance(at(5000 + CONVERGENCE_MS));
            let long = interests(&world, LONG);
            world.advance(at(10_000));
            // PCON probes other next hops with one Interest in a thousand.
            let probes = if (strategy, paths) == ("pcon", Paths::All) { 10 } else { 0 };
            assert!(interests(&world, LONG) <= long + probes, "{case}: none when it is up again");
            // Four a round trip of 20 ms, and a little.
            assert!(interests(&world, SHORT) > short + 800, "{case}");
            finish(&plan, world);
        }
    }
}

/// Another consumer begins while it is not.
#[test]
fn a_prefix_that_is_not_reached_is_withdrawn_and_announced_again() {
    for strategy in STRATEGIES {
        for paths in [Paths::Shortest, Paths::All] {
            let case = format!("{strategy}, {paths:?}");
            let mut plan = plan_of(strategy, paths);
            ask(&mut plan, 0, "/data", 4).settings.start = at(3000);
            for link in [SHORT[1], LONG[1]] {
                change(&mut plan, 2000, link, LinkChange::Down);
                change(&mut plan, 5000, link, LinkChange::Up);
            }
            let mut world = world(&plan);
            world.advance(at(2000 + CONVERGENCE_MS));
            let sent = [SHORT, LONG].map(|it| interests(&world, it));
            let data = flow(&world, 0).data;
            world.advance(at(5000));
            assert_eq!([SHORT, LONG].map(|it| interests(&world, it)), sent, "{case}");
            assert_eq!(flow(&world, 0).data, data, "{case}");
            assert_eq!(flow(&world, 1).nacks, 4, "{case}: refused without a route");
            // The timeouts have doubled to 3.2 s; then four a round trip of 20 ms.
            world.advance(at(10_000));
            assert!(flow(&world, 0).data > data + 300, "{case}: {:?}", flow(&world, 0));
            finish(&plan, world);
        }
    }
}

/// A longer prefix is nearer; while it is not reached, the shorter one serves its names.
#[test]
fn names_under_a_withdrawn_prefix_go_by_the_next_shorter_one() {
    let mut plan = nodes(&["general", "consumer", "special"]);
    join(&mut plan, 0, 1, &direction(10, 5));
    join(&mut plan, 1, 2, &direction(10, 5));
    plan.routing.convergence = Some(Duration::from_millis(CONVERGENCE_MS));
    serve(&mut plan, 0, "/data");
    serve(&mut plan, 2, "/data/special");
    let consumer = ask(&mut plan, 1, "/data/special", 4);
    assert_eq!(consumer.settings.prefix, PrefixId::new(1, PacketFormat::Ndn));
    consumer.settings.timeout = ConsumerTimeout::default();
    change(&mut plan, 2000, 1, LinkChange::Down);
    change(&mut plan, 5000, 1, LinkChange::Up);
    let mut world = world(&plan);
    let mut data_of = |milliseconds| {
        world.advance(at(milliseconds));
        [0, 2].map(|it| node(&world, it).data_out)
    };
    let (before, failed, restored) = (data_of(2000), data_of(5000), data_of(9000));
    assert_eq!(before[0], 0);
    assert!(failed[0] > 900 && failed[1] == before[1], "{before:?} {failed:?}");
    assert!(restored[1] > failed[1] + 1000, "{failed:?} {restored:?}");
    finish(&plan, world);
}
