//! Runs side by side: the same tables on any number of threads, and an end that
//! comes when it is asked for.

use std::thread;
use std::time::{Duration, Instant};

use crate::common::{changed, read};
use windtunnel_engine::Stop;
use windtunnel_lab::{Batch, Outcome, Study, tables};

/// What takes longer has not ended, on a busy machine too.
const HANGS: Duration = Duration::from_secs(60);

const COMPARED: &str = r#"
[compare.controller]
ours = { "consumers.viewer.controller" = "ec-elastic" }
theirs = { "consumers.viewer.controller" = "aimd" }
"#;

fn study() -> Study {
    let text = changed("seed = 7", "seed = 7\nruns = 3") + COMPARED;
    read(&text).expect("it is valid")
}

/// So much that it would run for days, four times.
fn endless() -> Study {
    let text = changed("\"2 s\"", "\"4000 h\"\nrecording.interval = \"1 h\"\nruns = 4");
    read(&text).expect("it is valid")
}

fn finish(study: Study, jobs: usize) -> (Study, Outcome) {
    Batch::start(study, jobs).finish()
}

#[test]
fn one_thread_and_many_give_the_same_tables() {
    let tables_with = |jobs| {
        let (study, outcome) = finish(study(), jobs);
        assert_eq!((outcome.runs.len(), outcome.unfinished, outcome.faults.len()), (6, 0, 0));
        tables::all(&study, &outcome.runs)
    };
    let one = tables_with(1);
    for jobs in [1, 2, 4, 100] {
        assert_eq!(tables_with(jobs), one, "{jobs} threads");
    }
}

#[test]
fn runs_come_in_the_order_of_cases_and_replications() {
    let (_, outcome) = finish(study(), 4);
    let order: Vec<(usize, u32)> = outcome.runs.iter().map(|it| (it.case, it.number)).collect();
    assert_eq!(order, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
}

/// Two nodes lose packets at random, so that each replication has its own fate.
#[test]
fn replications_differ_and_a_seed_repeats_them() {
    let flows = |seed: u64| {
        let text = changed("seed = 7", &format!("seed = {seed}\nruns = 3"));
        let (study, outcome) = finish(read(&text).expect("it is valid"), 2);
        let events: Vec<u64> = outcome.runs.iter().map(|it| it.events).collect();
        (events, tables::all(&study, &outcome.runs))
    };
    let (events, all) = flows(7);
    assert!(events[0] != events[1] && events[1] != events[2], "{events:?}");
    assert_eq!(flows(7).1, all);
    assert_ne!(flows(8).1, all);
}

#[test]
fn points_have_the_tables_of_every_network_as_other_runs_have_them() {
    let text = |seed: u64| changed("seed = 7", &format!("seed = {seed}"));
    let points: Vec<(String, Study)> =
        (7..12).map(|it| (format!("key {it}"), read(&text(it)).expect("it is valid"))).collect();
    let (study, outcome) = finish(Study::of_points(points.clone()), 1);
    let all = tables::all(&study, &outcome.runs);
    for jobs in [1, 3] {
        let (study, outcome) = Batch::of_points(points.clone(), jobs).finish();
        let of_points = tables::all(&study, &outcome.runs);
        let names: Vec<&str> = of_points.iter().map(|it| it.0).collect();
        let of_every_network =
            ["flows", "subflows", "transfers", "links", "nodes", "bridges", "tunnels"];
        assert_eq!(names, [&["runs"][..], &of_every_network[..]].concat());
        for (name, table) in &of_points {
            let same = all.iter().find(|it| it.0 == *name).expect("other runs have it too");
            assert_eq!(*table, same.1, "{name}");
        }
    }
}

#[test]
fn every_table_has_its_rows_for_every_run() {
    let (study, outcome) = finish(study(), 2);
    let all = tables::all(&study, &outcome.runs);
    let rows = all.iter().map(|(name, table)| (*name, table.num_rows()));
    let filled: Vec<(&str, usize)> = rows.filter(|(_, rows)| *rows > 0).collect();
    // Of one flow, two links of two directions, three nodes, and 400 samples; of what the scenario
    // does not have there are tables without a row.
    assert_eq!(
        filled,
        [
            ("runs", 6),
            ("flows", 6),
            ("links", 24),
            ("nodes", 18),
            ("flow_series", 6 * 400),
            ("link_series", 24 * 400)
        ]
    );
    assert!(all.len() > filled.len());
}

#[test]
fn a_cancelled_batch_ends_and_keeps_what_was_finished() {
    for jobs in [1, 2] {
        let batch = Batch::start(endless(), jobs);
        while batch.progress().events == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(!batch.is_done());
        let asked = Instant::now();
        batch.cancel();
        let (_, outcome) = batch.finish();
        assert!(asked.elapsed() < HANGS, "{:?}", asked.elapsed());
        assert_eq!((outcome.runs.len(), outcome.unfinished, outcome.faults.len()), (0, 4, 0));
    }
    // Short cases come first, and are kept.
    let text = changed("\"2 s\"", "\"2 s\"\nruns = 2")
        + "[compare.time]\nshort = {}\nlong = { duration = \"4000 h\", \"recording.interval\" = \"1 h\" }\n";
    let batch = Batch::start(read(&text).expect("it is valid"), 1);
    while batch.progress().finished < 2 {
        thread::sleep(Duration::from_millis(1));
    }
    batch.cancel();
    let (study, outcome) = batch.finish();
    assert_eq!((outcome.runs.len(), outcome.unfinished), (2, 2));
    assert!(outcome.runs.iter().all(|it| it.case == 0 && it.stop == Stop::Finished));
    assert_eq!(tables::all(&study, &outcome.runs)[0].1.num_rows(), 2);
}

#[test]
fn a_limit_of_real_time_ends_each_run_and_its_tables_are_kept() {
    let text = changed(
        "\"2 s\"",
        "\"4000 h\"\nrecording.interval = \"1 h\"\nruns = 2\nreal_time_limit = \"50 ms\"",
    );
    let started = Instant::now();
    let (study, outcome) = finish(read(&text).expect("it is valid"), 1);
    assert!(started.elapsed() < HANGS, "{:?}", started.elapsed());
    assert!(outcome.runs.iter().all(|it| it.stop == Stop::OutOfRealTime && it.packet_hops > 0));
    assert_eq!(tables::all(&study, &outcome.runs)[1].1.num_rows(), 2);
}

#[test]
fn progress_goes_from_nothing_to_everything() {
    let batch = Batch::start(study(), 2);
    let mut last = batch.progress();
    assert_eq!((last.total, last.total_simulated_s), (6, 12.0));
    while !batch.is_done() {
        let now = batch.progress();
        assert!(now.finished >= last.finished && now.simulated_s >= last.simulated_s);
        last = now;
        thread::sleep(Duration::from_millis(1));
    }
    let done = batch.progress();
    assert_eq!((done.finished, done.simulated_s), (6, 12.0));
    let (_, outcome) = batch.finish();
    assert_eq!(done.events, outcome.runs.iter().map(|it| it.events).sum::<u64>());
}

#[test]
fn without_runs_there_are_no_tables() {
    assert!(tables::all(&study(), &[]).is_empty());
}
