//! All tables of finished runs.

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use windtunnel_scenario::Study;

use super::labels::Labels;
use super::run::{Run, totals};

impl Run {
    /// The same run of a case that is equal.
    pub(crate) fn of_equal_case(&self, study: &Study, case: usize) -> Self {
        let labels = Labels::new(study, case, self.number);
        Self {
            case,
            measurements: self.measurements.clone(),
            series: self.series.iter().map(|(name, it)| (*name, labels.in_place(it))).collect(),
            cpu: std::time::Duration::ZERO,
            routing: std::time::Duration::ZERO,
            real: std::time::Duration::ZERO,
            is_copy: true,
            ..*self
        }
    }
}

/// All tables of the given runs, by name: `runs`, those of [`Measurements`](super::Measurements) and, unless they are in
/// files, those of series. Each starts with a column for every axis of the comparison and the
/// run's number. Without runs there are no tables.
#[must_use]
pub fn all(study: &Study, runs: &[Run]) -> Vec<(&'static str, RecordBatch)> {
    let Some(first) = runs.first() else { return Vec::new() };
    let labels = |run: &Run| Labels::new(study, run.case, run.number);
    let totals = |run: &Run, place: usize| match place.checked_sub(1) {
        None => totals(std::slice::from_ref(run)),
        Some(place) => run.measurements.tables()[place].clone(),
    };
    let names =
        (0..=first.measurements.tables().len()).map(|place| (place, totals(first, place).name));
    let labelled = |run: &Run, place| labels(run).before(&totals(run, place).values);
    let totals = names.map(|(place, name)| (name, joined(runs, |it| labelled(it, place))));
    // The same for each run: in memory or in files.
    let series = first.series.iter().enumerate();
    let series =
        series.map(|(place, (name, _))| (*name, joined(runs, |it| it.series[place].1.clone())));
    totals.chain(series).collect()
}

/// The tables of all runs as one.
fn joined(runs: &[Run], table: impl Fn(&Run) -> RecordBatch) -> RecordBatch {
    let tables: Vec<RecordBatch> = runs.iter().map(table).collect();
    concat_batches(&tables[0].schema(), &tables).expect("all runs have the same columns")
}
