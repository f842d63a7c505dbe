//! The results as Arrow tables: columns have their units in their names, rows are in the
//! order of cases, runs and the scenario file.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use windtunnel_engine::{Duration, Stop, Time};
use windtunnel_scenario::Study;
use windtunnel_world::{LinkPlan, NodeSample, Plan, PortSample, World};

mod autonomous_systems;
mod bridges;
mod channels;
mod flows;
mod names;
mod packets;
mod players;
mod regions;
mod sessions;
mod sky;
mod subflows;
mod tunnels;

pub(crate) use channels::channel_series;
pub(crate) use flows::flow_series;
pub(crate) use packets::{flow as flow_name, packet_events, place as place_name};
pub(crate) use players::playback_series;
pub use sky::positions;
pub(crate) use sky::route_series;
pub(crate) use subflows::subflow_series;

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

/// The columns of all tables: no axis of a comparison may have one of these names.
pub const COLUMNS: &[&str] = &[
    "run",
    "stop",
    "duration_s",
    "events",
    "packet_hops",
    "flow",
    "protocol",
    "node",
    "peer",
    "prefix",
    "flow_controller",
    "goodput_bps",
    "active_s",
    "received_bps",
    "received_bytes",
    "data",
    "interests",
    "segments",
    "datagrams",
    "connections",
    "transfers",
    "unfinished_transfers",
    "retransmissions",
    "timeouts",
    "marks",
    "some_congestion_marks",
    "nacks",
    "decreases",
    "decreases_undone",
    "probes",
    "duplicates",
    "reordered",
    "in_flight",
    "rtt_s",
    "delay_s",
    "last_delay_s",
    "delay_minimum_s",
    "delay_maximum_s",
    "delay_p50_s",
    "delay_p95_s",
    "delay_p99_s",
    "handshake_s",
    "idle_s",
    "application_limited_s",
    "cwnd_limited_s",
    "pacing_limited_s",
    "host_queue_limited_s",
    "receive_window_limited_s",
    "send_buffer_limited_s",
    "completion_s",
    "gave_up_s",
    "read_throughput_bps",
    "read_goodput_bps",
    "read_interval_s",
    "read_interval_maximum_s",
    "read_interval_variance_s2",
    "jitter_s",
    "number",
    "size_bytes",
    "dscp",
    "start_s",
    "slowdown",
    "link",
    "from",
    "to",
    "utilisation",
    "medium_utilisation",
    "shaped_rate_bps",
    "throughput_bps",
    "offered",
    "delivered",
    "delivered_bytes",
    "overlimit_drops",
    "discipline_drops",
    "losses",
    "in_transit",
    "sojourn_s",
    "queue_packets",
    "maximum_queue_packets",
    "maximum_queue_bytes",
    "interests_in",
    "interests_out",
    "data_in",
    "data_out",
    "nacks_in",
    "nacks_out",
    "content_store_hits",
    "content_store_misses",
    "pit_entries",
    "content_store_entries",
    "aggregated",
    "suppressed",
    "loops",
    "hop_limit_exceeded",
    "unsolicited",
    "expired",
    "fragments_in",
    "fragments_out",
    "reassembled",
    "reassembly_timeouts",
    "processing_drops",
    "time_s",
    "cwnd_segments",
    "ssthresh_segments",
    "smoothed_rtt_s",
    "queue_bytes",
    "x_m",
    "y_m",
    "station",
    "line_of_sight",
    "sinr_db",
    "received_dbm",
    "margin_db",
    "mcs",
    "angle_deg",
    "loss_db",
    "on_curve",
    "term",
    "unit",
    "best",
    "worst",
    "rate_bps",
    "kind",
    "name",
    "width_m",
    "depth_m",
    "bridge",
    "selected_bound",
    "forwarded",
    "selected",
    "cloned",
    "cloned_bytes",
    "acknowledgements",
    "acknowledgement_bytes",
    "acknowledgements_received",
    "acknowledged",
    "unmatched",
    "resent",
    "resent_bytes",
    "received",
    "delayed",
    "delays_expired",
    "delays_overflowed",
    "waiting",
    "maximum_waiting_bytes",
    "tunnel",
    "entered",
    "entered_bytes",
    "left",
    "too_large",
    "handshakes",
    "unmarkable",
    "region",
    "sub_region",
    "code",
    "transit",
    "nodes",
    "borders",
    "prefixes",
    "is_border",
    "entries",
    "flat_entries",
    "region_lookups",
    "address_lookups",
    "tunnel_lookups",
    "sent",
    "sent_as_ip",
    "encapsulated",
    "decapsulated",
    "unreachable",
    "without_agreement",
    "not_accepted",
    "malformed",
    "errors_sent",
    "errors_received",
    "control_messages",
    "control_bytes",
    "root",
    "queries",
    "lookup_s",
    "outcome",
    "converged_s",
    "next",
    "regions_on_path",
    "buffered_packets",
    "maximum_buffered_packets",
    "maximum_buffered_bytes",
    "satellite",
    "end_s",
    "is_cut",
    "propagation_s",
    "return_propagation_s",
    "links",
    "path",
    "sessions",
    "started",
    "handovers",
    "accesses",
    "unserved",
    "creations",
    "hits",
    "faults",
    "waits",
    "remote_accesses",
    "refusals",
    "page_transfers",
    "page_hops",
    "copies",
    "requests",
    "request_bytes",
    "page_bytes",
    "page_table_bytes",
    "lost",
    "dropped",
    "latency_s",
    "latency_p99_s",
    "access_latency_s",
    "access_latency_p99_s",
    "latency_maximum_s",
    "unfinished",
    "stage",
    "held_since",
    "pages",
    "maximum_pages",
    "only_copies",
    "maximum_only_copies",
    "subflow",
    "is_backup",
    "is_established",
    "data_share",
    "sent_bytes",
    "reinjected_bytes",
    "path_switches",
    "estimated_bandwidth_bps",
    "estimated_rtt_s",
    "waiting_bytes",
    "lost",
    "lost_share",
    "player_rule",
    "startup_s",
    "underflows",
    "stalled_s",
    "played_s",
    "frames",
    "discarded_frames",
    "late_frames",
    "video_segments",
    "quality_bps",
    "switches",
    "experience",
    "level",
    "buffer_s",
    "is_playing",
    "autonomous_system",
    "isd_as",
    "is_core",
    "interfaces",
    "beacons",
    "path_segments",
    "beacons_sent",
    "beacon_bytes",
    "beacons_kept",
    "registrations",
    "path_requests",
    "path_requests_sent",
    "forwarded_inside",
    "carried",
    "invalid_mac",
    "invalid_path",
    "interface_down",
    "inside_down",
    "no_path",
    "probes_sent",
    "probes_answered",
    "path_policy",
    "path_links",
    "as_hops",
    "announced_latency_s",
    "announced_bandwidth_bps",
    "mtu_bytes",
    "first_s",
    "last_s",
    "packets",
    "path_bytes",
    "path_links_before",
    "is_forced",
    "connection",
    "at",
    "data_bytes",
    "acknowledgement",
    "is_marked",
    "pacing_rate_bps",
];

