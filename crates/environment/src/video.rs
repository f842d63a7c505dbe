//! A player of an adaptive video, driven from outside segment by segment.
//!
//! The run has a thread of its own, which waits wherever the player asks for a level: the agent
//! answers at the simulated time at which a rule would have.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use windtunnel_applications::Workload;
use windtunnel_applications::video::Ladder;
use windtunnel_applications::video::rules::{
    Choice, Download, Rule, RuleMaker, RuleSettings, Situation,
};
use windtunnel_controllers::Failed;
use windtunnel_engine::Time;
use windtunnel_scenario::{Case, Mistake, ScenarioError, Study};
use windtunnel_world::{Plan, Transport, World, caught};

use crate::beginning::{self, Beginning, Opening};
use crate::driver::Driver;
use crate::{only, seeded};

/// What a player knows when it asks for a level, and what became of the one before; NaN where
/// there was none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VideoSignals {
    /// The segment to choose for, from 0; at the end, how many were received.
    pub segment: f64,
    /// The media in the buffer, in seconds.
    pub buffer_s: f64,
    /// The level of the segment before, from 0.
    pub level: f64,
    /// Its size, in bytes.
    pub bytes: f64,
    /// From its request to its first byte, in seconds.
    pub latency_s: f64,
    /// From its request to its last byte, in seconds.
    pub download_s: f64,
    /// How long playing stalled for it, in seconds.
    pub stalled_s: f64,
    /// How long nothing could be requested since, because the buffer was full, in seconds.
    pub waited_s: f64,
    /// Whether all segments were received: 1, or else 0.
    pub finished: f64,
}

impl VideoSignals {
    /// The fields' names, in the order of [`row`](Self::row).
    pub const NAMES: [&str; 9] = [
        "segment",
        "buffer_s",
        "level",
        "bytes",
        "latency_s",
        "download_s",
        "stalled_s",
        "waited_s",
        "finished",
    ];

    /// Before the first segment.
    const FIRST: Self = Self {
        segment: 0.0,
        buffer_s: 0.0,
        level: f64::NAN,
        bytes: f64::NAN,
        latency_s: f64::NAN,
        download_s: f64::NAN,
        stalled_s: 0.0,
        waited_s: 0.0,
        finished: 0.0,
    };

    /// The fields' values.
    #[must_use]
    pub fn row(&self) -> [f64; Self::NAMES.len()] {
        [
            self.segment,
            self.buffer_s,
            self.level,
            self.bytes,
            self.latency_s,
            self.download_s,
            self.stalled_s,
            self.waited_s,
            self.finished,
        ]
    }
}

/// An episode: one run of one case, on its own thread.
#[derive(Debug)]
struct Episode {
    answers: Sender<usize>,
    questions: Receiver<VideoSignals>,
    run: JoinHandle<Result<(), String>>,
    /// What was heard before the run's end.
    last: Arc<Mutex<VideoSignals>>,
}

impl Episode {
    /// Goes on with a world in which the player asks by that line, until `end`.
    fn begin(mut world: World, line: &SharedLine, end: Time) -> Self {
        let (answers, answered) = channel();
        let (asking, questions) = channel();
        let last = Arc::new(Mutex::new(VideoSignals::FIRST));
        *lock(line) = Some(Line { asking, answered, last: Arc::clone(&last) });
        let hung_up = HungUp(Arc::clone(line));
        let run = std::thread::spawn(move || {
            let _at_the_end = hung_up;
            caught(|| world.advance(end))
        });
        Self { answers, questions, run, last }
    }

    /// What the player asks with; none if the run is over.
    fn next(&self) -> Option<VideoSignals> {
        self.questions.recv().ok()
    }

    /// Why it ended, if it was not at its end, and what was heard last.
    fn end(self) -> Result<VideoSignals, String> {
        let Self { answers, questions, run, last } = self;
        drop((answers, questions));
        match run.join() {
            Ok(ended) => {
                let last = *last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.finished > 0.0 { Ok(last) } else { ended.map(|()| last) }
            }
            Err(fault) => std::panic::resume_unwind(fault),
        }
    }
}

