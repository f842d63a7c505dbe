//! All data goes over all subflows: each has its own place in the data, and what was received
//! over another one meanwhile is left out.
//!
//! Source: the scheduler `redundant` of Linux's out-of-tree Multipath TCP 0.95.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, View};

pub(super) const DESCRIPTION: Description = Description {
    name: "redundant",
    title: "redundant",
    meaning: "all data over all subflows",
    source: "Linux's out-of-tree Multipath TCP 0.95",
    make: || Box::new(Redundant { places: Vec::new() }),
};

#[derive(Clone, Debug)]
struct Redundant {
    /// The next byte of each subflow.
    places: Vec<u64>,
}

impl Scheduler for Redundant {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        self.places.resize(view.subflows.len(), 0);
        self.places.iter_mut().for_each(|it| *it = view.unacknowledged.max(*it));
        let mut best: Option<(usize, u64)> = None;
        for (subflow, _) in view.open() {
            let from = self.places[subflow];
            // What another one held goes again, whatever this one has had.
            let has_data = view.excluded.is_some() || from < view.next || view.waiting > 0;
            // The one that is furthest ahead, so that none waits for another.
            if has_data && best.is_none_or(|(_, most)| from > most) {
                best = Some((subflow, from));
            }
        }
        best.map(|(subflow, from)| Choice { from: Some(from), ..Choice::new(subflow) })
    }

    fn on_sent(&mut self, subflow: usize, start: u64, end: u64) {
        if self.places.len() <= subflow {
            self.places.resize(subflow + 1, 0);
        }
        let place = &mut self.places[subflow];
        if start <= *place {
            *place = end.max(*place);
        }
    }

    fn repeats(&self) -> bool {
        true
    }
}
