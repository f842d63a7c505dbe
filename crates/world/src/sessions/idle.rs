//! The neighbour that takes the pages which a handover leaves behind: the least busy one.

use windtunnel_applications::sessions::Site;
use windtunnel_engine::Time;

use super::Sessions;

impl Sessions {
    /// Names the idle neighbour to the session of a user who is handed over now.
    pub(super) fn choose_idle(&mut self, now: Time, of: usize) {
        let group = self.users[of].group;
        if self.groups[group].plan.neighbours.is_empty() {
            return;
        }
        let Some(ends) = self.users[of].due_handover(now) else { return };
        let idle = self.idle_neighbour(group, ends);
        self.users[of].set_idle(idle);
    }

    /// The neighbour of `from`, other than `to`, that serves the fewest users, of those the one
    /// with the fewest pages; none unless it serves fewer than `from`.
    fn idle_neighbour(&self, group: usize, [from, to]: [Site; 2]) -> Option<Site> {
        let neighbours = self.groups[group].plan.neighbours.get(&(from.0 as usize))?;
        let candidates = neighbours.iter().map(|it| Site(*it as u32)).filter(|it| *it != to);
        let (load, idle) = candidates.map(|it| (self.load(group, it), it)).min()?;
        (load.0 < self.load(group, from).0).then_some(idle)
    }

    /// How many users a node serves, and how many of their pages it holds.
    fn load(&self, group: usize, site: Site) -> (usize, u64) {
        let users = || self.users.iter().filter(|it| it.group == group);
        let served = users().filter(|it| it.serving() == Some(site)).count();
        let held = users().filter_map(|it| it.session()).flat_map(|it| it.held());
        (served, held.filter(|it| it.0 == site).map(|it| it.1.pages).sum())
    }
}
