use windtunnel_engine::{Duration, Streams, Time};
use windtunnel_links::Channel;
use windtunnel_links::radio::blockage::Blockage;
use windtunnel_links::radio::propagation::line_of_sight_probability;
use windtunnel_links::radio::shadowing::{Field, Shadowing};
use windtunnel_links::radio::{BlockagePlan, LineOfSight, Radio, RadioPlan};

use crate::{measured, open_map, point, radio_plan, replications};

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[test]
fn shadowing_has_its_deviation_and_its_correlation_at_the_decorrelation_distance() {
    let drops = 20_000;
    for (share, deviation, decorrelation) in [(1.0, 4.0, 10.0), (0.0, 7.82, 13.0)] {
        let pairs: Vec<(f64, f64)> = replications(drops)
            .map(|streams| {
                let mut shadowing = Shadowing::new(streams.stream("shadowing"));
                let first = shadowing.loss(0.0, share);
                // However many steps the user takes.
                shadowing.loss(0.1 * decorrelation, share);
                shadowing.loss(0.7 * decorrelation, share);
                (first / deviation, shadowing.loss(decorrelation, share) / deviation)
            })
            .collect();
        let of = |value: fn(&(f64, f64)) -> f64| mean(pairs.iter().map(value));
        let root = (drops as f64).sqrt();
        assert!(of(|it| it.0).abs() < 4.0 / root);
        assert!(of(|it| it.1).abs() < 4.0 / root);
        // A square of a standard normal value has variance 2, a product of two with
        // correlation r has 1 + r².
        assert!((of(|it| it.0 * it.0) - 1.0).abs() < 4.0 * 2f64.sqrt() / root);
        assert!((of(|it| it.1 * it.1) - 1.0).abs() < 4.0 * 2f64.sqrt() / root);
        let correlation = (-1.0_f64).exp();
        let error = (1.0 + correlation * correlation).sqrt() / root;
        assert!((of(|it| it.0 * it.1) - correlation).abs() < 4.0 * error);
    }
}

#[test]
fn who_stands_still_keeps_the_shadowing() {
    let mut shadowing = Shadowing::new(Streams::new(1, 0).stream("shadowing"));
    let there = shadowing.loss(5.0, 1.0);
    assert_eq!(shadowing.loss(5.0, 1.0), there);
    assert!((shadowing.loss(5.0, 0.0) / there - 7.82 / 4.0).abs() < 1e-12);
    assert_ne!(shadowing.loss(6.0, 1.0), there);
}

#[test]
fn a_field_changes_little_over_a_small_way() {
    let mut field = Field::new(Streams::new(1, 0).stream("field"));
    let mut last = field.after(0.0, 10.0);
    for millimetre in 1..100_000 {
        let value = field.after(f64::from(millimetre) / 1e3, 10.0);
        // Six deviations of a step: sqrt(1 - exp(-2 / 10,000)).
        assert!((value - last).abs() < 6.0 * 2e-4_f64.sqrt());
        last = value;
    }
}

/// A user who stands still, whose sight is a matter of chance.
fn by_chance(ground: f64) -> RadioPlan {
    let plan = radio_plan(open_map(&[point(ground, 0.0)]), 0.0);
    RadioPlan { line_of_sight: LineOfSight::Probability, ..plan }
}

#[test]
fn line_of_sight_has_the_probability_of_its_distance() {
    let drops = 10_000;
    for ground in [10.0, 25.0, 50.0, 100.0, 200.0, 500.0] {
        let plan = by_chance(ground);
        let seen = replications(drops)
            .filter(|streams| {
                measured(Radio::new(&plan, streams, "air").sample(Time::ZERO)).line_of_sight
            })
            .count();
        let (share, expected) = (seen as f64 / drops as f64, line_of_sight_probability(ground));
        let error = (expected * (1.0 - expected) / drops as f64).sqrt();
        assert!((share - expected).abs() <= 4.0 * error, "{ground} m: {share} of {expected}");
    }
}

