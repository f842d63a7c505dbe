//! Flows of a scenario driven from outside, a step at a time: what learning agents need.
//!
//! Each flow's sender gets a controller that answers with what its agent said last, and hears
//! what every controller hears. Nothing else of the network is told, and agents learn of each
//! other only by what their flows do to the network.

mod agent;
mod answer;
mod beginning;
mod driver;
mod video;

use std::sync::Arc;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use windtunnel_controllers::{Settings, Window};
use windtunnel_engine::{Duration, Time};
use windtunnel_scenario::{Case, Mistake, ScenarioError, Study, list, suggestion};
use windtunnel_world::{ConsumerPlan, FlowPlan, Plan, Transport, World, caught};

use agent::{AgentMaker, Shared, lock};
pub use answer::Answer;
use beginning::{Beginning, Opening};
pub use driver::Driver;
pub use video::{VideoEnvironment, VideoSignals};

/// What a flow's sender was told in the course of a step; what it does not know is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signals {
    /// The simulated time that was reached, in seconds.
    pub time_s: f64,
    /// How long the step was, in seconds.
    pub interval_s: f64,
    /// Data newly delivered, in segments.
    pub delivered: f64,
    /// The same over the step, in bits per second.
    pub delivered_bps: f64,
    /// Data newly held to be lost, in segments.
    pub lost: f64,
    /// The delivered data that a router marked, in segments, where the transport counts it.
    pub marked: f64,
    /// The mean of the step's round trips, in seconds.
    pub rtt_s: f64,
    /// The transport's smoothed round trip, in seconds.
    pub smoothed_rtt_s: f64,
    /// The least round trip so far, in seconds.
    pub rtt_minimum_s: f64,
    /// Data in flight after the last acknowledgement, in segments.
    pub in_flight: f64,
    /// The window that is in force, in segments.
    pub cwnd: f64,
    /// Congestion signals that were no timeout.
    pub congestions: f64,
    /// Retransmission timeouts.
    pub timeouts: f64,
    /// Whether the flow has nothing more to carry: 1, or else 0.
    pub finished: f64,
}

impl Signals {
    /// The fields' names, in the order of [`row`](Self::row).
    pub const NAMES: [&str; 14] = [
        "time_s",
        "interval_s",
        "delivered",
        "delivered_bps",
        "lost",
        "marked",
        "rtt_s",
        "smoothed_rtt_s",
        "rtt_minimum_s",
        "in_flight",
        "cwnd",
        "congestions",
        "timeouts",
        "finished",
    ];

    /// The fields' values.
    #[must_use]
    pub fn row(&self) -> [f64; Self::NAMES.len()] {
        [
            self.time_s,
            self.interval_s,
            self.delivered,
            self.delivered_bps,
            self.lost,
            self.marked,
            self.rtt_s,
            self.smoothed_rtt_s,
            self.rtt_minimum_s,
            self.in_flight,
            self.cwnd,
            self.congestions,
            self.timeouts,
            self.finished,
        ]
    }
}

// -- The environment ---------------------------------------------------------

/// Which of a plan's flows is stepped.
#[derive(Clone, Copy, Debug)]
enum FlowIndex {
    Consumer(usize),
    Flow(usize),
}

/// Which flows or consumers with a controller have an agent.
#[derive(Clone, Copy, Debug)]
pub enum Agents<'a> {
    /// That of the only one.
    Only,
    /// Those of these, by their names.
    Of(&'a [String]),
    /// All of them.
    All,
}

/// A flow in an episode.
#[derive(Debug)]
struct Driven {
    flow: FlowIndex,
    shared: Shared,
    /// What makes its controllers.
    controller: Settings,
    segment_bits: f64,
}

/// An episode: one run of one case, from the start of the first of its agents' flows on.
#[derive(Debug)]
struct Episode {
    world: World,
    flows: Vec<Driven>,
    time: Time,
    end: Time,
}

/// Flows of one run of a scenario, driven step by step.
#[derive(Debug)]
pub struct Environment {
    study: Arc<Study>,
    /// The flows in each case.
    flows: Vec<Vec<FlowIndex>>,
    interval: Duration,
    episode: Option<Episode>,
    /// That of the last episode, if agents do not act from time zero on.
    beginning: Option<Beginning>,
}

