//! Networks from files: what becomes of their nodes, links and mistakes.

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

/// The nodes of these files, and the head of their links.
const NODES: &str = "[nodes]\nn-West = {}\nn-East = {}\nn-2 = {}\nn-3 = {}\n[links]\n";

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
            r#"{NODES}n-West-East = {{ nodes = ["n-West", "n-East"], rate = "{rate}", delay = "{first}" }}
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
        let filled = with_file(text, "link = { delay = \"5 ms\" }").expect("it is valid");
        assert_eq!(
            plans(&filled),
            plans(&read(&written("10 Mbps", [&format!("{ns} ns"), "5 ms"])))
        );
        let keys = "link = { delay = \"5 ms\" }\nignore = [\"delay\", \"rate\"]";
        let ignored = with_file(text, keys).expect("it is valid");
        assert_eq!(plans(&ignored), plans(&read(&written("1 Mbps", ["5 ms", "5 ms"]))));
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
        ("graph [ node [ id \"1 ] ]", "net:1:19: a text is not terminated"),
        ("graph [ node ]", "`node` has no value"),
        ("]", "`]` has no value"),
        ("<graphml>", "net:1:1: not valid XML"),
        ("<graphml><graph><node/></graph></graphml>", "net:1:17: `node` has no `id`"),
        ("<graphml><graph><node id=\"1\"/><edge source=\"1\"/></graph></graphml>", "no `target`"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><graphml/>", "not valid XML"),
        ("<graphml>\n<é><é/></graphml>", "net:2:8: not valid XML: expected 'é' tag"),
        ("<svg/>", "net:1:1: `svg` is not the root of a graph"),
        ("\u{feff}graph [\nnode [ label \"a\" ] ]", "net:2:1: `node` has no `id`"),
        ("\u{feff}{\n\"nodes\": [{\"id\": 1}, {}]}", "net:2:22: a node or an edge has no `id`"),
        ("{\"nodes\": [{\"id\": 1}]}", "it has no `edges`"),
        ("{\"nodes\": [1], \"edges\": []}", "net:1:12: not node-link JSON: invalid type"),
        ("{\"nodes\": [\n{\"id\" 1}]}", "net:2:7: not node-link JSON: expected `:`"),
        (
            "{\"nodes\": [{\"id\": 1}], \"edges\": [{\"source\": 1, \"target\": 2}]}",
            "net:1:34: an edge",
        ),
        ("{\"nodes\": [{\"id\": 1}], \"edges\": []} {", "not node-link JSON: trailing"),
        (
            "<network><networkStructure><nodes><node/></nodes></networkStructure></network>",
            "no `id`",
        ),
    ];
    for (text, says) in cases {
        let error = with_file(text, "").expect_err(text);
        assert!(error.message.contains(says), "{text}: {error}");
        assert_eq!(error.place.expect("it has a place").text, "file = \"net\"");
    }
}

#[test]
fn a_directed_graph_has_duplex_links_with_the_values_of_both_directions() {
    let text = "graph [ directed 1 node [ id West ] node [ id 3 ] \
                edge [ source West target 3 bandwidth 10 delay \"5 ms\" ] \
                edge [ source West target 3 ] edge [ source West target 3 bandwidth 8 ] \
                edge [ source 3 target West LinkSpeedRaw 2e6 ] ]";
    let of = |rate: &str, delay: &str, keys: &str| {
        format!("{{ nodes = [\"n-West\", \"n-3\"], rate = {rate}, delay = {delay}{keys} }}")
    };
    let study = with_file(text, "link = { delay = [\"7 ms\", \"9 ms\"] }").expect("it is valid");
    let all = format!(
        "[nodes]\nn-West = {{}}\nn-3 = {{}}\n[links]\nn-West-3 = {}\nn-West-3-2 = {}\n\
         n-West-3-3 = {}\n",
        of("[\"10 Mbps\", \"2 Mbps\"]", "[\"5 ms\", \"9 ms\"]", ""),
        of("\"1 Mbps\"", "[\"7 ms\", \"9 ms\"]", ""),
        of("\"8 Mbps\"", "[\"7 ms\", \"9 ms\"]", ""),
    );
    assert_eq!(plans(&study), plans(&read(&around(&all))));
    let told = "net: 2 nodes, 3 links, 2 links parallel to another, 2 edges without one back, \
                whose values hold in both directions";
    assert_eq!(study.imports(), [told]);
}

