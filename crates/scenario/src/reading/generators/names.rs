//! Nodes by their names, in which `*` stands for any characters.

use crate::reading::error::{Mistake, list};
use crate::reading::tree::{Entry, Value};

/// The nodes whose names are like a text under a key, in which `*` is for any characters.
pub(super) fn nodes_like<'a>(
    group: &Entry,
    entries: &[Entry],
    key: &'static str,
    nodes: &[&'a str],
) -> Result<Vec<&'a str>, Mistake> {
    let Some(entry) = entries.iter().find(|it| it.key == key) else {
        return Err(Mistake::new(format!("`{}` has no `{key}`", group.key))
            .at(group.span.clone())
            .help(format!("write nodes, such as {key} = \"host-*\"")));
    };
    let Value::Text(like) = &entry.node.value else {
        return Err(Mistake::new(format!("`{key}` must be text"))
            .at(entry.node.span.clone())
            .help(format!("write {key} = \"host-*\"")));
    };
    let found: Vec<&str> = nodes.iter().copied().filter(|it| is_named(it, like)).collect();
    if found.is_empty() {
        return Err(Mistake::new(format!("there is no node `{like}`"))
            .at(entry.node.span.clone())
            .help(format!("`*` stands for any characters; nodes: {}", list(nodes))));
    }
    Ok(found)
}

/// Whether a name is like a text in which `*` stands for any characters.
pub(super) fn is_named(name: &str, like: &str) -> bool {
    let mut parts = like.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(found) = rest.find(part) else { return false };
        rest = &rest[found + part.len()..];
    }
    rest.ends_with(last)
}
