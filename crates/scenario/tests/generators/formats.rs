//! What is read of each format, under which names and in which units.

use std::fmt::Write;

use proptest::prelude::*;
use windtunnel_links::Loss;
use windtunnel_scenario::{ScenarioError, Study};

use super::read_with;

/// A scenario with one flow over the network of a file.
fn study(text: &str, ends: [&str; 2]) -> Result<Study, ScenarioError> {
    let [from, to] = ends.map(|it| it.replace('"', "\\\""));
    let scenario = format!(
        "duration = \"1 s\"\n[topologies.n]\nkind = \"file\"\nfile = \"net\"\n\
         link = {{ rate = \"1 Mbps\", delay = \"1 ms\" }}\n\
         [flows.f]\nfrom = \"n-{from}\"\nto = \"n-{to}\"\ncontroller = \"cubic\"\n"
    );
    read_with(&scenario, &[("net", text)])
}

/// The rates in bit/s and the delays in µs of the first link, in both directions.
fn link(text: &str) -> ([u64; 2], [u64; 2]) {
    let study = study(text, ["a", "b"]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let directions = &study.cases[0].plan.links[0].directions;
    let delays = directions.each_ref().map(|it| it.delay.as_nanos() / 1000);
    (directions.each_ref().map(|it| it.rate.bits_per_second()), delays)
}

fn gml(edge: &str) -> String {
    format!("graph [ node [ id a ] node [ id b ] edge [ source a target b {edge} ] ]")
}

/// Light in a fibre of one kilometre takes 1.468/299792.458 s, that is 4.8967 µs.
const MICROSECONDS_PER_KM: f64 = 1.468 / 299_792.458 * 1e6;

#[test]
fn rates_are_read_under_their_names_and_in_their_units() {
    for (edge, rate) in [
        ("LinkSpeedRaw 5000000.0", 5_000_000),
        ("LinkSpeed \"2.5\" LinkSpeedUnits \"G\" LinkLabel \"x\"", 2_500_000_000),
        ("LinkSpeed \"155\" LinkSpeedUnits \"Mbps\"", 155_000_000),
        ("LinkSpeed \"10 Gbps\"", 10_000_000_000),
        ("bandwidth 10", 10_000_000),
        ("bandwidth \"10 Mbit/s\"", 10_000_000),
        ("Capacity \"1 Gbit\"", 1_000_000_000),
        ("rate \"64 Kbps\"", 64_000),
        ("bw 0.5", 500_000),
        ("bandwidth \"\"", 1_000_000),
        ("LinkSpeedRaw \"None\" capacity 3", 3_000_000),
    ] {
        assert_eq!(link(&gml(edge)).0, [rate; 2], "{edge}");
    }
}

#[test]
fn delays_are_read_under_their_names_and_in_their_units() {
    let of = |kilometres: f64| (kilometres * MICROSECONDS_PER_KM) as u64;
    for (edge, delay) in [
        ("delay 2.5", 2500),
        ("latency \"50 ms\"", 50_000),
        ("delay \"3 us\" length 100", 3),
        ("length 667.2", of(667.2)),
        ("dist \"1200 m\"", of(1.2)),
        ("distance 0", 0),
    ] {
        assert_eq!(link(&gml(edge)).1, [delay; 2], "{edge}");
    }
}

#[test]
fn losses_are_shares_or_percentages() {
    for (edge, share) in [("loss 0.25", "0.25"), ("packet_loss \"1 %\"", "0.01")] {
        let study = study(&gml(edge), ["a", "b"]).expect("it is valid");
        let loss = format!("{:?}", study.cases[0].plan.links[0].directions[1].loss);
        assert_eq!(loss, format!("Bernoulli({share})"));
    }
}

#[test]
fn values_that_are_none_are_refused_with_their_place() {
    for (edge, says) in [
        ("bandwidth \"10 apples\"", "net:1:62: `bandwidth`: `apples` is not a valid unit"),
        ("capacity 0", "`capacity`: \"0\" never sends anything"),
        ("capacity -1", "`capacity`: \"-1\" is negative; write a rate such as"),
        ("delay \"soon\"", "`delay`: \"soon\" is not a duration"),
        ("loss 1.5", "`loss`: \"1.5\" is not between 0 % and 100 %"),
        ("length -3", "`length`: \"-3\" is negative"),
        ("length \"-3 km\"", "`length`: \"-3 km\" is not the length of a link"),
        ("LinkSpeed 3 LinkSpeedUnits \"X\"", "`LinkSpeed`: `X` is not a valid unit"),
    ] {
        let error = study(&gml(edge), ["a", "b"]).expect_err(edge);
        assert!(error.message.contains(says), "{error}");
    }
    let place = "graph [ node [ id a lat 91 lon 0 ] node [ id b ] edge [ source a target b ] ]";
    let error = study(place, ["a", "b"]).expect_err("there is no such latitude");
    assert!(error.message.contains("net:1:21: `lat`: \"91\" is not an angle"), "{error}");
}

#[test]
fn labels_are_read_under_their_names_and_with_their_entities() {
    let text = "graph [ node [ id 0 label \"Z&#252;rich\" ] node [ id 1 name \"Basel &amp; Liestal\" ] \
                node [ id 2 label \"2\" name \"St.\n  Gallen\" ] node [ id 3 label \"AT&T &quot;x&quot;\" ] \
                edge [ source 0 target 1 ] edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]";
    for ends in [["Zürich", "Basel & Liestal"], ["St. Gallen", "AT&T \"x\""]] {
        study(text, ends).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn graphml_has_defaults_and_labels_of_yed() {
    let text = r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key id="d0" for="node" yfiles.type="nodegraphics"/>
  <key id="d1" for="edge" attr.name="bandwidth"><default>10</default></key>
  <key id="latency" for="edge"><default>4</default></key>
  <key id="d2" for="node" attr.name="bandwidth"><default>9</default></key>
  <graph edgedefault="undirected">
    <node id="n0"><data key="d0"><y:ShapeNode><y:NodeLabel> a </y:NodeLabel></y:ShapeNode></data></node>
    <node id="n1"><data key="d0"><y:ShapeNode><y:NodeLabel><!-- x -->b<y:LabelModel/></y:NodeLabel></y:ShapeNode></data></node>
    <edge source="n0" target="n1"><data key="d1">20</data></edge>
    <edge source="n1" target="n0"/>
    <edge source="n0" target="n1" directed="true"><data key="latency">1</data></edge>
    <edge source="n1" target="n0" directed="true"/>
    <hyperedge/>
  </graph>
</graphml>"#;
    let study = study(text, ["a", "b"]).unwrap_or_else(|error| panic!("{error}"));
    let links = &study.cases[0].plan.links;
    let of = |it: usize| {
        links[it].directions.each_ref().map(|it| (it.rate.bits_per_second(), it.delay.as_nanos()))
    };
    assert_eq!(of(0), [(20_000_000, 4_000_000); 2]);
    assert_eq!(of(1), [(10_000_000, 4_000_000); 2]);
    assert_eq!(of(2), [(10_000_000, 1_000_000), (10_000_000, 4_000_000)]);
    let told = study.imports();
    assert!(
        told[0].ends_with("not used: of the graph `hyperedge`, of nodes `bandwidth`"),
        "{told:?}"
    );
}

/// A network of our own in the format of topohub.
const JSON: &str = r#"{
  "directed": false, "multigraph": false,
  "graph": { "name": "two", "demands": { "0": { "1": 30.0, "0": 5 }, "1": { "0": "2 Mbps" } } },
  "nodes": [{ "name": "a", "pos": [10.5, 50.0], "id": 0 }, { "name": "b", "pos": [11.5, 50.0], "id": 1 }],
  "edges": [{ "dist": 100.0, "ecmp_fwd": { "uni": 1.0 }, "source": 0, "target": 1 }]
}"#;

/// The same in that of SNDlib.
const SNDLIB: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0">
  <meta><unit>MBITPERSEC</unit></meta>
  <networkStructure>
    <nodes coordinatesType="geographical">
      <node id="a"><coordinates><x>10.5</x><y>50.0</y></coordinates></node>
      <node id="b"><coordinates><x>11.5</x><y>50.0</y></coordinates></node>
    </nodes>
    <links>
      <link id="L1"><source>a</source><target>b</target>
        <preInstalledModule><capacity>155.0</capacity><cost>0.0</cost></preInstalledModule>
        <additionalModules><addModule><capacity>40.0</capacity></addModule></additionalModules>
      </link>
      <link id="L2"><source>a</source><target>b</target>
        <preInstalledModule><capacity>0.0</capacity></preInstalledModule>
        <additionalModules>
          <addModule><capacity>622.0</capacity></addModule>
          <addModule><capacity>40.0</capacity></addModule>
        </additionalModules>
        <setupCost>1</setupCost>
      </link>
    </links>
  </networkStructure>
  <demands>
    <demand id="D1"><source>a</source><target>b</target><routingUnit>1</routingUnit>
      <demandValue>30.0</demandValue></demand>
    <demand id="D2"><source>b</source><target>a</target><demandValue>2</demandValue></demand>
  </demands>
</network>"#;

#[test]
fn node_link_json_has_places_lengths_and_demands() {
    let (rate, delay) = link(JSON);
    assert_eq!((rate, delay), ([1_000_000; 2], [(100.0 * MICROSECONDS_PER_KM) as u64; 2]));
    let study = study(JSON, ["a", "b"]).expect("it is valid");
    let told = "net: 2 nodes, 1 link, 2 demands, 1 edge or demand from a node to itself left out; \
                not used: of the graph `name`, of edges `ecmp_fwd`";
    assert_eq!(study.imports(), [told]);
    // A degree of longitude at 50° N: the cosine of that of the 111.19 km at the equator.
    let (_, delay) = link(&JSON.replace("\"dist\": 100.0,", ""));
    assert!((delay[0] as f64 - 71.47 * MICROSECONDS_PER_KM).abs() < 1.0, "{delay:?}");
    let (_, delay) = link(&JSON.replace("\"dist\": 100.0,", "").replace("50.0", "500"));
    assert_eq!(delay, [1000; 2]);
}

#[test]
fn sndlib_has_places_capacities_and_demands() {
    let (rate, delay) = link(SNDLIB);
    assert_eq!(rate, [155_000_000; 2]);
    assert!((delay[0] as f64 - 71.47 * MICROSECONDS_PER_KM).abs() < 1.0, "{delay:?}");
    let study = study(SNDLIB, ["a", "b"]).expect("it is valid");
    assert_eq!(study.cases[0].plan.links[1].directions[0].rate.bits_per_second(), 40_000_000);
    let told = "net: 2 nodes, 2 links, 2 demands, 1 link parallel to another; not used: of the \
                graph `routingUnit`, `meta`, of edges `setupCost`";
    assert_eq!(study.imports(), [told]);
    let pixel = SNDLIB.replace("geographical", "pixel");
    assert_eq!(link(&pixel).1, [1000; 2]);
}

/// SNDlib's own name of a weight, in the file's letters or in others.
#[test]
fn sndlib_has_weights_as_routing_costs() {
    let text = SNDLIB.replace("<setupCost>1</setupCost>", "<routingCost>12.5</routingCost>");
    for (name, weights) in
        [("routingCost", [1000, 12_500]), ("routingcost", [1000, 12_500]), ("", [1000; 2])]
    {
        let (weight, routing) = match name {
            "" => (String::new(), ""),
            _ => (format!("weight = \"{name}\"\n"), "[routing]\nmetric = \"weight\"\n"),
        };
        let scenario = format!(
            "duration = \"1 s\"\n[topologies.n]\nkind = \"file\"\nfile = \"net\"\n{weight}\
             [flows.f]\nfrom = \"n-a\"\nto = \"n-b\"\ncontroller = \"cubic\"\n\
             {routing}"
        );
        let study =
            read_with(&scenario, &[("net", &text)]).unwrap_or_else(|error| panic!("{error}"));
        let links = study.cases[0].plan.links.iter();
        let found: Vec<_> = links.map(|it| it.directions.each_ref().map(|it| it.weight)).collect();
        assert_eq!(found, weights.map(|it| [it; 2]), "{name}");
        assert_eq!(study.imports()[0].contains("`routingCost`"), name.is_empty());
    }
}

/// The flows over UDP between two nodes that demands make, with their rates in bit/s.
fn demands(text: &str, keys: &str) -> Result<Vec<(usize, usize, u64)>, ScenarioError> {
    let scenario = format!(
        "duration = \"1 s\"\n[topologies.n]\nkind = \"file\"\nfile = \"net\"\n\
         link = {{ rate = \"100 Mbps\" }}\n[flows.f]\nfrom = \"n-*\"\nto = \"n-*\"\n{keys}\n"
    );
    let study = read_with(&scenario, &[("net", text)])?;
    let rate = |it: &windtunnel_world::FlowPlan| match &it.transport {
        windtunnel_world::Transport::Udp(it) => match it.workload {
            windtunnel_applications::udp::UdpWorkload::Rate { rate, .. } => rate.bits_per_second(),
            _ => 0,
        },
        _ => 0,
    };
    Ok(study.cases[0].plan.flows.iter().map(|it| (it.from, it.to, rate(it))).collect())
}

#[test]
fn demands_are_flows_over_udp_at_their_rates() {
    let pattern = "protocol = \"udp\"\npattern = { kind = \"demands\", topology = \"n\" }";
    let scaled = pattern.replace(" }", ", scale = 0.01 }");
    for text in [JSON, SNDLIB] {
        let found = demands(text, pattern).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found, [(0, 1, 30_000_000), (1, 0, 2_000_000)]);
        let found = demands(text, &scaled).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found, [(0, 1, 300_000), (1, 0, 20_000)]);
    }
    let of_one = |keys: &str| demands(&JSON.replace("n-*", "n-a"), keys).expect("it is valid");
    assert_eq!(of_one(&format!("count = 2\n{pattern}")).len(), 4);
}

