//! A part goes on with what begins later in another plan.

use std::sync::Arc;

use super::Part;
use crate::event::{Event, Kind};
use crate::plan::{Plan, places_in_order};

impl Part {
    /// Goes on with the changes and the flows of another plan, of which those up to now are the
    /// same.
    pub(crate) fn continue_as(&mut self, plan: &Plan) {
        // What changes may concern all nodes.
        self.network.expand();
        self.continue_changes(plan);
        self.hosts.continue_as(&mut self.network, plan);
    }

    /// Goes on with the changes of another plan. Nodes may still have to learn of those up to now,
    /// which have other places there.
    fn continue_changes(&mut self, plan: &Plan) {
        let (here, there) = (places_in_order(&self.changes), places_in_order(&plan.changes));
        let rank = |place: u32| here.iter().position(|it| *it == place);
        let mut pending = 0;
        self.network.events.replace(|event| match event.kind() {
            Kind::Change => {
                pending += 1;
                None
            }
            Kind::Route => rank(event.of()).map(|it| Event::new(Kind::Route, there[it])),
            _ => Some(event),
        });
        for place in &there[here.len() - pending..] {
            let time = plan.changes[*place as usize].time;
            self.network.schedule(time, Event::new(Kind::Change, *place));
        }
        self.changes.clone_from(&plan.changes);
        self.rerouting = plan.routes_change().then(|| Arc::new(plan.clone()));
    }
}
