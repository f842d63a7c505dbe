//! What is found of a script.

use std::collections::BTreeMap;

use serde::Serialize;

/// What is found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum Verdict {
    /// Each segment that was sent is as the script has it, at its time.
    Passes,
    /// Each segment is as the script has it, and some were sent at another time.
    DiffersInTime {
        /// Those segments.
        differences: Vec<Difference>,
    },
    /// Something else happened.
    Fails(Failure),
    /// The script uses what is not here.
    Skipped {
        /// The line that uses it, counted from 1.
        line: usize,
        /// What it is.
        reason: String,
    },
}

/// A segment that was sent at another time than the script has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The line, counted from 1.
    pub line: usize,
    /// The segment as the script has it.
    pub expected: String,
    /// The nearest time that the script has, in seconds.
    pub expected_s: f64,
    /// When it was sent, in seconds.
    pub sent_s: f64,
}

/// What happened in place of what a script has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The line, counted from 1.
    pub line: usize,
    /// When it was seen, in seconds from the start of the script.
    pub time_s: f64,
    /// What the script has there.
    pub expected: String,
    /// What differs, in words.
    pub reason: String,
    /// What was sent instead, and after it, in the notation of scripts.
    pub sent: Vec<String>,
}

/// A verdict, and how it came about.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// What is found.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// How many events were not checked: calls whose answers are the kernel's.
    pub unchecked: usize,
    /// The code of the script that was reached, for whoever runs it.
    pub assertions: Vec<Assertion>,
    /// What was sent and received, and the calls of the application.
    pub trace: Vec<Moment>,
}

/// Code of a script, and what it is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assertion {
    /// The line, counted from 1.
    pub line: usize,
    /// When, in seconds from the start of the script.
    pub time_s: f64,
    /// The text of the code, in Python.
    pub code: String,
    /// What is known of the connection, by the names of packetdrill: those of Linux's `tcp_info`.
    pub info: BTreeMap<&'static str, u64>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// When, in seconds from the start of the script.
    pub time_s: f64,
    /// What, in the notation of scripts.
    pub what: String,
}

/// Why a script ends before its last line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// What happened is not what the script has.
    Fails(String),
    /// The script uses what is not here.
    Skips(String),
}

impl Stop {
    pub(crate) fn fails<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Fails(reason.into()))
    }

    pub(crate) fn skips<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Skips(reason.into()))
    }
}
