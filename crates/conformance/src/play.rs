//! A case is played to a controller.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use windtunnel_controllers::{Controller, Failed, Settings, seconds};

use crate::connection::Connection;
use crate::network::Network;
use crate::quantity::{ControllerQuantity, Quantity};
use crate::suite::{Case, Expectations, Step, nanoseconds};
use crate::verdict::{Failure, Moment, Outcome, Verdict};

/// Plays a case to a controller as `settings` describe it. `measure` runs the scenario of a case on a
/// network with it and gives the [measurements](Network::measurements), or says why it could not.
pub fn play(
    case: &Case,
    settings: &Settings,
    measure: impl FnOnce(&Network) -> Result<Vec<Option<f64>>, String>,
) -> Outcome {
    let name = settings.description().name;
    if let Some(reason) = missing(case, name, |need| settings.needs().any(|it| it.name() == need)) {
        return Verdict::DoesNotApply { reason }.into();
    }
    let mut trace = Vec::new();
    let found = match &case.network {
        Some(network) => check(network, measure),
        None => steps(case, settings, &mut trace),
    };
    let is_own = settings.maker().is_none();
    let known = case.fails.iter().find(|it| is_own && it.controller == name);
    let reason = known.map(|it| it.reason.clone());
    let verdict = match (found, reason) {
        (Ok(()), None) => Verdict::Passes,
        (Ok(()), Some(reason)) => Verdict::PassesUnexpectedly { reason },
        (Err(failure), None) => Verdict::Fails(failure),
        (Err(failure), Some(reason)) => Verdict::FailsAsKnown { reason, failure },
    };
    Outcome { verdict, trace }
}

/// Plays a case to a controller that runs in an implementation of a transport protocol. `needs` is what
/// the controller declares, if that is known, and `measure` is as that of [`play`]. What is known of
/// registered controllers is known of them over TCP, and is not looked at.
pub fn play_over(
    case: &Case,
    controller: &str,
    needs: Option<&[String]>,
    measure: impl FnOnce(&Network) -> Result<Vec<Option<f64>>, String>,
) -> Outcome {
    let Some(network) = &case.network else {
        let reason = "its steps are played to the controller alone".to_owned();
        return Verdict::DoesNotApply { reason }.into();
    };
    let has = |need: &str| needs.is_none_or(|needs| needs.iter().any(|it| it == need));
    if let Some(reason) = missing(case, controller, has) {
        return Verdict::DoesNotApply { reason }.into();
    }
    match check(network, measure) {
        Ok(()) => Verdict::Passes.into(),
        Err(failure) => Verdict::Fails(failure).into(),
    }
}

/// The need of a case that a controller does not declare, in words.
fn missing(case: &Case, controller: &str, has: impl Fn(&str) -> bool) -> Option<String> {
    let need = case.needs.iter().find(|it| !has(&it.value))?;
    Some(format!("`{controller}` does not declare the need `{}`", need.value))
}

/// Whether what is measured on a network is as expected.
fn check(
    network: &Network,
    measure: impl FnOnce(&Network) -> Result<Vec<Option<f64>>, String>,
) -> Result<(), Failure> {
    match measure(network) {
        Ok(measured) => network.check(&measured),
        Err(why) => Err(stopped(None, &why)),
    }
}

/// Plays the steps of a case.
fn steps(case: &Case, settings: &Settings, trace: &mut Vec<Moment>) -> Result<(), Failure> {
    let found = catch_unwind(AssertUnwindSafe(|| Player::new(case, settings, trace).play()));
    found.unwrap_or_else(|payload| match payload.downcast::<Failed>() {
        Ok(failed) => Err(stopped(trace.last(), &failed.0)),
        Err(other) => resume_unwind(other),
    })
}

/// A controller that is written outside failed itself.
fn stopped(last: Option<&Moment>, why: &str) -> Failure {
    let expected = format!("an answer, but it failed: {why}");
    Failure {
        step: last.map(|it| it.step + 1),
        from_s: None,
        time_s: last.map_or(0.0, |it| it.time_s),
        quantity: None,
        expected,
        measured: None,
    }
}

struct Player<'a> {
    case: &'a Case,
    connection: Connection,
    trace: &'a mut Vec<Moment>,
}

/// What a step was like.
struct Played {
    before: f64,
    rounds: u32,
    /// The sum of the windows with which its round trips began.
    windows: f64,
}

