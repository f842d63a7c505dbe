//! From a file's text to the cases that it compares, each a checked plan.

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexSet;
use toml_edit::{DocumentMut, Item, Key, TableLike};
use windtunnel_controllers::{DESCRIPTIONS, Maker};
use windtunnel_world::Plan;

use crate::build;
use crate::capture::Captures;
use crate::error::{Mistake, ScenarioError, suggestion};
use crate::files::Files;
use crate::scenario::Scenario;
use crate::trace::{self, Origin};

/// The largest scenario file that is read.
const MOST_BYTES: usize = 16 << 20;

/// The most cases that one file may compare; each has its plan in memory.
const MOST_CASES: usize = 10_000;

/// The most runs that one file may ask for.
const MOST_RUNS: usize = 1_000_000;

/// One combination of what a scenario compares.
#[derive(Clone, Debug)]
pub struct Case {
    /// For each axis of the comparison, the case's name on it.
    pub names: Vec<String>,
    /// The plan of run 0; the others differ in their run number alone.
    pub plan: Plan,
    /// As text, the prefix that each consumer asks for.
    pub prefixes: Vec<String>,
}

/// A scenario, read and checked.
#[derive(Clone, Debug)]
pub struct Study {
    /// The file that it was read from, as it was named.
    pub file: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// The axes of its comparison.
    pub axes: Vec<String>,
    /// All combinations, in the file's order.
    pub cases: Vec<Case>,
    /// How often each is run.
    pub runs: u32,
    /// The seed of all random streams.
    pub seed: u64,
    /// The most real time that one run may take.
    pub real_time_limit: Option<std::time::Duration>,
    /// The text as run, with what was set from outside.
    pub text: String,
    /// The files beside it that it names: each one's name there, and its text.
    pub files: Vec<(String, Arc<str>)>,
    /// What is captured, if anything.
    pub captures: Option<Captures>,
}

/// An axis of the comparison: its name and its cases, each with what it sets.
struct Axis {
    name: String,
    cases: Vec<(String, Vec<Assignment>)>,
}

struct Assignment {
    path: String,
    value: toml_edit::Value,
    span: Range<usize>,
}

impl Study {
    /// Reads a scenario's text. `settings` are paths with values that replace
    /// what the file says, such as `("links.access.rate", "50 Mbps")`; `file` is
    /// the name to complain about, and files that the scenario names are sought beside
    /// it.
    ///
    /// # Errors
    /// [`ScenarioError`] says what is wrong, where, and what would be right.
    pub fn read(
        file: &str,
        text: &str,
        settings: &[(String, String)],
    ) -> Result<Self, ScenarioError> {
        Self::read_with(file, text, settings, &[])
    }

    /// The same with controllers that are not registered: a scenario names them as their
    /// makers do.
    ///
    /// # Errors
    /// [`ScenarioError`] says what is wrong, where, and what would be right.
    pub fn read_with(
        file: &str,
        text: &str,
        settings: &[(String, String)],
        makers: &[Arc<dyn Maker>],
    ) -> Result<Self, ScenarioError> {
        check_makers(makers).map_err(|it| it.locate(file, "", None))?;
        if text.len() > MOST_BYTES {
            let mistake = Mistake::new(format!(
                "too large for a scenario: more than {} MiB",
                MOST_BYTES >> 20
            ))
            .help("name a scenario file; examples stand in scenarios/");
            return Err(mistake.locate(file, "", None));
        }
        let original = text;
        let mut document = edit(text).map_err(|it| it.locate(file, original, None))?;
        let mut from_outside = Vec::new();
        for (path, value) in settings {
            let what = format!("{path}={value}");
            let keys = set(&mut document, path, parse_value(value))
                .map_err(|it| it.named(&what).locate(file, original, None))?;
            from_outside.push((keys, Origin::Outside(what)));
        }
        let text = if settings.is_empty() { text.to_owned() } else { document.to_string() };
        let refuse = |mistake: Mistake, case: Option<String>| {
            trace::back(mistake, &text, original, &from_outside).locate(file, original, case)
        };
        let scenario = parse(&text).map_err(|it| refuse(it, None))?;
        let axes = axes(&scenario).map_err(|it| refuse(it, None))?;
        let runs = scenario.runs.as_ref().map_or(1, |it| it.value);
        check_runs(&scenario, &axes).map_err(|it| refuse(it, None))?;
        let mut cases = Vec::new();
        let mut files = Files::beside(file);
        for combination in combinations(&axes) {
            let names: Vec<String> = combination.iter().map(|(name, _)| name.clone()).collect();
            let label = || (!names.is_empty()).then(|| names.join(", "));
            let mut document = document.clone();
            let mut assigned = Vec::new();
            for assignment in combination.iter().flat_map(|(_, it)| it.iter()) {
                let keys = set(&mut document, &assignment.path, assignment.value.clone())
                    .map_err(|it| refuse(it.at(assignment.span.clone()), label()))?;
                assigned.push((keys, Origin::Inside(assignment.span.clone())));
            }
            let (plan, prefixes) = if assigned.is_empty() {
                build::plan(&scenario, &mut files, makers).map_err(|it| refuse(it, label()))?
            } else {
                let case = document.to_string();
                parse(&case)
                    .and_then(|it| build::plan(&it, &mut files, makers))
                    .map_err(|it| refuse(trace::back(it, &case, &text, &assigned), label()))?
            };
            cases.push(Case { names, plan, prefixes });
        }
        let limit = scenario.real_time_limit.map(|it| it.0.as_nanos());
        Ok(Self {
            file: file.to_owned(),
            title: scenario.title,
            axes: axes.into_iter().map(|it| it.name).collect(),
            cases,
            runs,
            seed: scenario.seed,
            real_time_limit: limit.map(std::time::Duration::from_nanos),
            text,
            files: files.into_texts(),
            captures: None,
        })
    }

