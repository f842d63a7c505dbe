//! How a controller describes itself: its name, its source, and the parameters
//! and readings that a scenario may set.

use alloc::sync::Arc;

use crate::Maker;

/// What a controller is and what can be set on it.
#[derive(Debug)]
pub struct Description {
    /// The name in scenario files, such as `ec-elastic`.
    pub name: &'static str,
    /// The name in text and pictures, such as `EC-Elastic`.
    pub title: &'static str,
    /// Paper or RFC that defines it.
    pub source: &'static str,
    /// How far the implementation could be checked against that source.
    pub status: &'static str,
    /// What it needs beyond acknowledgements, round trips and congestion signals.
    pub needs: &'static [Need],
    /// What a scenario may set; at most [`Settings::MOST`].
    pub parameters: &'static [Parameter],
}

impl Description {
    /// Whether it needs this.
    #[must_use]
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }
}

/// What a transport or a network must give for a controller to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Packets leave at the rate that the controller says.
    Pacing,
    /// Delivery rate samples.
    DeliveryRate,
    /// Each acknowledgement tells how much of the data was marked; a window of
    /// unmarked data is told as well.
    MarksCounted,
    /// Packets leave as ECT(1), which tells routers that many mild marks are wanted
    /// (RFC 9331: L4S).
    ScalableMarking,
    /// Routers that send the milder mark, and a receiver that echoes it.
    SomeCongestion,
    /// Timestamps that tell the delay of one way.
    OneWayDelay,
    /// A radio that tells the sender its signal to interference and noise.
    Sinr,
}

impl Need {
    /// Every one of them.
    pub const ALL: &'static [Self] = &[
        Self::Pacing,
        Self::DeliveryRate,
        Self::MarksCounted,
        Self::ScalableMarking,
        Self::SomeCongestion,
        Self::OneWayDelay,
        Self::Sinr,
    ];

    /// What listings call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pacing => "pacing",
            Self::DeliveryRate => "delivery-rate",
            Self::MarksCounted => "marks-counted",
            Self::ScalableMarking => "l4s",
            Self::SomeCongestion => "some-congestion",
            Self::OneWayDelay => "one-way-delay",
            Self::Sinr => "sinr",
        }
    }
}

/// One parameter or reading of a controller.
#[derive(Debug)]
pub struct Parameter {
    /// The key in scenario files, such as `beta`.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Its kind, default and limits.
    pub kind: Kind,
}

/// The kind of a parameter, with its default and what is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A dimensionless number within `minimum..=maximum`.
    Number {
        /// Used where the scenario says nothing.
        default: f64,
        /// The least allowed.
        minimum: f64,
        /// The most allowed.
        maximum: f64,
    },
    /// One of several named readings; the first is the default. Each comes
    /// with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// On or off.
    Flag {
        /// Used where the scenario says nothing.
        default: bool,
        /// What the controller needs beside its own [`Description::needs`] where it
        /// is on.
        needs: &'static [Need],
    },
}

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

/// Why a value was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingError {
    /// The controller has no parameter of that name.
    Unknown,
    /// The parameter wants what this kind says.
    Refused(Kind),
}

/// A controller's parameters, each with a checked value.
#[derive(Clone, Debug)]
pub struct Settings {
    description: &'static Description,
    values: [Value<'static>; Self::MOST],
    /// Who makes it, if it is none of the registered ones.
    maker: Option<Arc<dyn Maker>>,
}

impl Settings {
    /// The most parameters that a controller may have.
    pub const MOST: usize = 8;

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
        Self { description, values, maker: None }
    }

    /// Of a controller from outside; nothing is set on it here.
    #[must_use]
    pub fn external(maker: Arc<dyn Maker>) -> Self {
        Self { maker: Some(Arc::clone(&maker)), ..Self::defaults(maker.description()) }
    }

    /// Who makes the controller, if it comes from outside.
    #[must_use]
    pub fn maker(&self) -> Option<&dyn Maker> {
        self.maker.as_deref()
    }

    /// Sets one parameter, if there is one of that name and the value suits it.
    ///
    /// # Errors
    /// [`SettingError`] says which of the two was wrong, and what would be right.
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

    /// Whose settings these are.
    #[must_use]
    pub fn description(&self) -> &'static Description {
        self.description
    }

    /// What the controller needs with these settings: what it always needs, and what
    /// its flags do that are on.
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
