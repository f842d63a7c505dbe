//! DualPI2: how its two queues are coupled, and how long packets wait in each.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{DualPi2, Queue, Verdict};

use crate::drive::{Packets, dual_pi2_settings, mean, milliseconds, packet, random, rate};

fn dual_pi2() -> DualPi2 {
    DualPi2::new(dual_pi2_settings(), random())
}

/// A classic packet waits from an update on: its delay is 16 ms at the first one after and 32 ms at
/// the second (RFC 9332, appendix A.1); also after months without a packet.
#[test]
fn the_probabilities_follow_from_the_base_probability() {
    for updates in [0, 1, 1000, 1 << 28] {
        let (mut queue, mut packets) = (dual_pi2(), Packets::default());
        let begin = Time::ZERO + Duration::from_millis(16) * updates;
        // Somebody looks between two updates.
        let look = Time::ZERO + Duration::from_millis(16) * updates.saturating_sub(1);
        assert!(queue.pop(look + Duration::from_millis(updates.min(7))).is_none());
        let classic = packet(1, Ecn::Capable, 1000);
        queue.push(packets.waiting(begin, &classic), classic.flow_key());
        let later = begin + Duration::from_millis(33);
        queue.push(packets.waiting(later, &classic), classic.flow_key());
        let base = 0.16 * (0.001 + 0.017) + 3.2 * (0.016 + 0.016);
        assert!((queue.coupled_probability() - 2.0 * base).abs() < 1e-12, "{updates} before");
        assert!((queue.classic_probability() - base * base).abs() < 1e-12);
    }
}

/// Once nothing waits, the base probability falls by `0.16 * 15 ms` an update and, in the first, by
/// what the delay fell: to nothing, also where no packet comes meanwhile.
#[test]
fn an_empty_queue_forgets_its_probability_update_by_update() {
    for updates in [1, 2, 10, 100] {
        let (mut queue, mut packets) = (dual_pi2(), Packets::default());
        let classic = packet(1, Ecn::Capable, 1000);
        queue.push(packets.waiting(Time::ZERO, &classic), classic.flow_key());
        assert!(queue.pop(milliseconds(33.0)).is_some());
        let base = 0.16 * (0.001 + 0.017) + 3.2 * (0.016 + 0.016);
        let now = Time::ZERO + Duration::from_millis(16) * (2 + updates);
        assert!(queue.pop(now).is_none());
        let expected = base - 3.2 * 0.032 - 0.16 * 0.015 * updates as f64;
        let expected = 2.0 * expected.max(0.0);
        assert!((queue.coupled_probability() - expected).abs() < 1e-12, "after {updates}");
    }
}

/// What became of the packets of one queue: how long they waited, in seconds, and
/// the verdicts.
#[derive(Default)]
struct Seen {
    delays: Vec<f64>,
    verdicts: Vec<Verdict>,
}

impl Seen {
    fn share(&self, verdict: Verdict) -> f64 {
        let count = self.verdicts.iter().filter(|it| **it == verdict).count();
        count as f64 / self.verdicts.len() as f64
    }
}

/// A link of 100 Mbps to which classic and low-latency packets of 1000 bytes
/// come at these loads, for 60 s; seen from 20 s on. Classic packets cannot be
/// marked, so that they yield by being dropped.
fn offered(classic: f64, low_latency: f64) -> [Seen; 2] {
    let (mut queue, mut packets) = (dual_pi2(), Packets::default());
    let sending = rate(100).transmission_time(1000);
    let kinds = [(Ecn::NotCapable, classic), (Ecn::Scalable, low_latency)];
    let mut next = [Time::ZERO; 2];
    let mut seen = [Seen::default(), Seen::default()];
    let mut now = Time::ZERO;
    while now < milliseconds(60_000.0) {
        for (kind, (ecn, load)) in kinds.into_iter().enumerate() {
            while next[kind] <= now {
                let arriving = packet(kind as u32, ecn, 1000);
                queue.push(packets.waiting(next[kind], &arriving), arriving.flow_key());
                next[kind] += sending.scaled(1.0 / load);
            }
        }
        while let Some((head, verdict)) = queue.pop(now) {
            let kind = packets.flow(head.packet) as usize;
            if now > milliseconds(20_000.0) {
                seen[kind].delays.push(now.since(head.arrived).as_seconds());
                seen[kind].verdicts.push(verdict);
            }
            if verdict != Verdict::Drop {
                break;
            }
        }
        now += sending;
    }
    seen
}

