//! Multicast: every next hop at once.
//!
//! Source: the behaviour of NFD's multicast strategy, with the suppression kept
//! for the pending Interest instead of for each of its upstream faces.

use super::decision::{Chosen, Decision, InterestArrival, StrategyDescription};
use super::suppression::{self, Kind};
use crate::ndn::pit::PitEntry;

pub(super) const DESCRIPTION: StrategyDescription = StrategyDescription {
    name: "multicast",
    meaning: "all next hops at once",
    source: "NFD's multicast strategy",
};

/// The strategy; it keeps no state of its own.
#[derive(Clone, Debug)]
pub struct Multicast;

impl Multicast {
    pub(super) fn decide(
        &self,
        arrival: &InterestArrival<'_>,
        pending: &mut PitEntry,
        chosen: &mut Chosen,
    ) -> Decision {
        if suppression::judge(arrival, pending) == Kind::Early {
            return Decision::Suppress;
        }
        let faces = arrival.next_hops.iter().map(|it| it.face);
        let others = faces.filter(|it| *it != arrival.face);
        chosen.extend(others.map(|face| (face, arrival.nonce)));
        if chosen.is_empty() { Decision::NoRoute } else { Decision::Forward }
    }
}
