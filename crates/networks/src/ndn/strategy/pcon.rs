//! PCON's strategy: Interests are spread over the next hops by weight, and
//! congestion marks move the weight away from the face that they came from.
//!
//! Source: Schneider, Yi, Zhang and Zhang, ICN 2016, section 4, and the
//! behaviour of their simulation:
//!
//! - all weight starts on the best next hop
//! - an Interest takes one eligible face with the probability of its weight;
//!   one in 1,000 is also sent, with a nonce of its own, to all the others
//! - a marked Data from a face takes 2 % of that face's weight and shares it
//!   among the others; a congestion NACK does the same at most every 110 ms
//! - an Interest that expires takes 0.02 of all weight from the face first asked
//! - an Interest from a face that already waits is sent again with a new nonce;
//!   from any other face it waits for the pending answer

use std::collections::BTreeMap;

use windtunnel_engine::{Duration, Random, Time};

use super::decision::{Chosen, Decision, InterestArrival, Repetition, StrategyDescription};
use crate::ndn::face::FaceId;
use crate::ndn::fib::{FibEntryId, NextHop};
use crate::ndn::pit::PitEntry;

pub(super) const DESCRIPTION: StrategyDescription = StrategyDescription {
    name: "pcon",
    meaning: "next hops by weight, which congestion marks move; probes the others",
    source: "Schneider et al., A Practical Congestion Control Scheme for NDN, ICN 2016",
};

const PROBING: f64 = 0.001;
const SHIFT: f64 = 0.02;
const BETWEEN_NACKS: Duration = Duration::from_millis(110);

/// The weights of one prefix's next hops.
#[derive(Clone, Debug)]
struct Split {
    /// In the order of the next hops; their sum is 1.
    weights: Vec<f64>,
    last_nack: Option<Time>,
}

impl Split {
    fn new(next_hops: usize) -> Self {
        let mut weights = vec![0.0; next_hops];
        weights[0] = 1.0;
        Self { weights, last_nack: None }
    }

    /// Takes up to `amount` from one weight and shares it among the others.
    fn shift(&mut self, from: usize, amount: f64) {
        let others = self.weights.len() - 1;
        if others == 0 {
            return;
        }
        let amount = amount.min(self.weights[from]);
        let share = amount / others as f64;
        for (index, weight) in self.weights.iter_mut().enumerate() {
            *weight += if index == from { -amount } else { share };
        }
    }
}

/// The strategy and its weights.
#[derive(Clone, Debug, Default)]
pub struct PconStrategy {
    splits: BTreeMap<FibEntryId, Split>,
}

impl PconStrategy {
    fn split(&mut self, entry: FibEntryId, next_hops: &[NextHop]) -> &mut Split {
        self.splits.entry(entry).or_insert_with(|| Split::new(next_hops.len()))
    }

    /// Begins again with an entry whose next hops have changed.
    pub(super) fn forget(&mut self, entry: FibEntryId) {
        self.splits.remove(&entry);
    }

    /// The weights of a prefix's next hops, in their order.
    #[must_use]
    pub fn weights(&self, entry: FibEntryId) -> Option<&[f64]> {
        self.splits.get(&entry).map(|it| it.weights.as_slice())
    }

    pub(super) fn decide(
        &mut self,
        arrival: &InterestArrival<'_>,
        pending: &PitEntry,
        random: &mut Random,
        chosen: &mut Chosen,
    ) -> Decision {
        let goes_again = matches!(arrival.repetition, Repetition::SameFace | Repetition::Forwarded);
        if pending.awaits_answer(arrival.now) && !goes_again {
            return Decision::Suppress;
        }
        if arrival.next_hops.iter().all(|it| it.face == arrival.face) {
            return Decision::NoRoute;
        }
        let weights = &self.split(arrival.entry, arrival.next_hops).weights;
        let eligible = || {
            let hops = arrival.next_hops.iter().zip(weights);
            hops.filter(|(hop, _)| hop.face != arrival.face)
                .map(|(hop, weight)| (hop.face, *weight))
        };
        let best = choose(eligible, random);
        let sent_before = pending.out_records.iter().any(|it| it.nonce == arrival.nonce);
        let nonce = if goes_again || sent_before { random.bits() } else { arrival.nonce };
        chosen.push((best, nonce));
        if arrival.next_hops.len() > 1 && random.happens(PROBING) {
            let others = eligible().map(|(face, _)| face).filter(|it| *it != best);
            chosen.extend(others.map(|face| (face, random.bits())));
        }
        Decision::Forward
    }

    pub(super) fn on_mark(&mut self, entry: FibEntryId, next_hops: &[NextHop], face: FaceId) {
        if let Some(index) = next_hops.iter().position(|it| it.face == face) {
            let split = self.split(entry, next_hops);
            split.shift(index, SHIFT * split.weights[index]);
        }
    }

    pub(super) fn on_nack(
        &mut self,
        now: Time,
        entry: FibEntryId,
        next_hops: &[NextHop],
        face: FaceId,
    ) {
        let split = self.split(entry, next_hops);
        if split.last_nack.is_some_and(|last| now.since(last) < BETWEEN_NACKS) {
            return;
        }
        split.last_nack = Some(now);
        self.on_mark(entry, next_hops, face);
    }

    pub(super) fn on_expiry(&mut self, entry: FibEntryId, next_hops: &[NextHop], face: FaceId) {
        if let Some(index) = next_hops.iter().position(|it| it.face == face) {
            self.split(entry, next_hops).shift(index, SHIFT);
        }
    }
}

/// Draws a face by weight; where no eligible face has any, the best one.
fn choose<I: Iterator<Item = (FaceId, f64)>>(
    eligible: impl Fn() -> I,
    random: &mut Random,
) -> FaceId {
    let total: f64 = eligible().map(|(_, weight)| weight).sum();
    let mut left = if eligible().count() > 1 { random.unit() * total } else { 0.0 };
    let mut chosen = None;
    for (face, weight) in eligible() {
        if chosen.is_none() || weight > 0.0 {
            chosen = Some(face);
        }
        if weight > 0.0 && left < weight {
            break;
        }
        left -= weight;
    }
    chosen.expect("there is an eligible face")
}
