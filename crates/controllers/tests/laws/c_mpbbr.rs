//! C-MPBBR: BBR, version 1, on each path; subflows of the same bandwidth share it.

use crate::coupled::subflow;
use crate::drive::{Drive, SECOND, close};
use crate::every_controller::{any_elapsed, any_step};
use crate::path::{Path, Treatment};
use crate::samples::Samples;
use proptest::prelude::*;
use windtunnel_controllers::{Controller, PathEstimate, Sibling, TransmissionStart, Value};

const BASE: u64 = SECOND / 20;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    /// Also after a spurious signal, and when sending begins again.
    #[test]
    fn one_path_is_bbr1_without_its_allowance_for_aggregation(
        steps in prop::collection::vec(
            (any_elapsed(), any_step(), prop::bool::weighted(0.1), prop::bool::weighted(0.1)),
            1..200,
        ),
    ) {
        let old = [("acknowledgement-aggregation", Value::Flag(false))];
        let mut bbr1 = Drive::over_tcp("bbr1", 10.0, &old).controller;
        let mut coupled = Drive::over_tcp("c-mpbbr", 10.0, &[]).controller;
        let mut now = 0;
        for (elapsed, step, spurious, begins) in steps {
            now += elapsed;
            for it in [&mut bbr1, &mut coupled] {
                let before = it.clone();
                step.take(it, now);
                if spurious {
                    it.on_spurious(&before);
                }
                if begins {
                    it.on_transmission_start(&TransmissionStart {
                        now,
                        application_limited: true,
                        smoothed_rtt: None,
                    });
                }
            }
            prop_assert_eq!(coupled.cwnd(), bbr1.cwnd());
            prop_assert_eq!(coupled.pacing_rate(), bbr1.pacing_rate());
            prop_assert_eq!(coupled.estimate(), bbr1.estimate());
            prop_assert!(!coupled.abandons());
        }
    }
}

/// A subflow whose bottleneck has that bandwidth, of which that much was delivered.
fn measured(bandwidth: f64, delivery_rate: f64) -> Sibling {
    Sibling {
        estimate: Some(PathEstimate { bandwidth, round_trip: SECOND / 10 }),
        delivery_rate: Some(delivery_rate),
        ..subflow(100.0, 100)
    }
}

/// One at 1000 segments per second, in the first phase of its cycle.
fn probing() -> Samples {
    let mut it = Samples::new("c-mpbbr", 1000.0, SECOND / 10);
    it.rounds(30);
    it.rounds_until_gain(1.25);
    it
}

/// The gains of the next eight phases, a round each, beside siblings of these bandwidths.
fn cycle(it: &mut Samples, bandwidths: &[f64]) -> Vec<f64> {
    let others: Vec<_> = bandwidths.iter().map(|it| measured(*it, *it)).collect();
    let gains = (0..8).map(|_| {
        let gain = it.gain();
        it.controller.on_siblings(&measured(it.rate, it.rate), &others);
        it.report(|it, delivery| {
            it.now += 1;
            it.in_flight *= 1.25;
            delivery.in_flight_at_send *= 1.25;
        });
        gain
    });
    gains.collect()
}

#[track_caller]
fn gains(measured: &[f64], expected: [f64; 8]) {
    let equal = measured.iter().zip(expected).all(|(it, gain)| (it - gain).abs() < 1e-9);
    assert!(equal, "{measured:?}");
}

/// From the second check on, and in the last six phases: with one sibling the mean is 62.5 %.
#[test]
fn c_mpbbr_shares_a_bandwidth_that_is_alike_at_two_checks() {
    const ALONE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    for (others, subflows) in [
        (&[1000.0][..], 2.0),
        (&[801.0, 1199.0], 3.0),
        (&[799.0, 1201.0], 1.0),
        (&[1000.0, 799.0], 2.0),
    ] {
        let mut it = probing();
        gains(&cycle(&mut it, others), ALONE);
        let part = 1.0 / subflows;
        // The second check is made in the fourth phase.
        let after_check = [1.25, 0.75, 1.0, 1.0, part, part, part, part];
        gains(&cycle(&mut it, others), after_check);
        let shared = [1.25, 0.75, part, part, part, part, part, part];
        gains(&cycle(&mut it, others), shared);
        // The former number counts once more.
        gains(&cycle(&mut it, &[]), shared);
        gains(&cycle(&mut it, &[]), [1.25, 0.75, part, part, 1.0, 1.0, 1.0, 1.0]);
        gains(&cycle(&mut it, &[]), ALONE);
    }
}

