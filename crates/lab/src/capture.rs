//! Captures: what the interfaces of a node saw, as a pcapng file.
//!
//! Times are nanoseconds since the start of the run, rounded down; the start
//! counts as 1970-01-01T00:00:00Z. Each direction of a link is an interface of the file, so that
//! a packet that passes a node is not taken for one that was sent twice.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
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
use windtunnel_scenario::{Case, LayerKind, Mistake, ScenarioError, Study, duration, suggestion};
use windtunnel_world::{FlowPlan, Plan, Seen, Watcher, World};

use crate::frames::Frames;
use crate::run_folder::{file_name, of_run};

/// Timestamps count 10⁻⁹ seconds.
const NANOSECONDS: u8 = 9;

/// The direction of a packet, as pcapng's flags tell it.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// Which packets of a node are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// Those that leave.
    Out,
    /// Those that arrive.
    In,
    /// All.
    Both,
}

/// What is captured.
#[derive(Clone, Debug)]
pub struct CaptureSettings {
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// Which of their packets. Default: of nodes where traffic begins or ends all, as tcpdump
    /// would see them; of others those that leave, so that each packet is there once.
    pub directions: Option<Directions>,
    /// How many bytes of each frame are kept; default: all.
    pub snap_length: Option<u32>,
    /// From when on.
    pub from: Time,
    /// Until when, that time not included.
    pub until: Time,
}

impl CaptureSettings {
    /// Whether each node that is to be captured is in some case.
    ///
    /// # Errors
    /// [`ScenarioError`] names the first that is in none.
    pub fn check(&self, study: &Study) -> Result<(), ScenarioError> {
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

    /// All of the packets, at these nodes.
    #[must_use]
    pub fn at(nodes: Vec<String>) -> Self {
        let (from, until) = (Time::ZERO, Time::NEVER);
        Self { nodes, directions: None, snap_length: None, from, until }
    }

    /// Only packets in these directions: `out`, `in` or `both`.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn in_directions(self, text: &str) -> Result<Self, ScenarioError> {
        let directions = match text {
            "out" => Directions::Out,
            "in" => Directions::In,
            "both" => Directions::Both,
            _ => {
                let mistake = Mistake::new("there is no such direction");
                let mistake = mistake.help("write `out`, `in` or `both`");
                return Err(mistake.locate(&format!("--pcap-direction {text}"), "", None));
            }
        };
        Ok(Self { directions: Some(directions), ..self })
    }

    /// Only packets from one time on and before another, such as `2 s` and `3 s`.
    ///
    /// # Errors
    /// If a text is not a duration, or the second time is not later than the first.
    pub fn between(self, window: [&str; 2]) -> Result<Self, ScenarioError> {
        let located = |it: Mistake| {
            it.locate(&format!("--pcap-window \"{}\" \"{}\"", window[0], window[1]), "", None)
        };
        let time = |text: &str| duration(text).map_err(|it| located(Mistake::new(it)));
        let [from, until] = [Time::ZERO + time(window[0])?, Time::ZERO + time(window[1])?];
        if until <= from {
            let mistake = Mistake::new("it ends before it begins");
            return Err(located(mistake.help("write two times, the earlier one first")));
        }
        Ok(Self { from, until, ..self })
    }

    fn directions(&self, plan: &Plan, node: usize) -> Directions {
        let usual = if is_host(plan, node) { Directions::Both } else { Directions::Out };
        self.directions.unwrap_or(usual)
    }
}

/// Whether traffic begins or ends at a node.
fn is_host(plan: &Plan, node: usize) -> bool {
    let of_flow = |it: &FlowPlan| {
        let mut proxies = it.split.iter().flat_map(|it| &it.at);
        it.from == node || it.to == node || proxies.any(|it| *it == node)
    };
    plan.flows.iter().any(of_flow)
        || plan.consumers.iter().any(|it| it.node == node)
        || plan.producers.iter().any(|it| it.node == node)
        || plan.roots.iter().any(|it| it.node == node)
        || plan.attachments.contains(&node)
}

/// What is captured, and where the files go.
#[derive(Clone, Debug)]
pub(crate) struct Captures {
    /// The folder.
    pub(crate) folder: PathBuf,
    pub(crate) settings: CaptureSettings,
}

impl Captures {
    /// Starts the captures of one run: of each node a file, in a folder below
    /// folders named after the case. The world is to be watched by them.
    pub(crate) fn start(
        &self,
        case: &Case,
        plan: &Arc<Plan>,
        layers: &[Arc<dyn LayerKind>],
        world: &mut World,
    ) -> Started {
        let folder = of_run(&self.folder, case, plan.run);
        let frames = Arc::new(Frames::new(plan, layers));
        let nodes = &self.settings.nodes;
        let mut files = Vec::with_capacity(nodes.len());
        let mut watchers: Vec<(usize, Watcher)> = Vec::with_capacity(nodes.len());
        for (node, it) in plan.nodes.iter().enumerate().filter(|it| nodes.contains(&it.1.name)) {
            let path = folder.join(format!("{}.pcapng", file_name(&it.name)));
            let capture = Capture::create(path, plan, node, &self.settings);
            let file = Arc::new(Mutex::new(capture));
            files.push(Arc::clone(&file));
            let frames = Arc::clone(&frames);
            watchers.push((node, Box::new(move |seen| lock(&file).take(seen, &frames))));
        }
        world.watch(plan, watchers);
        Started { files, keys: folder.join("keys.log") }
    }
}

