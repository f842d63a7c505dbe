//! One table that stands for many things of a kind.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;

use super::context::GroupContext;
use super::entries::{MOST, set, text};
use super::pattern_flow::PatternFlow;
use super::patterns::Pattern;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::reader;
use crate::reading::setting_groups::{GROUPS, complete};
use crate::reading::tree::{Entry, Node as Tree, Value};
use crate::reading::units::{Measured, written};

/// For each key its values: the first thing has the first one, and after the last one it is the
/// first one's turn again.
pub(crate) type InTurn = BTreeMap<String, Turns>;

/// The values of a key, or of the keys of a table that groups settings.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[allow(dead_code, reason = "trees are read instead; this is their schema")]
pub(crate) enum Turns {
    Values(Vec<serde_json::Value>),
    Group(BTreeMap<String, Vec<serde_json::Value>>),
}

/// The keys that make a table of that section stand for many things.
fn keys(section: &str) -> &'static [&'static str] {
    match section {
        "flows" => &["count", "in_turn", "stagger", "pattern"],
        "consumers" => &["count", "in_turn", "stagger"],
        _ => &["count", "in_turn"],
    }
}

/// Whether it stands for many things.
pub(super) fn is_one(section: &str, thing: &Entry) -> bool {
    let entries = thing.node.entries().unwrap_or_default();
    entries.iter().any(|it| keys(section).contains(&it.key.as_str()))
}

/// No default stands for many things.
pub(super) fn refuse_in_defaults(file: &Tree) -> Result<(), Mistake> {
    let defaults = file.get("defaults").and_then(Tree::entries).unwrap_or_default();
    let all = defaults.iter().flat_map(|it| it.node.entries().unwrap_or_default());
    match all.into_iter().find(|it| keys("flows").contains(&it.key.as_str())) {
        None => Ok(()),
        Some(it) => Err(Mistake::new(format!("`{}` cannot be set under `defaults`", it.key))
            .at(it.span.clone())
            .help("write it in each table that it concerns")),
    }
}

/// The keys that need no tree.
#[derive(Deserialize)]
struct Keys {
    count: Option<Located<u32>>,
    stagger: Option<Measured<Duration>>,
    pattern: Option<Pattern>,
}

/// A table that stands for many things.
struct Group<'a> {
    name: &'a Entry,
    /// What all have.
    common: Vec<Entry>,
    in_turn: Vec<Turn>,
    stagger: Option<Duration>,
    start: Option<&'a Tree>,
    flows: Option<Vec<PatternFlow>>,
}

/// The things that a table stands for, if it is such a one.
pub(super) fn made(
    thing: &Entry,
    context: &GroupContext<'_>,
    files: &mut Files<'_>,
) -> Result<Option<Vec<Entry>>, Mistake> {
    if !is_one(context.section, thing) {
        return Ok(None);
    }
    let entries = thing.node.entries().unwrap_or_default().to_vec();
    let known = keys(context.section);
    let (own, common): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|it| known.contains(&it.key.as_str()));
    let (in_turn, own): (Vec<_>, Vec<_>) = own.into_iter().partition(|it| it.key == "in_turn");
    let keys = Tree { span: thing.node.span.clone(), value: Value::Table(own) };
    let keys: Keys = reader::read(keys)?;
    let flows = keys.pattern.map(|it| it.flows(thing, &common, context, files)).transpose()?;
    let count = count(thing, keys.count.as_ref(), flows.as_deref(), &in_turn)?;
    let group = Group {
        name: thing,
        in_turn: turns(in_turn, &common)?,
        common,
        stagger: keys.stagger.map(|it| it.0),
        start: context.start,
        flows,
    };
    (1..=count).map(|number| group.thing(number)).collect::<Result<_, _>>().map(Some)
}

/// How many things there are.
fn count(
    thing: &Entry,
    count: Option<&Located<u32>>,
    flows: Option<&[PatternFlow]>,
    in_turn: &[Entry],
) -> Result<usize, Mistake> {
    let Some(each) = count.map(|it| it.value as usize).or(flows.map(|_| 1)) else {
        let key = if in_turn.is_empty() { "stagger" } else { "in_turn" };
        return Err(Mistake::new(format!("`{key}` of `{}` requires `count`", thing.key))
            .at(thing.span.clone())
            .help("write how many, such as count = 10"));
    };
    let all = each.saturating_mul(flows.map_or(1, <[PatternFlow]>::len));
    let place = count.and_then(|it| it.span.clone()).unwrap_or_else(|| thing.span.clone());
    if all == 0 || all > MOST {
        return Err(Mistake::new(format!(
            "`{}` stands for {all} tables; it must stand for 1 to {MOST}",
            thing.key
        ))
        .at(place)
        .help(format!("write a number from 1 to {MOST}")));
    }
    Ok(all)
}

