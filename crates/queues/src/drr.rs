//! Deficit round robin: a queue for each flow, and turns by bytes.
//!
//! Source: Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round Robin",
//! IEEE/ACM Transactions on Networking 1996. In its turn a queue sends packets while their
//! sizes do not exceed its deficit counter; what is left of that remains for the next turn, in
//! which it grows by a `quantum`. A queue that is found empty loses what is left.
//!
//! Where there is no room, the packet at the head of the queue with the most bytes is dropped
//! (buffer stealing, section III of the same).

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Random, Time};
use windtunnel_packets::FlowKey;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::units::{Bytes, Measured, bytes};

use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::flow_queues::{FlowQueues, Joins};
use crate::fq_codel::{flows, quantum};
use crate::keys::{Keys, packets};
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
#[derive(Clone, Debug)]
pub struct Drr(FlowQueues<()>);

impl Drr {
    /// Empty queues; the random stream decides which flows collide.
    #[must_use]
    pub fn new(settings: DrrSettings, mut random: Random) -> Self {
        Self(FlowQueues::new(settings.flows, settings.quantum, &mut random))
    }
}

impl Configured for Drr {
    type Keys = DrrKeys;
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

/// Deficit round robin (Shreedhar and Varghese 1996): a queue for each flow, which send in turn,
/// by bytes. Where there is no room, the longest queue loses a packet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrrKeys {
    /// How much may wait in all queues together.
    #[serde(default = "packets::<1000>")]
    limit: Measured<QueueLimit>,
    /// How many queues flows are hashed to.
    #[serde(default = "number::<1024>")]
    flows: Located<u16>,
    /// How many bytes a queue may send in one turn.
    #[serde(default = "bytes::<1514>")]
    quantum: Located<Measured<Bytes>>,
}

impl Keys for DrrKeys {
    type Settings = DrrSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<DrrSettings, Mistake> {
        let (flows, quantum) = (flows(&self.flows)?, quantum(&self.quantum)?);
        Ok(DrrSettings { flows, quantum })
    }
}
