//! Multipath TCP between two ends, over paths that a test makes.

mod closing;
mod handshake;
mod laws;
mod paths;
mod schedulers;
mod trouble;
