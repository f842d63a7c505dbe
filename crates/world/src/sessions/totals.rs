//! What sessions count.

use std::collections::BTreeMap;

use windtunnel_applications::sessions::{Held, Session, SessionCounters, Site};
use windtunnel_engine::Duration;

/// What the sessions of one kind counted, all together.
#[derive(Clone, Debug, Default)]
pub struct SessionTotals {
    /// Sessions that began.
    pub sessions: u64,
    /// Accesses, each once.
    pub accesses: u64,
    /// What the sessions counted, where an access counts again that is repeated after a
    /// handover or a failure.
    pub counters: SessionCounters,
    /// Those of them while no node served the user, which began when one did.
    pub unserved: u64,
    /// How long each access took from when it began, of those that were not done at once, in
    /// the order in which they were done.
    pub latencies: Vec<Duration>,
    /// Accesses that were not done when their session ended, or the run.
    pub unfinished: u64,
    /// Where pages were at the end of each stage.
    pub stages: Vec<SessionStage>,
    /// What nodes did and held, in the order of the nodes.
    pub nodes: BTreeMap<usize, SessionNode>,
    /// How often it was counted what nodes hold.
    pub samples: u64,
}

/// Pages at the end of a stage, before the handover or the session's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionStage {
    /// The stage, from 0.
    pub stage: usize,
    /// The stage whose node holds them.
    pub held_since: usize,
    /// How many, of all sessions.
    pub pages: u64,
}

/// What a node does for sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionNode {
    /// Accesses while it served.
    pub accesses: u64,
    /// Pages and copies that it held, summed over all samples.
    pub pages: u64,
    /// The most at any of them.
    pub maximum_pages: u64,
    /// Pages of which no other node had a copy, summed over all samples.
    pub only_copies: u64,
    /// The most at any of them.
    pub maximum_only_copies: u64,
}

impl SessionTotals {
    /// Counts where a session's pages are at the end of a stage.
    pub(super) fn end_stage(&mut self, session: &Session) {
        let stage = session.stage();
        for (held_since, pages) in session.distribution().into_iter().enumerate() {
            let row = SessionStage { stage, held_since, pages: 0 };
            let order = |it: &SessionStage| (it.stage, it.held_since).cmp(&(stage, held_since));
            let place = self.stages.binary_search_by(order).unwrap_or_else(|place| {
                self.stages.insert(place, row);
                place
            });
            self.stages[place].pages += pages;
        }
    }

    /// What a node counts.
    pub(super) fn node(&mut self, site: Site) -> &mut SessionNode {
        self.nodes.entry(site.0 as usize).or_default()
    }

    /// Counts what nodes hold of these sessions.
    pub(super) fn sample<'a>(&mut self, sessions: impl Iterator<Item = &'a Session>) {
        let mut held: BTreeMap<Site, Held> = BTreeMap::new();
        for (site, of_session) in sessions.flat_map(Session::held) {
            let all = held.entry(site).or_default();
            all.pages += of_session.pages;
            all.only_copies += of_session.only_copies;
        }
        self.samples += 1;
        for (site, Held { pages, only_copies }) in held {
            let node = self.node(site);
            node.pages += pages;
            node.maximum_pages = node.maximum_pages.max(pages);
            node.only_copies += only_copies;
            node.maximum_only_copies = node.maximum_only_copies.max(only_copies);
        }
    }
}
