//! A network layer from outside the crates, with a section in scenarios, a table and a capture:
//! that of the page in `docs` that says how to add one.

#[path = "../common/mod.rs"]
mod common;
mod flooding;

use std::path::PathBuf;
use std::sync::Arc;

use common::{Ran, all_packets_at, assert_contains, packets, with_changes};
use flooding::Flooding;
use windtunnel_lab::{Batch, Extensions, ScenarioError, Study};
use windtunnel_networks::layer::{LayerMaker, NetworkLayer, NodeSetting};
use windtunnel_packets::ProtocolNumber;
use windtunnel_scenario::{
    Domains, FrameContext, FrameError, FramePayload, LayerKind, Mistake, Sections,
};
use windtunnel_tables::Table;
use windtunnel_world::{DomainsPlan, LinkPlan, NodePlan, Plan, SeenPacket, World};

const PAGE: &str = include_str!("../../../../docs/adding-a-network-layer.md");

/// A ring of six nodes and one link across it.
const RING: &str = include_str!("ring.toml");

#[test]
fn the_page_shows_exactly_this_code() {
    for file in [include_str!("flooding/node.rs"), include_str!("flooding/mod.rs")] {
        assert!(PAGE.contains(&format!("```rust\n{file}```\n")));
    }
    assert!(PAGE.contains(&format!("```rust,ignore\n{}```\n", registration())));
    assert!(PAGE.contains(&format!("```toml\n{RING}```\n")));
}

/// The part of this file that the page shows.
fn registration() -> String {
    let code = include_str!("main.rs").split("    // page\n").nth(1).expect("two comments");
    code.lines().map(|it| format!("{}\n", it.strip_prefix("    ").unwrap_or(it))).collect()
}

fn read(text: &str) -> Result<Study, ScenarioError> {
    // page
    let mut extensions = Extensions::default();
    extensions.layers.push(Arc::new(Flooding));
    let study = windtunnel_lab::read_with("ring.toml", text, &[], &extensions)?;
    // page
    study.if_busy()
}

fn run(text: &str) -> Ran {
    Ran::of(read(text).unwrap_or_else(|it| panic!("{it}")))
}

#[test]
fn a_message_reaches_each_node_once_and_crosses_no_link_direction_twice() {
    let ran = run(RING);
    assert_eq!(ran.texts("flooding", "node"), ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(ran.counts("flooding", "received"), [0, 10, 10, 10, 10, 10]);
    let delivered = ran.counts("links", "delivered");
    assert!(delivered.iter().all(|it| *it <= 10), "{delivered:?}");
    // All send through all ports but the one that the message came by.
    assert_eq!(delivered.iter().sum::<u64>(), 10 * (14 - 5));
}

/// 5 ms and 80 us.
#[test]
fn a_message_takes_one_delay_a_hop() {
    let hop = 5.08e-3;
    let first = run(RING).numbers("flooding", "first_s");
    for (time, hops) in first[1..].iter().zip([1.0, 1.0, 2.0, 2.0, 1.0]) {
        assert!((time - hops * hop).abs() < 1e-9, "{time} after {hops} hops");
    }
}

#[test]
fn a_failed_link_is_bypassed() {
    let fails =
        "a-b = { nodes = [\"a\", \"b\"], changes = [{ at = \"250 ms\", state = \"down\" }] }";
    let ran = run(&with_changes(RING, &[("a-b = { nodes = [\"a\", \"b\"] }", fails)]));
    assert_eq!(ran.counts("flooding", "received"), [0, 10, 10, 10, 10, 10]);
}

#[test]
fn a_case_without_the_section_has_an_empty_table() {
    let cases = "[compare.interval]\nslow = {}\nfast = { \"flooding.interval\" = \"50 ms\" }\n";
    let ran = run(&format!("{RING}{cases}"));
    assert_eq!(ran.counts("flooding", "received").iter().sum::<u64>(), 5 * (10 + 19));
    let idle = with_changes(RING, &[("[flooding]\nsource = \"a\"\ninterval = \"100 ms\"\n", "")]);
    let flow = "[flows.f]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n";
    let table = run(&format!("{idle}{flow}"));
    assert_eq!(table.table("flooding").num_rows(), 0);
    assert_eq!(table.table("flooding").num_columns(), ran.table("flooding").num_columns() - 1);
}

#[test]
fn a_capture_has_its_messages_to_the_byte() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("flooding");
    let study = read(RING).expect("it is valid");
    let batch = Batch::into_folder(study, folder.clone(), all_packets_at(&["d"]), 1);
    assert!(batch.expect("there is such a node").finish().1.unwritten.is_none());
    let seen = packets(&folder.join("captures/run-0/d.pcapng"));
    // From both neighbours, and to that which had not sent it: at one instant to neither.
    assert!(seen.len() >= 20, "{}", seen.len());
    let numbers: Vec<u32> =
        seen.iter().map(|it| u32::from_be_bytes(it[..4].try_into().expect("four"))).collect();
    assert!(seen.iter().all(|it| it.len() == 100));
    assert_eq!(numbers.iter().max(), Some(&9));
}