/// Builds a table column by column: each column reads its value from every row.
struct Columns<'a, T> {
    rows: &'a [T],
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl<'a, T> Columns<'a, T> {
    fn of(rows: &'a [T]) -> Self {
        Self { rows, fields: Vec::new(), arrays: Vec::new() }
    }

    fn text<'b>(mut self, name: &str, get: impl Fn(&'a T) -> &'b str) -> Self {
        let values = StringArray::from_iter_values(self.rows.iter().map(get));
        self.fields.push(Field::new(name, DataType::Utf8, false));
        self.arrays.push(Arc::new(values));
        self
    }

    /// A number that may be missing; a number that is not finite is missing.
    fn number<N: Into<Option<f64>>>(mut self, name: &str, get: impl Fn(&'a T) -> N) -> Self {
        let finite = |row| get(row).into().filter(|it: &f64| it.is_finite());
        let values: Float64Array = self.rows.iter().map(finite).collect();
        self.fields.push(Field::new(name, DataType::Float64, true));
        self.arrays.push(Arc::new(values));
        self
    }

    fn count(mut self, name: &str, get: impl Fn(&'a T) -> u64) -> Self {
        let values = UInt64Array::from_iter_values(self.rows.iter().map(get));
        self.fields.push(Field::new(name, DataType::UInt64, false));
        self.arrays.push(Arc::new(values));
        self
    }

    /// A text that may be missing.
    fn text_if_any<'b>(mut self, name: &str, get: impl Fn(&'a T) -> Option<&'b str>) -> Self {
        let values: StringArray = self.rows.iter().map(get).collect();
        self.fields.push(Field::new(name, DataType::Utf8, true));
        self.arrays.push(Arc::new(values));
        self
    }

    /// A count that may be missing.
    fn count_if_any(mut self, name: &str, get: impl Fn(&'a T) -> Option<u64>) -> Self {
        let values: UInt64Array = self.rows.iter().map(get).collect();
        self.fields.push(Field::new(name, DataType::UInt64, true));
        self.arrays.push(Arc::new(values));
        self
    }

    /// A flag that may be missing.
    fn flag_if_any(mut self, name: &str, get: impl Fn(&'a T) -> Option<bool>) -> Self {
        let values: BooleanArray = self.rows.iter().map(get).collect();
        self.fields.push(Field::new(name, DataType::Boolean, true));
        self.arrays.push(Arc::new(values));
        self
    }

    fn batch(self) -> RecordBatch {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays)
            .expect("every column has a value for every row")
    }
}