impl Environment {
    /// Of the flows or consumers that have an agent; each step lasts an `interval`.
    ///
    /// # Errors
    /// [`ScenarioError`] if a case has no such flow, or no agent can drive it.
    pub fn new(
        study: Arc<Study>,
        agents: Agents<'_>,
        interval: Duration,
    ) -> Result<Self, ScenarioError> {
        let flows = |case: &Case| {
            flows(&case.plan, agents).map_err(|it| {
                let case = (!case.names.is_empty()).then(|| case.names.join(", "));
                it.locate("flow", "", case)
            })
        };
        let flows: Vec<Vec<FlowIndex>> = study.cases.iter().map(flows).collect::<Result<_, _>>()?;
        let wrong = |it: Mistake| Err(it.locate("interval", "", None));
        if interval == Duration::ZERO {
            return wrong(
                Mistake::new("the step must be greater than zero").help("write one such as 0.01 s"),
            );
        }
        let names = |case: usize| names(&study.cases[case].plan, &flows[case]);
        if (1..flows.len()).any(|case| names(case) != names(0)) {
            let mistake = Mistake::new("the cases do not have the same flows with a controller");
            return Err(mistake
                .help("name those that agents control, which each case must have")
                .locate("flow", "", None));
        }
        Ok(Self { study, flows, interval, episode: None, beginning: None })
    }

    /// The names of the flows, in the order of their answers and signals.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        names(&self.study.cases[0].plan, &self.flows[0])
    }

    /// Begins an episode; that of `opening`, if one is kept, is the world's.
    fn reset(&mut self, opening: Opening) -> Result<Vec<Signals>, String> {
        self.episode = None;
        let case = &self.study.cases[opening.case];
        let drive = |place: &FlowIndex| Driven::new(&case.plan, *place, opening.driver);
        let flows: Vec<Driven> = self.flows[opening.case].iter().map(drive).collect();
        let starts = flows.iter().map(|it| it.flow.start(&case.plan));
        let (end, time) = (case.plan.end(), starts.fold(case.plan.end(), Time::min));
        let plan = || flows.iter().fold(seeded(&case.plan, opening.seed), Driven::planned);
        let mut world = beginning::world(&mut self.beginning, opening, time, case, plan)?;
        flows.iter().for_each(|it| it.seat(&mut world));
        let episode = Episode { world, flows, time, end };
        Ok(self.episode.insert(episode).signals(Duration::ZERO))
    }

    /// Lets a step's time pass with an answer for each flow, which counts from its next
    /// acknowledgement on; without one the answer before counts on. Nothing passes after the
    /// scenario's end.
    ///
    /// # Errors
    /// If a window is not finite, or no episode has begun; and why a controller from
    /// outside could not go on, with which the episode ends.
    pub fn step(&mut self, answers: &[Option<Answer>]) -> Result<Vec<Signals>, String> {
        answers.iter().flatten().try_for_each(Answer::check)?;
        let mut episode = self.episode.take().ok_or("there is no episode; call reset first")?;
        for (flow, answer) in episode.flows.iter().zip(answers) {
            if answer.is_some() {
                lock(&flow.shared).answer = *answer;
            }
        }
        let before = episode.time;
        episode.time = (before + self.interval).min(episode.end);
        caught(|| episode.world.advance(episode.time))?;
        let signals = episode.signals(episode.time.since(before));
        self.episode = Some(episode);
        Ok(signals)
    }

    /// Whether the scenario's end is reached, or no episode has begun.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.episode.as_ref().is_none_or(|it| it.time >= it.end)
    }
}

impl Episode {
    fn signals(&self, interval: Duration) -> Vec<Signals> {
        self.flows.iter().map(|it| self.signals_of(it, interval)).collect()
    }

    fn signals_of(&self, flow: &Driven, interval: Duration) -> Signals {
        let heard = lock(&flow.shared).take();
        let interval_s = interval.as_seconds();
        let is_finished = match flow.flow {
            FlowIndex::Consumer(it) => {
                self.world.consumers().nth(it).is_some_and(|it| it.finished().is_some())
            }
            FlowIndex::Flow(it) => self.world.flow_finished(it).is_some(),
        };
        let rate = heard.delivered * flow.segment_bits / interval_s;
        Signals {
            time_s: self.time.as_seconds(),
            interval_s,
            delivered: heard.delivered,
            delivered_bps: if heard.delivered > 0.0 { rate } else { 0.0 },
            lost: heard.lost,
            marked: heard.marked,
            rtt_s: heard.rtt_sum / heard.rtt_samples as f64,
            smoothed_rtt_s: heard.smoothed_rtt.unwrap_or(f64::NAN),
            rtt_minimum_s: heard.rtt_minimum.unwrap_or(f64::NAN),
            in_flight: heard.in_flight,
            cwnd: heard.cwnd,
            congestions: heard.congestions as f64,
            timeouts: heard.timeouts as f64,
            finished: f64::from(is_finished),
        }
    }
}