#[test]
fn a_direction_without_a_value_has_that_of_link() {
    let text = "graph [ directed 1 node [ id West ] node [ id 3 ] \
                edge [ source West target 3 bandwidth 10 ] edge [ source 3 target West ] ]";
    let rates = |keys: &str| {
        let study = with_file(text, keys).expect("it is valid");
        study.cases[0].plan.links[0].directions.each_ref().map(|it| it.rate.bits_per_second())
    };
    assert_eq!(rates("link = { rate = \"50 Mbps\" }"), [10_000_000, 50_000_000]);
    assert_eq!(rates(""), [10_000_000, 1_000_000]);
    assert_eq!(rates("ignore = [\"rate\"]"), [1_000_000, 1_000_000]);
    let scenario = "duration = \"1 s\"\n[topologies.n]\nkind = \"file\"\nfile = \"net\"\n\
         [defaults]\nlink = { delay = \"1 ms\" }\n[flows.f]\nfrom = \"n-West\"\nto = \"n-3\"\n\
         controller = \"cubic\"\n";
    let study = read_with(scenario, &[("net", text)]).expect("it is valid");
    let rates = study.cases[0].plan.links[0].directions.each_ref().map(|it| it.rate);
    assert_eq!(rates[0], rates[1]);
}

#[test]
fn names_of_links_are_unique_where_labels_end_in_numbers() {
    let text = "graph [ node [ id West ] node [ id b ] node [ id \"b-2\" ] node [ id 3 ] \
                edge [ source West target b ] edge [ source West target b ] \
                edge [ source West target \"b-2\" ] edge [ source b target 3 ] ]";
    let study = with_file(text, "").expect("it is valid");
    let names: Vec<&str> = study.cases[0].plan.links.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["n-West-b", "n-West-b-2", "n-West-b-2-2", "n-b-3"]);
}

#[test]
fn nodes_have_the_places_of_the_file() {
    let text = "graph [ node [ id West lat 1.5 lon 190 ] node [ id 3 Latitude -2 Longitude 3 ] \
                edge [ source West target 3 ] ]";
    let expanded = |keys: &str| with_file(text, keys).expect("it is valid").expanded();
    let all = expanded("node = { place = [\"5°\", \"5°\"] }").expect("it is valid");
    let west = "n-West = { place = [\"1.5°\", \"-170°\"] } # place from the file (lat and lon)\n";
    assert!(all.contains(west), "{all}");
    let journey = "node = { journey = [{ at = \"0 s\", place = \"Paris\" }] }";
    assert!(!expanded(journey).expect("it is valid").contains("place from the file"));
}

#[test]
fn a_radio_takes_the_place_of_rates_in_the_file() {
    let text = "graph [ node [ id West ] node [ id 3 ] edge [ source West target 3 bw 10 ] ]";
    let radio = "link = { trace = { file = \"t\", kind = \"rates\" } }";
    let topology = format!("[topologies.n]\nkind = \"file\"\nfile = \"net\"\n{radio}");
    let files = [("net", text), ("t", "0 1\n1 2\n")];
    let study = read_with(&around(&topology).replace("rate = \"1 Mbps\"\n", ""), &files);
    let study = study.unwrap_or_else(|error| panic!("{error}"));
    let told = "net: 2 nodes, 1 link, its rates are not used beside `trace`";
    assert_eq!(study.imports(), [told]);
    let without = text.replace("bw 10", "");
    let study = read_with(
        &around(&topology).replace("rate = \"1 Mbps\"\n", ""),
        &[("net", &without), files[1]],
    );
    assert_eq!(study.expect("it is valid").imports(), ["net: 2 nodes, 1 link"]);
}

