//! A rule of adaptive streaming: what it knows, and what it chooses.

use std::fmt::Debug;

use dyn_clone::DynClone;

use crate::video::Ladder;

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
pub trait Rule: Debug + DynClone + Send {
    /// Chooses for the next segment.
    fn choose(&mut self, situation: &Situation<'_>) -> Choice;

    /// A segment was received.
    fn on_download(&mut self, ladder: &Ladder, download: &Download);

    /// Nothing could be requested for this many seconds, because the buffer was full.
    fn on_full(&mut self, _seconds: f64) {}
}

dyn_clone::clone_trait_object!(Rule);

/// Makes rules from outside.
pub trait RuleMaker: Debug + Send + Sync {
    /// What the rule is called.
    fn name(&self) -> &str;

    /// A rule for a player of that ladder whose buffer holds this many seconds.
    fn rule(&self, ladder: &Ladder, maximum_buffer: f64) -> Box<dyn Rule>;
}
