//! The rules of adaptive streaming: which level the next segment shall have.
//!
//! The first segment has the lowest level in all of them, as in sabre. To add a rule: its file,
//! and a line in [`RuleSettings`] and in each of its functions.
//!
//! A rule's keys in files are in `crates/scenario/src/flows/workloads/rules.rs`.

mod bola;
mod bola_e;
mod estimate;
mod insufficient_buffer;
mod mpc;
mod throughput;

use std::fmt::Debug;
use std::sync::Arc;

use super::Ladder;

pub use bola::{BolaSettings, Oscillation};
pub use bola_e::{BolaESettings, Utility};
pub use estimate::{Estimate, harmonic_mean};
pub use insufficient_buffer::Client;
pub use mpc::MpcSettings;
pub use throughput::ThroughputSettings;

use bola::Bola;
use bola_e::BolaE;
use mpc::Mpc;
use throughput::Throughput;

/// What a rule knows when it chooses.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The levels and sizes of all segments.
    pub ladder: &'a Ladder,
    /// The segment to choose for, from 0.
    pub segment: usize,
    /// The media in the buffer, in seconds.
    pub buffer: f64,
}

/// What a rule chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The level, from 0.
    pub level: usize,
    /// How long to wait before the request, in seconds.
    pub delay: f64,
}

impl From<usize> for Choice {
    fn from(level: usize) -> Self {
        Self { level, delay: 0.0 }
    }
}

/// A segment that was received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Download {
    /// Its level.
    pub level: usize,
    /// Its size in bytes.
    pub bytes: u64,
    /// From the request to the first byte, in seconds.
    pub latency: f64,
    /// From the request to the last byte, in seconds.
    pub time: f64,
    /// The media in the buffer with it, in seconds.
    pub buffer: f64,
    /// How long playing stalled for it, in seconds.
    pub stalled: f64,
}

/// A rule that chooses the level of each segment.
pub trait Rule: Debug + Send {
    /// Chooses for the next segment.
    fn choose(&mut self, situation: &Situation<'_>) -> Choice;

    /// A segment was received.
    fn on_download(&mut self, ladder: &Ladder, download: &Download);

    /// Nothing could be requested for this many seconds, because the buffer was full.
    fn on_full(&mut self, _seconds: f64) {}
}

/// Makes rules from outside.
pub trait RuleMaker: Debug + Send + Sync {
    /// What the rule is called.
    fn name(&self) -> &str;

    /// A rule for a player of that ladder whose buffer holds this many seconds.
    fn rule(&self, ladder: &Ladder, maximum_buffer: f64) -> Box<dyn Rule>;
}

/// A rule and its parameters.
#[derive(Clone, Debug)]
pub enum RuleSettings {
    /// The highest level that the throughput allows.
    Throughput(ThroughputSettings),
    /// BOLA.
    Bola(BolaSettings),
    /// BOLA-E.
    BolaE(BolaESettings),
    /// Model predictive control.
    Mpc(MpcSettings),
    /// A rule from outside.
    External(Arc<dyn RuleMaker>),
}

impl RuleSettings {
    /// What the rule is called.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Throughput(_) => "throughput",
            Self::Bola(_) => "bola",
            Self::BolaE(_) => "bola-e",
            Self::Mpc(it) if it.robust => "robust-mpc",
            Self::Mpc(_) => "mpc",
            Self::External(it) => it.name(),
        }
    }

    /// The rule, for a player of that ladder whose buffer holds this many seconds.
    #[must_use]
    pub fn rule(&self, ladder: &Ladder, maximum_buffer: f64) -> Box<dyn Rule> {
        match self {
            Self::Throughput(it) => Box::new(Throughput::new(*it)),
            Self::Bola(it) => Box::new(Bola::new(*it, ladder, maximum_buffer)),
            Self::BolaE(it) => Box::new(BolaE::new(*it, ladder, maximum_buffer)),
            Self::Mpc(it) => Box::new(Mpc::new(*it)),
            Self::External(it) => it.rule(ladder, maximum_buffer),
        }
    }
}
