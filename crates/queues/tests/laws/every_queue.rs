//! What holds for every queue, whatever comes.

use std::net::{Ipv4Addr, SocketAddrV4};

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Store, Time};
use windtunnel_packets::ip::{Addresses, encode_segment};
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::{Dscp, Ecn, FlowKey, Packet};
use windtunnel_queues::{
    AnyQueue, CoDel, CongestionAction, DepartureDiscipline, Pcon, Queue, QueueLimit, Verdict,
    Waiting,
};

use crate::drive::{INTERVAL, Packets, TARGET, classed, codel_settings, leaving, queues};

/// What happens at a queue: after this many microseconds a packet comes, or one may
/// leave.
#[derive(Clone, Copy, Debug)]
struct Step {
    after: u64,
    arrival: Option<(u32, Ecn, Dscp, u16)>,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ecn =
        prop::sample::select(vec![Ecn::NotCapable, Ecn::Capable, Ecn::Scalable, Ecn::Congestion]);
    let class = prop::sample::select(vec![Dscp::DEFAULT, Dscp::EF, Dscp::CS6, Dscp::CS1]);
    let arrival = proptest::option::weighted(0.6, (0..5_u32, ecn, class, 28..9000_u16));
    vec((0..20_000_u64, arrival), 0..400)
        .prop_map(|it| it.into_iter().map(|(after, arrival)| Step { after, arrival }).collect())
}

fn limit() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        (0..200_u32).prop_map(QueueLimit::Packets),
        (0..200_000_u64).prop_map(QueueLimit::Bytes)
    ]
}

/// How much may wait in all: each band of strict priority, of which there are three, has a limit
/// of its own.
fn most_allowed(queue: &AnyQueue, limit: QueueLimit) -> QueueLimit {
    match (queue, limit) {
        (AnyQueue::StrictPriority(_), QueueLimit::Packets(it)) => QueueLimit::Packets(3 * it),
        (AnyQueue::StrictPriority(_), QueueLimit::Bytes(it)) => QueueLimit::Bytes(3 * it),
        (_, limit) => limit,
    }
}

/// Lets it happen; returns the sizes and verdicts of what left, and checks what
/// every queue must obey.
fn happen(mut queue: AnyQueue, limit: QueueLimit, steps: &[Step]) -> Vec<(u32, Verdict)> {
    let mut packets = Packets::default();
    let (mut now, mut left, mut bytes) = (Time::ZERO, Vec::new(), 0);
    let (mut offered, mut overflows) = (0, 0);
    for step in steps {
        now += Duration::from_micros(step.after);
        if let Some((flow, ecn, class, size)) = step.arrival {
            let arriving = Packet { ecn, ..classed(flow, class, size) };
            let waiting = packets.waiting(now, &arriving);
            offered += 1;
            bytes += u64::from(size);
            queue.offer(limit, waiting, arriving.flow_key(), |it| {
                overflows += 1;
                bytes -= u64::from(it.size);
                packets.take(it.packet);
            });
            assert!(!most_allowed(&queue, limit).is_exceeded_by(queue.backlog()));
        } else if let Some((head, verdict)) = queue.pop(now) {
            assert_eq!(packets.take(head.packet).ecn, head.ecn);
            assert_eq!(verdict, verdict.on(head.ecn), "marks go where they are understood");
            bytes -= u64::from(head.size);
            left.push((head.size, verdict));
        } else {
            assert!(queue.backlog().packets == 0 || queue.opens() > now, "something may leave");
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
            let (arrived, ecn, dscp) = (Time::ZERO, Ecn::Capable, Dscp::DEFAULT);
            let waiting = Waiting { packet, size, arrived, ecn, dscp };
            queue.push(waiting, FlowKey(u64::from(number % 3)));
        }
        let (mut numbers, mut now) = (Vec::new(), Time::ZERO + Duration::from_micros(100));
        while queue.backlog().packets > 0 {
            now = now.max(queue.opens());
            let (head, _) = queue.pop(now).expect("something may leave");
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

    /// What is more than may wait goes, and no more than that, but where a flow loses half of its
    /// queue at once.
    #[test]
    fn a_smaller_limit_drops_the_excess(packets_waiting in 0..100_u32, most in 0..100_u32) {
        for mut queue in queues(CongestionAction::Mark) {
            let mut packets = Packets::default();
            for number in 0..packets_waiting {
                let arriving = classed(number % 5, Dscp::DEFAULT, 1000);
                queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
            }
            let mut gone = 0;
            queue.shed(QueueLimit::Packets(most), &mut |_| gone += 1);
            let left = queue.backlog().packets;
            prop_assert_eq!(left + gone, packets_waiting);
            let drops_in_bulk = matches!(queue, AnyQueue::FqCoDel(_) | AnyQueue::Cake(_));
            let expected = packets_waiting.min(most);
            prop_assert!(left == expected || drops_in_bulk && left < expected);
            prop_assert!(packets_waiting > most || gone == 0);
        }
    }

    /// Of packets with one flow, one class and one ECN field, the first to come is the first
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
                    Some((flow, ecn, class, size)) => {
                        let arriving = Packet { ecn, ..classed(flow, class, size) };
                        queue.push(packets.waiting(now, &arriving), arriving.flow_key());
                    }
                    None => {
                        let Some((head, _)) = queue.pop(now) else { continue };
                        let kind = (packets.flow(head.packet), head.ecn as u8, head.dscp);
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
