//! The paper's scenario (section VI): six satellites, 1000 accesses at each by Zipf's law, a
//! page table with 1000 entries. Its figures are of one run; closed forms give the means.

use windtunnel_applications::sessions::{
    PagePopularity, PagingPolicy, ProactivePages, Session, expected_distinct,
};
use windtunnel_engine::Streams;

use crate::carrier::*;

const RUNS: u64 = 1000;
const ENTRIES: usize = 1000;
const STAGES: u32 = 6;
const ACCESSES: u32 = 1000;

/// A run: the rows of Table I, and the session before its end.
fn run(policy: PagingPolicy, number: u64) -> (Vec<Vec<u64>>, Session) {
    let popularity = PagePopularity::new(ENTRIES, 1.0).expect("a law");
    let mut random = Streams::new(1, number).stream("accesses");
    let mut session = session(ENTRIES, policy);
    let mut rows = Vec::new();
    for stage in 0..STAGES {
        hand_over(&mut session, stage);
        for _ in 0..ACCESSES {
            access(&mut session, popularity.draw(&mut random));
        }
        rows.push(session.distribution());
    }
    (rows, session)
}

/// The mean and its standard error.
fn mean(samples: &[f64]) -> (f64, f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|it| (it - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// What is measured in many runs, each as a column, has these means.
fn assert_means(runs: &[Vec<f64>], expected: &[f64]) {
    for (column, expected) in expected.iter().enumerate() {
        let samples: Vec<f64> = runs.iter().map(|it| it[column]).collect();
        let (mean, error) = mean(&samples);
        println!("column {column}: {mean:.2} ± {error:.2}, expected {expected:.2}");
        assert!((mean - expected).abs() <= 4.0 * error, "{column}: {mean} ± {error}, {expected}");
    }
}

/// The probability that a page is not accessed in a stage, for each page.
fn idle() -> Vec<f64> {
    let sum: f64 = (1..=ENTRIES).map(|rank| 1.0 / rank as f64).sum();
    let stays = |rank: usize| (1.0 - 1.0 / (rank as f64 * sum)).powf(f64::from(ACCESSES));
    (1..=ENTRIES).map(stays).collect()
}

/// The mean number of pages that move on demand, each counted as `weight` says of its
/// distance: used in a stage, then in none, then in the one where it moves.
fn expected_moves(weight: impl Fn(u32) -> f64) -> f64 {
    let moves = |idle: &f64| -> f64 {
        let distances = (1..STAGES).flat_map(|stage| 1..=stage);
        let used = (1.0 - idle).powi(2);
        distances.map(|it| weight(it) * used * idle.powi(it as i32 - 1)).sum()
    };
    idle().iter().map(moves).sum()
}

#[test]
fn on_demand_has_the_means_of_the_closed_forms() {
    let runs: Vec<Vec<f64>> = (0..RUNS)
        .map(|number| {
            let (rows, session) = run(PagingPolicy::OnDemand, number);
            let counters = session.counters();
            let totals = rows.iter().map(|row| row.iter().sum());
            let columns = totals.chain(rows[5].iter().copied());
            let moves = [counters.page_transfers, counters.page_hops, counters.faults];
            columns.chain(moves).map(|it| it as f64).collect()
        })
        .collect();
    let distinct = |stage| expected_distinct(stage * ACCESSES, ENTRIES, 1.0).0;
    let last_row = (0..STAGES).map(|stage| {
        let left = (STAGES - 1 - stage) as i32;
        idle().iter().map(|it| (1.0 - it) * it.powi(left)).sum()
    });
    let (transfers, hops) = (expected_moves(|_| 1.0), expected_moves(f64::from));
    let expected: Vec<f64> =
        (1..=STAGES).map(distinct).chain(last_row).chain([transfers, hops, transfers]).collect();
    assert_means(&runs, &expected);
}

#[test]
fn proactive_moves_have_the_means_of_the_closed_forms() {
    let moved = |pages, number| {
        let (_, session) = run(PagingPolicy::Proactive(pages), number);
        let counters = session.counters();
        // Without those that a fault moves.
        (counters.page_transfers - counters.faults) as f64
    };
    let readings =
        [ProactivePages::Existing, ProactivePages::Entries, ProactivePages::UsedInLastStage];
    let runs: Vec<Vec<f64>> =
        (0..RUNS).map(|number| readings.map(|it| moved(it, number)).to_vec()).collect();
    let distinct = |stages| expected_distinct(stages * ACCESSES, ENTRIES, 1.0).0;
    let existing = (1..STAGES).map(distinct).sum();
    assert_means(&runs, &[existing, 5000.0, 5.0 * distinct(1)]);
}

#[test]
fn the_same_seed_gives_the_same_session() {
    let twice = [3, 3].map(|number| run(PagingPolicy::OnDemand, number).0);
    assert_eq!(twice[0], twice[1]);
    assert_ne!(twice[0], run(PagingPolicy::OnDemand, 4).0);
}
