//! Finished runs, and their tables.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use windtunnel_engine::{Duration, Stop, Time};
use windtunnel_scenario::{LayerKind, Study};
use windtunnel_world::{Plan, World};

use super::columns::Columns;
use super::labels::Labels;
use super::{bridges, channels, flows, links, nodes, players, sessions, sky, subflows, tunnels};

/// The names of the tables of series.
pub(crate) const SERIES: [&str; 8] = [
    "flow_series",
    "link_series",
    "channel_series",
    "route_series",
    "subflow_series",
    "playback_series",
    "packet_events",
    "node_series",
];

/// One finished run.
#[derive(Debug)]
pub struct Run {
    /// Which case of the study.
    pub case: usize,
    /// Which replication of it.
    pub number: u32,
    /// Why it ended.
    pub stop: Stop,
    /// The events it handled.
    pub events: u64,
    /// The packets that crossed a queue and a link.
    pub packet_hops: u64,
    /// Its processor time.
    pub cpu: std::time::Duration,
    /// The real time that it took to follow nodes that move, and to find paths.
    pub routing: std::time::Duration,
    /// Its real time.
    pub real: std::time::Duration,
    /// How much time was simulated.
    pub simulated: Duration,
    /// What was measured.
    pub measurements: Measurements,
    /// The tables of its series; none if they are in files.
    pub(crate) series: Vec<RecordBatch>,
    /// Whether it is that of an equal case: then nothing was simulated for it, and it took no time.
    pub is_copy: bool,
}

impl Run {
    /// The same run of a case that is equal.
    pub(crate) fn of_equal_case(&self, study: &Study, case: usize) -> Self {
        let labels = Labels::new(study, case, self.number);
        Self {
            case,
            measurements: self.measurements.clone(),
            series: self.series.iter().map(|it| labels.in_place(it)).collect(),
            cpu: std::time::Duration::ZERO,
            routing: std::time::Duration::ZERO,
            real: std::time::Duration::ZERO,
            is_copy: true,
            ..*self
        }
    }
}

/// The totals of one run.
#[derive(Clone, Debug)]
pub struct Measurements {
    flows: RecordBatch,
    subflows: RecordBatch,
    transfers: RecordBatch,
    links: RecordBatch,
    nodes: RecordBatch,
    maps: RecordBatch,
    link_budgets: RecordBatch,
    antennas: RecordBatch,
    contacts: RecordBatch,
    sessions: sessions::Sessions,
    bridges: RecordBatch,
    tunnels: RecordBatch,
    /// Those of network layers beside IP and NDN, by name.
    layers: Vec<(&'static str, RecordBatch)>,
    players: RecordBatch,
    video_segments: RecordBatch,
}

impl Measurements {
    /// Reads a world after its run, which reached `end`. `prefixes` are those that the consumers request.
    pub(crate) fn take(
        plan: &Plan,
        prefixes: &[String],
        layers: &[Arc<dyn LayerKind>],
        world: &World,
        end: Time,
    ) -> Self {
        Self {
            flows: flows::totals(plan, prefixes, world, end),
            subflows: subflows::totals(plan, world, end),
            transfers: flows::transfers(plan, world),
            links: links::totals(plan, world, end),
            nodes: nodes::totals(plan, world),
            maps: channels::maps(plan),
            link_budgets: channels::budgets(plan),
            antennas: channels::antennas(plan),
            contacts: sky::contacts(plan),
            sessions: sessions::Sessions::of(plan, world),
            bridges: bridges::totals(plan, world),
            tunnels: tunnels::totals(plan, world),
            layers: layers.iter().flat_map(|it| it.tables(plan, world)).collect(),
            players: players::totals(plan, world, end),
            video_segments: players::segments(plan, world),
        }
    }
}

fn run_table(run: &Run) -> RecordBatch {
    Columns::of(std::slice::from_ref(run))
        .text("stop", |run| match run.stop {
            Stop::Finished => "finished",
            Stop::Cancelled => "cancelled",
            Stop::OutOfRealTime => "out of real time",
        })
        .number("duration_s", |run| run.simulated.as_seconds())
        .count("events", |run| run.events)
        .count("packet_hops", |run| run.packet_hops)
        .batch()
}

/// All tables of the given runs, by name: `runs`, `flows`, `subflows`, `transfers`, `links`,
/// `nodes`, `bridges`, `tunnels`, those of network layers, `maps`, `link_budgets`, `antennas`,
/// `contacts`, `sessions`, `session_stages`, `session_nodes`, `players`, `video_segments`, and unless they are
/// in files `flow_series`, `link_series`, `channel_series`, `route_series`, `subflow_series`,
/// `playback_series`, `packet_events` and `node_series`. Each starts with a column for every axis
/// of the comparison and the run's number. Without runs there are no tables.
#[must_use]
pub fn all(study: &Study, runs: &[Run]) -> Vec<(&'static str, RecordBatch)> {
    type Part = fn(&Run) -> RecordBatch;
    let network: [(&'static str, Part); 8] = [
        ("runs", run_table),
        ("flows", |run| run.measurements.flows.clone()),
        ("subflows", |run| run.measurements.subflows.clone()),
        ("transfers", |run| run.measurements.transfers.clone()),
        ("links", |run| run.measurements.links.clone()),
        ("nodes", |run| run.measurements.nodes.clone()),
        ("bridges", |run| run.measurements.bridges.clone()),
        ("tunnels", |run| run.measurements.tunnels.clone()),
    ];
    let others: [(&'static str, Part); 9] = [
        ("maps", |run| run.measurements.maps.clone()),
        ("link_budgets", |run| run.measurements.link_budgets.clone()),
        ("antennas", |run| run.measurements.antennas.clone()),
        ("contacts", |run| run.measurements.contacts.clone()),
        ("sessions", |run| run.measurements.sessions.totals.clone()),
        ("session_stages", |run| run.measurements.sessions.stages.clone()),
        ("session_nodes", |run| run.measurements.sessions.nodes.clone()),
        ("players", |run| run.measurements.players.clone()),
        ("video_segments", |run| run.measurements.video_segments.clone()),
    ];
    if runs.is_empty() {
        return Vec::new();
    }
    let labelled =
        |run: &Run, table: &RecordBatch| Labels::new(study, run.case, run.number).before(table);
    let of_part =
        |(name, part): (&'static str, Part)| (name, joined(runs, |it| labelled(it, &part(it))));
    // The same for each run, as all have the layers of the study.
    let layers = runs[0].measurements.layers.iter().enumerate().map(|(place, (name, _))| {
        (*name, joined(runs, |it| labelled(it, &it.measurements.layers[place].1)))
    });
    let totals = network.into_iter().map(of_part).chain(layers);
    let totals = totals.chain(others.into_iter().map(of_part));
    // The same for each run: in memory or in files.
    let series = SERIES.into_iter().enumerate().take(runs[0].series.len());
    let series = series.map(|(place, name)| (name, joined(runs, |it| it.series[place].clone())));
    totals.chain(series).collect()
}

/// The tables of all runs as one.
fn joined(runs: &[Run], table: impl Fn(&Run) -> RecordBatch) -> RecordBatch {
    let tables: Vec<RecordBatch> = runs.iter().map(table).collect();
    concat_batches(&tables[0].schema(), &tables).expect("all runs have the same columns")
}