/// The window is that of the divided bandwidth: `2 BDP / n`, and three quanta.
#[test]
fn c_mpbbr_shares_the_window_with_the_bandwidth() {
    let mut it = probing();
    (0..3).for_each(|_| drop(cycle(&mut it, &[1000.0])));
    it.rounds_until_gain(0.5);
    it.round();
    assert_eq!(it.cwnd(), it.bdp() + 6.0);
}

#[test]
fn c_mpbbr_begins_again_at_its_part_of_the_bandwidth() {
    let mut it = probing();
    (0..3).for_each(|_| drop(cycle(&mut it, &[1000.0])));
    it.rounds_until_gain(0.5);
    let start =
        TransmissionStart { now: it.now + SECOND, application_limited: true, smoothed_rtt: None };
    it.controller.on_transmission_start(&start);
    close(it.gain(), 0.5, 1e-9);
}

/// In the fourth phase, while the connection delivers less than 60 % of the greatest bandwidth.
#[test]
fn c_mpbbr_asks_to_close_its_slowest_subflow_after_five_bad_checks() {
    let asks_after = |delivered: f64, other: f64| {
        let mut it = probing();
        it.rounds_until(|it| (it.gain() - 0.75).abs() < 1e-9);
        it.rounds_until(|it| (it.gain() - 1.0).abs() < 1e-9);
        // The third phase; a phase lasts for more than the minimum round trip.
        it.report(|it, _| it.now += 1);
        (1..=20).find(|_| {
            let others = [measured(other, delivered - 400.0)];
            it.controller.on_siblings(&measured(1000.0, 400.0), &others);
            it.report(|it, _| it.now -= SECOND / 10);
            it.controller.abandons()
        })
    };
    assert_eq!(asks_after(1100.0, 2000.0), Some(5));
    assert_eq!(asks_after(1300.0, 2000.0), None, "it delivers enough");
    assert_eq!(asks_after(500.0, 500.0), None, "the other is slower");
    assert_eq!(asks_after(500.0, 1100.0), None, "they share a bottleneck");
}

/// Bad checks count only in succession, and no phase but the fourth has any.
#[test]
fn c_mpbbr_forgets_bad_checks_with_the_phase() {
    let mut it = probing();
    for _ in 0..100 {
        it.controller.on_siblings(&measured(1000.0, 400.0), &[measured(2000.0, 0.0)]);
        it.report(|it, _| it.now += 1);
        assert!(!it.controller.abandons());
    }
}

fn beside_bbr1(name: &str) -> f64 {
    let mut path = Path::new(1000, 1e9, Treatment::Nothing)
        .flow(name, BASE, 0, &[])
        .subflow()
        .flow(name, BASE, SECOND / 10, &[])
        .subflow()
        .flow("bbr1", BASE, SECOND / 5, &[]);
    path.run_until(50 * SECOND);
    let watched = path.watch(300 * SECOND);
    (watched.rates[0] + watched.rates[1]) / watched.rate()
}

/// Two uncoupled subflows take two thirds. Paced at 62.5 % of what they probe for, two coupled ones
/// leave bandwidth that the single flow finds: they take no more than one flow.
#[test]
fn c_mpbbr_takes_no_more_than_one_bbr_over_one_bottleneck() {
    close(beside_bbr1("bbr1"), 2.0 / 3.0, 0.05);
    let share = beside_bbr1("c-mpbbr");
    assert!((0.25..=0.5).contains(&share), "{share}");
}

/// Segments per second of two subflows, each over its own bottleneck.
fn apart(rate: u64) -> [f64; 2] {
    let mut path = Path::new(1000, 1e9, Treatment::Nothing)
        .flow("c-mpbbr", BASE, 0, &[])
        .subflow()
        .flow("c-mpbbr", BASE, SECOND / 10, &[])
        .subflow()
        .apart(rate);
    path.run_until(50 * SECOND);
    let rates = path.watch(100 * SECOND).rates;
    [rates[0], rates[1]]
}

/// Apart by more than 20 % in bandwidth the two are recognised as two, except what probing for the
/// round trip costs. Of equal bandwidth they are taken for one bottleneck.
#[test]
fn c_mpbbr_fills_two_bottlenecks_unless_they_are_alike() {
    let [first, second] = apart(500);
    close(first, 1000.0, 0.03);
    close(second, 500.0, 0.03);
    for rate in apart(1000) {
        close(rate, 625.0, 0.1);
    }
}
