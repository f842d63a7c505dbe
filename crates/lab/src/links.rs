//! From what a scenario says of a link to what the plan does: loss, duplication,
//! reordering, and changes in the course of time.

use windtunnel_engine::{Duration, Time};
use windtunnel_world::{ChangePlan, Impairment, LinkChange, Loss};

use crate::error::Mistake;
use crate::scenario::{self as file, Each, Link};

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
        let plan =
            |direction: usize| ChangePlan { time, link, direction, change: change[direction] };
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
