//! Where nothing is random, the seed decides nothing.

use crate::common::{read, set};
use arrow_array::RecordBatch;
use proptest::prelude::*;
use windtunnel_lab::{Batch, Study, advice, tables, without_randomness};

/// Two flows and a consumer over one link, of which a test sets keys.
fn scenario(link: &str, queue: &str, flow: &str, consumer: &str, strategy: &str) -> String {
    format!(
        r#"
        duration = "1 s"
        [nodes.a]
        [nodes.b]
        strategy = "{strategy}"
        [nodes.c]
        [links.first]
        nodes = ["a", "b"]
        rate = "4 Mbps"
        delay = "5 ms"
        queue = {{ kind = "{queue}", limit = "20 packets" }}
        {link}
        [links.second]
        nodes = ["b", "c"]
        rate = "8 Mbps"
        delay = "5 ms"
        [flows.f]
        from = "a"
        to = "c"
        {flow}
        [flows.g]
        from = "a"
        to = "c"
        controller = "cubic"
        [producers.p]
        node = "a"
        prefix = "/p"
        [consumers.v]
        node = "c"
        prefix = "/p"
        controller = "cubic"
        {consumer}
        "#
    )
}

fn plain() -> String {
    scenario("", "drop-tail", r#"controller = "reno""#, "", "best-route")
}

fn study(text: &str) -> Study {
    read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn results(text: &str, seed: &str) -> Vec<(&'static str, RecordBatch)> {
    let study = set(text, &[("seed", seed)]).expect("only the seed is another one");
    let (study, outcome) = Batch::start(study, 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    tables::all(&study, &outcome.runs)
}

const LINKS: [&str; 4] = [
    "",
    r#"loss = { kind = "listed", packets = [3, 20, 21] }"#,
    r#"loss = { probability = "2 %" }"#,
    r#"jitter = { kind = "uniform", most = "3 ms" }"#,
];

const FLOWS: [&str; 8] = [
    r#"controller = "bbr3""#,
    r#"controller = "copa""#,
    "controller = \"reno\"\nstart_within = \"100 ms\"",
    "controller = \"reno\"\nworkload = { kind = \"request-response\", request = \"100 B\", response = \"20 kB\", think = \"10 ms\" }",
    "controller = \"reno\"\nworkload = { kind = \"arrivals\", sizes = \"web-search\", load = \"50 %\" }",
    "controller = \"reno\"\nworkload = { kind = \"on-off\", on = \"100 ms\", off = \"100 ms\" }",
    "protocol = \"udp\"\nrate = \"2 Mbps\"",
    "protocol = \"udp\"\nworkload = { kind = \"frames\", rate = \"1 Mbps\", duration = \"1 s\" }",
];

const CONSUMERS: [&str; 3] =
    ["", r#"workload = { kind = "file", size = "50 kB" }"#, r#"start_within = "50 ms""#];

const QUEUES: [&str; 8] =
    ["drop-tail", "codel", "pcon", "ec-elastic", "red", "pie", "fq-codel", "dualpi2"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn what_is_said_not_to_be_random_is_the_same_for_every_seed(
        link in prop::sample::select(&LINKS[..]),
        queue in prop::sample::select(&QUEUES[..]),
        flow in prop::sample::select(&FLOWS[..]),
        consumer in prop::sample::select(&CONSUMERS[..]),
        strategy in prop::sample::select(vec!["best-route", "multicast", "pcon"]),
        seed in 1..1_000_u32,
    ) {
        let text = scenario(link, queue, flow, consumer, strategy);
        if without_randomness(&study(&text)) == [0] {
            prop_assert!(results(&text, &seed.to_string()) == results(&text, "7"), "{}", text);
        }
    }
}

#[test]
fn each_source_of_randomness_is_found() {
    assert_eq!(without_randomness(&study(&plain())), [0]);
    let with = |link: &str, queue: &str, flow: &str| scenario(link, queue, flow, "", "best-route");
    let reno = r#"controller = "reno""#;
    for (text, is_random) in [
        (with(LINKS[1], "drop-tail", reno), false),
        (with(LINKS[2], "drop-tail", reno), true),
        (with(LINKS[3], "drop-tail", reno), true),
        (with("", "red", reno), true),
        (with("", "codel", reno), false),
        (with("", "drop-tail", FLOWS[2]), true),
        (with("", "drop-tail", FLOWS[3]), false),
        (with("", "drop-tail", FLOWS[4]), true),
        (with("", "drop-tail", FLOWS[6]), false),
        (scenario("", "drop-tail", reno, CONSUMERS[2], "best-route"), true),
    ] {
        assert_eq!(without_randomness(&study(&text)).is_empty(), is_random, "{text}");
        // And it is: another seed gives other results.
        assert_eq!(results(&text, "1") != results(&text, "2"), is_random, "{text}");
    }
}

#[test]
fn several_runs_of_what_is_not_random_are_worth_advice() {
    let told = |text: &str| advice(&study(text)).join("\n");
    assert_eq!(told(&plain()), "");
    let five = format!("runs = 5\n{}", plain());
    assert!(told(&five).contains("nothing is random, and so the 5 runs are the same"), "{five}");
    let lossy = five.replace(
        "delay = \"5 ms\"\n        [flows",
        "delay = \"5 ms\"\n        loss = \"1 %\"\n        [flows",
    );
    assert_eq!(told(&lossy), "");
    let compared =
        format!("{five}\n[compare.loss]\nno = {{}}\nyes = {{ \"links.first.loss\" = \"1 %\" }}\n");
    assert!(
        told(&compared).contains("the 5 runs of the case no are the same"),
        "{}",
        told(&compared)
    );
}
