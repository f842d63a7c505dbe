//! Links whose rate follows a channel.

use crate::common;
use std::sync::Arc;

use crate::common::{direction, fixed, join, nodes, port, run, run_recorded};
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_links::{Opportunities, RateTrace, RateTraces};
use windtunnel_world::{ChangePlan, LinkChange, Plan, PortId, RecordingPlan};

fn megabits(rate: u64) -> Option<Rate> {
    Rate::from_bits_per_second(rate * 1_000_000)
}

/// A consumer with a great window behind a link whose way from the producer follows
/// a trace of rates; a Data packet is sent as often as that allows.
fn traced(rows: &[(u64, u64)], repeat_ms: Option<u64>) -> Plan {
    let rows = rows.iter().map(|(from, rate)| (Duration::from_millis(*from), megabits(*rate)));
    let trace = RateTrace {
        rows: rows.collect(),
        delays: Vec::new(),
        repeat: repeat_ms.map(Duration::from_millis),
    };
    let mut plan = nodes(&["consumer", "producer"]);
    join(&mut plan, 0, 1, &direction(1000, 1));
    plan.links[0].channel = Some(Arc::new(RateTraces([None, Some(Arc::new(trace))])));
    common::serve(&mut plan, 1, "/data");
    common::ask(&mut plan, 0, "/data", 1).controller = fixed(2000);
    plan.recording = RecordingPlan::every(Duration::from_millis(500));
    plan
}

#[test]
fn a_link_sends_at_the_rates_of_its_trace_and_not_while_there_is_none() {
    // 8 Mbps for a second, nothing for a second, 16 Mbps to the end of three; again.
    let plan = traced(&[(0, 8), (1000, 0), (2000, 16)], Some(3000));
    let (_, series) = run_recorded(&plan);
    let rates = [8e6, 8e6, 0.0, 0.0, 16e6, 16e6];
    let seen = series.ports.iter().skip(1).step_by(2);
    let told = series.channels.iter().skip(1).step_by(2);
    for (index, (port, channel)) in seen.zip(told).enumerate() {
        let expected = rates[index % 6];
        // Packets of some 1100 bytes; the first comes after at most 3 ms.
        let begins = 0.003 * expected;
        let error = (port.throughput_bps - expected).abs();
        assert!(error <= (2.0 * 1100.0 * 8.0 + begins) / 0.5, "{index}: {port:?}");
        let at_the_end = rates[(index + 1) % 6];
        let changes_now = index % 2 == 1;
        let expected = if changes_now { at_the_end } else { expected };
        assert_eq!(channel.rate_bps, expected, "{index}");
    }
}

#[test]
fn a_trace_that_ends_keeps_its_last_rate() {
    let plan = traced(&[(0, 1), (1000, 8)], None);
    let world = run(&plan);
    let bits = port(&plan, &world, 0, 1).delivered_bytes as f64 * 8.0;
    assert!((bits / (1e6 + 9.0 * 8e6) - 1.0).abs() < 0.002, "{bits}");
}

/// 10 Mbps, except for the second second of the ten: what begins then at almost no rate goes on at
/// the next one, as it does after a second of none.
#[test]
fn a_link_carries_the_integral_of_its_rates_however_low_one_of_them_is() {
    for low in [0, 1, 100, 100_000] {
        let mut plan = traced(&[(0, 10), (1000, 1), (2000, 10)], None);
        let rows = [(0, 10_000_000), (1000, low), (2000, 10_000_000)]
            .map(|(from, rate)| (Duration::from_millis(from), Rate::from_bits_per_second(rate)));
        let trace = RateTrace { rows: rows.to_vec(), delays: Vec::new(), repeat: None };
        plan.links[0].channel = Some(Arc::new(RateTraces([None, Some(Arc::new(trace))])));
        let world = run(&plan);
        let bits = port(&plan, &world, 0, 1).delivered_bytes as f64 * 8.0;
        let expected = 9.0 * 10e6 + low as f64;
        // What is not sent: the first 2 ms, and what is under transmission or on its way.
        let missing = expected - bits;
        assert!((0.0..0.004 * 10e6 + 8.0 * 1100.0).contains(&missing), "{bits} at {low} bps");
    }
}

