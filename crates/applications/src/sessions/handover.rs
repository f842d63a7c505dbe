//! Handovers: the page table and the token go to the next satellite, and with them
//! the pages that the policy sends along.

use std::cmp::Reverse;

use super::{PageFrame, PagingPolicy, ProactivePages, Purpose, Session, Site};

impl Session {
    /// Hands the session over to the next satellite, which may be one of those before. It
    /// has the token once the page table has arrived; a handover that is asked for
    /// until then follows. Accesses that still wait for a page are the caller's to repeat
    /// there. Nothing happens if the session is served there already, or has ended.
    pub fn handover(&mut self, to: Site) {
        let last = self.handovers.back().or(self.trail.last());
        if self.has_ended() || last == Some(&to) {
            return;
        }
        match self.owner {
            Some(from) => self.begin_stage(from, to),
            None => self.handovers.push_back(to),
        }
    }

    pub(super) fn page_table_arrived(&mut self, at: Site) {
        match self.handovers.pop_front() {
            Some(next) => self.begin_stage(at, next),
            None => self.owner = Some(at),
        }
    }

    fn begin_stage(&mut self, from: Site, to: Site) {
        self.counters.handovers += 1;
        self.trail.push(to);
        self.table.iter_mut().for_each(|it| it.wanted = false);
        // The client has the reference to an object that is kept apart.
        if self.separate().is_some() {
            self.owner = Some(to);
            return;
        }
        self.owner = None;
        self.send(Purpose::PageTable, Vec::new(), from, to, None);
        self.write_through(from, to);
        let frame = PageFrame { site: to, stage: self.stage() };
        self.take_prepared(frame);
        let pages = self.pages_to_send_along();
        self.fetch(&pages, frame, from);
        if matches!(self.settings.policy, PagingPolicy::Proactive(ProactivePages::Entries)) {
            self.move_empty_frames(from, frame);
        }
        self.place_on_idle(from, to);
    }

    /// Whether an entry's page was accessed in the stage that ends, if it exists.
    fn was_used(&self, page: usize) -> bool {
        self.table[page].last_used + 1 == self.stage()
    }

    fn pages_to_send_along(&mut self) -> Vec<usize> {
        match self.settings.policy {
            PagingPolicy::Prefetch { top, .. } => self.most_used(top),
            PagingPolicy::Proactive(ProactivePages::UsedInLastStage) => {
                self.existing().filter(|it| self.was_used(*it)).collect()
            }
            PagingPolicy::Proactive(_) => self.existing().collect(),
            PagingPolicy::External(_) => self.ask(|policy, view| policy.on_handover(view), 1),
            _ => Vec::new(),
        }
    }

    fn existing(&self) -> impl Iterator<Item = usize> {
        (0..self.table.len()).filter(|it| self.table[*it].exists())
    }

    /// The pages that were accessed most often since they were created.
    pub(super) fn most_used(&self, top: usize) -> Vec<usize> {
        let mut pages: Vec<usize> = self.existing().collect();
        pages.sort_by_key(|it| Reverse(self.table[*it].uses));
        pages.truncate(top);
        pages
    }

    fn move_empty_frames(&mut self, from: Site, to: PageFrame) {
        let empty: Vec<usize> =
            (0..self.table.len()).filter(|it| !self.table[*it].exists()).collect();
        if !empty.is_empty() {
            self.move_pages(empty, from, to, None);
        }
    }

    /// Writes the pages accessed in the stage that ends, at `from`, through to copies.
    fn write_through(&mut self, from: Site, to: Site) {
        let pages: Vec<usize> = (0..self.table.len())
            .filter(|it| self.was_used(*it) && self.table[*it].is_at(from))
            .collect();
        if pages.is_empty() {
            return;
        }
        for target in self.predecessors(from, to) {
            self.counters.copies += pages.len() as u64;
            self.send(Purpose::Copy, pages.clone(), from, target, None);
        }
    }

    /// The latest sites before `from` and other than `to`, as many as a page has copies.
    fn predecessors(&self, from: Site, to: Site) -> Vec<Site> {
        let mut sites: Vec<Site> = Vec::new();
        for site in self.trail.iter().rev() {
            if *site != from && *site != to && !sites.contains(site) {
                sites.push(*site);
            }
        }
        sites.truncate(self.settings.policy.copies());
        sites
    }
}
