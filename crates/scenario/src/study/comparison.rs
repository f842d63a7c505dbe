//! What a scenario compares: axes, each with its cases.

use std::ops::Range;

use crate::reading::error::Mistake;
use crate::reading::located::Named;
use crate::study::scenario::Scenario;

/// The most cases that one file may compare; each has its plan in memory.
const MOST_CASES: usize = 10_000;

/// The most runs that one file may ask for.
const MOST_RUNS: usize = 1_000_000;

/// An axis of the comparison: its name and its cases, each with what it sets.
pub(crate) struct Axis {
    pub(crate) name: String,
    cases: Vec<(String, Vec<Assignment>)>,
}

/// A value that a case sets.
pub(crate) struct Assignment {
    pub(crate) path: String,
    pub(crate) value: toml_edit::Value,
    pub(crate) span: Range<usize>,
}

/// The axes of a comparison.
pub(crate) fn axes(scenario: &Scenario) -> Result<Vec<Axis>, Mistake> {
    let mut axes = Vec::new();
    for (name, cases) in &scenario.compare {
        let wrong = |message: String| Mistake::new(message).at(name.span());
        let name = name.get_ref();
        if cases.is_empty() {
            return Err(wrong(format!("`compare.{name}` has no cases")).help(
                "write one line for each, such as cubic = { \"defaults.flow.controller\" = \"cubic\" }",
            ));
        }
        let cases = cases.iter().map(|(case, it)| (case.get_ref().clone(), assignments(it)));
        axes.push(Axis { name: name.clone(), cases: cases.collect() });
    }
    Ok(axes)
}

fn assignments(case: &Named<toml::Value>) -> Vec<Assignment> {
    let assignment = |(path, value): (&toml::Spanned<String>, &toml::Value)| Assignment {
        path: path.get_ref().clone(),
        value: value.to_string().parse().expect("a TOML value prints as TOML"),
        span: path.span(),
    };
    case.iter().map(assignment).collect()
}

/// What each run sets beside its case.
pub(crate) fn each_run(scenario: &Scenario) -> Vec<Vec<Assignment>> {
    scenario.each_run.iter().map(assignments).collect()
}

/// Checks that there are not more cases and runs than can be held.
pub(crate) fn check_runs(scenario: &Scenario, axes: &[Axis]) -> Result<(), Mistake> {
    let cases = axes.iter().fold(1_usize, |all, axis| all.saturating_mul(axis.cases.len()));
    if cases > MOST_CASES {
        let first = scenario.compare.keys().next().expect("without axes there is one case");
        return Err(Mistake::new(format!("more than {MOST_CASES} cases to compare"))
            .at(first.span())
            .help("the numbers of cases on all axes multiply"));
    }
    let runs = scenario.runs.value as usize;
    scenario.runs.checked(
        |_| runs > 0,
        || "`runs` must be greater than zero".to_owned(),
        "write 1 or more",
    )?;
    scenario.runs.checked(
        |_| cases.saturating_mul(runs) <= MOST_RUNS,
        || format!("more than {MOST_RUNS} runs in all"),
        "the number of cases and the number of runs multiply",
    )
}

/// A case on one axis.
#[derive(Clone)]
pub(crate) struct Chosen<'a> {
    pub(crate) name: &'a str,
    pub(crate) assignments: &'a [Assignment],
}

/// All combinations of one case from each axis; the last axis turns fastest.
pub(crate) fn combinations(axes: &[Axis]) -> Vec<Vec<Chosen<'_>>> {
    let mut combinations = vec![Vec::new()];
    for axis in axes {
        let mut longer = Vec::with_capacity(combinations.len() * axis.cases.len());
        for combination in &combinations {
            for (name, assignments) in &axis.cases {
                let chosen = Chosen { name, assignments };
                longer.push([combination.as_slice(), &[chosen]].concat());
            }
        }
        combinations = longer;
    }
    combinations
}