impl FlowIndex {
    /// When it starts, at the earliest.
    fn start(self, plan: &Plan) -> Time {
        match self {
            Self::Consumer(it) => plan.consumers[it].settings.start,
            Self::Flow(it) => plan.flows[it].start,
        }
    }
}

/// A plan with another seed.
fn seeded(plan: &Plan, seed: u64) -> Plan {
    Plan { seed, ..plan.clone() }
}

/// The flows that have an agent.
fn flows(plan: &Plan, agents: Agents<'_>) -> Result<Vec<FlowIndex>, Mistake> {
    let all = with_controller(plan);
    let flows = match agents {
        Agents::Only => vec![only(&all, None, "a controller")?],
        Agents::Of(names) => each_once(&all, names)?,
        Agents::All if all.is_empty() => vec![only(&all, None, "a controller")?],
        Agents::All => all.into_iter().map(|it| it.1).collect(),
    };
    flows.iter().try_for_each(|it| check(plan, *it))?;
    Ok(flows)
}

/// All flows and consumers with a controller.
fn with_controller(plan: &Plan) -> Vec<(&str, FlowIndex)> {
    let consumers = plan.consumers.iter().enumerate();
    let consumers = consumers.map(|(place, it)| (it.name.as_str(), FlowIndex::Consumer(place)));
    let over_tcp = |it: &Transport| matches!(it, Transport::Tcp { .. });
    let flows = plan.flows.iter().enumerate().filter(|(_, it)| over_tcp(&it.transport));
    let flows = flows.map(|(place, it)| (it.name.as_str(), FlowIndex::Flow(place)));
    consumers.chain(flows).collect()
}

/// The flows of those names.
fn each_once(all: &[(&str, FlowIndex)], names: &[String]) -> Result<Vec<FlowIndex>, Mistake> {
    let twice = |(place, name): (usize, &String)| names[..place].contains(name);
    if let Some(place) = (0..names.len()).find(|it| twice((*it, &names[*it]))) {
        return Err(Mistake::new(format!("flow `{}` is named twice", names[place]))
            .help("each flow has one agent"));
    }
    if names.is_empty() {
        return Err(Mistake::new("no flow is named").help("each agent controls one flow"));
    }
    names.iter().map(|it| only(all, Some(it), "a controller")).collect()
}

fn names<'a>(plan: &'a Plan, flows: &[FlowIndex]) -> Vec<&'a str> {
    let name = |place: &FlowIndex| match *place {
        FlowIndex::Consumer(it) => plan.consumers[it].name.as_str(),
        FlowIndex::Flow(it) => plan.flows[it].name.as_str(),
    };
    flows.iter().map(name).collect()
}

/// Refuses a flow with more than one sender.
fn check(plan: &Plan, flow: FlowIndex) -> Result<(), Mistake> {
    let FlowIndex::Flow(flow) = flow else { return Ok(()) };
    let FlowPlan { name, split, multipath, .. } = &plan.flows[flow];
    if split.is_some() {
        return Err(Mistake::new(format!("proxies split flow `{name}` into connections"))
            .help("remove `split`: an agent controls one sender"));
    }
    if multipath.is_some() {
        return Err(Mistake::new(format!("flow `{name}` takes several paths"))
            .help("remove `multipath`: an agent controls one sender"));
    }
    Ok(())
}

/// Of all flows with something the one of that name, or the only one.
fn only<T: Copy>(all: &[(&str, T)], flow: Option<&str>, with: &str) -> Result<T, Mistake> {
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    match (flow, all) {
        (Some(flow), _) => {
            let found = all.iter().find(|(name, _)| *name == flow);
            found.map(|it| it.1).ok_or_else(|| {
                Mistake::new(format!("there is no flow `{flow}` that has {with}"))
                    .help(suggestion(flow, &names))
            })
        }
        (None, [only]) => Ok(only.1),
        (None, []) => Err(Mistake::new(format!("the scenario has no flow with {with}"))),
        (None, _) => Err(Mistake::new(format!("the scenario has several flows with {with}"))
            .help(format!("name one of them: {}", list(&names)))),
    }
}

