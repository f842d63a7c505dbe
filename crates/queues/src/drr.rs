//! Deficit round robin: a queue for each flow, and turns by bytes.
//!
//! Source: Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round Robin",
//! IEEE/ACM Transactions on Networking 1996. In its turn a queue sends packets while their
//! sizes do not exceed its deficit counter; what is left of that remains for the next turn, in
//! which it grows by a `quantum`. A queue that is found empty loses what is left.
//!
//! Where there is no room, the packet at the head of the queue with the most bytes is dropped
//! (buffer stealing, section III of the same).

use windtunnel_engine::{Random, Time};
use windtunnel_packets::FlowKey;

use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::flow_queues::{FlowQueues, Joins};
use crate::queue::{Admission, Queue, Waiting};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "drr",
    meaning: "deficit round robin: a queue for each flow, turns by bytes",
    source: "Shreedhar and Varghese, IEEE/ACM Transactions on Networking 1996",
    shapes: false,
    is_random: true,
};

/// The settings of the queues.
#[derive(Clone, Copy, Debug)]
pub struct DrrSettings {
    /// How many queues flows are hashed to.
    pub flows: u16,
    /// The bytes by which a queue's deficit counter grows in each turn.
    pub quantum: u32,
}

/// The queues of all flows.
#[derive(Debug)]
pub struct Drr(FlowQueues<()>);

impl Drr {
    /// Empty queues; the random stream decides which flows collide.
    #[must_use]
    pub fn new(settings: DrrSettings, mut random: Random) -> Self {
        Self(FlowQueues::new(settings.flows, settings.quantum, &mut random))
    }
}

impl Configured for Drr {
    type Settings = DrrSettings;

    fn marks(_settings: &Self::Settings) -> bool {
        false
    }

    fn start(settings: Self::Settings, random: Random) -> Self {
        Self::new(settings, random)
    }
}

impl Queue for Drr {
    fn push(&mut self, waiting: Waiting, flow: FlowKey) {
        self.0.push(waiting, flow, Joins::Old);
    }

    fn pop(&mut self, _now: Time) -> Option<(Waiting, Verdict)> {
        let exceeds = |deficit, head: Option<u32>| head.is_some_and(|it| i64::from(it) > deficit);
        let (number, head) = self.0.next(exceeds)?;
        self.0.spend(number, head.size);
        Some((head, Verdict::Pass))
    }

    fn backlog(&self) -> Backlog {
        self.0.backlog()
    }

    /// Any, because others go for it.
    fn admission(&self, _limit: QueueLimit, _waiting: &Waiting) -> Admission {
        Admission::InPlaceOfOthers
    }

    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        while limit.is_exceeded_by(self.backlog()) {
            let fattest = self.0.fattest();
            self.0.take(fattest).into_iter().for_each(&mut *drop);
        }
    }
}
