//! What is recorded: the section of a scenario, the default that thins itself out, and
//! files that are written while runs go on.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration as RealDuration;

use crate::common::{assert_contains, changed, read, refused, set};
use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use windtunnel_engine::Duration;
use windtunnel_lab::{Batch, CaptureSettings, Study, tables};
use windtunnel_world::{RecordingPlan, SeriesPlan};

/// The valid scenario with a line about recording.
fn recording(line: &str) -> String {
    changed("seed = 7", &format!("seed = 7\n{line}"))
}

fn plan(text: &str) -> RecordingPlan {
    read(text).expect("it is valid").cases[0].plan.recording.clone()
}

fn milliseconds(series: &Option<SeriesPlan>) -> Option<u64> {
    series.as_ref().map(|it| it.interval.as_nanos() / 1_000_000)
}

#[track_caller]
fn assert_refused(line: &str, expected: &[&str]) {
    assert_contains(&refused(&recording(line), read), expected);
}

#[test]
fn an_interval_of_a_kind_goes_before_that_of_all() {
    let intervals = |line: &str| {
        let it = plan(&recording(line));
        (milliseconds(&it.flows), milliseconds(&it.links))
    };
    assert_eq!(intervals(""), (Some(5), Some(5)), "300 samples in 2 s");
    assert_eq!(intervals("recording.interval = \"20 ms\""), (Some(20), Some(20)));
    let both = "recording = { interval = \"20 ms\", links = { interval = \"1 s\" } }";
    assert_eq!(intervals(both), (Some(20), Some(1_000)));
    assert_eq!(intervals("recording.flows = false"), (None, Some(5)));
    assert_eq!(intervals("recording = { flows = true, links = false }"), (Some(5), None));
}

/// With the shortest of 1, 2, 5, 10 ns and so on there are always more; a longer one has fewer.
#[test]
fn a_short_run_has_at_least_300_samples() {
    for (duration, nanoseconds) in [
        ("60 s", 100_000_000),
        ("30 s", 100_000_000),
        ("29 s", 50_000_000),
        ("2 s", 5_000_000),
        ("20 ms", 50_000),
        ("1 us", 2),
    ] {
        let text =
            recording("").replace("duration = \"2 s\"", &format!("duration = \"{duration}\""));
        let interval = plan(&text).flows.expect("flows are recorded").interval;
        assert_eq!(interval.as_nanos(), nanoseconds, "{duration}");
    }
}

#[test]
fn only_names_flows_and_links() {
    let it =
        plan(&recording("recording = { flows.only = [\"viewer\"], links.only = [\"second\"] }"));
    assert_eq!(it.flows.and_then(|it| it.only), Some(vec![0]));
    assert_eq!(it.links.and_then(|it| it.only), Some(vec![1]));
    assert!(it.channels.is_none(), "no link has one");
}

#[test]
fn forwarders_of_nodes_are_recorded_where_a_file_says_so() {
    assert!(plan(&recording("")).nodes.is_none());
    assert!(plan(&recording("recording.interval = \"20 ms\"")).nodes.is_none());
    assert_eq!(milliseconds(&plan(&recording("recording.nodes = true")).nodes), Some(5));
    let it = plan(&recording("recording.nodes = { interval = \"20 ms\", only = [\"b\"] }"));
    assert_eq!(milliseconds(&it.nodes), Some(20));
    assert_eq!(it.nodes.and_then(|it| it.only), Some(vec![1]));
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    assert_refused("recording.interval = ¶\"0 s\"", &["greater than zero", "\"100 ms\""]);
    assert_refused("recording.interval = ¶\"1 us\"", &["more than a million samples"]);
    assert_refused("recording.interval = ¶\"3 s\"", &["longer than the duration, 2 s"]);
    assert_refused("recording.links.interval = ¶\"3 s\"", &["longer than the duration, 2 s"]);
    assert_refused("recording.channels.interval = ¶\"0 s\"", &["greater than zero"]);
    assert_refused(
        "recording.flows.only = [¶\"veiwer\"]",
        &["there is no flow `veiwer`", "did you mean `viewer`"],
    );
    assert_refused("recording.links.only = [¶\"third\"]", &["there is no link `third`", "first"]);
    assert_refused("recording.flows.only = ¶[]", &["`only` is empty", "false"]);
    assert_refused("recording.flows = ¶\"1 s\"", &["true, false, or a table"]);
    assert_refused("recording.¶routers = true", &["routers", "flows"]);
    assert_refused("recording.nodes.only = [¶\"d\"]", &["there is no node `d`", "`a`"]);
    assert_refused("recording.channels.¶only = [\"first\"]", &["only", "interval"]);
    assert_refused("¶interval = \"1 s\"", &["interval"]);
}

