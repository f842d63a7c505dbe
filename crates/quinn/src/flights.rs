//! The connection's state when packets were sent. quinn says of an acknowledged packet when it
//! was sent, and no number: that is what finds it here.

use std::collections::VecDeque;

use windtunnel_engine::Time;
use windtunnel_transports::delivery::Snapshot;

/// More sendings than any connection has in flight: those before are forgotten.
const MOST: usize = 1 << 16;

/// Snapshots by the time of sending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flights {
    all: VecDeque<(Time, Snapshot)>,
}

impl Flights {
    /// Packets were sent at `sent`, not before those of earlier calls. Of several calls at one
    /// time the last one counts.
    pub(crate) fn send(&mut self, sent: Time, snapshot: Snapshot) {
        if self.all.back().is_some_and(|it| it.0 == sent) {
            self.all.pop_back();
        }
        if self.all.len() == MOST {
            self.all.pop_front();
        }
        self.all.push_back((sent, snapshot));
    }

    /// The snapshot of what was sent at `sent`; `None` if it is not known.
    pub(crate) fn at(&self, sent: Time) -> Option<Snapshot> {
        let place = self.all.binary_search_by_key(&sent, |it| it.0).ok()?;
        Some(self.all[place].1)
    }

    /// Forgets what was sent before `time`.
    pub(crate) fn forget_before(&mut self, time: Time) {
        while self.all.front().is_some_and(|it| it.0 < time) {
            self.all.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;
    use windtunnel_transports::delivery::Account;

    use super::*;

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Duration::from_micros(microseconds)
    }

    #[test]
    fn what_was_sent_is_found_by_its_time_until_it_is_forgotten() {
        let (mut flights, mut account) = (Flights::default(), Account::new());
        for now in 0..5 {
            account.deliver(at(now), 10);
            flights.send(at(now), account.send(at(now), false, 100));
        }
        let delivered = |it: &Flights, time| it.at(time).map(|it| it.delivered());
        assert_eq!(delivered(&flights, at(3)), Some(40));
        assert_eq!(delivered(&flights, at(7)), None);
        flights.forget_before(at(3));
        assert_eq!(delivered(&flights, at(2)), None);
        assert_eq!(delivered(&flights, at(3)), Some(40));
    }

    #[test]
    fn memory_is_bounded_also_if_nothing_is_ever_acknowledged() {
        let (mut flights, mut account) = (Flights::default(), Account::new());
        for now in 0..3 * MOST as u64 {
            flights.send(at(now), account.send(at(now), false, 100));
        }
        assert_eq!(flights.all.len(), MOST);
        assert!(flights.at(at(3 * MOST as u64 - 1)).is_some());
    }
}
