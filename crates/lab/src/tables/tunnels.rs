//! What the ends of tunnels counted.

use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{Plan, World};

use super::shared::{FROM, TO};

/// Each tunnel in each direction: what entered at one end, and what left at the other.
pub(super) fn totals(plan: &Plan, world: &World) -> Table {
    let rows: Vec<_> = plan
        .tunnels
        .iter()
        .zip(world.tunnels().zip(world.tunnel_connections()))
        .flat_map(|(tunnel, (ends, connections))| {
            [0, 1].map(|side| (tunnel, side, connections[side], ends[side], ends[1 - side]))
        })
        .collect();
    Columns::of(
        "tunnels",
        "What each end of each tunnel counted, in the direction away from it.",
        &rows,
    )
    .text(
        column(
            "tunnel",
            "The tunnel, or the link whose face over TCP it is, by its name in the scenario.",
        ),
        |(tunnel, ..)| &tunnel.name,
    )
    .text(FROM, |(tunnel, side, ..)| &plan.nodes[tunnel.ends[*side]].name)
    .text(TO, |(tunnel, side, ..)| &plan.nodes[tunnel.ends[1 - side]].name)
    .count(column("entered", "Packets put into the tunnel."), |(.., near, _)| near.entered)
    .count(
        column(
            "entered_bytes",
            "Their size with the outer headers; of a tunnel over TCP, what they take of its \
             stream.",
        ),
        |(.., near, _)| near.entered_bytes,
    )
    .count(
        column(
            "too_large",
            "Packets for which there was no room in another one, or that were larger than the \
             MTU.",
        ),
        |(.., near, _)| near.too_large,
    )
    .count(column("handshakes", "Handshakes begun."), |(.., near, _)| near.handshakes)
    .count(
        column(
            "dropped",
            "Packets dropped because too many waited for a session, or to be encrypted or \
             decrypted, or because the buffer of a connection was full.",
        ),
        |(.., near, _)| near.dropped,
    )
    .count(
        column("retransmissions", "Segments sent again by the connection of a tunnel over TCP."),
        |(_, _, connection, ..)| connection.map_or(0, |it| it.retransmissions),
    )
    .count(column("left", "Packets taken out of the tunnel."), |(.., far)| far.left)
    .count(column("marks", "Those of them that were marked in the tunnel."), |(.., far)| far.marks)
    .count(
        column(
            "unmarkable",
            "Packets dropped because they were marked in the tunnel and their senders support \
             no marks.",
        ),
        |(.., far)| far.unmarkable,
    )
    .table()
}
