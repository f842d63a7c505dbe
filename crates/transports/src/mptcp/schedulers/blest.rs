//! Blocking estimation: a slower subflow gets data only if what the fastest could send
//! meanwhile still fits the receiver's window.
//!
//! Source: Ferlin et al., "BLEST: blocking estimation-based MPTCP scheduler for heterogeneous
//! networks", IFIP Networking 2016, and Linux's out-of-tree Multipath TCP 0.95, which keeps the
//! factor λ from falling below 1, and counts one round trip more.

use windtunnel_engine::{Duration, Time};

use crate::mptcp::scheduler::{Choice, Description, Scheduler, SubflowState, View, nearest};

pub(super) const DESCRIPTION: Description = Description {
    name: "blest",
    title: "BLEST",
    meaning: "a slower subflow only if it leaves the fastest enough of the receiver's window",
    source: "Ferlin et al., IFIP Networking 2016",
    make: || Box::new(Blest::new(PAPER)),
};

pub(super) const DESCRIPTION_OF_LINUX: Description = Description {
    name: "blest-linux",
    title: "BLEST (Linux)",
    meaning: "BLEST with a factor of 1 to 1.3, and one round trip more",
    source: "Linux's out-of-tree Multipath TCP 0.95",
    make: || Box::new(Blest::new(LINUX)),
};

/// What differs between the paper and Linux.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// The factor at first, and its bounds.
    factor: f64,
    least: f64,
    most: f64,
    /// The round trips that are counted more.
    more: f64,
}

const PAPER: Reading = Reading { factor: 1.0, least: 0.0, most: f64::INFINITY, more: 0.0 };
const LINUX: Reading = Reading { factor: 1.2, least: 1.0, most: 1.3, more: 1.0 };

/// The change of the factor in a round trip in which the window was full, and in another.
const INCREASE: f64 = 0.04;
const DECREASE: f64 = 0.01;

#[derive(Clone, Debug)]
struct Blest {
    reading: Reading,
    factor: f64,
    /// Whether the window was full since the factor was last changed, and when that was.
    was_full: bool,
    changed: Time,
}

/// The segments that the fast subflow could send in a round trip of the slow one.
fn meanwhile(fast: &SubflowState, slow: &SubflowState, more: f64) -> f64 {
    let rounds = slow.rtt() / fast.rtt() + more;
    (fast.sender.cwnd + (rounds - 1.0) / 2.0) * rounds
}

impl Blest {
    fn new(reading: Reading) -> Self {
        Self { reading, factor: reading.factor, was_full: false, changed: Time::ZERO }
    }

    /// Once in the least round trip.
    fn adapt(&mut self, now: Time, rtt: Duration) {
        if now.since(self.changed) < rtt {
            return;
        }
        let change = if self.was_full { INCREASE } else { -DECREASE };
        let Reading { least, most, .. } = self.reading;
        self.factor = (self.factor + change).clamp(least, most);
        (self.was_full, self.changed) = (false, now);
    }

    fn blocks(&self, fast: &SubflowState, slow: &SubflowState, window: f64) -> bool {
        let needed = meanwhile(fast, slow, self.reading.more) * self.factor;
        needed > window - slow.sender.in_flight - slow.sender.queued - 1.0
    }
}

impl Scheduler for Blest {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        let fast = nearest(view.usable())?;
        if let Some(rtt) = view.subflows[fast].sender.smoothed_rtt {
            self.adapt(view.now, rtt);
        }
        let slow = nearest(view.open())?;
        if fast == slow {
            return Some(Choice::new(fast));
        }
        // The whole window: what is under way takes its part of it.
        let under_way = (view.next - view.unacknowledged) as f64;
        let window = (view.window as f64 + under_way) / f64::from(view.segment);
        let blocks = self.blocks(&view.subflows[fast], &view.subflows[slow], window);
        (!blocks).then(|| Choice::new(slow))
    }

    fn on_window_full(&mut self, _now: Time) {
        self.was_full = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::SenderState;

    fn subflow(milliseconds: u64, cwnd: f64, in_flight: f64) -> SubflowState {
        let smoothed_rtt = Some(Duration::from_millis(milliseconds));
        let sender = SenderState { cwnd, in_flight, smoothed_rtt, ..SenderState::default() };
        SubflowState { sender, usable: true, ..SubflowState::default() }
    }

    /// Round trips of 20 and 100 ms, a window of 10 on the fast one: (10 + 2)·5 = 60 segments
    /// meanwhile; with 4 in flight on the slow one, 65 are enough, and 64 are not.
    #[test]
    fn the_slow_one_is_used_if_the_fast_one_still_fits() {
        let (fast, slow) = (subflow(20, 10.0, 10.0), subflow(100, 10.0, 4.0));
        assert_eq!(meanwhile(&fast, &slow, 0.0), 60.0);
        let blest = Blest::new(PAPER);
        assert!(!blest.blocks(&fast, &slow, 65.0));
        assert!(blest.blocks(&fast, &slow, 64.99));
    }

    #[test]
    fn linux_keeps_the_factor_within_its_bounds_and_the_paper_lets_it_fall() {
        for (reading, end) in [(PAPER, 0.9), (LINUX, 1.1)] {
            let mut blest = Blest::new(reading);
            let rtt = Duration::from_millis(20);
            (1..=10).for_each(|it| blest.adapt(Time::ZERO + rtt * it, rtt));
            assert!((blest.factor - end).abs() < 1e-12, "{}", blest.factor);
            (11..=100).for_each(|it| blest.adapt(Time::ZERO + rtt * it, rtt));
            assert!(blest.factor >= reading.least);
            blest.was_full = true;
            blest.adapt(Time::ZERO + rtt * 101, rtt);
            assert!((blest.factor - (reading.least + INCREASE)).abs() < 0.001);
        }
    }
}
