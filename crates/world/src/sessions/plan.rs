//! What sessions are made of.

use std::collections::BTreeMap;
use std::ops::Range;

use windtunnel_applications::sessions::{PagePopularity, SessionSettings};
use windtunnel_applications::{Period, Sizes};
use windtunnel_engine::{Duration, Time};

/// Users of one kind, each of whom has one session at a time.
#[derive(Clone, Debug)]
pub struct SessionsPlan {
    /// Its name.
    pub name: String,
    /// The users.
    pub users: Vec<SessionUserPlan>,
    /// What their sessions begin with.
    pub settings: SessionSettings,
    /// The sizes of their elements, drawn for each session; none if each fills its page.
    pub elements: Option<Sizes>,
    /// How long before a node serves a user pages are copied there; none: they are not.
    pub ahead: Option<Duration>,
    /// By node, those that may take what a handover leaves behind there; empty unless the policy
    /// wants them.
    pub neighbours: BTreeMap<usize, Vec<usize>>,
    /// Which pages they access.
    pub popularity: PagePopularity,
    /// From one access to the next.
    pub access_interval: Period,
    /// How long a session lasts, after which the user's next one begins; without, there is one
    /// as long as nodes serve the user.
    pub length: Option<Period>,
    /// When the first ones start, at the earliest.
    pub start: Time,
    /// Each starts at a random moment within so much time from then.
    pub start_within: Duration,
    /// When which node loses all that it holds for sessions.
    pub failures: Vec<(Time, usize)>,
    /// The flows that carry their messages: one from each node of a user to each other one.
    pub flows: Range<usize>,
}

/// A user of sessions.
#[derive(Clone, Debug)]
pub struct SessionUserPlan {
    /// Its name.
    pub name: String,
    /// Who serves it, one after the other.
    pub stages: Vec<StagePlan>,
}

/// A time in which a node serves a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagePlan {
    /// The node.
    pub node: usize,
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub until: Time,
}

impl SessionsPlan {
    /// The nodes that serve its users, some of them more than once.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> {
        self.users.iter().flat_map(|it| &it.stages).map(|it| it.node)
    }

    /// The nodes that fail at an instant.
    pub(crate) fn failing(&self, now: Time) -> impl Iterator<Item = usize> {
        self.failures.iter().filter(move |it| it.0 == now).map(|it| it.1)
    }
}
