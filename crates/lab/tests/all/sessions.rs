//! Sessions whose state is paged, in scenario files: what they count, how long a fault takes,
//! and what is refused. `¶` marks the place that a message must name.

use crate::common;
use proptest::prelude::*;
use windtunnel_engine::{Control, Stop};
use windtunnel_lab::{ScenarioError, Study};
use windtunnel_world::{Plan, SessionTotals, World};

/// Nodes in a row, each of which serves a session for ten seconds.
const ROW: &str = r#"duration = "70 s"
recording = { flows = false, links = false }
[nodes]
a = {}
b = {}
c = {}
d = {}
e = {}
f = {}
[defaults.link]
rate = "1 Gbps"
delay = "0.1 ms"
[links]
ab = { nodes = ["a", "b"] }
bc = { nodes = ["b", "c"] }
cd = { nodes = ["c", "d"] }
de = { nodes = ["d", "e"] }
ef = { nodes = ["e", "f"] }
[sessions.s]
trail = ["a", "b", "c", "d", "e", "f"]
stage = "10 s"
access_interval = "10 ms"
tcp = { controller = "cubic" }
"#;

fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read("scenario.toml", text, &[])
}

fn plan(text: &str) -> Plan {
    Plan::clone(&read(text).unwrap_or_else(|it| panic!("{it}")).cases[0].plan)
}

/// What the sessions of a run counted.
fn run(plan: &Plan) -> SessionTotals {
    let mut world = World::new(plan).expect("all nodes are joined");
    assert_eq!(world.run(&Control::default(), None).0, Stop::Finished);
    world.sessions().next().expect("there are sessions")
}

fn totals(text: &str) -> SessionTotals {
    run(&plan(text))
}

/// Means over runs, each measured as a column, within four standard errors.
fn assert_means(runs: &[Vec<f64>], expected: &[f64]) {
    let count = runs.len() as f64;
    for (column, expected) in expected.iter().enumerate() {
        let samples = || runs.iter().map(|it| it[column]);
        let mean = samples().sum::<f64>() / count;
        let squares: f64 = samples().map(|it| (it - mean).powi(2)).sum();
        let error = (squares / (count - 1.0) / count).sqrt();
        assert!((mean - expected).abs() < 4.0 * error, "{column}: {mean} ± {error}, {expected}");
    }
}

/// Six satellites, 1000 accesses each (Fongen, section VI): the pages that exist after each, the
/// transfers and the page-hops have the means of their closed forms.
#[test]
fn a_session_on_a_trail_counts_what_closed_forms_say() {
    let plan = plan(ROW);
    let runs: Vec<Vec<f64>> = (0..40)
        .map(|number| {
            let totals = run(&Plan { run: number, ..plan.clone() });
            assert_eq!((totals.accesses, totals.unfinished), (6000, 0));
            let existing = |stage: usize| {
                let of_stage = totals.stages.iter().filter(|it| it.stage == stage);
                of_stage.map(|it| it.pages).sum::<u64>() as f64
            };
            let counters = totals.counters;
            let moved = [counters.page_transfers, counters.page_hops].map(|it| it as f64);
            (0..6).map(existing).chain(moved).collect()
        })
        .collect();
    let distinct = [333.7469, 499.4362, 610.8866, 691.6482, 752.4816, 799.4355];
    assert_means(&runs, &[&distinct[..], &[1203.05, 1779.2]].concat());
}