fn mean(sum: Duration, count: u64) -> Option<f64> {
    (count > 0).then(|| sum.as_seconds() / count as f64)
}

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
    regions: RecordBatch,
    routers: RecordBatch,
    route_changes: RecordBatch,
    name_lookups: RecordBatch,
    autonomous_systems: RecordBatch,
    as_routers: RecordBatch,
    paths: RecordBatch,
    path_changes: RecordBatch,
    players: RecordBatch,
    video_segments: RecordBatch,
}

impl Measurements {
    /// Reads a world after its run, which reached `end`. `prefixes` are those that the consumers request.
    pub(crate) fn take(plan: &Plan, prefixes: &[String], world: &World, end: Time) -> Self {
        Self {
            flows: flows::totals(plan, prefixes, world, end),
            subflows: subflows::totals(plan, world, end),
            transfers: flows::transfers(plan, world),
            links: links(plan, world, end),
            nodes: nodes(plan, world),
            maps: channels::maps(plan),
            link_budgets: channels::budgets(plan),
            antennas: channels::antennas(plan),
            contacts: sky::contacts(plan),
            sessions: sessions::Sessions::of(plan, world),
            bridges: bridges::totals(plan, world),
            tunnels: tunnels::totals(plan, world),
            regions: regions::regions(plan, world),
            routers: regions::totals(plan, world),
            route_changes: regions::changes(plan, world),
            name_lookups: names::lookups(plan, world),
            autonomous_systems: autonomous_systems::systems(plan, world),
            as_routers: autonomous_systems::routers(plan, world),
            paths: autonomous_systems::paths(plan, world),
            path_changes: autonomous_systems::changes(plan, world),
            players: players::totals(plan, world, end),
            video_segments: players::segments(plan, world),
        }
    }
}

/// A direction of a link: its link, and the names of its source and destination nodes.
#[derive(Clone, Copy)]
struct Direction<'a> {
    link: &'a LinkPlan,
    from: &'a str,
    to: &'a str,
}

