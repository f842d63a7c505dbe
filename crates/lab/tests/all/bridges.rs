//! Bridges in scenario files: what they become, what their table says, and what is
//! refused. `¶` marks the place that a message must name.

use crate::common;
use arrow_array::RecordBatch;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use windtunnel_engine::{Duration, Rate};
use windtunnel_lab::{Batch, ScenarioError, Study, tables};
use windtunnel_links::Victims;
use windtunnel_networks::bridge::{
    Clones, Duplicates, EdgeMarks, Keep, Order, Probes, Resend, Unmatched,
};
use windtunnel_packets::bridge::{EdgeAddresses, EdgeMessage};
use windtunnel_packets::ip::Addresses;
use windtunnel_world::BridgePlan;

const VALID: &str = r#"duration = "2 s"
nodes = { a = {}, "edge-a" = {}, core = {}, "edge-b" = {}, b = {} }
[defaults.link]
rate = "50 Mbps"
delay = "1 ms"
[links]
first = { nodes = ["a", "edge-a"] }
second = { nodes = ["edge-a", "core"], delay = "5 ms", loss = { probability = "5 %", of = "selected" } }
third = { nodes = ["core", "edge-b"], rate = "20 Mbps" }
fourth = { nodes = ["edge-b", "b"] }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
[bridges.dci]
from = "edge-a"
to = "edge-b"
buffer = "30 kB"
"#;

fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read("scenario.toml", text, &[])
}

fn changed(old: &str, new: &str) -> String {
    assert_eq!(VALID.matches(old).count(), 1, "{old} stands there once");
    VALID.replacen(old, new, 1)
}

#[track_caller]
fn bridge(text: &str) -> BridgePlan {
    read(text).expect("the scenario is right").cases[0].plan.bridges[0].clone()
}

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    common::assert_contains(&common::refused(marked, read), expected);
}

fn table(text: &str, name: &str) -> RecordBatch {
    common::table(read(text).expect("the scenario is right"), name)
}

fn count(table: &RecordBatch, column: &str) -> u64 {
    table[column].as_primitive::<UInt64Type>().value(0)
}

#[test]
fn what_is_left_out_is_as_in_the_paper() {
    let bridge = bridge(VALID);
    let source = bridge.source;
    assert_eq!((source.selected, source.buffer), (0.1, 30_000));
    assert_eq!((source.clones, source.resend), (Clones::Selected, Resend::Unchanged));
    assert_eq!((source.keep, source.unmatched), (Keep::Stalled, Unmatched::Ignore));
    assert_eq!((source.duplicates, source.probes), (Duplicates::Pass, None));
    assert_eq!(bridge.destination.marks, EdgeMarks::Pass);
    assert_eq!(bridge.destination.order, Order::AsTheyCome);
}

#[test]
fn every_key_of_a_bridge_is_read() {
    let all = r#"buffer = "2 MB"
selected = "25 %"
clones = "others"
keep = "low-priority"
resend = "capable"
unmatched = "resend-all"
duplicates = "suppress"
marks = "clear"
order = { kind = "in-order", patience = "20 ms" }
probes = { rate = "4 Mbps", burst = "3 kB", extra = "50 %" }"#;
    let bridge = bridge(&changed("buffer = \"30 kB\"", all));
    let source = bridge.source;
    assert_eq!((source.selected, source.buffer), (0.25, 2_000_000));
    assert_eq!((source.clones, source.resend), (Clones::Others, Resend::Capable));
    assert_eq!((source.keep, source.unmatched), (Keep::LowPriority, Unmatched::ResendAll));
    // Twice from the source edge to the receiver, 5 ms and 1 ms and 1 ms, and back.
    let round_trip = Duration::from_millis(28);
    assert_eq!(source.duplicates, Duplicates::Suppress { round_trip });
    let rate = Rate::from_bits_per_second(4_000_000).expect("more than nothing");
    assert_eq!(source.probes, Some(Probes { rate, burst: 3000, extra: 0.5 }));
    assert_eq!(bridge.destination.marks, EdgeMarks::Clear);
    let patience = Duration::from_millis(20);
    assert_eq!(bridge.destination.order, Order::InOrder { patience, buffer: 2_000_000 });
}

#[test]
fn loss_of_the_selected_strikes_what_is_not_ecn_capable() {
    let plan = &read(VALID).expect("the scenario is right").cases[0].plan;
    let victims = |link: usize| plan.links[link].directions[0].victims.clone();
    assert_eq!([victims(0), victims(1)], [Victims::All, Victims::NotCapable]);
}

#[test]
fn the_table_says_what_the_edges_did() {
    let table = table(VALID, "bridges");
    assert_eq!(table.num_rows(), 1);
    assert_eq!(table["bridge"].as_string::<i32>().value(0), "dci");
    let it = |column| count(&table, column);
    assert!(it("forwarded") > 1000 && it("selected") > 100);
    assert_eq!(it("cloned"), it("selected"));
    assert!(it("resent") > 0 && it("resent_bytes") > 60 * it("resent"));
    assert_eq!(
        it("cloned"),
        it("acknowledged") + it("resent") + it("expired") + it("buffered_packets")
    );
    assert_eq!(it("acknowledgements_received"), it("acknowledged") + it("unmatched"));
    assert_eq!(it("acknowledgement_bytes"), 56 * it("acknowledgements"));
    // 30 kB for 12 ms at 20 Mbps, which are 30 kB.
    let bound = table["selected_bound"].as_primitive::<Float64Type>().value(0);
    assert!((bound - 1.0).abs() < 1e-9, "{bound}");
}

