//! A finished run.

use arrow_array::RecordBatch;
use windtunnel_engine::{Duration, Stop};
use windtunnel_tables::{Columns, Table, column};

use super::measurements::Measurements;

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
    pub(crate) series: Vec<(&'static str, RecordBatch)>,
    /// Whether it is that of an equal case: then nothing was simulated for it, and it took no time.
    pub is_copy: bool,
}

/// The table of runs.
pub(super) fn totals(runs: &[Run]) -> Table {
    Columns::of("runs", "The runs: a row for each case and replication.", runs)
        .text(
            column("stop", "Why the run ended: `finished`, `cancelled` or `out of real time`."),
            |run| match run.stop {
                Stop::Finished => "finished",
                Stop::Cancelled => "cancelled",
                Stop::OutOfRealTime => "out of real time",
            },
        )
        .number(column("duration_s", "The simulated time."), |run| run.simulated.as_seconds())
        .count(column("events", "The events handled."), |run| run.events)
        .count(
            column("packet_hops", "Packets that crossed a queue and a link, each link counted."),
            |run| run.packet_hops,
        )
        .table()
}
