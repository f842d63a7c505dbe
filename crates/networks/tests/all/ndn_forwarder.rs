//! The forwarder's pipelines: aggregation, loops, hop limits, lifetimes, marks
//! and refusals.

use crate::common::{
    AS_NFD, AS_PCON, Node, data_packet, faces, interest, interest_packet, marked, milliseconds,
    nack_packet, random,
};
use windtunnel_engine::Time;
use windtunnel_packets::ndn::{Interest, NackReason, Name, PacketFormat, PrefixId};
use windtunnel_packets::{Body, Packet};

fn marks(sent: &[(u16, Packet)]) -> Vec<(u16, bool)> {
    sent.iter().map(|(face, packet)| (*face, packet.marked())).collect()
}

/// The refusals in what was sent: where to, why, and with which nonce.
fn refusals(sent: &[(u16, Packet)]) -> Vec<(u16, NackReason, u32)> {
    let refusal = |(face, packet): &(u16, Packet)| match packet.body {
        Body::Nack(nack) => Some((*face, nack.reason, nack.interest.nonce)),
        _ => None,
    };
    sent.iter().filter_map(refusal).collect()
}

#[test]
fn interests_for_one_name_go_upstream_once_and_its_data_to_all_who_wait() {
    let mut node = Node::new();
    assert_eq!(faces(&node.ask(0, 0, interest(5, 1))), [2]);
    assert_eq!(faces(&node.ask(5, 1, interest(5, 2))), [0_u16; 0]);
    assert_eq!(faces(&node.ask(5, 4, interest(5, 3))), [0_u16; 0]);
    assert_eq!(faces(&node.receive(20, 2, data_packet(5))), [0, 1, 4]);
    let counters = node.counters();
    assert_eq!((counters.interests_in, counters.interests_out, counters.aggregated), (3, 1, 2));
    assert_eq!((counters.data_in, counters.data_out), (1, 3));
    assert_eq!(node.forwarder.pending(), 0);
}

#[test]
fn data_answers_its_interest_once() {
    let mut node = Node::new();
    node.ask(0, 0, interest(5, 1));
    assert_eq!(faces(&node.receive(20, 2, data_packet(5))), [0]);
    assert_eq!(faces(&node.receive(21, 2, data_packet(5))), [0_u16; 0]);
    assert_eq!(faces(&node.receive(21, 2, data_packet(6))), [0_u16; 0]);
    assert_eq!(node.counters().unsolicited, 2);
}

#[test]
fn data_does_not_go_back_where_it_came_from() {
    let mut node = Node::new();
    node.ask(0, 0, interest(5, 1));
    node.ask(1, 2, interest(5, 2));
    assert_eq!(faces(&node.receive(20, 2, data_packet(5))), [0]);
}

#[test]
fn a_pending_interest_lives_as_long_as_its_longest_waiting_face() {
    let lasting = |segment, lifetime_ms| Interest { lifetime_ms, ..interest(segment, 1) };
    let mut node = Node::new();
    node.ask(0, 0, lasting(1, 100));
    node.ask(0, 0, lasting(2, 50));
    node.ask(20, 1, Interest { nonce: 2, ..lasting(1, 40) });
    node.ask(20, 1, Interest { nonce: 2, ..lasting(2, 100) });
    let mut expiries = Vec::new();
    while let Some(time) = node.forwarder.next_expiry() {
        expiries.push(time);
        node.forwarder.expire(time);
    }
    assert_eq!(expiries, [100, 120].map(milliseconds));
    assert_eq!((node.counters().expired, node.forwarder.pending()), (2, 0));
}

#[test]
fn an_interest_is_let_go_when_its_lifetime_ends_and_not_before() {
    let mut node = Node::new();
    node.ask(0, 0, Interest { lifetime_ms: 100, ..interest(5, 1) });
    node.forwarder.expire(milliseconds(99));
    assert_eq!((node.counters().expired, node.forwarder.pending()), (0, 1));
    node.forwarder.expire(milliseconds(100));
    assert_eq!((node.counters().expired, node.forwarder.pending()), (1, 0));
    assert_eq!(faces(&node.receive(101, 2, data_packet(5))), [0_u16; 0]);
}

#[test]
fn data_goes_to_no_face_that_has_stopped_waiting() {
    let mut node = Node::new();
    node.ask(0, 0, Interest { lifetime_ms: 10, ..interest(5, 1) });
    node.ask(0, 1, Interest { lifetime_ms: 100, ..interest(5, 2) });
    assert_eq!(faces(&node.receive(50, 2, data_packet(5))), [1]);
}

