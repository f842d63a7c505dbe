//! Whether a congestion controller does what its specification says, case by case.
//!
//! A [`Suite`] is a file of cases. A case is played to a controller alone: it gets the
//! acknowledgements and congestion signals of a [`connection`] that the case describes, and its
//! window, threshold and pacing rate are compared with what the case expects. Each case names the
//! document and the section that it follows from. What only a network shows is measured there, by
//! whoever can simulate one.
//!
//! `bound` is what a case expects of a number, `suite` the file, `connection` the signals,
//! `network` what is measured on one, and `verdict` what is found.

mod bound;
pub mod connection;
mod network;
mod play;
mod quantity;
mod suite;
mod verdict;

pub use bound::Bound;
pub use network::{Measurement, Network};
pub use play::{play, play_over};
pub use quantity::{ControllerQuantity, FlowQuantity, Quantity};
pub use suite::{Case, Suite};
pub use verdict::{Failure, Moment, Outcome, Verdict};