    /// The points of a study as cases of one, so that they run together: each is a
    /// scenario with one case and one run, and has a name, which stands on the axis
    /// `key`. The limit of real time is the first one's.
    #[must_use]
    pub fn of_points(points: Vec<(String, Self)>) -> Self {
        let mut all = Self {
            file: String::new(),
            title: None,
            axes: vec!["key".into()],
            cases: Vec::with_capacity(points.len()),
            runs: 1,
            seed: 0,
            real_time_limit: points.first().and_then(|(_, it)| it.real_time_limit),
            text: String::new(),
            files: Vec::new(),
            captures: None,
        };
        for (key, point) in points {
            let case = point.cases.into_iter().next();
            all.cases.extend(case.map(|mut case| {
                // Of a point only totals are kept.
                case.plan.interval = case.plan.duration;
                Case { names: vec![key], ..case }
            }));
        }
        all
    }

    /// The same with captures.
    ///
    /// # Errors
    /// [`ScenarioError`] if a node that is to be captured is in no case.
    pub fn captured(self, captures: Captures) -> Result<Self, ScenarioError> {
        let nodes = self.cases.iter().flat_map(|it| &it.plan.nodes);
        let known: IndexSet<&str> = nodes.map(|it| it.name.as_str()).collect();
        if let Some(unknown) = captures.nodes.iter().find(|it| !known.contains(it.as_str())) {
            let known: Vec<&str> = known.into_iter().collect();
            let mistake = Mistake::new("there is no such node").help(suggestion(unknown, &known));
            return Err(mistake.locate(&format!("--pcap {unknown}"), "", None));
        }
        Ok(Self { captures: Some(captures), ..self })
    }

    /// How many runs there are in all.
    #[must_use]
    pub fn total_runs(&self) -> usize {
        self.cases.len() * self.runs as usize
    }

    /// How much time is simulated, in seconds, over all runs.
    #[must_use]
    pub fn total_simulated_s(&self) -> f64 {
        let all: f64 = self.cases.iter().map(|case| case.plan.duration.as_seconds()).sum();
        all * f64::from(self.runs)
    }
}

/// Whether no controller from outside has a registered one's name.
fn check_makers(makers: &[Arc<dyn Maker>]) -> Result<(), Mistake> {
    let is_registered = |name: &&str| DESCRIPTIONS.iter().any(|it| it.name == *name);
    match makers.iter().map(|it| it.description().name).find(is_registered) {
        None => Ok(()),
        Some(name) => Err(Mistake::new(format!("there is a controller `{name}` already"))
            .help("give yours another name")),
    }
}

fn edit(text: &str) -> Result<DocumentMut, Mistake> {
    text.parse::<DocumentMut>().map_err(|error| {
        let mistake = Mistake::new(error.message().trim());
        match error.span() {
            Some(span) => mistake.at(span),
            None => mistake,
        }
    })
}

fn parse(text: &str) -> Result<Scenario, Mistake> {
    toml::from_str(text).map_err(|error| Mistake::from_toml(&error))
}

/// A value from the command line: TOML if it is any, else text.
fn parse_value(text: &str) -> toml_edit::Value {
    text.parse().unwrap_or_else(|_| text.into())
}

