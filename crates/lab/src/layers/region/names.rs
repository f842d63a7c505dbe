//! What became of the names of flows.

use arrow_array::RecordBatch;
use windtunnel_world::{NameLookup, NameLookupPlan, Plan, World};

use crate::tables::Columns;

/// Each flow that has a name.
pub(super) fn lookups(plan: &Plan, world: &World) -> RecordBatch {
    let with_plan = |it: NameLookup| Some((plan.flows[it.flow].lookup.as_ref()?, it));
    let rows: Vec<(&NameLookupPlan, NameLookup)> =
        world.name_lookups().filter_map(with_plan).collect();
    Columns::of(&rows)
        .text("flow", |it| &plan.flows[it.1.flow].name)
        .text("node", |it| &plan.nodes[it.0.node].name)
        .text("name", |it| &it.0.name)
        .text("root", |it| &plan.nodes[plan.roots[it.0.root].node].name)
        .number("start_s", |it| it.1.asked.map(|it| it.as_seconds()))
        .count("queries", |it| u64::from(it.1.queries))
        .number("lookup_s", |it| Some(it.1.settled?.since(it.1.asked?).as_seconds()))
        .text_if_any("outcome", |it| it.1.resolution.map(|it| it.name()))
        .batch()
}
