//! Networks from files in GraphML and GML.

use windtunnel_scenario::{ScenarioError, Study};

use super::{plans, read, read_with};

const GRAPHML: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="Latitude" attr.type="double" for="node" id="d1" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d2" />
  <key attr.name="label" attr.type="string" for="node" id="d3" />
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d4" />
  <graph edgedefault="undirected">
    <node id="0"><data key="d1">0.0</data><data key="d2">0</data><data key="d3">West</data></node>
    <node id="1"><data key="d1">0</data><data key="d2">9.0</data><data key="d3">East</data></node>
    <node id="2"><data key="d3">None</data></node>
    <node id="3"><data key="d3">None</data></node>
    <edge source="0" target="1"><data key="d4">10000000.0</data></edge>
    <edge source="0" target="1" />
    <edge source="2" target="1" />
    <edge source="3" target="3" />
    <edge source="3" target="2" />
  </graph>
</graphml>
"#;

const GML: &str = r#"Creator "by hand"
graph [
  directed 0 # a comment
  node [ id 0 label "West" Latitude 0.0 Longitude 0 graphics [ x 1 y [ z 2 ] ] ]
  edge [ source 0 target 1 LinkSpeedRaw 10000000.0 ]
  node [ id 1 label "East" Longitude 9.0 Latitude 0 ]
  node [ id 2 label "None" ]
  node [ id 3 label "None" ]
  edge [ source 0 target 1 ]
  edge [ source 2 target 1 ]
  edge [ source 3 target 3 ]
  edge [ source 3 target 2 ]
]
"#;

fn around(keys: &str) -> String {
    format!(
        "duration = \"1 s\"\n{keys}\n[defaults.link]\nrate = \"1 Mbps\"\ndelay = \"1 ms\"\n\
         [flows.f]\nfrom = \"n-West\"\nto = \"n-3\"\ncontroller = \"cubic\"\n"
    )
}

fn with_file(text: &str, keys: &str) -> Result<Study, ScenarioError> {
    let topology = format!("[topologies.n]\nkind = \"file\"\nfile = \"net\"\n{keys}");
    read_with(&around(&topology), &[("net", text)])
}

#[test]
fn both_formats_are_what_a_file_would_write() {
    let written = |rate: &str, delays: [&str; 2]| {
        let [first, others] = delays;
        around(&format!(
            r#"[nodes]
n-West = {{}}
n-East = {{}}
n-2 = {{}}
n-3 = {{}}
[links]
n-West-East = {{ nodes = ["n-West", "n-East"], rate = "{rate}", delay = "{first}" }}
n-West-East-2 = {{ nodes = ["n-West", "n-East"], delay = "{first}" }}
n-2-East = {{ nodes = ["n-2", "n-East"], delay = "{others}" }}
n-3-2 = {{ nodes = ["n-3", "n-2"], delay = "{others}" }}
"#
        ))
    };
    // A ninth of a right angle: π/20 of 6371 km, with the speed of light over 1.468.
    let ns = (std::f64::consts::PI / 20.0 * 6371.0 * 1.468 / 299_792.458 * 1e9).to_string();
    for text in [GRAPHML, GML] {
        let study = with_file(text, "").expect("it is valid");
        assert_eq!(plans(&study), plans(&read(&written("10 Mbps", [&format!("{ns} ns"), "1 ms"]))));
        let expanded = study.expanded().expect("it is valid");
        assert_eq!(plans(&study), plans(&read(&expanded)), "{expanded}");
        let own = with_file(text, "link = { delay = \"5 ms\" }").expect("it is valid");
        assert_eq!(plans(&own), plans(&read(&written("10 Mbps", ["5 ms", "5 ms"]))));
    }
}

#[test]
fn files_that_are_no_networks_are_refused() {
    let cases = [
        ("", "it has no nodes"),
        ("graph [", "net:1:7: `[` has no `]`"),
        ("graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "an edge joins `2`"),
        ("graph [ node [ label \"a\" ] ]", "net:1:9: `node` has no `id`"),
        ("graph [ node [ id 1 ] node [ id 1 ] ]", "two nodes `1`"),
        ("graph [ node [ id \"1 ] ]", "net:1:19: a text has no end"),
        ("graph [ node ]", "`node` has no value"),
        ("]", "`]` has no value"),
        ("<graphml>", "no GraphML"),
        ("<graphml><graph><node/></graph></graphml>", "net:1:17: `node` has no `id`"),
        ("<graphml><graph><node id=\"1\"/><edge source=\"1\"/></graph></graphml>", "no `target`"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><graphml/>", "no GraphML"),
    ];
    for (text, says) in cases {
        let error = with_file(text, "").expect_err(text);
        assert!(error.message.contains(says), "{text}: {error}");
        assert_eq!(error.place.expect("it has a place").text, "file = \"net\"");
    }
}

#[test]
fn of_both_directions_of_a_directed_graph_one_link_is_left() {
    let text = "graph [ directed 1 node [ id West ] node [ id 3 ] edge [ source West target 3 ] \
                edge [ source 3 target West ] ]";
    let study = with_file(text, "").expect("it is valid");
    assert_eq!(study.cases[0].plan.links.len(), 1);
}

proptest::proptest! {
    #[test]
    fn no_text_is_read_without_an_end(text in "(graph|node|edge|id|\\[|\\]|\"|[0-9]|#|\n| ){0,40}") {
        let _ = with_file(&text, "");
    }
}
