//! Plans of every kind, for laws that hold for all.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_controllers::DESCRIPTIONS;
use windtunnel_engine::{Duration, Time};
use windtunnel_links::{Impairment, Loss, Victims};
use windtunnel_queues::QueueLimit;
use windtunnel_transports::ndn::consumer::Reaction;
use windtunnel_world::{DirectionPlan, Paths, Plan, RecordingPlan};

use super::{Dumbbell, adaptive, ask, direction, disciplines, dumbbell, join, rate, serve};

fn any_loss() -> impl Strategy<Value = Loss> {
    prop_oneof![
        3 => Just(Loss::None),
        1 => (0.0..0.2_f64).prop_map(Loss::Bernoulli),
        1 => (0.0..0.1_f64, 0.1..1.0_f64, 0.0..0.5_f64).prop_map(|(to_bad, to_good, in_bad)| {
            Loss::GilbertElliott { to_bad, to_good, in_good: 0.0, in_bad, bad: false }
        }),
        1 => (1..5_000_u64, 1..500_u64, 0.0..0.5_f64).prop_map(|(good, bad, in_bad)| {
            Loss::ContinuousGilbertElliott {
                good_lasts: Duration::from_millis(good),
                bad_lasts: Duration::from_millis(bad),
                in_good: 0.0,
                in_bad,
                bad: false,
                last: Time::ZERO,
            }
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
            weight: DirectionPlan::USUAL_WEIGHT,
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
pub(crate) fn any_plan() -> impl Strategy<Value = Plan> {
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
            plan.recording = RecordingPlan::every(Duration::from_millis(100));
            plan.seed = seed;
            plan
        },
    )
}
