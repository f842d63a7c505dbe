//! The page table: where each page of a session is.

/// A satellite, or whatever else serves sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(pub u32);

/// A frame that holds a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFrame {
    /// Where it is.
    pub site: Site,
    /// The stage, from 0, in which the page was last brought or accessed there: distances
    /// along the trail of satellites count from it.
    pub stage: usize,
}

/// Where a page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageLocation {
    /// It does not exist.
    #[default]
    Nowhere,
    /// In a frame.
    At(PageFrame),
    /// On its way to one.
    Moving {
        /// The frame that it leaves. It is free once the page has arrived.
        from: PageFrame,
        /// Its frame from then on.
        to: PageFrame,
        /// The number of the transfer.
        transfer: u64,
    },
}

/// A copy of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageCopy {
    pub(super) frame: PageFrame,
    /// The stage at whose end the page was like this.
    pub(super) stage: usize,
}

/// An entry of the page table.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) location: PageLocation,
    /// Copies, the latest and then the nearest last, each at a site of its own and none at
    /// the page's.
    copies: Vec<PageCopy>,
    /// Accesses since it was created.
    pub(super) uses: u64,
    /// The stage of the last one.
    pub(super) last_used: usize,
    /// An access in this stage has found it on its way.
    pub(super) wanted: bool,
    /// Where it was copied ahead of a handover, and the number of that transfer; none if it was
    /// accessed since.
    pub(super) ahead: Option<(Site, u64)>,
}

impl Entry {
    pub(super) fn frame(&self) -> Option<PageFrame> {
        match self.location {
            PageLocation::At(frame) => Some(frame),
            _ => None,
        }
    }

    /// The sites of the page and its copies, and whether there is no other.
    pub(super) fn held(&self) -> impl Iterator<Item = (Site, bool)> {
        let page = match self.location {
            PageLocation::Nowhere => None,
            PageLocation::At(frame) | PageLocation::Moving { from: frame, .. } => Some(frame.site),
        };
        let copies = self.copies.iter().map(|it| it.frame.site);
        page.into_iter().chain(copies).map(|it| (it, self.copies.is_empty()))
    }

    pub(super) fn exists(&self) -> bool {
        self.location != PageLocation::Nowhere
    }

    /// Whether its page is in a frame at `site`.
    pub(super) fn is_at(&self, site: Site) -> bool {
        self.frame().is_some_and(|it| it.site == site)
    }

    /// Whether its page is in a frame, and not at `site`.
    pub(super) fn is_elsewhere(&self, site: Site) -> bool {
        self.frame().is_some_and(|it| it.site != site)
    }

    /// Puts the page into a frame; a copy at the same site is of no use any more.
    pub(super) fn put(&mut self, frame: PageFrame) {
        self.location = PageLocation::At(frame);
        self.remove_copy(frame.site);
    }

    /// Adds a copy, and keeps the best `limit`.
    pub(super) fn add_copy(&mut self, copy: PageCopy, limit: usize) {
        if self.is_at(copy.frame.site) {
            return;
        }
        self.remove_copy(copy.frame.site);
        self.copies.push(copy);
        self.copies.sort_by_key(|it| (it.stage, it.frame.stage));
        let surplus = self.copies.len().saturating_sub(limit);
        self.copies.drain(..surplus);
    }

    fn remove_copy(&mut self, site: Site) {
        self.copies.retain(|it| it.frame.site != site);
    }

    /// The frames at a site lose what they hold: copies, and the page, if it is there
    /// or has left it and not arrived. A page on its way there is back in the frame that
    /// it left. Whether the page is lost: its last copy becomes the page, if there is one.
    pub(super) fn fail(&mut self, site: Site) -> bool {
        self.remove_copy(site);
        match self.location {
            PageLocation::At(frame) if frame.site == site => self.restore(),
            PageLocation::Moving { from, .. } if from.site == site => self.restore(),
            PageLocation::Moving { from, to, .. } if to.site == site => {
                self.put(from);
                false
            }
            _ => false,
        }
    }

    fn restore(&mut self) -> bool {
        match self.copies.pop() {
            Some(copy) => self.location = PageLocation::At(copy.frame),
            None => *self = Self::default(),
        }
        !self.exists()
    }
}
