//! Every registered controller passes the suites that are made for it, or fails as is known.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use windtunnel_conformance::{FlowQuantity, Quantity, Suite, Verdict, play, play_over};
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

#[test]
fn over_another_stack_only_networks_are_played() {
    let suite = on_a_network("{ from = \"1 s\", to = \"2 s\", goodput = { least = 5 } }");
    let case = &suite.cases[0];
    let verdict = |measured| play_over(case, "bbr", None, |_| measured).verdict;
    assert_eq!(verdict(Ok(vec![Some(5.0)])), Verdict::Passes);
    assert!(matches!(verdict(Ok(vec![Some(4.9)])), Verdict::Fails(_)));
    assert!(matches!(verdict(Err("it stopped".into())), Verdict::Fails(_)));
    let with_steps = suites().into_iter().flat_map(|it| it.cases).find(|it| it.network.is_none());
    let found = play_over(&with_steps.unwrap(), "bbr", None, |_| panic!("there is no network"));
    assert!(matches!(found.verdict, Verdict::DoesNotApply { .. }), "{:?}", found.verdict);
}

#[test]
fn needs_that_are_known_to_be_missing_are_named() {
    let mut suite = suites().into_iter().find(|it| it.title.starts_with("BBR")).unwrap();
    let at = suite.cases.iter().position(|it| it.network.is_some()).unwrap();
    let case = suite.cases.swap_remove(at);
    let verdict = |needs: Option<&[String]>| play_over(&case, "mine", needs, |_| Err("x".into()));
    let Verdict::DoesNotApply { reason } = verdict(Some(&[])).verdict else {
        panic!("it applies");
    };
    assert_eq!(reason, "`mine` does not declare the need `pacing`");
    let both = ["pacing".to_owned(), "delivery-rate".to_owned()];
    assert!(verdict(Some(&both)).verdict.is_wrong());
    assert!(verdict(None).verdict.is_wrong());
}
