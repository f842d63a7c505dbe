//! RED's average, its gaps and its thresholds.

use std::collections::BTreeMap;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{
    ArrivalDiscipline, Arriving, Backlog, CongestionAction, QueueLimit, Red, RedSettings,
    Thresholds, Verdict,
};

use crate::drive::{mean, random, rate, red_settings};

/// So that a typical packet takes a millisecond.
const MEGABITS_PER_SECOND: u64 = 8;

/// An arrival at a link that is busy for long, with this many packets waiting.
fn finds(packets: u32) -> Arriving {
    let backlog = Backlog { packets, bytes: 1000 * u64::from(packets) };
    let free = Time::NEVER;
    Arriving { ecn: Ecn::Capable, size: 1000, backlog, free, rate: rate(MEGABITS_PER_SECOND) }
}

fn red(change: impl FnOnce(&mut RedSettings)) -> Red {
    let mut settings = red_settings(CongestionAction::Mark);
    change(&mut settings);
    Red::new(settings, random())
}

/// How often each verdict comes in this many arrivals, while the average is what
/// waits.
fn verdicts(mut red: Red, packets: u32, arrivals: usize) -> [f64; 3] {
    let finding = finds(packets);
    let all: Vec<_> = (0..arrivals).map(|_| red.judge(Time::ZERO, &finding)).collect();
    [Verdict::Pass, Verdict::Mark, Verdict::Drop]
        .map(|it| all.iter().filter(|verdict| **verdict == it).count() as f64 / arrivals as f64)
}

/// At 10 packets between 5 and 15, `pb` is 0.05: gaps from 1 to 20, evenly, with
/// a mean of (1 / pb + 1) / 2 (Floyd and Jacobson 1993, section VII).
#[test]
fn at_a_constant_average_gaps_are_even() {
    let mut red = red(|it| it.weight = 1.0);
    let (mut gaps, mut gap) = (Vec::new(), 0);
    while gaps.len() < 50_000 {
        gap += 1;
        if red.judge(Time::ZERO, &finds(10)) == Verdict::Mark {
            gaps.push(f64::from(std::mem::take(&mut gap)));
        }
    }
    let standard_error = (20.0_f64.powi(2) / 12.0).sqrt() / (gaps.len() as f64).sqrt();
    assert!((mean(&gaps) - 10.5).abs() < 4.0 * standard_error, "{}", mean(&gaps));
    let mut counts = BTreeMap::new();
    gaps.iter().for_each(|it| *counts.entry(*it as u32).or_insert(0.0) += 1.0);
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
    let expected = gaps.len() as f64 / 20.0;
    let deviations = counts.values().map(|count: &f64| (count - expected).powi(2) / expected);
    // 99.9 % of a chi-square variable of 19 degrees of freedom.
    assert!(deviations.sum::<f64>() < 43.8, "{counts:?}");
}

#[test]
fn the_average_comes_63_percent_near_in_the_inverse_of_its_weight() {
    let mut red = red(|_| {});
    (0..500).for_each(|_| {
        let _ = red.judge(Time::ZERO, &finds(100));
    });
    assert!((red.average() - 63.2).abs() < 0.1, "{}", red.average());
}

#[test]
fn idle_time_counts_as_typical_packets_that_find_nothing() {
    let mut red = red(|it| it.weight = 0.01);
    (0..2000).for_each(|_| {
        let _ = red.judge(Time::ZERO, &finds(4));
    });
    let before = red.average();
    let (free, now) =
        (Time::ZERO + Duration::from_secs(1), Time::ZERO + Duration::from_millis(1100));
    let verdict = red.judge(now, &Arriving { free, ..finds(0) });
    assert_eq!(verdict, Verdict::Pass);
    let expected = before * 0.99_f64.powi(100);
    assert!((red.average() / expected - 1.0).abs() < 1e-9, "{} for {expected}", red.average());
}

