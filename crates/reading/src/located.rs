//! Values with their place in the file, values for two directions, and tables in two
//! parts.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use toml::Spanned;

use crate::error::Mistake;
use crate::reader::{BOTH, EACH, keys};

/// Things under names, in the file's order.
pub type Named<T> = IndexMap<Spanned<String>, T>;

/// A value with its place in the file; a default has none.
#[derive(Clone, Debug, Default)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Which bytes of the file it is from.
    pub span: Option<Range<usize>>,
}

impl<T> From<T> for Located<T> {
    fn from(value: T) -> Self {
        Self { value, span: None }
    }
}

/// A whole number as a default.
#[must_use]
pub fn number<const NUMBER: u16>() -> Located<u16> {
    NUMBER.into()
}

impl<T> Located<T> {
    /// Refuses a value that does not fit: `help` says what would be right.
    ///
    /// # Errors
    /// [`Mistake`] with the message and the value's place.
    pub fn checked(
        &self,
        fits: impl FnOnce(&T) -> bool,
        message: impl FnOnce() -> String,
        help: &str,
    ) -> Result<(), Mistake> {
        if fits(&self.value) { Ok(()) } else { Err(self.mistake(message()).help(help)) }
    }

    /// What is wrong with it.
    pub fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake::new(message).at(self.span.clone())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self { span: Some(spanned.span()), value: spanned.into_inner() })
    }
}

impl<T: Serialize> Serialize for Located<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// One value for both directions of a link, or two: from the first node to the
/// second, and back.
#[derive(Clone, Debug, Default)]
pub struct Each<T>(pub [T; 2]);

impl<T: Clone> From<T> for Each<T> {
    fn from(value: T) -> Self {
        Self([value.clone(), value])
    }
}

impl<'de, T: Deserialize<'de> + Clone> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrTwo<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Clone> Visitor<'de> for OneOrTwo<T> {
            type Value = Each<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("one value for both directions, or an array of two")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Each<T>, A::Error> {
                let mut values: Vec<T> = Vec::new();
                while let Some(value) = items.next_element()? {
                    values.push(value);
                }
                match <[T; 2]>::try_from(values) {
                    Ok(two) => Ok(Each(two)),
                    Err(values) => match &values[..] {
                        [one] => Ok(one.clone().into()),
                        _ => Err(A::Error::custom(format!(
                            "{} values for two directions; write one or two",
                            values.len()
                        ))),
                    },
                }
            }
        }
        deserializer.deserialize_struct(EACH, &[], OneOrTwo(PhantomData))
    }
}

impl<T: Serialize> Serialize for Each<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0[0].serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Each<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("each {}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({
            "anyOf": [one, { "type": "array", "items": one, "minItems": 2, "maxItems": 2 }]
        })
    }
}

/// A table whose keys are of two types: those of the first, and those of the second, or of a
/// variant of it.
#[derive(Clone, Debug)]
pub struct Both<A, B> {
    /// The keys that all variants have.
    pub common: A,
    /// The variant, with its own keys.
    pub own: B,
}

impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Deserialize<'de> for Both<A, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<A, B>(PhantomData<(A, B)>);
        impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Visitor<'de> for Parts<A, B> {
            type Value = Both<A, B>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a table")
            }
            fn visit_seq<S: SeqAccess<'de>>(self, mut parts: S) -> Result<Both<A, B>, S::Error> {
                let missing = || S::Error::invalid_length(2, &"two parts");
                // Unknown keys are among those of the kind: they go before missing ones.
                let own = parts.next_element()?.ok_or_else(missing)?;
                let common = parts.next_element()?.ok_or_else(missing)?;
                Ok(Both { common, own })
            }
        }
        deserializer.deserialize_struct(BOTH, keys::<A>(), Parts(PhantomData))
    }
}
