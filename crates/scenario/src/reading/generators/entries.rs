//! Entries as if a file had them, and how many things one table may stand for.

use std::ops::Range;

use crate::reading::tree::{Entry, Node as Tree, Value};

/// The most things that one table stands for.
pub(super) const MOST: usize = 100_000;

/// Text under a key, as if it were in the file at that place.
pub(super) fn text(key: &str, text: impl Into<String>, span: &Range<usize>) -> Entry {
    entry(key, Value::Text(text.into()), span)
}

/// A value under a key, as if it were in the file at that place.
pub(super) fn entry(key: &str, value: Value, span: &Range<usize>) -> Entry {
    let node = Tree { span: span.clone(), value };
    let (key, span) = (key.to_owned(), span.clone());
    Entry { key, span, node, is_default: false, found_under: None }
}

/// Sets a key of a table.
pub(super) fn set(entries: &mut Vec<Entry>, new: Entry) {
    match entries.iter_mut().find(|it| it.key == new.key) {
        Some(old) => *old = new,
        None => entries.push(new),
    }
}
