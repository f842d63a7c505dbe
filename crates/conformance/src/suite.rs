//! A suite of cases, as its file has it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use windtunnel_controllers::{Nanoseconds, Need, Signal, Start};
use windtunnel_engine::Duration;
use windtunnel_reading::error::{Mistake, ScenarioError, list, suggestion};
use windtunnel_reading::located::Located;
use windtunnel_reading::units::Measured;
use windtunnel_reading::{reader, tree};

use crate::bound::Bound;
use crate::network::Network;
use crate::quantity::ControllerQuantity;

/// The cases that follow from a document.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Suite {
    /// What it is about.
    pub title: String,
    /// The document that its cases follow from, with its revision.
    pub document: String,
    /// The registered controllers that it is made for.
    pub controllers: Vec<String>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// Something that must hold, and how it is seen.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Case {
    /// Its name in the suite.
    pub name: Located<String>,
    /// What must hold, in words.
    pub holds: String,
    /// The section of the document that it follows from.
    pub source: String,
    /// What reports the notes of the document itself: where it contradicts itself, or is open.
    #[serde(default)]
    pub note: Option<String>,
    /// What a controller must declare for the case to apply, by the names of [`Need`].
    #[serde(default)]
    pub needs: Vec<Located<String>>,
    /// Registered controllers that are known to fail.
    #[serde(default)]
    pub fails: Vec<KnownFailure>,
    /// How the connection begins.
    #[serde(default)]
    pub start: Beginning,
    /// What happens, in this order.
    #[serde(default, skip_serializing)]
    pub steps: Vec<Located<Step>>,
    /// In place of steps: a network on which it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// A controller that is known to fail a case, and why.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct KnownFailure {
    /// Its name.
    pub controller: String,
    /// Why that is so.
    pub reason: String,
}

/// How a connection begins: windows in segments.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct Beginning {
    /// The initial window.
    pub window: f64,
    /// The minimum after a decrease.
    pub minimum: f64,
    /// The window after a timeout.
    pub restart: f64,
    /// The round trip.
    pub rtt: Measured<Duration>,
    /// The round trip that the handshake has measured; without it, none.
    pub handshake: Option<Measured<Duration>>,
    /// What the path delivers, in segments per second; without it, whatever is sent.
    pub rate: Option<f64>,
}

impl Default for Beginning {
    fn default() -> Self {
        let start = Start::default();
        Self {
            window: start.initial_window,
            minimum: start.minimum_window,
            restart: start.restart_window,
            rtt: Measured(Duration::from_millis(100)),
            handshake: None,
            rate: None,
        }
    }
}

/// Something that happens to a connection, and what must hold after it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Step {
    /// Round trips, or the most of them if there is `until`.
    pub rounds: Option<u32>,
    /// An acknowledgement of so many segments.
    pub acknowledge: Option<f64>,
    /// A congestion signal.
    pub signal: Option<SignalName>,
    /// The last congestion signal was spurious.
    pub spurious: bool,
    /// What was signalled last is repaired.
    pub recovered: bool,
    /// The application has nothing to send for so long, and then begins again.
    pub idle: Option<Measured<Duration>>,
    /// Nothing happens for so long.
    pub wait: Option<Measured<Duration>>,
    /// How often an acknowledgement or a signal comes; default: once.
    pub times: Option<u32>,
    /// When the round trips end.
    pub until: Option<Expectations>,
    /// The round trip from here on.
    pub rtt: Option<Measured<Duration>>,
    /// What the path delivers from here on, in segments per second.
    pub rate: Option<f64>,
    /// Acknowledgements in a round trip; default: one for each segment of the window, or a single
    /// one if the path has a rate.
    pub acknowledgements: Option<u32>,
    /// The time before each acknowledgement; default: none, or the share of a round trip.
    pub after: Option<Measured<Duration>>,
    /// Delivered segments between two losses, each of which is signalled.
    pub loss_every: Option<f64>,
    /// Delivered segments between two that were marked; the marks of a round trip are signalled once.
    pub mark_every: Option<f64>,
    /// Segments in flight after it; default: the window, or what the path holds if that is less.
    pub in_flight: Option<f64>,
    /// Segments in flight when the acknowledged data was sent; default: as many.
    pub in_flight_at_send: Option<f64>,
    /// Segments that it reports as lost.
    pub lost: Option<f64>,
    /// Segments that were lost since the acknowledged data was sent; default: `lost`.
    pub lost_since_send: Option<f64>,
    /// The share of the delivered data that was marked.
    pub marked: Option<f64>,
    /// Whether the application limited the sender when the data was sent.
    pub application_limited: bool,
    /// Whether the window limits the sender; default: true.
    pub window_limited: Option<bool>,
    /// Whether the transport is in loss recovery.
    pub recovering: bool,
    /// Whether a single acknowledgement is the first of a round trip.
    pub new_round: bool,
    /// Whether it has no sample of the round trip, as one of a retransmitted segment.
    pub without_sample: bool,
    /// What must hold then.
    pub expect: Option<Expectations>,
}

/// The names of congestion signals.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignalName {
    /// A loss.
    Loss,
    /// A mark of a router.
    Mark,
    /// A rejection by a router.
    Nack,
    /// A retransmission timeout.
    Timeout,
}

impl From<SignalName> for Signal {
    fn from(name: SignalName) -> Self {
        match name {
            SignalName::Loss => Self::Loss,
            SignalName::Mark => Self::Mark,
            SignalName::Nack => Self::Nack,
            SignalName::Timeout => Self::Timeout,
        }
    }
}

