//! Columns of a table under construction, one row for each of some values.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use windtunnel_engine::Duration;

/// Builds a table column by column: each column reads its value from every row.
pub(crate) struct Columns<'a, T> {
    rows: &'a [T],
    pub(super) fields: Vec<Field>,
    pub(super) arrays: Vec<ArrayRef>,
}

impl<'a, T> Columns<'a, T> {
    pub(crate) fn of(rows: &'a [T]) -> Self {
        Self { rows, fields: Vec::new(), arrays: Vec::new() }
    }

    pub(crate) fn text<'b>(mut self, name: &str, get: impl Fn(&'a T) -> &'b str) -> Self {
        let values = StringArray::from_iter_values(self.rows.iter().map(get));
        self.fields.push(Field::new(name, DataType::Utf8, false));
        self.arrays.push(Arc::new(values));
        self
    }

    /// A number that may be missing; a number that is not finite is missing.
    pub(crate) fn number<N: Into<Option<f64>>>(
        mut self,
        name: &str,
        get: impl Fn(&'a T) -> N,
    ) -> Self {
        let finite = |row| get(row).into().filter(|it: &f64| it.is_finite());
        let values: Float64Array = self.rows.iter().map(finite).collect();
        self.fields.push(Field::new(name, DataType::Float64, true));
        self.arrays.push(Arc::new(values));
        self
    }

    pub(crate) fn count(mut self, name: &str, get: impl Fn(&'a T) -> u64) -> Self {
        let values = UInt64Array::from_iter_values(self.rows.iter().map(get));
        self.fields.push(Field::new(name, DataType::UInt64, false));
        self.arrays.push(Arc::new(values));
        self
    }

    /// A text that may be missing.
    pub(crate) fn text_if_any<'b>(
        mut self,
        name: &str,
        get: impl Fn(&'a T) -> Option<&'b str>,
    ) -> Self {
        let values: StringArray = self.rows.iter().map(get).collect();
        self.fields.push(Field::new(name, DataType::Utf8, true));
        self.arrays.push(Arc::new(values));
        self
    }

    /// A count that may be missing.
    pub(crate) fn count_if_any(mut self, name: &str, get: impl Fn(&'a T) -> Option<u64>) -> Self {
        let values: UInt64Array = self.rows.iter().map(get).collect();
        self.fields.push(Field::new(name, DataType::UInt64, true));
        self.arrays.push(Arc::new(values));
        self
    }

    /// A flag that may be missing.
    pub(crate) fn flag_if_any(mut self, name: &str, get: impl Fn(&'a T) -> Option<bool>) -> Self {
        let values: BooleanArray = self.rows.iter().map(get).collect();
        self.fields.push(Field::new(name, DataType::Boolean, true));
        self.arrays.push(Arc::new(values));
        self
    }

    pub(crate) fn batch(self) -> RecordBatch {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays)
            .expect("every column has a value for every row")
    }
}

pub(super) fn mean(sum: Duration, count: u64) -> Option<f64> {
    (count > 0).then(|| sum.as_seconds() / count as f64)
}
