//! What of a scenario's text decides how its world begins.

use std::sync::Arc;

use toml::{Table, Value};

/// A scenario's text without the changes of its links, in one form however it was written.
pub(crate) fn without_changes(text: &str) -> Option<Arc<str>> {
    let mut scenario: Table = text.parse().ok()?;
    let links = scenario.get_mut("links").and_then(Value::as_table_mut);
    for (_, link) in links.into_iter().flatten() {
        link.as_table_mut().map(|it| it.remove("changes"));
    }
    Some(scenario.to_string().into())
}
