//! Captures: what the interfaces of a node saw, as a pcapng file.
//!
//! Times are nanoseconds since the start of the run, rounded down; the start
//! counts as 1970-01-01T00:00:00Z. An interface has its link's name.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::{DataLink, Endianness, PcapError};
use windtunnel_engine::Time;
use windtunnel_scenario::{Case, Mistake, ScenarioError, Study, suggestion};
use windtunnel_world::{Plan, Seen, Watcher, World};

use crate::frames::Frames;
use crate::run_folder::{file_name, of_run};

/// Timestamps count 10⁻⁹ seconds.
const NANOSECONDS: u8 = 9;

/// The direction of a packet, as pcapng's flags tell it.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// Which nodes are captured, and where the files go.
#[derive(Clone, Debug)]
pub(crate) struct Captures {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The nodes' names.
    pub(crate) nodes: Vec<String>,
}

impl Captures {
    /// Whether each node that is to be captured is in some case.
    pub(crate) fn check(&self, study: &Study) -> Result<(), ScenarioError> {
        let nodes = || study.cases.iter().flat_map(|it| &it.plan.nodes).map(|it| it.name.as_str());
        let is_unknown = |name: &&String| !nodes().any(|it| it == name.as_str());
        let Some(unknown) = self.nodes.iter().find(is_unknown) else { return Ok(()) };
        let mut known: Vec<&str> = Vec::new();
        nodes().for_each(|it| {
            if !known.contains(&it) {
                known.push(it)
            }
        });
        let mistake = Mistake::new("there is no such node").help(suggestion(unknown, &known));
        Err(mistake.locate(&format!("--pcap {unknown}"), "", None))
    }

    /// Starts the captures of one run: of each node a file, in a folder below
    /// folders named after the case. The world is to be watched by them.
    pub(crate) fn start(&self, case: &Case, plan: &Plan, world: &mut World) -> Started {
        let folder = of_run(&self.folder, case, plan.run);
        let frames = Arc::new(Frames::new(plan));
        let mut files = Vec::with_capacity(self.nodes.len());
        let mut watchers: Vec<(usize, Watcher)> = Vec::with_capacity(self.nodes.len());
        for (node, it) in plan.nodes.iter().enumerate().filter(|it| self.nodes.contains(&it.1.name))
        {
            let path = folder.join(format!("{}.pcapng", file_name(&it.name)));
            let file = Arc::new(Mutex::new(Capture::create(path, plan, node)));
            files.push(Arc::clone(&file));
            let frames = Arc::clone(&frames);
            watchers.push((node, Box::new(move |seen| lock(&file).take(seen, &frames))));
        }
        world.watch(plan, watchers);
        Started(files)
    }
}

/// The captures of a run that has begun.
#[derive(Debug)]
pub(crate) struct Started(Vec<Arc<Mutex<Capture>>>);

impl Started {
    /// Writes what is left, after the run.
    ///
    /// # Errors
    /// Of the first file that could not be written.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.0.iter().try_for_each(|it| lock(it).finish())
    }

    /// Removes the files of a run that is not kept.
    pub(crate) fn discard(self) {
        for capture in self.0 {
            // What cannot be removed was not written, or goes with its folder.
            let _ = fs::remove_file(&lock(&capture).path);
        }
    }
}

/// Nobody else holds it: the world and its captures are on one thread at a time.
fn lock(capture: &Mutex<Capture>) -> MutexGuard<'_, Capture> {
    capture.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file being written. Once that fails, it takes no more packets.
struct Capture {
    path: PathBuf,
    node: usize,
    /// The node at the other end of each interface.
    neighbours: Vec<usize>,
    file: io::Result<PcapNgWriter<BufWriter<File>>>,
}

impl fmt::Debug for Capture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Capture").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Capture {
    fn create(path: PathBuf, plan: &Plan, node: usize) -> Self {
        let neighbours = plan.interfaces(node).map(|(link, side)| plan.links[link].nodes[1 - side]);
        let neighbours = neighbours.collect();
        let file = create(&path, plan, node);
        Self { path, node, neighbours, file }
    }

    fn take(&mut self, seen: &Seen, frames: &Frames) {
        let Ok(file) = &mut self.file else { return };
        let neighbour = self.neighbours[seen.interface];
        let ends = if seen.sent { [self.node, neighbour] } else { [neighbour, self.node] };
        let written = frames
            .frame(&seen.packet, ends)
            .map_err(io::Error::other)
            .and_then(|frame| write_packet(file, seen, frame));
        if let Err(error) = written {
            self.file = Err(error);
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        let written = match &mut self.file {
            Ok(file) => file.get_mut().flush(),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        };
        let path = self.path.display();
        written.map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))
    }
}

fn create(path: &Path, plan: &Plan, node: usize) -> io::Result<PcapNgWriter<BufWriter<File>>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let output = BufWriter::new(File::create(path)?);
    let mut file = PcapNgWriter::with_endianness(output, Endianness::Little).map_err(cause)?;
    for (link, side) in plan.interfaces(node) {
        let link = &plan.links[link];
        let neighbour = &plan.nodes[link.nodes[1 - side]].name;
        let interface = InterfaceDescriptionBlock {
            linktype: DataLink::ETHERNET,
            snaplen: 0,
            options: vec![
                InterfaceDescriptionOption::IfName(Cow::Borrowed(&link.name)),
                InterfaceDescriptionOption::IfDescription(format!("to {neighbour}").into()),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ],
        };
        file.write_pcapng_block(interface).map_err(cause)?;
    }
    Ok(file)
}

fn write_packet(
    file: &mut PcapNgWriter<BufWriter<File>>,
    seen: &Seen,
    frame: Vec<u8>,
) -> io::Result<()> {
    let direction = if seen.sent { OUTBOUND } else { INBOUND };
    let block = EnhancedPacketBlock {
        interface_id: seen.interface as u32,
        timestamp: Duration::from_nanos(seen.time.since(Time::ZERO).as_nanos()),
        original_len: frame.len() as u32,
        data: Cow::Owned(frame),
        options: vec![EnhancedPacketOption::Flags(direction)],
    };
    file.write_pcapng_block(block).map(|_| ()).map_err(cause)
}

fn cause(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