#[test]
fn demands_are_refused_where_they_are_wrong() {
    let all = "protocol = \"udp\"\npattern = { kind = \"demands\", topology = \"n\", scale = 1 }";
    for (keys, says) in [
        (all.replace("\"udp\"", "\"tcp\""), "write protocol = \"udp\""),
        (all.replace("protocol = \"udp\"", ""), "write protocol = \"udp\""),
        (format!("rate = \"1 Mbps\"\n{all}"), "`rate` follows from the demands"),
        (all.replace("\"n\"", "\"m\""), "there is no topology `m`"),
        (all.replace("= 1", "= 0.0"), "`scale` must be greater than zero"),
        (all.replace("= 1", "= nan"), "`scale` must be greater than zero"),
        (all.replace("= 1", "= 1e-12"), "the demand from `n-a` to `n-b` never sends anything"),
        (all.replace("topology = \"n\", ", ""), "`topology`"),
    ] {
        let error = demands(JSON, &keys).expect_err(&keys);
        assert!(error.to_string().contains(says), "{error}");
    }
    let error = demands(&gml("length 1"), all).expect_err("there are none");
    assert!(error.message.contains("the topology `n` has no demands"), "{error}");
    let unknown = JSON.replace("\"1\": 30.0", "\"7\": 30.0");
    let error = demands(&unknown, all).expect_err("there is no such node");
    assert!(error.message.contains("net:3:54: a demand names `7`, which is not"), "{error}");
    let negative = JSON.replace("30.0", "-30.0");
    let error = demands(&negative, all).expect_err("it is negative");
    assert!(error.message.contains("`demands`: \"-30.0\" is not a demand"), "{error}");
}

