//! Cases that differ in nothing but their names: one is simulated, and all have its results.

use std::fs::{self, File};
use std::path::Path;

use crate::common::{all_packets_at, changed, read};
use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use windtunnel_lab::{Batch, CaptureSettings, Study, tables};

/// Of these four cases, both with `fast` are the same.
const COMPARED: &str = r#"
[compare.delay]
short = {}
long = { "links.second.delay" = "7 ms" }
[compare.speed]
slow = {}
fast = { "links.second" = { nodes = ["b", "c"], rate = "8 Mbps", delay = "2 ms" } }
"#;

fn study() -> Study {
    read(&(changed("seed = 7", "seed = 7\nruns = 2") + COMPARED)).expect("it is valid")
}

fn rows(tables: &[(&'static str, RecordBatch)], of: &[&str]) -> Vec<(&'static str, RecordBatch)> {
    let of_case = |table: &RecordBatch| {
        let kept: Vec<usize> = (0..table.num_rows())
            .filter(|row| {
                of.iter().enumerate().all(|(axis, name)| text(table, axis, *row) == *name)
            })
            .collect();
        let parts: Vec<RecordBatch> = kept.iter().map(|row| table.slice(*row, 1)).collect();
        let own: Vec<usize> = (of.len()..table.num_columns()).collect();
        let all = concat_batches(&table.schema(), &parts).expect("one schema");
        all.project(&own).expect("the columns exist")
    };
    tables.iter().map(|(name, table)| (*name, of_case(table))).collect()
}

fn text(table: &RecordBatch, column: usize, row: usize) -> &str {
    use arrow_array::cast::AsArray;
    table.column(column).as_string::<i32>().value(row)
}

#[test]
fn what_differs_in_names_alone_is_known() {
    let same: Vec<_> = study().cases.iter().map(|it| it.same_as).collect();
    assert_eq!(same, [None, None, None, Some(1)]);
}

#[test]
fn an_equal_case_has_the_results_that_it_has_alone() {
    let (study, outcome) = Batch::start(study(), 2).finish();
    let copies: Vec<_> = outcome.runs.iter().map(|it| (it.case, it.number, it.is_copy)).collect();
    assert_eq!(copies[4..], [(2, 0, false), (2, 1, false), (3, 0, true), (3, 1, true)]);
    let together = tables::all(&study, &outcome.runs);
    for names in [["short", "slow"], ["short", "fast"], ["long", "slow"], ["long", "fast"]] {
        let mut alone = self::study();
        alone.cases.retain(|it| it.names == names);
        alone.cases[0].same_as = None;
        let (alone, outcome) = Batch::start(alone, 1).finish();
        let alone = tables::all(&alone, &outcome.runs);
        assert_eq!(rows(&together, &names), rows(&alone, &names), "{names:?}");
    }
    let flows = &together[1].1;
    assert_ne!(rows(&together, &["long", "slow"]), rows(&together, &["long", "fast"]));
    assert_eq!(flows.num_rows(), 8);
}

#[test]
fn series_in_files_are_those_in_memory() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("equal-cases");
    let _ = fs::remove_dir_all(&folder);
    let nothing = CaptureSettings::at(Vec::new());
    let (_, outcome) = Batch::into_folder(study(), folder.clone(), nothing, 2).unwrap().finish();
    assert!(outcome.unwritten.is_none() && !folder.join("unfinished").exists());
    let (study, outcome) = Batch::start(study(), 1).finish();
    for (name, table) in tables::all(&study, &outcome.runs) {
        if let Ok(file) = File::open(folder.join(format!("{name}.parquet"))) {
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
            let read: Vec<_> = reader.map(Result::unwrap).collect();
            assert_eq!(concat_batches(&table.schema(), &read).unwrap(), table, "{name}");
        }
    }
}

#[test]
fn where_packets_are_captured_each_case_is_simulated() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("equal-captures");
    let _ = fs::remove_dir_all(&folder);
    let batch = Batch::into_folder(study(), folder.clone(), all_packets_at(&["a"]), 2);
    let (_, outcome) = batch.unwrap().finish();
    assert!(outcome.runs.iter().all(|it| !it.is_copy));
    let case = |delay: &str| fs::read_dir(folder.join("captures").join(delay)).unwrap().count();
    assert_eq!((case("short"), case("long")), (2, 2));
}

#[test]
fn progress_counts_equal_cases_as_those_that_are_simulated_for_them() {
    let batch = Batch::start(study(), 2);
    while !batch.is_done() {
        std::thread::yield_now();
    }
    let done = batch.progress();
    assert_eq!((done.finished, done.total), (8, 8));
    assert!((done.simulated_s - done.total_simulated_s).abs() < 1e-9);
    let (_, outcome) = batch.finish();
    let simulated = outcome.runs.iter().filter(|it| !it.is_copy);
    assert_eq!(done.events, simulated.map(|it| it.events).sum::<u64>());
}

#[test]
fn equal_cases_of_runs_that_were_stopped_are_unfinished_too() {
    let text = changed("\"2 s\"", "\"4000 h\"\nrecording.interval = \"1 h\"");
    let batch = Batch::start(read(&(text + COMPARED)).expect("it is valid"), 2);
    batch.cancel();
    let (_, outcome) = batch.finish();
    assert_eq!((outcome.runs.len(), outcome.unfinished), (0, 4));
}