/// The long-run share is that of one in a mean gap.
#[test]
fn the_verdict_depends_on_where_the_average_lies() {
    for hard_drop in [false, true] {
        let at = |packets, gentle| {
            let settings = |it: &mut RedSettings| {
                (it.weight, it.gentle, it.hard_drop) = (1.0, gentle, hard_drop);
            };
            let [passed, marked, dropped] = verdicts(red(settings), packets, 200_000);
            // From the maximum on, what is not marked is dropped.
            [passed, marked, dropped, if hard_drop { dropped } else { marked }]
        };
        for gentle in [false, true] {
            assert_eq!(at(4, gentle)[0], 1.0);
            let [_, marked, dropped, _] = at(10, gentle);
            assert!((marked - 1.0 / 10.5).abs() < 0.002 && dropped == 0.0, "{marked}, {dropped}");
            assert_eq!(at(30, gentle)[3], 1.0);
        }
        assert_eq!(at(15, false)[3], 1.0);
        // Midway from 15 to 30: 0.1 + 0.9 / 3, of which gaps of 1 to 2.5.
        let [passed, _, _, chosen] = at(20, true);
        assert!((0.4..0.6).contains(&chosen), "{chosen}");
        assert!((passed + chosen - 1.0).abs() < 1e-9, "{passed}, {chosen}");
    }
}

/// RFC 8257, section 3.1: all packets that find more than a threshold, and no others.
#[test]
fn equal_thresholds_are_a_step() {
    let step = Thresholds::new(QueueLimit::Packets(20), QueueLimit::Packets(20));
    let at = |packets, adaptive| {
        let settings = |it: &mut RedSettings| {
            it.thresholds = step.expect("one threshold");
            (it.weight, it.max_probability, it.adaptive) = (1.0, 1.0, adaptive);
        };
        verdicts(red(settings), packets, 1000)
    };
    for adaptive in [false, true] {
        assert_eq!(at(0, adaptive), [1.0, 0.0, 0.0]);
        assert_eq!(at(19, adaptive), [1.0, 0.0, 0.0]);
        assert_eq!(at(20, adaptive), [0.0, 1.0, 0.0]);
        assert_eq!(at(500, adaptive), [0.0, 1.0, 0.0]);
    }
    // An average at the threshold is at the maximum of the two: the probability rises.
    let mut red = red(|it| {
        it.thresholds = step.expect("one threshold");
        (it.weight, it.adaptive) = (1.0, true);
    });
    for milliseconds in [0, 500] {
        let _ = red.judge(Time::ZERO + Duration::from_millis(milliseconds), &finds(20));
    }
    assert!((red.max_probability() - 0.11).abs() < 1e-12, "{}", red.max_probability());
}

#[test]
fn thresholds_by_bytes_measure_bytes() {
    let thresholds = Thresholds::new(QueueLimit::Bytes(5000), QueueLimit::Bytes(15_000));
    let by_bytes = red(|it| {
        (it.weight, it.thresholds) = (1.0, thresholds.expect("one below the other"));
    });
    assert_eq!(verdicts(by_bytes, 4, 1000), [1.0, 0.0, 0.0]);
    let by_bytes = red(|it| {
        (it.weight, it.thresholds) = (1.0, thresholds.expect("one below the other"));
    });
    assert!(verdicts(by_bytes, 10, 1000)[1] > 0.05);
    assert_eq!(Thresholds::new(QueueLimit::Bytes(5), QueueLimit::Packets(15)), None);
    assert_eq!(Thresholds::new(QueueLimit::Packets(6), QueueLimit::Packets(5)), None);
}

/// 0.01 up or a tenth down each half second, while the average lies above or
/// below the middle fifth; whether packets arrive in between or not.
#[test]
fn the_adaptive_probability_moves_to_hold_the_average_midway() {
    let seconds = |it| Time::ZERO + Duration::from_secs(it);
    let adapted = |packets, arrivals: &[u64]| {
        let mut red = red(|it| (it.adaptive, it.weight) = (true, 1.0));
        red.judge(Time::ZERO, &finds(packets));
        arrivals.iter().for_each(|it| {
            let _ = red.judge(seconds(*it), &finds(packets));
        });
        red.max_probability()
    };
    for arrivals in [&[1, 2, 3, 4][..], &[4][..]] {
        let close = |measured: f64, expected: f64| (measured - expected).abs() < 1e-12;
        assert!(close(adapted(12, arrivals), 0.1 + 8.0 * 0.01));
        assert!(close(adapted(8, arrivals), 0.1 * 0.9_f64.powi(8)));
        assert!(close(adapted(10, arrivals), 0.1));
    }
    assert!((0.5..0.52).contains(&adapted(12, &[1000])));
    assert!((0.009..0.01).contains(&adapted(8, &[1000])));
}
