//! Whole files: their sections, the cases that they compare, and the plans of these.

pub(crate) mod beginning;
pub(crate) mod build;
pub(crate) mod cases;
pub(crate) mod checks;
pub(crate) mod comparison;
pub(crate) mod defaults;
pub(crate) mod extension_names;
pub(crate) mod recording;
pub(crate) mod scenario;
pub(crate) mod settings;
pub(crate) mod trace;
pub(crate) mod written_outside;
