//! From a file's text to the cases that it compares, each a checked plan.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use toml_edit::{DocumentMut, Item, Key, TableLike};
use windtunnel_controllers::{DESCRIPTIONS, Maker};
use windtunnel_world::{ConsumerPlan, Plan};

use crate::build;
use crate::error::{Mistake, ScenarioError, suggestion};
use crate::files::{Files, Unreadable};
use crate::scenario::{Scenario, outline, parse};
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

/// What a scenario may name that is not in its own text.
pub struct Outside<'a> {
    /// Controllers that are not registered: a scenario names them as their makers do.
    pub makers: &'a [Arc<dyn Maker>],
    /// Gives the text of a file by the name that the scenario has for it.
    pub files: &'a mut dyn FnMut(&str) -> Result<String, Unreadable>,
    /// The columns of the results, which no axis of a comparison may be named after.
    pub columns: &'a [&'a str],
}

impl fmt::Debug for Outside<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Outside").field("makers", &self.makers).finish_non_exhaustive()
    }
}

impl Study {
    /// Reads a scenario's text. `settings` are paths with values that replace
    /// what the file says, such as `("links.access.rate", "50 Mbps")`; `file` is
    /// the name that errors give.
    ///
    /// # Errors
    /// [`ScenarioError`] says what is wrong, where, and what would be right.
    pub fn read(
        file: &str,
        text: &str,
        settings: &[(String, String)],
        outside: Outside<'_>,
    ) -> Result<Self, ScenarioError> {
        let Outside { makers, files, columns } = outside;
        check_makers(makers).map_err(|it| it.locate(file, "", None))?;
        if text.len() > MOST_BYTES {
            let mistake = Mistake::new(format!(
                "too large for a scenario: more than {} MiB",
                MOST_BYTES >> 20
            ))
            .help("name a scenario file; there are examples in scenarios/");
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
        let scenario = outline(&text).map_err(|it| refuse(it, None))?;
        let axes = axes(&scenario, columns).map_err(|it| refuse(it, None))?;
        let runs = scenario.runs.value;
        check_runs(&scenario, &axes).map_err(|it| refuse(it, None))?;
        let mut cases = Vec::new();
        let mut files = Files::new(files);
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
            let case = if assigned.is_empty() { text.clone() } else { document.to_string() };
            let plan =
                parse(&case).and_then(|it| build::plan(&it, &mut files, makers)).map_err(|it| {
                    let label = label().filter(|_| !is_in_all_cases(&text, &it));
                    refuse(trace::back(it, &case, &text, &assigned), label)
                })?;
            let prefixes = prefixes(&plan);
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

/// Whether a case has a mistake that is there without it.
fn is_in_all_cases(text: &str, mistake: &Mistake) -> bool {
    parse(text).is_err_and(|it| it.message == mistake.message)
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
        Mistake::new(format!("`{path}` is not a path"))
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

fn axes(scenario: &Scenario, columns: &[&str]) -> Result<Vec<Axis>, Mistake> {
    let mut axes = Vec::new();
    for (name, cases) in &scenario.compare {
        if columns.contains(&name.get_ref().as_str()) {
            let message = format!("`{}` is already a column of the results", name.get_ref());
            return Err(Mistake::new(message)
                .at(name.span())
                .help("give the axis of the comparison another name"));
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
    let runs = scenario.runs.value as usize;
    scenario.runs.checked(|_| runs > 0, || "no runs".to_owned(), "write 1 or more")?;
    scenario.runs.checked(
        |_| cases.saturating_mul(runs) <= MOST_RUNS,
        || format!("more than {MOST_RUNS} runs in all"),
        "the number of cases and the number of runs multiply",
    )
}

/// As text, the prefix that each consumer asks for.
fn prefixes(plan: &Plan) -> Vec<String> {
    let prefix = |it: &ConsumerPlan| plan.prefixes[it.settings.prefix.0 as usize].to_string();
    plan.consumers.iter().map(prefix).collect()
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