/// An edge of a network drawn at random: its ends, its rate in bit/s, its delay in ns and its loss.
type Edge = (usize, usize, Option<u64>, Option<u64>, Option<f64>);

fn edges(nodes: usize) -> impl Strategy<Value = Vec<Edge>> {
    let value = |most: u64| proptest::option::of(1..most);
    let loss = proptest::option::of(0.0..=1.0);
    let edge = (0..nodes, 0..nodes, value(1_000_000_000), value(1_000_000_000), loss);
    proptest::collection::vec(edge, 0..12)
}

/// The links that such edges make: of each direction its rate, delay and loss.
fn expected(edges: &[Edge], is_directed: bool) -> Vec<([usize; 2], [String; 2])> {
    let mut links: Vec<([usize; 2], [String; 2], bool)> = Vec::new();
    for (from, to, rate, delay, loss) in edges.iter().filter(|it| it.0 != it.1) {
        let loss = loss.unwrap_or_default();
        let (rate, delay) = (rate.unwrap_or(1_000_000), delay.unwrap_or(1_000_000));
        let says = format!("{rate} bps {delay} ns {loss:.9}");
        let back = links.iter_mut().find(|it| it.2 && it.0 == [*to, *from]);
        match back.filter(|_| is_directed) {
            Some(link) => (link.1[1], link.2) = (says, false),
            None => links.push(([*from, *to], [says.clone(), says], is_directed)),
        }
    }
    links.into_iter().map(|(ends, says, _)| (ends, says)).collect()
}