/// Sets the value at a dotted path, and gives its keys. The table that it goes
/// into must exist, or be one that may be left out.
fn set(
    document: &mut DocumentMut,
    path: &str,
    value: toml_edit::Value,
) -> Result<Vec<Key>, Mistake> {
    let keys = Key::parse(path).map_err(|_| {
        Mistake::new(format!("`{path}` is no path"))
            .help("write keys with dots between them, such as links.access.rate")
    })?;
    let Some((last, tables)) = keys.split_last() else {
        return Err(Mistake::new("the path is empty"));
    };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    let mut so_far = String::new();
    for key in tables {
        let name = key.get();
        if !table.contains_key(name) {
            let may_be_new = matches!(
                (so_far.as_str(), name),
                ("", "defaults" | "routing" | "compare")
                    | ("defaults", "node" | "link" | "consumer" | "producer" | "flow")
            );
            if !may_be_new {
                let known: Vec<&str> = table.iter().map(|(key, _)| key).collect();
                let there = if so_far.is_empty() { "the file" } else { so_far.as_str() };
                return Err(Mistake::new(format!("`{path}`: there is no `{name}` in {there}"))
                    .help(suggestion(name, &known)));
            }
            table.insert(name, Item::Table(toml_edit::Table::new()));
        }
        let item = table.get_mut(name).expect("it is there now");
        if so_far.is_empty() {
            so_far = name.to_owned();
        } else {
            so_far = format!("{so_far}.{name}");
        }
        table = item
            .as_table_like_mut()
            .ok_or_else(|| Mistake::new(format!("`{path}`: `{so_far}` is a value, not a table")))?;
    }
    table.insert(last.get(), Item::Value(value));
    Ok(keys)
}

fn axes(scenario: &Scenario) -> Result<Vec<Axis>, Mistake> {
    let mut axes = Vec::new();
    for (name, cases) in &scenario.compare {
        if crate::tables::COLUMNS.contains(&name.get_ref().as_str()) {
            let message = format!("`{}` is a column of the results already", name.get_ref());
            return Err(Mistake::new(message)
                .at(name.span())
                .help("name the axis of the comparison otherwise"));
        }
        if cases.is_empty() {
            let message = format!("`compare.{}` has no cases", name.get_ref());
            return Err(Mistake::new(message).at(name.span()).help(
                "write one line for each, such as cubic = { \"defaults.consumer.controller\" = \"cubic\" }",
            ));
        }
        let cases = cases.iter().map(|(case, assignments)| {
            let assignments = assignments.iter().map(|(path, value)| Assignment {
                path: path.get_ref().clone(),
                value: to_edit(value),
                span: path.span(),
            });
            (case.get_ref().clone(), assignments.collect())
        });
        axes.push(Axis { name: name.get_ref().clone(), cases: cases.collect() });
    }
    Ok(axes)
}

fn to_edit(value: &toml::Value) -> toml_edit::Value {
    value.to_string().parse().expect("a TOML value prints as TOML")
}

fn check_runs(scenario: &Scenario, axes: &[Axis]) -> Result<(), Mistake> {
    let cases = axes.iter().fold(1_usize, |all, axis| all.saturating_mul(axis.cases.len()));
    if cases > MOST_CASES {
        let first = scenario.compare.keys().next().expect("without axes there is one case");
        return Err(Mistake::new(format!("more than {MOST_CASES} cases to compare"))
            .at(first.span())
            .help("the numbers of cases on all axes multiply"));
    }
    match &scenario.runs {
        Some(runs) if runs.value == 0 => {
            Err(Mistake::new("no runs").at(runs.span.clone()).help("write 1 or more"))
        }
        Some(runs) if cases.saturating_mul(runs.value as usize) > MOST_RUNS => {
            Err(Mistake::new(format!("more than {MOST_RUNS} runs in all")).at(runs.span.clone()))
        }
        _ => Ok(()),
    }
}

type Chosen<'a> = Vec<(String, &'a [Assignment])>;

/// All combinations of one case from each axis; the last axis turns fastest.
fn combinations(axes: &[Axis]) -> Vec<Chosen<'_>> {
    let mut combinations: Vec<Chosen<'_>> = vec![Vec::new()];
    for axis in axes {
        let mut longer = Vec::with_capacity(combinations.len() * axis.cases.len());
        for combination in &combinations {
            for (name, assignments) in &axis.cases {
                let mut combination = combination.clone();
                combination.push((name.clone(), assignments.as_slice()));
                longer.push(combination);
            }
        }
        combinations = longer;
    }
    combinations
}
