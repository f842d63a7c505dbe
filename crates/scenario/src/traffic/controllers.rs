//! Congestion controllers: those under `[controllers]`, registered ones, and those from
//! outside.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use toml::Spanned;
use windtunnel_controllers::{DESCRIPTIONS, Kind, Need, SavedPath, SettingError, Settings, Value};
use windtunnel_engine::Duration;

use crate::reading::error::{Mistake, suggestion};
use crate::reading::extensions::Extensions;
use crate::reading::located::{Located, Named};
use crate::reading::timers::above_zero;
use crate::reading::units::Measured;

/// A controller and its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    pub(crate) kind: Located<String>,
    parameters: Vec<(Located<String>, Located<Setting>)>,
}

/// A parameter's value.
#[derive(Clone, Debug)]
pub(crate) enum Setting {
    Flag(bool),
    Number(f64),
    Choice(String),
    Resume(Resume),
}

/// The earlier connection over the same path that is resumed (RFC 9959: Careful Resume).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resume {
    /// What it had in flight, in segments: half of it is taken up.
    cwnd: Located<f64>,
    /// Its minimum round trip. Where that of the new connection is half of it or less, or more than ten times it,
    /// nothing is resumed.
    rtt: Located<Measured<Duration>>,
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Setting;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a parameter must be a number, a word, true or false")
            }
            fn visit_bool<E: Error>(self, flag: bool) -> Result<Setting, E> {
                Ok(Setting::Flag(flag))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Setting, E> {
                Ok(Setting::Number(number as f64))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Setting, E> {
                Ok(Setting::Number(number))
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Setting, E> {
                Ok(Setting::Choice(word.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Setting, A::Error> {
                Resume::deserialize(MapAccessDeserializer::new(map)).map(Setting::Resume)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The key of what is resumed, which all controllers have that can.
const RESUME: &str = "resume";

impl Setting {
    /// The value of a parameter.
    fn value(&self) -> Option<Value<'_>> {
        match self {
            Self::Flag(it) => Some(Value::Flag(*it)),
            Self::Number(it) => Some(Value::Number(*it)),
            Self::Choice(it) => Some(Value::Choice(it)),
            Self::Resume(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Controller {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let whole = Spanned::<Unplaced>::deserialize(deserializer)?;
        let span = whole.span();
        let Unplaced(mut controller) = whole.into_inner();
        controller.kind.span.get_or_insert(span);
        Ok(controller)
    }
}

/// A controller that may not know the place of its name.
struct Unplaced(Controller);

impl<'de> Deserialize<'de> for Unplaced {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = Controller;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a controller's name, or a table with it as `kind`")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Controller, E> {
                Ok(Controller { kind: name.to_owned().into(), parameters: Vec::new() })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Controller, A::Error> {
                let table = Named::deserialize(MapAccessDeserializer::new(map))?;
                Controller::from_table(table).ok_or_else(|| {
                    A::Error::custom(
                        "a controller's table has no `kind`; write one such as \
                         { kind = \"cubic\", beta = 0.7 }",
                    )
                })
            }
        }
        deserializer.deserialize_any(NameOrTable).map(Self)
    }
}

impl Controller {
    fn from_table(mut table: Named<Spanned<Setting>>) -> Option<Self> {
        let kind = table.shift_remove("kind")?;
        let span = Some(kind.span());
        let Setting::Choice(value) = kind.into_inner() else { return None };
        let parameter = |(key, setting): (Spanned<String>, Spanned<Setting>)| {
            let key = Located { span: Some(key.span()), value: key.into_inner() };
            (key, Located { span: Some(setting.span()), value: setting.into_inner() })
        };
        let parameters = table.into_iter().map(parameter).collect();
        Some(Self { kind: Located { value, span }, parameters })
    }
}

impl JsonSchema for Controller {
    fn schema_name() -> Cow<'static, str> {
        "Controller".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let resume = generator.subschema_for::<Resume>();
        let names: Vec<&str> = DESCRIPTIONS.iter().map(|it| it.name).collect();
        let tables = DESCRIPTIONS.iter().map(|description| {
            let mut properties = serde_json::Map::new();
            properties.insert("kind".into(), serde_json::json!({ "const": description.name }));
            for parameter in description.parameters {
                let schema = match parameter.kind {
                    Kind::Number { default, minimum, maximum } => serde_json::json!({
                        "type": "number", "default": default,
                        "minimum": minimum, "maximum": maximum,
                    }),
                    Kind::Flag { default, .. } => {
                        serde_json::json!({ "type": "boolean", "default": default })
                    }
                    Kind::Choice(options) => serde_json::json!({
                        "oneOf": options.iter().map(|(name, meaning)| {
                            serde_json::json!({ "const": name, "description": meaning })
                        }).collect::<Vec<_>>(),
                        "default": options[0].0,
                    }),
                };
                let mut schema = schema;
                schema["description"] = parameter.meaning.into();
                properties.insert(parameter.name.into(), schema);
            }
            if Settings::defaults(description).can_resume() {
                properties.insert(RESUME.into(), resume.clone().into());
            }
            serde_json::json!({
                "type": "object",
                "title": description.title,
                "description": description.source,
                "properties": properties,
                "required": ["kind"],
                "additionalProperties": false,
            })
        });
        let own_name =
            serde_json::json!({ "type": "string", "description": "a name under `controllers`" });
        let any_of: Vec<serde_json::Value> =
            [serde_json::json!({ "enum": names }), own_name].into_iter().chain(tables).collect();
        json_schema!({
            "description": "A congestion controller: its name, or a table with it as `kind`.",
            "anyOf": any_of,
        })
    }
}

/// The controllers that a scenario can name.
pub(crate) struct Controllers<'a> {
    /// The file's own, under `[controllers]`.
    pub(crate) own: &'a Named<Controller>,
    /// What is written outside.
    pub(crate) extensions: &'a Extensions,
}

impl Controllers<'_> {
    /// Checks all of the file's own, also those that nothing uses.
    pub(crate) fn check(&self) -> Result<(), Mistake> {
        self.own.values().try_for_each(|it| settings(it, &[], self.extensions).map(drop))
    }

    /// What a `controller` means: one of the file's own, one from outside, or a
    /// registered one.
    pub(crate) fn settings(&self, controller: &Controller) -> Result<Settings, Mistake> {
        match self.own(controller) {
            Some(named) => settings(named, &[], self.extensions),
            None => {
                let own: Vec<&str> = self.own.keys().map(|it| it.get_ref().as_str()).collect();
                settings(controller, &own, self.extensions)
            }
        }
    }

    /// What `[controllers]` has under the name of a controller, if anything.
    fn own(&self, controller: &Controller) -> Option<&Controller> {
        self.own.get(controller.kind.value.as_str()).filter(|_| controller.parameters.is_empty())
    }

    /// The place of a controller's flag that has a need.
    pub(crate) fn flag(&self, named: &Controller, need: Need) -> Option<Range<usize>> {
        let controller = self.own(named).unwrap_or(named);
        let name = controller.kind.value.as_str();
        let description = DESCRIPTIONS.iter().find(|it| it.name == name)?;
        let has_need =
            |kind: Kind| matches!(kind, Kind::Flag { needs, .. } if needs.contains(&need));
        let flag = description.parameters.iter().find(|it| has_need(it.kind))?;
        let set = controller.parameters.iter().find(|(key, _)| key.value == flag.name)?;
        set.1.span.clone()
    }
}

/// A controller from outside, or a registered one with its parameters; `own` are the
/// file's names that may have been meant.
fn settings(
    controller: &Controller,
    own: &[&str],
    extensions: &Extensions,
) -> Result<Settings, Mistake> {
    let name = controller.kind.value.as_str();
    let makers = &extensions.controllers;
    let maker = makers.iter().find(|it| it.description().name == name);
    let registered = || DESCRIPTIONS.iter().find(|it| it.name == name);
    let mut settings = match maker {
        Some(maker) => Settings::external(Arc::clone(maker)),
        None => Settings::defaults(registered().ok_or_else(|| {
            let from_outside = makers.iter().map(|it| it.description().name);
            let registered = DESCRIPTIONS.iter().map(|it| it.name);
            let others = from_outside.chain(registered).filter(|it| !own.contains(it));
            let known: Vec<&str> = own.iter().copied().chain(others).collect();
            Mistake::new(format!("there is no controller `{name}`"))
                .at(controller.kind.span.clone())
                .help(suggestion(name, &known))
        })?),
    };
    let description = settings.description();
    for (key, setting) in &controller.parameters {
        if key.value == RESUME {
            resume(&mut settings, key, setting)?;
            continue;
        }
        let value = setting.value.value();
        let Some(value) = value else {
            return Err(key.mistake(format!("`{}` cannot be a table", key.value)));
        };
        settings.set(&key.value, value).map_err(|error| match error {
            SettingError::Unknown => {
                let known: Vec<&str> = description.parameters.iter().map(|it| it.name).collect();
                Mistake::new(format!("`{name}` has no parameter `{}`", key.value))
                    .at(key.span.clone())
                    .help(suggestion(&key.value, &known))
            }
            SettingError::Refused(kind) => {
                Mistake::new(format!("this is not a valid value of `{}`", key.value))
                    .at(setting.span.clone())
                    .help(wanted(kind))
            }
        })?;
    }
    Ok(settings)
}

/// Has a controller resume what its table says.
fn resume(
    settings: &mut Settings,
    key: &Located<String>,
    setting: &Located<Setting>,
) -> Result<(), Mistake> {
    let name = settings.description().name;
    if !settings.can_resume() {
        return Err(key.mistake(format!("`{name}` cannot resume")).help(
            "of the controllers of Windtunnel those can that do not pace: their window limits what they send",
        ));
    }
    let Setting::Resume(Resume { cwnd, rtt }) = &setting.value else {
        return Err(setting
            .mistake("`resume` must be a table")
            .help("write one such as resume = { cwnd = 300, rtt = \"600 ms\" }"));
    };
    cwnd.checked(
        |it| (1.0..=1e9).contains(it),
        || "`cwnd` is out of range".to_owned(),
        "write segments, from 1 to 1e9",
    )?;
    let rtt = above_zero(rtt, "rtt")?.as_nanos();
    settings.resume(SavedPath { cwnd: cwnd.value, rtt });
    Ok(())
}

fn wanted(kind: Kind) -> String {
    match kind {
        Kind::Number { default, minimum, maximum } => {
            format!("write a number from {minimum} to {maximum} (default: {default})")
        }
        Kind::Flag { default, .. } => format!("write true or false (default: {default})"),
        Kind::Choice(options) => {
            let names: Vec<String> =
                options.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            format!("write one of {}", names.join(", "))
        }
    }
}
