//! Every registered controller passes the suites that are made for it, or fails as is known.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use windtunnel_conformance::{Suite, play};
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
            for case in &suite.cases {
                let verdict = play(case, &settings(name)).verdict;
                if verdict.is_wrong() {
                    let case = &case.name.value;
                    writeln!(wrong, "{} {name} {case}: {verdict:?}", suite.title).unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