#[test]
fn a_nonce_that_waits_on_another_face_is_a_loop_and_refused() {
    let mut node = Node::new();
    node.ask(0, 0, interest(5, 1));
    let looped = node.ask(30, 1, interest(5, 1));
    assert_eq!(refusals(&looped), [(1, NackReason::DUPLICATE, 1)]);
    assert_eq!((looped.len(), node.counters().loops), (1, 1));
    assert_eq!(faces(&node.receive(40, 2, data_packet(5))), [0]);
}

#[test]
fn a_nonce_that_comes_back_from_upstream_is_a_loop() {
    let mut node = Node::with("multicast", 0, AS_PCON, &[2, 3]);
    assert_eq!(faces(&node.ask(0, 0, interest(5, 1))), [2, 3]);
    let looped = node.ask(1, 3, interest(5, 1));
    assert_eq!(refusals(&looped), [(3, NackReason::DUPLICATE, 1)]);
    // Even if the consumer has asked again in between.
    assert_eq!(faces(&node.ask(2, 0, interest(5, 2))), [0_u16; 0]);
    let looped = node.ask(3, 2, interest(5, 1));
    assert_eq!(refusals(&looped), [(2, NackReason::DUPLICATE, 1)]);
}

#[test]
fn the_same_nonce_from_the_same_face_is_a_retransmission() {
    let mut node = Node::new();
    node.ask(0, 0, interest(5, 1));
    assert_eq!(faces(&node.ask(30, 0, interest(5, 1))), [2]);
    assert_eq!((node.counters().loops, node.counters().aggregated), (0, 0));
}

/// The dead nonce list (NFD), where a cycle is possible.
#[test]
fn a_late_copy_of_an_answered_interest_is_a_loop_for_six_seconds() {
    let answered = |watched: bool| {
        let mut node = Node::new();
        if watched {
            node.forwarder.watch_for_loops();
        }
        node.ask(0, 0, interest(5, 1));
        node.receive(20, 2, data_packet(5));
        node
    };
    let mut node = answered(true);
    assert_eq!(refusals(&node.ask(5_900, 1, interest(5, 1))), [(1, NackReason::DUPLICATE, 1)]);
    // The list is looked through when it grows.
    node.ask(6_100, 0, interest(6, 2));
    node.receive(6_110, 2, data_packet(6));
    assert_eq!(faces(&node.ask(6_200, 1, interest(5, 1))), [2]);
    assert_eq!(faces(&answered(false).ask(30, 1, interest(5, 1))), [2]);
}

/// Not even by chance: among this many, 32 bits would be too few to distinguish one name
/// and nonce from another.
#[test]
fn interests_for_different_names_are_never_taken_for_a_loop() {
    let mut node = Node::new();
    node.forwarder.watch_for_loops();
    let mut nonces = random("nonces");
    for segment in 0..400_000 {
        let nonce = nonces.bits();
        node.ask(0, 0, interest(segment, nonce));
        node.receive(0, 2, data_packet(segment));
    }
    assert_eq!(node.counters().loops, 0);
}

#[test]
fn a_hop_is_spent_where_an_interest_comes_over_a_link() {
    let sent_hop_limit = |from| {
        let mut node = Node::new();
        let sent = node.ask(0, from, Interest { hop_limit: Some(3), ..interest(5, 1) });
        match sent.as_slice() {
            [(2, Packet { body: Body::Interest(interest), .. })] => interest.hop_limit,
            _ => panic!("{sent:?}"),
        }
    };
    assert_eq!((sent_hop_limit(0), sent_hop_limit(4)), (Some(2), Some(3)));
}

#[test]
fn an_interest_without_a_hop_left_reaches_the_node_and_no_further() {
    let last_hop = Interest { hop_limit: Some(1), ..interest(5, 1) };
    let mut router = Node::new();
    assert_eq!(faces(&router.ask(0, 0, last_hop)), [0_u16; 0]);
    assert_eq!(router.counters().hop_limit_exceeded, 1);
    let mut producer_node = Node::with("best-route", 0, AS_PCON, &[4]);
    assert_eq!(faces(&producer_node.ask(0, 0, last_hop)), [4]);
    let mut beyond = Node::with("best-route", 0, AS_PCON, &[4]);
    assert_eq!(faces(&beyond.ask(0, 0, Interest { hop_limit: Some(0), ..last_hop })), [0_u16; 0]);
    assert_eq!((beyond.counters().hop_limit_exceeded, beyond.forwarder.pending()), (1, 0));
}

#[test]
fn an_interest_without_a_route_is_refused_and_not_kept() {
    let mut node = Node::with("best-route", 0, AS_PCON, &[]);
    let sent = node.ask(0, 0, interest(5, 1));
    assert_eq!(refusals(&sent), [(0, NackReason::NO_ROUTE, 1)]);
    assert_eq!((node.counters().nacks_out, node.forwarder.pending()), (1, 0));
}

