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
        Outside { extensions: &Extensions::default(), files: &mut text_of, columns: &["run"] },
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

#[test]
fn no_axis_has_the_name_of_a_column_that_the_caller_gives() {
    let text = format!("{TRACE}[compare.run]\none = {{}}\n");
    let error = read(&text, &[("cell.trace", "1\n")]).expect_err("the name is taken");
    assert_eq!(error.message, "`run` is already a column of the results");
}

/// A tree of so many nodes with as many links across it, and 20 producers.
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
fn a_network_of_a_thousand_nodes_is_read_within_a_second() {
    let text = network(1000);
    let started = Instant::now();
    let study = read(&text, &[]).expect("it is valid");
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    let plan = &study.cases[0].plan;
    assert_eq!((plan.nodes.len(), plan.links.len(), plan.consumers.len()), (1000, 1998, 999));
}