impl Driven {
    /// A flow that is driven from outside.
    fn new(plan: &Plan, flow: FlowIndex, driver: Driver) -> Self {
        let (own, start, segment) = match flow {
            FlowIndex::Consumer(it) => {
                let ConsumerPlan { settings, controller, .. } = &plan.consumers[it];
                (controller, settings.window.start(), settings.segment_size)
            }
            FlowIndex::Flow(it) => {
                let Transport::Tcp { settings, .. } = &plan.flows[it].transport else {
                    unreachable!("only flows over TCP have an index")
                };
                (&settings.controller, settings.start(), u32::from(settings.maximum_segment))
            }
        };
        let shared = Shared::default();
        // What is in force before the connection is there.
        lock(&shared).cwnd = Window::new(start).cwnd();
        let own = (driver == Driver::Own).then(|| own.clone());
        let maker = AgentMaker { shared: Arc::clone(&shared), own };
        let controller = Settings::external(Arc::new(maker));
        Self { flow, shared, controller, segment_bits: 8.0 * f64::from(segment) }
    }

    /// The plan in which it is.
    fn planned(mut plan: Plan, it: &Self) -> Plan {
        match it.flow {
            FlowIndex::Consumer(flow) => plan.consumers[flow].controller = it.controller.clone(),
            FlowIndex::Flow(flow) => {
                let Transport::Tcp { settings, .. } = &mut plan.flows[flow].transport else {
                    unreachable!("only flows over TCP have an index")
                };
                Arc::make_mut(settings).controller = it.controller.clone();
            }
        }
        plan
    }

    /// Has it driven in a world in which it has not begun.
    fn seat(&self, world: &mut World) {
        match self.flow {
            FlowIndex::Consumer(it) => world.set_consumer_controller(it, &self.controller),
            FlowIndex::Flow(it) => world.set_flow_controller(it, &self.controller),
        }
    }
}

// -- Several -----------------------------------------------------------------

/// Environments of one scenario, stepped side by side on threads.
#[derive(Debug)]
pub struct Environments {
    all: Vec<Environment>,
    /// Where there is something to share out.
    pool: Option<ThreadPool>,
}

impl Environments {
    /// This many of them, as [`Environment::new`] makes one, on this many threads.
    ///
    /// # Errors
    /// Those of [`Environment::new`].
    ///
    /// # Panics
    /// If the system starts no threads.
    pub fn new(
        study: Study,
        agents: Agents<'_>,
        interval: Duration,
        count: usize,
        threads: usize,
    ) -> Result<Self, ScenarioError> {
        let study = Arc::new(study);
        let all = (0..count).map(|_| Environment::new(Arc::clone(&study), agents, interval));
        let all: Vec<Environment> = all.collect::<Result<_, _>>()?;
        let threads = threads.min(count);
        let pool = (threads > 1).then(|| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("the system starts threads")
        });
        Ok(Self { all, pool })
    }

    /// Begins an episode in one of them, when the first of its agents' flows starts: a run of a case,
    /// with a seed. Before that it is the same for the same case, seed and driver: what is still there
    /// of such an episode, of this one or of another, is not simulated again.
    ///
    /// # Errors
    /// Why a controller from outside could not be made, or go on.
    ///
    /// # Panics
    /// If there is no such case, or not this many environments.
    pub fn reset(
        &mut self,
        place: usize,
        case: usize,
        seed: u64,
        driver: Driver,
    ) -> Result<Vec<Signals>, String> {
        let opening = Opening { case, seed, driver };
        let mut beginnings = self.all.iter().filter_map(|it| it.beginning.as_ref());
        let known = beginnings.find(|it| it.is_of(opening)).cloned();
        let one = &mut self.all[place];
        one.beginning = known;
        one.reset(opening)
    }

    /// One of them.
    ///
    /// # Panics
    /// If there are not this many.
    pub fn one(&mut self, place: usize) -> &mut Environment {
        &mut self.all[place]
    }

    /// How many flows each of them drives.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.all.first().map_or(0, |it| it.flows[0].len())
    }

    /// Steps all those of which a flow has an answer; `answers` has those of each environment
    /// one after the other. The results are in the order of the environments.
    ///
    /// # Errors
    /// The first one's of [`Environment::step`].
    pub fn step(
        &mut self,
        answers: &[Option<Answer>],
    ) -> Result<Vec<Option<Vec<Signals>>>, String> {
        let agents = self.agents();
        let step = |(it, answers): (&mut Environment, &[Option<Answer>])| {
            answers.iter().any(Option::is_some).then(|| it.step(answers)).transpose()
        };
        match &self.pool {
            // One thread's share is one piece of work: a step is short.
            Some(pool) => pool.install(|| {
                let share = self.all.len().div_ceil(pool.current_num_threads());
                let all = self.all.par_iter_mut().zip(answers.par_chunks_exact(agents));
                all.with_min_len(share).map(step).collect()
            }),
            None => self.all.iter_mut().zip(answers.chunks_exact(agents)).map(step).collect(),
        }
    }
}