/// One player of adaptive video in a scenario, driven segment by segment.
#[derive(Debug)]
pub struct VideoEnvironment {
    study: Arc<Study>,
    /// The flow in each case.
    flows: Vec<usize>,
    episode: Option<Episode>,
    is_over: bool,
    /// That of the player in the episode; in the world that is kept, nothing asks.
    line: SharedLine,
    /// That of the last episode, if the player does not start at time zero.
    beginning: Option<Beginning>,
}

impl VideoEnvironment {
    /// Of the flow of that name, or the only one with an adaptive video.
    ///
    /// # Errors
    /// [`ScenarioError`] if a case has no such flow, or not as many levels as the first.
    pub fn new(study: Arc<Study>, flow: Option<&str>) -> Result<Self, ScenarioError> {
        let mut levels = None;
        let mut place = |case: &Case| {
            let flow = place(&case.plan, flow)?;
            let count = ladder(&case.plan, flow).bitrates().len();
            if *levels.get_or_insert(count) != count {
                return Err(Mistake::new(
                    "the videos of the cases have different numbers of levels",
                )
                .help("an agent chooses from the same levels in all cases"));
            }
            Ok(flow)
        };
        let mut located = |case: &Case| {
            place(case).map_err(|it| {
                let names = (!case.names.is_empty()).then(|| case.names.join(", "));
                it.locate("flow", "", names)
            })
        };
        let flows = study.cases.iter().map(&mut located).collect::<Result<_, _>>()?;
        Ok(Self {
            study,
            flows,
            episode: None,
            is_over: true,
            line: SharedLine::default(),
            beginning: None,
        })
    }

    /// The levels and segments of a case.
    ///
    /// # Panics
    /// If there is no such case.
    #[must_use]
    pub fn ladder(&self, case: usize) -> &Ladder {
        ladder(&self.study.cases[case].plan, self.flows[case])
    }

    /// Begins an episode: a run of a case, with a seed of its own, to the first question.
    ///
    /// # Errors
    /// Why something from outside could not be made, or go on.
    ///
    /// # Panics
    /// If there is no such case.
    pub fn reset(
        &mut self,
        case: usize,
        seed: u64,
        driver: Driver,
    ) -> Result<VideoSignals, String> {
        self.leave();
        let (of, flow) = (Opening { case, seed, driver }, self.flows[case]);
        let case = &self.study.cases[case];
        let plan = || with_agent(seeded(&case.plan, seed), flow, driver, &self.line);
        let start = case.plan.flows[flow].start;
        let world = beginning::world(&mut self.beginning, of, start, case, plan)?;
        self.episode = Some(Episode::begin(world, &self.line, case.plan.end()));
        self.is_over = false;
        self.go_on()
    }

    /// Requests the next segment at that level, and goes on to the question after it.
    ///
    /// # Errors
    /// If no episode is under way, and why something from outside could not go on.
    pub fn step(&mut self, level: usize) -> Result<VideoSignals, String> {
        let episode = self.episode.as_ref();
        let episode = episode.ok_or("there is no episode; call reset first")?;
        // A run that is over does not listen: `go_on` says so.
        let _ = episode.answers.send(level);
        self.go_on()
    }

    /// Whether the scenario's end is reached, all segments are received, or no episode has begun.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    fn go_on(&mut self) -> Result<VideoSignals, String> {
        match self.episode.as_ref().and_then(Episode::next) {
            Some(asked) => Ok(asked),
            None => {
                self.is_over = true;
                self.episode.take().map_or_else(|| Ok(VideoSignals::FIRST), Episode::end)
            }
        }
    }

    /// Ends the episode that is under way.
    fn leave(&mut self) {
        if let Some(episode) = self.episode.take() {
            // It ends because nobody answers.
            let _ = episode.end();
        }
    }
}

