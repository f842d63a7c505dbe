//! Implementations that scenarios name.

use std::fmt::Debug;
use std::sync::Arc;

use crate::MakeStack;

/// An implementation that is written outside the crates that read scenarios, with what there is to
/// choose of it.
pub trait StackKind: Debug + Send + Sync {
    /// Its name in scenarios.
    fn name(&self) -> &str;

    /// The names of its own congestion controllers, of which the first is its default; none if there
    /// is nothing to choose.
    ///
    /// # Errors
    /// Why it cannot be used: what it needs is not installed, or is not written.
    fn controllers(&self) -> Result<Vec<String>, String>;

    /// What makes its ends, with one of these controllers, or with its default.
    ///
    /// # Errors
    /// Why it cannot be used.
    fn maker(&self, controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String>;

    /// Whether its connections can use several paths at once.
    fn has_multipath(&self) -> bool {
        false
    }
}
