//! Patterns of flows over networks whose parts no links join.

use std::collections::HashMap;

use super::{read, read_with};

const PARTS: &str = "duration = \"1 s\"\nnodes = { a = {}, b = {}, c = {}, d = {}, e = {}, alone = {} }\n\
    [defaults]\nlink = { rate = \"10 Mbps\", delay = \"1 ms\" }\n[links]\n\
    x = { nodes = [\"a\", \"b\"] }\ny = { nodes = [\"b\", \"c\"] }\nz = { nodes = [\"d\", \"e\"] }\n\
    [flows.f]\ncontroller = \"cubic\"\n";

#[test]
fn random_pairs_are_drawn_among_joined_nodes_all_as_likely() {
    let pairs = 8000;
    let pattern = format!("pattern = {{ kind = \"random-pairs\", pairs = {pairs} }}");
    let study = read(&format!("{PARTS}from = \"*\"\nto = \"*\"\n{pattern}"));
    let mut drawn: HashMap<(usize, usize), f64> = HashMap::new();
    for flow in &study.cases[0].plan.flows {
        *drawn.entry((flow.from, flow.to)).or_default() += 1.0;
    }
    // Six among a, b and c, two between d and e.
    assert_eq!(drawn.len(), 8);
    let expected = f64::from(pairs) / 8.0;
    let deviation = (expected * (1.0 - 1.0 / 8.0)).sqrt();
    assert!(drawn.values().all(|it| (it - expected).abs() < 5.0 * deviation), "{drawn:?}");
}

#[test]
fn a_node_apart_does_not_change_the_pairs_among_the_others() {
    let flows = |nodes: &str| {
        let text = format!(
            "duration = \"1 s\"\nnodes = {nodes}\n[defaults]\n\
             link = {{ rate = \"10 Mbps\", delay = \"1 ms\" }}\n[links]\n\
             x = {{ nodes = [\"a\", \"b\"] }}\ny = {{ nodes = [\"b\", \"c\"] }}\n[flows.f]\n\
             controller = \"cubic\"\nfrom = \"*\"\nto = \"*\"\n\
             pattern = {{ kind = \"random-pairs\", pairs = 30 }}"
        );
        read(&text).cases[0].plan.flows.iter().map(|it| (it.from, it.to)).collect::<Vec<_>>()
    };
    assert_eq!(
        flows("{ a = {}, b = {}, c = {} }"),
        flows("{ a = {}, b = {}, c = {}, island = {} }")
    );
}

#[test]
fn patterns_say_which_nodes_are_apart() {
    let refused =
        |keys: &str| read_with(&format!("{PARTS}{keys}"), &[]).expect_err(keys).to_string();
    let pattern = "pattern = { kind = \"random-pairs\", pairs = 3 }";
    let error = refused(&format!("from = \"a*\"\nto = \"d\"\n{pattern}"));
    assert!(error.contains("no links join any two of the nodes `a`, `alone`, `d`"), "{error}");
    let error = refused("from = \"*\"\nto = \"*\"\npattern = \"matrix\"");
    let says = "flow `f-3` has no path from node `a` to `d`: no links join `d`, `e` to other nodes";
    assert!(error.contains(says), "{error}");
    let error = refused("from = \"*\"\nto = \"alone\"\npattern = \"all-to-one\"");
    assert!(error.contains("no links join `alone` to other nodes"), "{error}");
}

#[test]
fn nodes_that_use_satellites_are_not_apart() {
    let text = "duration = \"1 s\"\n\
        nodes = { a = { place = \"London\" }, b = { place = \"Paris\" } }\n\
        [constellations.s]\npreset = \"starlink-s1\"\n\
        inter_satellite_links = { rate = \"1 Gbps\" }\n\
        ground_links = { rate = \"1 Gbps\" }\n\
        [flows.f]\ncontroller = \"cubic\"\nfrom = \"*\"\nto = \"*\"\n\
        pattern = { kind = \"random-pairs\", pairs = 3 }\n";
    assert_eq!(read(text).cases[0].plan.flows.len(), 3);
}
