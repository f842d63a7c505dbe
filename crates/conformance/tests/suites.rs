//! Every registered controller passes the suites that are made for it, or fails as is known.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use windtunnel_conformance::{FlowQuantity, Quantity, Suite, Verdict, play};
use windtunnel_controllers::{DESCRIPTIONS, Settings};

fn suites() -> Vec<Suite> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../python/windtunnel/conformance/suites");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        Suite::read(&file.display().to_string(), &text).unwrap_or_else(|it| panic!("{it}"))
    };
    files.iter().filter(|it| it.extension().is_some_and(|it| it == "toml")).map(read).collect()
}

fn settings(name: &str) -> Settings {
    Settings::defaults(DESCRIPTIONS.iter().find(|it| it.name == name).expect(name))
}

#[test]
fn controllers_do_what_their_suites_say() {
    let mut wrong = String::new();
    for suite in suites() {
        for name in &suite.controllers {
            // What needs a network is played where there is one.
            for case in suite.cases.iter().filter(|it| it.network.is_none()) {
                let verdict = play(case, &settings(name), |_| Ok(Vec::new())).verdict;
                if verdict.is_wrong() {
                    let case = &case.name.value;
                    writeln!(wrong, "{} {name} {case}: {verdict:?}", suite.title).unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// A case on a network, with what it expects.
fn on_a_network(expect: &str) -> Suite {
    let text = format!(
        "title = \"T\"\ndocument = \"D\"\ncontrollers = [\"reno\"]\n[[cases]]\nname = \"n\"\n\
         holds = \"H\"\nsource = \"S\"\n[cases.network]\nscenario = \"\"\nexpect = [{expect}]\n"
    );
    Suite::read("t.toml", &text).unwrap_or_else(|it| panic!("{it}"))
}

#[test]
fn what_is_measured_on_a_network_is_compared_in_order() {
    let suite = on_a_network(
        "{ from = \"1 s\", to = \"2 s\", goodput = { least = 5 }, loss = { most = 0.1 } }, \
         { from = \"2 s\", to = \"4 s\", cwnd = 7 }",
    );
    let case = &suite.cases[0];
    let verdict = |values: [Option<f64>; 3]| {
        play(case, &settings("reno"), |network| {
            assert_eq!(network.measurements().len(), 3);
            Ok(values.to_vec())
        })
        .verdict
    };
    assert_eq!(verdict([Some(5.0), Some(0.1), Some(7.0)]), Verdict::Passes);
    let failure = |values| match verdict(values) {
        Verdict::Fails(it) => (it.quantity.unwrap(), it.from_s.unwrap(), it.time_s),
        other => panic!("{other:?}"),
    };
    use FlowQuantity as Q;
    assert_eq!(failure([Some(4.9), None, None]), (Quantity::Flow(Q::Goodput), 1.0, 2.0));
    assert_eq!(failure([Some(9.0), Some(0.2), None]), (Quantity::Flow(Q::Loss), 1.0, 2.0));
    assert_eq!(failure([Some(9.0), Some(0.0), None]), (Quantity::Flow(Q::Cwnd), 2.0, 4.0));
}

#[test]
fn a_network_that_cannot_be_simulated_fails_its_case() {
    let suite = on_a_network("{ from = \"1 s\", to = \"2 s\", cwnd = 7 }");
    let found = play(&suite.cases[0], &settings("reno"), |_| Err("division by zero".into()));
    let Verdict::Fails(failure) = found.verdict else { panic!("{:?}", found.verdict) };
    assert!(failure.expected.contains("division by zero"), "{failure:?}");
}

#[test]
fn a_case_has_steps_or_a_network_with_intervals() {
    let refused = |rest: &str| {
        let text = format!(
            "title = \"T\"\ndocument = \"D\"\ncontrollers = []\n[[cases]]\nname = \"n\"\n\
             holds = \"H\"\nsource = \"S\"\n{rest}"
        );
        Suite::read("t.toml", &text).unwrap_err().to_string()
    };
    assert!(refused("").contains("either `steps` or a `network`"));
    let interval = |it: &str| refused(&format!("network = {{ scenario = \"\", expect = [{it}] }}"));
    assert!(interval("{ from = \"2 s\", to = \"2 s\", cwnd = 1 }").contains("less than `to`"));
    assert!(interval("{ from = \"1 s\", to = \"2 s\" }").contains("nothing is expected"));
}
