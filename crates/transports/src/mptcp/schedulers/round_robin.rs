//! One segment for each subflow in turn; one whose window is full is left out.
//!
//! Source: the scheduler `roundrobin` of Linux's out-of-tree Multipath TCP 0.95, with its
//! defaults.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, View};

pub(super) const DESCRIPTION: Description = Description {
    name: "round-robin",
    title: "round robin",
    meaning: "one segment for each subflow in turn, except those whose windows are full",
    source: "Linux's out-of-tree Multipath TCP 0.95",
    make: || Box::new(RoundRobin { last: usize::MAX }),
};

#[derive(Clone, Debug)]
struct RoundRobin {
    /// The subflow that had the last turn.
    last: usize,
}

impl Scheduler for RoundRobin {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        let behind = view
            .open()
            .map(|(place, _)| place)
            .find(|it| self.last != usize::MAX && *it > self.last);
        let place = behind.or_else(|| view.open().map(|(place, _)| place).next())?;
        Some(Choice::new(place))
    }

    fn on_sent(&mut self, subflow: usize, _start: u64, _end: u64) {
        self.last = subflow;
    }
}
