//! The columns of a run's case and number.

use arrow_array::RecordBatch;
use windtunnel_scenario::Study;

use super::columns::Columns;

/// The columns of a run's case and number, which precede those of each of its tables.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    /// The axes of the comparison, each with the case's name there.
    case: Vec<(String, String)>,
    number: u32,
}

impl Labels {
    pub(crate) fn new(study: &Study, case: usize, number: u32) -> Self {
        let names = &study.cases[case].names;
        Self { case: study.axes.iter().cloned().zip(names.iter().cloned()).collect(), number }
    }

    /// A table with these columns before its own.
    pub(crate) fn before(&self, table: &RecordBatch) -> RecordBatch {
        let rows = vec![(); table.num_rows()];
        let mut labels = Columns::of(&rows);
        for (axis, case) in &self.case {
            labels = labels.text(axis, |()| case.as_str());
        }
        let mut labels = labels.count("run", |()| u64::from(self.number));
        labels.fields.extend(table.schema().fields().iter().map(|it| it.as_ref().clone()));
        labels.arrays.extend(table.columns().iter().cloned());
        labels.batch()
    }

    /// A table of another case of the study, with these columns in place of its own.
    pub(crate) fn in_place(&self, table: &RecordBatch) -> RecordBatch {
        let own: Vec<usize> = (self.case.len() + 1..table.num_columns()).collect();
        self.before(&table.project(&own).expect("the columns exist"))
    }
}
