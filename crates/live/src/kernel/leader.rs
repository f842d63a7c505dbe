//! The thread that decides: it has a controller for each connection, reads the reports of the
//! kernel, and writes decisions.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cpu_time::ThreadTime;
use hdrhistogram::Histogram;
use libbpf_rs::{ErrorKind, MapCore, MapFlags, RingBufferBuilder};
use nix::time::{ClockId, clock_gettime};
use windtunnel_controllers::Settings;
use windtunnel_engine::Duration as Span;

use super::KernelError;
use super::connection::Connection;
use super::layout::{Kind, Report};
use super::programs::Maps;

/// How long the thread waits for reports at most: it gives a sign of life then.
const WAIT: Duration = Duration::from_millis(20);
/// How often it gives a sign of life at least while reports come, in nanoseconds.
const BEAT: u64 = 10_000_000;
/// Reports after which it writes what it decided, however many more wait.
const MOST_WAITING: usize = 64;
/// Connections at a time: as many as the map of decisions has room for.
const MOST_CONNECTIONS: usize = 4096;
/// The longest delay that is told apart, in nanoseconds.
const LONGEST: u64 = 10_000_000_000;

/// How long decisions took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delays {
    /// Half of them took no longer, and so on.
    pub median: Span,
    /// The 90th percentile.
    pub p90: Span,
    /// The 99th percentile.
    pub p99: Span,
    /// The longest.
    pub longest: Span,
}

/// What happened in all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Connections that used the algorithm.
    pub connections: u64,
    /// Reports of the kernel.
    pub reports: u64,
    /// Reports for which the ring buffer had no room.
    pub reports_dropped: u64,
    /// Decisions that were written.
    pub decisions: u64,
    /// How often a connection fell back to Reno's rule after it had been decided for.
    pub fallbacks: u64,
    /// Connections that followed Reno's rule to their end, because there were too many.
    pub undecided: u64,
    /// From the measurement until the decision was written.
    pub written: Delays,
    /// From the measurement until the decision was applied, with the next acknowledgement.
    pub applied: Delays,
    /// Data that peers have acknowledged, in bytes.
    pub bytes: u64,
    /// The time of the processor that the thread took.
    pub cpu: Duration,
}

/// The connections and their controllers.
struct Leader<'a> {
    settings: &'a Settings,
    maps: &'a Maps,
    connections: HashMap<u64, Connection>,
    /// Those that a report has come for since decisions were written.
    waiting: Vec<u64>,
    beat: u64,
    totals: Totals,
    written: Histogram<u64>,
    applied: Histogram<u64>,
}

/// Decides until it is told to stop.
pub(super) fn lead(
    settings: &Settings,
    maps: &Maps,
    stop: &AtomicBool,
) -> Result<Totals, KernelError> {
    let refused = |it: libbpf_rs::Error| KernelError::Refused(format!("{it:#}"));
    let histogram = || {
        let made = Histogram::new_with_max(LONGEST, 2);
        made.map_err(|it| KernelError::Refused(it.to_string()))
    };
    let leader = RefCell::new(Leader {
        settings,
        maps,
        connections: HashMap::new(),
        waiting: Vec::new(),
        beat: 0,
        totals: Totals::default(),
        written: histogram()?,
        applied: histogram()?,
    });
    // A controller written outside unwinds when it fails, which must not reach libbpf's frames.
    let failure: RefCell<Option<Box<dyn Any + Send>>> = RefCell::new(None);
    let mut builder = RingBufferBuilder::new();
    let take = |bytes: &[u8]| {
        let taken = catch_unwind(AssertUnwindSafe(|| leader.borrow_mut().take(bytes)));
        match taken {
            Ok(()) => 0,
            Err(why) => {
                *failure.borrow_mut() = Some(why);
                -1
            }
        }
    };
    builder.add(&maps.reports, take).map_err(refused)?;
    let reports = builder.build().map_err(refused)?;
    leader.borrow_mut().live();
    while !stop.load(Ordering::Relaxed) {
        // Interrupted by a signal, it looks again.
        reports.poll_raw(WAIT);
        if let Some(why) = failure.borrow_mut().take() {
            resume_unwind(why);
        }
        leader.borrow_mut().decide();
    }
    let mut leader = leader.borrow_mut();
    Ok(leader.totals())
}