#[test]
fn a_case_and_a_setting_can_change_what_is_recorded() {
    let text = recording("")
        + "[compare.often]\nyes = { \"recording.flows.interval\" = \"10 ms\" }\n\
                                no = { \"recording.flows\" = false }\n";
    let study = set(&text, &[("recording.interval", "500 ms")]).expect("it is valid");
    let intervals = |case: usize| {
        let it = &study.cases[case].plan.recording;
        (milliseconds(&it.flows), milliseconds(&it.links))
    };
    assert_eq!((intervals(0), intervals(1)), ((Some(10), Some(500)), (None, Some(500))));
}

/// So many flows for so long.
fn many(flows: usize, duration: &str, line: &str) -> Study {
    let names: String =
        (0..flows).map(|it| format!("f{it} = {{ from = \"a\", to = \"b\" }}\n")).collect();
    let text = format!(
        "duration = \"{duration}\"\n{line}\nnodes = {{ a = {{}}, b = {{}} }}\n\
         [links]\nwire = {{ nodes = [\"a\", \"b\"], rate = \"1 Gbps\", delay = \"1 ms\" }}\n\
         [defaults.flow]\nprotocol = \"udp\"\nrate = \"1 kbps\"\n[flows]\n{names}"
    );
    read(&text).expect("it is valid")
}

#[test]
fn the_default_interval_becomes_longer_with_the_rows_and_says_so() {
    let interval = |study: &Study| milliseconds(&study.cases[0].plan.recording.flows);
    let few = many(2_000, "100 s", "");
    assert_eq!((interval(&few), few.notes().len()), (Some(100), 0));
    let more = many(2_001, "100 s", "");
    assert_eq!(interval(&more), Some(200));
    assert_eq!(
        more.notes(),
        ["series of flows are recorded every 200 ms instead of 100 ms: 2001 flows for 100 s; set \
          `recording.flows.interval` to choose"]
    );
    assert_eq!(milliseconds(&more.cases[0].plan.recording.links), Some(100));
    // What is written is obeyed, and so is a choice of fewer flows.
    for line in ["recording.interval = \"100 ms\"", "recording.flows.interval = \"100 ms\""] {
        let written = many(2_001, "100 s", line);
        assert_eq!((interval(&written), written.notes().len()), (Some(100), 0));
    }
    let only = many(2_001, "100 s", "recording.flows.only = [\"f7\"]");
    assert_eq!((interval(&only), only.notes().len()), (Some(100), 0));
    // One flow for 200 days.
    assert_eq!(interval(&many(1, "4800 h", "")), Some(10_000));
    // In a short run of many flows as often as 200,000 rows allow.
    assert_eq!(interval(&many(3_000, "500 ms", "")), Some(10));
    assert_eq!(interval(&many(3_000, "10 s", "")), Some(100));
}

/// Every 10 ms of three runs of two cases.
fn compared() -> Study {
    let text = changed("seed = 7", "seed = 7\nruns = 3\nrecording.interval = \"10 ms\"")
        + "[compare.controller]\nours = { \"consumers.viewer.controller\" = \"ec-elastic\" }\n\
           theirs = { \"consumers.viewer.controller\" = \"aimd\" }\n";
    read(&text).expect("it is valid")
}

/// An empty folder of that name.
fn empty(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recording").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("it can be created");
    folder
}

/// A table as it was written.
fn written(file: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file).expect("it is there"));
    let reader = reader.expect("it is whole");
    let columns = reader.schema().clone();
    let batches: Result<Vec<_>, _> = reader.build().expect("it is whole").collect();
    concat_batches(&columns, &batches.expect("it is whole")).expect("one table")
}

const SERIES: [&str; 8] = [
    "flow_series",
    "link_series",
    "channel_series",
    "route_series",
    "subflow_series",
    "playback_series",
    "packet_events",
    "node_series",
];

