//! Our TCP passes the suites that come with Windtunnel, each segment at its time.

use std::fs;
use std::path::{Path, PathBuf};

use windtunnel_packetdrill::{Script, Verdict, play};

/// The scripts of all suites.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/windtunnel/conformance/suites");
    let inside = |it: &Path| fs::read_dir(it).unwrap().map(|it| it.unwrap().path());
    let folders = inside(&folder).filter(|it| it.is_dir());
    let mut files: Vec<_> = folders.flat_map(|it| inside(&it).collect::<Vec<_>>()).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "pkt"));
    files.sort();
    files
}

#[test]
fn tcp_does_what_its_suites_say() {
    let files = files();
    assert!(files.len() > 80);
    let mut wrong = String::new();
    for file in files {
        let name = file.display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        let script = Script::read(&name, &text).unwrap_or_else(|it| panic!("{it}"));
        let outcome = play(&script);
        if outcome.verdict != Verdict::Passes {
            wrong += &format!("{name}: {:#?}\n", outcome.verdict);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_script_of_a_suite_says_what_it_checks_and_where_that_is_written() {
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        let comment: String = text
            .lines()
            .take_while(|it| it.starts_with("//"))
            .map(|it| format!("{} ", it.trim_start_matches("//").trim()))
            .collect();
        let (source, holds) = comment.trim().split_once(": ").unwrap_or_default();
        let name = file.display();
        assert!(source.starts_with("RFC "), "{name}: {comment}");
        assert!(holds.ends_with('.'), "{name}: {comment}");
        assert!(holds.starts_with(char::is_uppercase), "{name}: {comment}");
    }
}
