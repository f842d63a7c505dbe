//! Strict priority: who leaves first, and what that leaves to others.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Dscp;
use windtunnel_queues::{AnyQueue, Bands, Queue, QueueLimit, StrictPriority};

use crate::drive::{Packets, classed};

fn queue() -> AnyQueue {
    AnyQueue::StrictPriority(StrictPriority::new(Bands::new(&[
        vec![Dscp::EF, Dscp::VA],
        vec![Dscp::CS6],
    ])))
}

#[test]
fn a_packet_leaves_only_where_no_higher_band_has_one() {
    let (mut queue, mut packets) = (queue(), Packets::default());
    let classes = [Dscp::DEFAULT, Dscp::CS6, Dscp::EF, Dscp::CS1, Dscp::VA, Dscp::CS6];
    for (number, class) in (0..).zip(classes) {
        let arriving = classed(number, class, 100);
        queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
    }
    let flows: Vec<u32> = std::iter::from_fn(|| queue.pop(Time::ZERO))
        .map(|(head, _)| packets.flow(head.packet))
        .collect();
    assert_eq!(flows, [2, 4, 1, 5, 0, 3]);
}

/// What fills one band takes no room in another.
#[test]
fn each_band_has_the_limit() {
    let (mut queue, mut packets) = (queue(), Packets::default());
    let mut dropped = [0; 2];
    for (flow, class) in [(0, Dscp::DEFAULT), (1, Dscp::EF)] {
        for _ in 0..5 {
            let arriving = classed(flow, class, 100);
            let waiting = packets.waiting(Time::ZERO, &arriving);
            let limit = QueueLimit::Packets(3);
            queue.offer(limit, waiting, arriving.flow_key(), |_| dropped[flow as usize] += 1);
        }
    }
    assert_eq!((dropped, queue.backlog().packets), ([2, 2], 6));
}

/// Two flows at constant rates, of 60 % and 80 % of a link that carries one packet in each
/// millisecond: the higher one gets its 60 %, the lower one what is left, 40 %.
#[test]
fn the_lower_band_gets_what_the_higher_one_leaves() {
    let (mut queue, mut packets) = (queue(), Packets::default());
    let (mut served, mut longest) = ([0_u64; 2], Duration::ZERO);
    let (mut now, mut credit) = (Time::ZERO, [0_u64; 2]);
    for _ in 0..10_000 {
        for (flow, (share, class)) in [(60, Dscp::EF), (80, Dscp::DEFAULT)].into_iter().enumerate()
        {
            credit[flow] += share;
            if credit[flow] >= 100 {
                credit[flow] -= 100;
                let arriving = classed(flow as u32, class, 1000);
                let waiting = packets.waiting(now, &arriving);
                queue.offer(QueueLimit::Packets(50), waiting, arriving.flow_key(), |_| ());
            }
        }
        if let Some((head, _)) = queue.pop(now) {
            let flow = packets.flow(head.packet) as usize;
            served[flow] += 1;
            if flow == 0 {
                longest = longest.max(now.since(head.arrived));
            }
        }
        now += Duration::from_millis(1);
    }
    assert_eq!((served[0], longest), (6000, Duration::ZERO));
    assert!(served[1].abs_diff(4000) <= 1, "{served:?}");
}
