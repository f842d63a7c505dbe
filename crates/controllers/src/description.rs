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
    /// How far the implementation was checked against that source.
    pub status: &'static str,
    /// What it needs beyond acknowledgements, round trips and congestion signals.
    pub needs: &'static [Need],
    /// What a scenario may set; at most [`Settings::MOST`].
    pub parameters: &'static [Parameter],
}

impl Description {
    /// Whether the controller has this need.
    #[must_use]
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }
}

/// What a transport or a network must provide for a controller to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Packets are sent at the controller's pacing rate.
    Pacing,
    /// Delivery rate samples.
    DeliveryRate,
    /// Acknowledgements report how much of the data was marked, also if none was.
    MarksCounted,
    /// Packets are sent as ECT(1), which requests frequent marking (RFC 9331: L4S).
    ScalableMarking,
    /// Routers that set the milder mark, and a receiver that echoes it.
    SomeCongestion,
    /// Timestamps that give the one-way delay.
    OneWayDelay,
    /// A radio that reports its SINR to the sender.
    Sinr,
    /// What the other subflows of its multipath connection do; a flow on one path has
    /// none, and gets nothing.
    Siblings,
}

impl Need {
    /// All needs.
    pub const ALL: &'static [Self] = &[
        Self::Pacing,
        Self::DeliveryRate,
        Self::MarksCounted,
        Self::ScalableMarking,
        Self::SomeCongestion,
        Self::OneWayDelay,
        Self::Sinr,
        Self::Siblings,
    ];

    /// The name in listings.
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
            Self::Siblings => "siblings",
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
        /// The value if the scenario sets none.
        default: f64,
        /// The minimum allowed.
        minimum: f64,
        /// The maximum allowed.
        maximum: f64,
    },
    /// One of several named readings; the first is the default. Each comes
    /// with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// On or off.
    Flag {
        /// The value if the scenario sets none.
        default: bool,
        /// What the controller needs in addition to [`Description::needs`] if the flag
        /// is set.
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
}

impl Settings {
    /// The maximum number of parameters of a controller.
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
