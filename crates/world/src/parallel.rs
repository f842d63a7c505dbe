//! The parts of a world at work on threads of their own.
//!
//! What one part sends to another is on a link for at least that link's delay. So no part
//! can be affected, within the least of those delays from now on, by what the others do
//! in that time: they run side by side through windows of that length, and between two
//! windows each gives the others what arrives there in the next one (Chandy and Misra
//! 1979; Fujimoto 1990, the bounded lag). Where these delays change, as between satellites, a
//! window ends, and the next one is as long as the delays of then allow. As the order of events
//! at one instant is a property of the plan, each part sees what it would see if there were one.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use windtunnel_engine::{Control, Duration, Limits, Stop, Time};

use crate::crossing::Mail;
use crate::forwarding::Forwarding;
use crate::network::Network;
use crate::part::Part;
use crate::partition::Partition;
use crate::plan::Plan;
use crate::routing::Unreachable;

/// Builds the parts.
pub(crate) fn build(
    plan: &Plan,
    forwarding: Forwarding,
    partition: &Partition,
) -> Result<Vec<Part>, Unreachable> {
    let rerouting = plan.routes_change().then(|| Arc::new(plan.clone()));
    let copies = std::iter::repeat_n(forwarding, partition.parts());
    let parts = copies.enumerate();
    parts.map(|(part, it)| Part::new(plan, it, partition, part, rerouting.clone())).collect()
}

/// A run of several parts.
pub(crate) struct Run<'a> {
    control: &'a Control,
    limits: &'a Limits,
    partition: &'a Partition,
    started: Instant,
    /// Everything up to this instant has happened; none at the beginning.
    done: Option<Time>,
    events: AtomicU64,
    /// What each part has given out for each other one: from, and to.
    mail: Vec<Vec<Mutex<Mail>>>,
    barrier: Barrier,
    is_stopped: AtomicBool,
}

impl<'a> Run<'a> {
    pub(crate) fn new(control: &'a Control, limits: &'a Limits, partition: &'a Partition) -> Self {
        let parts = partition.parts();
        let boxes = || (0..parts).map(|_| Mutex::default()).collect();
        Self {
            control,
            limits,
            partition,
            started: Instant::now(),
            done: None,
            events: AtomicU64::new(0),
            mail: (0..parts).map(|_| boxes()).collect(),
            barrier: Barrier::new(parts),
            is_stopped: AtomicBool::new(false),
        }
    }
}

impl Run<'_> {
    /// Lets everything happen up to `until`. Returns why it stopped before, if it did.
    pub(crate) fn advance(&mut self, parts: &mut [Part], until: Time) -> Option<Stop> {
        let windows =
            Windows { partition: self.partition, done: self.done, until, lookahead: None };
        let (run, windows) = (&*self, &windows);
        let stop = thread::scope(|scope| {
            let (first, others) = parts.split_first_mut()?;
            for (part, it) in (1..).zip(others) {
                scope.spawn(move || run.work(part, it, windows.clone()));
            }
            run.work(0, first, windows.clone())
        });
        self.done = Some(until);
        stop
    }

    /// One part's work through all windows. The first part decides whether to stop.
    fn work(&self, number: usize, part: &mut Part, mut windows: Windows<'_>) -> Option<Stop> {
        let _guard = Guard(&self.barrier);
        let mut outgoing: Vec<Mail> = self.mail[number].iter().map(|_| Mail::default()).collect();
        while let Some(start) = windows.start() {
            let before = part.repeated();
            let mut events = if windows.is_change(start) { part.change_links(start) } else { 0 };
            let last = windows.end(start, &part.network);
            events += part.network.give_out(start, last, &mut outgoing);
            self.post(number, &mut outgoing);
            let stop = if number == 0 { self.decide(start) } else { None };
            if !self.barrier.wait() || self.is_stopped.load(Ordering::Acquire) {
                return stop;
            }
            for (from, mail) in self.mail.iter().enumerate().filter(|it| it.0 != number) {
                part.network.take_in(from, &mut lock(&mail[number]));
            }
            for end in ends(start, last, self.partition.window) {
                while part.step(end).is_some() {
                    events += 1;
                }
            }
            // What every part sees counts once.
            let repeated = if number == 0 { 0 } else { part.repeated() - before };
            self.events.fetch_add(events - repeated, Ordering::Relaxed);
            // What others take in was posted before they came here.
            if !self.barrier.wait() {
                return None;
            }
        }
        None
    }

    fn post(&self, number: usize, outgoing: &mut [Mail]) {
        let to_others = self.mail[number].iter().zip(outgoing).enumerate();
        for (_, (to, mail)) in to_others.filter(|it| it.0 != number) {
            std::mem::swap(&mut *lock(to), mail);
        }
    }

    /// Looks whether the run is to stop, and says how far it is.
    fn decide(&self, now: Time) -> Option<Stop> {
        self.control.report(now, self.events());
        let is_out = |most| self.started.elapsed() > most;
        let stop = match self.limits.real {
            _ if self.control.is_cancelled() => Stop::Cancelled,
            Some(most) if is_out(most) => Stop::OutOfRealTime,
            _ => return None,
        };
        self.is_stopped.store(true, Ordering::Release);
        Some(stop)
    }

    /// How many events there were.
    pub(crate) fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// Why the run ended.
    pub(crate) fn finish(&self, stop: Option<Stop>) -> Stop {
        let stop = stop.unwrap_or(Stop::Finished);
        if stop == Stop::Finished {
            self.control.report(self.limits.simulated, self.events());
        }
        stop
    }
}