#[test]
fn line_of_sight_is_alike_at_places_that_lie_close_together() {
    // A way of 50 m, both ends of which see the station with probability one half.
    let (mut near, mut far) = (18.0, 500.0);
    while far - near > 1e-9 {
        let between = (near + far) / 2.0;
        let is_near = line_of_sight_probability(between) > 0.5;
        *(if is_near { &mut near } else { &mut far }) = between;
    }
    let ground: f64 = near;
    let north = (ground * ground - 25.0 * 25.0).sqrt();
    let map = open_map(&[point(-25.0, north), point(25.0, north)]);
    let plan = RadioPlan { map, speed: 50.0, ..by_chance(ground) };
    let drops = 10_000;
    let alike = replications(drops)
        .filter(|streams| {
            let mut radio = Radio::new(&plan, streams, "air");
            let first = measured(radio.sample(Time::ZERO)).line_of_sight;
            measured(radio.sample(Time::ZERO + Duration::from_secs(1))).line_of_sight == first
        })
        .count() as f64
        / drops as f64;
    // Two normal values with correlation r have the same sign with probability
    // 1/2 + arcsin(r) / π; after the correlation distance r is 1/e.
    let expected = 0.5 + (-1.0_f64).exp().asin() / std::f64::consts::PI;
    let error = (expected * (1.0 - expected) / drops as f64).sqrt();
    assert!((alike - expected).abs() < 4.0 * error, "{alike} of {expected}");
}

const PASSERS_BY: BlockagePlan = BlockagePlan {
    every: Duration::from_millis(1000),
    lasts: Duration::from_millis(300),
    loss: 20.0,
    edge: Duration::from_millis(100),
};

fn losses(plan: BlockagePlan, samples: u64, step: Duration) -> impl Iterator<Item = f64> {
    let mut blockage = Blockage::new(plan, Streams::new(1, 0).stream("blockage"));
    (0..samples).map(move |number| blockage.loss(Time::ZERO + step * number))
}

#[test]
fn blockage_takes_its_share_of_the_time() {
    let step = Duration::from_millis(10);
    let samples = 1_500_000;
    let mean_loss = losses(PASSERS_BY, samples, step).sum::<f64>() / samples as f64;
    // An edge counts half; a cycle is a gap, two edges and the time at the full.
    let share = (0.3 + 0.1) / (1.0 + 0.3 + 2.0 * 0.1);
    // The error of a ratio over this many cycles of independent exponential parts.
    let cycles = samples as f64 * 0.01 / 1.5;
    let variance = ((1.0 - share) * 0.3_f64).powi(2) + (share * 1.0_f64).powi(2);
    let error = variance.sqrt() / (1.5 * cycles.sqrt());
    assert!((mean_loss / 20.0 - share).abs() < 4.0 * error, "{} of {share}", mean_loss / 20.0);
}

#[test]
fn blockage_rises_and_falls_along_its_edges() {
    let values: Vec<f64> = losses(PASSERS_BY, 100_000, Duration::from_millis(1)).collect();
    assert!(values.iter().all(|it| (0.0..=20.0).contains(it)));
    assert!(values.windows(2).all(|it| (it[1] - it[0]).abs() <= 20.0 / 100.0 + 1e-9));
    let (free, full) = (values.contains(&0.0), values.contains(&20.0));
    assert!(free && full && values[0] == 0.0);
}

#[test]
fn blockage_without_an_edge_is_there_or_not() {
    let plan = BlockagePlan { edge: Duration::ZERO, ..PASSERS_BY };
    let values: Vec<f64> = losses(plan, 10_000, Duration::from_millis(10)).collect();
    assert!(values.iter().all(|it| [0.0, 20.0].contains(it)));
    let share = values.iter().sum::<f64>() / 20.0 / values.len() as f64;
    // A hundred seconds are about 77 cycles; four errors.
    assert!((share - 0.3 / 1.3).abs() < 0.15, "{share}");
}

#[test]
fn blockage_does_not_depend_on_how_often_one_looks() {
    let often: Vec<f64> = losses(PASSERS_BY, 10_000, Duration::from_millis(10)).collect();
    let seldom = losses(PASSERS_BY, 100, Duration::from_millis(1000));
    assert!(seldom.eq(often.into_iter().step_by(100)));
}
