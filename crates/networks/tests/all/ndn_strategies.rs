//! The forwarding strategies: which next hops an Interest takes, when it is
//! sent again, and how PCON's weights move.

use crate::common::{
    AS_PCON, Node, data_packet, face, faces, interest, milliseconds, nack_packet, random,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use windtunnel_engine::{Random, Time};
use windtunnel_networks::ndn::fib::{FibEntryId, NextHop};
use windtunnel_networks::ndn::pit::{Pit, PitEntry};
use windtunnel_networks::ndn::strategy::{Chosen, Decision, InterestArrival, Repetition, Strategy};
use windtunnel_packets::Body;
use windtunnel_packets::ndn::{Interest, NackReason};

/// When Interests that come every millisecond, from `from`, are sent on, in
/// milliseconds.
fn sendings(strategy: &str, from: impl Fn(u64) -> u16, until_ms: u64) -> Vec<u64> {
    let mut node = Node::with(strategy, 0, AS_PCON, &[2]);
    let mut ask = |now: &u64| !node.ask(*now, from(*now), interest(5, *now as u32)).is_empty();
    (0..until_ms).filter(|now| ask(now)).collect()
}

/// 10 ms after the first, and doubling to 250 ms (NFD).
const SENDINGS: [u64; 8] = [0, 10, 30, 70, 150, 310, 560, 810];

#[test]
fn retransmissions_are_suppressed_for_ever_longer_up_to_a_quarter_second() {
    for strategy in ["best-route", "multicast"] {
        assert_eq!(sendings(strategy, |_| 0, 1000), SENDINGS, "{strategy}");
    }
}

#[test]
fn another_consumers_interest_counts_as_a_retransmission_for_best_route() {
    assert_eq!(sendings("best-route", |now| (now % 2) as u16, 1000), SENDINGS);
}

#[test]
fn suppression_starts_again_once_data_came() {
    let mut node = Node::new();
    for now in [0, 10, 30] {
        assert_eq!(faces(&node.ask(now, 0, interest(5, now as u32))), [2]);
    }
    node.receive(40, 2, data_packet(5));
    assert_eq!(faces(&node.ask(50, 0, interest(5, 50))), [2]);
    assert_eq!(faces(&node.ask(60, 0, interest(5, 60))), [2]);
}

#[test]
fn best_route_takes_the_cheapest_next_hop() {
    let mut node = Node::with("best-route", 0, AS_PCON, &[3, 2]);
    assert_eq!(faces(&node.ask(0, 0, interest(5, 1))), [3]);
    assert_eq!(faces(&node.ask(0, 3, interest(6, 2))), [2], "never where it came from");
}

#[test]
fn best_routes_retransmission_takes_an_unused_face_first_and_then_the_longest_unused() {
    let mut node = Node::with("best-route", 0, AS_PCON, &[2, 3, 1]);
    let instants = [0, 1_000, 2_000, 3_000, 3_900, 4_800, 5_700];
    let sent = instants.map(|now| faces(&node.ask(now, 0, interest(5, now as u32))));
    assert_eq!(sent.concat(), [2, 3, 1, 2, 3, 1, 2]);
}

#[test]
fn multicast_takes_every_next_hop_but_the_way_back() {
    let mut node = Node::with("multicast", 0, AS_PCON, &[1, 2, 3, 4]);
    assert_eq!(faces(&node.ask(0, 0, interest(5, 1))), [1, 2, 3, 4]);
    assert_eq!(faces(&node.ask(0, 2, interest(6, 2))), [1, 3, 4]);
    assert_eq!(faces(&node.ask(20, 2, interest(6, 3))), [1, 3, 4], "and again when it is time");
}

/// To best-route any Interest for the name is a retransmission, due after 10 ms;
/// to PCON only one of a face that waits already.
#[test]
fn another_consumers_interest_is_sent_again_by_best_route_and_not_by_pcon() {
    for (strategy, after_11_ms) in [("best-route", vec![2]), ("pcon", vec![])] {
        for (now, sent) in [(9, vec![]), (11, after_11_ms)] {
            let mut node = Node::with(strategy, 0, AS_PCON, &[2]);
            node.ask(0, 0, interest(5, 1));
            assert_eq!(faces(&node.ask(now, 1, interest(5, 2))), sent, "{strategy} at {now} ms");
        }
    }
}

#[test]
fn pcon_sends_a_retransmission_on_with_a_nonce_of_its_own() {
    let mut node = Node::with("pcon", 0, AS_PCON, &[2]);
    node.ask(0, 0, interest(5, 1));
    let sent = node.ask(1, 0, interest(5, 2));
    match sent.as_slice() {
        [(2, packet)] => assert!(matches!(packet.body, Body::Interest(it) if it.nonce != 2)),
        _ => panic!("{sent:?}"),
    }
}

#[test]
fn pcon_asks_again_once_the_answer_failed() {
    let mut node = Node::with("pcon", 0, AS_PCON, &[2, 3]);
    node.ask(0, 0, interest(5, 1));
    node.receive(10, 2, nack_packet(interest(5, 1), NackReason::CONGESTION));
    assert_eq!(faces(&node.ask(20, 1, interest(5, 2))).len(), 1);
}

const ENTRY: FibEntryId = FibEntryId(0);

/// PCON's strategy on `faces` next hops, numbered from 1.
struct Weighted {
    strategy: Strategy,
    next_hops: Vec<NextHop>,
    random: Random,
    pit: Pit,
}

impl Weighted {
    fn over(faces: u16) -> Self {
        let hop = |number: u16| NextHop { face: face(number), cost: u64::from(number) };
        Self {
            strategy: Strategy::named("pcon").expect("PCON's strategy"),
            next_hops: (1..=faces).map(hop).collect(),
            random: random("strategy"),
            pit: Pit::default(),
        }
    }

    /// A pending Interest that was sent to these faces.
    fn pending(&mut self, sent: &[u16]) -> PitEntry {
        let handle = self.pit.insert(&interest(0, 0), 40);
        let entry = self.pit.entry(handle);
        sent.iter().for_each(|it| entry.note_out(Time::ZERO, face(*it), 1));
        let entry = entry.clone();
        self.pit.remove(handle);
        entry
    }

    /// The faces that a new Interest from `from` takes, with their nonces.
    fn decide(&mut self, from: u16, interest: &Interest) -> Vec<(u16, u32)> {
        let mut pending = self.pending(&[]);
        let arrival = InterestArrival {
            now: Time::ZERO,
            face: face(from),
            nonce: interest.nonce,
            repetition: Repetition::OtherFace,
            entry: ENTRY,
            next_hops: &self.next_hops,
        };
        let mut chosen = Chosen::new();
        let decision = self.strategy.decide(&arrival, &mut pending, &mut self.random, &mut chosen);
        assert_eq!(decision, Decision::Forward);
        chosen.iter().map(|(face, nonce)| (face.0, *nonce)).collect()
    }

    fn mark(&mut self, from: u16) {
        self.strategy.on_data(ENTRY, &self.next_hops, face(from), true);
    }

    fn nack(&mut self, now_ms: u64, from: u16) {
        let reason = NackReason::CONGESTION;
        self.strategy.on_nack(milliseconds(now_ms), ENTRY, &self.next_hops, face(from), reason);
    }

    /// An Interest that was first sent to `first` is never answered.
    fn expire(&mut self, first: u16) {
        let pending = self.pending(&[first, 9]);
        self.strategy.on_expiry(ENTRY, &self.next_hops, &pending);
    }

    fn weights(&self) -> Vec<f64> {
        let Strategy::Pcon(pcon) = &self.strategy else { panic!("another strategy") };
        pcon.weights(ENTRY).expect("the prefix is in use").to_vec()
    }

    fn assert_weights(&self, expected: &[f64]) {
        let weights = self.weights();
        assert_eq!(weights.len(), expected.len());
        let close = weights.iter().zip(expected).all(|(it, wanted)| (it - wanted).abs() < 1e-12);
        assert!(close, "{weights:?} for {expected:?}");
    }
}

#[test]
fn all_weight_starts_on_the_best_next_hop() {
    let mut pcon = Weighted::over(3);
    let first = pcon.decide(0, &interest(0, 7));
    assert_eq!(first[0], (1, 7));
    pcon.assert_weights(&[1.0, 0.0, 0.0]);
}

#[test]
fn a_mark_takes_two_percent_of_its_faces_weight() {
    let mut pcon = Weighted::over(2);
    for marks in 1..=200 {
        pcon.mark(1);
        let left = 0.98_f64.powi(marks);
        pcon.assert_weights(&[left, 1.0 - left]);
    }
}

#[test]
fn what_a_mark_takes_is_shared_equally_among_the_others() {
    let mut pcon = Weighted::over(5);
    pcon.mark(1);
    pcon.assert_weights(&[0.98, 0.005, 0.005, 0.005, 0.005]);
}

/// Weights are of next hops: where these are others, they begin again.
#[test]
fn an_entry_that_is_forgotten_begins_with_all_weight_on_its_best_next_hop() {
    let mut it = Weighted::over(3);
    it.decide(0, &interest(1, 1));
    it.mark(1);
    it.assert_weights(&[0.98, 0.01, 0.01]);
    it.strategy.forget(ENTRY);
    it.next_hops.pop();
    it.decide(0, &interest(2, 2));
    it.assert_weights(&[1.0, 0.0]);
}

/// Of this many Interests, each next hop takes its weight's share.
#[test]
fn next_hops_are_chosen_by_weight() {
    let mut pcon = Weighted::over(3);
    // 0.98 to the 35th: about a half is left, and a quarter for each of the others.
    (0..35).for_each(|_| pcon.mark(1));
    let mut taken = [0_u32; 3];
    for number in 0..10_000 {
        let [(first, _), ..] = pcon.decide(0, &interest(0, number))[..] else { panic!("no face") };
        taken[usize::from(first - 1)] += 1;
    }
    for (taken, weight) in taken.into_iter().zip(pcon.weights()) {
        // Four standard deviations of a binomial variable.
        let expected = 10_000.0 * weight;
        let deviation = (expected * (1.0 - weight)).sqrt();
        assert!((f64::from(taken) - expected).abs() < 4.0 * deviation, "{taken} of {expected}");
    }
}

/// The next hops of a prefix change: what comes next takes the new ones.
#[test]
fn interests_take_the_next_hops_that_replaced_others() {
    for strategy in ["best-route", "multicast", "pcon"] {
        let mut node = Node::with(strategy, 0, AS_PCON, &[2]);
        assert_eq!(faces(&node.ask(0, 0, interest(5, 1))), [2], "{strategy}");
        let prefix = "/data".parse().expect("a name");
        let next_hops = [NextHop { face: face(3), cost: 0 }];
        node.forwarder.replace_next_hops(&prefix, &next_hops);
        assert_eq!(faces(&node.ask(1, 0, interest(6, 2))), [3], "{strategy}");
        node.forwarder.replace_next_hops(&prefix, &[]);
        let sent = node.ask(2, 0, interest(7, 3));
        assert!(!faces(&sent).iter().any(|it| [2, 3].contains(it)), "{strategy}");
    }
}

#[test]
fn a_single_next_hop_keeps_all_weight() {
    let mut pcon = Weighted::over(1);
    pcon.mark(1);
    pcon.nack(0, 1);
    pcon.expire(1);
    pcon.assert_weights(&[1.0]);
}

/// Where `weight * marks` is the same on both faces, marks move nothing in sum.
#[test]
fn weights_settle_inversely_to_the_marks() {
    for (marks_on_first, marks_on_second) in [(1, 1), (3, 1), (1, 4)] {
        let mut pcon = Weighted::over(2);
        for _ in 0..1000 {
            (0..marks_on_first).for_each(|_| pcon.mark(1));
            (0..marks_on_second).for_each(|_| pcon.mark(2));
        }
        let expected = f64::from(marks_on_second) / f64::from(marks_on_first + marks_on_second);
        let weight = pcon.weights()[0];
        // A round of marks moves so much.
        let step = 0.02 * f64::from(marks_on_first.max(marks_on_second));
        assert!((weight - expected).abs() < step, "{weight} for {expected}");
    }
}

#[test]
fn congestion_refusals_move_weight_at_most_every_110_milliseconds() {
    let mut pcon = Weighted::over(2);
    for now in 0..=220 {
        pcon.nack(now, 1);
    }
    pcon.assert_weights(&[0.98_f64.powi(3), 1.0 - 0.98_f64.powi(3)]);
}

#[test]
fn an_expired_interest_takes_a_fixed_share_from_the_face_first_asked() {
    let mut pcon = Weighted::over(2);
    for expired in 1..=50 {
        pcon.expire(1);
        let left = 1.0 - 0.02 * f64::from(expired);
        pcon.assert_weights(&[left, 1.0 - left]);
    }
    pcon.expire(1);
    pcon.assert_weights(&[0.0, 1.0]);
}

#[test]
fn interests_take_faces_in_proportion_to_their_weights() {
    let mut pcon = Weighted::over(2);
    (0..60).for_each(|_| pcon.mark(1));
    let (weight, interests) = (0.98_f64.powi(60), 100_000);
    let first = (0..interests).filter(|nonce| pcon.decide(0, &interest(0, *nonce))[0].0 == 1);
    let share = first.count() as f64 / f64::from(interests);
    let error = (weight * (1.0 - weight) / f64::from(interests)).sqrt();
    assert!((share - weight).abs() < 4.0 * error, "{share} for {weight}");
}

#[test]
fn one_interest_in_a_thousand_probes_all_other_faces_with_nonces_of_their_own() {
    let mut pcon = Weighted::over(3);
    let interests = 400_000;
    let mut probes = 0;
    for nonce in 0..interests {
        let sent = pcon.decide(0, &interest(0, nonce));
        assert_eq!(sent[0], (1, nonce));
        if sent.len() > 1 {
            assert_eq!(sent[1..].iter().map(|(face, _)| *face).collect::<Vec<_>>(), [2, 3]);
            assert!(sent[1].1 != nonce && sent[2].1 != nonce && sent[1].1 != sent[2].1);
            probes += 1;
        }
    }
    let expected = f64::from(interests) * 0.001;
    assert!((f64::from(probes) - expected).abs() < 4.0 * expected.sqrt(), "{probes}");
}

#[test]
fn an_interest_never_takes_the_face_that_it_came_from() {
    let mut pcon = Weighted::over(3);
    (0..50).for_each(|_| pcon.mark(1));
    for nonce in 0..10_000 {
        assert!(pcon.decide(1, &interest(0, nonce)).iter().all(|(face, _)| *face != 1));
    }
}

#[derive(Clone, Copy, Debug)]
enum Sign {
    Mark(u16),
    Nack(u64, u16),
    Expiry(u16),
}

proptest! {
    #[test]
    fn weights_are_shares_whatever_happens(
        faces in 1..6_u16,
        signs in vec(
            prop_oneof![
                (1..8_u16).prop_map(Sign::Mark),
                (0..1000_u64, 1..8_u16).prop_map(|(now, face)| Sign::Nack(now, face)),
                (1..8_u16).prop_map(Sign::Expiry),
            ],
            1..500,
        ),
    ) {
        let mut pcon = Weighted::over(faces);
        pcon.decide(0, &interest(0, 0));
        for sign in signs {
            match sign {
                Sign::Mark(face) => pcon.mark(face),
                Sign::Nack(now, face) => pcon.nack(now, face),
                Sign::Expiry(face) => pcon.expire(face),
            }
            let weights = pcon.weights();
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{weights:?}");
            prop_assert!(weights.iter().all(|it| (0.0..=1.0 + 1e-9).contains(it)), "{weights:?}");
        }
    }
}