/// A page travels from an idle node to the next one: a request and its three segments, each
/// stored and forwarded over one link, at 10 Mbps and 0.1 ms. The first request opens
/// its connection; the other way there is one, over which the page table came.
#[test]
fn a_fault_takes_the_time_of_its_messages() {
    let text = ROW
        .replace("1 Gbps", "10 Mbps")
        .replace("10 ms", "50 ms")
        .replace(r#"["a", "b", "c", "d", "e", "f"]"#, r#"["a", "b"]"#);
    let totals = totals(&text);
    let faults = totals.counters.faults as usize;
    assert!(faults > 20 && totals.latencies.len() == faults, "{faults}");
    let headers = 3.0 * 52.0;
    let alone = 2.0 * 1e-4 + (64.0 + 52.0 + 4096.0 + headers) * 8.0 / 10e6;
    let mut others = totals.latencies.iter().map(|it| it.as_seconds()).collect::<Vec<_>>();
    let first = others.remove(0);
    let handshake = 2.0 * (1e-4 + 60.0 * 8.0 / 10e6);
    assert!((first - alone - handshake).abs() < 1e-9, "{first} {alone}");
    for latency in others {
        assert!((latency - alone).abs() < 1e-9, "{latency} {alone}");
    }
}

#[test]
fn a_failed_node_loses_the_pages_that_it_alone_holds() {
    let failing = |policy: &str| {
        totals(&format!("{ROW}policy = {policy}\nfailures = [{{ node = \"a\", at = \"15 s\" }}]\n"))
    };
    // The keys stand after those of `tcp`, in the table of the sessions.
    let single = failing("\"on-demand\"");
    assert!(single.counters.lost > 50, "{}", single.counters.lost);
    assert_eq!(single.counters.creations, single.counters.dropped + single.counters.lost);
    let copied = failing("{ kind = \"replicated\", copies = 2 }");
    assert!(copied.counters.lost <= single.counters.lost);
    assert_eq!(copied.accesses, 6000);
    assert_eq!(copied.unfinished, 0);
}

/// Stations are handed over from satellite to satellite, and their sessions with them.
#[test]
fn sessions_follow_their_users_over_satellites() {
    let text = r#"duration = "1200 s"
recording = { flows = false, links = false, routes = false }
routing.interval = "1 s"
[nodes]
oslo = { place = ["59.9°", "10.7°"] }
rome = { place = ["41.9°", "12.5°"] }
[constellations.s]
planes = 10
satellites_per_plane = 15
altitude = "500 km"
inclination = "90°"
pattern = "star"
inter_satellite_links = { rate = "1 Gbps" }
ground_links = { rate = "100 Mbps", minimum_elevation = "10°", handover = "hold-longest" }
[sessions.users]
access_interval = "100 ms"
tcp = { controller = "cubic" }
"#;
    let plan = plan(text);
    let of_user = |user: usize| plan.sessions[0].users[user].stages.len() as u64;
    let totals = run(&plan);
    assert!(of_user(0) > 2 && of_user(1) > 2);
    assert_eq!(totals.counters.handovers, of_user(0) + of_user(1) - 2);
    assert_eq!(totals.sessions, 2);
    assert!(totals.counters.page_transfers > 500, "{:?}", totals.counters);
    // Light takes at least 3 ms between two satellites of this constellation.
    assert!(totals.latencies.iter().all(|it| it.as_seconds() > 2.0 * 3e-3));
}

fn policies() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "\"on-demand\"",
        "\"remote\"",
        "\"separate\"",
        "{ kind = \"separate\", node = \"f\" }",
        "{ kind = \"prefetch\", pages = 20, ahead = \"500 ms\" }",
        "\"idle-neighbour\"",
        "{ kind = \"read-ahead\", pages = 3 }",
        "{ kind = \"prefetch\", pages = 20 }",
        "\"proactive\"",
        "{ kind = \"proactive\", pages = \"entries\" }",
        "{ kind = \"proactive\", pages = \"used-in-last-stage\" }",
        "{ kind = \"replicated\", copies = 2 }",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the policy, and however narrow the links: no page and no access is lost
    /// unaccounted, also where handovers overtake transfers and nodes fail.
    #[test]
    fn pages_and_accesses_are_conserved(
        policy in policies(),
        stage in 1_u64..3000,
        interval in 1_u64..200,
        rate in 1_u64..1000,
        page in 1_u64..20_000,
        length in 0_u64..5000,
        failing in 0_u64..8000,
        seed in 0_u64..1000,
    ) {
        let text = ROW
            .replace("70 s", "8 s")
            .replace("10 s", &format!("{stage} ms"))
            .replace("10 ms", &format!("{interval} ms"))
            .replace("1 Gbps", &format!("{rate} Mbps"))
            .replace("recording", &format!("seed = {seed}\nrecording"));
        let length = match length {
            0 => String::new(),
            it => format!("length = \"{it} ms\"\nperiods = \"exponential\"\n"),
        };
        let totals = totals(&format!(
            "{text}pages = 100\npage_size = \"{page} B\"\npolicy = {policy}\n{length}\
             failures = [{{ node = \"c\", at = \"{failing} ms\" }}]\n"
        ));
        let counters = totals.counters;
        // Sessions that have not ended hold the rest.
        prop_assert!(counters.creations >= counters.dropped + counters.lost);
        if stage * 6 < 8000 && length.is_empty() {
            prop_assert_eq!(counters.creations, counters.dropped + counters.lost);
        }
        let done = counters.creations + counters.hits;
        prop_assert!(totals.accesses <= done + totals.latencies.len() as u64 + totals.unfinished);
        let at_nodes: u64 = totals.nodes.values().map(|it| it.accesses).sum();
        prop_assert!(at_nodes <= totals.accesses);
        prop_assert!(counters.page_hops >= counters.page_transfers);
        prop_assert!(totals.sessions >= 1);
    }
}

