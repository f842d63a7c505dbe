//! Multipath TCP (RFC 8684): one stream of bytes over several subflows, each of which is a TCP
//! connection of its own, without input or output of their own.
//!
//! What is written is cut into segments, and a [`scheduler`] chooses the subflow of each. The
//! other end puts the data of all subflows in order by the numbers that segments carry beside
//! those of their subflow. One window, relative to the data acknowledgement, holds for all.
//!
//! `sending` decides which subflow gets what, `receiving` has one order and one window for all;
//! `establishment`, `changes` and `closing` are the life of subflows.

mod changes;
mod closing;
mod endpoint;
mod establishment;
mod limits;
mod memory;
mod receiving;
pub mod scheduler;
mod schedulers;
mod sending;
mod settings;
mod subflow;

pub use endpoint::{Endpoint, MultipathCounters, SubflowCounters};
pub use schedulers::DESCRIPTIONS;
pub use settings::{MultipathOptions, MultipathSettings, PathChange, PathSettings, PathState};
