//! The tables of series, chunk by chunk.

use windtunnel_tables::Table;
use windtunnel_world::{Chunk, Plan};

use super::{channels, flows, links, nodes, packets, players, sky, subflows};

/// The table of a chunk.
pub(crate) fn of_chunk(plan: &Plan, chunk: Chunk<'_>) -> Table {
    match chunk {
        Chunk::Flows(rows) => flows::series(plan, rows),
        Chunk::Ports(rows) => links::series(plan, rows),
        Chunk::Channels(rows) => channels::series(plan, rows),
        Chunk::Routes(rows) => sky::route_series(plan, rows),
        Chunk::Subflows(rows) => subflows::series(plan, rows),
        Chunk::Playback(rows) => players::series(plan, rows),
        Chunk::Packets(rows) => packets::packet_events(plan, rows),
        Chunk::Nodes(rows) => nodes::series(plan, rows),
    }
}

/// The tables of series without rows: one for each kind of chunk.
pub(crate) fn empty(plan: &Plan) -> Vec<Table> {
    let kinds = [
        Chunk::Flows(&[]),
        Chunk::Ports(&[]),
        Chunk::Channels(&[]),
        Chunk::Routes(&[]),
        Chunk::Subflows(&[]),
        Chunk::Playback(&[]),
        Chunk::Packets(&[]),
        Chunk::Nodes(&[]),
    ];
    kinds.into_iter().map(|it| of_chunk(plan, it)).collect()
}
