//! Time series: a row of each thing for each interval, and what is recorded changes
//! nothing.

use crate::common::any::any_plan;
use crate::common::{
    Series, chain, direction, ip_flow, join, nodes, over_tcp, record, recorded, run_recorded,
};
use proptest::prelude::*;
use windtunnel_applications::{BulkSettings, Workload};
use windtunnel_engine::{Control, Duration, Stop, Time};
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{
    ChangePlan, FlowSample, LinkChange, Plan, PortId, PortSample, RecordingPlan, SeriesPlan, World,
};

/// Equal except for the rounding of sums of fractions.
fn close(sum: f64, total: f64) -> bool {
    (sum - total).abs() <= 1e-6 * total.abs().max(1.0)
}

fn assert_series_sum_to_totals(plan: &Plan, world: &World, series: &Series) {
    let interval = plan.recording.channels.expect("it is that of all series");
    let seconds = interval.as_seconds();
    let count = plan.consumers.len();
    for (place, consumer) in world.consumers().enumerate() {
        let samples: Vec<_> = series.flows.iter().skip(place).step_by(count).collect();
        let total = consumer.counters();
        let bytes: f64 = samples.iter().map(|it| it.goodput_bps * seconds / 8.0).sum();
        assert!(close(bytes, total.bytes as f64));
        assert_eq!(samples.iter().map(|it| it.retransmissions).sum::<u64>(), total.retransmissions);
        assert_eq!(samples.iter().map(|it| it.marks).sum::<u64>(), total.marks);
        assert_eq!(samples.iter().filter_map(|it| it.timeouts).sum::<u64>(), total.timeouts);
        assert_eq!(samples.iter().filter_map(|it| it.decreases).sum::<u64>(), total.decreases);
        assert_eq!(samples.last().map(|it| it.in_flight), Some(Some(consumer.in_flight())));
    }
    let count = 2 * plan.links.len();
    for (place, (total, busy)) in world.ports(plan.end()).enumerate() {
        let samples: Vec<_> = series.ports.iter().skip(place).step_by(count).collect();
        let bytes: f64 = samples.iter().map(|it| it.throughput_bps * seconds / 8.0).sum();
        assert!(close(bytes, total.delivered_bytes as f64));
        let sending: f64 = samples.iter().map(|it| it.utilisation * seconds).sum();
        assert!(close(sending, busy.as_seconds()));
        assert!(samples.iter().all(|it| (0.0..=1.0 + 1e-9).contains(&it.utilisation)));
        assert_eq!(samples.iter().map(|it| it.overlimit_drops).sum::<u64>(), total.overlimit_drops);
        assert_eq!(samples.iter().map(|it| it.losses).sum::<u64>(), total.losses);
        assert_eq!(samples.iter().map(|it| it.marks).sum::<u64>(), total.marks);
        let drops: u64 = samples.iter().map(|it| it.discipline_drops).sum();
        assert_eq!(drops, total.discipline_drops);
    }
}

/// What content stores answered in the intervals is what they answered in all; what is in tables
/// is there at the end.
fn assert_nodes_sum_to_totals(plan: &Plan, world: &World, series: &Series) {
    for (place, (node, total)) in plan.nodes.iter().zip(world.nodes()).enumerate() {
        let samples: Vec<_> = series.nodes.iter().skip(place).step_by(plan.nodes.len()).collect();
        let hits: u64 = samples.iter().map(|it| it.content_store_hits).sum();
        let misses: u64 = samples.iter().map(|it| it.content_store_misses).sum();
        assert_eq!([hits, misses], [total.content_store_hits, total.content_store_misses]);
        assert!(samples.iter().all(|it| it.content_store_entries <= node.cached as u64));
        // Each Interest that was forwarded is pending until it is answered, or expires.
        let asked = total.interests_in + total.content_store_misses;
        assert!(samples.iter().all(|it| it.pit_entries <= asked));
    }
}

fn totals(plan: &Plan, world: &World) -> String {
    let flows: Vec<_> = world.consumers().map(|it| (it.counters(), it.in_flight())).collect();
    let ports: Vec<_> = world.ports(plan.end()).collect();
    format!("{:?}", (flows, ports, world.packets_in_transit()))
}

/// A plan whose series are recorded every this many milliseconds.
fn every(plan: &Plan, interval_ms: u64) -> Plan {
    let recording = RecordingPlan::every(Duration::from_millis(interval_ms));
    Plan { recording, ..plan.clone() }
}

/// A run to its end, in chunks of this many rows.
fn in_chunks(plan: &Plan, chunk: usize) -> Series {
    let mut world = World::new(plan).expect("every consumer finds a producer");
    let series = record(plan, &mut world, chunk);
    assert_eq!(world.run(&Control::default(), None).0, Stop::Finished);
    recorded(&series)
}

