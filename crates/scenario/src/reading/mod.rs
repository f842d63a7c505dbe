//! From text to values, with the place of each.

pub(crate) mod distributions;
pub(crate) mod extensions;
pub(crate) mod generators;
pub(crate) mod graphs;
pub(crate) mod prefixes;
pub(crate) mod same_schema;

pub(crate) use windtunnel_reading::{
    error, files, lines, located, reader, schema, setting_groups, sizes, timers, tree, units,
};