/// The sizes of elements are drawn for each session: of pages of a byte what moves is as large as
/// they are in the mean, and of larger pages whole ones.
#[test]
fn elements_take_whole_pages() {
    let moved = |page: &str| {
        let sizes = r#"[["1 B", "0 %"], ["2000 B", "100 %"]]"#;
        let totals = totals(&format!("{ROW}element_size = {sizes}\npage_size = \"{page}\"\n"));
        totals.counters.page_bytes as f64 / totals.counters.page_transfers as f64
    };
    let exact = moved("1 B");
    assert!((exact - 1000.0).abs() < 60.0, "{exact}");
    assert!((moved("1000 B") - 1500.0).abs() < 60.0);
    assert_eq!(moved("4096 B"), 4096.0);
}

/// What each run sets holds for that run alone, and for those that come around to it.
#[test]
fn each_run_sets_values_of_its_own() {
    let text = ROW.replace(
        "recording =",
        "runs = 5\neach_run = [{}, { \"sessions.s.pages\" = 7 }]\nrecording =",
    );
    let study = read(&text).unwrap_or_else(|it| panic!("{it}"));
    let entries = |run| study.cases[0].of_run(run).sessions[0].settings.pages;
    assert_eq!([0, 1, 2, 3, 4].map(entries), [1000, 7, 1000, 7, 1000]);
    assert_eq!([0, 3].map(|it| study.cases[0].of_run(it).run), [0, 3]);
    assert_refused(
        &ROW.replace(
            "recording =",
            "runs = 2\neach_run = [{}, { ¶\"sessions.s.pages\" = 0 }]\nrecording =",
        ),
        &["`pages` must be greater than zero"],
    );
}

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    common::assert_contains(&common::refused(marked, read), expected);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let with = |old: &str, new: &str| ROW.replace(old, new);
    assert_refused(
        &with("stage = \"10 s\"\n", "").replace("[\"a\", \"b\", \"c\"", "¶[\"a\", \"b\", \"c\""),
        &["`trail` requires `stage`", "stage = "],
    );
    assert_refused(
        &with("access_interval = \"10 ms\"", "access_interval = ¶\"0 s\""),
        &["`access_interval` must be greater than zero"],
    );
    assert_refused(
        &with("\"e\", \"f\"]\nstage", "\"e\", ¶\"g\"]\nstage"),
        &["there is no node `g`"],
    );
    assert_refused(
        &format!("{ROW}policy = ¶\"on-demnd\"\n"),
        &["there is no paging policy `on-demnd`", "on-demand"],
    );
    assert_refused(
        &format!("{ROW}policy = {{ kind = \"separate\", node = ¶\"g\" }}\n"),
        &["there is no node `g`"],
    );
    assert_refused(
        &format!("{ROW}element_size = ¶\"0 B\"\n"),
        &["`element_size` must be greater than zero"],
    );
    assert_refused(&format!("{ROW}popularity = ¶-1.0\n"), &["not -1"]);
    assert_refused(&format!("{ROW}page_size = ¶\"0 B\"\n"), &["`page_size` must be between"]);
    assert_refused(
        &with("controller = \"cubic\"", "controller = \"cubic\", workload = ¶\"bulk\""),
        &["`workload` cannot be set for sessions"],
    );
    assert_refused(
        &with("[sessions.s]\ntrail = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]", "[sessions.¶s]"),
        &["no node serves these sessions", "trail = "],
    );
    assert_refused(
        &with("ef = { nodes = [\"e\", \"f\"] }\n", "").replace("[sessions.s]", "[sessions.¶s]"),
        &["there is no path from `a` to `f`"],
    );
}
