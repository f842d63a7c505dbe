//! One table for many things, beside a file that writes all of them.

use super::{assert_same, read};

#[test]
fn a_count_is_what_a_file_would_write() {
    let made = r##"duration = "1 s"
[defaults.link]
rate = "10 Mbps"
[nodes]
hub = { content_store = { capacity = "10 packets" } }
host = { count = 3, in_turn = { processing_time = ["1 ms", "2 ms"] } }
[links]
wire = { count = 3, nodes = ["host-#", "hub"], in_turn = { delay = ["1 ms", "2 ms", "3 ms"] } }
[producers]
site = { count = 2, node = "host-1", prefix = "/site/#", response_delay = "1 ms" }
[consumers.viewer]
count = 2
node = "host-2"
prefix = "/site/#"
stagger = "100 ms"
start = "1 ms"
in_turn = { controller = ["cubic", { kind = "aimd" }] }
[flows.copy]
count = 2
from = "host-#"
to = "host-3"
path = ["wire-#", "wire-3"]
stagger = "250 ms"
controller = "bbr3"
"##;
    let written = r#"duration = "1 s"
[defaults.link]
rate = "10 Mbps"
[nodes]
hub = { content_store = { capacity = "10 packets" } }
host-1 = { processing_time = "1 ms" }
host-2 = { processing_time = "2 ms" }
host-3 = { processing_time = "1 ms" }
[links]
wire-1 = { nodes = ["host-1", "hub"], delay = "1 ms" }
wire-2 = { nodes = ["host-2", "hub"], delay = "2 ms" }
wire-3 = { nodes = ["host-3", "hub"], delay = "3 ms" }
[producers]
site-1 = { node = "host-1", prefix = "/site/1", response_delay = "1 ms" }
site-2 = { node = "host-1", prefix = "/site/2", response_delay = "1 ms" }
[consumers]
viewer-1 = { node = "host-2", prefix = "/site/1", start = "1 ms", controller = "cubic" }
viewer-2 = { node = "host-2", prefix = "/site/2", start = "101 ms", controller = "aimd" }
[flows.copy-1]
from = "host-1"
to = "host-3"
path = ["wire-1", "wire-3"]
controller = "bbr3"
[flows.copy-2]
from = "host-2"
to = "host-3"
path = ["wire-2", "wire-3"]
start = "250 ms"
controller = "bbr3"
"#;
    assert_same(made, written);
}

const STAR: &str = r#"duration = "10 s"
nodes = { hub = {}, a = {}, b1 = {}, b2 = {}, b3 = {} }
[defaults]
link = { rate = "10 Mbps", delay = "1 ms" }
flow = { start = "1 s", controller = "cubic" }
[links]
a = { nodes = ["a", "hub"] }
b1 = { nodes = ["b1", "hub"] }
b2 = { nodes = ["b2", "hub"] }
b3 = { nodes = ["b3", "hub"] }
"#;

/// A pattern of flows, and the ends that a file would write.
fn assert_pattern(keys: &str, ends: &[(&str, &str)]) {
    let flow = |(place, (from, to)): (usize, &(&str, &str))| {
        format!("[flows.f-{}]\nfrom = \"{from}\"\nto = \"{to}\"\n", place + 1)
    };
    let written: String = ends.iter().enumerate().map(flow).collect();
    assert_same(&format!("{STAR}[flows.f]\n{keys}\n"), &format!("{STAR}{written}"));
}

#[test]
fn patterns_are_what_a_file_would_write() {
    assert_pattern(
        "from = \"b*\"\nto = \"*\"\npattern = \"one-to-one\"",
        &[("b1", "hub"), ("b2", "a"), ("b3", "b1"), ("b1", "b2"), ("b2", "b3")],
    );
    assert_pattern(
        "from = \"*\"\nto = \"a\"\npattern = \"all-to-one\"",
        &[("hub", "a"), ("b1", "a"), ("b2", "a"), ("b3", "a")],
    );
    assert_pattern(
        "from = \"b*\"\nto = \"b*\"\npattern = { kind = \"matrix\" }",
        &[("b1", "b2"), ("b1", "b3"), ("b2", "b1"), ("b2", "b3"), ("b3", "b1"), ("b3", "b2")],
    );
    assert_pattern(
        "from = \"a\"\nto = \"b1\"\npattern = \"permutation\"\ncount = 2",
        &[("a", "b1"), ("a", "b1")],
    );
}

