//! Controllers by name, with parameters, or the reason why not.

use std::sync::Arc;
use std::time::Instant;

use quinn_proto::congestion::{Controller, ControllerFactory};
use thiserror::Error;
use windtunnel_controllers::{
    DESCRIPTIONS, Description, Kind, Need, SettingError, Settings, Value,
};

use crate::controller::WindtunnelController;
use crate::provided::refusal;

/// Makes a controller for each path of quinn's connections.
#[derive(Clone, Debug)]
pub struct WindtunnelFactory {
    settings: Settings,
}

/// Why there is no such controller in QUIC.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FactoryError {
    /// No controller has this name.
    #[error("there is no controller `{name}`; {}", one_of(.name, DESCRIPTIONS.iter().map(|it| it.name)))]
    UnknownController {
        /// The name.
        name: String,
    },
    /// The controller has no parameter of this name.
    #[error("`{controller}` has no parameter `{name}`; {}", one_of(.name, parameters(.controller)))]
    UnknownParameter {
        /// The controller.
        controller: &'static str,
        /// The parameter's name.
        name: String,
    },
    /// The parameter does not take this value.
    #[error("this is not a valid value of `{name}` of `{controller}`; it must be {}", wanted(.kind))]
    WrongValue {
        /// The controller.
        controller: &'static str,
        /// The parameter's name.
        name: String,
        /// What it takes.
        kind: Kind,
    },
    /// The controller needs what quinn does not provide.
    #[error("`{controller}` cannot be used with quinn: {}{reason}", with_flag(.flag))]
    Refused {
        /// The controller.
        controller: &'static str,
        /// What it needs.
        need: Need,
        /// The parameter by which it needs that, if it does not always.
        flag: Option<&'static str>,
        /// Why that is not there.
        reason: &'static str,
    },
}

impl WindtunnelFactory {
    /// A factory of the controllers that `settings` describe, also of one that is written
    /// outside `windtunnel-controllers`.
    ///
    /// # Errors
    /// [`FactoryError::Refused`] if the controller needs what quinn does not provide.
    pub fn new(settings: &Settings) -> Result<Self, FactoryError> {
        let refused = settings.needs().find_map(|need| Some((need, refusal(need)?)));
        let Some((need, reason)) = refused else { return Ok(Self { settings: settings.clone() }) };
        let description = settings.description();
        let has_need =
            |kind: Kind| matches!(kind, Kind::Flag { needs, .. } if needs.contains(&need));
        let flag = description.parameters.iter().find(|it| has_need(it.kind)).map(|it| it.name);
        let flag = flag.filter(|_| !description.needs(need));
        Err(FactoryError::Refused { controller: description.name, need, flag, reason })
    }

    /// The same by a registered controller's name, with values of some of its parameters.
    ///
    /// # Errors
    /// [`FactoryError`] says whether the name, a parameter or its value is wrong, or that the
    /// controller needs what quinn does not provide.
    pub fn named(name: &str, parameters: &[(&str, Value<'_>)]) -> Result<Self, FactoryError> {
        let description = described(name)
            .ok_or_else(|| FactoryError::UnknownController { name: name.to_owned() })?;
        let mut settings = Settings::defaults(description);
        for (name, value) in parameters {
            let (controller, name) = (description.name, (*name).to_owned());
            settings.set(&name, *value).map_err(|error| match error {
                SettingError::Unknown => FactoryError::UnknownParameter { controller, name },
                SettingError::Refused(kind) => FactoryError::WrongValue { controller, name, kind },
            })?;
        }
        Self::new(&settings)
    }

    /// What it makes controllers of.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

impl ControllerFactory for WindtunnelFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(WindtunnelController::new(&self.settings, now, current_mtu))
    }
}

fn described(name: &str) -> Option<&'static Description> {
    DESCRIPTIONS.iter().find(|it| it.name == name).copied()
}

fn parameters(controller: &str) -> impl Iterator<Item = &'static str> {
    let all = described(controller).map_or(&[][..], |it| it.parameters);
    all.iter().map(|it| it.name)
}

/// The names that may have been meant, else all; capital letters are like small ones.
fn one_of(name: &str, known: impl Iterator<Item = &'static str>) -> String {
    let known: Vec<&str> = known.collect();
    let name = name.to_lowercase();
    let changes = |it: &&str| strsim::damerau_levenshtein(&name, it);
    let least = known.iter().map(changes).min();
    let nearest: Vec<&str> =
        known.iter().copied().filter(|it| Some(changes(it)) == least).collect();
    match least {
        None => "it has none".to_owned(),
        Some(0..=2) => format!("did you mean `{}`?", nearest.join("` or `")),
        Some(_) => format!("choose from {}", known.join(", ")),
    }
}

fn wanted(kind: &Kind) -> String {
    match kind {
        Kind::Number { minimum, maximum, .. } => format!("a number from {minimum} to {maximum}"),
        Kind::Flag { .. } => "true or false".to_owned(),
        Kind::Choice(options) => {
            let names: Vec<&str> = options.iter().map(|(name, _)| *name).collect();
            format!("one of {}", names.join(", "))
        }
    }
}

fn with_flag(flag: &Option<&'static str>) -> String {
    flag.map_or_else(String::new, |it| format!("`{it}` requires what quinn lacks: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_would_be_right() {
        let said = |name: &str, parameters: &[(&str, Value<'_>)]| {
            WindtunnelFactory::named(name, parameters).unwrap_err().to_string()
        };
        let cases = [
            (said("cubik", &[]), "there is no controller `cubik`; did you mean `cubic`?"),
            (said("BBRv3", &[]), "there is no controller `BBRv3`; did you mean `bbr3`?"),
            (said("bbr2", &[]), "there is no controller `bbr2`; did you mean `bbr1` or `bbr3`?"),
            (
                said("copa", &[("gain", Value::Number(1.0))]),
                "`copa` has no parameter `gain`; choose from delta, competitive",
            ),
            (
                said("copa", &[("delta", Value::Number(0.0))]),
                "this is not a valid value of `delta` of `copa`; it must be a number from 0.004 to 10",
            ),
            (
                said("ledbat", &[]),
                "`ledbat` cannot be used with quinn: QUIC's packets have no timestamps",
            ),
        ];
        for (said, expected) in cases {
            assert_eq!(said, expected);
        }
        assert!(said("something else", &[]).contains("agile-sd, aimd, balia"));
    }

    #[test]
    fn a_flag_may_need_what_is_missing_where_the_controller_does_not() {
        assert!(WindtunnelFactory::named("d-tcp", &[]).is_ok());
        let parameters = described("d-tcp").unwrap().parameters.iter();
        let flag = parameters
            .filter(|it| matches!(it.kind, Kind::Flag { needs, .. } if !needs.is_empty()))
            .map(|it| it.name)
            .next()
            .unwrap();
        let error = WindtunnelFactory::named("d-tcp", &[(flag, Value::Flag(true))]).unwrap_err();
        let FactoryError::Refused { need, flag: found, .. } = error else { panic!("{error}") };
        assert_eq!((need, found), (Need::Sinr, Some(flag)));
    }
}
