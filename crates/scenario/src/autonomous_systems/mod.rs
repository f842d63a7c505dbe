//! Networks of autonomous systems, whose hosts choose paths.

pub(crate) mod policies;
