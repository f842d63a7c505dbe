//! What hosts that are machines with programs have run.

use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{Plan, World};

/// All commands that have begun, in that order.
pub(super) fn totals(plan: &Plan, world: &World) -> Table {
    let commands = world.commands();
    let outputs: Vec<_> =
        commands.iter().map(|it| String::from_utf8_lossy(&it.1.output).into_owned()).collect();
    let rows: Vec<_> = commands.iter().zip(&outputs).collect();
    Columns::of(
        "commands",
        "Each command that the kernel of a node has run, in the order in which they began.",
        &rows,
    )
    .text(column("node", "The node."), |((node, _), _)| &plan.nodes[*node].name)
    .text(column("command", "The command."), |((_, it), _)| &it.command)
    .number(column("start_s", "When it began."), |((_, it), _)| it.at.as_secs_f64())
    .number(column("end_s", "When it ended; empty if it has not."), |((_, it), _)| {
        it.exited.map(|it| it.0.as_secs_f64())
    })
    .count_if_any(
        column(
            "exit_code",
            "Its exit code: 127 if there is no such program, and 128 and the number of the signal that \
             ended it. Empty if it has not ended.",
        )
        .unit(""),
        |((_, it), _)| it.exited.map(|it| u64::try_from(it.1).unwrap_or_default()),
    )
    .text(
        column("output", "What it wrote to its standard output and its standard error."),
        |(_, output)| output,
    )
    .table()
}
