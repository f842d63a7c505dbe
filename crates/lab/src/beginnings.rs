//! Runs that begin in the same way: of cases that differ in later changes of links alone. What
//! they have in common is simulated once, and each goes on from a copy of that world.
//!
//! Who takes such a world first makes it, and the others wait for that. So that they need not,
//! and few worlds are kept, runs are taken in an order of their own ([`Beginnings::order`]).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use windtunnel_engine::{Control, Duration, Time};
use windtunnel_scenario::Study;
use windtunnel_world::{Plan, SeriesPlan, World, differ_from};

use crate::equal_cases::EqualCases;
use crate::extensions::uses_extensions;
use crate::series::CHUNK;

/// A copy of a world takes time and memory: what is shorter than this part of a run is simulated
/// by each.
const LEAST_PART: u64 = 10;

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
            for cases in alike(study, equal) {
                if let Some(until) = common(study, &cases) {
                    beginnings.add(study, &cases, until);
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

/// The cases that are simulated and planned alike but for changes of links.
fn alike(study: &Study, equal: &EqualCases) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, case) in study.cases.iter().enumerate() {
        if let Some(beginning) = &case.beginning
            && equal.cases(place) > 0
            && !uses_extensions(case)
        {
            groups.entry(beginning).or_default().push(place);
        }
    }
    let mut groups: Vec<_> = groups.into_values().filter(|it| it.len() > 1).collect();
    groups.sort();
    groups
}

/// The last moment before some cases differ, if what is before that is worth it.
fn common(study: &Study, cases: &[usize]) -> Option<Time> {
    let plan = |case: &usize| &study.cases[*case].plan;
    let (first, others) = cases.split_first()?;
    let differ: Option<Vec<Time>> =
        others.iter().map(|it| differ_from(plan(first), plan(it))).collect();
    let differ = differ?.into_iter().min()?.min(plan(first).end());
    let until = Time::from_picos(differ.as_picos().checked_sub(1)?);
    let is_worth_it = until.since(Time::ZERO) * LEAST_PART >= plan(first).duration
        && rows(plan(first), until) <= MOST_ROWS;
    is_worth_it.then_some(until)
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
