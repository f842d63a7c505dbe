//! FQ-CoDel: a queue for each flow, CoDel on each, and turns by bytes.
//!
//! Source: RFC 8290, sections 4 and 5. Flows are hashed to queues. A queue that
//! becomes active goes to the end of the list of new queues with a credit of one
//! `quantum`; new queues have their turn before old ones. A queue without credit
//! gets another quantum and goes to the end of the list of old queues, and so does
//! a new one that is found empty; an old one that is found empty leaves its list.
//!
//! Where there is no room, packets at the head of the queue with the most bytes
//! are dropped: half of its bytes, but no more than 64 packets at once (section
//! 4.1.3). CoDel looks at its own queue alone.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_packets::FlowKey;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::units::{Bytes, Measured, bytes, milliseconds};

use crate::backlog::{Backlog, QueueLimit};
use crate::codel::{self, CoDelSettings};
use crate::description::{Configured, QueueDescription};
use crate::flow_queues::{FlowQueues, Joins};
use crate::keys::{Keys, mark, packets};
use crate::queue::{Admission, Queue, Waiting};
use crate::verdict::{CongestionAction, Verdict};

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "fq-codel",
    meaning: "a queue for each flow, CoDel on each, new flows first",
    source: "RFC 8290",
    shapes: false,
    is_random: true,
};

/// The most packets dropped at once.
const MOST_SHED: u32 = 64;

/// The settings of the queues.
#[derive(Clone, Debug)]
pub struct FqCoDelSettings {
    /// CoDel on each queue.
    pub codel: CoDelSettings,
    /// How many queues flows are hashed to; 1024 by default.
    pub flows: u16,
    /// The bytes that a queue may send in one turn; 1514 by default.
    pub quantum: u32,
}

/// The queues of all flows.
#[derive(Clone, Debug)]
pub struct FqCoDel {
    codel: CoDelSettings,
    queues: FlowQueues<codel::State>,
}

impl FqCoDel {
    /// Empty queues; the random stream decides which flows collide.
    #[must_use]
    pub fn new(settings: FqCoDelSettings, mut random: Random) -> Self {
        let FqCoDelSettings { codel, flows, quantum } = settings;
        Self { codel, queues: FlowQueues::new(flows, quantum, &mut random) }
    }

    /// Which of the queues a flow is hashed to.
    #[inline]
    #[must_use]
    pub fn number_of(&self, flow: FlowKey) -> u16 {
        self.queues.number_of(flow)
    }

    /// Drops packets from the head of the queue with the most bytes.
    pub(crate) fn shed_fattest(&mut self, drop: &mut dyn FnMut(Waiting)) {
        let fattest = self.queues.fattest();
        let half = self.queues.backlog_of(fattest).bytes / 2;
        let mut shed = 0;
        for _ in 0..MOST_SHED {
            let Some(head) = self.queues.take(fattest) else { return };
            shed += u64::from(head.size);
            drop(head);
            if shed >= half {
                return;
            }
        }
    }
}

impl Configured for FqCoDel {
    type Keys = FqCoDelKeys;
    type Settings = FqCoDelSettings;

    fn marks(settings: &Self::Settings) -> bool {
        settings.codel.marks()
    }

    fn start(settings: Self::Settings, random: Random) -> Self {
        Self::new(settings, random)
    }
}

impl Queue for FqCoDel {
    fn push(&mut self, waiting: Waiting, flow: FlowKey) {
        self.queues.push(waiting, flow, Joins::New);
    }

    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)> {
        let (number, head) = self.queues.next(|credit, _| credit <= 0)?;
        let leaving = head.leaving(now, self.queues.backlog_of(number).bytes);
        let verdict = self.queues.state(number).judge(&self.codel, now, &leaving).on(head.ecn);
        if verdict != Verdict::Drop {
            self.queues.spend(number, head.size);
        }
        Some((head, verdict))
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    /// Any, because others go for it.
    fn admission(&self, _limit: QueueLimit, _waiting: &Waiting) -> Admission {
        Admission::InPlaceOfOthers
    }

    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        while limit.is_exceeded_by(self.backlog()) {
            self.shed_fattest(drop);
        }
    }
}

/// With less a flow would need many turns for one packet; with more, flows would no
/// longer share.
const QUANTA: std::ops::Range<u64> = 64..1 << 20;

/// A queue for each flow, with controlled delay (RFC 8290).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FqCoDelKeys {
    /// How much may wait in all queues together.
    #[serde(default = "packets::<10_240>")]
    limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "mark")]
    action: CongestionAction,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// The sojourn time above which every ECN-capable packet is marked; default: none.
    ce_threshold: Option<Measured<Duration>>,
    /// How many queues flows are hashed to.
    #[serde(default = "number::<1024>")]
    flows: Located<u16>,
    /// How many bytes a queue may send in one turn.
    #[serde(default = "bytes::<1514>")]
    quantum: Located<Measured<Bytes>>,
}

impl Keys for FqCoDelKeys {
    type Settings = FqCoDelSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<FqCoDelSettings, Mistake> {
        let Self { action, target, interval, ce_threshold, .. } = self;
        let codel = codel::settings(*action, target, interval, *ce_threshold)?;
        let (flows, quantum) = (flows(&self.flows)?, quantum(&self.quantum)?);
        Ok(FqCoDelSettings { codel, flows, quantum })
    }
}

/// How many queues flows are hashed to.
pub(super) fn flows(flows: &Located<u16>) -> Result<u16, Mistake> {
    flows.checked(
        |it| *it > 0,
        || "`flows` must be at least 1".to_owned(),
        "write one such as flows = 1024",
    )?;
    Ok(flows.value)
}

/// How many bytes a queue may send in one turn.
pub(super) fn quantum(quantum: &Located<Measured<Bytes>>) -> Result<u32, Mistake> {
    quantum.checked(
        |it| QUANTA.contains(&it.0.0),
        || "`quantum` must be from 64 B to 1 MiB".to_owned(),
        "write one such as quantum = \"1514 B\"",
    )?;
    Ok(quantum.value.0.0 as u32)
}
