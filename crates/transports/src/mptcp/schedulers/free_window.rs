//! The subflow whose window has the most room.
//!
//! Source: Matsufuji et al., "Multipath TCP packet schedulers for streaming video", PACRIM 2017
//! (LPC, largest packet credits), as its abstract and those who cite it describe it.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, SubflowState, View, greatest};

pub(super) const DESCRIPTION: Description = Description {
    name: "free-window",
    title: "free window",
    meaning: "the subflow whose window has the most room",
    source: "Matsufuji et al., PACRIM 2017 (by its abstract)",
    make: || Box::new(FreeWindow),
};

#[derive(Clone, Debug)]
struct FreeWindow;

impl Scheduler for FreeWindow {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        greatest(view.open(), SubflowState::free).map(Choice::new)
    }
}
