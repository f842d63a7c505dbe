//! What is written outside and cannot go on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use windtunnel_controllers::Failed;

/// What a panic says.
#[must_use]
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
    text.unwrap_or_else(|| "unknown panic".to_owned())
}

/// What some work gives, or why something written outside could not go on in it.
/// # Panics
/// As the work does, where that is a fault of ours.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<Failed>() {
        Ok(failed) => failed.0,
        Err(fault) => resume_unwind(fault),
    })
}
