//! Flows that are listed in a file.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;

use super::entries::{MOST, entry, text};
use super::pattern_flow::PatternFlow;
use crate::reading::error::{Mistake, list};
use crate::reading::files::Files;
use crate::reading::lines::{Line, lines, shown, words};
use crate::reading::located::Located;
use crate::reading::sizes::MOST_FILE;
use crate::reading::tree::{Entry, Value};
use crate::reading::units::written;

/// What a flow has in a list.
const COLUMNS: [&str; 4] = ["from", "to", "start", "size"];

/// The flows of a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listed {
    /// The file: a flow on each line, in words that spaces or commas separate. Lines that begin
    /// with `#` are comments; a first line with a single number is how many flows there are.
    /// `from` and `to` are nodes that the keys of that name match, by their names or by their
    /// numbers from 0 among these; `start` is in seconds, and `size` in bytes.
    file: Located<String>,
    /// What the words of a line are: `from`, `to`, `start` and `size`, and any other names for
    /// what is not read. Default: what the first line of the file says.
    columns: Option<Located<Vec<String>>>,
}

/// Where a line has what.
struct Columns {
    places: [usize; 4],
    count: usize,
}

impl Columns {
    fn of(names: &[&str]) -> Result<Self, String> {
        let mut places = [0; 4];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            let mut found = names.iter().enumerate().filter(|it| *it.1 == name).map(|it| it.0);
            *place = found.next().ok_or_else(|| format!("there is no column `{name}`"))?;
            if found.next().is_some() {
                return Err(format!("there are two columns `{name}`"));
            }
        }
        Ok(Self { places, count: names.len() })
    }
}

impl Listed {
    /// The flows of the file; `group` is the table that stands for them.
    pub(super) fn flows(
        &self,
        group: &Entry,
        [from, to]: [&[&str]; 2],
        files: &mut Files<'_>,
    ) -> Result<Vec<PatternFlow>, Mistake> {
        if let Some(it) = group.node.get("workload").or_else(|| group.node.get("start")) {
            return Err(Mistake::new(
                "`start` and `workload` cannot be set beside a file of flows, which has both",
            )
            .at(it.span.clone())
            .help("remove `start` and `workload`"));
        }
        let sides = [from, to].map(numbered);
        files.read(&self.file, |text| {
            let mut lines = lines(text).peekable();
            let stated = lines.next_if(|it| words(it).count() == 1);
            let columns = self.columns(&mut lines)?;
            let flows = lines.map(|it| flow(&it, &columns, &sides, group));
            let flows = flows.take(MOST + 1).collect::<Result<Vec<_>, _>>()?;
            check_count(stated.as_ref(), flows.len())?;
            Ok(flows)
        })
    }

    /// The columns, whose names are in the key or in the first line.
    fn columns<'a>(&self, lines: &mut impl Iterator<Item = Line<'a>>) -> Result<Columns, Mistake> {
        const HELP: &str =
            "name the columns `from`, `to`, `start` and `size`, and others as you like";
        if let Some(columns) = &self.columns {
            let names: Vec<&str> = columns.value.iter().map(String::as_str).collect();
            return Columns::of(&names).map_err(|it| columns.mistake(it).help(HELP));
        }
        let Some(line) = lines.next() else { return Err(empty()) };
        let names: Vec<&str> = words(&line).collect();
        Columns::of(&names).map_err(|it| line.mistake(it).help(HELP))
    }
}

fn empty() -> Mistake {
    Mistake::new("the list has no flows").help("write a flow on each line")
}

/// Checks that there are flows, and as many as the first line says.
fn check_count(stated: Option<&Line<'_>>, count: usize) -> Result<(), Mistake> {
    match stated {
        _ if count == 0 => Err(empty()),
        _ if count > MOST => {
            Err(Mistake::new("the list is too long").help(format!("at most {MOST} flows")))
        }
        Some(line) if line.text.parse() != Ok(count) => {
            let message = format!("\"{}\" is not the number of flows", shown(line.text));
            Err(line.mistake(message).help(format!("there are {count} below it")))
        }
        _ => Ok(()),
    }
}

/// Nodes by what a list calls them: their numbers, from 0, and their names.
fn numbered<'a>(nodes: &[&'a str]) -> HashMap<String, &'a str> {
    let numbers = nodes.iter().enumerate().map(|(number, it)| (number.to_string(), *it));
    let names = nodes.iter().map(|it| ((*it).to_owned(), *it));
    numbers.chain(names).collect()
}

/// The flow of a line.
fn flow(
    line: &Line<'_>,
    columns: &Columns,
    sides: &[HashMap<String, &str>; 2],
    group: &Entry,
) -> Result<PatternFlow, Mistake> {
    let words: Vec<&str> = words(line).collect();
    if words.len() != columns.count {
        let message = format!("{} words, and {} columns", words.len(), columns.count);
        return Err(line.mistake(message).help("write a word for each column"));
    }
    let [from, to, start, size] = columns.places.map(|it| words[it]);
    let node = |nodes: &HashMap<String, &str>, key, word: &str| {
        nodes.get(word).map(|it| (*it).to_owned()).ok_or_else(|| {
            let mut names: Vec<&str> = nodes.values().copied().collect();
            names.sort_unstable();
            names.dedup();
            line.mistake(format!("\"{}\" is not a node that `{key}` matches", shown(word))).help(
                format!("write a number from 0 to {}, or one of {}", names.len() - 1, list(&names)),
            )
        })
    };
    let ends = [node(&sides[0], "from", from)?, node(&sides[1], "to", to)?];
    if ends[0] == ends[1] {
        return Err(line
            .mistake(format!("both ends of the flow are node `{}`", ends[0]))
            .help("name two nodes"));
    }
    Ok(PatternFlow { ends, own: vec![started(line, start, group)?, carried(line, size, group)?] })
}

fn started(line: &Line<'_>, word: &str, group: &Entry) -> Result<Entry, Mistake> {
    let start = word.parse().ok().filter(|it| *it >= 0.0).and_then(Duration::from_seconds);
    let start = start.ok_or_else(|| {
        line.mistake(format!("\"{}\" is not a time in seconds", shown(word)))
            .help("write a number from 0 to 18000000 (208 days)")
    })?;
    Ok(text("start", written(&start), &group.span))
}

fn carried(line: &Line<'_>, word: &str, group: &Entry) -> Result<Entry, Mistake> {
    let size = word.parse::<u64>().ok().filter(|it| (1..=MOST_FILE).contains(it));
    let size = size.ok_or_else(|| {
        line.mistake(format!("\"{}\" is not a number of bytes", shown(word)))
            .help("write a whole number from 1")
    })?;
    let file = [text("kind", "file", &group.span), text("size", format!("{size} B"), &group.span)];
    Ok(entry("workload", Value::Table(file.into()), &group.span))
}
