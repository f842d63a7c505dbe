//! Rate adaptation: which scheme packets are sent with.
//!
//! **To add one:** its file, and a line in [`Adaptation`].

mod by_error;
mod by_snr;
mod choice;
mod fixed;
mod ladder;
mod minstrel;
mod power;
mod rate_adaptation;

pub use choice::Adaptation;
pub use ladder::Ladder;
pub use rate_adaptation::RateAdaptation;
