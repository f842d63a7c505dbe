//! The subflow with the largest bandwidth–delay product.
//!
//! Source: the conclusion of Kondo et al., "BBR performance over variable delay paths on
//! multipath TCP video streaming", which announces it in one sentence: the product is that of
//! BBR's two estimates. Where the controller estimates neither, it is the last sample of the
//! delivery rate times the least round trip.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, SubflowState, View, greatest};

pub(super) const DESCRIPTION: Description = Description {
    name: "largest-bdp",
    title: "largest BDP",
    meaning: "the largest bandwidth–delay product, by the controller's estimates",
    source: "Kondo et al., section VII, one sentence",
    make: || Box::new(LargestBdp),
};

#[derive(Clone, Debug)]
struct LargestBdp;

/// The bandwidth–delay product of a subflow's path, in segments; 0 before it is known.
fn product(it: &SubflowState) -> f64 {
    let sender = &it.sender;
    let (bandwidth, round_trip) = match (sender.estimate, sender.delivery_rate, sender.least_rtt) {
        (Some(estimate), ..) => estimate,
        (None, Some(rate), Some(rtt)) => (rate, rtt),
        _ => return 0.0,
    };
    bandwidth * round_trip.as_seconds()
}

impl Scheduler for LargestBdp {
    fn wants_rates(&self) -> bool {
        true
    }

    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        greatest(view.open(), product).map(Choice::new)
    }
}
