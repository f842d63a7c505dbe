//! What is known of hosts: their applications, connections and flows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;
use windtunnel_engine::Time;
use windtunnel_packets::Route;
use windtunnel_transports::mptcp::{MultipathCounters, MultipathSettings, SubflowCounters};
use windtunnel_transports::tcp::{EndpointCounters, LimitTimes, TcpOutbox, TcpSettings};

use super::end::End;
use super::running::Running;
use super::sockets::{Key, Sockets};
use super::stack_ends::Stacks;
use super::stack_host::StackHost;
use super::waiting::Waiting;
use crate::network::Network;
use crate::numbers::Numbers;
use crate::path;
use crate::transfers::{Ideal, Transfer};

/// An application at its host.
#[derive(Clone, Debug)]
pub(super) struct HostSlot {
    pub(super) flow: u32,
    pub(super) node: u32,
    /// Its place among the flow's hosts, from the sender of the data to the receiver.
    pub(super) position: u32,
    pub(super) running: Running,
    /// When it is called next.
    pub(super) wake: Time,
    /// When it shall stop; never once it has.
    pub(super) stop: Time,
    /// The places of its open sockets: of most, one.
    pub(super) open: SmallVec<[u32; 4]>,
    /// How many connections it opened, and what those counted that are closed, once one is.
    pub(super) opened: u64,
    pub(super) closed: Option<Box<Closed>>,
    /// Transfers that it began, and those that it has received.
    pub(super) begun: u64,
    pub(super) transfers: u64,
    pub(super) finished: Option<Time>,
}

/// What the connections of an application counted that are closed.
#[derive(Clone, Debug, Default)]
pub(super) struct Closed {
    pub(super) counters: EndpointCounters,
    /// For how long their limits were in force.
    pub(super) limits: LimitTimes,
    /// What they counted as multipath connections, and of each of their subflows.
    pub(super) multipath: MultipathCounters,
    pub(super) subflows: Vec<SubflowCounters>,
}

impl Closed {
    /// Adds what a connection counted.
    pub(super) fn add(&mut self, now: Time, end: &End) {
        self.counters += &end.counters();
        self.limits += &end.limits(now);
        self.multipath += end.multipath_counters();
        let End::Multipath(endpoint) = end else { return };
        self.subflows.resize(endpoint.subflows().count(), SubflowCounters::default());
        for (sum, (it, _)) in self.subflows.iter_mut().zip(endpoint.subflows()) {
            *sum += &it;
        }
    }
}

/// The connections that carry a flow between two neighbouring hosts of it.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) settings: Arc<TcpSettings>,
    /// The applications at the two ends: where the data comes from, and where it goes.
    pub(super) applications: [u32; 2],
    /// The nodes of those ends, and the paths from them.
    pub(super) nodes: [usize; 2],
    pub(super) routes: [Route; 2],
    /// Whether what waits in the queues of the two nodes' own links is kept small.
    pub(super) small_queues: [bool; 2],
    /// Whether each connection has a path of its own among several that are equal.
    pub(super) is_shared: bool,
    /// How the connections behave whose subflows these are, if they are such.
    pub(super) multipath: Option<Arc<MultipathSettings>>,
    pub(super) accepted: Accepted,
}

impl Class {
    /// The path from an end of a connection.
    pub(super) fn route(&self, network: &Network, key: Key) -> Route {
        let side = key.side() as usize;
        if !self.is_shared {
            return self.routes[side];
        }
        let paths = path::keys(self.nodes, path::shared_variant(key.number()));
        network.forwarding.route(paths[side]).unwrap_or(self.routes[side])
    }
}

/// Which of a class's connections were accepted: a repeated SYN does not open one again.
#[derive(Clone, Debug, Default)]
pub(super) struct Accepted {
    pub(super) next: u64,
    /// Those before the next that were not.
    pub(super) missing: BTreeSet<u64>,
}

impl Accepted {
    /// Whether a connection is accepted now for the first time.
    pub(super) fn insert(&mut self, ordinal: u64) -> bool {
        if ordinal < self.next {
            return self.missing.remove(&ordinal);
        }
        self.missing.extend(self.next..ordinal);
        self.next = ordinal + 1;
        true
    }
}

/// A flow of the plan.
#[derive(Clone, Debug)]
pub(super) struct PlannedFlow {
    pub(super) start: Time,
    /// The first of its applications; the others follow.
    pub(super) first: u32,
    pub(super) hosts: u32,
    /// How many subflows its connections have; none in plain TCP.
    pub(super) subflows: u32,
    /// The first of its classes, if it is over TCP.
    pub(super) class: Option<u32>,
    /// Its connection between real implementations, if it is over such.
    pub(super) stack: Option<u32>,
    pub(super) has_many: bool,
    pub(super) has_transfers: bool,
    pub(super) is_file: bool,
    /// The least times of its transfers; none where there are none.
    pub(super) ideal: Option<Box<Ideal>>,
}

impl PlannedFlow {
    /// Its applications.
    pub(super) fn slots(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.hosts
    }

    /// The applications of the sender and of the receiver of its data.
    pub(super) fn ends(&self) -> [usize; 2] {
        [self.first, self.first + self.hosts - 1].map(|it| it as usize)
    }
}

/// All hosts.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    pub(super) flows: Vec<PlannedFlow>,
    pub(super) slots: Vec<HostSlot>,
    pub(super) classes: Vec<Class>,
    pub(super) numbers: Numbers,
    pub(super) sockets: Sockets,
    pub(super) transfers: Vec<Transfer>,
    /// What flows will carry that wait for an address.
    pub(super) waiting: BTreeMap<u32, Waiting>,
    /// The flows over which messages of services have arrived.
    pub(super) delivered: VecDeque<u32>,
    pub(super) outbox: TcpOutbox,
    pub(super) stacks: Vec<Stacks>,
    /// The hosts of their ends.
    pub(super) stack_hosts: Vec<StackHost>,
    /// What a stack sends at once.
    pub(super) stack_bytes: Vec<u8>,
}
