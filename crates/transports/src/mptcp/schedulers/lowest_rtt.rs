//! The subflow with the lowest smoothed round trip of those whose windows have room.
//!
//! Source: the default scheduler of Linux's out-of-tree Multipath TCP, version 0.95.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, View, nearest};

pub(super) const DESCRIPTION: Description = Description {
    name: "lowest-rtt",
    title: "lowest RTT",
    meaning: "the lowest smoothed round trip of those whose windows have room",
    source: "the default of Linux's out-of-tree Multipath TCP 0.95",
    make: || Box::new(LowestRtt),
};

#[derive(Clone, Debug)]
struct LowestRtt;

impl Scheduler for LowestRtt {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        nearest(view.open()).map(Choice::new)
    }
}
