//! What holds for every queue, whatever comes.

use std::net::{Ipv4Addr, SocketAddrV4};

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Store, Time};
use windtunnel_packets::ip::{Addresses, encode_segment};
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::{Ecn, FlowKey};
use windtunnel_queues::{
    AnyQueue, CoDel, CongestionAction, DepartureDiscipline, Pcon, Queue, QueueLimit, Verdict,
    Waiting,
};

use crate::drive::{INTERVAL, Packets, TARGET, codel_settings, leaving, packet, queues};

/// What happens at a queue: after so many microseconds a packet comes, or one may
/// leave.
#[derive(Clone, Copy, Debug)]
struct Step {
    after: u64,
    arrival: Option<(u32, Ecn, u16)>,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ecn =
        prop::sample::select(vec![Ecn::NotCapable, Ecn::Capable, Ecn::Scalable, Ecn::Congestion]);
    let arrival = proptest::option::weighted(0.6, (0..5_u32, ecn, 28..9000_u16));
    vec((0..20_000_u64, arrival), 0..400)
        .prop_map(|it| it.into_iter().map(|(after, arrival)| Step { after, arrival }).collect())
}

fn limit() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        (0..200_u32).prop_map(QueueLimit::Packets),
        (0..200_000_u64).prop_map(QueueLimit::Bytes)
    ]
}

/// Lets it happen; returns the sizes and verdicts of what left, and checks what
/// every queue must obey.
fn happen(mut queue: AnyQueue, limit: QueueLimit, steps: &[Step]) -> Vec<(u32, Verdict)> {
    let mut packets = Packets::default();
    let (mut now, mut left, mut bytes) = (Time::ZERO, Vec::new(), 0);
    let (mut offered, mut overflows) = (0, 0);
    for step in steps {
        now += Duration::from_micros(step.after);
        if let Some((flow, ecn, size)) = step.arrival {
            let arriving = packet(flow, ecn, size);
            let waiting = packets.waiting(now, &arriving);
            offered += 1;
            bytes += u64::from(size);
            queue.offer(limit, waiting, arriving.flow_key(), |it| {
                overflows += 1;
                bytes -= u64::from(it.size);
                packets.take(it.packet);
            });
            assert!(!limit.is_exceeded_by(queue.backlog()));
        } else if let Some((head, verdict)) = queue.pop(now) {
            assert_eq!(packets.take(head.packet).ecn, head.ecn);
            assert_eq!(verdict, verdict.on(head.ecn), "marks go where they are understood");
            bytes -= u64::from(head.size);
            left.push((head.size, verdict));
        } else {
            assert_eq!(queue.backlog().packets, 0);
        }
        let backlog = queue.backlog();
        assert_eq!(offered, left.len() + overflows + backlog.packets as usize);
        assert_eq!((packets.len(), bytes), (backlog.packets as usize, backlog.bytes));
    }
    left
}

/// A queue needs to know no more of a packet than its size, its ECN field and its flow: the
/// bytes of real packets can wait in it.
#[test]
fn real_packets_come_out_byte_for_byte() {
    let ends = |port| SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 1), port);
    let bytes = |number: u32| {
        let addresses = Addresses::V4 { source: ends(5000), destination: ends(number as u16) };
        encode_segment(&Segment::new(number, number, Flags::ACK), Ecn::Capable, &addresses, &[])
    };
    for mut queue in queues(CongestionAction::Mark) {
        let mut packets = Store::default();
        for number in 0..20 {
            let packet = packets.insert(bytes(number));
            let size = packets[packet].len() as u32;
            let waiting = Waiting { packet, size, arrived: Time::ZERO, ecn: Ecn::Capable };
            queue.push(waiting, FlowKey(u64::from(number % 3)));
        }
        let mut numbers = Vec::new();
        while let Some((head, _)) = queue.pop(Time::ZERO + Duration::from_micros(100)) {
            let packet: &Vec<u8> = &packets[head.packet];
            let number = u32::from_be_bytes(packet[24..28].try_into().expect("four bytes"));
            assert_eq!(*packet, bytes(number));
            numbers.push(number);
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (0..20).collect::<Vec<_>>());
    }
}

proptest! {
    /// And it is the same again with the same random stream.
    #[test]
    fn nothing_is_lost_unaccounted_for(limit in limit(), steps in steps()) {
        for action in [CongestionAction::Drop, CongestionAction::Mark] {
            for (queue, again) in queues(action).into_iter().zip(queues(action)) {
                let first = happen(queue, limit, &steps);
                prop_assert_eq!(first, happen(again, limit, &steps));
            }
        }
    }

    /// Of packets with one flow and one ECN field, the first to come is the first
    /// to leave.
    #[test]
    fn packets_that_look_alike_stay_in_order(steps in steps()) {
        for mut queue in queues(CongestionAction::Mark) {
            let mut packets = Packets::default();
            let mut now = Time::ZERO;
            let mut last = std::collections::BTreeMap::new();
            for step in &steps {
                now += Duration::from_micros(step.after);
                match step.arrival {
                    Some((flow, ecn, size)) => {
                        let arriving = packet(flow, ecn, size);
                        queue.push(packets.waiting(now, &arriving), arriving.flow_key());
                    }
                    None => {
                        let Some((head, _)) = queue.pop(now) else { continue };
                        let kind = (packets.flow(head.packet), head.ecn as u8);
                        let before = last.insert(kind, head.arrived);
                        prop_assert!(before.is_none_or(|it| it <= head.arrived));
                    }
                }
            }
        }
    }

    /// Whatever comes, a discipline that marks drops nothing that is ECN-capable,
    /// and marks nothing that left in time.
    #[test]
    fn marking_disciplines_never_drop(
        departures in vec((0..30_000_u64, 0..20_000_u64, 0..10_000_u64), 0..500),
    ) {
        let mut queues: [&mut dyn DepartureDiscipline; 2] =
            [&mut CoDel::new(codel_settings(CongestionAction::Mark)), &mut Pcon::new(TARGET, INTERVAL)];
        let mut now = Time::ZERO;
        for (gap, sojourn, backlog) in departures {
            now += Duration::from_micros(gap);
            let sojourn = Duration::from_micros(sojourn);
            for queue in &mut queues {
                let verdict = queue.judge(now, &leaving(sojourn, backlog));
                prop_assert_ne!(verdict, Verdict::Drop);
                prop_assert!(sojourn >= TARGET || verdict == Verdict::Pass);
            }
        }
    }
}
