//! A session: accesses to its pages, transfers that arrive, satellites that fail.

use std::collections::{BTreeMap, VecDeque};

use super::holdings::{Held, Holdings};
use super::page_table::{Entry, PageCopy};
use super::{
    PageFrame, PageLocation, PageTransfer, PageView, Paging, PagingPolicy, PagingView, Purpose,
    SessionCounters, Site,
};

/// What a session begins with.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// The entries of its page table.
    pub pages: usize,
    /// The bytes of a page.
    pub page_size: u64,
    /// The bytes of a request for pages, whatever their number.
    pub request_size: u64,
    /// The bytes of an entry of the page table.
    pub entry_size: u64,
    /// Which pages move, and when.
    pub policy: PagingPolicy,
}

/// What an access to a page comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The page is at the serving satellite.
    Hit,
    /// It did not exist, and was created there.
    Created,
    /// It is fetched: the access is done once the page has arrived.
    Fault {
        /// The stage of its frame.
        from: usize,
    },
    /// It is on its way; another fault would not bring it sooner. The access is done
    /// once the page has arrived at the serving satellite, which takes a fetch
    /// of its own, and counts a fault, if it is on its way to another.
    Waiting,
    /// The access goes to where the page is, and is done once the answer has arrived.
    Remote {
        /// The stage of its frame.
        at: usize,
        /// The number of the transfer that answers it.
        transfer: u64,
    },
    /// Nothing is done: the satellite does not have the session's token, or the page
    /// table has no such entry.
    Refused,
}

/// A session as one state machine for all satellites that serve it. Of two that do so at
/// once, as in a handover that makes the new connection before it breaks the old one,
/// the one that has the *token* may access pages. The token travels with the page table:
/// while it is on its way, nobody may. Refused accesses are the caller's to repeat.
#[derive(Clone, Debug)]
pub struct Session {
    pub(super) settings: SessionSettings,
    /// The policy, if it is written outside.
    policy: Option<Box<dyn Paging>>,
    /// The bytes of the element in each entry; none if each fills its page.
    elements: Vec<u64>,
    /// Where the next handover moves the pages that it leaves behind.
    pub(super) idle: Option<Site>,
    pub(super) table: Vec<Entry>,
    /// What the pages and copies of the table take, by [`Session::change`].
    holdings: Holdings,
    /// The site of each stage.
    pub(super) trail: Vec<Site>,
    /// Who has the token.
    pub(super) owner: Option<Site>,
    /// Handovers that wait for the page table to arrive.
    pub(super) handovers: VecDeque<Site>,
    pub(super) counters: SessionCounters,
    has_ended: bool,
    /// The number of the next transfer.
    next: u64,
    /// The numbers of those that were not handed out; some may have been ended.
    outgoing: VecDeque<u64>,
    /// Those that did not arrive, handed out or not.
    under_way: BTreeMap<u64, PageTransfer>,
}

impl Session {
    /// A session without pages, served by its first satellite.
    #[must_use]
    pub fn new(settings: SessionSettings, first: Site) -> Self {
        let policy = match &settings.policy {
            PagingPolicy::External(maker) => Some(maker.make()),
            _ => None,
        };
        Self {
            table: vec![Entry::default(); settings.pages],
            settings,
            policy,
            elements: Vec::new(),
            idle: None,
            holdings: Holdings::default(),
            trail: vec![first],
            owner: Some(first),
            handovers: VecDeque::new(),
            counters: SessionCounters::default(),
            has_ended: false,
            next: 0,
            outgoing: VecDeque::new(),
            under_way: BTreeMap::new(),
        }
    }

    /// The same with elements of these bytes, one for each entry of the page table: each fills
    /// whole pages, as many as it needs (the paper, section VII-B). A page table without enough
    /// of them has elements of a page.
    #[must_use]
    pub fn with_elements(self, elements: Vec<u64>) -> Self {
        Self { elements, ..self }
    }

    /// The bytes that an entry's pages have.
    pub(super) fn page_bytes(&self, page: usize) -> u64 {
        let size = self.settings.page_size;
        let pages = self.elements.get(page).map_or(1, |it| it.div_ceil(size).max(1));
        pages * size
    }

