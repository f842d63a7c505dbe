//! What crossed each direction of a link.

use windtunnel_engine::{Duration, Time};
use windtunnel_tables::{Columns, Table, column, mean};
use windtunnel_world::{LinkPlan, Plan, PortSample, World};

use super::shared::{
    DISCIPLINE_DROPS, FROM, LINK, LOSSES, OVERLIMIT_DROPS, SOJOURN_S, SOME_CONGESTION_MARKS,
    TIME_S, TO,
};

/// A direction of a link: its link, and the names of its source and destination nodes.
#[derive(Clone, Copy)]
pub(super) struct Direction<'a> {
    pub(super) link: &'a LinkPlan,
    pub(super) from: &'a str,
    pub(super) to: &'a str,
}

pub(super) fn directions(plan: &Plan) -> Vec<Direction<'_>> {
    let name = |node: usize| plan.nodes[node].name.as_str();
    let mut directions = Vec::with_capacity(2 * plan.links.len());
    for link in &plan.links {
        let [first, second] = link.nodes.map(name);
        directions.push(Direction { link, from: first, to: second });
        directions.push(Direction { link, from: second, to: first });
    }
    directions
}

pub(super) fn totals(plan: &Plan, world: &World, end: Time) -> Table {
    let seconds = end.as_seconds();
    let shaped = directions(plan).into_iter().zip(world.shaped_rates());
    let rows: Vec<_> = shaped.zip(world.ports(end)).collect();
    let mut airtimes = vec![Duration::ZERO; plan.media()];
    for ((direction, _), (_, busy)) in &rows {
        direction.link.medium.into_iter().for_each(|it| airtimes[it] += *busy);
    }
    Columns::of("links", "What each direction of each link measured over the whole run.", &rows)
        .text(LINK, |((direction, _), _)| &direction.link.name)
        .text(FROM, |((direction, _), _)| direction.from)
        .text(TO, |((direction, _), _)| direction.to)
        .number(
            column(
                "utilisation",
                "The share of the time in which the link was sending in that direction.",
            )
            .unit("share")
            .more_is_better(),
            |(_, (_, busy))| busy.as_seconds() / seconds,
        )
        .number(
            column(
                "medium_utilisation",
                "The share of the time in which anybody was sending on the shared medium; empty \
                 for other links.",
            )
            .title("utilisation of the shared medium")
            .unit("share"),
            |((direction, _), _)| {
                direction.link.medium.map(|it| airtimes[it].as_seconds() / seconds)
            },
        )
        .number(
            column(
                "shaped_rate_bps",
                "The rate at which the queue lets packets leave at the most, if it shapes, at the \
                 end of the run; empty for other queues.",
            ),
            |((_, rate), _)| rate.map(|it| it.bits_per_second() as f64),
        )
        .number(
            column("throughput_bps", "What arrived at the other end, all headers included."),
            |(_, (it, _))| it.delivered_bytes as f64 * 8.0 / seconds,
        )
        .count(column("offered", "Packets given to the queue or the link."), |(_, (it, _))| {
            it.offered
        })
        .count(
            column("delivered", "Packets that arrived at the other end.")
                .title("packets delivered"),
            |(_, (it, _))| it.delivered,
        )
        .count(
            column("delivered_bytes", "What arrived at the other end, all headers included."),
            |(_, (it, _))| it.delivered_bytes,
        )
        .count(OVERLIMIT_DROPS, |(_, (it, _))| it.overlimit_drops)
        .count(DISCIPLINE_DROPS, |(_, (it, _))| it.discipline_drops)
        .count(LOSSES, |(_, (it, _))| it.losses)
        .count(
            column("in_transit", "Packets in the queue or on the link at the end of the run."),
            |(_, (it, _))| it.in_transit(),
        )
        .count(column("duplicates", "Packets that arrived a second time."), |(_, (it, _))| {
            it.duplicates
        })
        .count(
            column(
                "corrupted",
                "Packets of which a byte was changed on the link; those that have no bytes in a \
                 simulation are then lost, and counted there as well.",
            ),
            |(_, (it, _))| it.corrupted,
        )
        .count(column("marks", "Packets that the queue discipline marked."), |(_, (it, _))| {
            it.marks
        })
        .count(SOME_CONGESTION_MARKS, |(_, (it, _))| it.some_congestion_marks)
        .number(SOJOURN_S, |(_, (it, _))| mean(it.sojourn_sum, it.sent))
        // Little's law: the mean queue length is the arrival rate times the mean sojourn time.
        .number(
            column("queue_packets", "The mean number of packets in the queue over the run.")
                .title("mean queue"),
            |(_, (it, _))| it.sojourn_sum.as_seconds() / seconds,
        )
        .count(
            column("maximum_queue_packets", "The greatest number of packets in the queue.")
                .title("longest queue"),
            |(_, (it, _))| u64::from(it.maximum_backlog.packets),
        )
        .count(
            column("maximum_queue_bytes", "The greatest size of the queue, all headers included."),
            |(_, (it, _))| it.maximum_backlog.bytes,
        )
        .table()
}

/// Samples of directions of links.
pub(super) fn series(plan: &Plan, rows: &[PortSample]) -> Table {
    let directions = directions(plan);
    let of = |it: &PortSample| directions[it.port.index()];
    Columns::of(
        "link_series",
        "Samples of each direction of each link, for each interval of the recording.",
        rows,
    )
    .text(LINK, |it| &of(it).link.name)
    .text(FROM, |it| of(it).from)
    .text(TO, |it| of(it).to)
    .number(TIME_S, |it| it.time_s)
    .number(
        column("utilisation", "The share of the interval in which the link was sending.")
            .unit("share")
            .more_is_better(),
        |it| it.utilisation,
    )
    .number(
        column(
            "throughput_bps",
            "What arrived at the other end in the interval, all headers included.",
        ),
        |it| it.throughput_bps,
    )
    .count(
        column("queue_packets", "Packets in the queue at the end of the interval.")
            .title("mean queue"),
        |it| u64::from(it.queue_packets),
    )
    .count(
        column(
            "queue_bytes",
            "The size of the queue at the end of the interval, all headers included.",
        ),
        |it| it.queue_bytes,
    )
    .number(SOJOURN_S, |it| it.sojourn_s)
    .count(OVERLIMIT_DROPS, |it| it.overlimit_drops)
    .count(DISCIPLINE_DROPS, |it| it.discipline_drops)
    .count(LOSSES, |it| it.losses)
    .count(column("marks", "Packets that the queue discipline marked."), |it| it.marks)
    .count(SOME_CONGESTION_MARKS, |it| it.some_congestion_marks)
    .table()
}
