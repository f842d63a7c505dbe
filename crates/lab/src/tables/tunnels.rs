//! What the ends of tunnels counted.

use arrow_array::RecordBatch;
use windtunnel_world::{Plan, World};

use super::columns::Columns;

/// Each tunnel in each direction: what entered at one end, and what left at the other.
pub(super) fn totals(plan: &Plan, world: &World) -> RecordBatch {
    let rows: Vec<_> = plan
        .tunnels
        .iter()
        .zip(world.tunnels().zip(world.tunnel_connections()))
        .flat_map(|(tunnel, (ends, connections))| {
            [0, 1].map(|side| (tunnel, side, connections[side], ends[side], ends[1 - side]))
        })
        .collect();
    Columns::of(&rows)
        .text("tunnel", |(tunnel, ..)| &tunnel.name)
        .text("from", |(tunnel, side, ..)| &plan.nodes[tunnel.ends[*side]].name)
        .text("to", |(tunnel, side, ..)| &plan.nodes[tunnel.ends[1 - side]].name)
        .count("entered", |(.., near, _)| near.entered)
        .count("entered_bytes", |(.., near, _)| near.entered_bytes)
        .count("too_large", |(.., near, _)| near.too_large)
        .count("handshakes", |(.., near, _)| near.handshakes)
        .count("dropped", |(.., near, _)| near.dropped)
        .count("retransmissions", |(_, _, connection, ..)| {
            connection.map_or(0, |it| it.retransmissions)
        })
        .count("left", |(.., far)| far.left)
        .count("marks", |(.., far)| far.marks)
        .count("unmarkable", |(.., far)| far.unmarkable)
        .batch()
}