#[test]
fn a_stagger_counts_from_the_default_start() {
    let study = read(&format!(
        "{STAR}[flows.f]\nfrom = \"b*\"\nto = \"a\"\npattern = \"all-to-one\"\nstagger = \"300 us\"\n"
    ));
    let starts: Vec<u64> = study.cases[0].plan.flows.iter().map(|it| it.start.as_picos()).collect();
    let us = 1_000_000;
    assert_eq!(starts, [1_000_000 * us, 1_000_300 * us, 1_000_600 * us]);
}

#[test]
fn a_comparison_sets_what_stands_for_many() {
    let text = format!(
        "{STAR}[flows.f]\nfrom = \"b1\"\nto = \"a\"\ncount = 1\n\
         [compare.flows]\none = {{ \"flows.f.count\" = 1 }}\nfour = {{ \"flows.f.count\" = 4 }}\n"
    );
    let study = read(&text);
    let flows: Vec<usize> = study.cases.iter().map(|it| it.plan.flows.len()).collect();
    assert_eq!(flows, [1, 4]);
    let expanded = study.expanded().expect("it is valid");
    assert!(expanded.starts_with("# Without the comparison"), "{expanded}");
    assert_eq!(read(&expanded).cases[0].plan.flows.len(), 1);
}

#[test]
fn a_comparison_of_what_all_have_stays() {
    let text = format!(
        "{STAR}[flows.f]\nfrom = \"b1\"\nto = \"a\"\ncount = 2\n\
         [compare.queue]\nshort = {{ \"defaults.link.queue\" = \"codel\" }}\n\
         long = {{ \"defaults.link.queue\" = \"drop-tail\" }}\n"
    );
    assert_same(&text, &text);
}

#[test]
fn what_is_written_of_one_of_many_goes_first() {
    let made = format!(
        "{STAR}[flows.f]\ncount = 2\nfrom = \"b#\"\nto = \"a\"\n[flows.f-2]\ncontroller = \"bbr3\"\n"
    );
    let written = format!(
        "{STAR}[flows.f-1]\nfrom = \"b1\"\nto = \"a\"\n[flows.f-2]\nfrom = \"b2\"\nto = \"a\"\n\
         controller = \"bbr3\"\n"
    );
    assert_same(&made, &written);
}

#[test]
fn a_fat_tree_of_128_hosts_with_a_permutation_takes_fifteen_lines() {
    let text = r#"title = "A permutation in a fat tree"
duration = "20 ms"
[topologies.tree]
kind = "fat-tree"
ports = 8
[topologies.tree.link]
rate = "1 Gbps"
delay = "5 us"
queue = { kind = "red", action = "mark", minimum_threshold = "20 packets" }
[flows.shuffle]
from = "tree-host-*"
to = "tree-host-*"
pattern = "permutation"
controller = "dctcp"
"#;
    assert!(text.lines().count() <= 15);
    let plan = &read(text).cases[0].plan;
    assert_eq!((plan.nodes.len(), plan.links.len(), plan.flows.len()), (128 + 80, 384, 128));
}

#[test]
fn twenty_mixed_flows_on_a_dumbbell_take_twenty_lines() {
    let text = r#"title = "Twenty flows of four kinds with five round trips"
duration = "10 s"
[topologies.d]
kind = "dumbbell"
pairs = 20
round_trips = ["20 ms", "40 ms", "60 ms", "80 ms", "100 ms"]
link = { rate = "100 Mbps", delay = "5 ms" }
access = { rate = "1 Gbps" }
[flows.mix]
from = "d-sender-*"
to = "d-receiver-*"
pattern = "one-to-one"
stagger = "100 ms"
in_turn = { controller = ["cubic", "reno", "bbr3", "vegas"] }
"#;
    assert!(text.lines().count() <= 20);
    let plan = &read(text).cases[0].plan;
    assert_eq!((plan.nodes.len(), plan.links.len(), plan.flows.len()), (42, 41, 20));
}
