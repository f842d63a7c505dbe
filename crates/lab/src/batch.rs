//! Many runs side by side: each on its own thread, nothing shared.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;
use std::{fmt, io};

use cpu_time::{ProcessTime, ThreadTime};
use windtunnel_engine::{Control, Stop, Time};
use windtunnel_scenario::{Case, ScenarioError, Study};
use windtunnel_world::{Plan, World, caught, panic_text};

use crate::beginnings::Beginnings;
use crate::capture::{CaptureSettings, Captures};
use crate::equal_cases::EqualCases;
use crate::live::{Live, LiveRun, SharedLive};
use crate::packets::{PacketSettings, qlogs};
use crate::run_folder::of_run;
use crate::series::{self, CHUNK, Series, UNFINISHED, Written};
use crate::tables::{Kept, Labels, Measurements, Run};

/// How far a batch is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Runs that have ended.
    pub finished: usize,
    /// Runs in all.
    pub total: usize,
    /// Simulated seconds done, over all runs.
    pub simulated_s: f64,
    /// Simulated seconds in all.
    pub total_simulated_s: f64,
    /// Events handled so far.
    pub events: u64,
}

/// What came of a batch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The finished runs, in the order of cases and replications.
    pub runs: Vec<Run>,
    /// Runs that were cancelled or never started.
    pub unfinished: usize,
    /// Internal errors.
    pub faults: Vec<Fault>,
    /// What went wrong in controllers from outside: which run, and why.
    pub failures: Vec<String>,
    /// Why a file of series or a capture could not be written, if one could not.
    pub unwritten: Option<io::Error>,
}

/// A run that failed through an internal error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which case of the study.
    pub case: usize,
    /// Which replication of it.
    pub number: u32,
    /// What happened.
    pub what: String,
}

/// Why a run gave nothing.
#[derive(Debug)]
enum Failure {
    /// An internal error.
    Fault(String),
    /// Something that is written outside could not go on.
    Extension(String),
    /// A file of series or a capture could not be written.
    Unwritten(io::Error),
}

#[derive(Debug)]
struct Shared {
    study: Study,
    /// Which cases are simulated; where packets are written, all.
    equal: EqualCases,
    /// What runs have in common, where that is simulated once.
    beginnings: Beginnings,
    /// The order in which runs are taken.
    order: Vec<usize>,
    /// How many threads a run may use.
    threads: usize,
    /// Where series are written; without it, they stay in memory.
    folder: Option<PathBuf>,
    captures: Option<Captures>,
    packets: PacketSettings,
    kept: Kept,
    /// What each run in progress has sampled, if somebody watches.
    live: Option<Mutex<BTreeMap<usize, SharedLive>>>,
    next: AtomicUsize,
    cancelled: AtomicBool,
    /// The control of each run that has started.
    controls: Mutex<Vec<Option<Arc<Control>>>>,
    results: Mutex<Vec<Option<Result<Run, Failure>>>>,
    finished: AtomicUsize,
}

/// A panic elsewhere does not make what was computed unreadable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many runs go on at a time, and how many threads each may use.
#[derive(Clone, Copy, Debug)]
pub struct Processors {
    /// Runs at a time.
    pub jobs: usize,
    /// Threads of one run.
    pub threads: usize,
}

impl From<usize> for Processors {
    /// So many runs at a time, each on one thread.
    fn from(jobs: usize) -> Self {
        Self { jobs, threads: 1 }
    }
}

impl Processors {
    /// Captures and packets are written in the order of time, and what is written outside may
    /// be called by one thread only: their runs use one.
    fn threads_of_a_run(self, study: &Study, writes_packets: bool) -> usize {
        if writes_packets || study.cases.iter().any(Case::uses_extensions) {
            1
        } else {
            self.threads
        }
    }
}

/// What is seen of runs beside their series and totals.
#[derive(Clone, Debug)]
pub struct Details {
    /// Those that nodes send and receive.
    pub captured: CaptureSettings,
    /// Those of flows.
    pub packets: PacketSettings,
    /// Whether [`Batch::live`] shows what is sampled while runs go on.
    pub is_live: bool,
}

impl From<CaptureSettings> for Details {
    /// Captures, and nothing else.
    fn from(captured: CaptureSettings) -> Self {
        Self { captured, packets: PacketSettings::default(), is_live: false }
    }
}

impl Details {
    /// Whether each node and each flow that they name is in some case.
    ///
    /// # Errors
    /// [`ScenarioError`] names the first that is in none, and those that there are.
    pub fn check(&self, study: &Study) -> Result<(), ScenarioError> {
        self.captured.check(study)?;
        self.packets.check(study)
    }
}

