//! A tree of values as a text of TOML.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value as Written};

use crate::reading::tree::{Node as Tree, Value};

/// The text of a file: each thing on a line of its own.
pub(crate) fn write(file: &Tree) -> String {
    let mut document = DocumentMut::new();
    for entry in file.entries().unwrap_or_default() {
        let item = match &entry.node.value {
            Value::Table(things) => {
                let mut table = Table::new();
                for thing in things {
                    table.insert(&thing.key, Item::Value(commented(&thing.node)));
                }
                Item::Table(table)
            }
            _ => Item::Value(value(&entry.node)),
        };
        document.insert(&entry.key, item);
    }
    document.to_string()
}

/// The lines of a comment: each of these texts is one.
pub(crate) fn comment(lines: &[String]) -> String {
    lines.iter().map(|it| format!("# {}\n", in_one_line(it))).collect()
}

/// A text without what would end a comment.
fn in_one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}

/// A value, and which of its keys come from the file of a topology.
fn commented(node: &Tree) -> Written {
    let mut written = value(node);
    let entries = node.entries().unwrap_or_default().iter();
    let found = entries.filter_map(|it| {
        Some(format!("{} from the file ({})", it.key, in_one_line(it.found_under.as_ref()?)))
    });
    let found: Vec<String> = found.collect();
    if !found.is_empty() {
        written.decor_mut().set_suffix(format!(" # {}", found.join(", ")));
    }
    written
}

fn value(node: &Tree) -> Written {
    match &node.value {
        Value::Text(it) => it.as_str().into(),
        Value::Integer(it) => (*it).into(),
        Value::Float(it) => (*it).into(),
        Value::Flag(it) => (*it).into(),
        Value::Date(it) => it.parse().unwrap_or_else(|_| it.as_str().into()),
        Value::Array(items) => Written::Array(items.iter().map(value).collect::<Array>()),
        Value::Table(entries) => {
            let entries = entries.iter().map(|it| (it.key.as_str(), value(&it.node)));
            Written::InlineTable(entries.collect::<InlineTable>())
        }
    }
}
