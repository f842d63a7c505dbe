//! What every run obeys, whatever the network: nothing is lost unaccounted, and
//! the same plan gives the same results.

use crate::common;
use std::thread;
use std::time::{Duration as RealDuration, Instant};

use crate::common::any::any_plan;
use crate::common::{
    Series, adaptive, ask, chain, direction, flow, join, ports, record, recorded, run,
    run_recorded, serve,
};
use proptest::prelude::*;
use windtunnel_engine::{Control, Duration, Stop, Time};
use windtunnel_links::Loss;
use windtunnel_world::{Plan, World};

/// What takes longer has not ended, on a busy machine too.
const HANGS: RealDuration = RealDuration::from_secs(60);

/// Everything that a run measured, as text: equal texts, equal results.
fn results(plan: &Plan, (world, series): &(World, Series)) -> String {
    let flows: Vec<_> = world.consumers().map(|it| (it.counters(), it.in_flight())).collect();
    format!("{:?}", (totals(plan, world), flows, series))
}

fn totals(plan: &Plan, world: &World) -> String {
    let flows: Vec<_> = world.consumers().map(|it| it.counters()).collect();
    let nodes: Vec<_> = world.nodes().collect();
    let ports: Vec<_> = world.ports(plan.end()).collect();
    format!("{:?}", (flows, nodes, ports, world.packets_in_transit()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_port_sends_more_than_it_was_offered_or_longer_than_there_is_time(plan in any_plan()) {
        let world = run(&plan);
        for (port, busy) in world.ports(plan.end()) {
            prop_assert!(port.sent <= port.offered - port.overlimit_drops - port.discipline_drops);
            prop_assert!(busy <= plan.duration, "no link sends for longer than there is time");
        }
    }

    #[test]
    fn the_same_plan_gives_the_same_results(plan in any_plan()) {
        let results = || results(&plan, &run_recorded(&plan));
        prop_assert_eq!(results(), results());
    }

    #[test]
    fn a_medium_carries_one_packet_at_a_time(plan in any_plan()) {
        let (_, series) = run_recorded(&plan);
        let ports = 2 * plan.links.len();
        for samples in series.ports.chunks(ports) {
            let mut utilisation = [0.0; 2];
            for sample in samples {
                if let Some(medium) = plan.links[sample.port.link()].medium {
                    utilisation[medium] += sample.utilisation;
                }
            }
            prop_assert!(utilisation.iter().all(|it| *it <= 1.0 + 1e-9), "{utilisation:?}");
        }
    }

    #[test]
    fn a_run_in_steps_gives_what_a_run_at_once_gives(
        plan in any_plan(),
        step_ms in 1..700_u64,
        beyond in 0..2_u64,
    ) {
        let mut world = World::new(&plan).expect("every consumer finds a producer");
        let series = record(&plan, &mut world, 1000);
        let mut time = Time::ZERO;
        while time < plan.end() + Duration::from_secs(beyond) {
            time += Duration::from_millis(step_ms);
            world.advance(time);
        }
        let in_steps = (world, recorded(&series));
        prop_assert_eq!(results(&plan, &in_steps), results(&plan, &run_recorded(&plan)));
    }
}

/// Loss, random starts and nonces on one path.
fn with_chance() -> Plan {
    let mut plan = chain(2, &direction(10, 5), 1);
    plan.links[1].directions[1].loss = Loss::Bernoulli(0.01);
    let consumer = &mut plan.consumers[0];
    adaptive(consumer, "aimd");
    consumer.settings.start_within = Duration::from_millis(100);
    plan
}

#[test]
fn other_seeds_and_other_runs_give_other_results() {
    let plan = with_chance();
    let one = totals(&plan, &run(&plan));
    for other in [Plan { seed: 2, ..plan.clone() }, Plan { run: 1, ..plan.clone() }] {
        assert_ne!(totals(&other, &run(&other)), one);
    }
}

/// Wherever it stands in the plan.
#[test]
fn a_consumer_elsewhere_changes_nobody_elses_draws() {
    let plan = with_chance();
    let world = run(&plan);
    let mut other = with_chance();
    let mut first = other.nodes[0].clone();
    let elsewhere = ["x", "y"].map(|name| {
        first.name = name.to_owned();
        other.nodes.push(first.clone());
        other.nodes.len() - 1
    });
    join(&mut other, elsewhere[0], elsewhere[1], &direction(10, 5));
    serve(&mut other, elsewhere[1], "/elsewhere");
    let consumer = ask(&mut other, elsewhere[0], "/elsewhere", 1);
    consumer.name = "elsewhere".to_owned();
    adaptive(consumer, "aimd");
    consumer.settings.start_within = Duration::from_millis(100);
    other.consumers.rotate_right(1);
    other.links.rotate_right(1);
    let with_other = run(&other);
    assert!(flow(&with_other, 0).data > 0);
    assert_eq!(flow(&with_other, 1), flow(&world, 0));
    assert_eq!(ports(&other, &with_other)[2..], ports(&plan, &world)[..]);
}

/// So much that it would run for days.
fn endless() -> Plan {
    let mut plan = chain(2, &direction(1_000, 1), 1_000);
    plan.duration = Duration::from_secs(1_000_000);
    plan
}

#[test]
fn a_run_ends_soon_after_another_thread_cancels_it() {
    let control = Control::default();
    let plan = endless();
    thread::scope(|scope| {
        let running = scope.spawn(|| {
            let mut world = World::new(&plan).expect("there is a path");
            let ended = world.run(&control, None);
            assert!(world.now() > Time::ZERO && world.now() < plan.end());
            common::assert_conserved(&plan, &world);
            ended
        });
        while control.events() == 0 {
            thread::sleep(RealDuration::from_millis(1));
        }
        let asked = Instant::now();
        control.cancel();
        let (stop, events) = running.join().expect("the run ends");
        assert_eq!(stop, Stop::Cancelled);
        assert!(asked.elapsed() < HANGS, "{:?}", asked.elapsed());
        assert_eq!(control.events(), events);
    });
}

/// A consumer on its producer's node asks for ever at one instant.
#[test]
fn a_run_whose_answers_take_no_time_can_be_ended_too() {
    let mut plan = endless();
    plan.consumers[0].node = plan.producers[0].node;
    let mut world = World::new(&plan).expect("it is there already");
    let started = Instant::now();
    let limit = RealDuration::from_millis(50);
    assert_eq!(world.run(&Control::default(), Some(limit)).0, Stop::OutOfRealTime);
    assert_eq!(world.now(), Time::ZERO);
    assert!(started.elapsed() < HANGS);
}

#[test]
fn a_run_ends_when_its_real_time_is_up() {
    let mut world = World::new(&endless()).expect("there is a path");
    let started = Instant::now();
    let limit = RealDuration::from_millis(50);
    assert_eq!(world.run(&Control::default(), Some(limit)).0, Stop::OutOfRealTime);
    assert!(started.elapsed() < HANGS);
}

#[test]
fn a_finished_run_has_reached_the_end_of_simulated_time() {
    let control = Control::default();
    let plan = chain(1, &direction(10, 1), 1);
    let mut world = World::new(&plan).expect("there is a path");
    let (stop, events) = world.run(&control, None);
    assert_eq!((stop, control.simulated(), control.events()), (Stop::Finished, plan.end(), events));
}
