//! The source edge alone.

use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_networks::bridge::{Probes, SourceCounters, greatest_share};
use windtunnel_packets::Dscp;
use windtunnel_packets::udp::Datagram;

use super::*;

fn rate(bits_per_second: u64) -> Rate {
    Rate::from_bits_per_second(bits_per_second).unwrap()
}

/// Lets `count` packets of a connection leave; returns the clone's
/// acknowledgements in order.
fn leave(edge: &mut SourceEdge, count: u32) -> Vec<EdgeAcknowledgement> {
    let sent = (0..count).map(|number| {
        let mut packet = data(0, 1000 * number, 1000);
        edge.forward(Time::ZERO, &mut packet);
        acknowledgement(&packet)
    });
    sent.collect()
}

/// The sequence numbers of what is to be sent again.
fn resent(edge: &mut SourceEdge) -> Vec<u32> {
    std::iter::from_fn(|| edge.next_resent(Time::ZERO)).map(|it| sequence(&it)).collect()
}

#[test]
fn the_greatest_share_is_that_of_the_papers_example() {
    let share = greatest_share(2_000_000, Duration::from_millis(10), rate(10_000_000_000));
    assert!((share - 0.16).abs() < 1e-12, "{share}");
}

#[test]
fn an_acknowledgement_resumes_the_queue_up_to_its_packet() {
    // Figure 5: packets before the acknowledged one are lost.
    let mut edge = edge(everything());
    let sent = leave(&mut edge, 5);
    edge.acknowledge(&sent[2]);
    assert_eq!(resent(&mut edge), [0, 1000]);
    assert_eq!(edge.backlog().packets, 2);
    edge.acknowledge(&sent[3]);
    assert_eq!(resent(&mut edge), [0_u32; 0]);
}

#[test]
fn what_is_not_held_changes_nothing_but_by_figure_8() {
    for (unmatched, expected) in
        [(Unmatched::Ignore, vec![]), (Unmatched::ResendAll, vec![1000, 2000])]
    {
        let mut edge = edge(SourceSettings { unmatched, ..everything() });
        let sent = leave(&mut edge, 3);
        edge.acknowledge(&sent[0]);
        edge.acknowledge(&sent[0]);
        assert_eq!(resent(&mut edge), expected);
        assert_eq!(edge.counters().unmatched, 1);
    }
}

#[test]
fn an_overtaken_acknowledgement_spares_a_clone_not_taken_yet() {
    let mut edge = edge(everything());
    let sent = leave(&mut edge, 4);
    edge.acknowledge(&sent[3]);
    assert_eq!(edge.next_resent(Time::ZERO).map(|it| sequence(&it)), Some(0));
    edge.acknowledge(&sent[1]);
    assert_eq!(resent(&mut edge), [2000]);
    assert_eq!(edge.counters().acknowledged, 2);
}

#[test]
fn a_full_queue_loses_its_oldest() {
    let size = u64::from(data(0, 0, 1000).size());
    let mut edge = edge(SourceSettings { buffer: 3 * size + 1, ..everything() });
    let sent = leave(&mut edge, 5);
    assert_eq!((edge.counters().expired, edge.backlog().packets), (2, 3));
    edge.acknowledge(&sent[1]);
    assert_eq!(resent(&mut edge), [0_u32; 0]);
    edge.acknowledge(&sent[4]);
    assert_eq!(resent(&mut edge), [2000, 3000]);
}

#[test]
fn without_a_buffer_clones_expire_at_once() {
    let mut edge = edge(SourceSettings { buffer: 0, ..everything() });
    leave(&mut edge, 5);
    assert_eq!((edge.counters().cloned, edge.counters().expired), (5, 5));
}

#[test]
fn marks_are_kept_and_capable_packets_stay_as_they_are() {
    let nothing = SourceSettings { selected: 0.0, ..everything() };
    for (settings, before, after) in [
        (nothing, Ecn::NotCapable, Ecn::Capable),
        (nothing, Ecn::Capable, Ecn::Capable),
        (nothing, Ecn::Scalable, Ecn::Scalable),
        (nothing, Ecn::Congestion, Ecn::Congestion),
        (everything(), Ecn::NotCapable, Ecn::NotCapable),
        (everything(), Ecn::Capable, Ecn::NotCapable),
        (everything(), Ecn::Scalable, Ecn::NotCapable),
        (everything(), Ecn::Congestion, Ecn::Congestion),
    ] {
        let mut edge = edge(settings);
        let mut packet = Packet { ecn: before, ..data(0, 0, 1000) };
        edge.forward(Time::ZERO, &mut packet);
        assert_eq!(packet.ecn, after, "{before:?}");
        let selected = u64::from(after == Ecn::NotCapable);
        let counters = edge.counters();
        assert_eq!((counters.selected, counters.cloned), (selected, selected));
    }
}

#[test]
fn a_datagram_is_protected_and_never_selected() {
    let mut edge = edge(everything());
    let datagram = Datagram {
        flow: 0,
        length: 100,
        sequence: 0,
        sent: Time::ZERO,
        dscp: Dscp::DEFAULT,
        path: 0,
        content: None,
    };
    let mut packet = Packet { body: Body::Datagram(datagram), ..data(0, 0, 0) };
    edge.forward(Time::ZERO, &mut packet);
    assert_eq!((packet.ecn, edge.counters().cloned), (Ecn::Capable, 0));
}

