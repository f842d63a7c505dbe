//! The counters of bridges' edges.

use windtunnel_networks::bridge::greatest_share;
use windtunnel_scenario::round_trip;
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{BridgePlan, Plan, Topology, World};

use super::shared::MARKS;

/// Each bridge.
pub(super) fn totals(plan: &Plan, world: &World) -> Table {
    let rows: Vec<_> = plan.bridges.iter().zip(world.bridges()).collect();
    Columns::of("bridges", "What each bridge between data centers counted.", &rows)
        .text(column("bridge", "The bridge, by its name in the scenario."), |(bridge, _)| {
            &bridge.name
        })
        .text(column("from", "The source edge."), |(bridge, _)| &plan.nodes[bridge.from].name)
        .text(column("to", "The destination edge."), |(bridge, _)| &plan.nodes[bridge.to].name)
        .number(
            column(
                "selected_bound",
                "The greatest share of the packets whose clones the bridge's buffer can hold, at \
                 the rate of the bottleneck between its edges.",
            )
            .unit("share"),
            |(bridge, _)| bound(plan, bridge),
        )
        .count(column("forwarded", "Packets forwarded along their paths."), |(_, it)| {
            it.source.forwarded
        })
        .count(column("selected", "Packets selected for cloning, probes included."), |(_, it)| {
            it.source.selected
        })
        .count(column("probes", "Packets selected as probes."), |(_, it)| it.source.probes)
        .count(column("cloned", "Clones made."), |(_, it)| it.source.cloned)
        .count(column("cloned_bytes", "The size of all clones made."), |(_, it)| it.cloned_bytes)
        .count(
            column("acknowledgements", "Acknowledgements given by the destination edge."),
            |(_, it)| it.destination.acknowledgements,
        )
        .count(
            column("acknowledgement_bytes", "The size of all acknowledgements sent."),
            |(_, it)| it.acknowledgement_bytes,
        )
        .count(
            column(
                "acknowledgements_received",
                "Acknowledgements that arrived at the source edge.",
            ),
            |(_, it)| it.acknowledgements_received,
        )
        .count(column("acknowledged", "Clones whose packets were acknowledged."), |(_, it)| {
            it.source.acknowledged
        })
        .count(
            column("unmatched", "Acknowledgements of packets whose clones were not held."),
            |(_, it)| it.source.unmatched,
        )
        .count(column("resent", "Clones sent in place of lost packets."), |(_, it)| {
            it.source.resent
        })
        .count(column("resent_bytes", "The size of all clones sent."), |(_, it)| it.resent_bytes)
        .count(
            column("expired", "Clones that made room for others, or for which there was none."),
            |(_, it)| it.source.expired,
        )
        .count(column("buffered_packets", "Clones held at the end."), |(_, it)| {
            u64::from(it.stalled.packets)
        })
        .count(
            column("maximum_buffered_packets", "The greatest number of clones held."),
            |(_, it)| u64::from(it.source.largest.packets),
        )
        .count(
            column("maximum_buffered_bytes", "The greatest size of the clones held."),
            |(_, it)| it.source.largest.bytes,
        )
        .count(column("suppressed", "Duplicate acknowledgements dropped."), |(_, it)| {
            it.source.suppressed
        })
        .count(column("received", "Packets received by the destination edge."), |(_, it)| {
            it.destination.received
        })
        .count(MARKS, |(_, it)| it.destination.marks)
        .count(
            column("delayed", "Segments that waited at the destination edge for one before them."),
            |(_, it)| it.destination.held,
        )
        .count(column("delays_expired", "Segments that waited as long as they may."), |(_, it)| {
            it.destination.expired
        })
        .count(
            column(
                "delays_overflowed",
                "How often a gap was given up because the buffer was full.",
            ),
            |(_, it)| it.destination.overflows,
        )
        .count(
            column("waiting", "Packets that wait at the destination edge at the end."),
            |(_, it)| u64::from(it.waiting.packets),
        )
        .count(
            column("maximum_waiting_bytes", "The greatest size of what waited there."),
            |(_, it)| it.destination.largest.bytes,
        )
        .table()
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
