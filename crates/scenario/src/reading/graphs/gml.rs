//! GML, the Graph Modelling Language (Himsolt 1997).

use std::ops::Range;

use super::attributes::Attribute;
use super::entities::decoded;
use super::format::HELP;
use super::graph::Graph;
use super::reading::{Ends, Of, Reading};
use crate::reading::error::Mistake;

/// A word of a file, with its place.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    text: &'a str,
    start: usize,
}

impl Word<'_> {
    fn span(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// Reads a file in GML.
pub(super) fn read(text: &str, mut reading: Reading<'_>) -> Result<Graph, Mistake> {
    let mut words = Words { text, at: text.len() - text.trim_start_matches('\u{feff}').len() };
    while let Some(key) = words.next()? {
        let value = words.value(key)?;
        match (key.text, value.text) {
            ("graph", "[") => graph(&mut words, &mut reading)?,
            _ => other(&mut words, &mut reading, key, value)?,
        }
    }
    Ok(reading.graph())
}

/// Reads what is in `graph [ … ]`.
fn graph(words: &mut Words<'_>, reading: &mut Reading<'_>) -> Result<(), Mistake> {
    let open = words.at.saturating_sub(1);
    let mut edges = Vec::new();
    let mut is_directed = false;
    loop {
        let key = words.next()?.ok_or_else(|| unclosed(open))?;
        if key.text == "]" {
            break;
        }
        let value = words.value(key)?;
        match (key.text, value.text) {
            ("directed", it) if it != "[" => is_directed = it == "1",
            ("node", "[") => node(reading, key, attributes(words, value)?)?,
            // Its nodes may come later.
            ("edge", "[") => edges.push((key, attributes(words, value)?)),
            ("multigraph", "0" | "1") => {}
            _ => other(words, reading, key, value)?,
        }
    }
    edges.into_iter().try_for_each(|(key, says)| edge(reading, is_directed, key, says))
}

fn node(reading: &mut Reading<'_>, key: Word<'_>, mut says: Vec<Attribute>) -> Result<(), Mistake> {
    let id = taken(&mut says, "id", key)?;
    reading.node(&id, key.span(), &says)
}

fn edge(
    reading: &mut Reading<'_>,
    is_directed: bool,
    key: Word<'_>,
    mut says: Vec<Attribute>,
) -> Result<(), Mistake> {
    let [source, target] = [taken(&mut says, "source", key)?, taken(&mut says, "target", key)?];
    let ends = Ends { ids: [&source, &target], span: key.span() };
    reading.edge(&ends, is_directed, &says)
}

/// Passes what is said of the whole graph.
fn other<'a>(
    words: &mut Words<'a>,
    reading: &mut Reading<'_>,
    key: Word<'a>,
    value: Word<'a>,
) -> Result<(), Mistake> {
    reading.not_used(Of::Graph, key.text);
    if value.text == "[" { words.skip(value) } else { Ok(()) }
}

/// What is between the brackets of a node or an edge.
fn attributes(words: &mut Words<'_>, open: Word<'_>) -> Result<Vec<Attribute>, Mistake> {
    let mut all = Vec::new();
    loop {
        let key = words.next()?.ok_or_else(|| unclosed(open.start))?;
        if key.text == "]" {
            return Ok(all);
        }
        let value = words.value(key)?;
        let value = match value.text {
            "[" => words.skip(value).map(|()| String::new())?,
            text => decoded(text.trim_matches('"')),
        };
        all.push(Attribute { name: key.text.to_owned(), value, span: key.start..words.at });
    }
}

/// Takes a value without which there is no node or edge.
fn taken(says: &mut Vec<Attribute>, name: &str, key: Word<'_>) -> Result<String, Mistake> {
    let place = says.iter().position(|it| it.name == name).ok_or_else(|| {
        Mistake::new(format!("`{}` has no `{name}`", key.text))
            .at(key.span())
            .help(format!("write {name} and a number"))
    })?;
    Ok(says.remove(place).value)
}

fn unclosed(open: usize) -> Mistake {
    Mistake::new("`[` has no `]`").at(open..open + 1).help(HELP)
}

/// The words of a file, one after another.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    /// The next word, if there is one: a bracket, a text with its quotes, or a key or number.
    fn next(&mut self) -> Result<Option<Word<'a>>, Mistake> {
        self.pass_blanks();
        let rest = &self.text[self.at..];
        let length = match rest.chars().next() {
            None => return Ok(None),
            Some('[' | ']') => 1,
            Some('"') => {
                rest[1..].find('"').ok_or_else(|| {
                    Mistake::new("a text is not terminated")
                        .at(self.at..self.at + 1)
                        .help("write \" at its end")
                })? + 2
            }
            Some(_) => rest
                .find(|it: char| it.is_whitespace() || "[]\"".contains(it))
                .unwrap_or(rest.len()),
        };
        let word = Word { text: &rest[..length], start: self.at };
        self.at += length;
        Ok(Some(word))
    }

    /// Passes white space, and comments from `#` to the end of a line.
    fn pass_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = &rest[blank..];
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// The value after a key.
    fn value(&mut self, key: Word<'a>) -> Result<Word<'a>, Mistake> {
        let is_key = !key.text.starts_with(['[', ']', '"']);
        let value = self.next()?.filter(|it| it.text != "]" && is_key);
        value.ok_or_else(|| {
            Mistake::new(format!("`{}` has no value", key.text)).at(key.span()).help(HELP)
        })
    }

    /// Passes what is between brackets.
    fn skip(&mut self, open: Word<'a>) -> Result<(), Mistake> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()?.ok_or_else(|| unclosed(open.start))?.text {
                "[" => depth += 1,
                "]" => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }
}