/// What must hold of a controller after a step. Windows are in segments.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Expectations {
    /// The window.
    pub cwnd: Option<Bound>,
    /// The slow-start threshold.
    pub ssthresh: Option<Bound>,
    /// The pacing rate, in segments per second.
    pub pacing_rate: Option<Bound>,
    /// The pacing rate over what the path delivers.
    pub pacing_gain: Option<Bound>,
    /// By how much the step changed the window.
    pub growth: Option<Bound>,
    /// The window over that before the step.
    pub ratio: Option<Bound>,
    /// The mean window of the step's round trips.
    pub mean_cwnd: Option<Bound>,
    /// The round trips of the step.
    pub rounds: Option<Bound>,
}

impl Expectations {
    /// The names of what is expected, and how it is bounded.
    pub(crate) fn each(&self) -> impl Iterator<Item = (ControllerQuantity, &Bound)> {
        use ControllerQuantity as Q;
        let all = [
            (Q::Cwnd, &self.cwnd),
            (Q::Ssthresh, &self.ssthresh),
            (Q::PacingRate, &self.pacing_rate),
            (Q::PacingGain, &self.pacing_gain),
            (Q::Growth, &self.growth),
            (Q::Ratio, &self.ratio),
            (Q::MeanCwnd, &self.mean_cwnd),
            (Q::Rounds, &self.rounds),
        ];
        all.into_iter().filter_map(|(quantity, bound)| Some((quantity, bound.as_ref()?)))
    }
}

impl Suite {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`ScenarioError`] with the place of what is wrong.
    pub fn read(file: &str, text: &str) -> Result<Self, ScenarioError> {
        Self::checked(text).map_err(|it| it.locate(file, text, None))
    }

    fn checked(text: &str) -> Result<Self, Mistake> {
        let suite: Self = reader::read(tree::parse(text)?)?;
        let mut names = BTreeSet::new();
        for case in &suite.cases {
            if !names.insert(&case.name.value) {
                let message = format!("there is another case `{}`", case.name.value);
                return Err(case.name.mistake(message).help("give each case a name of its own"));
            }
            case.check()?;
        }
        Ok(suite)
    }

    /// The case of that name.
    #[must_use]
    pub fn case(&self, name: &str) -> Option<&Case> {
        self.cases.iter().find(|it| it.name.value == name)
    }
}

impl Case {
    fn check(&self) -> Result<(), Mistake> {
        for need in &self.needs {
            let known: Vec<&str> = Need::ALL.iter().map(|it| it.name()).collect();
            need.checked(
                |it| known.contains(&it.as_str()),
                || format!("unknown need `{}`", need.value),
                &suggestion(&need.value, &known),
            )?;
        }
        self.name.checked(
            |_| self.steps.is_empty() == self.network.is_some(),
            || format!("case `{}` must have either `steps` or a `network`", self.name.value),
            "write one of them",
        )?;
        self.network.iter().try_for_each(Network::check_intervals)?;
        self.steps.iter().try_for_each(|step| {
            let actions = step.value.actions();
            step.checked(
                |_| actions.len() == 1,
                || match &actions[..] {
                    [] => "nothing happens in this step".to_owned(),
                    several => format!("in this step several things happen: {}", list(several)),
                },
                &format!("write one of {}", list(ACTIONS)),
            )
        })?;
        self.steps.iter().try_for_each(check_numbers)
    }
}

/// What happens in a step: it has one of these keys.
const ACTIONS: &[&str] =
    &["rounds", "acknowledge", "signal", "spurious", "recovered", "idle", "wait"];

/// Numbers that would end nothing, or mean nothing.
fn check_numbers(step: &Located<Step>) -> Result<(), Mistake> {
    let it = &step.value;
    let above_zero =
        [("rate", it.rate), ("loss_every", it.loss_every), ("mark_every", it.mark_every)];
    let at_least_zero = [
        ("acknowledge", it.acknowledge),
        ("in_flight", it.in_flight),
        ("in_flight_at_send", it.in_flight_at_send),
        ("lost", it.lost),
        ("lost_since_send", it.lost_since_send),
        ("marked", it.marked),
    ];
    if let Some((key, _)) = above_zero.iter().find(|(_, it)| it.is_some_and(|it| it <= 0.0)) {
        return Err(step.mistake(format!("`{key}` must be greater than zero")));
    }
    if let Some((key, _)) = at_least_zero.iter().find(|(_, it)| it.is_some_and(|it| it < 0.0)) {
        return Err(step.mistake(format!("`{key}` must be zero or more")));
    }
    if it.acknowledgements == Some(0) {
        return Err(step.mistake("`acknowledgements` must be at least 1"));
    }
    Ok(())
}

impl Step {
    fn actions(&self) -> Vec<&'static str> {
        let has = [
            self.rounds.is_some(),
            self.acknowledge.is_some(),
            self.signal.is_some(),
            self.spurious,
            self.recovered,
            self.idle.is_some(),
            self.wait.is_some(),
        ];
        ACTIONS.iter().zip(has).filter(|(_, has)| *has).map(|(name, _)| *name).collect()
    }
}

/// A duration, as controllers count it.
pub(crate) fn nanoseconds(duration: Measured<Duration>) -> Nanoseconds {
    duration.0.as_nanos()
}
