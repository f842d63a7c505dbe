//! What a session's satellites hold, kept while pages come and go: to count it anew would take
//! a look at the whole page table.

use super::Site;
use super::page_table::Entry;

/// What a satellite holds of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Pages and copies. A page on its way is still where it leaves.
    pub pages: u64,
    /// Pages of which no other satellite has a copy.
    pub only_copies: u64,
}

/// What each satellite holds, in the order of the satellites; some hold nothing any more.
#[derive(Clone, Debug, Default)]
pub(super) struct Holdings(Vec<(Site, Held)>);

impl Holdings {
    /// An entry's page and its copies are held from now on.
    pub(super) fn add(&mut self, entry: &Entry) {
        for (site, is_only) in entry.held() {
            let held = self.at(site);
            held.pages += 1;
            held.only_copies += u64::from(is_only);
        }
    }

    /// They are not any more.
    pub(super) fn remove(&mut self, entry: &Entry) {
        for (site, is_only) in entry.held() {
            let held = self.at(site);
            held.pages -= 1;
            held.only_copies -= u64::from(is_only);
        }
    }

    fn at(&mut self, site: Site) -> &mut Held {
        let place = self.0.binary_search_by_key(&site, |it| it.0).unwrap_or_else(|place| {
            self.0.insert(place, (site, Held::default()));
            place
        });
        &mut self.0[place].1
    }

    /// The satellites that hold anything.
    pub(super) fn all(&self) -> impl Iterator<Item = (Site, Held)> {
        self.0.iter().copied().filter(|it| it.1.pages > 0)
    }
}
