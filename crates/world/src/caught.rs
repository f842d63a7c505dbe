//! What is written outside and cannot go on.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use windtunnel_controllers::Failed;

/// What some work gives, or why something written outside could not go on in it.
/// # Panics
/// As the work does, where that is a fault of ours.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<Failed>() {
        Ok(failed) => failed.0,
        Err(fault) => resume_unwind(fault),
    })
}
