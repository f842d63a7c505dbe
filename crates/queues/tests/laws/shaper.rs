//! A shaper: when packets leave.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{AnyQueue, Queue, QueueLimit, Shaper, Verdict};

use crate::drive::{Packets, bucket, packet};

/// When packets leave, in microseconds, and their sizes, of those that come this many microseconds
/// after each other before a link that is always free, at 8 Mbps, a byte in each microsecond.
fn leave(burst: u32, arrivals: &[(u64, u16)]) -> Vec<(u64, u32)> {
    let (mut queue, mut packets) = (Shaper::new(bucket(8, burst)), Packets::default());
    let (mut now, mut left) = (Time::ZERO, Vec::new());
    let mut serve = |queue: &mut Shaper, now: Time, until: Time| {
        while queue.backlog().packets > 0 && queue.opens() <= until {
            let time = queue.opens().max(now);
            let (head, verdict) = queue.pop(time).expect("it is open");
            assert_eq!(verdict, Verdict::Pass);
            left.push((time.as_nanos() / 1000, head.size));
        }
    };
    for (after, size) in arrivals {
        let next = now + Duration::from_micros(*after);
        serve(&mut queue, now, next);
        now = next;
        let arriving = packet(1, Ecn::Capable, *size);
        queue.push(packets.waiting(now, &arriving), arriving.flow_key());
    }
    serve(&mut queue, now, Time::NEVER);
    left
}

#[test]
fn a_burst_leaves_at_once_and_the_rest_at_the_rate() {
    let times: Vec<u64> = leave(3000, &[(0, 1000); 6]).iter().map(|it| it.0).collect();
    assert_eq!(times, [0, 0, 0, 1000, 2000, 3000]);
}

/// Its tokens would never be there.
#[test]
fn what_is_larger_than_the_burst_is_dropped() {
    let mut queue = AnyQueue::Shaper(Shaper::new(bucket(8, 3000)));
    let (mut packets, mut gone) = (Packets::default(), Vec::new());
    for size in [3001, 3000] {
        let arriving = packet(1, Ecn::Capable, size);
        let waiting = packets.waiting(Time::ZERO, &arriving);
        let limit = QueueLimit::Bytes(u64::MAX);
        queue.offer(limit, waiting, arriving.flow_key(), |it| gone.push(it.size));
    }
    assert_eq!((gone, queue.backlog().packets), (vec![3001], 1));
}

proptest! {
    /// In any interval at most `rate t + burst` leave, and nothing waits longer than the bucket
    /// makes it: each packet leaves as it comes, or when just the tokens for it are there.
    #[test]
    fn departures_conform_to_the_bucket_and_are_not_later(
        arrivals in vec((0..3000_u64, 40..1500_u16), 1..100),
    ) {
        let left = leave(3000, &arrivals);
        prop_assert_eq!(left.len(), arrivals.len());
        let (mut came, mut before, mut tokens) = (0_u64, 0_u64, 3000_u64);
        for ((after, size), (time, _)) in arrivals.iter().zip(&left) {
            came += after;
            // In turn, after the packet before.
            let from = came.max(before);
            let there = (tokens + from - before).min(3000);
            let expected = from + u64::from(*size).saturating_sub(there);
            prop_assert_eq!(*time, expected);
            tokens = (tokens + time - before).min(3000) - u64::from(*size);
            before = *time;
        }
    }
}
