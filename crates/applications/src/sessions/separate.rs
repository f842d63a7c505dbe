//! A session object that is kept apart from those that serve the session, all of it in one
//! place (the paper, section V-A).

use super::{Access, PageFrame, PageLocation, PagingPolicy, Purpose, Session, Site};

impl Session {
    /// Where the whole object is kept, if it is kept apart.
    pub(super) fn separate(&self) -> Option<Site> {
        match self.settings.policy {
            PagingPolicy::Separate(site) => Some(site.unwrap_or(self.trail[0])),
            _ => None,
        }
    }

    /// An access from elsewhere; one that creates its page is remote as well.
    pub(super) fn access_separate(&mut self, page: usize, at: Site, home: Site) -> Access {
        let frame = PageFrame { site: home, stage: 0 };
        if self.table[page].location == PageLocation::Nowhere {
            self.change(page, |it| it.put(frame));
            self.counters.creations += 1;
        } else {
            self.counters.remote_accesses += 1;
        }
        self.send_remote(page, frame, at)
    }

    /// Has an access answered by the site that its page stays at.
    pub(super) fn send_remote(&mut self, page: usize, from: PageFrame, to: Site) -> Access {
        let transfer = self.next_number();
        self.send(Purpose::RemoteAccess, vec![page], from.site, to, Some(to));
        Access::Remote { at: from.stage, transfer }
    }
}