    /// An access to a page by the satellite that serves the client at this time.
    pub fn access(&mut self, at: Site, page: usize) -> Access {
        if self.owner != Some(at) || page >= self.table.len() {
            self.counters.refusals += 1;
            return Access::Refused;
        }
        let here = PageFrame { site: at, stage: self.stage() };
        let entry = &mut self.table[page];
        entry.uses += 1;
        entry.last_used = here.stage;
        entry.ahead = None;
        let location = entry.location;
        if let Some(home) = self.separate().filter(|it| *it != at) {
            return self.access_separate(page, at, home);
        }
        match location {
            PageLocation::Nowhere => {
                self.change(page, |it| it.put(here));
                self.counters.creations += 1;
                Access::Created
            }
            PageLocation::At(frame) if frame.site == at => {
                self.table[page].put(here);
                self.counters.hits += 1;
                Access::Hit
            }
            PageLocation::At(frame) => self.access_elsewhere(page, frame, here),
            PageLocation::Moving { .. } => {
                self.table[page].wanted = true;
                self.counters.waits += 1;
                Access::Waiting
            }
        }
    }

    /// Changes where a page or its copies are.
    pub(super) fn change<T>(&mut self, page: usize, change: impl FnOnce(&mut Entry) -> T) -> T {
        let entry = &mut self.table[page];
        self.holdings.remove(entry);
        let answer = change(entry);
        self.holdings.add(entry);
        answer
    }

    fn access_elsewhere(&mut self, page: usize, frame: PageFrame, here: PageFrame) -> Access {
        if matches!(self.settings.policy, PagingPolicy::Remote) {
            self.counters.remote_accesses += 1;
            return self.send_remote(page, frame, here.site);
        }
        self.fault(page, here);
        Access::Fault { from: frame.stage }
    }

    /// Fetches a page, and what the policy reads ahead.
    fn fault(&mut self, page: usize, here: PageFrame) {
        self.counters.faults += 1;
        let mut pages = vec![page];
        let following = (page + 1..self.table.len())
            .filter(|it| self.table[*it].is_elsewhere(here.site))
            .take(self.settings.policy.read_ahead());
        pages.extend(following);
        pages.extend(self.ask(|policy, view| policy.on_fault(view, page), 0));
        self.fetch(&pages, here, here.site);
    }

    /// What a policy written outside answers, as it sees the stage that is this many before this
    /// one; nothing, if there is none.
    pub(super) fn ask(
        &mut self,
        question: impl FnOnce(&mut dyn Paging, &PagingView) -> Vec<usize>,
        before: usize,
    ) -> Vec<usize> {
        let Some(mut policy) = self.policy.take() else { return Vec::new() };
        let answer = question(&mut *policy, &self.view(self.stage() - before));
        self.policy = Some(policy);
        answer
    }

    /// Moves pages that are in frames elsewhere to the site of `to`: a transfer for each
    /// site that they leave, in the order of the pages. `asking` requests those that
    /// are not its own.
    pub(super) fn fetch(&mut self, pages: &[usize], to: PageFrame, asking: Site) {
        for (from, pages) in self.by_site(pages) {
            if from != to.site {
                self.move_pages(pages, from, to, (from != asking).then_some(asking));
            }
        }
    }

    /// Those of these pages that are in frames, each once, by the sites of these.
    pub(super) fn by_site(&self, pages: &[usize]) -> Vec<(Site, Vec<usize>)> {
        let mut groups: Vec<(Site, Vec<usize>)> = Vec::new();
        for page in pages {
            let Some(frame) = self.table.get(*page).and_then(Entry::frame) else { continue };
            match groups.iter_mut().find(|it| it.0 == frame.site) {
                Some((_, pages)) if pages.contains(page) => {}
                Some((_, pages)) => pages.push(*page),
                None => groups.push((frame.site, vec![*page])),
            }
        }
        groups
    }