#[test]
fn a_capture_has_the_acknowledgements_as_they_are_on_the_wire() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bridges");
    let study = read(VALID).expect("the scenario is right");
    let batch = Batch::into_folder(study, folder.clone(), common::all_packets_at(&["edge-b"]), 1)
        .expect("there is that node");
    let (study, outcome) = batch.finish();
    assert!(outcome.unwritten.is_none() && outcome.faults.is_empty());
    let tables = tables::all(&study, &outcome.runs);
    let table = &tables.iter().find(|it| it.0 == "bridges").expect("the table is there").1;
    let packets = common::packets(&folder.join("captures/run-0").join("edge-b.pcapng"));
    let messages: Vec<EdgeMessage> =
        packets.iter().filter_map(|it| EdgeMessage::decode(it).ok()).collect();
    assert_eq!(messages.len() as u64, count(table, "acknowledgements"));
    // Where the acknowledged packets' addresses and ports stand in their own bytes.
    let quoted = |it: &EdgeMessage| {
        let Addresses::V4 { source, destination } = it.addresses else { panic!("over IPv4") };
        let addresses = [source.ip().octets(), destination.ip().octets()].concat();
        let ports = [source.port(), destination.port()].map(u16::to_be_bytes).concat();
        [addresses, ports].concat()
    };
    let edges = EdgeAddresses { from: Ipv4Addr::new(10, 0, 0, 4), to: Ipv4Addr::new(10, 0, 0, 2) };
    for message in messages {
        assert_eq!(message.edges, edges);
        let header = quoted(&message);
        assert!(packets.iter().any(|it| it[9] == 6 && it[12..24] == header[..]));
    }
}

#[test]
fn without_a_bridge_the_table_has_its_columns_and_no_row() {
    let (without, _) = VALID.split_once("[bridges.dci]").expect("there is one");
    let (with, without) = (table(VALID, "bridges"), table(without, "bridges"));
    assert_eq!((without.num_rows(), without.schema()), (0, with.schema()));
}

#[test]
fn edges_that_cannot_be_are_refused() {
    assert_refused(&changed("\"edge-a\"\nto", "¶\"edge\"\nto"), &["there is no node `edge`"]);
    assert_refused(
        &changed("to = \"edge-b\"", "to = ¶\"edge-a\""),
        &["both edges of bridge `dci` are at the same node"],
    );
    assert_refused(
        &changed(
            "[bridges.dci]\nfrom = \"edge-a\"\nto = \"edge-b\"",
            "[bridges.¶dci]\nfrom = \"edge-b\"\nto = \"edge-a\"",
        ),
        &["no flow crosses bridge `dci`"],
    );
    let overlapping = "\n[bridges.¶inner]\nfrom = \"core\"\nto = \"b\"\nbuffer = \"1 MB\"\n";
    assert_refused(
        &format!("{VALID}{overlapping}"),
        &["flow `f` would cross bridges `dci` and `inner` at the same time"],
    );
}

#[test]
fn a_bridge_may_begin_where_another_ends() {
    let text = changed("to = \"edge-b\"", "to = \"core\"");
    let next = "[bridges.next]\nfrom = \"core\"\nto = \"edge-b\"\nbuffer = \"1 MB\"\n";
    let table = table(&format!("{text}{next}"), "bridges");
    assert_eq!(table.num_rows(), 2);
    assert!(count(&table, "selected") > 100);
}

#[test]
fn values_that_cannot_be_are_refused() {
    let with = |more: &str| format!("{VALID}{more}\n");
    assert_refused(&with("selected = ¶\"110 %\""), &["is not between 0 % and 100 %"]);
    assert_refused(&with("keep = ¶\"stall\""), &["`stalled`"]);
    assert_refused(&with("¶keeps = \"stalled\""), &["mean `keep`?"]);
    assert_refused(
        &with("order = ¶{ kind = \"in-order\" }"),
        &["`order` has no `patience`", "patience = \"10 ms\""],
    );
    assert_refused(
        &with("order = { kind = \"as-they-come\", ¶patience = \"1 ms\" }"),
        &["`patience` does not apply to `as-they-come`", "it is a key of `in-order`"],
    );
    assert_refused(
        &with("probes = { rate = \"1 Gbps\", burst = ¶\"10 B\", extra = \"5 %\" }"),
        &["at least 1500 B"],
    );
    let pass = "duplicates = { kind = \"pass\", ¶round_trip = \"9 ms\" }";
    assert_refused(&with(pass), &["it is a key of `suppress`"]);
    let suppress = with("duplicates = { kind = \"suppress\", round_trip = \"9 ms\" }");
    let round_trip = Duration::from_millis(9);
    assert_eq!(bridge(&suppress).source.duplicates, Duplicates::Suppress { round_trip });
    assert_refused(&changed("of = \"selected\"", "of = ¶\"some\""), &["`all`", "`selected`"]);
    assert_refused(
        &changed("[bridges.dci]\n", "¶[bridges.dci]\n").replace("buffer = \"30 kB\"\n", ""),
        &["`dci` has no `buffer`"],
    );
}
