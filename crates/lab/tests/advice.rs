//! What `check` says of scenarios that are probably not meant as they are written.

mod common;

use common::{Ran, read, with_changes};
use windtunnel_lab::{advice, packet_hops};

const SCENARIO: &str = r#"
duration = "10 s"
nodes = { a = {}, b = {}, c = {} }
[links]
first = { nodes = ["a", "b"], rate = "100 Mbps", delay = "5 ms" }
second = { nodes = ["b", "c"], rate = "10 Mbps", delay = "5 ms", queue = { kind = "drop-tail", limit = "100 packets" } }
[flows.data]
from = "a"
to = "c"
controller = "cubic"
"#;

fn told(changes: &[(&str, &str)]) -> Vec<String> {
    advice(&read(&with_changes(SCENARIO, changes)).unwrap_or_else(|it| panic!("{it}")))
}

#[test]
fn a_usual_scenario_needs_no_advice() {
    assert_eq!(told(&[]), [""; 0]);
}

#[test]
fn each_that_is_probably_not_meant_is_told() {
    let controller = "controller = \"cubic\"";
    let more = |it: &str| format!("{controller}\n{it}");
    for (old, new, expected) in [
        (
            controller,
            more("start = \"12 s\""),
            "flow `data` starts at 12 s, and the run ends at 10 s",
        ),
        ("c = {}", "c = {}, d = {}".to_owned(), "node `d` has no link"),
        (
            controller,
            "protocol = \"udp\"\nrate = \"30 Mbps\"".to_owned(),
            "flows offer link `second` from `b` 306 % of",
        ),
        (
            controller,
            more("workload = { kind = \"file\", size = \"1 GB\" }"),
            "flow `data` cannot finish: its file takes 8",
        ),
        (
            controller,
            "controller = \"dctcp\"".to_owned(),
            "flow `data` answers congestion marks, and no queue",
        ),
    ] {
        let told = told(&[(old, &new)]);
        assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}, not {expected}");
    }
}

/// What nearly fits is not mentioned.
#[test]
fn what_just_fits_needs_no_advice() {
    let controller = "controller = \"cubic\"";
    let file = format!("{controller}\nworkload = {{ kind = \"file\", size = \"11 MB\" }}");
    let udp = "protocol = \"udp\"\nrate = \"9.6 Mbps\"";
    assert_eq!(told(&[(controller, &file)]), [""; 0]);
    assert_eq!(told(&[(controller, udp)]), [""; 0]);
    let marks = "\"red\", action = \"mark\"";
    let dctcp = |queue| told(&[(controller, "controller = \"dctcp\""), ("\"drop-tail\"", queue)]);
    assert_eq!(dctcp(marks), [""; 0]);
    for in_vain in ["\"red\"", "\"drr\"", "\"strict-priority\""] {
        assert!(dctcp(in_vain)[0].starts_with("flow `data` answers congestion marks"), "{in_vain}");
    }
}

/// A flow that fills its path takes about as many packet-hops as are told: some more
/// acknowledgements after losses, and a slow start.
#[test]
fn the_packet_hops_of_full_links_are_known_beforehand() {
    let text = with_changes(SCENARIO, &[]);
    let told = packet_hops(&read(&text).expect("it is valid"));
    let links = Ran::new(&text);
    let sent = links.sum("links", "delivered") as f64;
    assert!((0.95..1.2).contains(&(told / sent)), "{sent} packet-hops, {told} told");
}

/// A file is sent once, however long the run is.
#[test]
fn the_packet_hops_of_a_file_do_not_grow_with_the_run() {
    let file = "controller = \"cubic\"\nworkload = { kind = \"file\", size = \"1448 kB\" }";
    let text = with_changes(SCENARIO, &[("controller = \"cubic\"", file)]);
    // A thousand segments over two links, and half as many acknowledgements.
    let told = packet_hops(&read(&text).expect("it is valid"));
    assert!((told - 3000.0).abs() < 1.0, "{told}");
}
