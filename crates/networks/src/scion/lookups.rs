//! How a control service finds the segments to a system: those to the core are its own; it
//! asks the core of its isolation domain for segments between cores, and that of the other
//! system's for segments down to that.

use std::sync::Arc;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::scion::{IsdAs, PathSegment, SegmentKind};

/// After so long without an answer a question is asked again.
pub(super) const TIMEOUT: Duration = Duration::from_secs(1);
/// So often a question is asked.
const MOST_TRIES: u8 = 3;

/// Segments with what they are for.
pub(super) type Segments = Vec<(SegmentKind, Arc<PathSegment>)>;

/// A question to another control service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) identifier: u32,
    /// Whom it is for.
    pub(super) core: IsdAs,
    pub(super) kind: SegmentKind,
    pub(super) to: IsdAs,
}

/// A search for the segments to a system.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub(super) to: IsdAs,
    /// The hosts that asked: their nodes, and their numbers of it.
    pub(super) askers: Vec<(u32, u32)>,
    pub(super) segments: Segments,
    pub(super) open: Vec<Question>,
    /// Whether the segments between cores are there.
    pub(super) has_core: bool,
    pub(super) deadline: Time,
    tries: u8,
}

impl Lookup {
    pub(super) fn new(to: IsdAs, segments: Segments) -> Self {
        Self {
            to,
            askers: Vec::new(),
            segments,
            open: Vec::new(),
            has_core: false,
            deadline: Time::NEVER,
            tries: 0,
        }
    }

    /// Asks questions: from now on their answers are awaited.
    pub(super) fn ask(&mut self, now: Time, questions: Vec<Question>) {
        self.open = questions;
        self.tries = 1;
        self.deadline = if self.open.is_empty() { now } else { now + TIMEOUT };
    }

    /// Takes in an answer; returns whether it was one to a question of this search.
    pub(super) fn answer(&mut self, now: Time, identifier: u32, segments: Segments) -> bool {
        let Some(place) = self.open.iter().position(|it| it.identifier == identifier) else {
            return false;
        };
        self.open.remove(place);
        self.segments.extend(segments);
        if self.open.is_empty() {
            self.deadline = now;
        }
        true
    }

    /// What is to be asked again, at the deadline; nothing if that was done often enough.
    pub(super) fn again(&mut self, now: Time) -> Vec<Question> {
        self.tries += 1;
        if self.tries > MOST_TRIES {
            self.open.clear();
            self.deadline = now;
        } else {
            self.deadline = now + TIMEOUT;
        }
        self.open.clone()
    }

    pub(super) fn of(&self, kind: SegmentKind) -> Vec<Arc<PathSegment>> {
        self.segments.iter().filter(|it| it.0 == kind).map(|it| Arc::clone(&it.1)).collect()
    }
}