    /// Moves pages that are in frames at `from`, and empty frames for those that do
    /// not exist.
    pub(super) fn move_pages(
        &mut self,
        pages: Vec<usize>,
        from: Site,
        to: PageFrame,
        requested_by: Option<Site>,
    ) {
        let transfer = self.next_number();
        for page in &pages {
            let entry = &mut self.table[*page];
            // An empty frame moves from the stage before.
            let mut left = to.stage.saturating_sub(1);
            if let Some(from) = entry.frame() {
                left = from.stage;
                entry.location = PageLocation::Moving { from, to, transfer };
                entry.ahead = None;
            }
            // A neighbour off the trail is a link away.
            self.counters.page_hops += (to.stage - left).max(1) as u64;
        }
        self.counters.page_transfers += pages.len() as u64;
        self.send(Purpose::Move, pages, from, to.site, requested_by);
    }

    /// Makes a transfer, and counts its bytes and its request.
    pub(super) fn send(
        &mut self,
        purpose: Purpose,
        pages: Vec<usize>,
        from: Site,
        to: Site,
        requested_by: Option<Site>,
    ) {
        let (of_pages, settings) = (pages.iter().map(|it| self.page_bytes(*it)), &self.settings);
        let (bytes, counter) = match purpose {
            Purpose::PageTable => {
                let bytes = settings.pages as u64 * settings.entry_size;
                (bytes, &mut self.counters.page_table_bytes)
            }
            _ => (of_pages.sum(), &mut self.counters.page_bytes),
        };
        *counter += bytes;
        let request_bytes = requested_by.map_or(0, |_| settings.request_size);
        self.counters.requests += u64::from(requested_by.is_some());
        self.counters.request_bytes += request_bytes;
        let (number, stage) = (self.next_number(), self.stage());
        let transfer = PageTransfer {
            number,
            purpose,
            pages,
            from,
            to,
            bytes,
            requested_by,
            request_bytes,
            stage,
        };
        self.next += 1;
        self.outgoing.push_back(number);
        self.under_way.insert(number, transfer);
    }

    /// The number of the transfer that is made next.
    pub(super) fn next_number(&self) -> u64 {
        self.next
    }

    /// Whether a transfer has not arrived.
    pub(super) fn is_under_way(&self, transfer: u64) -> bool {
        self.under_way.contains_key(&transfer)
    }

    /// The next transfer to carry, in the order in which they were made.
    pub fn next_transfer(&mut self) -> Option<PageTransfer> {
        while let Some(number) = self.outgoing.pop_front() {
            if let Some(transfer) = self.under_way.get(&number) {
                return Some(transfer.clone());
            }
        }
        None
    }

    /// A transfer has arrived, which may make others. Returns it; `None` if it had arrived
    /// before, or was ended by [`Session::fail`] or [`Session::end`].
    pub fn arrived(&mut self, number: u64) -> Option<PageTransfer> {
        let transfer = self.under_way.remove(&number)?;
        match transfer.purpose {
            Purpose::PageTable => self.page_table_arrived(transfer.to),
            Purpose::Move => transfer.pages.iter().for_each(|it| self.page_arrived(*it, number)),
            Purpose::Copy => self.copies_arrived(&transfer),
            Purpose::Ahead | Purpose::RemoteAccess => {}
        }
        Some(transfer)
    }

    fn page_arrived(&mut self, page: usize, number: u64) {
        let stage = self.stage();
        let PageLocation::Moving { from, to, transfer } = self.table[page].location else { return };
        if transfer != number {
            return;
        }
        let copy = PageCopy { frame: from, stage: from.stage };
        let limit = self.settings.policy.copies();
        self.change(page, |it| {
            it.put(to);
            it.add_copy(copy, limit);
        });
        let was_wanted = std::mem::take(&mut self.table[page].wanted);
        let Some(site) = self.owner.filter(|_| was_wanted) else { return };
        let here = PageFrame { site, stage };
        if site == to.site {
            self.change(page, |it| it.put(here));
        } else {
            self.fault(page, here);
        }
    }