/// Two samples that follow each other, as one of the whole time.
fn assert_flows_add_up(half: [&FlowSample; 2], whole: &FlowSample) {
    let [first, second] = half;
    assert_eq!((first.flow, second.flow), (whole.flow, whole.flow));
    let later =
        |it: &FlowSample| (it.time_s, it.cwnd, it.ssthresh, it.in_flight, it.smoothed_rtt_s);
    assert_eq!(later(second), later(whole));
    assert!(close(first.goodput_bps + second.goodput_bps, 2.0 * whole.goodput_bps));
    let told = |it: Option<u64>| it.expect("a consumer tells it");
    let sums =
        |it: &FlowSample| [it.retransmissions, it.marks, told(it.timeouts), told(it.decreases)];
    for ((one, other), sum) in sums(first).iter().zip(sums(second)).zip(sums(whole)) {
        assert_eq!(one + other, sum);
    }
}

fn assert_ports_add_up(half: [&PortSample; 2], whole: &PortSample) {
    let [first, second] = half;
    assert_eq!((first.port, second.port), (whole.port, whole.port));
    let later = |it: &PortSample| (it.time_s, it.queue_packets, it.queue_bytes);
    assert_eq!(later(second), later(whole));
    assert!(close(first.throughput_bps + second.throughput_bps, 2.0 * whole.throughput_bps));
    assert!(close(first.utilisation + second.utilisation, 2.0 * whole.utilisation));
    let sums = |it: &PortSample| [it.overlimit_drops, it.discipline_drops, it.losses, it.marks];
    for ((one, other), sum) in sums(first).iter().zip(sums(second)).zip(sums(whole)) {
        assert_eq!(one + other, sum);
    }
}

/// Samples of so many things in pairs that follow each other in time.
fn pairs<T>(rows: &[T], things: usize) -> impl Iterator<Item = [&T; 2]> {
    let times: Vec<&[T]> = rows.chunks_exact(things).collect();
    let pairs: Vec<_> = times.chunks_exact(2).map(|it| (it[0], it[1])).collect();
    pairs.into_iter().flat_map(|(one, other)| one.iter().zip(other).map(<[&T; 2]>::from))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn increments_sum_to_the_totals_whatever_the_interval(
        plan in any_plan(),
        interval_ms in prop::sample::select(vec![10, 20, 50, 100, 300, 1_000, 3_000]),
    ) {
        let plan = every(&plan, interval_ms);
        let (world, series) = run_recorded(&plan);
        assert_series_sum_to_totals(&plan, &world, &series);
        assert_nodes_sum_to_totals(&plan, &world, &series);
    }

    #[test]
    fn samples_of_an_interval_are_those_of_its_halves_together(plan in any_plan()) {
        let (_, halves) = run_recorded(&every(&plan, 150));
        let (_, wholes) = run_recorded(&every(&plan, 300));
        let flows: Vec<_> = pairs(&halves.flows, plan.consumers.len()).collect();
        prop_assert_eq!(flows.len(), wholes.flows.len());
        flows.into_iter().zip(&wholes.flows).for_each(|(two, one)| assert_flows_add_up(two, one));
        let ports: Vec<_> = pairs(&halves.ports, 2 * plan.links.len()).collect();
        prop_assert_eq!(ports.len(), wholes.ports.len());
        ports.into_iter().zip(&wholes.ports).for_each(|(two, one)| assert_ports_add_up(two, one));
    }

    #[test]
    fn the_borders_of_chunks_leave_no_trace(plan in any_plan()) {
        let whole = in_chunks(&plan, usize::MAX);
        prop_assert_eq!(whole.chunks.len(), 3, "flows, ports and nodes");
        for size in [1, 7] {
            let in_pieces = in_chunks(&plan, size);
            prop_assert!(in_pieces.chunks.iter().all(|it| *it <= size));
            let whole = Series { chunks: in_pieces.chunks.clone(), ..whole.clone() };
            prop_assert_eq!(&in_pieces, &whole);
        }
    }

    #[test]
    fn each_thing_has_a_row_for_each_whole_interval(plan in any_plan(), interval_ms in 1..3_000_u64) {
        let (_, series) = run_recorded(&every(&plan, interval_ms));
        let intervals = (plan.duration.as_nanos() / 1_000_000 / interval_ms) as usize;
        prop_assert_eq!(series.flows.len(), intervals * plan.consumers.len());
        prop_assert_eq!(series.ports.len(), intervals * 2 * plan.links.len());
        prop_assert_eq!(series.nodes.len(), intervals * plan.nodes.len());
    }

    #[test]
    fn how_often_is_sampled_changes_nothing(plan in any_plan(), interval_ms in 1..3_000_u64) {
        let of = |plan: &Plan| totals(plan, &run_recorded(plan).0);
        let unrecorded = Plan { recording: RecordingPlan::default(), ..plan.clone() };
        prop_assert_eq!(of(&every(&plan, interval_ms)), of(&plan));
        prop_assert_eq!(of(&unrecorded), of(&plan));
    }

    #[test]
    fn what_is_left_out_changes_no_row_of_the_rest(plan in any_plan(), interval_ms in 1..500_u64) {
        let all = run_recorded(&every(&plan, interval_ms)).1;
        let only = |place| {
            let interval = Duration::from_millis(interval_ms);
            Some(SeriesPlan { interval, only: Some(vec![place]) })
        };
        let recording =
            RecordingPlan { flows: only(0), links: only(2), ..RecordingPlan::default() };
        let some = run_recorded(&Plan { recording, ..plan.clone() }).1;
        let flows: Vec<FlowSample> = all.flows.into_iter().filter(|it| it.flow == 0).collect();
        let ports: Vec<PortSample> =
            all.ports.into_iter().filter(|it| it.port.link() == 2).collect();
        prop_assert_eq!(some.flows, flows);
        prop_assert_eq!(some.ports, ports);
    }
}

