//! What a scheduler is: it chooses the subflow that the next data goes to.
//!
//! **To add one:** write a file in `schedulers` with a `DESCRIPTION` and an implementation of
//! [`Scheduler`], and add its `mod` and one line to [`DESCRIPTIONS`](super::DESCRIPTIONS).
//! A scheduler is asked for each segment, and again when one is acknowledged: what does not go
//! now may go then.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::sync::Arc;

use dyn_clone::DynClone;
use windtunnel_engine::{Duration, Time};

use crate::tcp::SenderState;

/// A subflow, as a scheduler sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SubflowState {
    /// How its sender fares.
    pub sender: SenderState,
    /// Whether it is established, and something was acknowledged on it since its last timeout.
    pub usable: bool,
    /// Whether it is only for when no other is usable.
    pub backup: bool,
    /// Whether it holds as much as it may.
    pub is_full: bool,
}

impl SubflowState {
    /// The smoothed round trip in seconds; without one, infinite.
    #[must_use]
    pub fn rtt(&self) -> f64 {
        self.sender.smoothed_rtt.map_or(f64::INFINITY, |it| it.as_seconds())
    }

    /// How many segments more its window has room for, those that wait there counted as sent.
    #[inline]
    #[must_use]
    pub fn free(&self) -> f64 {
        self.sender.cwnd - self.sender.in_flight - self.sender.queued
    }

    /// Whether it takes a segment now: its window has room, and no timeout is being repaired.
    #[inline]
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.usable && !self.sender.timed_out && self.free() >= 1.0
    }
}

/// What a scheduler decides on.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The time.
    pub now: Time,
    /// All subflows.
    pub subflows: &'a [SubflowState],
    /// A subflow that the data does not go to, because it has it already: it goes again, and
    /// there is some whatever waits to go for the first time.
    pub excluded: Option<usize>,
    /// The first byte that is not acknowledged, and the next that goes for the first time.
    pub unacknowledged: u64,
    /// The next byte that goes for the first time.
    pub next: u64,
    /// Bytes that wait to go for the first time.
    pub waiting: u64,
    /// Bytes more that the receiver has room for.
    pub window: u64,
    /// The bytes of a full segment.
    pub segment: u16,
    /// Whether data waits in large pieces, for interfaces that segment.
    pub in_pieces: bool,
}

impl<'a> View<'a> {
    /// Whether data may go to that subflow at all: to a backup only if there are no others.
    #[inline]
    fn may_use(&self, place: usize, it: &SubflowState) -> bool {
        let may = |place, it: &SubflowState| it.usable && Some(place) != self.excluded;
        let mut all = self.subflows.iter().enumerate();
        may(place, it) && (!it.backup || all.all(|(place, it)| it.backup || !may(place, it)))
    }

    /// The subflows that data may go to at all, with their places.
    #[inline]
    pub fn usable(&self) -> impl Iterator<Item = (usize, &'a SubflowState)> + Clone {
        self.subflows.iter().enumerate().filter(|(place, it)| self.may_use(*place, it))
    }

    /// Those of them that take a segment now.
    #[inline]
    pub fn open(&self) -> impl Iterator<Item = (usize, &'a SubflowState)> + Clone {
        self.usable().filter(|(_, it)| it.is_open())
    }

    /// The segments that wait.
    #[must_use]
    pub fn waiting_segments(&self) -> f64 {
        self.waiting as f64 / f64::from(self.segment)
    }
}

/// The one with the greatest value, of several the first.
#[inline]
pub(super) fn greatest<'a, T: PartialOrd>(
    subflows: impl Iterator<Item = (usize, &'a SubflowState)>,
    value: impl Fn(&SubflowState) -> T,
) -> Option<usize> {
    let mut best: Option<(usize, T)> = None;
    for (place, it) in subflows {
        let value = value(it);
        if best.as_ref().is_none_or(|(_, most)| value > *most) {
            best = Some((place, value));
        }
    }
    best.map(|(place, _)| place)
}

/// The one with the lowest smoothed round trip, of several the first.
#[inline]
pub(super) fn nearest<'a>(
    subflows: impl Iterator<Item = (usize, &'a SubflowState)>,
) -> Option<usize> {
    greatest(subflows, |it| Reverse(it.sender.smoothed_rtt.unwrap_or(Duration::MAX)))
}

/// Where the next segment goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The subflow.
    pub subflow: usize,
    /// The byte that it begins with, if not with the next that goes for the first time: at least
    /// the first that is not acknowledged.
    pub from: Option<u64>,
    /// The bytes of it at most, beside what a segment carries.
    pub most: u64,
}

impl Choice {
    /// The next new data goes to that subflow.
    #[must_use]
    pub fn new(subflow: usize) -> Self {
        Self { subflow, from: None, most: u64::MAX }
    }
}

/// Chooses the subflow that the next data goes to.
pub trait Scheduler: Debug + DynClone + Send {
    /// Where the next segment goes; none if it waits.
    fn choose(&mut self, view: &View<'_>) -> Option<Choice>;

    /// The bytes from `start` to before `end` were given to a subflow, whoever chose it.
    fn on_sent(&mut self, _subflow: usize, _start: u64, _end: u64) {}

    /// The receiver's window is full, because something is late on a slower subflow.
    fn on_window_full(&mut self, _now: Time) {}

    /// Whether it looks at rates and estimates of [`SenderState`], which take time.
    fn wants_rates(&self) -> bool {
        false
    }

    /// Whether data that waits in large pieces goes in pieces as small as the receiver's window has room
    /// for, as in Linux. What waits on a subflow and the data behind it are then cut into segments as
    /// one, and it leaves full subflows out by itself: with others, these are given nothing.
    fn fills_window(&self) -> bool {
        false
    }

    /// Whether it gives data to a subflow again that another one has.
    fn repeats(&self) -> bool {
        false
    }
}

dyn_clone::clone_trait_object!(Scheduler);

/// What a scheduler is.
#[derive(Debug)]
pub struct Description {
    /// The name in scenario files, such as `lowest-rtt`.
    pub name: &'static str,
    /// The name in text and pictures.
    pub title: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// What defines it.
    pub source: &'static str,
    /// Makes one for a connection.
    pub make: fn() -> Box<dyn Scheduler>,
}

/// Makes schedulers that are written outside this crate, one for each end of a connection.
pub trait Maker: Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// A scheduler for a new connection.
    fn make(&self) -> Box<dyn Scheduler>;
}

/// Which scheduler a connection has.
#[derive(Clone, Debug)]
pub enum SchedulerSettings {
    /// One that is built in.
    Registered(&'static Description),
    /// Another one.
    External(Arc<dyn Maker>),
}

impl SchedulerSettings {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Registered(it) => it.name,
            Self::External(it) => it.name(),
        }
    }

    /// A scheduler for a new connection.
    #[must_use]
    pub fn make(&self) -> Box<dyn Scheduler> {
        match self {
            Self::Registered(it) => (it.make)(),
            Self::External(it) => it.make(),
        }
    }
}
