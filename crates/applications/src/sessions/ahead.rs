//! Pages that are copied to the next satellite before it serves: which one it will be, and when,
//! is known (the paper, section I), as in the pre-copy of process migration (Theimer et al.,
//! "Preemptable Remote Execution Facilities for the V-System", SOSP 1985).

use super::{PageFrame, PagingPolicy, Purpose, Session, Site};

impl Session {
    /// The next satellite will serve from `site` soon: a policy that prefetches ahead copies its
    /// pages there. Those accessed until the handover travel again.
    pub fn prepare(&mut self, site: Site) {
        let PagingPolicy::Prefetch { top, is_ahead: true } = self.settings.policy else { return };
        let Some(owner) = self.owner.filter(|it| *it != site) else { return };
        let pages: Vec<usize> = self
            .most_used(top)
            .into_iter()
            .filter(|it| self.table[*it].is_elsewhere(site))
            .collect();
        for (from, pages) in self.by_site(&pages) {
            let transfer = self.next_number();
            self.counters.copies += pages.len() as u64;
            pages.iter().for_each(|it| self.table[*it].ahead = Some((site, transfer)));
            self.send(Purpose::Ahead, pages, from, site, (from != owner).then_some(owner));
        }
    }

    /// At a handover: pages are where they were copied to, if that has arrived and they were not
    /// accessed since. No copy is of use after it.
    pub(super) fn take_prepared(&mut self, to: PageFrame) {
        for page in 0..self.table.len() {
            let Some((site, transfer)) = self.table[page].ahead.take() else { continue };
            let Some(from) = self.table[page].frame() else { continue };
            if site == to.site && !self.is_under_way(transfer) {
                self.counters.page_transfers += 1;
                self.counters.page_hops += (to.stage - from.stage) as u64;
                self.change(page, |it| it.put(to));
            }
        }
    }
}