/// Each kind at its own times, as if it were alone.
#[test]
fn kinds_of_different_intervals_do_not_disturb_each_other() {
    let mut plan = chain(2, &direction(10, 5), 20);
    let at = |interval_ms| RecordingPlan::every(Duration::from_millis(interval_ms));
    let alone = |interval_ms| run_recorded(&every(&plan, interval_ms)).1;
    let (often, seldom) = (alone(30), alone(700));
    plan.recording =
        RecordingPlan { flows: at(700).flows, links: at(30).links, ..RecordingPlan::default() };
    let both = run_recorded(&plan).1;
    assert_eq!((both.flows, both.ports), (seldom.flows, often.ports));
}

/// A run that is stopped from outside keeps its full chunks, and no other.
#[test]
fn a_cancelled_run_keeps_its_full_chunks() {
    let plan = every(&chain(1, &direction(100, 1), 1_000), 10);
    let whole = in_chunks(&plan, 7);
    let mut world = World::new(&plan).expect("there is a path");
    let series = record(&plan, &mut world, 7);
    let control = Control::default();
    control.cancel();
    assert_eq!(world.run(&control, None).0, Stop::Cancelled);
    let kept = recorded(&series);
    let intervals = (world.now().as_nanos() / 10_000_000) as usize;
    assert!(intervals > 7 && intervals < 1_000, "in the middle");
    assert_eq!(kept.flows[..], whole.flows[..intervals / 7 * 7]);
    assert_eq!(kept.ports[..], whole.ports[..2 * intervals / 7 * 7]);
}

/// An interval's end belongs to the interval, however long nothing happens after
/// it: one packet on a link of 1 s, sampled each 0.5 s.
#[test]
fn what_happens_at_an_intervals_end_belongs_to_it() {
    for interval_ms in [250, 500, 1_000] {
        let mut plan = chain(1, &direction(1, 0), 1);
        let there = &mut plan.links[0].directions[0];
        // The Interest's 23 bytes take 184 us.
        there.delay = Duration::from_micros(1_000_000 - 184);
        plan.links[0].directions[1].delay = Duration::from_secs(3);
        plan.duration = Duration::from_secs(3);
        plan.recording = RecordingPlan::every(Duration::from_millis(interval_ms));
        let (_, series) = run_recorded(&plan);
        let arrived: Vec<f64> = series
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
    plan.recording = RecordingPlan::every(Duration::from_millis(100));
    let (_, series) = run_recorded(&plan);
    let times: Vec<u64> = series.flows.iter().map(|it| (it.time_s * 1e3).round() as u64).collect();
    let expected: Vec<u64> = (1..=100).map(|it| it * 100).collect();
    assert_eq!(times, expected);
    assert_eq!(series.ports.len(), 200);
}

/// What is dropped had been given its time to be sent, and was counted then.
#[test]
fn a_link_that_is_cut_while_packets_wait_for_it_goes_on_being_sampled() {
    let mut plan = nodes(&["a", "b"]);
    join(&mut plan, 0, 1, &direction(1, 5));
    let bulk = Workload::Bulk(BulkSettings { rate: None });
    plan.flows.push(ip_flow("bulk", 0, 1, over_tcp(Recovery::Rack, EcnMode::Off, bulk)));
    for (milliseconds, change) in [(350, LinkChange::Cut), (450, LinkChange::Up)] {
        let time = Time::ZERO + Duration::from_millis(milliseconds);
        plan.changes.push(ChangePlan { time, port: PortId(0), change });
    }
    plan.duration = Duration::from_secs(1);
    plan.recording = RecordingPlan::every(Duration::from_millis(20));
    let mut world = World::new(&plan).expect("there is a path");
    let series = record(&plan, &mut world, 1000);
    world.run(&Control::default(), None);
    let series = recorded(&series);
    assert!(world.ports(plan.end()).any(|(it, _)| it.losses > 5), "packets waited");
    let waits: Vec<f64> = series.ports.iter().filter_map(|it| it.sojourn_s).collect();
    assert!(!waits.is_empty() && waits.iter().all(|it| *it < 1.0), "{waits:?}");
}