#[test]
fn the_only_way_back_is_no_route() {
    for strategy in ["best-route", "multicast", "pcon"] {
        let mut node = Node::with(strategy, 0, AS_PCON, &[2]);
        let sent = node.ask(0, 2, interest(5, 1));
        assert_eq!(refusals(&sent), [(2, NackReason::NO_ROUTE, 1)], "{strategy}");
    }
}

#[test]
fn a_refusal_travels_back_to_all_who_wait_with_their_own_nonces() {
    let mut node = Node::new();
    node.ask(0, 0, interest(5, 1));
    node.ask(5, 1, interest(5, 2));
    let sent = node.receive(20, 2, nack_packet(interest(5, 1), NackReason::CONGESTION));
    let expected = [(0, NackReason::CONGESTION, 1), (1, NackReason::CONGESTION, 2)];
    assert_eq!(refusals(&sent), expected);
    assert_eq!(node.counters().nacks_out, 2);
    assert_eq!(node.forwarder.pending(), 0);
}

#[test]
fn a_refusal_waits_for_the_other_upstream_faces() {
    let mut node = Node::with("multicast", 0, AS_PCON, &[2, 3]);
    node.ask(0, 0, interest(5, 1));
    let refusal = nack_packet(interest(5, 1), NackReason::DUPLICATE);
    assert_eq!(faces(&node.receive(20, 3, refusal)), [0_u16; 0]);
    assert_eq!(refusals(&node.receive(30, 2, refusal)), [(0, NackReason::DUPLICATE, 1)]);
    let mut answered = Node::with("multicast", 0, AS_PCON, &[2, 3]);
    answered.ask(0, 0, interest(5, 1));
    answered.receive(20, 3, refusal);
    assert_eq!(faces(&answered.receive(30, 2, data_packet(5))), [0]);
}

#[test]
fn a_refusal_of_another_nonce_says_nothing() {
    let mut node = Node::new();
    node.ask(0, 0, interest(5, 1));
    let stale = nack_packet(interest(5, 9), NackReason::CONGESTION);
    assert_eq!(faces(&node.receive(20, 2, stale)), [0_u16; 0]);
    assert_eq!(faces(&node.receive(30, 2, data_packet(5))), [0]);
}

#[test]
fn a_mark_on_data_reaches_all_who_wait() {
    let mut node = Node::new();
    node.ask(0, 0, interest(5, 1));
    node.ask(5, 1, interest(5, 2));
    let sent = node.receive(20, 2, marked(data_packet(5)));
    assert_eq!(marks(&sent), [(0, true), (1, true)]);
}

/// As in PCON: it signals congestion on that consumer's path alone.
#[test]
fn a_mark_on_an_interest_returns_to_its_own_face() {
    let both = |marks_kept| {
        let mut node = Node::with("best-route", 0, marks_kept, &[2]);
        let upstream = node.receive(0, 0, marked(interest_packet(interest(5, 1))));
        assert_eq!(marks(&upstream), [(2, false)], "the mark waits here");
        node.ask(5, 1, interest(5, 2));
        marks(&node.receive(20, 2, data_packet(5)))
    };
    assert_eq!(both(AS_PCON), [(0, true), (1, false)]);
    assert_eq!(both(AS_NFD), [(0, false), (1, false)]);
}

#[test]
fn a_mark_on_an_interest_outlives_its_retransmission() {
    let mut node = Node::new();
    node.receive(0, 0, marked(interest_packet(interest(5, 1))));
    node.ask(30, 0, interest(5, 2));
    assert_eq!(marks(&node.receive(50, 2, data_packet(5))), [(0, true)]);
}

#[test]
fn a_mark_on_an_interest_returns_with_cached_data_too() {
    for (marks_kept, returns) in [(AS_PCON, true), (AS_NFD, false)] {
        let mut node = Node::with("best-route", 10, marks_kept, &[2]);
        node.ask(0, 0, interest(5, 1));
        node.receive(20, 2, data_packet(5));
        let sent = node.receive(30, 1, marked(interest_packet(interest(5, 2))));
        assert_eq!(marks(&sent), [(1, returns)]);
    }
}

#[test]
fn cached_data_keeps_its_mark_only_where_asked() {
    for (marks_kept, kept) in [(AS_PCON, false), (AS_NFD, true)] {
        let mut node = Node::with("best-route", 10, marks_kept, &[2]);
        node.ask(0, 0, interest(5, 1));
        node.receive(20, 2, marked(data_packet(5)));
        assert_eq!(marks(&node.ask(30, 1, interest(5, 2))), [(1, kept)]);
    }
}

