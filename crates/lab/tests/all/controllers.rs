//! Controllers under names of the file's own.

use windtunnel_lab::{ScenarioError, Study};

const NETWORK: &str = r#"
    duration = "1 s"
    nodes = { a = {}, b = {} }
    links.wire = { nodes = ["a", "b"], rate = "1 Mbps", delay = "1 ms" }
    producers.p = { node = "b", prefix = "/p" }
    consumers.c = { node = "a", prefix = "/p" }
"#;

fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read("test", &format!("{NETWORK}\n{text}"), &[])
}

fn beta_of(study: &Study, case: usize) -> (&'static str, f64) {
    let controller = &study.cases[case].plan.consumers[0].controller;
    (controller.description().name, controller.number("beta"))
}

#[test]
fn a_name_of_the_files_own_stands_for_a_controller_with_its_parameters() {
    let text = r#"
        controllers.mine = { kind = "cubic", beta = 0.8 }
        defaults.consumer.controller = "mine"
    "#;
    assert_eq!(beta_of(&read(text).unwrap(), 0), ("cubic", 0.8));
}

#[test]
fn a_name_of_the_files_own_goes_before_a_registered_one() {
    let text = r#"
        controllers.cubic = { kind = "aimd", beta = 0.25 }
        defaults.consumer.controller = "cubic"
    "#;
    assert_eq!(beta_of(&read(text).unwrap(), 0), ("aimd", 0.25));
    // A table says itself what it is.
    let table = text.replace("\"cubic\"\n", "{ kind = \"cubic\", beta = 0.5 }\n");
    assert_eq!(beta_of(&read(&table).unwrap(), 0), ("cubic", 0.5));
}

#[test]
fn a_comparison_changes_a_named_controller_for_those_that_use_it() {
    let text = r#"
        controllers = { one = { kind = "cubic" }, other = { kind = "aimd" } }
        [compare.controller]
        one = { "defaults.consumer.controller" = "one" }
        other = { "defaults.consumer.controller" = "other" }
        [compare.reading]
        default = {}
        slow = { "controllers.one.beta" = 0.9 }
    "#;
    let study = read(text).unwrap();
    let betas: Vec<f64> = (0..4).map(|it| beta_of(&study, it).1).collect();
    assert_eq!(betas, [0.7, 0.9, 0.5, 0.5]);
}

#[test]
fn a_mistake_in_a_named_controller_is_told_though_nobody_uses_it() {
    let text = r#"
        controllers.mine = { kind = "cubik" }
        defaults.consumer.controller = "aimd"
    "#;
    let error = read(text).unwrap_err();
    assert_eq!(error.message, "there is no controller `cubik`");
    let help = error.help.unwrap();
    // Only a registered controller can be given a name.
    assert!(help.contains("did you mean `cubic`?") && !help.contains("`mine`"), "{help}");
}

#[test]
fn where_a_name_is_unknown_the_files_own_are_offered_too_and_each_once() {
    let text = r#"
        controllers = { cubic = { kind = "cubic" }, mine = { kind = "aimd" } }
        defaults.consumer.controller = "nowhere"
    "#;
    let help = read(text).unwrap_err().help.unwrap();
    assert_eq!(help.matches("`cubic`").count(), 1, "{help}");
    assert!(help.contains("`mine`"), "{help}");
}

const RESUMING: &str = "controllers.mine = { kind = \"cubic\", resume = { cwnd = 300, rtt = \"600 ms\" } }\n\
                        defaults.consumer.controller = \"mine\"\n";

#[test]
fn a_controller_resumes_what_its_table_says() {
    let study = read(RESUMING).unwrap();
    let saved = study.cases[0].plan.consumers[0].controller.saved_path().unwrap();
    assert_eq!((saved.cwnd, saved.rtt), (300.0, 600_000_000));
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    for (part, wrong, message) in [
        ("\"cubic\", resume", "\"bbr3\", ¶resume", "`bbr3` cannot resume"),
        ("{ cwnd = 300, rtt = \"600 ms\" }", "¶true", "`resume` must be a table"),
        ("300", "¶0", "`cwnd` is out of range"),
        ("300", "¶nan", "`cwnd` is out of range"),
        ("\"600 ms\"", "¶\"0 s\"", "`rtt` must be greater than zero"),
        ("\"600 ms\"", "¶600", "\"600\" has no unit"),
        ("rtt", "¶rt", "unknown field `rt`, expected `cwnd` or `rtt`"),
        ("resume", "¶beta", "`beta` cannot be a table"),
    ] {
        let marked = RESUMING.replacen(part, wrong, 1);
        let whole = format!("{NETWORK}\n{marked}");
        let error = crate::common::refused(&whole, |it| windtunnel_lab::read("test", it, &[]));
        crate::common::assert_contains(&error, &[message]);
    }
}
