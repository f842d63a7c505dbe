//! Multipath TCP between two ends, over paths that a test makes.

mod accounting;
mod acknowledgements;
mod closing;
mod handshake;
mod laws;
mod limits;
mod paths;
mod schedulers;
#[path = "../tcp/spy.rs"]
#[allow(dead_code, reason = "these tests hear less than those of plain TCP")]
mod spy;
mod trouble;
