//! Sessions whose state is paged: what they counted, and where their pages were.

use arrow_array::RecordBatch;
use windtunnel_engine::Duration;
use windtunnel_world::{Plan, SessionNode, SessionStage, SessionTotals, World};

use super::columns::{Columns, mean};

/// The tables of sessions.
#[derive(Clone, Debug)]
pub(super) struct Sessions {
    pub(super) totals: RecordBatch,
    pub(super) stages: RecordBatch,
    pub(super) nodes: RecordBatch,
}

impl Sessions {
    pub(super) fn of(plan: &Plan, world: &World) -> Self {
        let totals: Vec<SessionTotals> = world.sessions().collect();
        let names = || plan.sessions.iter().map(|it| it.name.as_str());
        let all: Vec<(&str, &SessionTotals)> = names().zip(&totals).collect();
        Self { totals: counted(&all), stages: stages(&all), nodes: nodes(plan, &all) }
    }
}

fn counted(all: &[(&str, &SessionTotals)]) -> RecordBatch {
    let latencies = |it: &SessionTotals| {
        let mut all = it.latencies.clone();
        all.sort_unstable();
        all
    };
    let rows: Vec<_> = all.iter().map(|(name, it)| (*name, *it, latencies(it))).collect();
    Columns::of(&rows)
        .text("sessions", |(name, ..)| name)
        .count("started", |(_, it, _)| it.sessions)
        .count("handovers", |(_, it, _)| it.counters.handovers)
        .count("accesses", |(_, it, _)| it.accesses)
        .count("unserved", |(_, it, _)| it.unserved)
        .count("creations", |(_, it, _)| it.counters.creations)
        .count("hits", |(_, it, _)| it.counters.hits)
        .count("faults", |(_, it, _)| it.counters.faults)
        .count("waits", |(_, it, _)| it.counters.waits)
        .count("remote_accesses", |(_, it, _)| it.counters.remote_accesses)
        .count("refusals", |(_, it, _)| it.counters.refusals)
        .count("page_transfers", |(_, it, _)| it.counters.page_transfers)
        .count("page_hops", |(_, it, _)| it.counters.page_hops)
        .count("copies", |(_, it, _)| it.counters.copies)
        .count("requests", |(_, it, _)| it.counters.requests)
        .count("request_bytes", |(_, it, _)| it.counters.request_bytes)
        .count("page_bytes", |(_, it, _)| it.counters.page_bytes)
        .count("page_table_bytes", |(_, it, _)| it.counters.page_table_bytes)
        .count("lost", |(_, it, _)| it.counters.lost)
        .count("dropped", |(_, it, _)| it.counters.dropped)
        .count("delayed", |(.., latencies)| latencies.len() as u64)
        .number("latency_s", |(.., it)| mean(sum(it), it.len() as u64))
        .number("latency_p99_s", |(.., it)| quantile(it, 0.99))
        .number("latency_maximum_s", |(.., it)| it.last().map(|it| it.as_seconds()))
        .number("access_latency_s", |(_, of, it)| mean(sum(it), of.accesses - of.unfinished))
        .number("access_latency_p99_s", |(_, of, it)| {
            quantile_of_all(it, of.accesses - of.unfinished, 0.99)
        })
        .count("unfinished", |(_, it, _)| it.unfinished)
        .batch()
}

fn sum(latencies: &[Duration]) -> Duration {
    latencies.iter().copied().fold(Duration::ZERO, |sum, it| sum + it)
}

/// The same of all accesses that were done: those without a latency took no time.
fn quantile_of_all(sorted: &[Duration], accesses: u64, share: f64) -> Option<f64> {
    let place = ((share * accesses as f64).ceil() as usize).max(1);
    let at_once = accesses as usize - sorted.len();
    match place.checked_sub(at_once + 1) {
        Some(place) => sorted.get(place).map(|it| it.as_seconds()),
        None => Some(0.0),
    }
}

/// The least of sorted times below or at which that share of them is, in seconds.
fn quantile(sorted: &[Duration], share: f64) -> Option<f64> {
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.saturating_sub(1)).map(|it| it.as_seconds())
}

fn stages(all: &[(&str, &SessionTotals)]) -> RecordBatch {
    let of = |(name, totals): &(_, &'_ _)| -> Vec<(_, SessionStage)> {
        let totals: &SessionTotals = totals;
        totals.stages.iter().map(|it| (*name, *it)).collect()
    };
    let rows: Vec<(&str, SessionStage)> = all.iter().flat_map(of).collect();
    Columns::of(&rows)
        .text("sessions", |(name, _)| name)
        .count("stage", |(_, it)| it.stage as u64)
        .count("held_since", |(_, it)| it.held_since as u64)
        .count("pages", |(_, it)| it.pages)
        .batch()
}

fn nodes(plan: &Plan, all: &[(&str, &SessionTotals)]) -> RecordBatch {
    type Row<'a> = (&'a str, &'a str, SessionNode, u64);
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (name, totals) in all {
        let node = |node: &usize| plan.nodes[*node].name.as_str();
        let of = totals.nodes.iter().map(|(it, counted)| (node(it), *counted));
        rows.extend(of.map(|(node, counted)| (*name, node, counted, totals.samples)));
    }
    let sampled = |sum: u64, samples: u64| (samples > 0).then(|| sum as f64 / samples as f64);
    Columns::of(&rows)
        .text("sessions", |(name, ..)| name)
        .text("node", |(_, node, ..)| node)
        .count("accesses", |(.., it, _)| it.accesses)
        .number("pages", |(.., it, samples)| sampled(it.pages, *samples))
        .count("maximum_pages", |(.., it, _)| it.maximum_pages)
        .number("only_copies", |(.., it, samples)| sampled(it.only_copies, *samples))
        .count("maximum_only_copies", |(.., it, _)| it.maximum_only_copies)
        .batch()
}