/// The links of the network in a file.
fn made(text: &str) -> Vec<([usize; 2], [String; 2])> {
    let scenario = "duration = \"1 s\"\n[topologies.n]\nkind = \"file\"\nfile = \"net\"\n\
         link = { rate = \"1 Mbps\", delay = \"1 ms\" }\n";
    let study = read_with(scenario, &[("net", text)]);
    let study = study.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let expanded = study.expanded().expect("it is valid");
    assert_eq!(super::plans(&study), super::plans(&super::read(&expanded)), "{expanded}");
    let says = |it: &windtunnel_world::DirectionPlan| {
        let (rate, delay) = (it.rate.bits_per_second(), it.delay.as_nanos());
        let loss = if let Loss::Bernoulli(it) = it.loss { it } else { 0.0 };
        format!("{rate} bps {delay} ns {loss:.9}")
    };
    let links = study.cases[0].plan.links.iter();
    links.map(|it| (it.nodes, it.directions.each_ref().map(says))).collect()
}

/// The values of an edge, each under a name.
fn values(edge: &Edge) -> Vec<(&'static str, String)> {
    let rate = edge.2.map(|it| ("LinkSpeedRaw", it.to_string()));
    let delay = edge.3.map(|it| ("delay", format!("{it} ns")));
    let loss = edge.4.map(|it| ("loss", it.to_string()));
    [rate, delay, loss].into_iter().flatten().collect()
}

