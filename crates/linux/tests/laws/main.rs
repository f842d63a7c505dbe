//! What holds of the Linux kernel as a host: its own figures in closed form, the same bytes in each run,
//! and what becomes of a guest that fails.

#![cfg(target_os = "linux")]

mod failures;
mod kernel;
mod repetition;
#[path = "../../../live/tests/common/skipping.rs"]
mod skipping;
mod transfers;
