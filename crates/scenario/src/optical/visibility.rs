//! How far one can see: always the same, or from a file.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use windtunnel_links::optical;

use crate::error::Mistake;
use crate::files::Files;
use crate::located::Located;
use crate::reader::SHORT;
use crate::traces::VISIBILITIES;
use crate::units::{Length, Measured, parse};

/// How far one can see.
#[derive(Clone, Debug)]
pub(super) enum Visibility {
    /// So far, in kilometres.
    Constant(f64),
    /// As a file says.
    File(VisibilityFile),
}

/// A file that says how far one can see in the course of time: each line is a time in
/// seconds, with white space or a comma and the visibility in km then. The first time is 0;
/// between two times it changes linearly, and after the last no more. Empty lines and lines
/// that begin with `#` are skipped.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Visibility")]
pub(super) struct VisibilityFile {
    /// The file; its name is relative to the scenario file.
    file: Located<String>,
}

impl Visibility {
    pub(super) fn plan(&self, files: &mut Files<'_>) -> Result<Arc<optical::Visibility>, Mistake> {
        match self {
            Self::Constant(it) => Ok(Arc::new(optical::Visibility::constant(it * 1e3))),
            Self::File(it) => files.visibility(&it.file),
        }
    }
}

impl Default for Visibility {
    /// Very clear air.
    fn default() -> Self {
        Self::Constant(50.0)
    }
}

/// A visibility as a length.
fn constant(text: &str) -> Result<Visibility, String> {
    let kilometres = parse::<Length>(text)?.0 / 1e3;
    if !VISIBILITIES.contains(&kilometres) {
        return Err(format!("a visibility of \"{text}\"; write \"1 m\" to \"1000 km\""));
    }
    Ok(Visibility::Constant(kilometres))
}

impl<'de> Deserialize<'de> for Visibility {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LengthOrFile;
        impl<'de> Visitor<'de> for LengthOrFile {
            type Value = Visibility;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a length such as \"200 m\", or a table with a file")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Visibility, E> {
                constant(text).map_err(E::custom)
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                table: D,
            ) -> Result<Visibility, D::Error> {
                VisibilityFile::deserialize(table).map(Visibility::File)
            }
        }
        deserializer.deserialize_newtype_struct(SHORT, LengthOrFile)
    }
}

impl JsonSchema for Visibility {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "length or file of visibility".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let length = generator.subschema_for::<Measured<Length>>();
        let file = generator.subschema_for::<VisibilityFile>();
        json_schema!({ "anyOf": [length, file] })
    }
}
