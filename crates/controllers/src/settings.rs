//! The parameters of one controller, each with a checked value.

use alloc::sync::Arc;

use crate::careful_resume::SavedPath;
use crate::description::{Description, Kind, Need};
use crate::external::Maker;

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// For [`Kind::Number`].
    Number(f64),
    /// For [`Kind::Choice`].
    Choice(&'a str),
    /// For [`Kind::Flag`].
    Flag(bool),
}

/// Why a value was rejected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingError {
    /// The controller has no parameter of that name.
    Unknown,
    /// The value does not fit this kind.
    Refused(Kind),
}

/// A controller's parameters, each with a checked value.
#[derive(Clone, Debug)]
pub struct Settings {
    description: &'static Description,
    values: [Value<'static>; Self::MOST],
    /// Its maker, if the controller is not registered.
    maker: Option<Arc<dyn Maker>>,
    /// The path that it resumes, if any.
    saved_path: Option<SavedPath>,
}

/// The same parameters of the same controller; an external one must have the same maker.
impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        let is_same_maker = match (&self.maker, &other.maker) {
            (None, None) => self.description.name == other.description.name,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        is_same_maker && self.values == other.values && self.saved_path == other.saved_path
    }
}

impl Settings {
    /// The maximum number of parameters of a controller.
    pub const MOST: usize = 9;

    /// Every parameter at its default.
    #[must_use]
    pub fn defaults(description: &'static Description) -> Self {
        let mut values = [Value::Flag(false); Self::MOST];
        for (value, parameter) in values.iter_mut().zip(description.parameters) {
            *value = match parameter.kind {
                Kind::Number { default, .. } => Value::Number(default),
                Kind::Choice(options) => Value::Choice(options[0].0),
                Kind::Flag { default, .. } => Value::Flag(default),
            };
        }
        Self { description, values, maker: None, saved_path: None }
    }

    /// The settings of an external controller, which has no parameters.
    #[must_use]
    pub fn external(maker: Arc<dyn Maker>) -> Self {
        Self { maker: Some(Arc::clone(&maker)), ..Self::defaults(maker.description()) }
    }

    /// The maker of an external controller.
    #[must_use]
    pub fn maker(&self) -> Option<&dyn Maker> {
        self.maker.as_deref()
    }

    /// Whether the controller can resume: its window limits what it sends, and nothing else does.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        self.maker.is_none() && !self.description.needs(Need::Pacing)
    }

    /// Has a controller that [can](Self::can_resume) resume what an earlier connection found.
    pub fn resume(&mut self, saved: SavedPath) {
        self.saved_path = Some(saved);
    }

    /// The path that is resumed, if any.
    #[must_use]
    pub fn saved_path(&self) -> Option<SavedPath> {
        self.saved_path
    }

    /// Sets one parameter, if there is one of that name and the value is valid.
    ///
    /// # Errors
    /// [`SettingError`] says which of the two is wrong, and what would be valid.
    pub fn set(&mut self, name: &str, value: Value<'_>) -> Result<(), SettingError> {
        let parameters = self.description.parameters;
        let index =
            parameters.iter().position(|it| it.name == name).ok_or(SettingError::Unknown)?;
        let kind = parameters[index].kind;
        self.values[index] = match (kind, value) {
            (Kind::Number { minimum, maximum, .. }, Value::Number(number))
                if (minimum..=maximum).contains(&number) =>
            {
                Value::Number(number)
            }
            (Kind::Choice(options), Value::Choice(word)) => {
                match options.iter().find(|(option, _)| *option == word) {
                    Some((option, _)) => Value::Choice(option),
                    None => return Err(SettingError::Refused(kind)),
                }
            }
            (Kind::Flag { .. }, Value::Flag(flag)) => Value::Flag(flag),
            _ => return Err(SettingError::Refused(kind)),
        };
        Ok(())
    }

    /// The controller that these settings are for.
    #[must_use]
    pub fn description(&self) -> &'static Description {
        self.description
    }

    /// What the controller needs with these settings: its own needs, and those of the
    /// flags that are set.
    pub fn needs(&self) -> impl Iterator<Item = Need> {
        let settings = self.description.parameters.iter().zip(self.values);
        let of_flags = settings.filter_map(|(parameter, value)| match (parameter.kind, value) {
            (Kind::Flag { needs, .. }, Value::Flag(true)) => Some(needs),
            _ => None,
        });
        self.description.needs.iter().chain(of_flags.flatten()).copied()
    }

    /// A number by its parameter's name; the description must declare it.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Number(number) => number,
            other => panic!("{}: `{name}` is {other:?}, not a number", self.description.name),
        }
    }

    /// A choice by its parameter's name; the description must declare it.
    #[must_use]
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Choice(word) => word,
            other => panic!("{}: `{name}` is {other:?}, not a choice", self.description.name),
        }
    }

    /// A flag by its parameter's name; the description must declare it.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Flag(flag) => flag,
            other => panic!("{}: `{name}` is {other:?}, not a flag", self.description.name),
        }
    }

    fn value(&self, name: &str) -> Value<'static> {
        let parameters = self.description.parameters;
        match parameters.iter().position(|it| it.name == name) {
            Some(index) => self.values[index],
            None => panic!("{} declares no parameter `{name}`", self.description.name),
        }
    }
}