#[test]
fn cached_data_answers_at_once_and_nothing_goes_upstream() {
    let mut node = Node::with("best-route", 10, AS_PCON, &[2]);
    node.ask(0, 0, interest(5, 1));
    node.receive(20, 2, data_packet(5));
    assert_eq!(node.ask(30, 1, interest(5, 2)), [(1, data_packet(5))]);
    let counters = node.counters();
    assert_eq!((counters.content_store_hits, counters.content_store_misses), (1, 1));
    assert_eq!((counters.interests_out, counters.data_out), (1, 2));
    assert_eq!(node.forwarder.pending(), 0);
}

#[test]
fn unsolicited_data_is_not_cached() {
    let mut node = Node::with("best-route", 10, AS_PCON, &[2]);
    node.receive(0, 2, data_packet(5));
    assert_eq!(faces(&node.ask(10, 0, interest(5, 1))), [2]);
}

#[test]
fn stale_data_does_not_answer_who_wants_it_fresh() {
    let mut node = Node::with("best-route", 10, AS_PCON, &[2]);
    node.ask(0, 0, interest(5, 1));
    node.receive(20, 2, data_packet(5));
    let fresh = Interest { must_be_fresh: true, ..interest(5, 2) };
    assert_eq!(faces(&node.ask(30, 1, fresh)), [2]);
    assert_eq!(node.counters().content_store_hits, 0);
}

#[test]
fn nothing_is_due_while_nothing_is_pending() {
    let mut node = Node::new();
    assert_eq!(node.forwarder.next_expiry(), None);
    node.ask(0, 0, interest(5, 1));
    assert_eq!(node.forwarder.next_expiry(), Some(milliseconds(4000)));
    node.receive(20, 2, data_packet(5));
    assert_eq!(node.forwarder.next_expiry(), None);
    node.forwarder.expire(Time::NEVER);
    assert_eq!(node.counters().expired, 0);
}

const CCNX: PrefixId = PrefixId::new(0, PacketFormat::Ccnx);

/// An Interest of CCNx, which has no nonce.
fn ccnx(segment: u64, hop_limit: u8) -> Interest {
    let name = Name { prefix: CCNX, segment };
    Interest { name, hop_limit: Some(hop_limit), ..interest(segment, 0) }
}

/// RFC 8569, section 2.4.2: a node must forward what a neighbour sends again, and may aggregate
/// what another one asks for.
#[test]
fn over_ccnx_what_a_neighbour_sends_again_goes_on_at_once() {
    for strategy in ["best-route", "multicast", "pcon"] {
        let mut node = Node::with(strategy, 0, AS_NFD, &[2]);
        assert_eq!(faces(&node.ask(0, 0, ccnx(5, 9))), [2], "{strategy}");
        assert_eq!(faces(&node.ask(0, 0, ccnx(5, 9))), [2], "{strategy}");
        assert_eq!(faces(&node.ask(500, 1, ccnx(5, 9))), [0_u16; 0], "{strategy}");
        assert_eq!(node.counters().aggregated, 1, "{strategy}");
        let data = data_packet(5);
        let Body::Data(mut of) = data.body else { panic!("it is Data") };
        of.name.prefix = CCNX;
        let data = Packet { body: Body::Data(of), ..data };
        assert_eq!(faces(&node.receive(600, 2, data)), [0, 1], "{strategy}");
    }
}

/// The same section: an Interest that may go further must not wait for one that may not.
#[test]
fn over_ccnx_an_interest_that_may_go_further_is_not_aggregated() {
    let mut node = Node::new();
    assert_eq!(faces(&node.ask(0, 0, ccnx(5, 4))), [2]);
    let sent = node.ask(2, 3, ccnx(5, 6));
    assert_eq!(faces(&sent), [2]);
    let Body::Interest(further) = sent[0].1.body else { panic!("it is an Interest") };
    assert_eq!(further.hop_limit, Some(5));
    assert_eq!(faces(&node.ask(3, 1, ccnx(6, 1))), [0_u16; 0], "it may reach this node alone");
    assert_eq!(faces(&node.ask(4, 1, ccnx(5, 6))), [0_u16; 0], "as far as one that was sent");
}

#[test]
fn over_ccnx_hop_limits_end_loops_and_nothing_else_does() {
    let mut node = Node::new();
    node.forwarder.watch_for_loops();
    node.ask(0, 0, ccnx(5, 9));
    assert_eq!(faces(&node.ask(1, 2, ccnx(5, 7))), [0_u16; 0]);
    assert_eq!((node.counters().loops, node.counters().nacks_out), (0, 0));
}
