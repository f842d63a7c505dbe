//! Each path in turn, for this many packets or for so long.

use windtunnel_engine::{Duration, Random, Time};

use super::{PathInfo, PathPolicy};

/// How long a path has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// For this many packets; at least one.
    Packets(u32),
    /// For so long; above zero.
    Time(Duration),
}

/// The policy.
#[derive(Clone, Debug)]
pub(super) struct RoundRobin {
    turn: Turn,
    /// Packets sent in this turn, and when it began.
    sent: u32,
    began: Time,
}

impl RoundRobin {
    pub(super) fn new(turn: Turn) -> Self {
        Self { turn, sent: 0, began: Time::ZERO }
    }

    fn is_over(&self, now: Time) -> bool {
        match self.turn {
            Turn::Packets(packets) => self.sent >= packets,
            Turn::Time(time) => now >= self.began + time,
        }
    }
}

impl PathPolicy for RoundRobin {
    fn select(
        &mut self,
        now: Time,
        paths: &[PathInfo],
        current: Option<usize>,
        _: &mut Random,
    ) -> usize {
        let next = match current {
            Some(it) if !self.is_over(now) => {
                self.sent += 1;
                return it;
            }
            Some(it) => (it + 1) % paths.len(),
            None => 0,
        };
        (self.sent, self.began) = (1, now);
        next
    }
}