/// The values of a key that things have in turn.
struct Turn {
    key: Entry,
    values: Vec<Tree>,
    /// The table that groups it, if one does.
    group: Option<Entry>,
}

impl Turn {
    /// What the thing of that number has, from 1.
    fn of(&self, number: usize) -> Entry {
        let node = self.values[(number - 1) % self.values.len()].clone();
        let own = Entry { node, ..self.key.clone() };
        let Some(group) = &self.group else { return own };
        let node = Tree { span: group.node.span.clone(), value: Value::Table(vec![own]) };
        Entry { node, ..group.clone() }
    }
}

/// The values that things have in turn.
fn turns(in_turn: Vec<Entry>, common: &[Entry]) -> Result<Vec<Turn>, Mistake> {
    let Some(in_turn) = in_turn.into_iter().next() else { return Ok(Vec::new()) };
    let Value::Table(entries) = in_turn.node.value else {
        return Err(Mistake::new("`in_turn` must be a table")
            .at(in_turn.node.span)
            .help("write in_turn = { controller = [\"cubic\", \"bbr\"] }"));
    };
    let mut turns = Vec::with_capacity(entries.len());
    for entry in entries {
        let grouped = entry.node.entries().filter(|_| GROUPS.contains(&entry.key.as_str()));
        let Some(grouped) = grouped else {
            turns.push(turn(entry, common, None)?);
            continue;
        };
        let beside = common.iter().find(|it| it.key == entry.key);
        let beside = beside.and_then(|it| it.node.entries()).unwrap_or_default();
        for it in grouped {
            turns.push(turn(it.clone(), beside, Some(entry.clone()))?);
        }
    }
    Ok(turns)
}

/// The values of a key in `in_turn`, `beside` which the table has these.
fn turn(entry: Entry, beside: &[Entry], group: Option<Entry>) -> Result<Turn, Mistake> {
    let wrong = |message: String| Mistake::new(message).at(entry.span.clone());
    if beside.iter().any(|it| it.key == entry.key) {
        return Err(wrong(format!("`{}` is in the table and in its `in_turn`", entry.key))
            .help("remove one of them"));
    }
    match entry.node.value.clone() {
        Value::Array(values) if !values.is_empty() => Ok(Turn { key: entry, values, group }),
        _ => Err(wrong(format!("`{}` must be an array of values", entry.key))
            .help(format!("write in_turn = {{ {} = [first, second] }}", entry.key))),
    }
}

impl Group<'_> {
    /// The thing of that number, from 1.
    fn thing(&self, number: usize) -> Result<Entry, Mistake> {
        let mut entries = self.common.clone();
        self.in_turn.iter().for_each(|it| complete(&mut entries, &[it.of(number)]));
        entries.iter_mut().for_each(|it| count_in(&mut it.node, number));
        if let Some(flows) = &self.flows {
            let PatternFlow { ends: [from, to], own } = &flows[(number - 1) % flows.len()];
            set_text(&mut entries, "from", from);
            set_text(&mut entries, "to", to);
            own.iter().for_each(|it| set(&mut entries, it.clone()));
        }
        if let Some(stagger) = self.stagger {
            self.delay(&mut entries, stagger, number as u64 - 1)?;
        }
        let node = Tree { span: self.name.node.span.clone(), value: Value::Table(entries) };
        Ok(Entry { key: format!("{}-{number}", self.name.key), node, ..self.name.clone() })
    }

    /// It starts so often so much later.
    fn delay(
        &self,
        entries: &mut Vec<Entry>,
        stagger: Duration,
        often: u64,
    ) -> Result<(), Mistake> {
        let own = entries.iter().find(|it| it.key == "start").map(|it| &it.node);
        let start = own.or(self.start).cloned().map(reader::read::<Measured<Duration>>);
        let start = start.transpose()?.map_or(0, |it| it.0.as_picos());
        let later = stagger.as_picos().checked_mul(often).and_then(|it| it.checked_add(start));
        let later = later.ok_or_else(|| {
            Mistake::new(format!("the start time of `{}` is out of range", self.name.key))
                .at(self.name.span.clone())
                .help("write a shorter `stagger`")
        })?;
        set(entries, text("start", written(&Duration::from_picos(later)), &self.name.span));
        Ok(())
    }
}

/// Sets a text, which stays where it is in the file.
fn set_text(entries: &mut [Entry], key: &str, value: &str) {
    if let Some(entry) = entries.iter_mut().find(|it| it.key == key) {
        entry.node.value = Value::Text(value.to_owned());
    }
}

/// Writes the number in place of each `#`.
fn count_in(node: &mut Tree, number: usize) {
    match &mut node.value {
        Value::Text(it) if it.contains('#') => *it = it.replace('#', &number.to_string()),
        Value::Array(items) => items.iter_mut().for_each(|it| count_in(it, number)),
        Value::Table(entries) => {
            entries.iter_mut().for_each(|it| count_in(&mut it.node, number));
        }
        _ => {}
    }
}
