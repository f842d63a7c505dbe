//! From a file to its cases: what is set, in which order, and the text as run.

use crate::common::{VALID, changed, read, set, with};
use proptest::prelude::*;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_lab::Study;
use windtunnel_links::Loss;
use windtunnel_queues::{Discipline, QueueLimit};
use windtunnel_transports::ndn::consumer::ConsumerWorkload;
use windtunnel_world::{Metric, Plan};

fn rate(plan: &Plan, link: usize) -> u64 {
    plan.links[link].directions[0].rate.bits_per_second()
}

fn controller(plan: &Plan) -> &'static str {
    plan.consumers[0].controller.description().name
}

fn names(study: &Study) -> Vec<String> {
    study.cases.iter().map(|it| it.names.join(" ")).collect()
}

#[test]
fn what_the_file_says_is_what_the_plan_has() {
    let study = read(VALID).expect("it is valid");
    assert_eq!((study.title.as_deref(), study.seed, study.runs), (Some("Two links"), 7, 1));
    assert_eq!((study.axes.len(), study.cases.len(), study.total_runs()), (0, 1, 1));
    assert_eq!(&*study.text, VALID);
    let plan = &study.cases[0].plan;
    assert_eq!(plan.nodes.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!([0, 1].map(|link| rate(plan, link)), [10_000_000, 5_000_000]);
    assert_eq!(plan.links[1].nodes, [1, 2]);
    let second = &plan.links[1].directions[1];
    assert_eq!((second.delay, &second.loss), (Duration::from_millis(2), &Loss::Bernoulli(0.01)));
    assert_eq!(second.limit, QueueLimit::Packets(50), "from the defaults");
    assert!(matches!(second.discipline, Discipline::CoDel(_)));
    assert_eq!((controller(plan), plan.routing.metric), ("cubic", Metric::Hops));
    assert_eq!(plan.duration, Duration::from_secs(2));
    assert_eq!((plan.seed, plan.run), (7, 0));
}

#[test]
fn two_values_are_for_the_two_directions() {
    let text = changed("\"10 Mbps\"", "[\"10 Mbps\", \"1 Mbps\"]");
    let plan = &read(&text).expect("it is valid").cases[0].plan;
    let rates = plan.links[0].directions.each_ref().map(|it| it.rate);
    assert_eq!(rates.map(Rate::bits_per_second), [10_000_000, 1_000_000]);
}

#[test]
fn what_a_thing_says_itself_goes_before_the_defaults() {
    let text =
        changed("rate = \"10 Mbps\"", "rate = \"10 Mbps\", queue = { kind = \"drop-tail\" }");
    let plan = &read(&text).expect("it is valid").cases[0].plan;
    assert!(matches!(plan.links[0].directions[0].discipline, Discipline::DropTail));
    assert!(matches!(plan.links[1].directions[0].discipline, Discipline::CoDel(_)));
}

#[test]
fn a_file_has_as_many_segments_as_its_size_needs() {
    for (size, expected) in [("1024 B", 1), ("1025 B", 2), ("1 MB", 977)] {
        let workload = format!("\"cubic\"\nworkload = {{ kind = \"file\", size = \"{size}\" }}");
        let study = read(&changed("\"cubic\"", &workload)).expect("it is valid");
        let workload = &study.cases[0].plan.consumers[0].settings.workload;
        assert!(
            matches!(workload, ConsumerWorkload::File { segments } if *segments == expected),
            "{size}"
        );
    }
}

/// A sum of fractions that should be 1 may miss it by its last digit.
#[test]
fn an_exponent_beside_one_is_one() {
    let law = |exponent: &str| {
        let workload = format!(
            "\"cubic\"\nworkload = {{ kind = \"catalogue\", objects = 1000000, exponent = {exponent} }}"
        );
        let study = read(&changed("\"cubic\"", &workload)).expect("it is valid");
        format!("{:?}", study.cases[0].plan.consumers[0].settings.workload)
    };
    assert_eq!(law("0.9999999999999999"), law("1.0"));
    assert_ne!(law("0.99"), law("1.0"));
}

const COMPARED: &str = r#"
[compare.controller]
ours = { "consumers.viewer.controller" = "ec-elastic" }
theirs = { "consumers.viewer.controller" = "bic" }
[compare.network]
slow = { "links.first.rate" = "1 Mbps", "links.second.rate" = "1 Mbps" }
as-it-is = {}
fast = { "links.first.rate" = "1 Gbps" }
"#;

#[test]
fn all_combinations_are_run_and_the_last_axis_turns_fastest() {
    let study = read(&with(COMPARED)).expect("it is valid");
    assert_eq!(study.axes, ["controller", "network"]);
    let expected = [
        ("ours slow", "ec-elastic", [1, 1]),
        ("ours as-it-is", "ec-elastic", [10, 5]),
        ("ours fast", "ec-elastic", [1000, 5]),
        ("theirs slow", "bic", [1, 1]),
        ("theirs as-it-is", "bic", [10, 5]),
        ("theirs fast", "bic", [1000, 5]),
    ];
    assert_eq!(names(&study), expected.map(|(names, ..)| names));
    for (case, (_, name, megabits)) in study.cases.iter().zip(expected) {
        assert_eq!(controller(&case.plan), name);
        assert_eq!([0, 1].map(|it| rate(&case.plan, it)), megabits.map(|it| it * 1_000_000));
    }
}

#[test]
fn every_case_is_run_as_often_as_stated() {
    let text = changed("seed = 7", "seed = 7\nruns = 5") + COMPARED;
    let study = read(&text).expect("it is valid");
    assert_eq!((study.runs, study.total_runs()), (5, 30));
    assert!((study.total_simulated_s() - 60.0).abs() < 1e-9);
}

/// Where two axes set the same value, the later one in the file wins.
#[test]
fn a_later_axis_sets_after_an_earlier_one() {
    let text = with(
        "[compare.first]\none = { \"links.first.rate\" = \"1 Mbps\" }\n\
         [compare.second]\ntwo = { \"links.first.rate\" = \"2 Mbps\" }\n",
    );
    let study = read(&text).expect("it is valid");
    assert_eq!(rate(&study.cases[0].plan, 0), 2_000_000);
}

#[test]
fn a_case_may_set_what_the_file_leaves_out() {
    let text = with("[compare.what]\none = { \"defaults.consumer.start\" = \"1 s\" }\ntwo = {}\n");
    let study = read(&text).expect("it is valid");
    let starts: Vec<Time> =
        study.cases.iter().map(|it| it.plan.consumers[0].settings.start).collect();
    assert_eq!(starts, [Time::ZERO + Duration::from_secs(1), Time::ZERO]);
}

/// A value of any type that a case may set.
#[test]
fn a_case_may_set_tables_and_arrays() {
    let text = with(
        "[compare.what]\none = { \"links.first.queue\" = { kind = \"pcon\" }, \
         \"links.first.rate\" = [\"1 Mbps\", \"2 Mbps\"], \"seed\" = 9 }\n",
    );
    let study = read(&text).expect("it is valid");
    let plan = &study.cases[0].plan;
    assert!(matches!(plan.links[0].directions[1].discipline, Discipline::Pcon(_)));
    assert_eq!(plan.links[0].directions[1].rate.bits_per_second(), 2_000_000);
    assert_eq!(plan.seed, 9);
}

#[test]
fn a_setting_replaces_what_the_file_says_and_stands_in_the_text_as_run() {
    let settings =
        [("links.first.rate", "50 Mbps"), ("seed", "3"), ("defaults.node.strategy", "pcon")];
    let study = set(VALID, &settings).expect("it is valid");
    assert_eq!((rate(&study.cases[0].plan, 0), study.seed), (50_000_000, 3));
    assert_eq!(study.cases[0].plan.nodes[0].strategy, "pcon");
    assert!(study.text.contains("\"50 Mbps\"") && study.text.contains("[defaults.node]"));
    assert!(study.text.contains("title = \"Two links\""), "what was not set stays");
    let again = read(&study.text).expect("the text as run is a scenario");
    assert_eq!(format!("{:?}", again.cases), format!("{:?}", study.cases));
    assert_eq!(again.text, study.text);
}

#[test]
fn of_two_settings_of_one_path_the_last_wins() {
    let study = set(VALID, &[("seed", "3"), ("seed", "4")]).expect("it is valid");
    assert_eq!(study.seed, 4);
}

#[test]
fn a_case_sets_after_the_settings() {
    let study = set(&with(COMPARED), &[("links.first.rate", "50 Mbps")]).expect("it is valid");
    let rates: Vec<u64> = study.cases.iter().map(|it| rate(&it.plan, 0) / 1_000_000).collect();
    assert_eq!(rates, [1, 50, 1000, 1, 50, 1000]);
}

#[test]
fn a_settings_value_may_be_written_as_text_or_as_toml() {
    for value in ["50 Mbps", "\"50 Mbps\"", "[\"50 Mbps\", \"50 Mbps\"]"] {
        let study = set(VALID, &[("links.first.rate", value)]).expect("it is valid");
        assert_eq!(rate(&study.cases[0].plan, 0), 50_000_000, "{value}");
    }
}

fn any_value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|it| it.to_string()),
        any::<f64>().prop_map(|it| format!("{it:?}").replace("NaN", "nan")),
        any::<bool>().prop_map(|it| it.to_string()),
        "\\PC{0,20}".prop_map(|it| format!("{it:?}")),
        Just("1979-05-27T07:32:00Z".to_owned()),
        Just("'''\n two\n lines'''".to_owned()),
        Just("\"\\u0000\\t\\n\\\"\"".to_owned()),
        Just("[1, [\"a\"], { b = 2 }]".to_owned()),
    ]
}

proptest! {
    /// What is set is either taken or refused, whatever it is.
    #[test]
    fn no_value_of_a_case_or_setting_makes_the_reader_panic(
        value in any_value(),
        path in prop::sample::select(vec![
            "title", "seed", "runs", "duration", "recording", "recording.interval", "recording.flows",
            "recording.flows.only", "links.first.rate", "links.first.queue",
            "links.first.loss", "nodes.a.content_store", "consumers.viewer.controller",
            "consumers.viewer.workload", "consumers.viewer.hop_limit", "routing.routes", "compare.x",
            "consumers.viewer.window.initial", "consumers.viewer.window", "defaults.consumer.recovery_margin",
        ]),
    ) {
        let _ = set(VALID, &[(path, &value)]);
        let _ = read(&with(&format!("[compare.what]\none = {{ \"{path}\" = {value} }}\n")));
    }
}
