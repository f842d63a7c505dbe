//! Worlds that are forked: what comes of each is what comes of a world that begins anew.

use std::ops::Range;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_applications::{BulkSettings, FileSettings, Workload};
use windtunnel_engine::{Duration, Time};
use windtunnel_links::{Impairment, Loss, Reordering, Victims};
use windtunnel_transports::tcp::TcpSettings;
use windtunnel_world::{
    ChangePlan, DirectionPlan, LinkChange, LossChange, Plan, PortId, SplitPlan, Transport, World,
    differ_from,
};

use crate::common::any::any_plan;
use crate::common::any_flows::any_plan_of_flows;
use crate::common::everything::first_difference;
use crate::common::{controller, direction, give, ip_flow, join, rate, record};
use crate::threads::{read, read_to_the_end, row, rows};

const CHUNK: usize = 64;

/// What is read of a world that is forked at a time, and of the fork, which goes on with the
/// changes of another plan.
fn forked(plan: &Plan, time: Time, other: &Plan) -> [String; 2] {
    let mut world = World::on_threads(plan, 1).expect("every flow has a path");
    world.keep_series(plan);
    world.advance(time);
    let mut fork = world.fork().expect("nobody watches");
    fork.continue_as(other);
    [(plan, world), (other, fork)].map(|(plan, mut world)| {
        let series = give(&mut world, CHUNK);
        read_to_the_end(plan, &mut world, &series)
    })
}

fn assert_same(plan: &Plan, time: Time, other: &Plan) -> Result<(), TestCaseError> {
    for (forked, plan) in forked(plan, time, other).iter().zip([plan, other]) {
        let whole = read(plan, 0);
        prop_assert!(*forked == whole, "{}", first_difference(forked, &whole));
    }
    Ok(())
}

fn any_change() -> impl Strategy<Value = LinkChange> {
    let loss = |it| LossChange { loss: Loss::Bernoulli(it), victims: Victims::All };
    prop_oneof![
        (1_000..50_000_000_u64).prop_map(|it| LinkChange::Rate(rate(it))),
        (1..20_u64).prop_map(|it| LinkChange::Delay(Duration::from_millis(it))),
        (0.0..0.2_f64).prop_map(move |it| LinkChange::Loss(loss(it).into())),
        Just(LinkChange::Stall),
        Just(LinkChange::Down),
        Just(LinkChange::Cut),
        Just(LinkChange::Up),
        Just(LinkChange::Lose),
        Just(LinkChange::Deliver),
    ]
}

/// Changes of the links of [`row`] in these tenths of a second, several at one time.
fn any_changes(tenths: Range<u64>) -> impl Strategy<Value = Vec<ChangePlan>> {
    let change = (tenths, 0..10_u32, any_change()).prop_map(|(tenth, port, change)| {
        let time = Time::ZERO + Duration::from_millis(100 * tenth);
        ChangePlan { time, port: PortId(port), change }
    });
    vec(change, 0..8)
}

/// Flows that begin later than others: when, when they stop, and their controllers.
fn any_late_flows() -> impl Strategy<Value = Vec<(u64, u64, &'static str)>> {
    let controller = prop::sample::select(vec!["cubic", "bbr3", "vegas", "dctcp"]);
    vec((300..1_000_u64, 0..400_u64, controller), 3)
}

