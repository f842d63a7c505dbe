//! What happens to links during a run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_queues::QueueLimit;
use windtunnel_world::{ChangePlan, LinkChange, LossChange, PortId};

use super::loss::{Flows, Loss};
use crate::reading::error::Mistake;
use crate::reading::located::{Each, Located};
use crate::reading::timers::above_zero;
use crate::reading::units::Measured;

/// How often a change can happen.
const MOST_REPETITIONS: u64 = 1_000_000;

/// What happens to a link at some time: another rate, delay, state, loss, lateness or limit of its
/// queue.
/// Each is one value for both directions, or an array of two.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    /// When.
    at: Located<Measured<Duration>>,
    /// It happens again and again, each time so much later; default: once.
    every: Option<Located<Measured<Duration>>>,
    /// How fast it sends from then on, also what is left of the packet under transmission. Only
    /// of a link with a `rate` of its own. Default: as before.
    rate: Option<Located<Each<Measured<Rate>>>>,
    /// The propagation delay from then on; packets still arrive in the order in which they were
    /// sent; default: as before.
    delay: Option<Each<Measured<Duration>>>,
    /// Whether it goes down, which loses the packets on it and lets those queued wait,
    /// or comes up; default: as before.
    state: Option<Each<State>>,
    /// What it loses at random from then on, packets under transmission excepted: "0 %" is
    /// nothing; default: as before.
    loss: Option<Each<Loss>>,
    /// How late the packets of its `reordering` are from then on. A link that delays all of
    /// them so is an emulator like tc-netem(8): where it gets less, packets overtake those before
    /// them. Default: as before.
    lateness: Option<Located<Each<Measured<Duration>>>>,
    /// What happens to its queue; default: as before.
    queue: Option<Each<QueueChange>>,
}

/// What happens to a link's queue.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueueChange {
    /// How much may wait from then on: what waits stays there, as far as there is room, and the
    /// rest is dropped.
    limit: Measured<QueueLimit>,
}

/// Whether a link carries packets.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// The link carries packets.
    Up,
    /// The link carries no packets.
    Down,
}

/// What happens to a link during the run. `rates` is the key by which it sends, unless it has a
/// rate of its own that changes can be of; `reorders`: whether it has packets that are late.
pub(super) fn plans(
    changes: &[Change],
    link: usize,
    duration: Duration,
    rates: Option<&str>,
    reorders: bool,
    flows: &Flows<'_>,
) -> Result<Vec<ChangePlan>, Mistake> {
    let mut all = Vec::new();
    for change in changes {
        change.check_rate(rates)?;
        change.check_lateness(reorders)?;
        let first = change.plan(link, flows)?;
        for later in change.times(duration)? {
            all.extend(first.clone().map(|it| ChangePlan { time: it.time + later, ..it }));
        }
    }
    Ok(all)
}

impl Change {
    /// What says how fast a link sends says so at all times.
    fn check_rate(&self, rates: Option<&str>) -> Result<(), Mistake> {
        let (Some(rate), Some(rates)) = (&self.rate, rates) else { return Ok(()) };
        let message = format!("`rate` cannot change on a link with `{rates}`, which determines it");
        Err(rate.mistake(message).help("change `delay`, `state`, `loss` or `queue`"))
    }

    /// Only what is late can be so by another time.
    fn check_lateness(&self, reorders: bool) -> Result<(), Mistake> {
        let Some(lateness) = &self.lateness else { return Ok(()) };
        let least = lateness.value.0.iter().map(|it| it.0).min();
        lateness.checked(
            |_| least > Some(Duration::ZERO),
            || "`lateness` must be greater than zero".to_owned(),
            "write one such as \"60 ms\"",
        )?;
        lateness.checked(
            |_| reorders,
            || "`lateness` cannot change on a link without `reordering`".to_owned(),
            "write `reordering` in the link's table",
        )
    }

    /// How much later than the first time it happens, that time included, in a run of this
    /// duration.
    fn times(&self, duration: Duration) -> Result<Vec<Duration>, Mistake> {
        let Some(every) = &self.every else { return Ok(vec![Duration::ZERO]) };
        let (at, every) = (self.at.value.0, above_zero(every, "every")?);
        let count = duration.as_picos().saturating_sub(at.as_picos()) / every.as_picos() + 1;
        self.at.checked(
            |_| count <= MOST_REPETITIONS,
            || format!("the change would happen more than {MOST_REPETITIONS} times"),
            "write a greater `every`",
        )?;
        Ok((0..count).map(|it| every * it).collect())
    }

    fn plan(&self, link: usize, flows: &Flows<'_>) -> Result<[ChangePlan; 2], Mistake> {
        let [there, back] = self.what(flows)?;
        let time = Time::ZERO + self.at.value.0;
        Ok([(0, there), (1, back)].map(|(direction, change)| {
            let port = PortId::new(link, direction);
            ChangePlan { time, port, change }
        }))
    }

    /// What happens, in each direction.
    fn what(&self, flows: &Flows<'_>) -> Result<[LinkChange; 2], Mistake> {
        let state = |it| match it {
            State::Up => LinkChange::Up,
            State::Down => LinkChange::Down,
        };
        let changes = [
            self.rate.as_ref().map(|it| it.value.0.map(|it| LinkChange::Rate(it.0))),
            self.delay.as_ref().map(|it| it.0.map(|it| LinkChange::Delay(it.0))),
            self.state.as_ref().map(|it| it.0.map(state)),
            self.queue
                .as_ref()
                .map(|it| it.0.each_ref().map(|it| LinkChange::QueueLimit(it.limit.0))),
            self.loss.as_ref().map(|it| lose(it, flows)).transpose()?,
            self.lateness.as_ref().map(|it| it.value.0.map(|it| LinkChange::Lateness(it.0))),
        ];
        let mut changes = changes.into_iter().flatten();
        match (changes.next(), changes.next()) {
            (Some(change), None) => Ok(change),
            _ => {
                let message = "a change must set one of `rate`, `delay`, `state`, `loss`, \
                               `lateness` and `queue`";
                Err(self.at.mistake(message).help(
                    "write { at = \"5 s\", rate = \"1 Mbps\" } or { at = \"5 s\", state = \"down\" }",
                ))
            }
        }
    }
}

/// Other losses, in each direction.
fn lose(loss: &Each<Loss>, flows: &Flows<'_>) -> Result<[LinkChange; 2], Mistake> {
    let change = |it: &Loss| -> Result<LinkChange, Mistake> {
        let (loss, victims) = (it.plan()?, it.victims(flows)?);
        Ok(LinkChange::Loss(Arc::new(LossChange { loss, victims })))
    };
    let [there, back] = &loss.0;
    Ok([change(there)?, change(back)?])
}