#[test]
fn a_packet_whose_equal_is_held_is_protected() {
    let mut edge = edge(everything());
    for (expected, acknowledge) in
        [(Ecn::NotCapable, false), (Ecn::Capable, true), (Ecn::NotCapable, false)]
    {
        let mut packet = data(0, 0, 1000);
        edge.forward(Time::ZERO, &mut packet);
        assert_eq!(packet.ecn, expected);
        if acknowledge {
            edge.acknowledge(&acknowledgement(&packet));
        }
    }
}

#[test]
fn a_clone_leaves_as_the_reading_says() {
    for (clones, resend, before, expected) in [
        (Clones::Selected, Resend::Unchanged, Ecn::NotCapable, Ecn::NotCapable),
        (Clones::Selected, Resend::Capable, Ecn::NotCapable, Ecn::Capable),
        (Clones::Selected, Resend::Capable, Ecn::Scalable, Ecn::Scalable),
        (Clones::Others, Resend::Unchanged, Ecn::NotCapable, Ecn::Capable),
    ] {
        let selected = if clones == Clones::Selected { 1.0 } else { 0.0 };
        let keep = Keep::LowPriority;
        let mut edge = edge(SourceSettings { selected, clones, resend, keep, ..everything() });
        let mut packet = Packet { ecn: before, ..data(0, 0, 1000) };
        edge.forward(Time::ZERO, &mut packet);
        let clone = edge.next_idle(Time::ZERO).unwrap();
        assert_eq!(clone, Packet { ecn: expected, ..packet });
        assert_eq!(edge.next_idle(Time::ZERO), None);
    }
}

#[test]
fn figure_7_clones_what_is_not_selected_and_with_figure_8_sends_it_all() {
    let (clones, unmatched) = (Clones::Others, Unmatched::ResendAll);
    let mut edge = edge(SourceSettings { selected: 0.5, clones, unmatched, ..everything() });
    let mut selected = Vec::new();
    for number in 0..1000 {
        let mut packet = data(0, 1000 * number, 1000);
        edge.forward(Time::ZERO, &mut packet);
        selected.extend((packet.ecn == Ecn::NotCapable).then_some(packet));
    }
    let SourceCounters { selected: count, cloned, .. } = *edge.counters();
    assert_eq!((count, cloned), (selected.len() as u64, 1000 - selected.len() as u64));
    assert!(count > 0 && cloned > 0);
    edge.acknowledge(&acknowledgement(&selected[0]));
    let resent = resent(&mut edge);
    assert_eq!(resent.len() as u64, cloned);
    assert!(selected.iter().all(|it| !resent.contains(&sequence(it))));
}

#[test]
fn in_low_priority_an_acknowledgement_spares_its_own_clone_alone() {
    let mut edge = edge(SourceSettings { keep: Keep::LowPriority, ..everything() });
    let sent = leave(&mut edge, 3);
    edge.acknowledge(&sent[1]);
    assert_eq!(edge.next_resent(Time::ZERO), None);
    let idle: Vec<u32> =
        std::iter::from_fn(|| edge.next_idle(Time::ZERO)).map(|it| sequence(&it)).collect();
    assert_eq!(idle, [0, 2000]);
}

#[test]
fn the_share_selected_is_the_share_asked_for() {
    for share in [0.01, 0.1, 0.5, 0.9] {
        let mut edge = edge(SourceSettings { selected: share, buffer: 100_000, ..everything() });
        let packets = 100_000;
        leave(&mut edge, packets);
        let packets = f64::from(packets);
        let error = (share * (1.0 - share) / packets).sqrt();
        let found = edge.counters().selected as f64 / packets;
        assert!((found - share).abs() < 4.0 * error, "{found} for {share}");
    }
}

/// Lets packets of 1,500 bytes leave for a second at `sending`, agreed to 12 Mbps.
fn probe(sending: u64, selected: f64, extra: f64) -> SourceEdge {
    let probes = Some(Probes { rate: rate(12_000_000), burst: 15_000, extra });
    let buffer = 100_000;
    let mut edge = edge(SourceSettings { selected, probes, buffer, ..everything() });
    let gap = rate(sending).transmission_time(1500);
    for number in 0..sending / 12_000 {
        let mut packet = data(0, 1448 * number as u32, 1448);
        edge.forward(Time::ZERO + gap * number, &mut packet);
    }
    edge
}

#[test]
fn what_keeps_to_the_agreed_rate_is_not_probed_with() {
    assert_eq!(probe(12_000_000, 0.0, 1.0).counters().probes, 0);
}

#[test]
fn all_beyond_the_agreed_rate_and_burst_may_be_probes() {
    // 2,000 packets in a second, in which there are tokens for 1,000 and the burst
    // of 10; the last one's place in time is worth one token more or less.
    let probes = probe(24_000_000, 0.0, 1.0).counters().probes;
    assert!((989..=991).contains(&probes), "{probes}");
}

#[test]
fn probes_are_selected_in_addition() {
    let (share, extra) = (0.1, 0.3);
    let packets = 100_000.0;
    let counters = *probe(100 * 12_000_000, share, extra).counters();
    let beyond: f64 = packets - 1000.0 - 10.0;
    let probability = (1.0 - share) * extra;
    let error = (probability * (1.0 - probability) * beyond).sqrt();
    let found = counters.probes as f64;
    assert!((found - probability * beyond).abs() < 4.0 * error + 1.0, "{found}");
}
