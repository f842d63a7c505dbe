//! Best route: the next hop of the lowest cost.
//!
//! Source: the behaviour of NFD's best-route strategy, version 5. A
//! retransmission goes to a next hop that was not asked yet, or else to the one
//! that was asked longest ago.

use super::decision::{Chosen, Decision, InterestArrival, StrategyDescription};
use super::suppression::{self, Kind};
use crate::ndn::pit::PitEntry;

pub(super) const DESCRIPTION: StrategyDescription = StrategyDescription {
    name: "best-route",
    meaning: "the next hop of the lowest cost; retransmissions try the others",
    source: "NFD's best-route strategy, version 5",
};

/// The strategy; it keeps no state of its own.
#[derive(Clone, Debug)]
pub struct BestRoute;

impl BestRoute {
    pub(super) fn decide(
        &self,
        arrival: &InterestArrival<'_>,
        pending: &mut PitEntry,
        chosen: &mut Chosen,
    ) -> Decision {
        let kind = suppression::judge(arrival, pending);
        let mut eligible = arrival.next_hops.iter().filter(|it| it.face != arrival.face);
        let next_hop = match kind {
            Kind::Early => return Decision::Suppress,
            Kind::New => eligible.next(),
            Kind::Due => {
                let sent = |face| {
                    let records = &pending.out_records;
                    records.iter().find(|it| it.face == face && pending.awaits(arrival.now, it))
                };
                // An unused face sorts before every used one; ties keep the order.
                eligible.min_by_key(|it| sent(it.face).map(|record| record.sent))
            }
        };
        let Some(next_hop) = next_hop else { return Decision::NoRoute };
        chosen.push((next_hop.face, arrival.nonce));
        Decision::Forward
    }
}
