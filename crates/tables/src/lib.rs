//! Tables of results as Arrow has them, whose columns say what they are.
//!
//! A column is written once: its name, its definition and where its values come from stand
//! together, where a table is made by [`Columns`].

mod column;
mod columns;

pub use column::{Better, Column, column};
pub use columns::{Columns, Table, mean};
