//! Hosts go on with flows of another plan where these have not begun.

use windtunnel_engine::Streams;

use super::Hosts;
use crate::event::{Event, Kind};
use crate::network::Network;
use crate::plan::Plan;

impl Hosts {
    /// Has those flows be as in another plan that begin later than now.
    pub(crate) fn continue_as(&mut self, network: &mut Network, plan: &Plan) {
        let now = network.events.now();
        let mut late: Vec<usize> = (0..self.flows.len()).collect();
        late.retain(|it| self.flows[*it].start > now);
        if late.is_empty() || !plan.flows_may_differ() {
            return;
        }
        let streams = Streams::new(plan.seed, plan.run);
        let mut other = Self::new(plan, &streams, &network.forwarding);
        let slots: Vec<u32> = late.iter().flat_map(|it| self.flows[*it].slots()).collect();
        late.iter().for_each(|it| self.exchange(&mut other, plan, *it));
        let is_of_late =
            |it: Event| it.kind() == Kind::Application && slots.binary_search(&it.of()).is_ok();
        network.events.replace(|it| (!is_of_late(it)).then_some(it));
        slots.iter().for_each(|it| self.arrange(network, *it));
    }

    /// Exchanges a flow with others.
    fn exchange(&mut self, other: &mut Self, plan: &Plan, flow: usize) {
        let (here, there) = (&mut self.flows[flow], &mut other.flows[flow]);
        std::mem::swap(here, there);
        let slots = here.slots();
        let slots = slots.start as usize..slots.end as usize;
        self.slots[slots.clone()].swap_with_slice(&mut other.slots[slots]);
        if let Some(class) = here.class {
            let classes = class as usize..class as usize + plan.flows[flow].connections().count();
            self.classes[classes.clone()].swap_with_slice(&mut other.classes[classes]);
        }
    }
}
