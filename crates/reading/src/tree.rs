//! A file as a tree of values, each with its place in the text.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Mistake, ScenarioError};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Which bytes of the text it is.
    pub span: Range<usize>,
    /// The value.
    pub value: Value,
}

/// A value of TOML. A date is kept as its text: no key takes one.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// True or false.
    Flag(bool),
    /// A date or a time.
    Date(String),
    /// Values in their order.
    Array(Vec<Node>),
    /// Keys in their order.
    Table(Vec<Entry>),
}

/// A key of a table and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Which bytes of the text the key is.
    pub span: Range<usize>,
    /// The value.
    pub node: Node,
    /// Whether it comes from `[defaults]`.
    pub is_default: bool,
    /// The names under which the file of a topology has the value, if it comes from one.
    pub found_under: Option<String>,
}

/// Reads a text as TOML.
///
/// # Errors
/// [`Mistake`] says where it is not.
pub fn parse(text: &str) -> Result<Node, Mistake> {
    let table =
        DeTable::parse(text).map_err(|it| Mistake::not_toml(text, it.message(), it.span()))?;
    let span = table.span();
    Ok(Node { span, value: Value::Table(entries(table.into_inner())?) })
}

/// Checks that a text is TOML.
///
/// # Errors
/// [`ScenarioError`] says where it is not.
pub fn check_toml(file: &str, text: &str) -> Result<(), ScenarioError> {
    parse(text).map(drop).map_err(|it| it.locate(file, text, None))
}

fn entries(table: DeTable<'_>) -> Result<Vec<Entry>, Mistake> {
    let entry = |(key, value): (Spanned<_>, _)| {
        let span = key.span();
        let key: std::borrow::Cow<'_, str> = key.into_inner();
        let (key, node) = (key.into_owned(), node(value)?);
        Ok(Entry { key, span, node, is_default: false, found_under: None })
    };
    table.into_iter().map(entry).collect()
}

fn node(value: Spanned<DeValue<'_>>) -> Result<Node, Mistake> {
    let span = value.span();
    let value = match value.into_inner() {
        DeValue::String(it) => Value::Text(it.into_owned()),
        DeValue::Integer(it) => {
            let number = i64::from_str_radix(it.as_str(), it.radix());
            Value::Integer(number.map_err(|_| too_large(&it.to_string(), &span))?)
        }
        DeValue::Float(it) => {
            Value::Float(it.as_str().parse().map_err(|_| too_large(it.as_str(), &span))?)
        }
        DeValue::Boolean(it) => Value::Flag(it),
        DeValue::Datetime(it) => Value::Date(it.to_string()),
        DeValue::Array(it) => Value::Array(it.into_iter().map(node).collect::<Result<_, _>>()?),
        DeValue::Table(it) => Value::Table(entries(it)?),
    };
    Ok(Node { span, value })
}

fn too_large(number: &str, span: &Range<usize>) -> Mistake {
    Mistake::new(format!("`{number}` is too large")).at(span.clone())
}

impl Node {
    /// Its entries, if it is a table.
    #[must_use]
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// What a table has under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()?.iter().find(|it| it.key == key).map(|it| &it.node)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries_mut()?.iter_mut().find(|it| it.key == key).map(|it| &mut it.node)
    }
}
