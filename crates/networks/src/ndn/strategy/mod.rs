//! Forwarding strategies: over which of the next hops an Interest goes.

mod best_route;
mod decision;
mod multicast;
mod pcon;
mod suppression;

use windtunnel_engine::{Random, Time};
use windtunnel_packets::ndn::NackReason;

use best_route::BestRoute;
pub use decision::{Chosen, Decision, InterestArrival, Repetition, StrategyDescription};
use multicast::Multicast;
use pcon::PconStrategy;

use super::face::FaceId;
use super::fib::{FibEntryId, NextHop};
use super::pit::PitEntry;

/// Every strategy.
pub const DESCRIPTIONS: &[StrategyDescription] =
    &[best_route::DESCRIPTION, multicast::DESCRIPTION, pcon::DESCRIPTION];

/// Any strategy, with its state.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// The best next hop.
    BestRoute(BestRoute),
    /// All next hops.
    Multicast(Multicast),
    /// Weighted next hops that congestion marks move.
    Pcon(PconStrategy),
}

impl Strategy {
    /// The strategy of that name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "best-route" => Some(Self::BestRoute(BestRoute)),
            "multicast" => Some(Self::Multicast(Multicast)),
            "pcon" => Some(Self::Pcon(PconStrategy::default())),
            _ => None,
        }
    }

    /// Decides where an Interest goes, and puts the faces into `chosen`.
    #[inline]
    pub fn decide(
        &mut self,
        arrival: &InterestArrival<'_>,
        pending: &mut PitEntry,
        random: &mut Random,
        chosen: &mut Chosen,
    ) -> Decision {
        chosen.clear();
        match self {
            Self::BestRoute(it) => it.decide(arrival, pending, chosen),
            Self::Multicast(it) => it.decide(arrival, pending, chosen),
            Self::Pcon(it) => it.decide(arrival, pending, random, chosen),
        }
    }

    /// The next hops of an entry are others from now on.
    pub fn forget(&mut self, entry: FibEntryId) {
        if let Self::Pcon(it) = self {
            it.forget(entry);
        }
    }

    /// Learns that `face` answered with Data.
    #[inline]
    pub fn on_data(&mut self, entry: FibEntryId, hops: &[NextHop], face: FaceId, marked: bool) {
        if let (Self::Pcon(it), true) = (self, marked) {
            it.on_mark(entry, hops, face);
        }
    }

    /// Learns that `face` refused an Interest.
    pub fn on_nack(
        &mut self,
        now: Time,
        entry: FibEntryId,
        hops: &[NextHop],
        face: FaceId,
        reason: NackReason,
    ) {
        if let (Self::Pcon(it), NackReason::CONGESTION) = (self, reason) {
            it.on_nack(now, entry, hops, face);
        }
    }

    /// Learns that nobody answered in time.
    pub fn on_expiry(&mut self, entry: FibEntryId, hops: &[NextHop], pending: &PitEntry) {
        if let (Self::Pcon(it), Some(first)) = (self, pending.out_records.first()) {
            it.on_expiry(entry, hops, first.face);
        }
    }
}
