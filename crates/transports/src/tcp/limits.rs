//! What limits a connection's sending, and for how long: at each moment exactly one of these.
//!
//! Linux measures some of them and shows them in `ss -i`: there, `busy` is the time with data
//! that is not acknowledged, whatever limits it, and `rwnd_limited` and `sndbuf_limited` are parts
//! of it (Linux 4.9, `struct tcp_info`).

use std::ops::AddAssign;

use windtunnel_engine::{Duration, Time};

/// What keeps a connection from sending more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The connection is being opened.
    Handshake,
    /// There is nothing to send, and nothing in flight.
    Idle,
    /// All that the application has written was sent, and is not acknowledged yet.
    Application,
    /// The congestion window, also while a loss is repaired.
    CongestionWindow,
    /// The pacing rate.
    Pacing,
    /// The queue of the sender's own host, which is kept small.
    HostQueue,
    /// The window that the receiver advertises.
    ReceiveWindow,
    /// The send buffer, which holds data until it is acknowledged.
    SendBuffer,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Handshake,
        Self::Idle,
        Self::Application,
        Self::CongestionWindow,
        Self::Pacing,
        Self::HostQueue,
        Self::ReceiveWindow,
        Self::SendBuffer,
    ];
}

/// For how long each limit was in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitTimes([Duration; Limit::ALL.len()]);

impl LimitTimes {
    /// For how long that limit was in force.
    #[must_use]
    pub fn of(&self, limit: Limit) -> Duration {
        self.0[limit as usize]
    }
}

impl AddAssign<&Self> for LimitTimes {
    fn add_assign(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, it)| *sum += *it);
    }
}

/// Measures for how long each limit is in force.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LimitClock {
    times: LimitTimes,
    /// The limit in force, and since when; none before the connection is opened, and once all
    /// was acknowledged.
    current: Option<Limit>,
    since: Time,
}

impl LimitClock {
    /// That limit is in force from now on.
    #[inline]
    pub(crate) fn enter(&mut self, now: Time, limit: Option<Limit>) {
        if limit == self.current {
            return;
        }
        if let Some(current) = self.current {
            self.times.0[current as usize] += now.since(self.since);
        }
        (self.current, self.since) = (limit, now);
    }

    /// The limit in force.
    #[inline]
    pub(super) fn current(&self) -> Option<Limit> {
        self.current
    }

    /// What was measured until now.
    pub(crate) fn times(mut self, now: Time) -> LimitTimes {
        self.enter(now, None);
        self.times
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// No time is lost or counted twice, however often a limit is entered again.
        #[test]
        fn a_limit_has_the_time_in_which_it_was_in_force(
            entered in prop::collection::vec(
                (prop::option::of(prop::sample::select(&Limit::ALL[..])), 0..1_000_u64),
                0..50,
            ),
        ) {
            let mut clock = LimitClock::default();
            let (mut now, mut expected) = (Time::ZERO, LimitTimes::default());
            for (limit, microseconds) in entered {
                clock.enter(now, limit);
                let passes = Duration::from_micros(microseconds);
                now += passes;
                if let Some(limit) = limit {
                    expected.0[limit as usize] += passes;
                }
                prop_assert_eq!(clock.times(now), expected);
            }
        }
    }
}
