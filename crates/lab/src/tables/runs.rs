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
    let labels: Vec<Labels> =
        runs.iter().map(|it| Labels::new(study, it.case, it.number)).collect();
    let own = totals(runs);
    let own = [(own.name, Labels::before_each(&labels, &vec![1; runs.len()], &own.values))];
    let measured = first.measurements.tables().iter().enumerate();
    let measured = measured.map(|(place, (name, _))| {
        let tables: Vec<&RecordBatch> =
            runs.iter().map(|it| &it.measurements.tables()[place].1).collect();
        let rows: Vec<usize> = tables.iter().map(|it| it.num_rows()).collect();
        (*name, Labels::before_each(&labels, &rows, &joined(&tables)))
    });
    // The same for each run: in memory or in files.
    let series = first.series.iter().enumerate().map(|(place, (name, _))| {
        let tables: Vec<&RecordBatch> = runs.iter().map(|it| &it.series[place].1).collect();
        (*name, joined(&tables))
    });
    own.into_iter().chain(measured).chain(series).collect()
}

/// The tables of all runs as one.
fn joined(tables: &[&RecordBatch]) -> RecordBatch {
    concat_batches(&tables[0].schema(), tables.iter().copied())
        .expect("all runs have the same columns")
}
