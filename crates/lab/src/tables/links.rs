//! What crossed each direction of a link.

use arrow_array::RecordBatch;
use windtunnel_engine::{Duration, Time};
use windtunnel_world::{LinkPlan, Plan, PortSample, World};

use super::columns::{Columns, mean};

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

pub(super) fn totals(plan: &Plan, world: &World, end: Time) -> RecordBatch {
    let seconds = end.as_seconds();
    let shaped = directions(plan).into_iter().zip(world.shaped_rates());
    let rows: Vec<_> = shaped.zip(world.ports(end)).collect();
    let mut airtimes = vec![Duration::ZERO; plan.media()];
    for ((direction, _), (_, busy)) in &rows {
        direction.link.medium.into_iter().for_each(|it| airtimes[it] += *busy);
    }
    Columns::of(&rows)
        .text("link", |((direction, _), _)| &direction.link.name)
        .text("from", |((direction, _), _)| direction.from)
        .text("to", |((direction, _), _)| direction.to)
        .number("utilisation", |(_, (_, busy))| busy.as_seconds() / seconds)
        .number("medium_utilisation", |((direction, _), _)| {
            direction.link.medium.map(|it| airtimes[it].as_seconds() / seconds)
        })
        .number("shaped_rate_bps", |((_, rate), _)| rate.map(|it| it.bits_per_second() as f64))
        .number("throughput_bps", |(_, (it, _))| it.delivered_bytes as f64 * 8.0 / seconds)
        .count("offered", |(_, (it, _))| it.offered)
        .count("delivered", |(_, (it, _))| it.delivered)
        .count("delivered_bytes", |(_, (it, _))| it.delivered_bytes)
        .count("overlimit_drops", |(_, (it, _))| it.overlimit_drops)
        .count("discipline_drops", |(_, (it, _))| it.discipline_drops)
        .count("losses", |(_, (it, _))| it.losses)
        .count("in_transit", |(_, (it, _))| it.offered - it.delivered - it.dropped())
        .count("marks", |(_, (it, _))| it.marks)
        .count("some_congestion_marks", |(_, (it, _))| it.some_congestion_marks)
        .number("sojourn_s", |(_, (it, _))| mean(it.sojourn_sum, it.sent))
        // Little's law: the mean queue length is the arrival rate times the mean sojourn time.
        .number("queue_packets", |(_, (it, _))| it.sojourn_sum.as_seconds() / seconds)
        .count("maximum_queue_packets", |(_, (it, _))| u64::from(it.maximum_backlog.packets))
        .count("maximum_queue_bytes", |(_, (it, _))| it.maximum_backlog.bytes)
        .batch()
}

/// Samples of directions of links.
pub(crate) fn link_series(plan: &Plan, rows: &[PortSample]) -> RecordBatch {
    let directions = directions(plan);
    let of = |it: &PortSample| directions[it.port.index()];
    Columns::of(rows)
        .text("link", |it| &of(it).link.name)
        .text("from", |it| of(it).from)
        .text("to", |it| of(it).to)
        .number("time_s", |it| it.time_s)
        .number("utilisation", |it| it.utilisation)
        .number("throughput_bps", |it| it.throughput_bps)
        .count("queue_packets", |it| u64::from(it.queue_packets))
        .count("queue_bytes", |it| it.queue_bytes)
        .number("sojourn_s", |it| it.sojourn_s)
        .count("overlimit_drops", |it| it.overlimit_drops)
        .count("discipline_drops", |it| it.discipline_drops)
        .count("losses", |it| it.losses)
        .count("marks", |it| it.marks)
        .count("some_congestion_marks", |it| it.some_congestion_marks)
        .batch()
}
