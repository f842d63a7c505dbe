//! What a link does to packets beside carrying them.

use windtunnel_engine::{Duration, Random, Store, Streams, Time};
use windtunnel_links::{Fate, Impairment, Impairments, Loss, Reordering, Victims};
use windtunnel_packets::{Ecn, Packet, ProtocolNumber};

fn random() -> Random {
    Streams::new(7, 0).stream("impairment")
}

fn impaired(loss: Loss, victims: Victims, duplication: f64, reordering: f64) -> Impairments {
    let lateness = Duration::from_millis(3);
    let reordering = Reordering::Independent(reordering);
    Impairments::new(
        loss,
        victims,
        Impairment { duplication, reordering, lateness, ..Impairment::default() },
    )
}

/// The share of packets with each fate.
fn shares(mut it: Impairments, ecn: Ecn) -> [f64; 4] {
    let (mut random, packets) = (random(), 200_000);
    let packet = Packet { ecn, ..Packet::message(ProtocolNumber(1), 0, &[], 100) };
    let fates: Vec<Fate> =
        (0..packets).map(|_| it.fate(Time::ZERO, &packet, &mut random)).collect();
    [Fate::Lost, Fate::Twice, Fate::Late, Fate::Arrives]
        .map(|fate| fates.iter().filter(|it| **it == fate).count() as f64 / f64::from(packets))
}

/// To a packet that is not lost, duplication may happen; to one that does not come twice,
/// reordering.
#[test]
fn at_most_one_thing_happens_to_a_packet() {
    let it = impaired(Loss::Bernoulli(0.2), Victims::All, 0.3, 0.4);
    let expected = [0.2, 0.8 * 0.3, 0.8 * 0.7 * 0.4, 0.8 * 0.7 * 0.6];
    for (share, expected) in shares(it, Ecn::NotCapable).into_iter().zip(expected) {
        // Five standard deviations.
        let error = 5.0 * f64::sqrt(expected * (1.0 - expected) / 200_000.0);
        assert!((share - expected).abs() < error, "{share} of {expected}");
    }
}

#[test]
fn packets_that_are_no_victims_are_never_lost() {
    for (ecn, lost) in [(Ecn::NotCapable, 1.0), (Ecn::Capable, 0.0), (Ecn::Congestion, 0.0)] {
        let it = impaired(Loss::Bernoulli(1.0), Victims::NotCapable, 0.0, 0.0);
        assert_eq!(shares(it, ecn), [lost, 0.0, 0.0, 1.0 - lost], "{ecn:?}");
    }
}

#[test]
fn a_link_that_does_nothing_says_so() {
    let is_any = |loss, duplication, reordering| {
        impaired(loss, Victims::All, duplication, reordering).is_any()
    };
    assert!(!is_any(Loss::None, 0.0, 0.0));
    assert!(is_any(Loss::Bernoulli(0.1), 0.0, 0.0));
    assert!(is_any(Loss::None, 0.1, 0.0));
    assert!(is_any(Loss::None, 0.0, 0.1));
}

#[test]
fn late_packets_arrive_in_order_each_later_by_the_lateness() {
    let mut it = impaired(Loss::None, Victims::All, 0.0, 1.0);
    let mut packets = Store::default();
    let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
    let mut random = random();
    let first = it.delay(at(10), packets.insert(1), 500, &mut random);
    assert_eq!(first, Some(at(13)), "the first of them");
    assert_eq!(it.delay(at(11), packets.insert(2), 600, &mut random), None);
    let late: Vec<_> = it.late.iter().map(|it| (it.arrives, it.size, it.lost)).collect();
    assert_eq!(late, [(at(13), 500, false), (at(14), 600, false)]);
}

/// The numbers of the packets that are late, of 200.
fn late(reordering: Reordering, loss: Loss) -> Vec<u64> {
    let impairment = Impairment { reordering, ..Impairment::default() };
    let mut it = Impairments::new(loss, Victims::All, impairment);
    assert!(it.is_any());
    let (mut random, packet) = (random(), Packet::message(ProtocolNumber(1), 0, &[], 100));
    let mut fate = |_: &u64| it.fate(Time::ZERO, &packet, &mut random) == Fate::Late;
    (1..=200).filter(|it| fate(it)).collect()
}

/// Numbers are those of all packets that are sent, as for listed losses.
#[test]
fn packets_are_late_by_their_numbers() {
    let every = Reordering::Periodic(50.try_into().expect("it is not zero"));
    let listed = Reordering::Listed([17, 18, 40].into());
    let lost = || Loss::Listed { numbers: [1, 18, 100].into(), sent: 0, behind: 0 };
    assert_eq!(late(every.clone(), Loss::None), [50, 100, 150, 200]);
    assert_eq!(late(listed.clone(), Loss::None), [17, 18, 40]);
    assert_eq!(late(every, lost()), [50, 150, 200], "what is lost is not late");
    assert_eq!(late(listed, lost()), [17, 40]);
}
