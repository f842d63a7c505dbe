//! FQ-CoDel: who comes when, and who goes where there is no room.

use windtunnel_engine::{Duration, Streams, Time};
use windtunnel_packets::{Ecn, FlowKey};
use windtunnel_queues::{
    AnyQueue, CongestionAction, FqCoDel, FqCoDelSettings, Queue, QueueLimit, Verdict,
};

use crate::drive::{Packets, fq_codel_settings, packet, random};

/// With so many queues that the tests' flows do not meet.
fn fq_codel() -> FqCoDel {
    let settings = FqCoDelSettings { flows: u16::MAX, ..fq_codel_settings(CongestionAction::Drop) };
    FqCoDel::new(settings, random())
}

fn push(queue: &mut FqCoDel, packets: &mut Packets, flow: u32, size: u16) {
    let arriving = packet(flow, Ecn::Capable, size);
    queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
}

fn pop(queue: &mut FqCoDel, packets: &mut Packets) -> Option<(u32, u32)> {
    let (head, verdict) = queue.pop(Time::ZERO)?;
    assert_eq!(verdict, Verdict::Pass, "nothing waited");
    Some((packets.flow(head.packet), head.size))
}

/// Whatever the sizes of their packets, no flow is ahead by more than a quantum
/// and a packet.
#[test]
fn flows_that_always_wait_get_the_same_bytes() {
    let sizes: [u16; 6] = [64, 200, 576, 1000, 1500, 9000];
    let (mut queue, mut packets) = (fq_codel(), Packets::default());
    for _ in 0..10 {
        (0..6).for_each(|flow| push(&mut queue, &mut packets, flow, sizes[flow as usize]));
    }
    let mut bytes = [0_u64; 6];
    for _ in 0..100_000 {
        let (flow, size) = pop(&mut queue, &mut packets).expect("packets wait");
        bytes[flow as usize] += u64::from(size);
        push(&mut queue, &mut packets, flow, sizes[flow as usize]);
    }
    let [least, most] = [bytes.iter().min(), bytes.iter().max()].map(|it| *it.expect("six"));
    assert!(most - least <= 1514 + 9000, "{bytes:?}");
    let squares: f64 = bytes.iter().map(|it| (*it as f64).powi(2)).sum();
    let jain = (bytes.iter().sum::<u64>() as f64).powi(2) / (6.0 * squares);
    assert!(jain > 0.999, "{jain}");
}

/// Its packets come one at a time, once in a round of the others, whose packets
/// take a whole quantum each.
#[test]
fn a_sparse_flow_never_waits_for_more_than_one_packet_of_each_other() {
    let (mut queue, mut packets) = (fq_codel(), Packets::default());
    let bulk = 20;
    for _ in 0..50 {
        (0..bulk).for_each(|flow| push(&mut queue, &mut packets, flow, 1514));
    }
    let sparse = bulk;
    for _ in 0..30 {
        push(&mut queue, &mut packets, sparse, 100);
        let mut waited = 0;
        loop {
            let (flow, _) = pop(&mut queue, &mut packets).expect("packets wait");
            if flow == sparse {
                break;
            }
            waited += 1;
        }
        assert!(waited <= bulk, "behind {waited} packets");
        (0..2 * bulk).for_each(|_| {
            let popped = pop(&mut queue, &mut packets).expect("packets wait");
            push(&mut queue, &mut packets, popped.0, 1514);
        });
    }
}

/// RFC 8290, section 4.2: a new queue that is found empty goes to the end of the old ones, and
/// not away: else a flow that returns whenever its last packet has left would be new, and go
/// before the others, each time. So it goes once as a new one and once as an old one while each
/// other has its turn, which takes a whole quantum here.
#[test]
fn a_flow_that_returns_whenever_its_last_packet_has_left_is_not_always_new() {
    let (mut queue, mut packets) = (fq_codel(), Packets::default());
    let bulk = 20;
    for _ in 0..10 {
        (0..bulk).for_each(|flow| push(&mut queue, &mut packets, flow, 1514));
    }
    let (rounds, mut served, mut others) = (100, 0, 0);
    push(&mut queue, &mut packets, bulk, 100);
    while others < rounds * bulk {
        let (flow, _) = pop(&mut queue, &mut packets).expect("packets wait");
        if flow == bulk {
            served += 1;
            // Its queue is found empty before it returns.
            let (other, _) = pop(&mut queue, &mut packets).expect("packets wait");
            push(&mut queue, &mut packets, other, 1514);
            push(&mut queue, &mut packets, bulk, 100);
        } else {
            push(&mut queue, &mut packets, flow, 1514);
        }
        others += 1;
    }
    assert!(served <= 2 * rounds + 2, "{served} in {rounds} rounds");
}

