//! What is found of a controller in a case.

use serde::{Serialize, Serializer};

use crate::quantity::Quantity;

/// What is found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum Verdict {
    /// It does what must hold.
    Passes,
    /// It does not.
    Fails(Failure),
    /// It does not, as is known of it.
    FailsAsKnown {
        /// Why.
        reason: String,
        /// What it does instead.
        failure: Failure,
    },
    /// It is known not to, and it does: what is known is out of date.
    PassesUnexpectedly {
        /// Why it was known to fail.
        reason: String,
    },
    /// The case cannot be decided of it.
    DoesNotApply {
        /// Why.
        reason: String,
    },
}

impl Verdict {
    /// Whether somebody must do something about it.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        matches!(self, Self::Fails(_) | Self::PassesUnexpectedly { .. })
    }
}

/// A number that was not as expected.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The step after which it was seen, counted from 1; none on a network.
    pub step: Option<usize>,
    /// On a network: from when on it was measured, in seconds.
    pub from_s: Option<f64>,
    /// When, or until when, in seconds.
    pub time_s: f64,
    /// What was expected of.
    pub quantity: Option<Quantity>,
    /// What was expected, in words.
    pub expected: String,
    /// What it was; none if there is no such number.
    #[serde(serialize_with = "number")]
    pub measured: Option<f64>,
}

/// A verdict and how it came about.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// What is found.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What the controller got and answered.
    pub trace: Vec<Moment>,
}

impl From<Verdict> for Outcome {
    /// A verdict without a trace.
    fn from(verdict: Verdict) -> Self {
        Self { verdict, trace: Vec::new() }
    }
}

/// What the controller got, and what it answered.
#[derive(Clone, Debug, Serialize)]
pub struct Moment {
    /// The step, counted from 1; 0 before the first.
    pub step: usize,
    /// When, in seconds.
    pub time_s: f64,
    /// What the controller got.
    pub signal: String,
    /// The window, in segments.
    pub cwnd: f64,
    /// The threshold, in segments; none if it is infinite.
    #[serde(serialize_with = "number")]
    pub ssthresh: Option<f64>,
    /// The pacing rate, in segments per second.
    pub pacing_rate: Option<f64>,
}

/// JSON has no infinite numbers: they are texts.
fn number<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(it) if it.is_finite() => serializer.serialize_some(it),
        Some(it) => serializer.serialize_some(&it.to_string()),
        None => serializer.serialize_none(),
    }
}