/// Runs in progress.
#[derive(Debug)]
pub struct Batch {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "run {} of case {} failed: {}", self.number, self.case + 1, self.what)
    }
}

impl Batch {
    /// Starts all runs of a study; series stay in memory.
    #[must_use]
    pub fn start(study: Study, processors: impl Into<Processors>) -> Self {
        let details = (None, PacketSettings::default(), false);
        Self::with(study, None, details, processors.into(), Kept::All)
    }

    /// Starts one run of each scenario, each a point of a study with its name on the axis `key`. Of
    /// each run only the tables that every network has are kept: flows, subflows, transfers, links,
    /// nodes, bridges and tunnels, and no series.
    #[must_use]
    pub fn of_points(points: Vec<(String, Study)>, processors: impl Into<Processors>) -> Self {
        let details = (None, PacketSettings::default(), false);
        Self::with(Study::of_points(points), None, details, processors.into(), Kept::OfNetworks)
    }

    /// Starts all runs of a study, with what happens to the packets of some flows.
    ///
    /// # Errors
    /// [`ScenarioError`] if one of these flows is in no case.
    pub fn with_packets(
        study: Study,
        packets: PacketSettings,
        processors: impl Into<Processors>,
    ) -> Result<Self, ScenarioError> {
        packets.check(&study)?;
        Ok(Self::with(study, None, (None, packets, false), processors.into(), Kept::All))
    }

    /// Starts all runs of a study; series are written into a folder while the runs go on:
    /// a Parquet file of each kind, and in `unfinished` those of runs that did not finish,
    /// as far as they came. Captures are put into `captures`, and the packets of some flows
    /// besides the series into `events`.
    ///
    /// # Errors
    /// [`ScenarioError`] if a node that is to be captured, or one of these flows, is in no case.
    pub fn into_folder(
        study: Study,
        folder: PathBuf,
        details: impl Into<Details>,
        processors: impl Into<Processors>,
    ) -> Result<Self, ScenarioError> {
        let details = details.into();
        details.check(&study)?;
        let Details { captured, packets, is_live } = details;
        let captures = Captures { folder: folder.join("captures"), settings: captured };
        let captures = Some(captures).filter(|it| !it.settings.nodes.is_empty());
        let details = (captures, packets, is_live);
        Ok(Self::with(study, Some(folder), details, processors.into(), Kept::All))
    }