#[test]
fn a_new_flow_goes_first() {
    let (mut queue, mut packets) = (fq_codel(), Packets::default());
    (0..10).for_each(|_| push(&mut queue, &mut packets, 1, 1500));
    // A quantum makes it an old one.
    (0..2).for_each(|_| assert_eq!(pop(&mut queue, &mut packets), Some((1, 1500))));
    push(&mut queue, &mut packets, 2, 100);
    assert_eq!(pop(&mut queue, &mut packets), Some((2, 100)));
}

/// Which packets go when one more comes than there is room for.
fn shed(waiting: &[(u32, u16, u32)], limit: QueueLimit) -> Vec<(u32, u32)> {
    let mut queue = AnyQueue::FqCoDel(fq_codel());
    let mut packets = Packets::default();
    let mut gone = Vec::new();
    for (flow, size, count) in waiting {
        for _ in 0..*count {
            let arriving = packet(*flow, Ecn::Capable, *size);
            let waiting = packets.waiting(Time::ZERO, &arriving);
            queue.offer(limit, waiting, arriving.flow_key(), |it| gone.push(it));
        }
    }
    gone.into_iter().map(|it| (packets.flow(it.packet), it.size)).collect()
}

#[test]
fn where_there_is_no_room_the_fattest_queue_loses_half_or_64_packets() {
    let limit = QueueLimit::Packets(100);
    assert_eq!(shed(&[(1, 1000, 60), (2, 100, 40)], limit), []);
    assert_eq!(shed(&[(1, 1000, 60), (2, 100, 41)], limit), [(1, 1000); 30]);
    assert_eq!(shed(&[(1, 100, 60), (2, 1000, 41)], limit), vec![(2, 1000); 21]);
    let limit = QueueLimit::Packets(1000);
    assert_eq!(shed(&[(1, 1000, 900), (2, 100, 101)], limit), [(1, 1000); 64]);
    let limit = QueueLimit::Bytes(10_000);
    assert_eq!(shed(&[(1, 1000, 10), (2, 100, 1)], limit), [(1, 1000); 5]);
    assert_eq!(shed(&[(1, 1000, 1)], QueueLimit::Packets(0)), [(1, 1000)]);
}

/// The first dropped is the one that came first.
#[test]
fn it_loses_them_from_its_head() {
    let sizes: Vec<(u32, u16, u32)> = (0..11).map(|it| (1, 1000 + it, 1)).collect();
    let gone = shed(&sizes, QueueLimit::Packets(10));
    assert_eq!(gone, (0..6).map(|it| (1, 1000 + it)).collect::<Vec<_>>());
}

/// A flow that stays below the target beside one that does not.
#[test]
fn codel_drops_in_the_queue_that_persists_and_in_no_other() {
    let (mut queue, mut packets) = (fq_codel(), Packets::default());
    let mut now = Time::ZERO;
    let mut dropped = [0; 2];
    (0..200).for_each(|_| push(&mut queue, &mut packets, 0, 1500));
    for _ in 0..5000 {
        for flow in [0, 1] {
            let arriving = packet(flow, Ecn::Capable, if flow == 0 { 1500 } else { 100 });
            queue.push(packets.waiting(now, &arriving), arriving.flow_key());
        }
        for _ in 0..2 {
            while let Some((head, verdict)) = queue.pop(now) {
                let flow = packets.flow(head.packet);
                if verdict != Verdict::Drop {
                    break;
                }
                dropped[flow as usize] += 1;
            }
        }
        now += Duration::from_millis(1);
    }
    assert!(dropped[0] > 10 && dropped[1] == 0, "{dropped:?}");
}

#[test]
fn flows_spread_evenly_and_elsewhere_in_another_router() {
    let (flows, queues) = (102_400_u32, 1024);
    let router = |name| {
        let queue = FqCoDel::new(
            fq_codel_settings(CongestionAction::Drop),
            Streams::new(11, 0).stream(name),
        );
        move |flow| usize::from(queue.number_of(FlowKey::of_datagrams(flow)))
    };
    let (here, elsewhere) = (router("here"), router("elsewhere"));
    let mut counts = vec![0.0; queues];
    (0..flows).for_each(|flow| counts[here(flow)] += 1.0);
    let expected = f64::from(flows) / queues as f64;
    let deviations = counts.iter().map(|it| (it - expected) * (it - expected) / expected);
    // Within four standard deviations of a chi-square variable.
    let (deviation, freedom) = (deviations.sum::<f64>(), queues as f64 - 1.0);
    assert!((deviation - freedom).abs() < 4.0 * (2.0 * freedom).sqrt(), "{deviation}");
    let same = (0..flows).filter(|flow| here(*flow) == elsewhere(*flow)).count();
    assert!(same < 200, "{same} of {flows}");
}
