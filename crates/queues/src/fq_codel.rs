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

use windtunnel_engine::{Random, Time};
use windtunnel_packets::FlowKey;

use crate::backlog::{Backlog, QueueLimit};
use crate::codel::{self, CoDelSettings};
use crate::description::{Configured, QueueDescription};
use crate::flow_queues::{FlowQueues, Joins};
use crate::queue::{Admission, Queue, Waiting};
use crate::verdict::Verdict;

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
#[derive(Debug)]
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
