//! What limits a connection over several subflows, and for how long: at each moment one limit, as
//! of a connection over one path.
//!
//! It is what would have to change first for more data to leave. Where all that waits could go to
//! a subflow whose window has room, that is the connection's receive window or send buffer; else
//! it is what keeps a subflow that has data from sending it: the one of these limits that passes
//! soonest, first pacing, then the queue of the host, then the congestion window.

use windtunnel_engine::Time;

use super::endpoint::Endpoint;
use crate::tcp::{Limit, LimitTimes};

/// The limits of subflows with something to send, from the one that passes soonest.
const OF_SUBFLOWS: [Limit; 3] = [Limit::Pacing, Limit::HostQueue, Limit::CongestionWindow];

impl Endpoint {
    /// For how long each of its limits was in force until now: together, from when the connection
    /// was opened here until all data and its end were acknowledged.
    #[must_use]
    pub fn limits(&self, now: Time) -> LimitTimes {
        self.limits.times(now)
    }

    /// Notes what limits it from now on.
    #[inline]
    pub(super) fn note_limit(&mut self, now: Time) {
        let limit = self.limit();
        self.limits.enter(now, limit);
    }

    /// What keeps it from sending more; none before it is opened, and once all was acknowledged.
    fn limit(&self) -> Option<Limit> {
        let is_open = self.subflows.iter().any(|it| it.endpoint.is_established());
        if !is_open || self.is_plain && self.closing.has_begun() {
            return self.subflows.iter().find_map(|it| it.endpoint.limit());
        }
        if !self.sending.is_used() {
            return Some(Limit::Idle);
        }
        if self.sending.is_closed() {
            return None;
        }
        let own = self.sending.limit(&self.settings.tcp);
        if own == Some(Limit::Idle) {
            return own;
        }
        let limited = self.limits_of_subflows();
        let is_limited_by = |it: &Limit| limited & bit(*it) != 0;
        // It has sent all that it was given, and its window has room.
        let is_one_free = [Limit::Idle, Limit::Application].iter().any(is_limited_by);
        Some(match own {
            Some(own @ (Limit::ReceiveWindow | Limit::SendBuffer)) if is_one_free => own,
            own => {
                let soonest = OF_SUBFLOWS.into_iter().find(is_limited_by);
                soonest.or(own).unwrap_or(Limit::CongestionWindow)
            }
        })
    }

    /// What limits its usable subflows: a bit for each limit of one or more of them.
    fn limits_of_subflows(&self) -> u8 {
        let usable = self.subflows.iter().filter(|it| it.is_usable());
        usable.filter_map(|it| it.endpoint.limit()).fold(0, |limits, it| limits | bit(it))
    }
}

fn bit(limit: Limit) -> u8 {
    1 << limit as u8
}
