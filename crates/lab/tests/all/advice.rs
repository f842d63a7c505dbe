//! What `check` says of scenarios that are probably not meant as they are written.

use crate::common::{Ran, read, with_changes};
use windtunnel_lab::{Study, advice, packet_hops};
use windtunnel_world::Topology;

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
            "flow `data` responds to congestion marks, but no queue",
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
        assert!(
            dctcp(in_vain)[0].starts_with("flow `data` responds to congestion marks"),
            "{in_vain}"
        );
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

/// Two ways between systems of one node each: over b at 10 Mbps, and over d and e.
const CARRIED: &str = r#"
duration = "10 s"
nodes = { a = {}, b = {}, c = {}, d = {}, e = {} }
defaults.link = { rate = "100 Mbps", delay = "5 ms" }
[links]
ab = { nodes = ["a", "b"] }
bc = { nodes = ["b", "c"], rate = "10 Mbps" }
ad = { nodes = ["a", "d"] }
de = { nodes = ["d", "e"] }
ec = { nodes = ["e", "c"] }
[autonomous_systems]
one = { isd_as = "1-1", nodes = ["a"], core = true }
two = { isd_as = "1-2", nodes = ["b"], core = true }
three = { isd_as = "1-3", nodes = ["c"], core = true }
four = { isd_as = "1-4", nodes = ["d"], core = true }
five = { isd_as = "1-5", nodes = ["e"], core = true }
[flows.data]
from = "a"
to = "c"
controller = "cubic"
"#;

/// Also of flows whose packets other layers than IP carry, from nodes with several links.
#[test]
fn the_packet_hops_of_carried_flows_are_known_beforehand() {
    let told = packet_hops(&read(CARRIED).expect("it is valid"));
    // At the most: the other way carries ten times as much through three links.
    let link = 10.0 * 100e6 / (8.0 * 1500.0) * 1.5;
    assert!((1.0..1.1).contains(&(told / (1.1 * link))), "{told}, {link} a link");
    let wider = with_changes(CARRIED, &[(", rate = \"10 Mbps\"", "")]);
    let told = packet_hops(&read(&wider).expect("it is valid"));
    let sent = Ran::new(&wider).sum("links", "delivered") as f64;
    assert!((0.95..1.2).contains(&(told / sent)), "{sent} packet-hops, {told} told");
}

const SKY: &str = r#"
duration = "600 s"
nodes = { a = { place = ["40°", "LONGITUDE°"] }, b = { place = ["41°", "LONGITUDE°"] } }
[constellations.c]
planes = 3
satellites_per_plane = 8
altitude = "1200 km"
inclination = "53°"
inter_satellite_links = { rate = "100 Mbps" }
ground_links = { rate = "1 Mbps" }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
"#;

#[test]
fn packet_hops_are_told_of_flows_whose_satellites_are_not_in_view_at_the_start() {
    let studies =
        (0..36).filter_map(|it| read(&SKY.replace("LONGITUDE", &(10 * it).to_string())).ok());
    let is_parted = |study: &Study| {
        let plan = &study.cases[0].plan;
        Topology::new(plan).path(0, 1).is_none()
    };
    let told: Vec<f64> = studies.filter(is_parted).map(|it| packet_hops(&it)).collect();
    assert!(!told.is_empty() && told.iter().all(|it| *it > 10_000.0), "{told:?}");
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
