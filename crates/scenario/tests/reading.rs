//! Reading a scenario: from texts alone, and fast.

use std::fmt::Write;
use std::time::{Duration, Instant};

use windtunnel_scenario::{Extensions, Outside, ScenarioError, Study, Unreadable};

/// Reads a text that names only these files.
fn read(text: &str, files: &[(&str, &str)]) -> Result<Study, ScenarioError> {
    let mut text_of = |name: &str| {
        let found = files.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        found.ok_or(Unreadable { why: "no such file".into(), help: "there is none".into() })
    };
    Study::read(
        "memory",
        text,
        &[],
        Outside { extensions: &Extensions::default(), files: &mut text_of },
    )
}

const TRACE: &str = r#"duration = "1 s"
nodes = { a = {}, b = {} }
[links.cell]
nodes = ["a", "b"]
delay = "1 ms"
trace = { file = "cell.trace", kind = "opportunities" }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
"#;

#[test]
fn files_come_from_whoever_calls_the_reader() {
    let study = read(TRACE, &[("cell.trace", "1\n2\n")]).expect("it is valid");
    let files: Vec<(&str, &str)> =
        study.files.iter().map(|(name, text)| (&**name, &**text)).collect();
    assert_eq!(files, [("cell.trace", "1\n2\n")]);
    let error = read(TRACE, &[]).expect_err("there is no such file");
    assert_eq!(error.message, "cell.trace: no such file");
    assert_eq!(error.help.as_deref(), Some("there is none"));
}

/// A tree of this many nodes with as many links across it, and 20 producers.
fn network(nodes: usize) -> String {
    let mut text = "duration = \"1 s\"\nrouting.paths = \"all\"\n[defaults]\n".to_owned();
    text += "link = { rate = \"10 Mbps\", delay = \"1 ms\" }\n";
    text += "consumer = { controller = \"aimd\" }\nproducer = { response_delay = \"1 ms\" }\n";
    let mut table = |name: &str, line: &dyn Fn(usize) -> String, count: usize| {
        writeln!(text, "[{name}]").expect("a text grows");
        (0..count).for_each(|it| writeln!(text, "{}", line(it)).expect("a text grows"));
    };
    table("nodes", &|it| format!("n{it} = {{}}"), nodes);
    let up = |it: usize| format!("u{it} = {{ nodes = [\"n{}\", \"n{}\"] }}", it + 1, it / 3);
    let across = |it: usize| {
        let [from, to] = [it, (it * 7 + 1) % nodes];
        let to = if from == to { (to + 1) % nodes } else { to };
        format!("{}\na{it} = {{ nodes = [\"n{from}\", \"n{to}\"] }}", up(it))
    };
    table("links", &across, nodes - 1);
    table(
        "producers",
        &|it| format!("p{it} = {{ node = \"n{}\", prefix = \"/p{it}\" }}", it * 9),
        20,
    );
    let consumer = |it: usize| {
        format!("c{it} = {{ node = \"n{}\", prefix = \"/p{}/x{it}\" }}", it + 1, it % 20)
    };
    table("consumers", &consumer, nodes - 1);
    text
}

#[test]
fn a_network_of_a_thousand_nodes_is_read_in_seconds() {
    let text = network(1000);
    let started = Instant::now();
    let study = read(&text, &[]).expect("it is valid");
    // It takes a quarter of a second on a quiet machine, and minutes if each pair of nodes counts.
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    let plan = &study.cases[0].plan;
    assert_eq!((plan.nodes.len(), plan.links.len(), plan.consumers.len()), (1000, 1998, 999));
}

const SATELLITES: &str = r#"duration = "1 s"
nodes = { a = { place = ["50°", "0°"] } }
[constellations.c]
tle = { file = "elements" }
inter_satellite_links = { rate = "1 Gbps" }
ground_links = { rate = "10 Mbps", maximum_range = "14000 km" }
"#;

const LINES: &str = "1 FORERUNNER
1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992
2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008
";

const MESSAGE: &str = r#"{"OBJECT_NAME":"1 FORERUNNER","OBJECT_ID":"1998-067A",
"EPOCH":"2020-07-12T21:16:01.000416","MEAN_MOTION":15.49507896,"ECCENTRICITY":0.0001413,
"INCLINATION":51.6461,"RA_OF_ASC_NODE":221.2784,"ARG_OF_PERICENTER":89.1723,"MEAN_ANOMALY":280.4612,
"EPHEMERIS_TYPE":0,"CLASSIFICATION_TYPE":"U","NORAD_CAT_ID":270544,"ELEMENT_SET_NO":999,
"REV_AT_EPOCH":23600,"BSTAR":-3.1515e-05,"MEAN_MOTION_DOT":-2.218e-05,"MEAN_MOTION_DDOT":0}"#;

#[test]
fn satellites_come_from_two_lines_and_from_messages() {
    for elements in [LINES, MESSAGE, &format!("[{MESSAGE}]")] {
        let study = read(SATELLITES, &[("elements", elements)]).expect("it is valid");
        let names: Vec<&str> = study.cases[0].plan.nodes.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["a", "1 FORERUNNER"]);
    }
}

#[test]
fn a_wrong_element_set_is_said_with_its_file_and_place() {
    for (elements, expected) in [
        (LINES.replace("9992", "9993"), "elements: line 2: its checksum is 3"),
        (LINES.replace("236008", ""), "elements: line 3: it has 63 characters, not 69"),
        (
            format!("[{MESSAGE},{}]", MESSAGE.replace("15.4", "x")),
            "elements: line 6: expected value",
        ),
        (
            format!("[{MESSAGE},{}]", MESSAGE.replace("15.49507896", "\"x\"")),
            "elements: record 2: MEAN_MOTION: invalid float literal",
        ),
        (MESSAGE.replace("BSTAR", "B*"), "elements: record 1: missing field `BSTAR`"),
        ("EPOCH,MEAN_MOTION\nnow".into(), "elements: line 2: it has 1 values"),
        ("<omm/>".into(), "elements: line 1: no line 1 follows it"),
    ] {
        let error = read(SATELLITES, &[("elements", &elements)]).expect_err("it is wrong");
        assert!(error.message.starts_with(expected), "{}, not {expected}", error.message);
        assert!(error.help.as_deref().is_some_and(|it| it.contains("OMM")), "{:?}", error.help);
        assert_eq!(error.place.map(|it| it.line), Some(4));
    }
}
