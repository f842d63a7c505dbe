//! What every run obeys, whatever the network: nothing is lost unaccounted, the
//! same plan gives the same results, and looking changes nothing.

mod common;

use std::thread;
use std::time::{Duration as RealDuration, Instant};

use common::{
    Dumbbell, adaptive, ask, chain, direction, disciplines, dumbbell, flow, join, ports, rate, run,
    serve,
};
use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_controllers::DESCRIPTIONS;
use windtunnel_engine::{Control, Duration, Stop, Time};
use windtunnel_links::{Impairment, Loss, Victims};
use windtunnel_queues::QueueLimit;
use windtunnel_transports::ndn::consumer::Reaction;
use windtunnel_world::{DirectionPlan, Paths, Plan, PortId, World};

fn any_loss() -> impl Strategy<Value = Loss> {
    prop_oneof![
        3 => Just(Loss::None),
        1 => (0.0..0.2_f64).prop_map(Loss::Bernoulli),
        1 => (0.0..0.1_f64, 0.1..1.0_f64, 0.0..0.5_f64).prop_map(|(to_bad, to_good, in_bad)| {
            Loss::GilbertElliott { to_bad, to_good, in_good: 0.0, in_bad, bad: false }
        }),
    ]
}

fn any_limit() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        (0..50_u32).prop_map(QueueLimit::Packets),
        (0..50_000_u64).prop_map(QueueLimit::Bytes),
    ]
}

fn any_direction() -> impl Strategy<Value = DirectionPlan> {
    let discipline = prop::sample::select(disciplines());
    (100_000..50_000_000_u64, 0..30_u64, any_loss(), any_limit(), discipline, 0..50_u32).prop_map(
        |(bits_per_second, delay_ms, loss, limit, discipline, overhead)| DirectionPlan {
            rate: rate(bits_per_second),
            opportunities: None,
            physical_layer: None,
            delay: Duration::from_millis(delay_ms),
            loss,
            victims: Victims::All,
            impairment: Impairment::default(),
            limit,
            discipline,
            overhead,
        },
    )
}

/// How a consumer asks: its controller, its reactions, and whose content.
fn any_manner() -> impl Strategy<Value = (&'static str, Reaction, bool, u64)> {
    let names: Vec<&'static str> = DESCRIPTIONS.iter().map(|it| it.name).collect();
    let reactions = vec![Reaction::Every, Reaction::OncePerRoundTrip, Reaction::Ignore];
    let (name, reaction) = (prop::sample::select(names), prop::sample::select(reactions));
    (name, reaction, any::<bool>(), 0..500_u64)
}

/// A dumbbell, with one more link that closes a circle; some links share media.
fn any_plan() -> impl Strategy<Value = Plan> {
    let media = prop::option::of(0..2_usize);
    let directions = vec((any_direction(), any_direction(), media), 6);
    let strategy = prop::sample::select(vec!["best-route", "multicast", "pcon"]);
    let manners = vec(any_manner(), 1..4);
    (directions, strategy, manners, 0..100_usize, any::<bool>(), any::<u64>()).prop_map(
        |(directions, strategy, manners, cached, circle, seed)| {
            let plain = direction(1, 1);
            let Dumbbell { mut plan, consumers, producers } = dumbbell(2, &plain, &plain);
            if circle {
                join(&mut plan, consumers[0], producers[0], &plain);
                plan.routing.paths = Paths::All;
            }
            for (link, (there, back, medium)) in plan.links.iter_mut().zip(directions) {
                link.directions = [there, back];
                link.medium = medium;
            }
            plan.nodes.iter_mut().for_each(|it| it.strategy = strategy);
            plan.nodes[0].cached = cached;
            serve(&mut plan, producers[0], "/shared");
            serve(&mut plan, producers[1], "/own");
            for (number, (name, reaction, shared, start_ms)) in manners.into_iter().enumerate() {
                let uri = if shared { "/shared".to_owned() } else { format!("/own/{number}") };
                let consumer = ask(&mut plan, consumers[number % 2], &uri, 20);
                adaptive(consumer, name);
                consumer.settings.on_mark = reaction;
                consumer.settings.on_timeout = reaction;
                consumer.settings.start = Time::ZERO + Duration::from_millis(start_ms);
                consumer.settings.lifetime_ms = 1_000;
            }
            plan.duration = Duration::from_secs(3);
            plan.interval = Duration::from_millis(100);
            plan.seed = seed;
            plan
        },
    )
}

