//! Worlds that begin as one: a world is copied at some time, and what happens later may be
//! another thing in each copy.

use windtunnel_engine::Time;

use super::World;
use crate::caught::caught;
use crate::network::ports_that_change_loss;
use crate::part::Part;
use crate::plan::{Plan, places_in_order};
use crate::recorder::Recorder;

impl World {
    /// A copy, to which the same happens from now on. The rows of series that wait for
    /// [`World::give_series`] are in both.
    ///
    /// # Errors
    /// Why there can be none: packets are captured or logged, series have a sink already, or
    /// something that is written outside, such as a controller, cannot be copied.
    pub fn fork(&self) -> Result<Self, String> {
        let is_watched = |it: &Part| it.network.watches.is_some() || it.network.log.is_some();
        if self.parts.all.iter().any(is_watched) {
            return Err("a world whose packets are captured or logged cannot be forked".to_owned());
        }
        let recorder = self.recorder.as_ref().map(Recorder::fork);
        if matches!(recorder, Some(None)) {
            return Err("a world whose series are being written cannot be forked".to_owned());
        }
        Ok(Self {
            parts: caught(|| self.parts.clone())?,
            recorder: recorder.flatten(),
            bridges: self.bridges.clone(),
            tunnels: self.tunnels.clone(),
            ..*self
        })
    }

    /// Goes on with what begins later in another plan, as if it had been built from that: nothing
    /// before now is different there ([`differ_from`]). Only for a world on one thread.
    pub fn continue_as(&mut self, plan: &Plan) {
        self.only_part().continue_as(plan);
    }
}

/// From when on the worlds of two plans differ that are the same but for the changes of their
/// links, and the controllers, starts and stops of their flows: never, if those are the same too.
/// None if they differ in what a world is built from, or nodes move.
#[must_use]
pub fn differ_from(one: &Plan, other: &Plan) -> Option<Time> {
    let is_built_alike = one.flows.len() == other.flows.len()
        && ports_that_change_loss(one) == ports_that_change_loss(other)
        && one.routes_change() == other.routes_change();
    if !is_built_alike || one.sky.is_some() || other.sky.is_some() {
        return None;
    }
    let flows = flows_differ_from(one, other)?;
    Some(flows.min(changes_differ_from(one, other)))
}

fn flows_differ_from(one: &Plan, other: &Plan) -> Option<Time> {
    let mut from = Time::NEVER;
    for (one_flow, other_flow) in one.flows.iter().zip(&other.flows) {
        if format!("{one_flow:?}") != format!("{other_flow:?}") {
            let hears = one_flow.needs_radio_reports() || other_flow.needs_radio_reports();
            if hears || !one.flows_may_differ() {
                return None;
            }
            from = from.min(one_flow.start).min(other_flow.start);
        }
    }
    Some(from)
}

fn changes_differ_from<'a>(one: &'a Plan, other: &'a Plan) -> Time {
    let in_order = |it: &'a Plan| {
        places_in_order(&it.changes).into_iter().map(|place| &it.changes[place as usize])
    };
    let (mut one, mut other) = (in_order(one), in_order(other));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return Time::NEVER,
            (one, other) if one == other => {}
            (Some(one), Some(other)) => return one.time.min(other.time),
            (Some(it), None) | (None, Some(it)) => return it.time,
        }
    }
}
