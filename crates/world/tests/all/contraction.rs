//! Contracted hops: what comes of a world is the same if every hop is an event.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_applications::{BulkSettings, Workload};
use windtunnel_engine::{Control, Duration, Stop, Time};
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{Plan, World};

use crate::common::any_flows::any_plan_of_flows;
use crate::common::everything::{everything, first_difference};
use crate::common::{direction, ip_flow, join, nodes, over_tcp, record, recorded};

/// A world as it is built, and one in which every hop is an event.
fn both(plan: &Plan, threads: usize) -> [World; 2] {
    [false, true].map(|expands| {
        let mut world = World::on_threads(plan, threads).expect("links join all nodes");
        if expands {
            world.contract_nothing();
        }
        world
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_run_gives_the_same_if_every_hop_is_an_event(
        plan in any_plan_of_flows(),
        threads in 1..3_usize,
    ) {
        let [contracted, plain] = both(&plan, threads).map(|mut world| {
            let series = record(&plan, &mut world, 64);
            let ended = world.run(&Control::default(), None);
            format!("{ended:?}\n{}\n{:#?}", everything(&world, plan.end()), recorded(&series))
        });
        prop_assert!(contracted == plain, "{}", first_difference(&contracted, &plain));
    }

    /// Whatever is read whenever it is.
    #[test]
    fn a_run_in_steps_gives_the_same_at_each_step(
        plan in any_plan_of_flows(),
        steps_us in vec(0..40_000_u64, 1..40),
    ) {
        let mut worlds = both(&plan, 1);
        let mut time = Time::ZERO;
        for step_us in steps_us {
            time += Duration::from_micros(step_us);
            let [contracted, plain] = worlds.each_mut().map(|world| {
                world.advance(time);
                let reached = (world.now(), world.next_event(), world.events());
                format!("{reached:?}\n{}", everything(world, time))
            });
            prop_assert!(contracted == plain, "{}", first_difference(&contracted, &plain));
        }
    }

    /// A step to each event, by whichever world knows of one first.
    #[test]
    fn the_next_event_is_the_same(plan in any_plan_of_flows()) {
        let mut worlds = both(&plan, 1);
        for _ in 0..300 {
            let [next, expected] = worlds.each_ref().map(World::next_event);
            prop_assert_eq!(next, expected);
            let Some(time) = next else { break };
            worlds.iter_mut().for_each(|it| it.advance(time));
        }
        let [contracted, plain] =
            worlds.each_ref().map(|it| everything(it, it.now()));
        prop_assert!(contracted == plain, "{}", first_difference(&contracted, &plain));
    }

}

/// Four links in a row, and a flow from end to end.
fn row() -> Plan {
    let mut plan = nodes(&["a", "b", "c", "d", "e"]);
    (0..4).for_each(|it| join(&mut plan, it, it + 1, &direction(100, 10)));
    let bulk = Workload::Bulk(BulkSettings { rate: None });
    plan.flows.push(ip_flow("flow", 0, 4, over_tcp(Recovery::Rack, EcnMode::Off, bulk)));
    plan
}

/// What the control has seen are events.
#[test]
fn three_of_four_hops_of_a_row_are_no_events() {
    let control = Control::default();
    let mut world = World::new(&row()).expect("links join all nodes");
    let (_, events) = world.run(&control, None);
    assert!(events > world.packet_hops());
    let contracted = (events - control.events()) as f64;
    let share = contracted / world.packet_hops() as f64;
    assert!((share - 0.75).abs() < 0.01, "{share}");
}

#[test]
fn what_is_counted_when_real_time_is_up_is_what_is_counted_until_then() {
    let [mut stopped, mut plain] = both(&row(), 1);
    let (stop, events) = stopped.run(&Control::default(), Some(std::time::Duration::ZERO));
    assert_eq!(stop, Stop::OutOfRealTime);
    let time = stopped.now();
    plain.advance(time);
    assert_eq!((plain.now(), plain.events()), (time, events));
    let [stopped, plain] = [&stopped, &plain].map(|it| everything(it, time));
    assert!(stopped == plain, "{}", first_difference(&stopped, &plain));
}
