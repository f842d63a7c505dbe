//! What consumers ask for.

use rand_distr::Zipf;
use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_transports::ndn::consumer;

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::schema::short_forms;
use crate::reading::sizes;
use crate::reading::units::{Bytes, Measured};

/// What a consumer requests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "ConsumerWorkload", tag = "kind", transform = short_forms)]
pub(crate) enum Workload {
    /// Segments 0, 1, 2 … without end.
    Stream(Stream),
    /// The segments of one file, once.
    File(File),
    /// Objects by popularity, without end.
    Catalogue(Catalogue),
}

/// Segments 0, 1, 2 … without end.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stream {}

/// The segments of one file, once.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Its size; the last segment counts as a full one.
    size: Located<Measured<Bytes>>,
}

/// Objects of one segment each, by popularity, without end.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Catalogue {
    /// How many objects there are.
    objects: Located<u64>,
    /// The exponent of Zipf's law; 0 for equal popularity.
    #[serde(default = "exponent")]
    exponent: Located<f64>,
}

fn exponent() -> Located<f64> {
    0.8.into()
}

impl Default for Workload {
    fn default() -> Self {
        Self::Stream(Stream {})
    }
}

impl Workload {
    pub(super) fn plan(&self, segment_size: u32) -> Result<consumer::ConsumerWorkload, Mistake> {
        match self {
            Self::Stream(_) => Ok(consumer::ConsumerWorkload::Stream),
            Self::File(it) => it.plan(segment_size),
            Self::Catalogue(it) => it.plan(),
        }
    }
}

impl File {
    fn plan(&self, segment_size: u32) -> Result<consumer::ConsumerWorkload, Mistake> {
        let bytes = sizes::of_content(&self.size)?;
        Ok(consumer::ConsumerWorkload::File { segments: bytes.div_ceil(u64::from(segment_size)) })
    }
}

impl Catalogue {
    fn plan(&self) -> Result<consumer::ConsumerWorkload, Mistake> {
        self.objects.checked(
            |it| *it > 0,
            || "`objects` must be greater than zero".to_owned(),
            "write one such as objects = 10000",
        )?;
        let exponent = self.exponent.value;
        // Near 1 the law's own formula loses its digits.
        let is_one = (exponent - 1.0).abs() < 1e-9;
        let law = Zipf::new(self.objects.value as f64, if is_one { 1.0 } else { exponent });
        law.map(|popularity| consumer::ConsumerWorkload::Catalogue { popularity }).map_err(|_| {
            self.exponent
                .mistake("`exponent` must not be negative")
                .help("write one such as exponent = 0.8")
        })
    }
}
