//! The columns of a run's case and number.

use std::iter::repeat_n;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use windtunnel_scenario::Study;

use super::descriptions::is_column;
use super::shared::RUN;

/// What precedes the name of an axis that is also that of another column.
const AXIS: &str = "axis.";

/// The column of an axis of the comparison: its name, or where another column of any table has
/// that, `axis.` and its name.
#[must_use]
pub fn axis_column(axis: &str) -> String {
    // The rest after `axis.` is then always the name of an axis.
    if axis.starts_with(AXIS) || is_column(axis) {
        format!("{AXIS}{axis}")
    } else {
        axis.to_owned()
    }
}

/// The columns of a run's case and number, which precede those of each of its tables.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    /// The columns of the comparison's axes, each with the case's name there.
    case: Vec<(String, String)>,
    number: u32,
}

impl Labels {
    pub(crate) fn new(study: &Study, case: usize, number: u32) -> Self {
        let names = &study.cases[case].names;
        let columns = study.axes.iter().map(|it| axis_column(it));
        Self { case: columns.zip(names.iter().cloned()).collect(), number }
    }

    /// A table with these columns before its own.
    pub(crate) fn before(&self, table: &RecordBatch) -> RecordBatch {
        Self::before_each(std::slice::from_ref(self), &[table.num_rows()], table)
    }

    /// A table of several runs with these columns of each before its own; of the first of them are
    /// so many rows, and so on.
    pub(crate) fn before_each(all: &[Self], rows: &[usize], table: &RecordBatch) -> RecordBatch {
        let each = || all.iter().zip(rows).flat_map(|(it, rows)| repeat_n(it, *rows));
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (place, (axis, _)) in all[0].case.iter().enumerate() {
            fields.push(Arc::new(Field::new(axis, DataType::Utf8, false)));
            let cases = each().map(|it| &it.case[place].1);
            arrays.push(Arc::new(StringArray::from_iter_values(cases)));
        }
        fields.push(Arc::new(Field::new(RUN.name, DataType::UInt64, false)));
        let numbers = each().map(|it| u64::from(it.number));
        arrays.push(Arc::new(UInt64Array::from_iter_values(numbers)));
        fields.extend(table.schema().fields().iter().cloned());
        arrays.extend(table.columns().iter().cloned());
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .expect("every column has a value for every row")
    }

    /// A table of another case of the study, with these columns in place of its own.
    pub(crate) fn in_place(&self, table: &RecordBatch) -> RecordBatch {
        let own: Vec<usize> = (self.case.len() + 1..table.num_columns()).collect();
        self.before(&table.project(&own).expect("the columns exist"))
    }
}