fn as_gml(nodes: usize, edges: &[Edge], is_directed: bool) -> String {
    let mut text = format!("graph [ directed {}\n", u8::from(is_directed));
    (0..nodes).for_each(|it| writeln!(text, "node [ id {it} ]").expect("it is a text"));
    for edge in edges {
        let values = values(edge).into_iter().map(|(name, it)| format!("{name} \"{it}\""));
        let values = values.collect::<Vec<_>>().join(" ");
        writeln!(text, "edge [ source {} target {} {values} ]", edge.0, edge.1).expect("a text");
    }
    text + "]"
}

fn as_graphml(nodes: usize, edges: &[Edge], is_directed: bool) -> String {
    let mut text = "<graphml><key id=\"k\" for=\"edge\" attr.name=\"delay\"/>".to_owned();
    let way = if is_directed { "directed" } else { "undirected" };
    write!(text, "<graph edgedefault=\"{way}\">").expect("it is a text");
    (0..nodes).for_each(|it| write!(text, "<node id=\"{it}\"/>").expect("it is a text"));
    for edge in edges {
        write!(text, "<edge source=\"{}\" target=\"{}\">", edge.0, edge.1).expect("it is a text");
        for (name, value) in values(edge) {
            let key = if name == "delay" { "k" } else { name };
            write!(text, "<data key=\"{key}\">{value}</data>").expect("it is a text");
        }
        text += "</edge>";
    }
    text + "</graph></graphml>"
}

