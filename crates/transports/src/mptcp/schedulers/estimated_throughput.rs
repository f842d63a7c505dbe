//! The subflow with the most throughput by its window and its round trip.
//!
//! Source: Matsufuji et al., "Multipath TCP packet schedulers for streaming video", PACRIM 2017
//! (LET, largest estimated throughput), as its abstract and those who cite it describe it.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, View, greatest};

pub(super) const DESCRIPTION: Description = Description {
    name: "estimated-throughput",
    title: "estimated throughput",
    meaning: "the most segments a round trip, by window and smoothed round trip",
    source: "Matsufuji et al., PACRIM 2017 (by its abstract)",
    make: || Box::new(EstimatedThroughput),
};

#[derive(Clone, Debug)]
struct EstimatedThroughput;

impl Scheduler for EstimatedThroughput {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        greatest(view.open(), |it| it.sender.cwnd / it.rtt()).map(Choice::new)
    }
}
