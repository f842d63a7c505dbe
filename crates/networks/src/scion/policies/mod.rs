//! Path policies: which of the paths to a destination the next packet of a flow takes.
//!
//! A policy is a state machine without input or output. The network layer asks it for each
//! packet, sends the probes that it wants (SCMP echo requests), and reports what became of them.
//!
//! **To add one:** its file, and a line in [`PolicySettings`] and in each of its functions.
//!
//! Its keys in files are in `crates/scenario/src/traffic/flows/path_policy.rs`.

mod bandit;
mod choosing;
mod disjoint;
mod epsilon_greedy;
mod exp3;
mod first;
mod lowest_latency;
mod lowest_rtt;
mod memory;
mod path_policy;
mod round_robin;
mod settings;
mod ucb1;
mod widest;

pub use bandit::BanditSettings;
pub use lowest_rtt::LowestRttSettings;
pub use path_policy::{InterfaceId, PathId, PathInfo, PathPolicy, PolicyMaker};
pub use round_robin::Turn;
pub use settings::PolicySettings;
