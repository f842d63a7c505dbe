//! A host of ends of flows over stacks.

use smallvec::{SmallVec, smallvec};

use crate::alarm::Alarm;
use crate::side::Side;

/// An end of a flow over stacks: which of them, and which side.
pub(super) type EndOf = (u32, Side);

/// A host.
#[derive(Clone, Debug)]
pub(super) struct StackHost {
    /// At least one; in the order of the plan.
    pub(super) ends: SmallVec<[EndOf; 1]>,
    pub(super) alarm: Alarm,
    /// Whether an end of it is being called, or an application by it.
    pub(super) is_busy: bool,
}

impl StackHost {
    /// That of one end.
    pub(super) fn of(end: EndOf) -> Self {
        Self { ends: smallvec![end], alarm: Alarm::NONE, is_busy: false }
    }

    /// It has another end.
    pub(super) fn add(&mut self, end: EndOf) {
        self.ends.push(end);
    }
}