/// The trace has no rate from 2 s to 4 s, and the link is down from 3 s to 5 s.
#[test]
fn a_link_sends_while_its_trace_has_a_rate_and_it_is_up() {
    let mut plan = traced(&[(0, 8), (2000, 0), (4000, 8)], None);
    for (second, change) in [(3, LinkChange::Down), (5, LinkChange::Up)] {
        let (time, port) = (Time::ZERO + Duration::from_secs(second), PortId::new(0, 1));
        plan.changes.push(ChangePlan { time, port, change });
    }
    // What waits is not asked for again.
    plan.consumers[0].settings.timeout.initial = Duration::from_secs(10);
    let (_, series) = run_recorded(&plan);
    let seen: Vec<f64> =
        series.ports.iter().skip(1).step_by(2).map(|it| it.throughput_bps).collect();
    for (half_second, bps) in (0..13).zip(&seen) {
        let expected = if (4..10).contains(&half_second) { 0.0 } else { 8e6 };
        assert!((bps - expected).abs() < 0.1e6, "{half_second}: {bps} in {seen:?}");
    }
}

/// One Data at a time: 1 ms each way, and 41 ms back from 5 s on.
#[test]
fn a_trace_can_change_the_delay() {
    let mut plan = traced(&[(0, 1)], None);
    let (second, rate) = (Duration::from_secs(5), megabits(8));
    let delays = vec![(second, Duration::from_millis(41))];
    let trace = RateTrace { rows: vec![(Duration::ZERO, rate)], delays, repeat: None };
    plan.links[0].channel = Some(Arc::new(RateTraces([None, Some(Arc::new(trace))])));
    plan.consumers[0].controller = fixed(1);
    let world = run(&plan);
    let counters = common::flow(&world, 0);
    let [least, most] = [counters.delay_minimum.expect("Data came"), counters.delay_maximum];
    // Later names are longer.
    assert!(((most - least).as_seconds() - 0.04).abs() < 1e-5, "{least} and {most}");
    let expected = 5.0 / least.as_seconds() + 5.0 / most.as_seconds();
    assert!((counters.data as f64 / expected - 1.0).abs() < 0.01, "{} Data", counters.data);
}

#[test]
fn a_link_that_is_silent_from_the_beginning_waits_for_its_rate() {
    let plan = traced(&[(0, 0), (9000, 8)], None);
    let world = run(&plan);
    let bits = port(&plan, &world, 0, 1).delivered_bytes as f64 * 8.0;
    assert!((bits / 8e6 - 1.0).abs() < 0.01, "{bits}");
}

#[test]
fn a_delivery_trace_is_told_as_its_mean_rate_of_each_interval() {
    // 12 Mbps for half a second, nothing for the other half; again.
    let times = (0..500).map(Duration::from_millis).collect();
    let trace = Opportunities { times, repeat: Some(Duration::from_secs(1)) };
    let mut plan = traced(&[(0, 1)], None);
    plan.links[0].channel = Some(Arc::new(RateTraces([None, None])));
    plan.links[0].directions[1].opportunities = Some(Arc::new(trace));
    let (world, series) = run_recorded(&plan);
    let told: Vec<f64> = series.channels.iter().skip(1).step_by(2).map(|it| it.rate_bps).collect();
    // The one at the very end of a silent half begins the next round.
    let one = 12_000.0 / 0.5;
    assert!((told[0] - (12e6 - one)).abs() <= one && told[1] <= one, "{told:?}");
    assert_eq!(told[2..4], told[4..6]);
    let received: u64 = port(&plan, &world, 0, 1).delivered_bytes;
    let offered: f64 = told.iter().map(|it| it * 0.5 / 8.0).sum();
    assert!((received as f64 / offered - 1.0).abs() < 0.01, "{received} of {offered}");
}
