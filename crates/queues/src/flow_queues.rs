//! A queue for each flow, and turns by bytes: what FQ-CoDel, deficit round robin and CAKE share.
//!
//! Flows are hashed to queues. A queue that has packets waits for its turn in one of two lists:
//! new queues have their turn before old ones. In its turn it sends while it has credit; then it
//! gets another `quantum` of bytes, and goes to the end of the list of old queues.

use windtunnel_engine::{Handle, Random, Store, hash_twice};
use windtunnel_packets::FlowKey;

use crate::backlog::Backlog;
use crate::queue::Waiting;

/// A packet in its flow's chain.
#[derive(Clone, Copy, Debug)]
struct Link {
    waiting: Waiting,
    behind: Option<Handle>,
}

/// The queue of the flows with one hash, with a discipline's state.
#[derive(Clone, Debug, Default)]
struct Flow<S> {
    head: Option<Handle>,
    tail: Option<Handle>,
    backlog: Backlog,
    state: S,
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
    fn push<S>(&mut self, flows: &mut [Flow<S>], flow: u16) {
        flows[usize::from(flow)].behind = None;
        match self.last {
            Some(last) => flows[usize::from(last)].behind = Some(flow),
            None => self.first = Some(flow),
        }
        self.last = Some(flow);
    }

    fn pop<S>(&mut self, flows: &mut [Flow<S>]) {
        let Some(first) = self.first else { return };
        self.first = flows[usize::from(first)].behind;
        if self.first.is_none() {
            self.last = None;
        }
    }
}

/// Where a queue that becomes active waits for its first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joins {
    /// Before all that had a turn.
    New,
    /// After all others.
    Old,
}

/// The queues of all flows, each with a discipline's state.
#[derive(Clone, Debug)]
pub(crate) struct FlowQueues<S> {
    perturbation: u64,
    quantum: u32,
    flows: Vec<Flow<S>>,
    links: Store<Link>,
    new: Turns,
    old: Turns,
    backlog: Backlog,
}

impl<S: Clone + Default> FlowQueues<S> {
    /// So many empty queues; the random stream decides which flows collide.
    pub(crate) fn new(flows: u16, quantum: u32, random: &mut Random) -> Self {
        Self {
            perturbation: (u64::from(random.bits()) << 32) | u64::from(random.bits()),
            quantum,
            flows: vec![Flow::default(); usize::from(flows)],
            links: Store::default(),
            new: Turns::default(),
            old: Turns::default(),
            backlog: Backlog::default(),
        }
    }

    /// Which of the queues a flow is hashed to. Through the router's own perturbation
    /// it collides with other flows there than elsewhere (RFC 8290, section 4.1.1).
    #[inline]
    pub(crate) fn number_of(&self, flow: FlowKey) -> u16 {
        let hash = hash_twice(hash_twice(flow.0) ^ self.perturbation);
        (hash % self.flows.len() as u64) as u16
    }

    /// What waits in all of them.
    pub(crate) fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// What waits in that queue.
    pub(crate) fn backlog_of(&self, number: u16) -> Backlog {
        self.flows[usize::from(number)].backlog
    }

    /// The discipline's state of that queue.
    pub(crate) fn state(&mut self, number: u16) -> &mut S {
        &mut self.flows[usize::from(number)].state
    }

    /// The queue with the most bytes.
    pub(crate) fn fattest(&self) -> u16 {
        let bytes = |flow: u16| self.backlog_of(flow).bytes;
        let most = |best: u16, flow: u16| if bytes(flow) > bytes(best) { flow } else { best };
        (0..self.flows.len() as u16).fold(0, most)
    }

    /// Takes in a packet of that flow.
    pub(crate) fn push(&mut self, waiting: Waiting, flow: FlowKey, joins: Joins) {
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
            flow.credit = i64::from(self.quantum);
            let turns = if joins == Joins::New { &mut self.new } else { &mut self.old };
            turns.push(&mut self.flows, number);
        }
    }

    /// Takes the head out of a queue.
    pub(crate) fn take(&mut self, number: u16) -> Option<Waiting> {
        let flow = &mut self.flows[usize::from(number)];
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

    /// Takes out the packet whose turn it is, and which queue it was in. `lacks` says of a
    /// credit and the size of the packet at the head, if there is one, whether the turn is over.
    pub(crate) fn next(
        &mut self,
        lacks: impl Fn(i64, Option<u32>) -> bool,
    ) -> Option<(u16, Waiting)> {
        loop {
            let (number, new) = self.turn()?;
            let flow = &mut self.flows[usize::from(number)];
            let head = flow.head.map(|it| self.links[it].waiting.size);
            if lacks(flow.credit, head) {
                flow.credit += i64::from(self.quantum);
                self.end_turn(number, new, true);
                continue;
            }
            let Some(head) = self.take(number) else {
                self.end_turn(number, new, new);
                continue;
            };
            return Some((number, head));
        }
    }

    /// A queue has sent a packet of `size` bytes.
    pub(crate) fn spend(&mut self, number: u16, size: u32) {
        self.flows[usize::from(number)].credit -= i64::from(size);
    }

    /// The flow whose turn it is, and whether it is a new one.
    fn turn(&self) -> Option<(u16, bool)> {
        let new = self.new.first.map(|it| (it, true));
        new.or_else(|| self.old.first.map(|it| (it, false)))
    }

    /// Ends the turn of the first flow in its list.
    fn end_turn(&mut self, number: u16, new: bool, stays: bool) {
        let turns = if new { &mut self.new } else { &mut self.old };
        turns.pop(&mut self.flows);
        self.flows[usize::from(number)].active = stays;
        if stays {
            self.old.push(&mut self.flows, number);
        }
    }
}