fn as_json(nodes: usize, edges: &[Edge], is_directed: bool) -> String {
    let nodes: Vec<String> = (0..nodes).map(|it| format!("{{\"id\": {it}}}")).collect();
    let edge = |edge: &Edge| {
        let values = values(edge).into_iter().map(|(name, it)| format!(", \"{name}\": \"{it}\""));
        let values = values.collect::<String>();
        format!("{{\"source\": {}, \"target\": {}{values}}}", edge.0, edge.1)
    };
    let edges: Vec<String> = edges.iter().map(edge).collect();
    let (nodes, edges) = (nodes.join(", "), edges.join(", "));
    format!("{{\"directed\": {is_directed}, \"nodes\": [{nodes}], \"links\": [{edges}]}}")
}

/// In which links have a rate alone.
fn as_sndlib(nodes: usize, edges: &[Edge]) -> String {
    let nodes: String = (0..nodes).map(|it| format!("<node id=\"{it}\"/>")).collect();
    let link = |edge: &Edge| {
        let rate = edge.2.map(|it| {
            format!("<preInstalledModule><capacity>{it}e-6</capacity></preInstalledModule>")
        });
        let (from, to, rate) = (edge.0, edge.1, rate.unwrap_or_default());
        format!("<link><source>{from}</source><target>{to}</target>{rate}</link>")
    };
    let links: String = edges.iter().map(link).collect();
    let structure = format!("<nodes>{nodes}</nodes><links>{links}</links>");
    format!("<network><networkStructure>{structure}</networkStructure></network>")
}

#[test]
fn no_depth_of_nesting_overflows_the_stack() {
    let deep = 200_000;
    for (open, close) in [("graph [ a [ ", "] "), ("<a>", "</a>"), ("{\"a\":", "}"), ("[", "]")] {
        let _ = study(&open.repeat(deep), ["a", "b"]);
        let _ = study(&(open.repeat(deep) + &close.repeat(deep)), ["a", "b"]);
    }
    let nested = format!("{{\"nodes\": {}{}, \"edges\": []}}", "[".repeat(deep), "]".repeat(deep));
    let _ = study(&nested, ["a", "b"]);
}

proptest! {
    #[test]
    fn a_network_is_the_same_in_all_formats(
        (nodes, edges) in (2_usize..6).prop_flat_map(|it| (Just(it), edges(it))),
        is_directed in any::<bool>(),
    ) {
        let links = expected(&edges, is_directed);
        prop_assert_eq!(&made(&as_gml(nodes, &edges, is_directed)), &links);
        prop_assert_eq!(&made(&as_graphml(nodes, &edges, is_directed)), &links);
        prop_assert_eq!(&made(&as_json(nodes, &edges, is_directed)), &links);
        let of_rates: Vec<Edge> = edges.iter().map(|it| (it.0, it.1, it.2, None, None)).collect();
        prop_assert_eq!(made(&as_sndlib(nodes, &edges)), expected(&of_rates, false));
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,60}|[{\\[<\"]\\PC{0,60}") {
        let _ = study(&text, ["a", "b"]);
    }

    #[test]
    fn no_damage_to_a_file_makes_a_reader_panic(
        which in 0_usize..4,
        place in any::<prop::sample::Index>(),
        length in 0_usize..20,
        put in "[\\[\\]{}<>/\"&;:,0-9a-zé -]{0,6}",
    ) {
        let graphml = as_graphml(2, &[(0, 1, Some(3), Some(4), Some(0.5))], true);
        let gml = gml("label \"&uuml;\" delay \"5 ms\" bandwidth 3 length 2");
        let mut text: Vec<char> = [JSON, SNDLIB, &graphml, &gml][which].chars().collect();
        let start = place.index(text.len());
        let end = (start + length).min(text.len());
        text.splice(start..end, put.chars());
        let _ = study(&text.into_iter().collect::<String>(), ["a", "b"]);
    }
}
