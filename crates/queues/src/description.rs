//! What a queue discipline is.

/// A queue discipline's name and what it is.
#[derive(Clone, Copy, Debug)]
pub struct QueueDescription {
    /// The name in scenario files.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// What defines it.
    pub source: &'static str,
}
