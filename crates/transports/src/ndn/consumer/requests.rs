//! The requests of a consumer that are not done with: in flight, or to be sent again.

use std::collections::VecDeque;

use windtunnel_engine::Time;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    InFlight,
    /// To be sent again.
    Due,
    Received,
}

/// No request: the end of a list.
pub(super) const NONE: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) segment: u64,
    pub(super) first_sent: Time,
    pub(super) last_sent: Time,
    /// Neighbours among the requests in flight, in order of sending.
    pub(super) before: u64,
    after: u64,
    pub(super) state: State,
    pub(super) retransmitted: bool,
}

/// Requests by number, in order of first sending. Those received leave from the
/// front, so that only a window of them is kept.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    pub(super) ring: VecDeque<Request>,
    /// The number of the first request in the ring buffer.
    pub(super) base: u64,
    /// The requests in flight that were sent longest ago and last.
    pub(super) oldest: u64,
    newest: u64,
    pub(super) in_flight: u64,
}

impl Requests {
    pub(super) fn new() -> Self {
        Self { ring: VecDeque::new(), base: 0, oldest: NONE, newest: NONE, in_flight: 0 }
    }

    #[inline]
    pub(super) fn next(&self) -> u64 {
        self.base + self.ring.len() as u64
    }

    #[inline]
    pub(super) fn get(&mut self, number: u64) -> Option<&mut Request> {
        let index = number.checked_sub(self.base)?;
        self.ring.get_mut(usize::try_from(index).ok()?)
    }

    /// A request that is known to be kept.
    #[inline]
    pub(super) fn at(&mut self, number: u64) -> &mut Request {
        &mut self.ring[(number - self.base) as usize]
    }

    /// Appends a request for `segment`, sent now for the first time.
    #[inline]
    pub(super) fn add(&mut self, segment: u64, now: Time) -> u64 {
        let number = self.next();
        self.ring.push_back(Request {
            segment,
            first_sent: now,
            last_sent: now,
            before: NONE,
            after: NONE,
            state: State::InFlight,
            retransmitted: false,
        });
        self.put_in_flight(number, now);
        number
    }

    #[inline]
    pub(super) fn put_in_flight(&mut self, number: u64, now: Time) {
        let newest = self.newest;
        let request = self.at(number);
        request.state = State::InFlight;
        request.last_sent = now;
        request.before = newest;
        request.after = NONE;
        if newest == NONE {
            self.oldest = number;
        } else {
            self.at(newest).after = number;
        }
        self.newest = number;
        self.in_flight += 1;
    }

    #[inline]
    pub(super) fn take_out_of_flight(&mut self, number: u64, state: State) {
        let request = self.at(number);
        request.state = state;
        let (before, after) = (request.before, request.after);
        if before == NONE {
            self.oldest = after;
        } else {
            self.at(before).after = after;
        }
        if after == NONE {
            self.newest = before;
        } else {
            self.at(after).before = before;
        }
        self.lower_in_flight();
    }

    /// One less is in flight. What comes late may lower it a second time.
    #[inline]
    pub(super) fn lower_in_flight(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    #[inline]
    pub(super) fn drop_received(&mut self) {
        while self.ring.front().is_some_and(|it| it.state == State::Received) {
            self.ring.pop_front();
            self.base += 1;
        }
    }
}