impl<'a> Player<'a> {
    fn new(case: &'a Case, settings: &Settings, trace: &'a mut Vec<Moment>) -> Self {
        let mut connection = Connection::new(&case.start, settings);
        connection.begin(false);
        let mut made = Self { case, connection, trace };
        made.note(0, "start");
        made
    }

    fn play(mut self) -> Result<(), Failure> {
        let steps = self.case.steps.iter().map(|it| &it.value);
        for (number, step) in (1..).zip(steps) {
            self.connection.change(step);
            let before = self.connection.controller.cwnd();
            let mut played = Played { before, rounds: 0, windows: 0.0 };
            self.step(number, step, &mut played)?;
            if let Some(expectations) = &step.expect {
                self.compare(number, expectations, &played)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, number: usize, step: &Step, played: &mut Played) -> Result<(), Failure> {
        if let Some(most) = step.rounds {
            return self.rounds(number, most, step, played);
        }
        for _ in 0..step.times.unwrap_or(1) {
            let said = self.act(step);
            self.note(number, &said);
        }
        Ok(())
    }

    /// What happens in a step without round trips, and what it is called.
    fn act(&mut self, step: &Step) -> String {
        let it = &mut self.connection;
        if let Some(segments) = step.acknowledge {
            it.single(segments, step);
            format!("acknowledgement of {segments}")
        } else if let Some(signal) = step.signal {
            it.congest(signal.into(), step);
            format!("{signal:?}").to_lowercase()
        } else if step.spurious {
            it.undo();
            "spurious".to_owned()
        } else if step.recovered {
            it.recover();
            "recovered".to_owned()
        } else if let Some(time) = step.idle {
            it.wait(nanoseconds(time));
            it.begin(true);
            format!("idle for {} s", seconds(nanoseconds(time)))
        } else {
            let time = step.wait.map_or(0, nanoseconds);
            it.wait(time);
            format!("nothing for {} s", seconds(time))
        }
    }

    fn rounds(
        &mut self,
        number: usize,
        most: u32,
        step: &Step,
        played: &mut Played,
    ) -> Result<(), Failure> {
        while played.rounds < most {
            if let Some(until) = &step.until
                && self.wrong(until, played).is_none()
            {
                return Ok(());
            }
            played.windows += self.connection.controller.cwnd();
            self.connection.round(step);
            played.rounds += 1;
            self.note(number, "round trip");
        }
        match &step.until {
            Some(until) => self.compare(number, until, played),
            None => Ok(()),
        }
    }

    fn compare(
        &self,
        step: usize,
        expectations: &Expectations,
        played: &Played,
    ) -> Result<(), Failure> {
        let Some((quantity, expected, measured)) = self.wrong(expectations, played) else {
            return Ok(());
        };
        let time_s = seconds(self.connection.now);
        Err(Failure {
            step: Some(step),
            from_s: None,
            time_s,
            quantity: Some(Quantity::Controller(quantity)),
            expected,
            measured,
        })
    }

    /// The first number that is not as expected.
    fn wrong(
        &self,
        expectations: &Expectations,
        played: &Played,
    ) -> Option<(ControllerQuantity, String, Option<f64>)> {
        expectations.each().find_map(|(quantity, bound)| {
            let measured = self.measured(quantity, played);
            let holds = measured.is_some_and(|it| bound.holds(it));
            (!holds).then(|| (quantity, bound.to_string(), measured))
        })
    }

    fn measured(&self, quantity: ControllerQuantity, played: &Played) -> Option<f64> {
        let controller = &self.connection.controller;
        let cwnd = controller.cwnd();
        match quantity {
            ControllerQuantity::Cwnd => Some(cwnd),
            ControllerQuantity::Ssthresh => Some(controller.ssthresh()),
            ControllerQuantity::PacingRate => controller.pacing_rate(),
            ControllerQuantity::PacingGain => self.connection.pacing_gain(),
            ControllerQuantity::Growth => Some(cwnd - played.before),
            ControllerQuantity::Ratio => Some(cwnd / played.before),
            ControllerQuantity::MeanCwnd => Some(played.windows / f64::from(played.rounds)),
            ControllerQuantity::Rounds => Some(f64::from(played.rounds)),
        }
    }

    fn note(&mut self, step: usize, signal: &str) {
        let controller = &self.connection.controller;
        self.trace.push(Moment {
            step,
            time_s: seconds(self.connection.now),
            signal: signal.to_owned(),
            cwnd: controller.cwnd(),
            ssthresh: Some(controller.ssthresh()),
            pacing_rate: controller.pacing_rate(),
        });
    }
}
