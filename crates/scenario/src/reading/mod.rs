//! From text to values, with the place of each.

pub(crate) mod choice;
pub(crate) mod distributions;
pub(crate) mod error;
pub(crate) mod extensions;
pub(crate) mod files;
pub(crate) mod generators;
pub(crate) mod graphs;
pub(crate) mod lengths;
pub(crate) mod located;
pub(crate) mod maps;
pub(crate) mod periods;
pub(crate) mod prefixes;
pub(crate) mod reader;
pub(crate) mod schema;
pub(crate) mod setting_groups;
pub(crate) mod sizes;
pub(crate) mod timers;
pub(crate) mod traces;
pub(crate) mod tree;
pub(crate) mod units;
pub(crate) mod video;
pub(crate) mod weather;
