//! Deficit round robin: shares by bytes.

use windtunnel_engine::Time;
use windtunnel_packets::Ecn;
use windtunnel_queues::{AnyQueue, Drr, DrrSettings, Queue, QueueLimit, Verdict};

use crate::drive::{Packets, packet, random};

fn drr(quantum: u32) -> Drr {
    Drr::new(DrrSettings { flows: u16::MAX, quantum }, random())
}

fn push(queue: &mut Drr, packets: &mut Packets, flow: u32, size: u16) {
    let arriving = packet(flow, Ecn::Capable, size);
    queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
}

fn pop(queue: &mut Drr, packets: &mut Packets) -> Option<(u32, u32)> {
    let (head, verdict) = queue.pop(Time::ZERO)?;
    assert_eq!(verdict, Verdict::Pass);
    Some((packets.flow(head.packet), head.size))
}

/// Whatever the sizes of their packets, and whatever the quantum, at no time one flow is ahead by
/// more than a quantum and a packet.
#[test]
fn flows_that_always_wait_get_the_same_bytes() {
    let sizes: [u16; 5] = [64, 300, 576, 1500, 9000];
    for quantum in [100, 1514, 20_000] {
        let (mut queue, mut packets) = (drr(quantum), Packets::default());
        for _ in 0..10 {
            (0..5).for_each(|flow| push(&mut queue, &mut packets, flow, sizes[flow as usize]));
        }
        let mut bytes = [0_u64; 5];
        for _ in 0..30_000 {
            let (flow, size) = pop(&mut queue, &mut packets).expect("packets wait");
            bytes[flow as usize] += u64::from(size);
            push(&mut queue, &mut packets, flow, sizes[flow as usize]);
            let [least, most] =
                [bytes.iter().min(), bytes.iter().max()].map(|it| *it.expect("five"));
            assert!(most - least <= u64::from(quantum) + 9000, "{bytes:?} at {quantum}");
        }
    }
}

/// The example of the paper's section III: what a packet does not use of a turn remains.
#[test]
fn what_a_turn_leaves_remains_for_the_next() {
    let (mut queue, mut packets) = (drr(500), Packets::default());
    [200, 750, 50].into_iter().for_each(|size| push(&mut queue, &mut packets, 1, size));
    [500, 500].into_iter().for_each(|size| push(&mut queue, &mut packets, 2, size));
    let order: Vec<_> = std::iter::from_fn(|| pop(&mut queue, &mut packets)).collect();
    // 300 remain to the first flow, and with another 500 its second packet fits, and its third.
    assert_eq!(order, [(1, 200), (2, 500), (1, 750), (1, 50), (2, 500)]);
}

#[test]
fn where_there_is_no_room_the_longest_queue_loses_its_first_packet() {
    let mut queue = AnyQueue::Drr(drr(1514));
    let (mut packets, mut gone) = (Packets::default(), Vec::new());
    for (flow, size) in [(1, 1000), (1, 1001), (2, 100), (2, 100)] {
        let arriving = packet(flow, Ecn::Capable, size);
        let waiting = packets.waiting(Time::ZERO, &arriving);
        queue.offer(QueueLimit::Packets(3), waiting, arriving.flow_key(), |it| gone.push(it.size));
    }
    assert_eq!(gone, [1000]);
}
