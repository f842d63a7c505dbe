//! What became of the names of flows.

use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{NameLookup, NameLookupPlan, Plan, World};

use crate::tables::shared::FLOW;

/// Each flow that has a name.
pub(super) fn lookups(plan: &Plan, world: &World) -> Table {
    let with_plan = |it: NameLookup| Some((plan.flows[it.flow].lookup.as_ref()?, it));
    let rows: Vec<(&NameLookupPlan, NameLookup)> =
        world.name_lookups().filter_map(with_plan).collect();
    Columns::of(
        "name_lookups",
        "What became of the name of each flow that has one (`peer_name`).",
        &rows,
    )
    .text(FLOW, |it| &plan.flows[it.1.flow].name)
    .text(column("node", "The node that asks."), |it| &plan.nodes[it.0.node].name)
    .text(column("name", "The name."), |it| &it.0.name)
    .text(column("root", "The node of the root that it asks, of its own region."), |it| {
        &plan.nodes[plan.roots[it.0.root].node].name
    })
    .number(column("start_s", "When it asked first; empty: it did not."), |it| {
        it.1.asked.map(|it| it.as_seconds())
    })
    .count(column("queries", "How often it asked that root."), |it| u64::from(it.1.queries))
    .number(
        column("lookup_s", "How long it took until that was settled; empty: it was not."),
        |it| Some(it.1.settled?.since(it.1.asked?).as_seconds()),
    )
    .text_if_any(
        column(
            "outcome",
            "What came of it: `found`, `no-name` (NXDOMAIN), `no-data` (no address at that \
             name), `refused` (the roots exchange no names), `server-failure` (the other root \
             does not answer) or `no-answer` (its own root does not). Empty: it was not \
             settled.",
        ),
        |it| it.1.resolution.map(|it| it.name()),
    )
    .table()
}
