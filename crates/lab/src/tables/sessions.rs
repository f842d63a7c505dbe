//! Sessions whose state is paged: what they counted, and where their pages were.

use windtunnel_engine::Duration;
use windtunnel_tables::{Columns, Table, column, mean};
use windtunnel_world::{Plan, SessionNode, SessionStage, SessionTotals, World};

use super::shared::{NODE, SESSIONS};

/// The tables of sessions.
pub(super) fn totals(plan: &Plan, world: &World) -> [Table; 3] {
    let totals: Vec<SessionTotals> = world.sessions().collect();
    let names = plan.sessions.iter().map(|it| it.name.as_str());
    let all: Vec<(&str, &SessionTotals)> = names.zip(&totals).collect();
    [counted(&all), stages(&all), nodes(plan, &all)]
}

fn counted(all: &[(&str, &SessionTotals)]) -> Table {
    let latencies = |it: &SessionTotals| {
        let mut all = it.latencies.clone();
        all.sort_unstable();
        all
    };
    let rows: Vec<_> = all.iter().map(|(name, it)| (*name, *it, latencies(it))).collect();
    Columns::of("sessions", "What sessions whose state is paged between nodes counted.", &rows)
        .text(SESSIONS, |(name, ..)| name)
        .count(column("started", "Sessions that began."), |(_, it, _)| it.sessions)
        .count(column("handovers", "Handovers to another satellite."), |(_, it, _)| {
            it.counters.handovers
        })
        .count(column("accesses", "Accesses to pages, each once."), |(_, it, _)| it.accesses)
        .count(column("unserved", "Those of them while no node served the user."), |(_, it, _)| {
            it.unserved
        })
        .count(column("creations", "Accesses that created their page."), |(_, it, _)| {
            it.counters.creations
        })
        .count(column("hits", "Accesses to a page at the serving satellite."), |(_, it, _)| {
            it.counters.hits
        })
        .count(column("faults", "Accesses that had their page fetched."), |(_, it, _)| {
            it.counters.faults
        })
        .count(column("waits", "Accesses to a page on its way."), |(_, it, _)| it.counters.waits)
        .count(
            column("remote_accesses", "Accesses to a page that stays elsewhere."),
            |(_, it, _)| it.counters.remote_accesses,
        )
        .count(column("refusals", "Accesses that were refused."), |(_, it, _)| it.counters.refusals)
        .count(
            column("page_transfers", "Pages moved, one for each page however far."),
            |(_, it, _)| it.counters.page_transfers,
        )
        .count(column("page_hops", "Stages that moved pages crossed, in total."), |(_, it, _)| {
            it.counters.page_hops
        })
        .count(column("copies", "Pages written through to copies."), |(_, it, _)| {
            it.counters.copies
        })
        .count(column("requests", "Request messages."), |(_, it, _)| it.counters.requests)
        .count(column("request_bytes", "Their size."), |(_, it, _)| it.counters.request_bytes)
        .count(
            column(
                "page_bytes",
                "Pages sent, by their size: moved, copied, or answers to remote accesses.",
            ),
            |(_, it, _)| it.counters.page_bytes,
        )
        .count(
            column("page_table_bytes", "Page tables sent at handovers, by their size."),
            |(_, it, _)| it.counters.page_table_bytes,
        )
        .count(column("lost", "Pages lost to failures."), |(_, it, _)| it.counters.lost)
        .count(column("dropped", "Pages that existed when their session ended."), |(_, it, _)| {
            it.counters.dropped
        })
        .count(column("delayed", "Accesses that had to wait."), |(.., latencies)| {
            latencies.len() as u64
        })
        .number(column("latency_s", "The mean time that they waited."), |(.., it)| {
            mean(sum(it), it.len() as u64)
        })
        .number(column("latency_p99_s", "The 99th percentile of that time."), |(.., it)| {
            quantile(it, 0.99)
        })
        .number(column("latency_maximum_s", "The greatest such time."), |(.., it)| {
            it.last().map(|it| it.as_seconds())
        })
        .number(
            column(
                "access_latency_s",
                "The mean latency of all accesses that were done, with those that did not wait.",
            ),
            |(_, of, it)| mean(sum(it), of.accesses - of.unfinished),
        )
        .number(
            column("access_latency_p99_s", "The 99th percentile of that latency."),
            |(_, of, it)| quantile_of_all(it, of.accesses - of.unfinished, 0.99),
        )
        .count(
            column(
                "unfinished",
                "Accesses that were not done when their session or the run ended.",
            ),
            |(_, it, _)| it.unfinished,
        )
        .table()
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

fn stages(all: &[(&str, &SessionTotals)]) -> Table {
    let of = |(name, totals): &(_, &'_ _)| -> Vec<(_, SessionStage)> {
        let totals: &SessionTotals = totals;
        totals.stages.iter().map(|it| (*name, *it)).collect()
    };
    let rows: Vec<(&str, SessionStage)> = all.iter().flat_map(of).collect();
    Columns::of(
        "session_stages",
        "Where the pages of sessions were at the end of each stage.",
        &rows,
    )
    .text(SESSIONS, |(name, _)| name)
    .count(
        column("stage", "The stage at whose end they were there, from 0 on.").unit(""),
        |(_, it)| it.stage as u64,
    )
    .count(column("held_since", "The stage whose node holds them.").unit(""), |(_, it)| {
        it.held_since as u64
    })
    .count(column("pages", "How many pages, of all sessions."), |(_, it)| it.pages)
    .table()
}

fn nodes(plan: &Plan, all: &[(&str, &SessionTotals)]) -> Table {
    type Row<'a> = (&'a str, &'a str, SessionNode, u64);
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (name, totals) in all {
        let node = |node: &usize| plan.nodes[*node].name.as_str();
        let of = totals.nodes.iter().map(|(it, counted)| (node(it), *counted));
        rows.extend(of.map(|(node, counted)| (*name, node, counted, totals.samples)));
    }
    let sampled = |sum: u64, samples: u64| (samples > 0).then(|| sum as f64 / samples as f64);
    Columns::of("session_nodes", "What each node held of the state of sessions.", &rows)
        .text(SESSIONS, |(name, ..)| name)
        .text(NODE, |(_, node, ..)| node)
        .count(column("accesses", "Accesses while it served."), |(.., it, _)| it.accesses)
        .number(
            column("pages", "The mean number of pages and copies that it held."),
            |(.., it, samples)| sampled(it.pages, *samples),
        )
        .count(column("maximum_pages", "The greatest number of them."), |(.., it, _)| {
            it.maximum_pages
        })
        .number(
            column("only_copies", "The mean number of pages of which no other node had a copy."),
            |(.., it, samples)| sampled(it.only_copies, *samples),
        )
        .count(column("maximum_only_copies", "The greatest number of them."), |(.., it, _)| {
            it.maximum_only_copies
        })
        .table()
}
