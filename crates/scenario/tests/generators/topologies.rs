//! Each kind of topology, beside a file that writes its nodes and links.

use super::assert_same;

/// A topology named `n` with these keys, and a file with these nodes and links, both with one flow.
fn assert_drawn(keys: &str, from: &str, to: &str, nodes: &str, links: &[(&str, &str, &str)]) {
    let around = format!(
        "duration = \"1 s\"\n[defaults]\nlink = {{ rate = \"10 Mbps\", delay = \"1 ms\" }}\n\
         [flows.f]\nfrom = \"{from}\"\nto = \"{to}\"\ncontroller = \"cubic\"\n"
    );
    let nodes: String = nodes.split_whitespace().map(|it| format!("{it} = {{}}\n")).collect();
    let link = |(name, one, other): &(&str, &str, &str)| {
        format!("{name} = {{ nodes = [\"{one}\", \"{other}\"] }}\n")
    };
    let links: String = links.iter().map(link).collect();
    let written = format!("{around}[nodes]\n{nodes}[links]\n{links}");
    assert_same(&format!("{around}[topologies.n]\n{keys}"), &written);
}

#[test]
fn a_dumbbell_is_what_a_file_would_write() {
    assert_drawn(
        "kind = \"dumbbell\"\npairs = 2",
        "n-sender-1",
        "n-receiver-2",
        "n-left n-right n-sender-1 n-receiver-1 n-sender-2 n-receiver-2",
        &[
            ("n-bottleneck", "n-left", "n-right"),
            ("n-sender-1", "n-sender-1", "n-left"),
            ("n-receiver-1", "n-receiver-1", "n-right"),
            ("n-sender-2", "n-sender-2", "n-left"),
            ("n-receiver-2", "n-receiver-2", "n-right"),
        ],
    );
}

#[test]
fn a_star_is_what_a_file_would_write() {
    assert_drawn(
        "kind = \"star\"\nhosts = 2",
        "n-host-1",
        "n-host-2",
        "n-switch n-host-1 n-host-2",
        &[("n-host-1", "n-host-1", "n-switch"), ("n-host-2", "n-host-2", "n-switch")],
    );
}

#[test]
fn a_chain_is_what_a_file_would_write() {
    assert_drawn(
        "kind = \"chain\"\nnodes = 3",
        "n-node-1",
        "n-node-3",
        "n-node-1 n-node-2 n-node-3",
        &[("n-link-1", "n-node-1", "n-node-2"), ("n-link-2", "n-node-2", "n-node-3")],
    );
}

#[test]
fn a_parking_lot_is_what_a_file_would_write() {
    assert_drawn(
        "kind = \"parking-lot\"\nhops = 2",
        "n-sender",
        "n-receiver",
        "n-router-1 n-router-2 n-router-3 n-sender n-receiver n-sender-1 n-receiver-1 n-sender-2 \
         n-receiver-2",
        &[
            ("n-link-1", "n-router-1", "n-router-2"),
            ("n-link-2", "n-router-2", "n-router-3"),
            ("n-sender", "n-sender", "n-router-1"),
            ("n-receiver", "n-receiver", "n-router-3"),
            ("n-sender-1", "n-sender-1", "n-router-1"),
            ("n-receiver-1", "n-receiver-1", "n-router-2"),
            ("n-sender-2", "n-sender-2", "n-router-2"),
            ("n-receiver-2", "n-receiver-2", "n-router-3"),
        ],
    );
}

#[test]
fn a_tree_is_what_a_file_would_write() {
    assert_drawn(
        "kind = \"tree\"\ndepth = 2\nbranches = 2",
        "n-host-1",
        "n-host-4",
        "n-router-1 n-router-2 n-router-3 n-host-1 n-host-2 n-host-3 n-host-4",
        &[
            ("n-router-2", "n-router-2", "n-router-1"),
            ("n-router-3", "n-router-3", "n-router-1"),
            ("n-host-1", "n-host-1", "n-router-2"),
            ("n-host-2", "n-host-2", "n-router-2"),
            ("n-host-3", "n-host-3", "n-router-3"),
            ("n-host-4", "n-host-4", "n-router-3"),
        ],
    );
}

#[test]
fn leaves_and_spines_are_what_a_file_would_write() {
    assert_drawn(
        "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts_per_leaf = 1",
        "n-host-1",
        "n-host-2",
        "n-spine-1 n-spine-2 n-leaf-1 n-host-1 n-leaf-2 n-host-2",
        &[
            ("n-leaf-1-spine-1", "n-leaf-1", "n-spine-1"),
            ("n-leaf-1-spine-2", "n-leaf-1", "n-spine-2"),
            ("n-host-1", "n-host-1", "n-leaf-1"),
            ("n-leaf-2-spine-1", "n-leaf-2", "n-spine-1"),
            ("n-leaf-2-spine-2", "n-leaf-2", "n-spine-2"),
            ("n-host-2", "n-host-2", "n-leaf-2"),
        ],
    );
}