    fn with(
        study: Study,
        folder: Option<PathBuf>,
        (captures, packets, is_live): (Option<Captures>, PacketSettings, bool),
        processors: Processors,
        kept: Kept,
    ) -> Self {
        let writes_packets = captures.is_some() || !packets.flows.is_empty();
        let total = study.total_runs();
        let jobs = processors.jobs.clamp(1, total.max(1));
        let threads = processors.threads_of_a_run(&study, writes_packets);
        let equal = if writes_packets { EqualCases::none(&study) } else { EqualCases::of(&study) };
        let beginnings = match (threads, writes_packets) {
            (1, false) => Beginnings::of(&study, &equal),
            _ => Beginnings::none(&study),
        };
        let shared = Arc::new(Shared {
            threads,
            order: beginnings.order(jobs),
            equal,
            beginnings,
            study,
            folder,
            captures,
            packets,
            kept,
            live: is_live.then(Mutex::default),
            next: AtomicUsize::new(0),
            cancelled: AtomicBool::new(false),
            controls: Mutex::new(vec![None; total]),
            results: Mutex::new((0..total).map(|_| None).collect()),
            finished: AtomicUsize::new(0),
        });
        let threads = (0..jobs)
            .map(|_| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.work())
            })
            .collect();
        Self { shared, threads }
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let study = &self.shared.study;
        let mut progress = Progress {
            finished: self.shared.finished.load(Ordering::Relaxed),
            total: study.total_runs(),
            total_simulated_s: study.total_simulated_s(),
            ..Progress::default()
        };
        for (index, control) in lock(&self.shared.controls).iter().enumerate() {
            let Some(control) = control else { continue };
            let cases = self.shared.cases_of(index) as f64;
            progress.simulated_s += cases * control.simulated().as_seconds();
            progress.events += control.events();
        }
        progress
    }

    /// What the runs in progress have sampled so far, of the `most` busiest flows and queues.
    /// Nothing, unless they were started to be watched.
    #[must_use]
    pub fn live(&self, most: usize) -> Vec<LiveRun> {
        let Some(runs) = &self.shared.live else { return Vec::new() };
        let (runs, controls) = (lock(runs).clone(), lock(&self.shared.controls).clone());
        let time = |run: usize| controls[run].as_ref().map_or(Time::ZERO, |it| it.simulated());
        runs.into_iter().map(|(run, live)| lock(&live).shown(time(run), most)).collect()
    }

    /// Asks all runs to stop; those finished are kept.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
        for control in lock(&self.shared.controls).iter().flatten() {
            control.cancel();
        }
    }

    /// Whether all threads have ended.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// Never: a panic in a run is caught and reported as a fault.
    #[must_use]
    pub fn finish(self) -> (Study, Outcome) {
        for thread in self.threads {
            thread.join().expect("a worker catches the panics of its runs");
        }
        let shared = Arc::into_inner(self.shared).expect("all workers have ended");
        let results = std::mem::take(&mut *lock(&shared.results));
        let mut outcome = Outcome::default();
        let runs = shared.study.runs as usize;
        for (index, result) in results.into_iter().enumerate() {
            let (case, number) = (index / runs, (index % runs) as u32);
            match result {
                Some(Ok(run)) if run.stop != Stop::Cancelled => outcome.runs.push(run),
                Some(Err(Failure::Fault(what))) => {
                    outcome.faults.push(Fault { case, number, what })
                }
                Some(Err(Failure::Extension(failure))) => outcome.failures.push(failure),
                Some(Err(Failure::Unwritten(error))) => {
                    outcome.unwritten.get_or_insert(error);
                }
                Some(Ok(_)) | None => match shared.of_equal_case(&outcome.runs, case, number) {
                    Some(run) => outcome.runs.push(run),
                    None => outcome.unfinished += 1,
                },
            }
        }
        if let Some(folder) = &shared.folder {
            let written: Vec<Written> =
                outcome.runs.iter().map(|it| shared.written(folder, it)).collect();
            outcome.unwritten = outcome.unwritten.or(series::join(folder, &written).err());
        }
        (shared.study, outcome)
    }
}

/// Where a run writes its series until it has finished.
fn unfinished(folder: &Path, case: &Case, number: u64) -> PathBuf {
    of_run(&folder.join(UNFINISHED), case, number)
}

