//! Quantities in files.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

use crate::quantity::{Quantity, parse, written};

/// A quantity in a scenario file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured<T>(pub T);

impl<'de, T: Quantity> Deserialize<'de> for Measured<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<T>(PhantomData<T>);
        impl<T: Quantity> Visitor<'_> for Text<T> {
            type Value = Measured<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{} such as \"{}\"", T::NAME, T::EXAMPLE)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                parse(text).map(Measured).map_err(E::custom)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Text(PhantomData))
    }
}

impl<T: Quantity> Serialize for Measured<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&written(&self.0))
    }
}

impl<T: Quantity> JsonSchema for Measured<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let units: Vec<&str> = T::UNITS.iter().map(|(unit, _)| *unit).collect();
        let sign = if T::SIGNED { "-?" } else { "" };
        json_schema!({
            "type": "string",
            "title": T::NAME.trim_start_matches("an ").trim_start_matches("a "),
            "pattern": format!("^ *{sign}[0-9._]+ *({}) *$", units.join("|")),
            "examples": [T::EXAMPLE],
        })
    }
}

/// How a field of a plain type, or an optional one, is read and written as a quantity: for serde's
/// `with`.
#[derive(Clone, Copy, Debug)]
pub struct As<Q>(PhantomData<Q>);

impl<Q: Quantity> As<Q> {
    /// Reads a field.
    ///
    /// # Errors
    /// Those of [`parse`].
    pub fn deserialize<'de, T: From<Q>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        Measured::<Q>::deserialize(deserializer).map(|it| it.0.into())
    }

    /// Writes a field.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Copy + Into<Q>, S: Serializer>(
        field: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Measured::<Q>((*field).into()).serialize(serializer)
    }
}

impl<Q: Quantity> As<Option<Q>> {
    /// Reads a field that may be left out.
    ///
    /// # Errors
    /// Those of [`parse`].
    pub fn deserialize<'de, T: From<Q>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        Measured::<Q>::deserialize(deserializer).map(|it| Some(it.0.into()))
    }

    /// Writes a field that may be left out.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Copy + Into<Q>, S: Serializer>(
        field: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        field.map(|it| Measured::<Q>(it.into())).serialize(serializer)
    }
}

impl<Q: Quantity> JsonSchema for As<Q> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Measured::<Q>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Measured::<Q>::json_schema(generator)
    }
}

impl<Q: Quantity> JsonSchema for As<Option<Q>> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Measured::<Q>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Measured::<Q>::json_schema(generator)
    }
}
