//! The lowest round trip of those that do not repair a loss.
//!
//! Source: Nagayama et al., "TCP state driven MPTCP packet scheduling for streaming video",
//! International Conference on Evolving Internet 2018, as its abstract and those who cite it
//! describe it.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, View, nearest};

pub(super) const DESCRIPTION: Description = Description {
    name: "state-aware",
    title: "state-aware",
    meaning: "the lowest round trip of those that repair no loss, if there is one",
    source: "Nagayama et al., INTERNET 2018 (by its abstract)",
    make: || Box::new(StateAware),
};

#[derive(Clone, Debug)]
struct StateAware;

impl Scheduler for StateAware {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        let unharmed = view.open().filter(|(_, it)| !it.sender.recovering);
        nearest(unharmed).or_else(|| nearest(view.open())).map(Choice::new)
    }
}
