//! From what a scenario says of a link to what the plan does: how fast it sends,
//! loss, duplication, reordering, and changes in the course of time.

pub(crate) mod traces;

use std::sync::Arc;

use toml::Spanned;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_world::{
    AirPlan, ChangePlan, ChannelPlan, Impairment, LinkChange, Loss, Opportunities, PortId,
    RateTrace, Victims,
};

use crate::error::{Mistake, list};
use crate::files::Files;
use crate::radio;
use crate::scenario::{self as file, Each, Link, Located, TraceKind};

/// How fast a link sends.
pub(crate) struct Pace {
    /// At first, or on average, in each direction.
    pub(crate) rates: [Rate; 2],
    /// When each direction may send, if it has a delivery trace.
    pub(crate) opportunities: [Option<Arc<Opportunities>>; 2],
    /// What the air interface does, if there is one.
    pub(crate) air: Option<AirPlan>,
    /// What the rates follow, if they are not always the same.
    pub(crate) channel: Option<ChannelPlan>,
}

impl Pace {
    fn of(rates: [Rate; 2]) -> Self {
        Self { rates, opportunities: [None, None], air: None, channel: None }
    }
}

/// A link with what it leaves out taken from `defaults`. What it says of its pace
/// replaces all that they say of it.
pub(crate) fn filled(own: &Link, defaults: &Link) -> Link {
    let mut link = own.or(defaults);
    if own.rate.is_some() || own.radio.is_some() || own.trace.is_some() {
        link.rate = own.rate.clone();
        link.radio = own.radio.clone();
        link.trace = own.trace.clone();
    }
    link
}

/// How fast a link sends, on a run of that duration.
pub(crate) fn pace(
    name: &Spanned<String>,
    link: &Link,
    files: &mut Files,
    duration: Duration,
) -> Result<Pace, Mistake> {
    match (&link.rate, &link.radio, &link.trace) {
        (Some(rate), None, None) => Ok(Pace::of(rate.0.map(|it| it.0))),
        (None, Some(radio), None) => {
            refuse_changes(link, "radio")?;
            by_radio(radio, files, duration)
        }
        (None, None, Some(trace)) => {
            refuse_changes(link, "trace")?;
            by_traces(trace, files, duration)
        }
        (None, None, None) => {
            let message = format!("link `{}` has no `rate`", name.get_ref());
            let help = "write rate = \"100 Mbps\", or radio = { … }, or trace = { … }";
            Err(Mistake::new(message).at(name.span()).help(help))
        }
        (rate, radio, trace) => {
            let span = radio.as_ref().map(|it| &it.span).or(trace.as_ref().map(|it| &it.span));
            let keys = [("rate", rate.is_some()), ("radio", radio.is_some())];
            let keys = keys.into_iter().chain([("trace", trace.is_some())]);
            let both: Vec<&str> = keys.filter(|(_, is_there)| *is_there).map(|it| it.0).collect();
            let message = format!("a link with {} at once", list(&both));
            let span = span.expect("two of the three are there").clone();
            Err(Mistake::new(message).at(span).help("write one of them alone"))
        }
    }
}

/// Refuses what would change a link that a radio or a trace changes already.
fn refuse_changes(link: &Link, key: &str) -> Result<(), Mistake> {
    match link.changes.iter().flatten().next() {
        Some(change) => Err(Mistake::new(format!("a link with `{key}` and `changes`"))
            .at(change.at.span.clone())
            .help(format!("leave one of the two out: the {key} says how fast it sends"))),
        None => Ok(()),
    }
}

fn by_radio(
    radio: &Located<file::Radio>,
    files: &mut Files,
    duration: Duration,
) -> Result<Pace, Mistake> {
    let plan = radio::plan(&radio.value, files, duration)?;
    let rates = radio::greatest_rates(&plan).ok_or_else(|| {
        let efficiency = radio.value.efficiency.as_ref().map(|it| it.kind.span.clone());
        Mistake::new("a radio that never sends anything")
            .at(efficiency.unwrap_or(radio.span.clone()))
            .help("write an efficiency that is above nothing")
    })?;
    let air = radio::air(&radio.value)?;
    let channel = Some(ChannelPlan::Radio(Box::new(plan)));
    Ok(Pace { air, channel, ..Pace::of(rates) })
}

