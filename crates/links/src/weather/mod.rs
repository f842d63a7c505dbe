//! Weather: always the same, or from a file.

mod file;
mod kinds;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use crate::Course;
use kinds::{FOG, Kind, RAIN, VISIBILITY};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::located::Located;
use windtunnel_reading::reader::SHORT;
use windtunnel_reading::units::{Length, Measured, Quantity, RainRate, WaterContent, parse};

/// A kind of weather that a key is of.
pub(crate) trait OfWeather {
    /// As what it is written.
    type Quantity: Quantity;
    /// The kind.
    fn kind() -> &'static Kind;
}

/// How far one can see.
#[derive(Clone, Debug)]
pub(crate) struct Visibility;
/// How much it rains.
#[derive(Clone, Debug)]
pub(crate) struct Rain;
/// How much liquid water is in fog.
#[derive(Clone, Debug)]
pub(crate) struct Fog;

impl OfWeather for Visibility {
    type Quantity = Length;
    fn kind() -> &'static Kind {
        &VISIBILITY
    }
}

impl OfWeather for Rain {
    type Quantity = RainRate;
    fn kind() -> &'static Kind {
        &RAIN
    }
}

impl OfWeather for Fog {
    type Quantity = WaterContent;
    fn kind() -> &'static Kind {
        &FOG
    }
}

/// Weather of a kind.
#[derive(Clone, Debug)]
pub(crate) enum Weather<K> {
    /// Always so, in the quantity's base unit.
    Constant(f64),
    /// As a file says.
    File(WeatherFile, PhantomData<K>),
}

/// A file that says what the weather is like in the course of time: each line is a time in
/// seconds, with white space or a comma and the value then: a visibility in km, a rain rate in
/// mm/h, or the liquid water of fog in g/m³. The first time is 0; between two times it changes
/// linearly, and after the last no more. Empty lines and lines that begin with `#` are skipped.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Weather")]
pub(crate) struct WeatherFile {
    /// The file; its name is relative to the scenario file.
    file: Located<String>,
}

impl<K: OfWeather> Weather<K> {
    pub(crate) fn plan(&self, files: &mut Files<'_>) -> Result<Arc<Course>, Mistake> {
        match self {
            Self::Constant(it) => Ok(Arc::new(Course::constant(*it))),
            Self::File(it, _) => {
                let read = |text: &str| file::course(text, K::kind()).map(Arc::new);
                files.read_once(&it.file, K::kind().name, read)
            }
        }
    }

    /// Always the same.
    fn constant(text: &str) -> Result<Self, String> {
        let (Kind { name, range, worth, limits, .. }, base) =
            (K::kind(), parse::<K::Quantity>(text)?.base());
        if !range.contains(&(base / worth)) {
            return Err(format!("a {name} of \"{text}\"; write {limits}"));
        }
        Ok(Self::Constant(base))
    }
}

impl<'de, K: OfWeather> Deserialize<'de> for Weather<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct QuantityOrFile<K>(PhantomData<K>);
        impl<'de, K: OfWeather> Visitor<'de> for QuantityOrFile<K> {
            type Value = Weather<K>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (name, example) = (K::Quantity::NAME, K::Quantity::EXAMPLE);
                write!(formatter, "{name} such as \"{example}\", or a table with a file")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Weather<K>, E> {
                Weather::constant(text).map_err(E::custom)
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                table: D,
            ) -> Result<Weather<K>, D::Error> {
                WeatherFile::deserialize(table).map(|it| Weather::File(it, PhantomData))
            }
        }
        deserializer.deserialize_newtype_struct(SHORT, QuantityOrFile(PhantomData))
    }
}

impl<K: OfWeather> JsonSchema for Weather<K> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("{} or file of it", K::kind().name).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let quantity = generator.subschema_for::<Measured<K::Quantity>>();
        let file = generator.subschema_for::<WeatherFile>();
        json_schema!({ "anyOf": [quantity, file] })
    }
}
