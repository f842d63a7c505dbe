//! Packets that are given to the next port ahead of time: see [`crate::contraction`].

use windtunnel_engine::{Handle, Time};
use windtunnel_links::Fate;

use super::Port;
use super::egress::Egress;
use super::passed::Passed;
use super::transit::Transit;

impl Port {
    /// Whether all that becomes of a packet is known when the port is given it, unless its link
    /// changes.
    pub(crate) fn decides_at_once(&self) -> bool {
        matches!(self.egress, Egress::OnArrival { .. }) && self.effects.is_none()
    }

    /// Whether packets are passed on.
    #[inline]
    pub(crate) fn passes_on(&self) -> bool {
        self.passes_on
    }

    /// From now on packets are passed on that arrive until `horizon`.
    pub(crate) fn move_horizon(&mut self, horizon: Time) {
        self.passes_on = true;
        self.passed.horizon = horizon;
    }

    /// From now on nothing is passed on any more; returns when the first packet arrives that is
    /// held back. Only where the horizon has been reached.
    pub(crate) fn stop_passing_on(&mut self) -> Option<Time> {
        let Passed { horizon, packets } = std::mem::take(&mut self.passed);
        // What was passed on has arrived, so that it waits no more.
        self.start_transmissions(horizon);
        self.transit.drain(..packets as usize);
        self.passes_on = false;
        self.first = self.transit.front().map(|it| it.packet);
        self.next_arrival()
    }

    /// Passes on a packet that was offered at `now`, or holds it back; returns when it arrives, if
    /// it is passed on.
    #[inline(never)]
    pub(super) fn pass_on(
        &mut self,
        now: Time,
        packet: Handle,
        size: u32,
        [starts, arrives]: [Time; 2],
    ) -> Option<Time> {
        let is_passed = arrives <= self.passed.horizon;
        if starts > now || !is_passed {
            let transit = Transit::once(packet, size, [starts, arrives], Fate::Arrives);
            self.keep(transit, is_passed);
        }
        if !is_passed {
            return None;
        }
        self.deliver(size);
        Some(arrives)
    }

    /// Keeps a packet that waits or is held back, in place of what was passed on and has started.
    fn keep(&mut self, transit: Transit, is_passed: bool) {
        let Egress::OnArrival { backlog, .. } = &self.egress else { return };
        let passed = &mut self.passed;
        // If it waits, the backlog has it already, and the ring does not.
        while passed.packets > 0 && self.transit.len() >= backlog.packets as usize {
            self.transit.pop_front();
            passed.packets -= 1;
        }
        debug_assert!(!is_passed || self.transit.len() == passed.packets as usize);
        passed.packets += u32::from(is_passed);
        self.transit.push_back(transit);
    }

    /// Passes on the first packet that is held back, if it arrives until the horizon; returns
    /// when it does.
    pub(crate) fn release(&mut self) -> Option<(Time, Handle)> {
        let passed = &mut self.passed;
        let first = self.transit.get(passed.packets as usize);
        let first = first.filter(|it| it.arrives <= passed.horizon)?;
        let Transit { arrives, packet, size, .. } = *first;
        passed.packets += 1;
        self.deliver(size);
        Some((arrives, packet))
    }

    /// When the first packet arrives that is held back.
    pub(crate) fn next_held(&self) -> Option<Time> {
        self.transit.get(self.passed.packets as usize).map(|it| it.arrives)
    }
}
