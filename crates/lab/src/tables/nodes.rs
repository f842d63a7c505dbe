//! What the forwarder of each node did.

use arrow_array::RecordBatch;
use windtunnel_world::{NodeSample, Plan, World};

use super::columns::Columns;

pub(super) fn totals(plan: &Plan, world: &World) -> RecordBatch {
    let counters = world.nodes().zip(world.link_services().zip(world.processing_drops()));
    let rows: Vec<_> = plan.nodes.iter().zip(counters).collect();
    Columns::of(&rows)
        .text("node", |(node, _)| &node.name)
        .count("interests_in", |(_, (it, _))| it.interests_in)
        .count("interests_out", |(_, (it, _))| it.interests_out)
        .count("data_in", |(_, (it, _))| it.data_in)
        .count("data_out", |(_, (it, _))| it.data_out)
        .count("nacks_in", |(_, (it, _))| it.nacks_in)
        .count("nacks_out", |(_, (it, _))| it.nacks_out)
        .count("content_store_hits", |(_, (it, _))| it.content_store_hits)
        .count("content_store_misses", |(_, (it, _))| it.content_store_misses)
        .count("aggregated", |(_, (it, _))| it.aggregated)
        .count("suppressed", |(_, (it, _))| it.suppressed)
        .count("loops", |(_, (it, _))| it.loops)
        .count("hop_limit_exceeded", |(_, (it, _))| it.hop_limit_exceeded)
        .count("unsolicited", |(_, (it, _))| it.unsolicited)
        .count("expired", |(_, (it, _))| it.expired)
        .count("fragments_in", |(_, (_, (it, _)))| it.fragments_in)
        .count("fragments_out", |(_, (_, (it, _)))| it.fragments_out)
        .count("reassembled", |(_, (_, (it, _)))| it.reassembled)
        .count("reassembly_timeouts", |(_, (_, (it, _)))| it.reassembly_timeouts)
        .count("processing_drops", |(_, (_, (_, it)))| *it)
        .batch()
}

/// Samples of the forwarders of nodes.
pub(crate) fn node_series(plan: &Plan, rows: &[NodeSample]) -> RecordBatch {
    Columns::of(rows)
        .text("node", |it| &plan.nodes[it.node as usize].name)
        .number("time_s", |it| it.time_s)
        .count("pit_entries", |it| it.pit_entries)
        .count("content_store_entries", |it| it.content_store_entries)
        .count("content_store_hits", |it| it.content_store_hits)
        .count("content_store_misses", |it| it.content_store_misses)
        .batch()
}