/// Adds those flows, of which one is split by a proxy, and one carries a file.
fn add_late(plan: &mut Plan, late: &[(u64, u64, &'static str)]) {
    let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
    for (number, (start, lasts, controller_of)) in late.iter().enumerate() {
        let workload = match number {
            1 => Workload::File(FileSettings { bytes: 200_000 }),
            _ => Workload::Bulk(BulkSettings { rate: None }),
        };
        let settings = TcpSettings::new(controller(controller_of));
        let tcp = Transport::Tcp { settings: Arc::new(settings), workload };
        let mut flow = ip_flow(&format!("late {number}"), number, 5 - number, tcp);
        flow.split = (number == 0).then(|| SplitPlan { at: vec![3], buffer: 100_000 });
        (flow.start, flow.stop) = (at(*start), at(start + lasts));
        flow.start_within = Duration::from_millis(50 * number as u64);
        plan.flows.insert(1, flow);
    }
}

/// A row of links with a way around its middle, and changes of them.
fn plan_with(changes: Vec<ChangePlan>, loses: bool, convergence_ms: Option<u64>) -> Plan {
    let impairment = Impairment {
        duplication: 0.01,
        reordering: Reordering::Independent(0.02),
        lateness: Duration::from_millis(7),
        ..Impairment::default()
    };
    let lossy = DirectionPlan { impairment, loss: Loss::Bernoulli(0.005), ..direction(20, 3) };
    let mut plan = row(&if loses { lossy } else { direction(20, 3) });
    join(&mut plan, 1, 4, &direction(10, 20));
    plan.routing.convergence = convergence_ms.map(Duration::from_millis);
    plan.changes = changes;
    plan.duration = Duration::from_millis(1_200);
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_fork_and_its_origin_end_as_worlds_that_were_not_forked(
        plan in any_plan(),
        share in 0.0..1.0_f64,
    ) {
        assert_same(&plan, Time::ZERO + plan.duration.scaled(share), &plan)?;
    }

    /// What is held back at the fork goes on as events of a world whose links change.
    #[test]
    fn a_fork_of_contracted_hops_goes_on_with_changes(
        plan in any_plan_of_flows(),
        share in 0.0..1.0_f64,
        port in any::<prop::sample::Index>(),
        bits_per_second in 1_000..50_000_000_u64,
    ) {
        let time = Time::ZERO + plan.duration.scaled(share);
        let port = PortId(port.index(2 * plan.links.len()) as u32);
        let change = LinkChange::Rate(rate(bits_per_second));
        let mut other = plan.clone();
        other.changes.push(ChangePlan { time: time + Duration::from_picos(1), port, change });
        assert_same(&plan, time, &other)?;
    }

    #[test]
    fn a_fork_goes_on_with_the_later_flows_of_another_plan(
        late in [any_late_flows(), any_late_flows()],
        changes in [any_changes(3..10), any_changes(3..10)],
        loses in any::<bool>(),
    ) {
        let mut plans = changes.map(|mut it| {
            it.retain(|it| !matches!(it.change, LinkChange::Loss(_)));
            plan_with(it, loses, None)
        });
        plans.iter_mut().zip(&late).for_each(|(plan, late)| add_late(plan, late));
        let differ = differ_from(&plans[0], &plans[1]).expect("they are built alike");
        prop_assert!(differ >= Time::ZERO + Duration::from_millis(300));
        let before = differ.min(plans[0].end()).as_picos() - 1;
        assert_same(&plans[0], Time::from_picos(before), &plans[1])?;
    }

    /// What the two have in common has other places in their lists.
    #[test]
    fn a_fork_goes_on_with_the_changes_of_another_plan(
        common in any_changes(0..10),
        own in [any_changes(5..10), any_changes(5..10)],
        loses in any::<bool>(),
        convergence_ms in prop::option::of(0..250_u64),
    ) {
        let plan = |own: Vec<ChangePlan>| {
            plan_with([own, common.clone()].concat(), loses, convergence_ms)
        };
        let [one, other] = own.map(plan);
        let differ = differ_from(&one, &other).map(|it| it.as_picos().min(one.end().as_picos()));
        if let Some(before) = differ.and_then(|it| it.checked_sub(1)) {
            assert_same(&one, Time::from_picos(before), &other)?;
        }
    }
}

/// Each row is an island until the fork.
#[test]
fn networks_side_by_side_have_forks_in_which_a_link_changes() -> Result<(), TestCaseError> {
    let plan = rows(27, None);
    let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
    let change = LinkChange::Rate(rate(1_000_000));
    let mut other = plan.clone();
    other.changes.push(ChangePlan { time: at(250), port: PortId(4), change });
    assert_same(&plan, at(170), &other)
}

/// Changes later than those that two plans have in common, at one time with some of them.
#[test]
fn plans_differ_from_the_first_change_on_that_only_one_has() {
    let at = |milliseconds, port| ChangePlan {
        time: Time::ZERO + Duration::from_millis(milliseconds),
        port: PortId(port),
        change: LinkChange::Down,
    };
    let from = |one: &[ChangePlan], other: &[ChangePlan]| {
        let [one, other] = [one, other].map(|it| plan_with(it.to_vec(), false, Some(10)));
        differ_from(&one, &other).map(|it| it.since(Time::ZERO).as_seconds())
    };
    assert_eq!(from(&[at(500, 0), at(300, 1)], &[at(300, 1), at(700, 0)]), Some(0.5));
    assert_eq!(from(&[at(300, 1), at(300, 2)], &[at(300, 2), at(300, 1)]), Some(0.3));
    assert_eq!(from(&[at(300, 1)], &[at(300, 1), at(900, 3)]), Some(0.9));
    // With a change of the topology, hosts' paths may change.
    assert_eq!(from(&[], &[at(900, 3)]), None);
}

#[test]
fn a_world_whose_series_are_written_has_no_fork() {
    let plan = plan_with(Vec::new(), false, None);
    let mut world = World::new(&plan).expect("every flow has a path");
    assert!(world.fork().is_ok());
    let _ = record(&plan, &mut world, CHUNK);
    assert!(world.fork().is_err());
}

#[test]
fn a_world_whose_packets_are_logged_or_captured_has_no_fork() {
    let plan = plan_with(Vec::new(), false, None);
    let world = || World::new(&plan).expect("every flow has a path");
    let (mut logged, mut captured) = (world(), world());
    logged.log_packets(&plan, &[0], CHUNK, Box::new(|_| {}));
    captured.watch(&plan, vec![(0, Box::new(|_| {}))]);
    assert!(logged.fork().is_err() && captured.fork().is_err());
}
