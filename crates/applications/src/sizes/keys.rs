//! How large files are, or the elements of a session.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::located::Located;
use windtunnel_reading::reader::SHORT;
use windtunnel_reading::sizes::{MOST_DATA, within};
use windtunnel_reading::units::{Bytes, Measured, Share, bytes, parse};

use super::{Sizes, distribution};
/// A point of a distribution function: a size, and the probability of no more.
type SizePoint = (Measured<Bytes>, Measured<Share>);

/// How large files are.
#[derive(Clone, Debug)]
pub enum SizesOfFiles {
    /// Those of web search.
    WebSearch,
    /// Those of data mining.
    DataMining,
    /// All of this size.
    Fixed(Bytes),
    /// By a distribution function through these points.
    Points(Vec<SizePoint>),
    /// By points that are in a file.
    File(FileOfSizes),
}

impl<'de> Deserialize<'de> for SizesOfFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameSizeOrPoints;
        impl<'de> Visitor<'de> for NameSizeOrPoints {
            type Value = SizesOfFiles;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(
                    "\"web-search\", \"data-mining\", a size such as \"64 KiB\", or an array of \
                     points such as [\"10 kB\", \"15 %\"], or a table such as { file = \"a.txt\" }",
                )
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                match text {
                    "web-search" => Ok(SizesOfFiles::WebSearch),
                    "data-mining" => Ok(SizesOfFiles::DataMining),
                    size if size.starts_with(|it: char| it.is_ascii_digit()) => {
                        parse(size).map(SizesOfFiles::Fixed).map_err(E::custom)
                    }
                    other => Err(E::custom(format!(
                        "there is no distribution `{other}`; write \"web-search\", \
                         \"data-mining\", or a size such as \"64 KiB\""
                    ))),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, points: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(points)).map(SizesOfFiles::Points)
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                table: D,
            ) -> Result<Self::Value, D::Error> {
                FileOfSizes::deserialize(table).map(SizesOfFiles::File)
            }
        }
        deserializer.deserialize_newtype_struct(SHORT, NameSizeOrPoints)
    }
}

impl JsonSchema for SizesOfFiles {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "sizes".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Measured<Bytes>>();
        let share = generator.subschema_for::<Measured<Share>>();
        let file = generator.subschema_for::<FileOfSizes>();
        json_schema!({
            "anyOf": [
                { "enum": ["web-search", "data-mining"] },
                size,
                { "type": "array", "minItems": 2, "items": {
                    "type": "array", "prefixItems": [size, share], "minItems": 2, "maxItems": 2,
                } },
                file,
            ]
        })
    }
}

/// Points of a distribution function that are in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileOfSizes {
    /// The file: on each line a size and the probability of no more, in parts of 1 or in percent,
    /// which the last line decides; it must have 1 or 100. Of three numbers the one between is
    /// not read. Lines that begin with `#` are comments.
    file: Located<String>,
    /// What the sizes are counted in, such as `"1460 B"` where a file counts packets.
    #[serde(default = "bytes::<1>")]
    unit: Located<Measured<Bytes>>,
}

impl FileOfSizes {
    fn sizes(&self, files: &mut Files<'_>) -> Result<Sizes, Mistake> {
        let unit = within(&self.unit, MOST_DATA, "unit")?;
        files.read(&self.file, |text| distribution::sizes(text, unit))
    }
}

impl SizesOfFiles {
    /// The sizes that `key` has.
    ///
    /// # Errors
    /// [`Mistake`] at the key, or in its file.
    pub fn plan(sizes: &Located<Self>, key: &str, files: &mut Files<'_>) -> Result<Sizes, Mistake> {
        match &sizes.value {
            Self::WebSearch => Ok(Sizes::web_search()),
            Self::DataMining => Ok(Sizes::data_mining()),
            Self::Fixed(Bytes(0)) => Err(sizes
                .mistake(format!("`{key}` must be greater than zero"))
                .help("write a size such as \"64 KiB\"")),
            Self::Fixed(bytes) => Ok(Sizes::Fixed(bytes.0)),
            Self::Points(points) => by_points(points).map_err(|it| {
                sizes.mistake(it).help(
                    "write points such as [[\"1 kB\", \"0 %\"], [\"10 kB\", \"60 %\"], [\"1 MB\", \"100 %\"]]",
                )
            }),
            Self::File(it) => it.sizes(files),
        }
    }
}

fn by_points(points: &[SizePoint]) -> Result<Sizes, &'static str> {
    let points = points.iter().map(|(size, share)| (size.0.0 as f64, share.0.0));
    distribution::distribution(points.collect())
}
