//! A small valid scenario, and changes to it.

#![allow(dead_code, reason = "each test file uses its own part")]

use windtunnel_lab::{ScenarioError, Study};

pub(crate) const FILE: &str = "folder/scenario.toml";

pub(crate) const VALID: &str = r#"title = "Two links"
duration = "2 s"
seed = 7
nodes = { a = {}, b = {}, c = {} }
[links]
first = { nodes = ["a", "b"], rate = "10 Mbps", delay = "1 ms" }
second = { nodes = ["b", "c"], rate = "5 Mbps", delay = "2 ms", loss = { probability = "1 %" } }
[defaults.link]
queue = { kind = "codel", limit = "50 packets" }
[producers.video]
node = "c"
prefix = "/video"
[consumers.viewer]
node = "a"
prefix = "/video"
controller = "cubic"
[routing]
metric = "hops"
"#;

/// The valid scenario with one thing in another's place.
pub(crate) fn changed(old: &str, new: &str) -> String {
    assert_eq!(VALID.matches(old).count(), 1, "{old} stands there once");
    VALID.replacen(old, new, 1)
}

/// The valid scenario with more at its end.
pub(crate) fn with(more: &str) -> String {
    format!("{VALID}{more}")
}

pub(crate) fn read(text: &str) -> Result<Study, ScenarioError> {
    Study::read(FILE, text, &[])
}

pub(crate) fn set(text: &str, settings: &[(&str, &str)]) -> Result<Study, ScenarioError> {
    let owned = |(path, value): &(&str, &str)| ((*path).to_owned(), (*value).to_owned());
    Study::read(FILE, text, &settings.iter().map(owned).collect::<Vec<_>>())
}
