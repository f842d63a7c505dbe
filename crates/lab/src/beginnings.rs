//! Runs that begin in the same way: of cases that differ in what begins later. What
//! they have in common is simulated once, and each goes on from a copy of that world.
//!
//! Who takes such a world first makes it, and the others wait for that. So that they need not,
//! and few worlds are kept, runs are taken in an order of their own ([`Beginnings::order`]).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use windtunnel_engine::{Control, Duration, Time};
use windtunnel_scenario::Study;
use windtunnel_world::{Plan, SeriesPlan, World, differ_from};

use crate::equal_cases::EqualCases;
use crate::series::CHUNK;

/// The rows of series that wait with a world for those who go on from it: some 130 MB.
const MOST_ROWS: u64 = 16 * CHUNK as u64;

/// The beginnings that runs of a study have in common.
#[derive(Debug)]
pub(crate) struct Beginnings {
    /// Of each run that has one: which, and how many of its runs are before this one.
    of: Vec<Option<(usize, usize)>>,
    all: Vec<Beginning>,
}

/// What some runs have in common.
#[derive(Debug)]
struct Beginning {
    /// The last moment before they differ.
    until: Time,
    shared: Mutex<Shared>,
}

/// The world of a beginning, in turns.
#[derive(Debug)]
struct Shared {
    /// How many runs have not taken it.
    waiting: usize,
    world: Option<World>,
}

impl Beginnings {
    /// Each run begins by itself.
    pub(crate) fn none(study: &Study) -> Self {
        Self { of: vec![None; study.total_runs()], all: Vec::new() }
    }

    /// Those of the cases of a study that are simulated. A limit of real time is that of a whole
    /// run, and what is written outside is not copied.
    pub(crate) fn of(study: &Study, equal: &EqualCases) -> Self {
        let mut beginnings = Self::none(study);
        if study.real_time_limit.is_none() {
            for mut cases in planned_alike(study, equal) {
                // Those that have most in common are beside each other.
                cases.sort_by_cached_key(|it| course(&study.cases[*it].plan));
                for cases in cases.chunk_by(|one, other| common(study, *one, *other).is_some()) {
                    let pairs = cases.windows(2);
                    let until = pairs.filter_map(|it| common(study, it[0], it[1])).min();
                    until.into_iter().for_each(|it| beginnings.add(study, cases, it));
                }
            }
        }
        beginnings
    }

    /// Adds what the runs of the same number of some cases have in common.
    fn add(&mut self, study: &Study, cases: &[usize], until: Time) {
        let runs = study.runs as usize;
        for number in 0..runs {
            for (rank, case) in cases.iter().enumerate() {
                self.of[case * runs + number] = Some((self.all.len(), rank));
            }
            let shared = Mutex::new(Shared { waiting: cases.len(), world: None });
            self.all.push(Beginning { until, shared });
        }
    }

    /// The order in which runs are taken, this many at a time: as many beginnings at a time, and
    /// in turns one run of each.
    pub(crate) fn order(&self, jobs: usize) -> Vec<usize> {
        let mut firsts = vec![usize::MAX; self.all.len().div_ceil(jobs)];
        let beginnings = self.of.iter().enumerate();
        for (run, (beginning, _)) in beginnings.filter_map(|(run, it)| Some((run, (*it)?))) {
            firsts[beginning / jobs] = firsts[beginning / jobs].min(run);
        }
        let mut order: Vec<usize> = (0..self.of.len()).collect();
        order.sort_by_key(|run| {
            self.of[*run].map_or((*run, 0, *run), |(it, rank)| (firsts[it / jobs], rank, *run))
        });
        order
    }

    /// The world of a run of this plan, at the last moment that it has in common with others. None
    /// if it begins by itself. `watch` is called with the world before more happens in it.
    pub(crate) fn world(
        &self,
        run: usize,
        plan: &Plan,
        control: &Control,
        watch: impl Fn(&mut World),
    ) -> Option<World> {
        let Beginning { until, shared } = &self.all[self.of[run]?.0];
        let mut shared = lock(shared);
        shared.waiting -= 1;
        let mut world = match shared.world.take() {
            Some(world) => world,
            None => kept(plan)?,
        };
        watch(&mut world);
        world.advance_unless_cancelled(*until, control);
        if shared.waiting > 0 && !control.is_cancelled() {
            shared.world = world.fork().ok();
        }
        world.continue_as(plan);
        Some(world)
    }
}

/// A panic elsewhere is that of another run.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The world of a plan, which keeps its series.
fn kept(plan: &Plan) -> Option<World> {
    let mut world = World::new(plan).ok()?;
    world.keep_series(plan);
    Some(world)
}

/// The cases that are simulated and planned alike but for what begins later.
fn planned_alike(study: &Study, equal: &EqualCases) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, case) in study.cases.iter().enumerate() {
        if let Some(beginning) = &case.beginning
            && equal.cases(place) > 0
            && !case.uses_extensions()
            && !case.uses_stacks()
        {
            groups.entry(beginning).or_default().push(place);
        }
    }
    let mut groups: Vec<_> = groups.into_values().filter(|it| it.len() > 1).collect();
    groups.sort();
    groups
}

/// What begins when in a plan, in order; what it is as a hash.
fn course(plan: &Plan) -> Vec<(Time, u64)> {
    let changes = plan.changes.iter().map(|it| (it.time, hash_of(it)));
    let flows = plan.flows.iter().map(|it| (it.start, hash_of(it)));
    let mut all: Vec<(Time, u64)> = changes.chain(flows).collect();
    all.sort_by_key(|it| it.0);
    all
}

fn hash_of(it: &impl Debug) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{it:?}").hash(&mut hasher);
    hasher.finish()
}

/// The last moment before two cases differ, if what is recorded until then is not too much.
fn common(study: &Study, one: usize, other: usize) -> Option<Time> {
    let [one, other] = [one, other].map(|it| &study.cases[it].plan);
    let differ = differ_from(one, other)?.min(one.end());
    let until = Time::from_picos(differ.as_picos().checked_sub(1)?);
    (rows(one, until) <= MOST_ROWS).then_some(until)
}

/// How many rows the series of a plan have until a time.
fn rows(plan: &Plan, until: Time) -> u64 {
    let (recording, links) = (&plan.recording, 2 * plan.links.len());
    let flows = plan.consumers.len() + plan.flows.len();
    let paths = plan.flows.iter().flat_map(|it| &it.multipath).map(|it| it.paths.len());
    let of = |it: &Option<SeriesPlan>, rows: usize| it.as_ref().map(|it| (it.interval, rows));
    let kinds = [
        of(&recording.flows, flows + paths.sum::<usize>()),
        of(&recording.links, links),
        of(&recording.nodes, plan.nodes.len()),
        recording.channels.map(|it| (it, links)),
        recording.routes.map(|it| (it, flows)),
        recording.playback.map(|it| (it, flows)),
    ];
    let samples = |interval: Duration| until.as_picos() / interval.as_picos().max(1);
    kinds.into_iter().flatten().map(|(interval, rows)| samples(interval) * rows as u64).sum()
}
