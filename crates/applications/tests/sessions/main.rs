//! What sessions do whose pages follow them, by the numbers that others can check.

mod accounting;
mod carrier;
mod failures;
mod invariants;
mod scenario;
mod strategies;
