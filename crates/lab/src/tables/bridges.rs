//! The counters of bridges' edges.

use arrow_array::RecordBatch;
use windtunnel_networks::bridge::greatest_share;
use windtunnel_scenario::round_trip;
use windtunnel_world::{BridgePlan, Plan, Topology, World};

use super::columns::Columns;

/// Each bridge.
pub(super) fn totals(plan: &Plan, world: &World) -> RecordBatch {
    let rows: Vec<_> = plan.bridges.iter().zip(world.bridges()).collect();
    Columns::of(&rows)
        .text("bridge", |(bridge, _)| &bridge.name)
        .text("from", |(bridge, _)| &plan.nodes[bridge.from].name)
        .text("to", |(bridge, _)| &plan.nodes[bridge.to].name)
        .number("selected_bound", |(bridge, _)| bound(plan, bridge))
        .count("forwarded", |(_, it)| it.source.forwarded)
        .count("selected", |(_, it)| it.source.selected)
        .count("probes", |(_, it)| it.source.probes)
        .count("cloned", |(_, it)| it.source.cloned)
        .count("cloned_bytes", |(_, it)| it.cloned_bytes)
        .count("acknowledgements", |(_, it)| it.destination.acknowledgements)
        .count("acknowledgement_bytes", |(_, it)| it.acknowledgement_bytes)
        .count("acknowledgements_received", |(_, it)| it.acknowledgements_received)
        .count("acknowledged", |(_, it)| it.source.acknowledged)
        .count("unmatched", |(_, it)| it.source.unmatched)
        .count("resent", |(_, it)| it.source.resent)
        .count("resent_bytes", |(_, it)| it.resent_bytes)
        .count("expired", |(_, it)| it.source.expired)
        .count("buffered_packets", |(_, it)| u64::from(it.stalled.packets))
        .count("maximum_buffered_packets", |(_, it)| u64::from(it.source.largest.packets))
        .count("maximum_buffered_bytes", |(_, it)| it.source.largest.bytes)
        .count("suppressed", |(_, it)| it.source.suppressed)
        .count("received", |(_, it)| it.destination.received)
        .count("marks", |(_, it)| it.destination.marks)
        .count("delayed", |(_, it)| it.destination.held)
        .count("delays_expired", |(_, it)| it.destination.expired)
        .count("delays_overflowed", |(_, it)| it.destination.overflows)
        .count("waiting", |(_, it)| u64::from(it.waiting.packets))
        .count("maximum_waiting_bytes", |(_, it)| it.destination.largest.bytes)
        .batch()
}

/// The maximum share of packets that a bridge's buffer can hold, at the rate of
/// the bottleneck between its edges.
fn bound(plan: &Plan, bridge: &BridgePlan) -> Option<f64> {
    let topology = Topology::new(plan);
    let path = topology.path(bridge.from, bridge.to)?;
    let capacity = path.iter().map(|it| plan.direction(*it).rate).min()?;
    let round_trip = round_trip(&plan.links, &topology, [bridge.from, bridge.to]);
    Some(greatest_share(bridge.source.buffer, round_trip, capacity))
}
