//! A subflow is kept until its window is full; the next is the one with the lowest round trip.
//!
//! Source: Nagayama et al., "Path switching schedulers for MPTCP streaming video", PACRIM 2019,
//! as its abstract and those who cite it describe it.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, View, nearest};

pub(super) const DESCRIPTION: Description = Description {
    name: "sticky",
    title: "sticky",
    meaning: "the same subflow until its window is full, then the one with the lowest round trip",
    source: "Nagayama et al., PACRIM 2019 (by its abstract)",
    make: || Box::new(Sticky { kept: None }),
};

#[derive(Clone, Debug)]
struct Sticky {
    kept: Option<usize>,
}

impl Scheduler for Sticky {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        let kept = self.kept.filter(|kept| view.open().any(|(place, _)| place == *kept));
        self.kept = kept.or_else(|| nearest(view.open()));
        self.kept.map(Choice::new)
    }
}