#[test]
fn a_fat_tree_of_two_ports_is_what_a_file_would_write() {
    assert_drawn(
        "kind = \"fat-tree\"\nports = 2",
        "n-host-1",
        "n-host-2",
        "n-core-1 n-aggregation-1 n-edge-1 n-host-1 n-aggregation-2 n-edge-2 n-host-2",
        &[
            ("n-aggregation-1-core-1", "n-aggregation-1", "n-core-1"),
            ("n-edge-1-aggregation-1", "n-edge-1", "n-aggregation-1"),
            ("n-host-1", "n-host-1", "n-edge-1"),
            ("n-aggregation-2-core-1", "n-aggregation-2", "n-core-1"),
            ("n-edge-2-aggregation-2", "n-edge-2", "n-aggregation-2"),
            ("n-host-2", "n-host-2", "n-edge-2"),
        ],
    );
}

#[test]
fn a_ring_is_what_a_file_would_write() {
    assert_drawn(
        "kind = \"ring\"\nnodes = 3",
        "n-node-1",
        "n-node-3",
        "n-node-1 n-node-2 n-node-3",
        &[
            ("n-link-1", "n-node-1", "n-node-2"),
            ("n-link-2", "n-node-2", "n-node-3"),
            ("n-link-3", "n-node-3", "n-node-1"),
        ],
    );
}

#[test]
fn a_grid_is_what_a_file_would_write() {
    assert_drawn(
        "kind = \"grid\"\nrows = 2\ncolumns = 2",
        "n-node-1-1",
        "n-node-2-2",
        "n-node-1-1 n-node-1-2 n-node-2-1 n-node-2-2",
        &[
            ("n-row-1-1", "n-node-1-1", "n-node-1-2"),
            ("n-column-1-1", "n-node-1-1", "n-node-2-1"),
            ("n-column-1-2", "n-node-1-2", "n-node-2-2"),
            ("n-row-2-1", "n-node-2-1", "n-node-2-2"),
        ],
    );
}

#[test]
fn the_first_nodes_of_a_growing_network_are_all_joined() {
    assert_drawn(
        "kind = \"barabasi-albert\"\nnodes = 3\nlinks_per_node = 2",
        "n-node-1",
        "n-node-3",
        "n-node-1 n-node-2 n-node-3",
        &[
            ("n-link-1-2", "n-node-1", "n-node-2"),
            ("n-link-1-3", "n-node-1", "n-node-3"),
            ("n-link-2-3", "n-node-2", "n-node-3"),
        ],
    );
}

#[test]
fn two_nodes_on_a_square_are_joined_at_last() {
    assert_drawn(
        "kind = \"waxman\"\nnodes = 2\nbeta = 1e-9",
        "n-node-1",
        "n-node-2",
        "n-node-1 n-node-2",
        &[("n-link-1-2", "n-node-1", "n-node-2")],
    );
}

const MIXED: &str = r#"duration = "1 s"
[defaults]
link = { rate = "1 Gbps", delay = "7 ms", queue = "fq-codel" }
[flows.f]
from = "d-sender-3"
to = "d-receiver-3"
controller = "bbr3"
"#;

#[test]
fn parts_have_keys_of_their_own_and_what_is_written_goes_first() {
    let made = r#"[topologies.d]
pairs = 3
round_trips = ["20 ms", "100 ms"]
link = { rate = "10 Mbps", delay = ["2 ms", "4 ms"] }
access = { rate = "1 Gbps", queue = "codel" }
node = { processing_time = "1 ms" }
host = { processing_time = "2 ms" }
[links.d-bottleneck]
changes = [{ at = "500 ms", rate = "1 Mbps" }]
[links.d-sender-3]
rate = "5 Mbps"
"#;
    let mut written = "[nodes]\n".to_owned();
    for it in ["left", "right"] {
        written += &format!("d-{it} = {{ processing_time = \"1 ms\" }}\n");
    }
    for it in ["sender-1", "receiver-1", "sender-2", "receiver-2", "sender-3", "receiver-3"] {
        written += &format!("d-{it} = {{ processing_time = \"2 ms\" }}\n");
    }
    written += "[links]\nd-bottleneck = { nodes = [\"d-left\", \"d-right\"], rate = \"10 Mbps\", \
                delay = [\"2 ms\", \"4 ms\"], changes = [{ at = \"500 ms\", rate = \"1 Mbps\" }] }\n";
    // (20 − 6) / 4 and (100 − 6) / 4; what the file writes itself comes first.
    let link = |host: &str, rate: &str, delay: &str| {
        let side = if host.starts_with('s') { "left" } else { "right" };
        format!(
            "d-{host} = {{ nodes = [\"d-{host}\", \"d-{side}\"], rate = \"{rate}\", \
             delay = \"{delay}\", queue = \"codel\" }}\n"
        )
    };
    written += &link("sender-3", "5 Mbps", "3.5 ms");
    written += &link("sender-1", "1 Gbps", "3.5 ms");
    written += &link("receiver-1", "1 Gbps", "3.5 ms");
    written += &link("sender-2", "1 Gbps", "23.5 ms");
    written += &link("receiver-2", "1 Gbps", "23.5 ms");
    written += &link("receiver-3", "1 Gbps", "3.5 ms");
    assert_same(&format!("{MIXED}{made}"), &format!("{MIXED}{written}"));
}
