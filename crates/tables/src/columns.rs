//! Columns of a table under construction, one row for each of some values.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use windtunnel_engine::Duration;

use crate::column::Column;

/// A table: what it holds, its columns and their values.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What it holds, in whole sentences.
    pub about: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Their values.
    pub values: RecordBatch,
}

/// Builds a table column by column: each column reads its value from every row.
pub struct Columns<'a, T> {
    name: &'static str,
    about: &'static str,
    rows: &'a [T],
    columns: Vec<Column>,
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl<'a, T> Columns<'a, T> {
    /// Begins a table of that name, with what it holds in whole sentences; it has a row for each.
    #[must_use]
    pub fn of(name: &'static str, about: &'static str, rows: &'a [T]) -> Self {
        Self { name, about, rows, columns: Vec::new(), fields: Vec::new(), arrays: Vec::new() }
    }

    fn with(
        mut self,
        column: Column,
        kind: DataType,
        may_be_missing: bool,
        values: ArrayRef,
    ) -> Self {
        self.columns.push(column);
        self.fields.push(Field::new(column.name, kind, may_be_missing));
        self.arrays.push(values);
        self
    }

    /// A text.
    #[must_use]
    pub fn text<'b>(self, column: Column, get: impl Fn(&'a T) -> &'b str) -> Self {
        let values = StringArray::from_iter_values(self.rows.iter().map(get));
        self.with(column, DataType::Utf8, false, Arc::new(values))
    }

    /// A number that may be missing; a number that is not finite is missing.
    #[must_use]
    pub fn number<N: Into<Option<f64>>>(self, column: Column, get: impl Fn(&'a T) -> N) -> Self {
        let finite = |row| get(row).into().filter(|it: &f64| it.is_finite());
        let values: Float64Array = self.rows.iter().map(finite).collect();
        self.with(column, DataType::Float64, true, Arc::new(values))
    }

    /// A count.
    #[must_use]
    pub fn count(self, column: Column, get: impl Fn(&'a T) -> u64) -> Self {
        let values = UInt64Array::from_iter_values(self.rows.iter().map(get));
        self.with(column, DataType::UInt64, false, Arc::new(values))
    }

    /// A text that may be missing.
    #[must_use]
    pub fn text_if_any<'b>(self, column: Column, get: impl Fn(&'a T) -> Option<&'b str>) -> Self {
        let values: StringArray = self.rows.iter().map(get).collect();
        self.with(column, DataType::Utf8, true, Arc::new(values))
    }

    /// A count that may be missing.
    #[must_use]
    pub fn count_if_any(self, column: Column, get: impl Fn(&'a T) -> Option<u64>) -> Self {
        let values: UInt64Array = self.rows.iter().map(get).collect();
        self.with(column, DataType::UInt64, true, Arc::new(values))
    }

    /// A flag that may be missing.
    #[must_use]
    pub fn flag_if_any(self, column: Column, get: impl Fn(&'a T) -> Option<bool>) -> Self {
        let values: BooleanArray = self.rows.iter().map(get).collect();
        self.with(column, DataType::Boolean, true, Arc::new(values))
    }

    /// The table.
    #[must_use]
    pub fn table(self) -> Table {
        let Self { name, about, columns, fields, arrays, .. } = self;
        let values = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .expect("every column has a value for every row");
        Table { name, about, columns, values }
    }
}

/// The mean of durations with that sum, in seconds; missing if there are none.
#[must_use]
pub fn mean(sum: Duration, count: u64) -> Option<f64> {
    (count > 0).then(|| sum.as_seconds() / count as f64)
}
