//! From text to values, with the place of each.

pub(crate) mod choice;
pub(crate) mod distributions;
pub(crate) mod extensions;
pub(crate) mod generators;
pub(crate) mod graphs;
pub(crate) mod maps;
pub(crate) mod prefixes;
pub(crate) mod traces;
pub(crate) mod weather;

pub(crate) use windtunnel_reading::{
    error, files, lengths, lines, located, reader, schema, sizes, timers, tree, units,
};
