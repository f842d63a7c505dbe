//! Probes, by which the policies of flows learn the round trips of paths.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Time};

use super::flows::FlowNumber;
use super::policies::PathId;

/// A probe that is not answered for so long is lost.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A probe that was not answered yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    sequence: u16,
    pub(super) flow: FlowNumber,
    pub(super) path: PathId,
    pub(super) sent: Time,
}

/// The probes of a host.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    /// In the order in which they were sent.
    waiting: VecDeque<Probe>,
    sequence: u16,
    pub(super) sent: u64,
    pub(super) answered: u64,
}

impl Probes {
    /// The sequence number of a probe that is sent now.
    pub(super) fn send(&mut self, now: Time, flow: FlowNumber, path: PathId) -> u16 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sent += 1;
        self.waiting.push_back(Probe { sequence: self.sequence, flow, path, sent: now });
        self.sequence
    }

    /// Takes the first probe that is lost by now.
    pub(super) fn take_lost(&mut self, now: Time) -> Option<Probe> {
        let is_lost = self.next_timeout().is_some_and(|it| it <= now);
        if is_lost { self.waiting.pop_front() } else { None }
    }

    /// Takes the probe that was answered, if it is not lost.
    pub(super) fn take_answered(&mut self, sequence: u16) -> Option<Probe> {
        let place = self.waiting.iter().position(|it| it.sequence == sequence)?;
        self.answered += 1;
        self.waiting.remove(place)
    }

    /// When the next one is lost.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.waiting.front().map(|it| it.sent + TIMEOUT)
    }
}