#[test]
fn what_is_wrong_in_its_section_is_said_as_elsewhere() {
    let wrong = |old, new| read(&with_changes(RING, &[(old, new)])).expect_err("it is wrong");
    let error = wrong("source = \"a\"", "source = \"g\"");
    assert_contains(&error, &["ring.toml:", "there is no node `g`", "`a`, `b`"]);
    let error = wrong("interval = \"100 ms\"", "interval = \"0 s\"");
    assert_contains(&error, &["`interval` must be greater than zero", "write one such as"]);
    let error = wrong("interval = \"100 ms\"\n", "");
    assert_contains(&error, &["`flooding` has no `interval`"]);
    let error = wrong("source", "sources");
    assert_contains(&error, &["unknown key `sources`", "did you mean `source`?"]);
    let error = wrong("[flooding]", "[floding]");
    assert_contains(&error, &["unknown key `floding`", "did you mean `flooding`?"]);
}

#[test]
fn its_section_is_in_the_schema_with_its_documentation() {
    let layers: [Arc<dyn LayerKind>; 1] = [Arc::new(Flooding)];
    let schema = windtunnel_scenario::schema(&layers);
    assert!(
        schema["properties"]["flooding"].is_object() && schema["properties"]["nodes"].is_object()
    );
    let section = &schema["$defs"]["Section"]["properties"];
    assert_eq!(section["source"]["description"], "The node that sends them.");
}

#[test]
fn two_layers_cannot_have_one_section_or_number() {
    let layers: Vec<Arc<dyn LayerKind>> = vec![Arc::new(Flooding), Arc::new(Flooding)];
    let extensions = Extensions { layers, ..Extensions::default() };
    let error = windtunnel_lab::read_with("ring.toml", RING, &[], &extensions);
    assert_contains(&error.expect_err("it is there twice"), &["section `flooding` already"]);
}

/// A layer that would carry packets from each node to each other one.
#[derive(Clone, Copy, Debug)]
struct Carrying(u16);

impl LayerMaker for Carrying {
    fn protocol(&self) -> ProtocolNumber {
        ProtocolNumber(self.0)
    }

    fn layer(&self, _: NodeSetting) -> Box<dyn NetworkLayer> {
        unreachable!("no scenario with it is run")
    }
}

impl LayerKind for Carrying {
    fn protocol(&self) -> ProtocolNumber {
        ProtocolNumber(self.0)
    }

    fn plan(
        &self,
        _: &Sections<'_>,
        nodes: &mut [NodePlan],
        _: &[LinkPlan],
    ) -> Result<Option<Box<dyn Domains>>, Mistake> {
        Ok(Some(Box::new(EachNode { nodes: nodes.len() as u32, carrier: *self })))
    }

    fn tables(&self, _: &Plan, _: &World) -> Vec<Table> {
        Vec::new()
    }

    fn frame(&self, _: &SeenPacket, _: &FrameContext<'_>) -> Result<FramePayload, FrameError> {
        Err("nothing is captured".into())
    }
}

/// Each node is a domain.
#[derive(Debug)]
struct EachNode {
    nodes: u32,
    carrier: Carrying,
}

impl Domains for EachNode {
    fn plan(&self) -> DomainsPlan {
        let (of, carrier) = ((0..self.nodes).collect(), Arc::new(self.carrier));
        DomainsPlan { of, carrier, ndn_header: None, has_plain_paths: false }
    }
}

#[test]
fn only_one_layer_carries_packets_between_domains() {
    let read = |numbers: &[u16], more: &str| {
        let mut extensions = Extensions::default();
        extensions.layers.push(Arc::new(Flooding));
        extensions.layers.extend(numbers.iter().map(|it| Arc::new(Carrying(*it)) as _));
        windtunnel_lab::read_with("ring.toml", &format!("{RING}{more}"), &[], &extensions)
    };
    assert!(read(&[254], "").expect("it is the only one").cases[0].plan.domains.is_some());
    let region = "[regions.all]\ncode = 1\nnodes = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\n";
    for error in [read(&[254, 255], ""), read(&[254], region)] {
        let error = error.expect_err("there are two");
        assert_contains(&error, &["only one network layer can carry packets between domains"]);
    }
}