impl Shared {
    fn work(&self) {
        loop {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&index) = self.order.get(next) else { return };
            if self.cancelled.load(Ordering::Relaxed) {
                return;
            }
            let cases = self.cases_of(index);
            if cases == 0 {
                continue;
            }
            let control = Arc::new(Control::default());
            lock(&self.controls)[index] = Some(Arc::clone(&control));
            // A cancellation between the look above and the line above.
            if self.cancelled.load(Ordering::Relaxed) {
                return;
            }
            let mut result = None;
            let mut run = || {
                let caught = catch_unwind(AssertUnwindSafe(|| self.run(index, &control)));
                result =
                    Some(caught.unwrap_or_else(|panic| Err(Failure::Fault(panic_text(&*panic)))));
            };
            match self.study.in_turns.filter(|_| self.takes_turns(index)) {
                Some(in_turns) => in_turns(&mut run),
                None => run(),
            }
            lock(&self.results)[index] = result;
            self.live.iter().for_each(|it| drop(lock(it).remove(&index)));
            self.finished.fetch_add(cases, Ordering::Relaxed);
        }
    }

    /// Whether a run calls what is written outside.
    fn takes_turns(&self, run: usize) -> bool {
        let case = &self.study.cases[run / self.study.runs as usize];
        case.uses_extensions() || case.uses_stacks()
    }

    /// How many cases a run is simulated for.
    fn cases_of(&self, run: usize) -> usize {
        self.equal.cases(run / self.study.runs as usize)
    }

    /// The run of a case for which an equal one was simulated, if that has finished; `runs` are
    /// the finished ones before it.
    fn of_equal_case(&self, runs: &[Run], case: usize, number: u32) -> Option<Run> {
        let simulated = (self.equal.simulated_for(case), number);
        let place = runs.binary_search_by_key(&simulated, |it| (it.case, it.number)).ok()?;
        Some(runs[place].of_equal_case(&self.study, case))
    }

    /// Where the series of a finished run were written, and under which names they belong.
    fn written(&self, folder: &Path, run: &Run) -> Written {
        let case = &self.study.cases[self.equal.simulated_for(run.case)];
        let labels = run.is_copy.then(|| Labels::new(&self.study, run.case, run.number));
        Written { folder: unfinished(folder, case, u64::from(run.number)), labels }
    }

    fn run(&self, index: usize, control: &Arc<Control>) -> Result<Run, Failure> {
        let (real, cpu, whole) = (Instant::now(), ThreadTime::now(), ProcessTime::now());
        let runs = self.study.runs as usize;
        let (case, number) = (index / runs, index % runs);
        let case_read = &self.study.cases[case];
        let plan = case_read.of_run(number);
        let failed = |why: String| Failure::Extension(self.named(case_read, number, &why));
        let mut world = caught(|| self.world(index, &plan, control)).map_err(failed)?;
        let captures = self.captures.as_ref();
        let captures =
            captures.map(|it| it.start(case_read, &plan, &self.study.layers, &mut world));
        let series = match self.kept {
            Kept::All => Some(self.series(&mut world, &plan, (case, number), control)?),
            Kept::OfNetworks => None,
        };
        let ended = caught(|| world.run(control, self.study.real_time_limit));
        match (captures, &ended) {
            (Some(captures), Err(_) | Ok((Stop::Cancelled, _))) => captures.discard(),
            (Some(captures), Ok(_)) => captures.finish(&world).map_err(Failure::Unwritten)?,
            (None, _) => {}
        }
        let (stop, events) = ended.map_err(failed)?;
        let end = if stop == Stop::Finished { plan.end() } else { world.now() };
        Ok(Run {
            case,
            number: number as u32,
            stop,
            events,
            packet_hops: world.packet_hops(),
            simulated: end.since(Time::ZERO),
            measurements: match self.kept {
                Kept::All => {
                    Measurements::take(&plan, &case_read.prefixes, &self.study.layers, &world, end)
                }
                Kept::OfNetworks => {
                    Measurements::of_networks(&plan, &case_read.prefixes, &world, end)
                }
            },
            series: series
                .map_or(Ok(Vec::new()), |it| it.finish(stop))
                .map_err(Failure::Unwritten)?,
            is_copy: false,
            routing: world.routing_time(),
            cpu: if self.threads == 1 { cpu.elapsed() } else { whole.elapsed() },
            real: real.elapsed(),
        })
    }

    /// The series of a run, and what happens to packets, as far as somebody wants it.
    fn series(
        &self,
        world: &mut World,
        plan: &Arc<Plan>,
        (case, number): (usize, usize),
        control: &Arc<Control>,
    ) -> Result<Series, Failure> {
        let case_read = &self.study.cases[case];
        let labels = Labels::new(&self.study, case, number as u32);
        let folder = self.folder.as_ref().map(|it| unfinished(it, case_read, plan.run));
        let series = Series::record(world, plan, labels, folder, control, CHUNK);
        let series = series.map_err(Failure::Unwritten)?;
        let flows = self.packets.places(plan);
        if !flows.is_empty() {
            let qlogs = self.folder.as_ref().map(|it| qlogs(it, case_read, plan));
            series.log_packets(world, &flows, qlogs, control);
        }
        Ok(series)
    }

    /// The world of a run, perhaps with what it has in common with others behind it; it keeps its
    /// series.
    fn world(&self, run: usize, plan: &Arc<Plan>, control: &Control) -> World {
        let watch = |world: &mut World| self.watch(run, plan, world);
        self.beginnings.world(run, plan, control, watch).unwrap_or_else(|| {
            let world = World::on_threads(plan, self.threads);
            let mut world = world.expect("the plan was checked when it was read");
            world.keep_series(plan);
            watch(&mut world);
            world
        })
    }

    /// Has what a run samples shown, if somebody watches.
    fn watch(&self, run: usize, plan: &Arc<Plan>, world: &mut World) {
        if let Some(runs) = &self.live {
            let case = &self.study.cases[run / self.study.runs as usize];
            let live = Arc::new(Mutex::new(Live::new(Arc::clone(plan), case)));
            lock(runs).insert(run, Arc::clone(&live));
            world.observe(Box::new(move |rows| lock(&live).take(rows)));
        }
    }

    /// What went wrong in a run, with the run before it where there are others.
    fn named(&self, case: &Case, number: usize, why: &str) -> String {
        let names = case.names.join(", ");
        match (names.as_str(), self.study.runs) {
            ("", 1) => why.to_owned(),
            ("", _) => format!("run {number}: {why}"),
            (_, 1) => format!("{names}: {why}"),
            (..) => format!("{names}, run {number}: {why}"),
        }
    }
}
