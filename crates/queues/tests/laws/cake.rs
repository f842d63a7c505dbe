//! CAKE: its clock, its tins, and the delay in its queues.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Dscp;
use windtunnel_queues::{Cake, CakeSettings, CongestionAction, Queue, Verdict};

use crate::drive::{Packets, TARGET, cake_settings, classed, random};

/// At 8 Mbps: a packet of 1000 bytes takes a millisecond.
fn cake(action: CongestionAction) -> Cake {
    Cake::new(&cake_settings(action, 8), &random())
}

fn push(queue: &mut Cake, packets: &mut Packets, now: Time, flow: u32, class: Dscp) {
    let arriving = classed(flow, class, 1000);
    queue.push(packets.waiting(now, &arriving), arriving.flow_key());
}

/// The next packet that leaves before a link that is always free, and when.
fn pop(queue: &mut Cake, packets: &mut Packets, now: Time) -> Option<(Time, u32)> {
    let now = now.max(queue.opens());
    loop {
        let (head, verdict) = queue.pop(now)?;
        let flow = packets.flow(head.packet);
        if verdict != Verdict::Drop {
            return Some((now, flow));
        }
    }
}

/// Also after it was idle: there are no bursts.
#[test]
fn packets_leave_as_far_apart_as_the_rate_makes_them() {
    let (mut queue, mut packets) = (cake(CongestionAction::Mark), Packets::default());
    for start in [0, 100_000] {
        let start = Time::ZERO + Duration::from_micros(start);
        (0..5).for_each(|_| push(&mut queue, &mut packets, start, 1, Dscp::DEFAULT));
        for number in 0..5 {
            let (time, _) = pop(&mut queue, &mut packets, start).expect("packets wait");
            assert_eq!(time, start + Duration::from_millis(number));
            assert!(queue.pop(time).is_none(), "not before its time");
        }
    }
}

/// What each tin gets of 16,000 packets, while packets wait in all that are named.
fn shares(tins: bool, classes: &[Dscp]) -> Vec<f64> {
    let settings = CakeSettings { tins, ..cake_settings(CongestionAction::Mark, 8) };
    let (mut queue, mut packets) = (Cake::new(&settings, &random()), Packets::default());
    let mut now = Time::ZERO;
    for (flow, class) in (0..).zip(classes) {
        (0..3).for_each(|_| push(&mut queue, &mut packets, now, flow, *class));
    }
    let mut served = vec![0.0; classes.len()];
    for _ in 0..16_000 {
        let (time, flow) = pop(&mut queue, &mut packets, now).expect("packets wait");
        now = time;
        served[flow as usize] += 1.0 / 16_000.0;
        push(&mut queue, &mut packets, now, flow, classes[flow as usize]);
    }
    served
}

/// Voice gets a quarter of the rate and bulk a sixteenth, as far as others want the rest; what
/// others do not want they get as well.
#[test]
fn tins_get_their_thresholds_and_what_others_leave() {
    let close = |measured: Vec<f64>, expected: &[f64]| {
        let near = |(one, other): (&f64, &f64)| (one - other).abs() < 0.002;
        assert!(measured.iter().zip(expected).all(near), "{measured:?} for {expected:?}");
    };
    let all = [Dscp::EF, Dscp::CS1, Dscp::DEFAULT];
    close(shares(true, &all), &[4.0 / 16.0, 1.0 / 16.0, 11.0 / 16.0]);
    close(shares(true, &[Dscp::EF, Dscp::DEFAULT]), &[0.25, 0.75]);
    close(shares(true, &[Dscp::CS1]), &[1.0]);
    close(shares(false, &all), &[1.0 / 3.0; 3]);
}

/// A voice packet that is below its threshold does not wait for what came before it.
#[test]
fn a_sparse_voice_packet_leaves_next() {
    let (mut queue, mut packets) = (cake(CongestionAction::Mark), Packets::default());
    (0..30).for_each(|_| push(&mut queue, &mut packets, Time::ZERO, 1, Dscp::DEFAULT));
    let mut now = Time::ZERO;
    for _ in 0..5 {
        push(&mut queue, &mut packets, now, 2, Dscp::EF);
        for expected in [2, 1, 1, 1] {
            let (time, flow) = pop(&mut queue, &mut packets, now).expect("packets wait");
            assert_eq!(flow, expected);
            now = time;
        }
        now = now.max(queue.opens());
    }
}

/// A flow that answers CoDel by leaving as long as it stays above the target: what waits then
/// comes down to it.
#[test]
fn codel_acts_in_each_tin() {
    let (mut queue, mut packets) = (cake(CongestionAction::Drop), Packets::default());
    let (mut now, mut dropped) = (Time::ZERO, 0);
    (0..50).for_each(|_| push(&mut queue, &mut packets, Time::ZERO, 1, Dscp::CS1));
    for _ in 0..3000 {
        push(&mut queue, &mut packets, now, 1, Dscp::CS1);
        now = now.max(queue.opens());
        while let Some((head, verdict)) = queue.pop(now) {
            packets.take(head.packet);
            if verdict != Verdict::Drop {
                break;
            }
            dropped += 1;
        }
    }
    let waits = Duration::from_millis(u64::from(queue.backlog().packets));
    assert!(dropped >= 45 && waits <= TARGET + Duration::from_millis(1), "{dropped}, {waits}");
}
