//! Wrong links: one message with the place, and what would be right.

use windtunnel_scenario::{Extensions, Outside, ScenarioError, Study, Unreadable};

fn read(keys: &str) -> Result<Study, ScenarioError> {
    read_with(keys, None)
}

/// The same where each file that is named has that text.
fn read_with(keys: &str, text_of_files: Option<&str>) -> Result<Study, ScenarioError> {
    let text = format!(
        "duration = \"1 s\"\nnodes = {{ a = {{}}, b = {{}} }}\n[links.l]\nnodes = [\"a\", \"b\"]\n\
         rate = \"1 Mbps\"\ndelay = \"1 ms\"\n{keys}\n[flows.f]\nfrom = \"a\"\nto = \"b\"\n\
         controller = \"cubic\"\n"
    );
    let unreadable = || Unreadable { why: "no such file".into(), help: "there is none".into() };
    let mut text_of = |_: &str| text_of_files.map(str::to_owned).ok_or_else(unreadable);
    let extensions = Extensions::default();
    let outside = Outside { extensions: &extensions, files: &mut text_of };
    Study::read("memory", &text, &[], outside)
}

#[track_caller]
fn assert_refused(keys: &str, says: &str) {
    let error = read(keys).expect_err(keys);
    assert!(error.place.is_some() && error.to_string().contains(says), "{error}");
}

#[test]
fn jitter_is_refused_where_it_is_wrong() {
    assert_refused("jitter = { kind = \"normal\", mean = \"1 ms\" }", "`deviation`");
    assert_refused("jitter = { kind = \"uniform\", most = \"0 ms\" }", "greater than zero");
    assert_refused("jitter = { kind = \"uniform\", mean = \"1 ms\" }", "`mean`");
    assert_refused("jitter = { kind = \"unifrom\", most = \"1 ms\" }", "`uniform`");
    let jitter = "jitter = { most = \"1 ms\" }\n";
    for other in ["mixing = \"1 ms\"", "duplication = \"1 %\""] {
        assert_refused(
            &format!("{jitter}{other}"),
            "cannot be set beside what else delays or duplicates",
        );
    }
    read(jitter).expect("it is uniform and keeps the order");
}

const TABLE: &str =
    "jitter = { kind = \"table\", file = \"a.dist\", mean = \"2 ms\", deviation = \"1 ms\" }";

#[test]
fn jitter_as_netem_has_it_is_read() {
    for kind in ["normal", "pareto", "paretonormal"] {
        let keys = "mean = \"20 ms\", deviation = \"20 ms\", correlation = \"25 %\"";
        read(&format!("jitter = {{ kind = \"{kind}\", {keys} }}")).expect(kind);
        let keys = keys.replace("25 %", "100 %");
        let jitter = format!("jitter = {{ kind = \"{kind}\", {keys} }}");
        assert_refused(&jitter, "`correlation` must be less than 100 %");
    }
    let study = read_with(TABLE, Some("# a comment\n -8192 0\n4096\t32767\r\n")).expect("valid");
    let plan = format!("{:?}", study.cases[0].plan.links[0].directions[0].impairment.jitter);
    assert!(plan.contains("Table([-8192, 0, 4096, 32767])"), "{plan}");
}

#[test]
fn a_table_of_delays_is_refused_where_it_is_wrong() {
    assert_refused(TABLE, "a.dist: no such file");
    for (text, says) in [
        ("", "the table is empty"),
        ("1 2\n3 32768", "a.dist:2:1"),
        ("1 2\n3 32768", "\"32768\" is not an entry of a table of delays"),
        ("1.5", "\"1.5\" is not an entry of a table of delays"),
    ] {
        let error = read_with(TABLE, Some(text)).expect_err(text).to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn reordering_is_refused_where_it_is_wrong() {
    let late = |keys: &str| format!("reordering = {{ {keys}, lateness = \"10 ms\" }}");
    assert_refused(&late("kind = \"periodic\", every = 0"), "`every` must be greater than zero");
    assert_refused(&late("every = 50"), "a key of `periodic`");
    for numbers in ["[]", "[0, 1]", "[3, 2]"] {
        let listed = late(&format!("kind = \"listed\", packets = {numbers}"));
        assert_refused(&listed, "increasing numbers, from 1");
    }
    assert_refused("reordering = { kind = \"listed\", packets = [1] }", "`lateness`");
    for keys in ["probability = \"1 %\"", "kind = \"periodic\", every = 50"] {
        read(&late(keys)).expect(keys);
    }
}

#[test]
fn listed_losses_are_refused_where_they_are_wrong() {
    for numbers in ["[]", "[0, 1]", "[3, 2]", "[2, 2]"] {
        let loss = format!("loss = {{ kind = \"listed\", packets = {numbers} }}");
        assert_refused(&loss, "increasing numbers, from 1");
    }
    assert_refused("loss = { kind = \"listed\" }", "`packets`");
    assert_refused("loss = { kind = \"listed\", packets = [\"a\"] }", "a whole number from 0");
}
