//! The schedulers, one file each.
//!
//! **To add one:** its file, and a line here.

mod blest;
mod ecf;
mod estimated_throughput;
mod free_window;
mod largest_bdp;
mod least_linger;
mod lowest_rtt;
mod redundant;
mod round_robin;
mod state_aware;
mod sticky;

use super::scheduler::Description;

/// All of them; the first is the default.
pub const DESCRIPTIONS: &[Description] = &[
    lowest_rtt::DESCRIPTION,
    blest::DESCRIPTION,
    blest::DESCRIPTION_OF_LINUX,
    ecf::DESCRIPTION,
    estimated_throughput::DESCRIPTION,
    free_window::DESCRIPTION,
    largest_bdp::DESCRIPTION,
    least_linger::DESCRIPTION,
    redundant::DESCRIPTION,
    round_robin::DESCRIPTION,
    state_aware::DESCRIPTION,
    sticky::DESCRIPTION,
];