impl Leader<'_> {
    fn take(&mut self, bytes: &[u8]) {
        let Some(report) = Report::read(bytes) else { return };
        self.totals.reports += 1;
        if report.applied_after > 0 {
            self.applied.saturating_record(report.applied_after);
        }
        let number = report.connection;
        if report.kind == Kind::End {
            self.forget(number);
            return;
        }
        if !self.connections.contains_key(&number) {
            if self.connections.len() == MOST_CONNECTIONS {
                self.sweep();
            }
            self.connections.insert(number, Connection::new(self.settings, &report));
        }
        if let Some(connection) = self.connections.get_mut(&number) {
            connection.take(&report);
            if !std::mem::replace(&mut connection.waits, true) {
                self.waiting.push(number);
            }
        }
        if self.totals.reports.is_multiple_of(MOST_WAITING as u64) {
            self.decide();
        }
    }

    /// Writes what was decided, and gives a sign of life.
    fn decide(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for number in waiting.drain(..) {
            let Some(connection) = self.connections.get_mut(&number) else { continue };
            connection.waits = false;
            let decision = connection.decision();
            let key = number.to_ne_bytes();
            match self.maps.decisions.update(&key, &decision.bytes(), MapFlags::EXIST) {
                Ok(()) => {
                    self.totals.decisions += 1;
                    self.written.saturating_record(now().saturating_sub(decision.measured));
                }
                // It has ended.
                Err(error) if error.kind() == ErrorKind::NotFound => self.forget(number),
                // Without memory, the last decision is held.
                Err(_) => {}
            }
        }
        self.waiting = waiting;
        self.live();
    }

    /// Gives a sign of life, unless it just did.
    fn live(&mut self) {
        let now = now();
        if now.saturating_sub(self.beat) < BEAT {
            return;
        }
        self.beat = now;
        let written =
            self.maps.heartbeat.update(&0_u32.to_ne_bytes(), &now.to_ne_bytes(), MapFlags::ANY);
        debug_assert!(written.is_ok(), "an element of an array exists");
    }

    fn forget(&mut self, number: u64) {
        if let Some(connection) = self.connections.remove(&number) {
            self.totals.bytes += connection.bytes();
        }
    }

    /// Forgets connections that have ended without a report, which was dropped.
    fn sweep(&mut self) {
        let mut numbers: Vec<u64> = self.connections.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let found = self.maps.decisions.lookup(&number.to_ne_bytes(), MapFlags::ANY);
            if matches!(found, Ok(None)) {
                self.forget(number);
            }
        }
    }

    fn totals(&mut self) -> Totals {
        let [connections, reports_dropped, fallbacks, undecided] = self.maps.counters();
        let open: u64 = self.connections.values().map(Connection::bytes).sum();
        Totals {
            connections,
            reports_dropped,
            fallbacks,
            undecided,
            written: delays(&self.written),
            applied: delays(&self.applied),
            bytes: self.totals.bytes + open,
            cpu: ThreadTime::now().as_duration(),
            ..self.totals
        }
    }
}

fn delays(histogram: &Histogram<u64>) -> Delays {
    let at = |percentile| Span::from_nanos(histogram.value_at_percentile(percentile));
    let longest = Span::from_nanos(histogram.max());
    Delays { median: at(50.0), p90: at(90.0), p99: at(99.0), longest }
}

/// The clock of the kernel's reports (`CLOCK_MONOTONIC`), in nanoseconds.
fn now() -> u64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_or(0, |it| u64::try_from(Duration::from(it).as_nanos()).unwrap_or(u64::MAX))
}
