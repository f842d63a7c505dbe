//! First in, first out; each packet is judged when it leaves.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Random, Time};
use windtunnel_packets::FlowKey;
use windtunnel_reading::units::Measured;

use crate::backlog::{Backlog, QueueLimit};
use crate::departure::{DepartureDiscipline, Leaving};
use crate::description::{Configured, QueueDescription};
use crate::keys::packets;
use crate::queue::{Queue, Waiting};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "drop-tail",
    meaning: "first in, first out; drops packets when it is full",
    source: "common practice",
    shapes: false,
    is_random: false,
};

/// A first-in-first-out queue.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    waiting: VecDeque<Waiting>,
    backlog: Backlog,
}

impl Fifo {
    /// Takes a packet in.
    pub fn push(&mut self, waiting: Waiting) {
        self.backlog.add(waiting.size);
        self.waiting.push_back(waiting);
    }

    /// Takes out the packet at the head.
    pub fn pop(&mut self) -> Option<Waiting> {
        let head = self.waiting.pop_front()?;
        self.backlog.remove(head.size);
        Some(head)
    }

    /// Drops the last ones until no more wait than may.
    pub fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        while limit.is_exceeded_by(self.backlog) {
            let Some(last) = self.waiting.pop_back() else { return };
            self.backlog.remove(last.size);
            drop(last);
        }
    }

    /// The packet at the head.
    #[must_use]
    pub fn head(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// What waits.
    #[must_use]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }
}

/// A first-in-first-out queue whose head a discipline judges.
#[derive(Clone, Debug)]
pub struct Judged<D> {
    queue: Fifo,
    discipline: D,
}

/// Lets every packet pass.
#[derive(Clone, Copy, Debug)]
pub struct Unjudged;

impl DepartureDiscipline for Unjudged {
    fn judge(&mut self, _now: Time, _leaving: &Leaving) -> Verdict {
        Verdict::Pass
    }
}

impl<D> Judged<D> {
    /// An empty queue.
    #[must_use]
    pub fn new(discipline: D) -> Self {
        Self { queue: Fifo::default(), discipline }
    }
}

impl<D: Configured> Configured for Judged<D> {
    type Keys = D::Keys;
    type Settings = D::Settings;

    fn marks(settings: &Self::Settings) -> bool {
        D::marks(settings)
    }

    fn start(settings: Self::Settings, random: Random) -> Self {
        Self::new(D::start(settings, random))
    }
}

impl<D: DepartureDiscipline> Queue for Judged<D> {
    fn push(&mut self, waiting: Waiting, _flow: FlowKey) {
        self.queue.push(waiting);
    }

    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)> {
        let head = self.queue.pop()?;
        let leaving = head.leaving(now, self.queue.backlog().bytes);
        let verdict = self.discipline.judge(now, &leaving).on(head.ecn);
        Some((head, verdict))
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        self.queue.shed(limit, drop);
    }
}

/// First in, first out; drops packets when it is full.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DropTailKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(crate) limit: Measured<QueueLimit>,
}

impl Default for DropTailKeys {
    fn default() -> Self {
        Self { limit: packets::<100>() }
    }
}