/// Everything that a run measured, as text: equal texts, equal results.
fn results(plan: &Plan, world: &World) -> String {
    let flows: Vec<_> = world.consumers().map(|it| (it.counters(), it.in_flight())).collect();
    let nodes: Vec<_> = world.nodes().collect();
    format!("{:?}", (totals(plan, world), flows, nodes, world.series()))
}

fn totals(plan: &Plan, world: &World) -> String {
    let flows: Vec<_> = world.consumers().map(|it| it.counters()).collect();
    let nodes: Vec<_> = world.nodes().collect();
    let ports: Vec<_> = world.ports(plan.end()).collect();
    format!("{:?}", (flows, nodes, ports, world.packets_held()))
}

/// Equal but for the rounding of sums of fractions.
fn close(sum: f64, total: f64) -> bool {
    (sum - total).abs() <= 1e-6 * total.abs().max(1.0)
}

fn assert_series_sum_to_totals(plan: &Plan, world: &World) {
    let (series, seconds) = (world.series(), plan.interval.as_seconds());
    let count = plan.consumers.len();
    for (place, consumer) in world.consumers().enumerate() {
        let samples: Vec<_> = series.flows.iter().skip(place).step_by(count).collect();
        let total = consumer.counters();
        let bytes: f64 = samples.iter().map(|it| it.goodput_bps * seconds / 8.0).sum();
        assert!(close(bytes, total.bytes as f64));
        assert_eq!(samples.iter().map(|it| it.retransmissions).sum::<u64>(), total.retransmissions);
        assert_eq!(samples.iter().map(|it| it.marks).sum::<u64>(), total.marks);
        assert_eq!(samples.iter().map(|it| it.timeouts).sum::<u64>(), total.timeouts);
        assert_eq!(samples.iter().map(|it| it.decreases).sum::<u64>(), total.decreases);
        assert_eq!(samples.last().map(|it| it.in_flight), Some(consumer.in_flight()));
    }
    let count = 2 * plan.links.len();
    for (place, (total, busy)) in world.ports(plan.end()).enumerate() {
        let samples: Vec<_> = series.ports.iter().skip(place).step_by(count).collect();
        let bytes: f64 = samples.iter().map(|it| it.throughput_bps * seconds / 8.0).sum();
        assert!(close(bytes, total.delivered_bytes as f64));
        let sending: f64 = samples.iter().map(|it| it.utilisation * seconds).sum();
        assert!(close(sending, busy.as_seconds()));
        assert!(samples.iter().all(|it| (0.0..=1.0 + 1e-9).contains(&it.utilisation)));
        assert_eq!(samples.iter().map(|it| it.overflows).sum::<u64>(), total.overflows);
        assert_eq!(samples.iter().map(|it| it.losses).sum::<u64>(), total.losses);
        assert_eq!(samples.iter().map(|it| it.marks).sum::<u64>(), total.marks);
        let drops: u64 = samples.iter().map(|it| it.discipline_drops).sum();
        assert_eq!(drops, total.discipline_drops);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_run_conserves_packets_and_its_series_sum_to_its_totals(plan in any_plan()) {
        let world = run(&plan);
        assert_series_sum_to_totals(&plan, &world);
        for (port, busy) in world.ports(plan.end()) {
            prop_assert!(port.sent <= port.offered - port.overflows - port.discipline_drops);
            prop_assert!(busy <= plan.duration, "no link sends for longer than there is time");
        }
    }

    #[test]
    fn the_same_plan_gives_the_same_results(plan in any_plan()) {
        prop_assert_eq!(results(&plan, &run(&plan)), results(&plan, &run(&plan)));
    }

    #[test]
    fn a_medium_carries_one_packet_at_a_time(plan in any_plan()) {
        let world = run(&plan);
        let ports = 2 * plan.links.len();
        for samples in world.series().ports.chunks(ports) {
            let mut utilisation = [0.0; 2];
            for (sample, port) in samples.iter().zip(0..) {
                if let Some(medium) = plan.links[PortId(port).link()].medium {
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
        let mut time = Time::ZERO;
        while time < plan.end() + Duration::from_secs(beyond) {
            time += Duration::from_millis(step_ms);
            world.advance(time);
        }
        prop_assert_eq!(results(&plan, &world), results(&plan, &run(&plan)));
        prop_assert_eq!(totals(&plan, &world), totals(&plan, &run(&plan)));
    }

    #[test]
    fn how_often_is_sampled_changes_nothing(plan in any_plan(), interval_ms in 1..3_000_u64) {
        let interval = Duration::from_millis(interval_ms);
        let other = Plan { interval, ..plan.clone() };
        prop_assert_eq!(totals(&plan, &run(&plan)), totals(&other, &run(&other)));
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

/// An interval's end belongs to the interval, however long nothing happens after
/// it: one packet on a link of 1 s, sampled each 0.5 s.
#[test]
fn what_happens_at_an_intervals_end_belongs_to_it() {
    for interval_ms in [250, 500, 1_000] {
        let mut plan = chain(1, &direction(1, 0), 1);
        let there = &mut plan.links[0].directions[0];
        // The Interest's 23 octets take 184 us.
        there.delay = Duration::from_micros(1_000_000 - 184);
        plan.links[0].directions[1].delay = Duration::from_secs(3);
        plan.duration = Duration::from_secs(3);
        plan.interval = Duration::from_millis(interval_ms);
        let world = run(&plan);
        let arrived: Vec<f64> = world
            .series()
            .ports
            .iter()
            .step_by(2)
            .filter(|it| it.throughput_bps > 0.0)
            .map(|it| it.time_s)
            .collect();
        assert_eq!(arrived, [1.0], "sampled every {interval_ms} ms");
    }
}

/// Two Interests a second apart, and nothing in between.
#[test]
fn every_interval_has_its_sample() {
    let mut plan = chain(1, &direction(10, 500), 1);
    plan.interval = Duration::from_millis(100);
    let world = run(&plan);
    let times: Vec<u64> =
        world.series().flows.iter().map(|it| (it.time_s * 1e3).round() as u64).collect();
    let expected: Vec<u64> = (1..=100).map(|it| it * 100).collect();
    assert_eq!(times, expected);
    assert_eq!(world.series().ports.len(), 200);
}

/// So much that it would run for days.
fn endless() -> Plan {
    let mut plan = chain(2, &direction(1_000, 1), 1_000);
    plan.duration = Duration::from_secs(1_000_000);
    plan.interval = plan.duration;
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
        assert!(asked.elapsed() < RealDuration::from_secs(1), "{:?}", asked.elapsed());
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
    assert!(started.elapsed() < limit + RealDuration::from_secs(1));
}

#[test]
fn a_run_ends_when_its_real_time_is_up() {
    let mut world = World::new(&endless()).expect("there is a path");
    let started = Instant::now();
    let limit = RealDuration::from_millis(50);
    assert_eq!(world.run(&Control::default(), Some(limit)).0, Stop::OutOfRealTime);
    assert!(started.elapsed() < limit + RealDuration::from_secs(1));
}

#[test]
fn a_finished_run_has_reached_the_end_of_simulated_time() {
    let control = Control::default();
    let plan = chain(1, &direction(10, 1), 1);
    let mut world = World::new(&plan).expect("there is a path");
    let (stop, events) = world.run(&control, None);
    assert_eq!((stop, control.simulated(), control.events()), (Stop::Finished, plan.end(), events));
}