    /// Copies that were written through lie along the trail where their satellite served last.
    fn copies_arrived(&mut self, transfer: &PageTransfer) {
        let Some(stage) = self.trail.iter().rposition(|it| *it == transfer.to) else { return };
        let frame = PageFrame { site: transfer.to, stage };
        let copy = PageCopy { frame, stage: transfer.stage - 1 };
        let limit = self.settings.policy.copies();
        for page in &transfer.pages {
            self.change(*page, |it| it.add_copy(copy, limit));
        }
    }

    /// A satellite fails: its frames lose what they hold, and transfers from it and to it
    /// end. Returns their numbers: accesses that waited for them are the caller's to
    /// repeat. A page that was on its way there stays where it was, for its old
    /// frame is freed only once it has arrived (the paper, section VI). A lost page does not
    /// exist any more. The page table and the token survive, also on their way: the
    /// paper has nothing on how.
    pub fn fail(&mut self, site: Site) -> Vec<u64> {
        let ended = |it: &PageTransfer| {
            it.purpose != Purpose::PageTable && (it.from == site || it.to == site)
        };
        let numbers: Vec<u64> =
            self.under_way.values().filter(|it| ended(it)).map(|it| it.number).collect();
        self.under_way.retain(|_, it| !ended(it));
        self.table.iter_mut().for_each(|it| it.ahead = None);
        for page in 0..self.table.len() {
            if self.change(page, |it| it.fail(site)) {
                self.counters.lost += 1;
                self.forget_copies(page);
            }
        }
        numbers
    }

    /// Copies on their way of a page that is lost come too late: it may be created anew.
    fn forget_copies(&mut self, page: usize) {
        let copies = self.under_way.values_mut().filter(|it| it.purpose == Purpose::Copy);
        copies.for_each(|it| it.pages.retain(|other| *other != page));
    }

    /// The session ends: all its pages are dropped, wherever they are, and its transfers
    /// end. Returns how many pages existed.
    pub fn end(&mut self) -> u64 {
        let dropped = self.pages();
        self.counters.dropped += dropped;
        self.table.fill(Entry::default());
        self.holdings = Holdings::default();
        self.has_ended = true;
        self.owner = None;
        self.under_way.clear();
        dropped
    }

    /// Whether it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The satellite that has the token; none while it is on its way, or after the end.
    #[must_use]
    pub fn owner(&self) -> Option<Site> {
        self.owner
    }

    /// The stage that it is in, from 0: a handover begins one when the page table leaves.
    #[must_use]
    pub fn stage(&self) -> usize {
        self.trail.len() - 1
    }

    /// Where a page is. Nowhere, if the page table has no such entry.
    #[must_use]
    pub fn location(&self, page: usize) -> PageLocation {
        self.table.get(page).map(|it| it.location).unwrap_or_default()
    }

    /// How many pages exist, in frames or on their way.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.table.iter().filter(|it| it.exists()).count() as u64
    }

    /// How many pages are in frames of each stage (a row of the paper's Table I), without
    /// those on their way.
    #[must_use]
    pub fn distribution(&self) -> Vec<u64> {
        let mut pages = vec![0; self.trail.len()];
        for frame in self.table.iter().filter_map(Entry::frame) {
            pages[frame.stage] += 1;
        }
        pages
    }

    /// What each satellite holds that holds anything, in the order of the satellites.
    pub fn held(&self) -> impl Iterator<Item = (Site, Held)> {
        self.holdings.all()
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> &SessionCounters {
        &self.counters
    }
}

impl Session {
    /// What a policy sees in a stage.
    pub(super) fn view(&self, stage: usize) -> PagingView {
        let here = self.trail[stage];
        let page = |number: usize| {
            let entry = &self.table[number];
            let (frame, is_moving) = match entry.location {
                PageLocation::Nowhere => return None,
                PageLocation::At(frame) => (frame, false),
                PageLocation::Moving { from, .. } => (from, true),
            };
            Some(PageView {
                number,
                is_here: !is_moving && frame.site == here,
                is_moving,
                held_since: frame.stage,
                uses: entry.uses,
                last_used: entry.last_used,
                bytes: self.page_bytes(number),
            })
        };
        let entries = self.table.len();
        PagingView { stage, entries, pages: (0..entries).filter_map(page).collect() }
    }
}
