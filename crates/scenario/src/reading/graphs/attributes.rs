//! What a file says of a node, an edge or the whole graph.

use std::ops::Range;

use crate::reading::error::Mistake;

/// A value under a name. Numbers are kept as their text.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: String,
    /// Where it is in the file.
    pub(super) span: Range<usize>,
}

/// Texts that stand for no value in files that other programs write.
const NOTHING: [&str; 6] = ["", "none", "null", "nan", "n/a", "unknown"];

impl Attribute {
    /// Whether it is under that name, in upper or lower case.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// What is wrong with it.
    pub(super) fn mistake(&self, message: impl std::fmt::Display) -> Mistake {
        Mistake::new(format!("`{}`: {message}", self.name)).at(self.span.clone())
    }
}

/// The first of these names under which there is a value.
pub(super) fn first<'a>(all: &'a [Attribute], names: &[&str]) -> Option<&'a Attribute> {
    names.iter().find_map(|name| {
        let mut named = all.iter().filter(|it| it.is_named(name));
        named.find(|it| !NOTHING.iter().any(|none| it.value.trim().eq_ignore_ascii_case(none)))
    })
}
