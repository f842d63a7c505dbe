//! Files and answers that were received to their end.

use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{Plan, World};

use super::shared::{FLOW, SIZE_BYTES, SLOWDOWN};

/// All finished transfers, in the order in which they finished.
pub(super) fn totals(plan: &Plan, world: &World) -> Table {
    let transfers = world.transfers();
    Columns::of(
        "transfers",
        "Each file or answer that was received completely, in the order in which they ended.",
        &transfers,
    )
    .text(FLOW, |it| &plan.flows[it.flow as usize].name)
    .count(
        column(
            "number",
            "Which of the flow's transfers it is, the same in every case: of files, frames \
             and segments the place in their order, from 0 on; of answers the number of the \
             worker, plus the number of workers for each answer that it received before.",
        )
        .unit(""),
        |it| it.number,
    )
    .count(SIZE_BYTES, |it| it.bytes)
    .number(column("start_s", "When it was requested or began."), |it| it.start.as_seconds())
    .number(column("completion_s", "How long it took."), |it| it.completion.as_seconds())
    .number(SLOWDOWN, |it| it.completion.as_seconds() / it.ideal.as_seconds())
    .table()
}