#[test]
fn files_have_the_rows_that_memory_has_whatever_the_threads() {
    let (study, outcome) = Batch::start(compared(), 1).finish();
    let memory = tables::all(&study, &outcome.runs);
    let mut bytes = Vec::new();
    for jobs in [1, 2, 5] {
        let folder = empty(&format!("jobs-{jobs}"));
        let batch =
            Batch::into_folder(compared(), folder.clone(), CaptureSettings::at(Vec::new()), jobs);
        let (study, outcome) = batch.expect("nothing is captured").finish();
        assert!(outcome.unwritten.is_none() && outcome.unfinished == 0);
        let totals = tables::all(&study, &outcome.runs);
        assert_eq!(totals[..], memory[..totals.len()]);
        for (name, table) in &memory[totals.len()..] {
            assert_eq!(written(&folder.join(format!("{name}.parquet"))), *table, "{name}");
        }
        bytes.push(SERIES.map(|it| fs::read(folder.join(format!("{it}.parquet"))).expect("there")));
        assert_eq!(
            fs::read_dir(&folder).expect("it is there").count(),
            SERIES.len(),
            "nothing is left"
        );
    }
    assert!(bytes.iter().all(|it| *it == bytes[0]), "the same files");
}

/// Runs for a while and is cancelled then.
#[test]
fn an_interrupted_run_keeps_its_full_chunks_and_no_table() {
    let text = changed("\"2 s\"", "\"27 h\"").replace(
        "seed = 7",
        "seed = 7\nrecording = { flows = false, links.interval = \"100 ms\" }",
    );
    let folder = empty("interrupted");
    let study = read(&text).expect("it is valid");
    let batch = Batch::into_folder(study, folder.clone(), CaptureSettings::at(Vec::new()), 1);
    let batch = batch.expect("nothing is captured");
    let file = folder.join("unfinished/run-0/link_series.parquet");
    let has_a_chunk = || fs::metadata(&file).is_ok_and(|it| it.len() > 1_000);
    while !has_a_chunk() {
        thread::sleep(RealDuration::from_millis(10));
    }
    batch.cancel();
    let (_, outcome) = batch.finish();
    assert_eq!((outcome.runs.len(), outcome.unfinished), (0, 1));
    let table = written(&file);
    assert!(
        table.num_rows() > 0 && table.num_rows().is_multiple_of(1 << 16),
        "{}",
        table.num_rows()
    );
    assert!(!folder.join("link_series.parquet").exists());
}

#[test]
fn a_run_that_is_interrupted_before_its_first_chunk_leaves_nothing() {
    let text = changed("\"2 s\"", "\"4000 h\"");
    let folder = empty("early");
    let study = read(&text).expect("it is valid");
    let batch = Batch::into_folder(study, folder.clone(), CaptureSettings::at(Vec::new()), 1);
    let batch = batch.expect("nothing is captured");
    while batch.progress().events == 0 {
        thread::sleep(RealDuration::from_millis(1));
    }
    batch.cancel();
    let _ = batch.finish();
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
}

#[test]
fn what_is_not_recorded_has_a_table_without_rows() {
    let text = recording("recording = { flows = false, links.only = [\"first\"] }");
    let (study, outcome) = Batch::start(read(&text).expect("it is valid"), 1).finish();
    let tables = tables::all(&study, &outcome.runs);
    let rows = |name: &str| tables.iter().find(|it| it.0 == name).map(|it| it.1.num_rows());
    assert_eq!(SERIES.map(rows), [0, 2 * 400, 0, 0, 0, 0, 0, 0].map(Some));
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let file = empty("a-file").join("file");
    fs::write(&file, "no folder").expect("it can be written");
    let batch = Batch::into_folder(compared(), file, CaptureSettings::at(Vec::new()), 2)
        .expect("nothing is captured");
    let (_, outcome) = batch.finish();
    assert!(outcome.unwritten.is_some());
}

#[test]
fn the_interval_of_a_kind_is_that_of_its_rows() {
    let line = "recording = { flows.interval = \"400 ms\", links.interval = \"500 ms\" }";
    let study = read(&recording(line)).expect("it is valid");
    assert_eq!(study.cases[0].plan.duration, Duration::from_secs(2));
    let (study, outcome) = Batch::start(study, 1).finish();
    let tables = tables::all(&study, &outcome.runs);
    let rows = |name: &str| tables.iter().find(|it| it.0 == name).map(|it| it.1.num_rows());
    assert_eq!((rows("flow_series"), rows("link_series")), (Some(5), Some(4 * 4)));
}
