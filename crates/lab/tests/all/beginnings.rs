//! Cases that differ in what begins later: what they have in common is simulated once, and
//! each has the results that it has alone.

use std::fs::{self, File};
use std::path::Path;

use crate::common::{VALID, changed, read};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use windtunnel_engine::{Control, Duration, Time};
use windtunnel_lab::{Batch, CaptureSettings, Processors, Study, tables};
use windtunnel_world::{Plan, World};

/// A link that always fails, and in these cases another thing happens to the other one.
const COMPARED: &str = r#"
[flows.file]
from = "c"
to = "a"
controller = "bbr3"
workload = { kind = "file", size = "400 kB" }
[flows.late]
from = "a"
to = "c"
controller = "cubic"
start = "1600 ms"
[compare.controller]
cubic = {}
bic = { "consumers.viewer.controller" = "bic" }
[compare.change]
none = {}
slower = { "links.first.changes" = [{ at = "1500 ms", rate = "2 Mbps" }] }
down = { "links.first.changes" = [{ at = "1700 ms", state = "down" }, { at = "1800 ms", state = "up" }] }
other-flow = { "flows.late.controller" = "bbr1" }
later-flow = { "flows.late.start" = "1800 ms", "flows.late.stop" = "1900 ms" }
early = { "links.first.changes" = [{ at = "1 ms", rate = "2 Mbps" }] }
shorter-queue = { "links.first.changes" = [{ at = "1500 ms", queue = { limit = "3 packets" } }, { at = "1600 ms", rate = "1 Mbps" }] }
"#;

const FAILS: &str = r#"{ probability = "1 %" }, changes = [{ at = "1 s", state = "down" }, { at = "1200 ms", state = "up" }]"#;

/// A study whose cases may be `limited` in real time; of a run that is limited, nothing is shared.
fn study(limited: bool) -> Study {
    let limit = if limited { "seed = 7\nreal_time_limit = \"1000 h\"" } else { "seed = 7" };
    let text = changed("seed = 7", &format!("{limit}\nruns = 3"));
    let text = text.replace(r#"{ probability = "1 %" }"#, FAILS);
    read(&(text + COMPARED)).expect("it is valid")
}

fn processors(jobs: usize) -> Processors {
    Processors::from(jobs)
}

/// Runs a study; gives how many events happened, and how many there were in its runs.
fn events(study: Study) -> (u64, u64) {
    let batch = Batch::start(study, processors(2));
    while !batch.is_done() {
        std::thread::yield_now();
    }
    let happened = batch.progress().events;
    let (_, outcome) = batch.finish();
    (happened, outcome.runs.iter().map(|it| it.events).sum())
}

#[test]
fn a_case_that_begins_as_others_has_the_results_that_it_has_alone() {
    let (alone, outcome) = Batch::start(study(true), processors(2)).finish();
    let expected = tables::all(&alone, &outcome.runs);
    for jobs in 1..=5 {
        let (study, outcome) = Batch::start(study(false), processors(jobs)).finish();
        assert_eq!(outcome.runs.len(), 42);
        let all = tables::all(&study, &outcome.runs);
        assert_eq!(all.len(), expected.len());
        for (table, expected) in all.iter().zip(&expected) {
            assert!(table == expected, "{} with {jobs} jobs", table.0);
        }
    }
}

/// Of each fourteen runs, ten do not simulate the first three quarters, in which half of all happens.
#[test]
fn what_cases_have_in_common_is_simulated_once() {
    let (happened, alone) = events(study(true));
    assert!(happened >= alone, "each simulates all of its run");
    let (happened, counted) = events(study(false));
    assert_eq!(counted, alone);
    assert!(happened * 3 < alone * 2, "{happened} of {alone}");
}

#[test]
fn series_in_files_are_those_of_cases_that_begin_alone() {
    let written = |name: &str, limited| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        let nothing = CaptureSettings::at(Vec::new());
        let batch = Batch::into_folder(study(limited), folder.clone(), nothing, processors(2));
        let (_, outcome) = batch.expect("nothing is captured").finish();
        assert!(outcome.unwritten.is_none() && !folder.join("unfinished").exists());
        ["flow_series", "link_series"].map(|it| {
            let file = File::open(folder.join(format!("{it}.parquet"))).expect("it was written");
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("it is Parquet");
            let batches = reader.build().expect("it can be read");
            batches.map(|it| it.expect("it can be read")).collect::<Vec<_>>()
        })
    };
    let alone = written("beginnings-alone", true);
    assert!(alone.iter().all(|it| it[0].num_rows() > 0));
    assert!(written("beginnings-shared", false) == alone);
}