fn directions(plan: &Plan) -> Vec<Direction<'_>> {
    let name = |node: usize| plan.nodes[node].name.as_str();
    let mut directions = Vec::with_capacity(2 * plan.links.len());
    for link in &plan.links {
        let [first, second] = link.nodes.map(name);
        directions.push(Direction { link, from: first, to: second });
        directions.push(Direction { link, from: second, to: first });
    }
    directions
}

fn links(plan: &Plan, world: &World, end: Time) -> RecordBatch {
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

fn nodes(plan: &Plan, world: &World) -> RecordBatch {
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
/// `nodes`, `bridges`, `tunnels`, `regions`, `routers`, `route_changes`,
/// `name_lookups`, `autonomous_systems`, `as_routers`, `paths`, `path_changes`, `maps`, `link_budgets`, `antennas`, `contacts`,
/// `sessions`, `session_stages`, `session_nodes`, `players`, `video_segments`, and unless they are
/// in files `flow_series`, `link_series`, `channel_series`, `route_series`, `subflow_series`,
/// `playback_series`, `packet_events` and `node_series`. Each starts with a column for every axis
/// of the comparison and the run's number. Without runs there are no tables.
#[must_use]
pub fn all(study: &Study, runs: &[Run]) -> Vec<(&'static str, RecordBatch)> {
    type Part = fn(&Run) -> RecordBatch;
    let parts: [(&'static str, Part); 25] = [
        ("runs", run_table),
        ("flows", |run| run.measurements.flows.clone()),
        ("subflows", |run| run.measurements.subflows.clone()),
        ("transfers", |run| run.measurements.transfers.clone()),
        ("links", |run| run.measurements.links.clone()),
        ("nodes", |run| run.measurements.nodes.clone()),
        ("bridges", |run| run.measurements.bridges.clone()),
        ("tunnels", |run| run.measurements.tunnels.clone()),
        ("regions", |run| run.measurements.regions.clone()),
        ("routers", |run| run.measurements.routers.clone()),
        ("route_changes", |run| run.measurements.route_changes.clone()),
        ("name_lookups", |run| run.measurements.name_lookups.clone()),
        ("autonomous_systems", |run| run.measurements.autonomous_systems.clone()),
        ("as_routers", |run| run.measurements.as_routers.clone()),
        ("paths", |run| run.measurements.paths.clone()),
        ("path_changes", |run| run.measurements.path_changes.clone()),
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
        |run: &Run, part: Part| Labels::new(study, run.case, run.number).before(&part(run));
    let totals =
        parts.into_iter().map(|(name, part)| (name, joined(runs, |it| labelled(it, part))));
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

/// The columns of a run's case and number, which precede those of each of its tables.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    /// The axes of the comparison, each with the case's name there.
    case: Vec<(String, String)>,
    number: u32,
}

impl Labels {
    pub(crate) fn new(study: &Study, case: usize, number: u32) -> Self {
        let names = &study.cases[case].names;
        Self { case: study.axes.iter().cloned().zip(names.iter().cloned()).collect(), number }
    }

    /// A table with these columns before its own.
    pub(crate) fn before(&self, table: &RecordBatch) -> RecordBatch {
        let rows = vec![(); table.num_rows()];
        let mut labels = Columns::of(&rows);
        for (axis, case) in &self.case {
            labels = labels.text(axis, |()| case.as_str());
        }
        let mut labels = labels.count("run", |()| u64::from(self.number));
        labels.fields.extend(table.schema().fields().iter().map(|it| it.as_ref().clone()));
        labels.arrays.extend(table.columns().iter().cloned());
        labels.batch()
    }

    /// A table of another case of the study, with these columns in place of its own.
    pub(crate) fn in_place(&self, table: &RecordBatch) -> RecordBatch {
        let own: Vec<usize> = (self.case.len() + 1..table.num_columns()).collect();
        self.before(&table.project(&own).expect("the columns exist"))
    }
}
