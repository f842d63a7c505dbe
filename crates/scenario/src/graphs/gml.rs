//! GML, the Graph Modelling Language (Himsolt 1997).

use super::{Data, Graph, Reading};
use crate::error::Mistake;

/// A word of a file, with its place.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    text: &'a str,
    start: usize,
}

/// Reads a file in GML.
pub(super) fn read(text: &str) -> Result<Graph, Mistake> {
    let mut words = Words { text, at: 0 };
    let mut reading = Reading::default();
    while let Some(key) = words.next()? {
        let value = words.value(key)?;
        match (key.text, value.text) {
            ("graph", "[") => graph(&mut words, &mut reading)?,
            (_, "[") => words.skip(value)?,
            _ => {}
        }
    }
    Ok(reading.graph())
}

/// Reads what is in `graph [ … ]`.
fn graph(words: &mut Words<'_>, reading: &mut Reading) -> Result<(), Mistake> {
    let open = words.at.saturating_sub(1);
    let mut edges = Vec::new();
    loop {
        let key = words.next()?.ok_or_else(|| unclosed(open))?;
        if key.text == "]" {
            break;
        }
        let value = words.value(key)?;
        match (key.text, value.text) {
            ("directed", "1") => reading.is_directed = true,
            ("node", "[") => {
                let data = data(words, value)?;
                reading.node(of(&data, "id", key)?, &data)?;
            }
            // Its nodes may come later.
            ("edge", "[") => edges.push((key, data(words, value)?)),
            (_, "[") => words.skip(value)?,
            _ => {}
        }
    }
    for (key, data) in edges {
        let ends = [of(&data, "source", key)?, of(&data, "target", key)?];
        reading.edge(ends, &data).map_err(|it| it.at(key.start..key.start + 4))?;
    }
    Ok(())
}

/// What is between the brackets of a node or an edge.
fn data(words: &mut Words<'_>, open: Word<'_>) -> Result<Data, Mistake> {
    let mut data = Data::new();
    loop {
        let key = words.next()?.ok_or_else(|| unclosed(open.start))?;
        if key.text == "]" {
            return Ok(data);
        }
        let value = words.value(key)?;
        if value.text == "[" {
            words.skip(value)?;
        } else {
            data.insert(key.text.to_owned(), value.text.trim_matches('"').to_owned());
        }
    }
}

fn of<'a>(data: &'a Data, name: &str, key: Word<'_>) -> Result<&'a str, Mistake> {
    data.get(name).map(String::as_str).ok_or_else(|| {
        Mistake::new(format!("`{}` has no `{name}`", key.text))
            .at(key.start..key.start + key.text.len())
            .help(format!("write {name} and a number"))
    })
}

fn unclosed(open: usize) -> Mistake {
    Mistake::new("`[` has no `]`").at(open..open + 1).help("name a file in GraphML or GML")
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
                    Mistake::new("a text has no end")
                        .at(self.at..self.at + 1)
                        .help("write \" after it")
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
            Mistake::new(format!("`{}` has no value", key.text))
                .at(key.start..key.start + key.text.len())
                .help("name a file in GraphML or GML")
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