fn by_traces(
    traces: &Located<Each<file::Trace>>,
    files: &mut Files,
    duration: Duration,
) -> Result<Pace, Mistake> {
    let mut rates = Vec::new();
    let mut opportunities = [None, None];
    let mut channel = [None, None];
    for (direction, trace) in traces.value.0.iter().enumerate() {
        let repeat = trace.repeat.unwrap_or(true);
        rates.push(match trace.kind {
            TraceKind::Opportunities => {
                let it = files.opportunities(&trace.file, repeat)?;
                let mean = it.mean_rate().expect("a trace that is read sends something");
                opportunities[direction] = Some(it);
                mean
            }
            TraceKind::Rates => {
                let it = files.rates(&trace.file, repeat)?;
                check_steps(&it, duration, &trace.file)?;
                let rates = it.rows.iter().filter_map(|(_, rate)| *rate);
                let most = rates.max().expect("a trace that is read sends something");
                channel[direction] = Some(it);
                most
            }
        });
    }
    let channel = Some(ChannelPlan::Rates(channel));
    Ok(Pace { opportunities, channel, ..Pace::of([rates[0], rates[1]]) })
}

/// Whether a trace of rates changes no more often than can be simulated.
fn check_steps(
    trace: &RateTrace,
    duration: Duration,
    file: &Located<String>,
) -> Result<(), Mistake> {
    let turns = trace.repeat.map_or(1, |it| duration.as_picos() / it.as_picos() + 1);
    if turns.saturating_mul(trace.rows.len() as u64) <= radio::MOST_SAMPLES {
        return Ok(());
    }
    Err(Mistake::new(format!("{}: the rate changes more than ten million times", file.value))
        .at(file.span.clone())
        .help("write a trace with longer steps"))
}

/// Random loss.
pub(crate) fn loss(loss: &file::Loss) -> Result<Loss, Mistake> {
    let probability = loss.probability.0.0;
    match (&loss.in_bad_state, &loss.to_bad_state, &loss.to_good_state) {
        (None, None, None) if probability == 0.0 => Ok(Loss::None),
        (None, None, None) => Ok(Loss::Bernoulli(probability)),
        (Some(in_bad), Some(to_bad), Some(to_good)) => Ok(Loss::GilbertElliott {
            to_bad: to_bad.value.0.0,
            to_good: to_good.value.0.0,
            in_good: probability,
            in_bad: in_bad.value.0.0,
            bad: false,
        }),
        (in_bad, to_bad, to_good) => {
            let given = [in_bad, to_bad, to_good].into_iter().flatten().next();
            Err(Mistake::new("a Gilbert–Elliott channel needs all three of its keys")
                .at(given.expect("one of them is given").span.clone())
                .help("write in_bad_state, to_bad_state and to_good_state"))
        }
    }
}

/// Which packets can be lost at random.
pub(crate) fn victims(loss: &file::Loss) -> Victims {
    match loss.of {
        file::LossOf::All => Victims::All,
        file::LossOf::Selected => Victims::NotCapable,
    }
}

/// Which packets a direction of a link delivers twice or late.
pub(crate) fn impairment(link: &Link, direction: usize) -> Result<Impairment, Mistake> {
    let of = |it: &Each<file::Reordering>| it.0[direction].clone();
    let late = link.reordering.as_ref().map(of);
    if let Some(late) = &late
        && late.lateness.value.0 == Duration::ZERO
    {
        return Err(Mistake::new("late by no time")
            .at(late.lateness.span.clone())
            .help("write one such as \"5 ms\""));
    }
    Ok(Impairment {
        duplication: link.duplication.as_ref().map_or(0.0, |it| it.0[direction].0.0),
        reordering: late.as_ref().map_or(0.0, |it| it.probability.0.0),
        lateness: late.map_or(Duration::ZERO, |it| it.lateness.value.0),
    })
}

/// What one of a link's changes does to each direction.
pub(crate) fn changes(link: usize, change: &file::Change) -> Result<Vec<ChangePlan>, Mistake> {
    let time = Time::ZERO + change.at.value.0;
    let both = |change: [LinkChange; 2]| {
        let plan = |direction| ChangePlan {
            time,
            port: PortId::new(link, direction),
            change: change[direction],
        };
        vec![plan(0), plan(1)]
    };
    match (&change.rate, &change.state) {
        (Some(rate), None) => Ok(both(rate.0.map(|it| LinkChange::Rate(it.0)))),
        (None, Some(state)) => Ok(both(state.0.map(|it| match it {
            file::State::Up => LinkChange::Up,
            file::State::Down => LinkChange::Down,
        }))),
        (rate, _) => {
            let message = match rate {
                Some(_) => "a link changes both its rate and its state at once",
                None => "a change that says neither rate nor state",
            };
            Err(Mistake::new(message).at(change.at.span.clone()).help(
                "write { at = \"5 s\", rate = \"1 Mbps\" } or { at = \"5 s\", state = \"down\" }",
            ))
        }
    }
}