/// A directed graph in GML, JSON and GraphML, of which one edge has no cost.
fn weighed() -> [String; 3] {
    let edges =
        [("0", "1", "10"), ("1", "0", "2.5"), ("1", "2", "1"), ("2", "1", "1"), ("2", "3", "")];
    let gml = edges.map(|(from, to, cost)| {
        let cost = if cost.is_empty() { String::new() } else { format!("Cost {cost}") };
        format!("edge [ source {from} target {to} {cost} ]")
    });
    let json = edges.map(|(from, to, cost)| {
        let cost = if cost.is_empty() { "null" } else { cost };
        format!(r#"{{ "source": {from}, "target": {to}, "cost": {cost} }}"#)
    });
    let graphml = edges.map(|(from, to, cost)| {
        format!(r#"<edge source="{from}" target="{to}"><data key="c">{cost}</data></edge>"#)
    });
    let labels = ["West", "East", "2", "3"];
    let nodes = |one: &dyn Fn(usize) -> String| (0..4).map(one).collect::<Vec<_>>();
    let nodes_gml = nodes(&|it| format!("node [ id {it} label \"{}\" ]", labels[it])).concat();
    let nodes_json = nodes(&|it| format!(r#"{{ "id": {it}, "label": "{}" }}"#, labels[it]));
    let nodes_graphml =
        nodes(&|it| format!(r#"<node id="{it}"><data key="l">{}</data></node>"#, labels[it]))
            .concat();
    [
        format!("graph [ directed 1 {nodes_gml} {} ]", gml.concat()),
        format!(
            r#"{{ "directed": true, "nodes": [{}], "edges": [{}] }}"#,
            nodes_json.join(","),
            json.join(",")
        ),
        format!(
            r#"<graphml><key attr.name="cost" for="edge" id="c" /><key attr.name="label" id="l" />
               <graph edgedefault="directed">{nodes_graphml}{}</graph></graphml>"#,
            graphml.concat()
        ),
    ]
}

/// What a weight is called is not the same in all files, and networkx's `weight` may be anything:
/// the scenario says the name.
#[test]
fn weights_are_under_the_name_that_the_scenario_says() {
    let written = |weights: [&str; 3]| {
        let [first, second, third] = weights;
        around(&format!(
            r#"{NODES}n-West-East = {{ nodes = ["n-West", "n-East"]{first} }}
n-East-2 = {{ nodes = ["n-East", "n-2"]{second} }}
n-2-3 = {{ nodes = ["n-2", "n-3"]{third} }}
"#
        ))
    };
    for text in weighed() {
        let study = with_file(&text, "weight = \"cost\"\n").expect("it is valid");
        let weights = [", weight = [10, 2.5]", ", weight = 1", ""];
        assert_eq!(plans(&study), plans(&read(&written(weights))), "{text}");
        let expanded = study.expanded().expect("it is valid");
        assert_eq!(plans(&study), plans(&read(&expanded)), "{expanded}");
        assert!(study.imports()[0].ends_with("hold in both directions"), "{:?}", study.imports());
        let study = with_file(&text, "weight = \"cost\"\nlink = { weight = 7 }\n");
        let weights = [", weight = [10, 2.5]", ", weight = 1", ", weight = 7"];
        assert_eq!(plans(&study.expect("it is valid")), plans(&read(&written(weights))), "{text}");
        let study = with_file(&text, "").expect("it is valid");
        assert_eq!(plans(&study), plans(&read(&written(["", "", ""]))), "{text}");
        let told = study.imports()[0].to_lowercase();
        assert!(told.ends_with("not used: of edges `cost`"), "{told}");
    }
}

#[test]
fn wrong_weights_are_refused_with_their_place() {
    let gml = |cost: &str| {
        format!(
            "graph [ node [ id West ] node [ id 3 ]\n  edge [ source West target 3 cost {cost} ] ]"
        )
    };
    let why = |text: &str, keys: &str| with_file(text, keys).expect_err("it is wrong").to_string();
    for cost in ["0", "-1", "16777216", "1.00001", "\"5 ms\"", "1e400"] {
        let error = why(&gml(cost), "weight = \"cost\"\n");
        let quoted = cost.trim_matches('"');
        let message =
            format!("`cost`: \"{quoted}\" is not a valid weight; write a number greater than 0");
        assert!(error.contains(&message) && error.contains("net:2"), "{error}");
    }
    let error = why(&gml("1"), "weight = \"metric\"\n");
    assert!(error.contains("no edge of net has a `metric`"), "{error}");
    assert!(error.contains("it has `cost`"), "{error}");
}

#[test]
fn what_a_file_says_in_vain_is_listed() {
    let text = "Creator \"x\" graph [ Network \"N\" node [ id West Country \"C\" graphics [ x 1 ] ] \
                node [ id 3 ] edge [ source West target 3 id e1 ] edge [ source 3 target 3 ] ]";
    let study = with_file(text, "").expect("it is valid");
    let told = "net: 2 nodes, 1 link, 1 edge or demand from a node to itself left out; not used: \
                of the graph `Creator`, `Network`, of nodes `Country`, `graphics`, of edges `id`";
    assert_eq!(study.imports(), [told]);
    let expanded = study.expanded().expect("it is valid");
    assert!(expanded.starts_with(&format!("# {told}\n")), "{expanded}");
}

proptest::proptest! {
    #[test]
    fn no_text_is_read_without_an_end(text in "(graph|node|edge|id|\\[|\\]|\"|[0-9]|#|\n| ){0,40}") {
        let _ = with_file(&text, "");
    }
}