#[test]
fn runs_that_begin_alike_can_be_cancelled() {
    let text = changed("\"2 s\"", "\"4000 h\"\nrecording.interval = \"1 h\"");
    let later = COMPARED.replace("00 ms\"", "00 h\"");
    let batch = Batch::start(read(&(text + &later)).expect("it is valid"), processors(2));
    batch.cancel();
    let (_, outcome) = batch.finish();
    assert_eq!((outcome.runs.len(), outcome.unfinished), (0, 14));
}

#[test]
fn what_a_case_begins_with_is_its_text_without_later_changes_of_links() {
    let beginning = |text: &str| read(text).expect("it is valid").cases[0].beginning.clone();
    let with =
        |changes: &str| VALID.replace("delay = \"1 ms\"", &format!("delay = \"1 ms\"{changes}"));
    let down = beginning(&with(r#", changes = [{ at = "1 s", state = "down" }]"#));
    assert!(down.is_some());
    assert_eq!(down, beginning(&with(r#", changes=[{at="2 s", rate="1 Mbps"}]"#)));
    let other = with(r#", changes = [{ at = "1 s", state = "down" }], mtu = "1500 B""#);
    assert_ne!(down, beginning(&other));
    assert_eq!(beginning(VALID), None);
}

/// Everything that is counted in a world by the end of its run.
fn counted(plan: &Plan, world: &mut World) -> String {
    let (_, events) = world.run(&Control::default(), None);
    let ports: Vec<_> = world.ports(plan.end()).collect();
    let flows: Vec<_> = world.flows().collect();
    let consumers: Vec<_> = world.consumers().map(|it| *it.counters()).collect();
    let nodes: Vec<_> = world.nodes().collect();
    let functions: Vec<_> = world.tunnels().zip(world.tunnel_connections()).collect();
    let limits: Vec<_> = world.limits(plan.end()).collect();
    let held = (world.packets_in_transit(), world.packets_stored(), world.messages_stored());
    let others = (functions, limits, held, world.transfers(), events);
    format!("{ports:?}\n{flows:?}\n{consumers:?}\n{nodes:?}\n{others:?}")
}

/// Radio, fixed and optical links, satellites, regions, isolation domains, tunnels, faces over TCP,
/// video, Multipath TCP, traces, NDN and CCNx.
#[test]
fn a_fork_of_any_kind_of_world_ends_as_one_that_was_not_forked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for name in [
        "ccnx",
        "drive",
        "heterogeneous",
        "home",
        "lte-trace",
        "mmwave-walk",
        "multipath",
        "optical",
        "paths",
        "queues",
        "regions",
        "sixty-gigahertz",
        "starlink",
        "tcp-faces",
        "tunnels",
        "video",
    ] {
        let file = folder.join(name).with_extension("toml");
        let text = fs::read_to_string(&file).expect("the file exists");
        let settings = [("duration".to_owned(), "2 s".to_owned())];
        let study = windtunnel_lab::read(&file.to_string_lossy(), &text, &settings);
        let plan = study.unwrap_or_else(|it| panic!("{it}")).cases[0].of_run(0);
        let begun = || World::new(&plan).expect("every flow has a path");
        let whole = counted(&plan, &mut begun());
        let mut world = begun();
        world.advance(Time::ZERO + Duration::from_millis(1_234));
        let mut fork = world.fork().expect("it can be copied");
        assert!(counted(&plan, &mut world) == whole, "{name}, which was forked");
        assert!(counted(&plan, &mut fork) == whole, "{name}, the fork");
    }
}