/// The captures of a run that has begun.
#[derive(Debug)]
pub(crate) struct Started {
    files: Vec<Arc<Mutex<Capture>>>,
    /// Where the secrets go that decrypt what is in them, if there are any.
    keys: PathBuf,
}

impl Started {
    /// Writes what is left, after the run of that world.
    ///
    /// # Errors
    /// Of the first file that could not be written.
    pub(crate) fn finish(self, world: &World) -> io::Result<()> {
        self.files.iter().try_for_each(|it| lock(it).finish())?;
        let secrets = world.secrets();
        if secrets.is_empty() { Ok(()) } else { fs::write(&self.keys, secrets) }
    }

    /// Removes the files of a run that is not kept.
    pub(crate) fn discard(self) {
        for capture in self.files {
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
    /// The node at the other end of each of its interfaces.
    neighbours: Vec<usize>,
    /// For each of its interfaces the numbers in the file of what leaves there and of what
    /// arrives, if that is captured.
    numbers: Vec<[Option<u32>; 2]>,
    snap_length: usize,
    window: Range<Time>,
    file: io::Result<PcapNgWriter<BufWriter<File>>>,
}

impl fmt::Debug for Capture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Capture").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Capture {
    fn create(path: PathBuf, plan: &Plan, node: usize, settings: &CaptureSettings) -> Self {
        let neighbours = plan.interfaces(node).map(|(link, side)| plan.links[link].nodes[1 - side]);
        let neighbours: Vec<usize> = neighbours.collect();
        let directions = settings.directions(plan, node);
        let mut numbers = 0..;
        let mut number = |other| (directions != other).then(|| numbers.next()).flatten();
        let numbers = neighbours.iter().map(|_| [number(Directions::In), number(Directions::Out)]);
        let numbers: Vec<[Option<u32>; 2]> = numbers.collect();
        let file = create(&path, plan, node, &numbers, settings.snap_length.unwrap_or(0));
        let snap_length = settings.snap_length.map_or(usize::MAX, |it| it as usize);
        let window = settings.from..settings.until;
        Self { path, node, neighbours, numbers, snap_length, window, file }
    }

    fn take(&mut self, seen: &Seen, frames: &Frames) {
        let Ok(file) = &mut self.file else { return };
        let number = self.numbers[seen.interface][usize::from(!seen.sent)];
        let Some(number) = number.filter(|_| self.window.contains(&seen.time)) else { return };
        let neighbour = self.neighbours[seen.interface];
        let ends = if seen.sent { [self.node, neighbour] } else { [neighbour, self.node] };
        let written = frames
            .frame(&seen.packet, ends)
            .map_err(io::Error::other)
            .and_then(|frame| write_packet(file, seen, number, frame, self.snap_length));
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

fn create(
    path: &Path,
    plan: &Plan,
    node: usize,
    numbers: &[[Option<u32>; 2]],
    snap_length: u32,
) -> io::Result<PcapNgWriter<BufWriter<File>>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let output = BufWriter::new(File::create(path)?);
    let mut file = PcapNgWriter::with_endianness(output, Endianness::Little).map_err(cause)?;
    for ((link, side), numbers) in plan.interfaces(node).zip(numbers) {
        let link = &plan.links[link];
        let neighbour = &plan.nodes[link.nodes[1 - side]].name;
        for (way, preposition, _) in [("out", "to", numbers[0]), ("in", "from", numbers[1])]
            .into_iter()
            .filter(|it| it.2.is_some())
        {
            let interface = InterfaceDescriptionBlock {
                linktype: DataLink::ETHERNET,
                snaplen: snap_length,
                options: vec![
                    InterfaceDescriptionOption::IfName(format!("{} {way}", link.name).into()),
                    InterfaceDescriptionOption::IfDescription(
                        format!("{preposition} {neighbour}").into(),
                    ),
                    InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
                ],
            };
            file.write_pcapng_block(interface).map_err(cause)?;
        }
    }
    Ok(file)
}

fn write_packet(
    file: &mut PcapNgWriter<BufWriter<File>>,
    seen: &Seen,
    interface_id: u32,
    mut frame: Vec<u8>,
    snap_length: usize,
) -> io::Result<()> {
    let direction = if seen.sent { OUTBOUND } else { INBOUND };
    let original_len = frame.len() as u32;
    frame.truncate(snap_length);
    let block = EnhancedPacketBlock {
        interface_id,
        timestamp: Duration::from_nanos(seen.time.since(Time::ZERO).as_nanos()),
        original_len,
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
