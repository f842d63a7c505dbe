//! What the forwarder of each node did.

use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{NodeSample, Plan, World};

use super::shared::{NODE, TIME_S};

pub(super) fn totals(plan: &Plan, world: &World) -> Table {
    let counters = world.nodes().zip(world.link_services().zip(world.processing_drops()));
    let rows: Vec<_> = plan.nodes.iter().zip(counters).collect();
    Columns::of("nodes", "What each node counted of NDN or CCNx.", &rows)
        .text(NODE, |(node, _)| &node.name)
        .count(column("interests_in", "Interests received."), |(_, (it, _))| it.interests_in)
        .count(column("interests_out", "Interests sent."), |(_, (it, _))| it.interests_out)
        .count(column("data_in", "Data received."), |(_, (it, _))| it.data_in)
        .count(column("data_out", "Data sent."), |(_, (it, _))| it.data_out)
        .count(column("nacks_in", "NACKs received."), |(_, (it, _))| it.nacks_in)
        .count(column("nacks_out", "NACKs sent."), |(_, (it, _))| it.nacks_out)
        .count(
            column("content_store_hits", "Interests that the content store answered."),
            |(_, (it, _))| it.content_store_hits,
        )
        .count(
            column(
                "content_store_misses",
                "Interests that were looked up in the content store and not answered by it.",
            ),
            |(_, (it, _))| it.content_store_misses,
        )
        .count(
            column("aggregated", "Interests that joined a pending one of another face."),
            |(_, (it, _))| it.aggregated,
        )
        .count(
            column("suppressed", "Interests not forwarded because the answer was already pending."),
            |(_, (it, _))| it.suppressed,
        )
        .count(column("loops", "Interests that looped."), |(_, (it, _))| it.loops)
        .count(
            column("hop_limit_exceeded", "Interests whose hop limit was reached."),
            |(_, (it, _))| it.hop_limit_exceeded,
        )
        .count(
            column("unsolicited", "Data for which no Interest was pending.")
                .title("unsolicited Data"),
            |(_, (it, _))| it.unsolicited,
        )
        .count(
            column("expired", "Pending Interests that expired without an answer."),
            |(_, (it, _))| it.expired,
        )
        .count(column("fragments_in", "Fragments received."), |(_, (_, (it, _)))| it.fragments_in)
        .count(column("fragments_out", "Fragments sent."), |(_, (_, (it, _)))| it.fragments_out)
        .count(
            column("reassembled", "Packets put together from fragments."),
            |(_, (_, (it, _)))| it.reassembled,
        )
        .count(
            column(
                "reassembly_timeouts",
                "Packets given up because a fragment did not arrive in time.",
            ),
            |(_, (_, (it, _)))| it.reassembly_timeouts,
        )
        .count(
            column(
                "processing_drops",
                "Packets dropped because they found no room before the forwarder.",
            )
            .title("dropped before the forwarder"),
            |(_, (_, (_, it)))| *it,
        )
        .table()
}

/// Samples of the forwarders of nodes.
pub(super) fn series(plan: &Plan, rows: &[NodeSample]) -> Table {
    Columns::of(
        "node_series",
        "Samples of the forwarder of each node, of NDN or CCNx, for each interval of the \
         recording; with `recording.nodes`.",
        rows,
    )
    .text(NODE, |it| &plan.nodes[it.node as usize].name)
    .number(TIME_S, |it| it.time_s)
    .count(column("pit_entries", "Interests that are pending."), |it| it.pit_entries)
    .count(column("content_store_entries", "Data packets in the content store."), |it| {
        it.content_store_entries
    })
    .count(
        column("content_store_hits", "Interests that the content store answered in the interval."),
        |it| it.content_store_hits,
    )
    .count(
        column(
            "content_store_misses",
            "Interests that were looked up in the content store in the interval and not \
             answered by it.",
        ),
        |it| it.content_store_misses,
    )
    .table()
}
