//! Pages that a handover leaves behind go to an idle satellite (the paper, section V-D).

use super::{PageFrame, PagingPolicy, Session, Site};

impl Session {
    /// With a policy that places pages on idle neighbours: the next handover moves those that
    /// stay where it begins to this one; `None`: nowhere.
    pub fn set_idle(&mut self, site: Option<Site>) {
        self.idle = site;
    }

    /// Moves what stays at `from` to the idle satellite. It is off the trail: its place there is
    /// that of `from`, and the move to it counts as one hop.
    pub(super) fn place_on_idle(&mut self, from: Site, to: Site) {
        if !matches!(self.settings.policy, PagingPolicy::IdleNeighbour) {
            return;
        }
        let Some(idle) = self.idle.take().filter(|it| *it != from && *it != to) else { return };
        let pages: Vec<usize> =
            (0..self.table.len()).filter(|it| self.table[*it].is_at(from)).collect();
        if !pages.is_empty() {
            self.move_pages(pages, from, PageFrame { site: idle, stage: self.stage() - 1 }, None);
        }
    }
}