/// With 1.1 times the rate less what is low-latency, a share of the classic
/// packets must go: that is `p_C`. Low-latency packets are marked with
/// `2 sqrt(p_C)`, and hardly wait.
#[test]
fn marks_are_twice_the_root_of_the_drops_and_low_latency_packets_hardly_wait() {
    let (classic, low_latency) = (1.05, 0.05);
    let [slow, quick] = offered(classic, low_latency);
    let dropped = slow.share(Verdict::Drop);
    let surplus = 1.0 - (1.0 - low_latency) / classic;
    assert!((dropped / surplus - 1.0).abs() < 0.05, "{dropped} dropped for {surplus}");
    let marked = quick.share(Verdict::Mark);
    let expected = 2.0 * dropped.sqrt();
    assert!((marked / expected - 1.0).abs() < 0.05, "{marked} marked for {expected}");
    let longest = quick.delays.iter().copied().fold(0.0, f64::max);
    assert!(longest < 0.001, "{longest} s");
    assert!((mean(&slow.delays) / 0.015 - 1.0).abs() < 0.1, "{} s", mean(&slow.delays));
    assert_eq!(quick.share(Verdict::Drop), 0.0);
}

/// Once the coupled probability is certainty, marks say no more: low-latency
/// packets are dropped, too, and the delay is held all the same.
#[test]
fn in_overload_low_latency_packets_are_dropped_with_the_classic_probability() {
    let [slow, quick] = offered(0.1, 1.8);
    let dropped = [slow.share(Verdict::Drop), quick.share(Verdict::Drop)];
    assert!((dropped[1] / dropped[0] - 1.0).abs() < 0.05, "{dropped:?}");
    assert!(dropped[0] > 0.25, "{dropped:?}");
    assert!((quick.share(Verdict::Mark) + dropped[1] - 1.0).abs() < 1e-9);
    let delay = mean(&quick.delays).max(mean(&slow.delays));
    assert!(delay < 0.03, "{delay} s");
}

#[test]
fn while_packets_wait_in_both_the_classic_queue_gets_its_share() {
    let (mut queue, mut packets) = (dual_pi2(), Packets::default());
    for _ in 0..2000 {
        for (flow, ecn, size) in [(0, Ecn::Capable, 500), (1, Ecn::Scalable, 1500)] {
            let arriving = packet(flow, ecn, size);
            queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
        }
    }
    let mut bytes = [0.0; 2];
    for _ in 0..2000 {
        let (head, _) = queue.pop(Time::ZERO).expect("packets wait");
        bytes[packets.flow(head.packet) as usize] += f64::from(head.size);
    }
    let share = bytes[0] / (bytes[0] + bytes[1]);
    assert!((share - 0.1).abs() < 0.002, "{share}");
}

/// The share is one of the time in which packets wait in both: what is due from before one of
/// the queues was empty is forgotten, and the low-latency queue goes first again.
#[test]
fn an_empty_queue_ends_what_the_queues_owe_each_other() {
    let (mut queue, mut packets) = (dual_pi2(), Packets::default());
    for _ in 0..3 {
        for ecn in [Ecn::Capable, Ecn::Scalable] {
            let arriving = packet(1, ecn, 1500);
            queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
        }
        let order: Vec<Ecn> =
            std::iter::from_fn(|| queue.pop(Time::ZERO)).map(|(it, _)| it.ecn).collect();
        assert_eq!(order, [Ecn::Scalable, Ecn::Capable]);
    }
}

#[test]
fn low_latency_packets_are_those_with_ect_1_or_ce() {
    let (mut queue, mut packets) = (dual_pi2(), Packets::default());
    for ecn in [Ecn::NotCapable, Ecn::Capable, Ecn::Scalable, Ecn::Congestion] {
        let arriving = packet(1, ecn, 1000);
        queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
    }
    let (first, _) = queue.pop(Time::ZERO).expect("packets wait");
    assert_eq!(first.ecn, Ecn::Scalable);
    let rest: Vec<Ecn> =
        std::iter::from_fn(|| queue.pop(Time::ZERO)).map(|(it, _)| it.ecn).collect();
    assert_eq!(rest, [Ecn::NotCapable, Ecn::Congestion, Ecn::Capable]);
}

#[test]
fn beyond_the_step_each_is_marked_behind_which_another_waits() {
    let (mut queue, mut packets) = (dual_pi2(), Packets::default());
    let arriving = packet(1, Ecn::Scalable, 1000);
    for _ in 0..3 {
        queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
    }
    let step = Duration::from_millis(1);
    let mut verdict_after = |wait| queue.pop(Time::ZERO + wait).map(|it| it.1);
    assert_eq!(verdict_after(step), Some(Verdict::Pass));
    assert_eq!(verdict_after(step + Duration::from_picos(1)), Some(Verdict::Mark));
    assert_eq!(verdict_after(step * 2), Some(Verdict::Pass));
}
