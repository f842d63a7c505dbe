//! A small valid scenario, and changes to it.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use pcap_file::pcapng::{Block, PcapNgReader};
use windtunnel_lab::{
    Batch, CaptureSettings, Directions, Processors, ScenarioError, Study, tables,
};

pub(crate) const FILE: &str = "folder/scenario.toml";

pub(crate) const VALID: &str = r#"title = "Two links"
duration = "2 s"
seed = 7
nodes = { a = {}, b = {}, c = {} }
[links]
first = { nodes = ["a", "b"], rate = "10 Mbps", delay = "1 ms" }
second = { nodes = ["b", "c"], rate = "5 Mbps", delay = "2 ms", loss = { probability = "1 %" } }
[defaults.link]
queue = { kind = "codel", limit = "50 packets" }
[producers.video]
node = "c"
prefix = "/video"
[consumers.viewer]
node = "a"
prefix = "/video"
controller = "cubic"
[routing]
metric = "hops"
"#;

/// The valid scenario with one thing in another's place.
pub(crate) fn changed(old: &str, new: &str) -> String {
    assert_eq!(VALID.matches(old).count(), 1, "{old} stands there once");
    VALID.replacen(old, new, 1)
}

/// The valid scenario with more at its end.
pub(crate) fn with(more: &str) -> String {
    format!("{VALID}{more}")
}

pub(crate) fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read(FILE, text, &[])
}

pub(crate) fn set(text: &str, settings: &[(&str, &str)]) -> Result<Study, ScenarioError> {
    let owned = |(path, value): &(&str, &str)| ((*path).to_owned(), (*value).to_owned());
    windtunnel_lab::read(FILE, text, &settings.iter().map(owned).collect::<Vec<_>>())
}

/// A text without its mark `¶`, and the mark's line and column.
#[track_caller]
pub(crate) fn unmarked(marked: &str) -> (String, (usize, usize)) {
    let (before, after) = marked.split_once('¶').expect("the text has a mark");
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|it| *it != '\n').count() + 1;
    (format!("{before}{after}"), (line, column))
}

/// The error of a text, at its mark.
#[track_caller]
pub(crate) fn refused(
    marked: &str,
    read: impl FnOnce(&str) -> Result<Study, ScenarioError>,
) -> ScenarioError {
    let (text, mark) = unmarked(marked);
    let error = read(&text).expect_err("the text is wrong");
    let place = error.place.as_ref().map(|it| (it.line, it.column));
    assert_eq!(place, Some(mark), "{error}");
    error
}

/// What the user sees has all of this in it.
#[track_caller]
pub(crate) fn assert_contains(error: &ScenarioError, expected: &[&str]) {
    let text = error.to_string();
    for part in expected {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

/// A text with each of these changes, whose beginnings stand there once.
#[track_caller]
pub(crate) fn with_changes(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "{old} stands there once");
        text.replacen(old, new, 1)
    })
}

/// All tables of a study's results.
pub(crate) struct Ran(pub(crate) Vec<(&'static str, RecordBatch)>);

impl Ran {
    #[track_caller]
    pub(crate) fn of(study: Study) -> Self {
        Self::on_threads(study, 1)
    }

    /// With so many threads for each run.
    #[track_caller]
    pub(crate) fn on_threads(study: Study, threads: usize) -> Self {
        let (study, outcome) = Batch::start(study, Processors { jobs: 1, threads }).finish();
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        Self(tables::all(&study, &outcome.runs))
    }

    /// Of a scenario.
    #[track_caller]
    pub(crate) fn new(text: &str) -> Self {
        Self::of(read(text).unwrap_or_else(|it| panic!("{it}")))
    }

    #[track_caller]
    pub(crate) fn table(&self, name: &str) -> &RecordBatch {
        &self.0.iter().find(|it| it.0 == name).expect("the table is there").1
    }

    pub(crate) fn texts(&self, table: &str, column: &str) -> Vec<String> {
        let column = self.table(table)[column].as_string::<i32>();
        column.iter().map(|it| it.unwrap_or("").to_owned()).collect()
    }

    pub(crate) fn counts(&self, table: &str, column: &str) -> Vec<u64> {
        self.table(table)[column].as_primitive::<UInt64Type>().values().to_vec()
    }

    pub(crate) fn numbers(&self, table: &str, column: &str) -> Vec<f64> {
        self.table(table)[column].as_primitive::<Float64Type>().values().to_vec()
    }

    pub(crate) fn sum(&self, table: &str, column: &str) -> u64 {
        self.counts(table, column).iter().sum()
    }

    /// The goodput of the first flow while it is active, in bits per second.
    pub(crate) fn goodput(&self) -> f64 {
        let bits = self.counts("flows", "received_bytes")[0] * 8;
        bits as f64 / self.numbers("flows", "active_s")[0]
    }
}

/// A table of a study's results.
#[track_caller]
pub(crate) fn table(study: Study, name: &str) -> RecordBatch {
    Ran::of(study).table(name).clone()
}

/// All packets that leave these nodes and arrive there are captured.
pub(crate) fn all_packets_at(nodes: &[&str]) -> CaptureSettings {
    let nodes = nodes.iter().map(|it| (*it).to_owned()).collect();
    CaptureSettings { directions: Some(Directions::Both), ..CaptureSettings::at(nodes) }
}

/// The IP packets of a capture's Ethernet frames.
pub(crate) fn packets(file: &Path) -> Vec<Vec<u8>> {
    let file = File::open(file).expect("the capture was written");
    let mut reader = PcapNgReader::new(file).expect("it is a capture");
    let mut packets = Vec::new();
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(it) = block.expect("it is whole") {
            packets.push(it.data[14..].to_vec());
        }
    }
    packets
}
