//! Laws of what is drawn at random.

use std::collections::HashSet;

use proptest::prelude::*;
use windtunnel_scenario::Study;

use super::{is_connected, network, read};

fn drawn(keys: &str) -> Study {
    read(&format!(
        "duration = \"1 s\"\n[topologies.n]\n{keys}\n\
         link = {{ rate = \"10 Mbps\", delay = \"1 ms\" }}\n\
         [flows.f]\nfrom = \"n-node-1\"\nto = \"n-node-2\"\ncontroller = \"cubic\"\n"
    ))
}

/// No two links join the same nodes.
fn are_simple(links: &[[usize; 2]]) -> bool {
    let ends: HashSet<[usize; 2]> =
        links.iter().map(|[one, other]| [*one.min(other), *one.max(other)]).collect();
    ends.len() == links.len()
}

fn degrees(nodes: usize, links: &[[usize; 2]]) -> Vec<usize> {
    (0..nodes).map(|node| links.iter().filter(|it| it.contains(&node)).count()).collect()
}

/// The flows of a file, each as the names of its ends.
fn flows(study: &Study) -> Vec<[String; 2]> {
    let plan = &study.cases[0].plan;
    plan.flows.iter().map(|it| [it.from, it.to].map(|at| plan.nodes[at].name.clone())).collect()
}

fn pattern(hosts: u32, pattern: &str) -> Vec<[String; 2]> {
    flows(&read(&format!(
        "duration = \"1 s\"\n[topologies.s]\nkind = \"star\"\nhosts = {hosts}\n\
         link = {{ rate = \"10 Mbps\", delay = \"1 ms\" }}\n[flows.f]\nfrom = \"s-host-*\"\n\
         to = \"s-host-*\"\ncontroller = \"cubic\"\npattern = {pattern}\n"
    )))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_new_node_of_a_growing_network_brings_its_links(
        nodes in 6_usize..120, each in 1_usize..5, seed in 0_u64..1000,
    ) {
        let keys = format!("kind = \"barabasi-albert\"\nnodes = {nodes}\nlinks_per_node = {each}\nseed = {seed}");
        let study = drawn(&keys);
        let (names, links) = network(&study);
        prop_assert_eq!(names.len(), nodes);
        prop_assert_eq!(links.len(), each * (each + 1) / 2 + (nodes - each - 1) * each);
        prop_assert!(are_simple(&links) && is_connected(nodes, &links));
        prop_assert!(degrees(nodes, &links).iter().all(|it| *it >= each));
    }

    #[test]
    fn a_network_on_a_square_is_simple_and_connected(
        nodes in 2_usize..80, beta in 0.01_f64..1.0, alpha in 0.05_f64..1.0, seed in 0_u64..1000,
    ) {
        let keys = format!("kind = \"waxman\"\nnodes = {nodes}\nalpha = {alpha}\nbeta = {beta}\nseed = {seed}");
        let study = drawn(&keys);
        let (names, links) = network(&study);
        prop_assert_eq!(names.len(), nodes);
        prop_assert!(are_simple(&links) && is_connected(nodes, &links));
    }

    #[test]
    fn in_a_permutation_each_sends_once_receives_once_and_never_to_itself(
        hosts in 2_u32..60, seed in 0_u64..1000,
    ) {
        let flows = pattern(hosts, &format!("{{ kind = \"permutation\", seed = {seed} }}"));
        let sides: [HashSet<&String>; 2] = [0, 1].map(|it| flows.iter().map(|ends| &ends[it]).collect());
        prop_assert!(sides.iter().all(|it| it.len() == hosts as usize));
        prop_assert!(flows.len() == hosts as usize && flows.iter().all(|[from, to]| from != to));
    }

    #[test]
    fn random_pairs_are_as_many_as_asked_for_and_never_one_node(
        hosts in 2_u32..40, pairs in 1_usize..100, seed in 0_u64..1000,
    ) {
        let flows = pattern(hosts, &format!("{{ kind = \"random-pairs\", pairs = {pairs}, seed = {seed} }}"));
        prop_assert!(flows.len() == pairs && flows.iter().all(|[from, to]| from != to));
    }
}

#[test]
fn all_pairs_are_joined_where_distance_does_not_matter() {
    // exp(−d/(α·L)) is at least exp(−1) with α = 1: at β = 1, about 60 % of 1225 pairs.
    let study = drawn("kind = \"waxman\"\nnodes = 50\nalpha = 1.0\nbeta = 1.0");
    let links = network(&study).1.len();
    assert!((451..=1225).contains(&links), "{links}");
}

#[test]
fn twice_the_probability_gives_twice_the_links() {
    let links = |beta: f64| -> f64 {
        let all = (1..=20).map(|seed| {
            let keys =
                format!("kind = \"waxman\"\nnodes = 80\nalpha = 0.3\nbeta = {beta}\nseed = {seed}");
            network(&drawn(&keys)).1.len()
        });
        all.sum::<usize>() as f64
    };
    // About 11,000 and 22,000 links: a standard error of about 1 % each.
    let ratio = links(0.8) / links(0.4);
    assert!((ratio - 2.0).abs() < 0.1, "{ratio}");
}

#[test]
fn a_seed_decides_what_is_drawn_and_nothing_else_does() {
    let links = |keys: &str| network(&drawn(keys)).1;
    for kind in ["waxman", "barabasi-albert"] {
        let of = |seed: u32| format!("kind = \"{kind}\"\nnodes = 40\nseed = {seed}");
        assert_eq!(links(&of(1)), links(&of(1)));
        assert_eq!(links(&of(1)), links(&format!("kind = \"{kind}\"\nnodes = 40")));
        assert_ne!(links(&of(1)), links(&of(2)));
    }
    let permuted = |seed: u32| pattern(20, &format!("{{ kind = \"permutation\", seed = {seed} }}"));
    assert_eq!(permuted(1), pattern(20, "\"permutation\""));
    assert_ne!(permuted(1), permuted(2));
}

#[test]
fn a_growing_network_has_hubs_and_one_on_a_square_has_none() {
    let most = |keys: &str| {
        let study = drawn(keys);
        let (nodes, links) = network(&study);
        let mean = 2.0 * links.len() as f64 / nodes.len() as f64;
        *degrees(nodes.len(), &links).iter().max().expect("there are nodes") as f64 / mean
    };
    // The greatest degree grows as the square root of the number of nodes (Barabási and Albert).
    assert!(most("kind = \"barabasi-albert\"\nnodes = 900\nlinks_per_node = 2") > 5.0);
    assert!(most("kind = \"waxman\"\nnodes = 300\nbeta = 0.2\nalpha = 0.2") < 5.0);
}
