//! [noq](https://docs.rs/noq-proto)'s state machines as a stack, with their defaults but for the
//! congestion controller and the idle timeout, of which there is none.
//!
//! A connection sees the same times in every run, since the run began. Keys and connection IDs differ
//! from run to run, but no size does.

mod api;
#[path = "configuration.rs"]
mod configuration;
mod controller;
#[path = "earlier.rs"]
mod earlier;
#[path = "end.rs"]
mod end;
#[path = "maker.rs"]
mod maker;

pub use controller::Controller as NoqController;
pub use maker::{IMPLEMENTATION as NOQ, Maker as Noq};