impl Drop for VideoEnvironment {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The flow of that name, or the only one with an adaptive video.
fn place(plan: &Plan, flow: Option<&str>) -> Result<usize, Mistake> {
    let flows = plan.flows.iter().enumerate();
    let flows = flows.filter(|(_, it)| adaptive(&it.transport).is_some());
    let all: Vec<(&str, usize)> = flows.map(|(place, it)| (it.name.as_str(), place)).collect();
    only(&all, flow, "an adaptive video")
}

fn adaptive(transport: &Transport) -> Option<&windtunnel_applications::video::AdaptiveSettings> {
    match transport {
        Transport::Tcp { workload: Workload::AdaptiveVideo(it), .. } => Some(it),
        _ => None,
    }
}

fn ladder(plan: &Plan, flow: usize) -> &Ladder {
    let settings = adaptive(&plan.flows[flow].transport);
    &settings.expect("the flow has an adaptive video").ladder
}

/// A plan in which that flow's player asks by a line.
fn with_agent(mut plan: Plan, flow: usize, driver: Driver, line: &SharedLine) -> Plan {
    let Transport::Tcp { workload: Workload::AdaptiveVideo(video), .. } =
        &mut plan.flows[flow].transport
    else {
        unreachable!("the flow has an adaptive video")
    };
    let own = (driver == Driver::Own).then(|| video.rule.clone());
    let maker = AgentRuleMaker { own, line: Arc::clone(line) };
    video.rule = RuleSettings::External(Arc::new(maker));
    plan
}

// -- In the run ----------------------------------------------------------------

/// Between the player and its environment.
#[derive(Debug)]
struct Line {
    asking: Sender<VideoSignals>,
    answered: Receiver<usize>,
    last: Arc<Mutex<VideoSignals>>,
}

/// The line of the episode that is under way, if there is one.
type SharedLine = Arc<Mutex<Option<Line>>>;

fn lock(line: &SharedLine) -> MutexGuard<'_, Option<Line>> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a line with the run: nobody waits for a question any more.
struct HungUp(SharedLine);

impl Drop for HungUp {
    fn drop(&mut self) {
        *lock(&self.0) = None;
    }
}

/// Makes the rule of the player that is driven.
#[derive(Debug)]
struct AgentRuleMaker {
    /// The player's own rule, if it decides.
    own: Option<RuleSettings>,
    line: SharedLine,
}

impl RuleMaker for AgentRuleMaker {
    fn name(&self) -> &str {
        self.own.as_ref().map_or("agent", RuleSettings::name)
    }

    fn rule(&self, ladder: &Ladder, maximum_buffer: f64) -> Box<dyn Rule> {
        let line = Arc::clone(&self.line);
        let own = self.own.as_ref().map(|it| it.rule(ladder, maximum_buffer));
        Box::new(Seated { own, line, heard: VideoSignals::FIRST })
    }
}

/// The rule of the player that is driven.
#[derive(Clone, Debug)]
struct Seated {
    own: Option<Box<dyn Rule>>,
    line: SharedLine,
    heard: VideoSignals,
}

impl Seated {
    fn remember(&self) {
        if let Some(line) = &*lock(&self.line) {
            *line.last.lock().unwrap_or_else(PoisonError::into_inner) = self.heard;
        }
    }

    /// The agent's level, unless it has left the episode.
    fn ask(&self) -> Option<usize> {
        let line = lock(&self.line);
        let line = line.as_ref()?;
        line.asking.send(self.heard).ok()?;
        line.answered.recv().ok()
    }
}

/// The episode is left: nobody needs the rest of the run.
fn leave() -> ! {
    std::panic::resume_unwind(Box::new(Failed("the episode was left".to_owned())))
}

impl Rule for Seated {
    fn choose(&mut self, situation: &Situation<'_>) -> Choice {
        self.heard.segment = situation.segment as f64;
        self.heard.buffer_s = situation.buffer;
        self.remember();
        let Some(level) = self.ask() else { leave() };
        self.heard.waited_s = 0.0;
        self.own.as_mut().map_or_else(|| level.into(), |own| own.choose(situation))
    }

    fn on_download(&mut self, ladder: &Ladder, download: &Download) {
        if let Some(own) = &mut self.own {
            own.on_download(ladder, download);
        }
        let received = self.heard.segment as usize + 1;
        self.heard = VideoSignals {
            segment: received as f64,
            buffer_s: download.buffer,
            level: download.level as f64,
            bytes: download.bytes as f64,
            latency_s: download.latency,
            download_s: download.time,
            stalled_s: download.stalled,
            waited_s: 0.0,
            finished: f64::from(received == ladder.segments()),
        };
        self.remember();
        if received == ladder.segments() {
            leave();
        }
    }

    fn on_full(&mut self, seconds: f64) {
        if let Some(own) = &mut self.own {
            own.on_full(seconds);
        }
        self.heard.waited_s += seconds;
    }
}
