//! Numbers of nodes and links, by their closed forms.

use super::{is_connected, network, read};

/// How many nodes and links a topology of these keys has; it is connected.
fn size(keys: &str, ends: [&str; 2]) -> (usize, usize) {
    let [from, to] = ends;
    let study = read(&format!(
        "duration = \"1 s\"\n[topologies.n]\n{keys}\n\
         link = {{ rate = \"10 Mbps\", delay = \"1 ms\" }}\n\
         [flows.f]\nfrom = \"n-{from}\"\nto = \"n-{to}\"\ncontroller = \"cubic\"\n"
    ));
    let (nodes, links) = network(&study);
    assert!(is_connected(nodes.len(), &links));
    (nodes.len(), links.len())
}

#[test]
fn a_fat_tree_of_k_ports_has_k3_4_hosts_5k2_4_switches_and_3k3_4_links() {
    for k in [2, 4, 6, 8] {
        let found = size(&format!("kind = \"fat-tree\"\nports = {k}"), ["host-1", "host-2"]);
        assert_eq!(found, (k * k * k / 4 + 5 * k * k / 4, 3 * k * k * k / 4));
    }
}

#[test]
fn a_switch_of_a_fat_tree_has_as_many_links_as_ports() {
    let study = read(
        "duration = \"1 s\"\n[topologies.n]\nkind = \"fat-tree\"\nports = 6\n\
         link = { rate = \"10 Mbps\", delay = \"1 ms\" }\n\
         [flows.f]\nfrom = \"n-host-1\"\nto = \"n-host-54\"\ncontroller = \"cubic\"\n",
    );
    let (nodes, links) = network(&study);
    for (place, name) in nodes.iter().enumerate() {
        let degree = links.iter().filter(|it| it.contains(&place)).count();
        assert_eq!(degree, if name.contains("host") { 1 } else { 6 }, "{name}");
    }
}

#[test]
fn regular_networks_have_the_sizes_of_their_closed_forms() {
    let n = ["node-1", "node-2"];
    let h = ["host-1", "host-2"];
    assert_eq!(size("kind = \"dumbbell\"\npairs = 7", ["sender-7", "receiver-1"]), (16, 15));
    assert_eq!(size("kind = \"star\"\nhosts = 9", h), (10, 9));
    assert_eq!(size("kind = \"chain\"\nnodes = 9", n), (9, 8));
    assert_eq!(size("kind = \"ring\"\nnodes = 9", n), (9, 9));
    assert_eq!(size("kind = \"parking-lot\"\nhops = 5", ["sender", "receiver"]), (6 + 12, 5 + 12));
    // (3⁵ − 1) / 2 nodes.
    assert_eq!(size("kind = \"tree\"\ndepth = 4\nbranches = 3", h), (121, 120));
    assert_eq!(
        size("kind = \"leaf-spine\"\nleaves = 4\nspines = 3\nhosts_per_leaf = 5", h),
        (4 + 3 + 20, 12 + 20)
    );
    // r·(c − 1) + c·(r − 1) links.
    assert_eq!(
        size("kind = \"grid\"\nrows = 4\ncolumns = 5", ["node-1-1", "node-4-5"]),
        (20, 16 + 15)
    );
}
