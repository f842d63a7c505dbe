//! Wrong links: one message with the place, and what would be right.

use windtunnel_scenario::{Extensions, Outside, ScenarioError, Study, Unreadable};

fn read(keys: &str) -> Result<Study, ScenarioError> {
    let text = format!(
        "duration = \"1 s\"\nnodes = {{ a = {{}}, b = {{}} }}\n[links.l]\nnodes = [\"a\", \"b\"]\n\
         rate = \"1 Mbps\"\ndelay = \"1 ms\"\n{keys}\n[flows.f]\nfrom = \"a\"\nto = \"b\"\n\
         controller = \"cubic\"\n"
    );
    let mut text_of =
        |_: &str| Err(Unreadable { why: "no such file".into(), help: "there is none".into() });
    let extensions = Extensions::default();
    let outside = Outside { extensions: &extensions, files: &mut text_of, columns: &[] };
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
        assert_refused(&format!("{jitter}{other}"), "nothing else may delay or duplicate");
    }
    read(jitter).expect("it is uniform and keeps the order");
}

#[test]
fn listed_losses_are_refused_where_they_are_wrong() {
    for numbers in ["[]", "[0, 1]", "[3, 2]", "[2, 2]"] {
        let loss = format!("loss = {{ kind = \"listed\", packets = {numbers} }}");
        assert_refused(&loss, "numbers from 1 that rise");
    }
    assert_refused("loss = { kind = \"listed\" }", "`packets`");
    assert_refused("loss = { kind = \"listed\", packets = [\"a\"] }", "a whole number from 0");
}