/// Nobody panics while he holds it.
fn lock(mail: &Mutex<Mail>) -> std::sync::MutexGuard<'_, Mail> {
    mail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The windows up to an instant. A link between parts or islands changes only at the first instant
/// of a window, so that the least delay of those is the same through it.
#[derive(Clone)]
struct Windows<'a> {
    partition: &'a Partition,
    /// Everything up to this instant has happened; none at the beginning.
    done: Option<Time>,
    until: Time,
    /// How long windows are until the next change; none: it is not known yet.
    lookahead: Option<Duration>,
}

const INSTANT: Duration = Duration::from_picos(1);

impl Windows<'_> {
    /// The first instant of the next window.
    fn start(&self) -> Option<Time> {
        let start = self.done.map_or(Time::ZERO, |it| it + INSTANT);
        (start <= self.until).then_some(start)
    }

    /// Whether something changes for several parts or islands.
    fn is_change(&self, time: Time) -> bool {
        self.partition.changes.binary_search(&time).is_ok()
    }

    /// The last instant of the window that begins at `start`, when links have changed.
    fn end(&mut self, start: Time, network: &Network) -> Time {
        let changes = &self.partition.changes;
        let next = changes.partition_point(|it| *it <= start);
        if self.is_change(start) {
            self.lookahead = None;
        }
        let lookahead =
            *self.lookahead.get_or_insert_with(|| network.lookahead(&self.partition.cut));
        // Without links between parts, the run can be stopped where islands stand still.
        let is_cut = !self.partition.cut.is_empty();
        let length = if is_cut { lookahead } else { self.partition.window };
        let before_change =
            changes.get(next).map_or(Time::NEVER, |it| Time::from_picos(it.as_picos() - 1));
        let last = (start + (length - INSTANT)).min(before_change).min(self.until);
        self.done = Some(last);
        last
    }
}

/// The last instants of the windows of islands in a window of parts: they run one after another
/// through each, and wait for no other part meanwhile.
fn ends(start: Time, last: Time, window: Duration) -> impl Iterator<Item = Time> {
    let first = start + (window - INSTANT);
    let before_last = std::iter::successors(Some(first), move |it| Some(*it + window));
    before_last.take_while(move |it| *it < last).chain(std::iter::once(last))
}

/// Where parts wait for each other: for a short time by looking again and again, since
/// windows are short, and then asleep, since other programs may have the processors. Where these are
/// fewer than the parts, they sleep at once: those that are waited for need the processors.
struct Barrier {
    parts: usize,
    /// How often is looked before falling asleep.
    looks: u32,
    waiting: AtomicUsize,
    rounds: AtomicUsize,
    /// Whether a part will not come any more, because it panicked.
    is_broken: AtomicBool,
    /// Held by who falls asleep, while he looks for the last time.
    sleep: Mutex<()>,
    woken: Condvar,
}

/// Lets nobody wait for a part that panics.
struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.is_broken.store(true, Ordering::Release);
            self.0.wake_all();
        }
    }
}

impl Barrier {
    fn new(parts: usize) -> Self {
        const LOOKS: u32 = 2_000;
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            parts,
            looks: if parts > processors { 0 } else { LOOKS },
            waiting: AtomicUsize::new(0),
            rounds: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
            sleep: Mutex::default(),
            woken: Condvar::new(),
        }
    }

    /// Waits for all parts; returns whether they came.
    fn wait(&self) -> bool {
        let round = self.rounds.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.parts {
            self.waiting.store(0, Ordering::Relaxed);
            self.rounds.fetch_add(1, Ordering::Release);
            self.wake_all();
            return true;
        }
        let waits = || {
            let is_broken = self.is_broken.load(Ordering::Acquire);
            self.rounds.load(Ordering::Acquire) == round && !is_broken
        };
        for _ in 0..self.looks {
            if !waits() {
                break;
            }
            std::hint::spin_loop();
        }
        if waits() {
            let asleep = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
            drop(self.woken.wait_while(asleep, |()| waits()));
        }
        self.rounds.load(Ordering::Acquire) != round
    }

    /// Wakes those that sleep: who falls asleep has not looked yet, or hears it.
    fn wake_all(&self) {
        drop(self.sleep.lock().unwrap_or_else(PoisonError::into_inner));
        self.woken.notify_all();
    }
}
