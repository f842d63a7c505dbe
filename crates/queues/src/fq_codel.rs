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

use windtunnel_engine::{Handle, Random, Store, Time, hash_twice};
use windtunnel_packets::FlowKey;

use crate::backlog::Backlog;
use crate::codel::{self, CoDelSettings};
use crate::description::QueueDescription;
use crate::queue::{Queue, Waiting};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "fq-codel",
    meaning: "a queue for each flow, CoDel on each, new flows first",
    source: "RFC 8290",
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

/// A packet in its flow's chain.
#[derive(Clone, Copy, Debug)]
struct Link {
    waiting: Waiting,
    behind: Option<Handle>,
}

/// The queue of the flows with one hash.
#[derive(Clone, Debug, Default)]
struct Flow {
    head: Option<Handle>,
    tail: Option<Handle>,
    backlog: Backlog,
    codel: codel::State,
    /// The bytes that it may still send in its turn.
    credit: i64,
    /// Whether it is in one of the two lists.
    active: bool,
    /// The next one in that list.
    behind: Option<u16>,
}

/// A list of queues that wait for their turn.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    first: Option<u16>,
    last: Option<u16>,
}

impl Turns {
    fn push(&mut self, flows: &mut [Flow], flow: u16) {
        flows[usize::from(flow)].behind = None;
        match self.last {
            Some(last) => flows[usize::from(last)].behind = Some(flow),
            None => self.first = Some(flow),
        }
        self.last = Some(flow);
    }

    fn pop(&mut self, flows: &mut [Flow]) {
        let Some(first) = self.first else { return };
        self.first = flows[usize::from(first)].behind;
        if self.first.is_none() {
            self.last = None;
        }
    }
}

/// The queues of all flows.
#[derive(Debug)]
pub struct FqCoDel {
    settings: FqCoDelSettings,
    perturbation: u64,
    flows: Vec<Flow>,
    links: Store<Link>,
    new: Turns,
    old: Turns,
    backlog: Backlog,
}

impl FqCoDel {
    /// Empty queues; the random stream decides which flows collide.
    #[must_use]
    pub fn new(settings: FqCoDelSettings, mut random: Random) -> Self {
        Self {
            perturbation: (u64::from(random.bits()) << 32) | u64::from(random.bits()),
            flows: vec![Flow::default(); usize::from(settings.flows)],
            links: Store::default(),
            new: Turns::default(),
            old: Turns::default(),
            backlog: Backlog::default(),
            settings,
        }
    }

    /// Which of the queues a flow is hashed to. Through the router's own perturbation
    /// it collides with other flows there than elsewhere (RFC 8290, section 4.1.1).
    #[inline]
    #[must_use]
    pub fn number_of(&self, flow: FlowKey) -> u16 {
        let hash = hash_twice(hash_twice(flow.0) ^ self.perturbation);
        (hash % u64::from(self.settings.flows)) as u16
    }

    /// Drops packets from the head of the queue with the most bytes.
    pub fn shed(&mut self, mut drop: impl FnMut(Waiting)) {
        let bytes = |flow: &u16| self.flows[usize::from(*flow)].backlog.bytes;
        let most = |best: u16, flow: u16| if bytes(&flow) > bytes(&best) { flow } else { best };
        let fattest = (0..self.settings.flows).fold(0, most);
        let half = bytes(&fattest) / 2;
        let mut shed = 0;
        for _ in 0..MOST_SHED {
            let Some(head) = self.take(fattest) else { return };
            shed += u64::from(head.size);
            drop(head);
            if shed >= half {
                return;
            }
        }
    }

    /// Takes the head out of a flow's queue.
    fn take(&mut self, flow: u16) -> Option<Waiting> {
        let flow = &mut self.flows[usize::from(flow)];
        let handle = flow.head?;
        let Link { waiting, behind } = self.links[handle];
        self.links.free(handle);
        flow.head = behind;
        if behind.is_none() {
            flow.tail = None;
        }
        flow.backlog.remove(waiting.size);
        self.backlog.remove(waiting.size);
        Some(waiting)
    }

    /// The flow whose turn it is, and whether it is a new one.
    fn turn(&self) -> Option<(u16, bool)> {
        let new = self.new.first.map(|it| (it, true));
        new.or_else(|| self.old.first.map(|it| (it, false)))
    }

    /// Ends the turn of the first flow in its list.
    fn end_turn(&mut self, flow: u16, new: bool, stays: bool) {
        let turns = if new { &mut self.new } else { &mut self.old };
        turns.pop(&mut self.flows);
        self.flows[usize::from(flow)].active = stays;
        if stays {
            self.old.push(&mut self.flows, flow);
        }
    }
}

impl Queue for FqCoDel {
    fn push(&mut self, waiting: Waiting, flow: FlowKey) {
        let number = self.number_of(flow);
        let link = self.links.insert(Link { waiting, behind: None });
        let flow = &mut self.flows[usize::from(number)];
        match flow.tail {
            Some(tail) => self.links[tail].behind = Some(link),
            None => flow.head = Some(link),
        }
        flow.tail = Some(link);
        flow.backlog.add(waiting.size);
        self.backlog.add(waiting.size);
        if !flow.active {
            flow.active = true;
            flow.credit = i64::from(self.settings.quantum);
            self.new.push(&mut self.flows, number);
        }
    }

    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)> {
        loop {
            let (number, new) = self.turn()?;
            let flow = &mut self.flows[usize::from(number)];
            if flow.credit <= 0 {
                flow.credit += i64::from(self.settings.quantum);
                self.end_turn(number, new, true);
                continue;
            }
            let Some(head) = self.take(number) else {
                self.end_turn(number, new, new);
                continue;
            };
            let flow = &mut self.flows[usize::from(number)];
            let leaving = head.leaving(now, flow.backlog.bytes);
            let verdict = flow.codel.judge(&self.settings.codel, now, &leaving).on(head.ecn);
            if verdict != Verdict::Drop {
                flow.credit -= i64::from(head.size);
            }
            return Some((head, verdict));
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}
