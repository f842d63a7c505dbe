//! What of a sender's data waits in the queue of its own host.
//!
//! Source: TCP small queues and the backpressure of Linux's queue disciplines (tcp(7),
//! `tcp_limit_output_bytes`; Dumazet, 2012): a host does not drop its own packets. A
//! connection has no more than a millisecond of its data in the queue of the link that it
//! sends over, at its pacing rate, and at least two segments, or bursts; what is beyond waits
//! in the connection.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Rate, Time};

/// The share of a second's data that may wait.
pub(super) const PER_SECOND: f64 = 1024.0;

/// The least that may wait, in segments or bursts.
pub(super) const LEAST: u64 = 2;

/// The data that was handed to the link, and has not left its queue.
#[derive(Clone, Debug, Default)]
pub(super) struct SmallQueue {
    pub(super) bytes: u64,
    /// When how many of them leave, in the order of time; not yet known of what was handed over
    /// last.
    pub(super) leaving: VecDeque<(Time, u32)>,
}

impl SmallQueue {
    /// This many bytes leave at a time.
    #[inline]
    pub(super) fn leave(&mut self, now: Time, bytes: u32, leaves: Time) {
        if leaves <= now {
            self.bytes -= u64::from(bytes);
            return;
        }
        self.leaving.push_back((leaves, bytes));
        // After a change of the path, what was handed over later can leave before what waits
        // for the old link.
        let mut place = self.leaving.len() - 1;
        while place > 0 && self.leaving[place - 1].0 > leaves {
            self.leaving.swap(place - 1, place);
            place -= 1;
        }
    }

    /// The queue's link sends at another rate: what has not left does so earlier or later in
    /// proportion. Nothing waits for one that stops, as if it had left.
    pub(super) fn change_rate(&mut self, now: Time, from: Rate, to: Option<Rate>) {
        let left = |it: Duration| to.map_or(Duration::ZERO, |to| to.time_for(from.work_in(it)));
        for (leaves, _) in self.leaving.iter_mut().filter(|it| it.0 > now) {
            *leaves = now + left(leaves.since(now));
        }
    }

    pub(super) fn release(&mut self, now: Time) {
        while let Some((time, bytes)) = self.leaving.front().copied()
            && time <= now
        {
            self.bytes -= u64::from(bytes);
            self.leaving.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// To the picosecond, and back again.
        #[test]
        fn what_is_left_leaves_in_proportion_to_the_rate(
            waits in prop::collection::vec(1..1_000_000_u64, 1..20),
            times in 1..1000_u64,
        ) {
            let mut queue = SmallQueue::default();
            let now = Time::ZERO + Duration::from_secs(1);
            for wait in &waits {
                queue.bytes += 1448;
                queue.leave(now, 1448, now + Duration::from_nanos(*wait));
            }
            let before = queue.leaving.clone();
            let rate = |it: u64| Rate::from_bits_per_second(1_000_000 * it).expect("above zero");
            queue.change_rate(now, rate(times), Some(rate(1)));
            for (slow, fast) in queue.leaving.iter().zip(&before) {
                prop_assert_eq!(slow.0.since(now), fast.0.since(now) * times);
            }
            queue.change_rate(now, rate(1), Some(rate(times)));
            prop_assert_eq!(&queue.leaving, &before);
            queue.change_rate(now, rate(times), None);
            queue.release(now);
            prop_assert_eq!(queue.bytes, 0);
        }

        /// A sender that were to wake at an instant that has passed would do so for ever.
        #[test]
        fn what_is_left_leaves_later(handed in prop::collection::vec((0..100_u64, 1..50_u64), 1..20)) {
            let mut queue = SmallQueue::default();
            let mut now = Time::ZERO;
            for (waits, passes) in handed {
                queue.bytes += 1448;
                let leaves = now + Duration::from_micros(waits);
                queue.leave(now, 1448, leaves);
                now += Duration::from_micros(passes);
                queue.release(now);
                prop_assert!(queue.leaving.iter().all(|it| it.0 > now));
                prop_assert_eq!(queue.bytes, 1448 * queue.leaving.len() as u64);
            }
        }
    }
}
