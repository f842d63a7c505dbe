//! The columns of a run's case and number.

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
        let rows = table.num_rows();
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (axis, case) in &self.case {
            fields.push(Field::new(axis, DataType::Utf8, false));
            arrays.push(Arc::new(StringArray::from_iter_values((0..rows).map(|_| case))));
        }
        fields.push(Field::new(RUN.name, DataType::UInt64, false));
        arrays.push(Arc::new(UInt64Array::from_value(u64::from(self.number), rows)));
        fields.extend(table.schema().fields().iter().map(|it| it.as_ref().clone()));
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
