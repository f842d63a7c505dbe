//! From text to values, with the place of each for messages.
//!
//! A file is a [`tree`] of values, which [`reader`] reads as types by serde. Quantities are written
//! with their [`units`]; a [`located::Located`] value knows its place, so that a check that fails
//! makes an [`error::Mistake`] that points at it. The other files that a scenario names are
//! [`files::Files`].
//!
//! What a queue discipline, a workload or a link has in scenarios is beside its state machine, and
//! read with this crate.

mod choice;
pub mod decibels;
pub mod error;
pub mod files;
pub mod lengths;
pub mod lines;
pub mod located;
pub mod reader;
pub mod schema;
pub mod setting_groups;
pub mod sizes;
pub mod timers;
pub mod tree;
pub mod units;
