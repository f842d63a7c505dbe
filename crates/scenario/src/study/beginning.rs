//! What of a scenario decides how its world begins.

use std::sync::Arc;

use toml::{Table, Value};
use windtunnel_engine::Time;
use windtunnel_world::{ChangePlan, Plan};

/// Of the runs of two cases that begin alike, at least this part is the same: to go on from a copy
/// of a world takes time as well.
const LEAST_PART: u64 = 10;

/// What flows may differ in that begin late.
const KEYS_OF_LATE: [&str; 3] = ["controller", "start", "stop"];

/// Of a scenario's text, of which this is the plan, what decides about the first part of its run:
/// all but later changes of links, and the controllers, starts and stops of flows that begin later.
/// It has one form however the text was written.
pub(crate) fn beginning(text: &str, plan: &Plan) -> Option<Arc<str>> {
    let is_late = |it: Time| it.since(Time::ZERO) * LEAST_PART >= plan.duration;
    let starts_late = |name: &str| {
        let flow = plan.flows.iter().find(|it| it.name == name);
        flow.is_some_and(|it| is_late(it.start) && it.start > Time::ZERO)
    };
    let mut scenario: Table = text.parse().ok()?;
    for (_, link) in tables(&mut scenario, "links") {
        link.remove("changes");
    }
    for (name, flow) in tables(&mut scenario, "flows") {
        if starts_late(name) {
            KEYS_OF_LATE.iter().for_each(|it| drop(flow.remove(*it)));
        }
    }
    let early: Vec<&ChangePlan> = plan.changes.iter().filter(|it| !is_late(it.time)).collect();
    Some(format!("{scenario}{early:?}").into())
}

/// The tables of a kind, by name.
fn tables<'a>(
    scenario: &'a mut Table,
    kind: &str,
) -> impl Iterator<Item = (&'a str, &'a mut Table)> {
    let all = scenario.get_mut(kind).and_then(Value::as_table_mut);
    let each = |(name, it): (&'a String, &'a mut Value)| Some((name.as_str(), it.as_table_mut()?));
    all.into_iter().flatten().filter_map(each)
}
