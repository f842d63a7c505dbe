//! The two ends of flows over protocols whose implementations are real ones, and their streams.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use windtunnel_controllers::Failed;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::{IpVersion, address_of_node, address_of_node_v6};
use windtunnel_packets::{Ecn, Packet, Route};
use windtunnel_stack::{self as stack, HostCommand, Path, Place, Role, State, StreamStack};

use super::processor::Processor;
use super::stack_counters::{StackCounters, StackCounts};
use crate::caught::panic_text;
use crate::plan::StackSettings;
use crate::side::Side;

/// The port of the end that waits for the connection, and of the one that connects.
const PORTS: [u16; 2] = [443, 40_000];

/// The two ends of a flow.
#[derive(Clone, Debug)]
pub(super) struct Stacks {
    pub(super) settings: Arc<StackSettings>,
    pub(super) flow: u32,
    seed: u64,
    pub(super) nodes: [u32; 2],
    /// The hosts of its ends, by their places.
    pub(super) hosts: [u32; 2],
    /// Whether what it carries are packets, which no other flow has, and not what is in them.
    pub(super) counts_packets: bool,
    /// At least one.
    pub(super) paths: Vec<StackPath>,
    /// Those that have begun.
    pub(super) ends: [Option<StackEnd>; 2],
}

/// A path: of each end, how its datagrams are forwarded, and its address.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackPath {
    pub(super) routes: [Route; 2],
    pub(super) addresses: [SocketAddr; 2],
}

impl StackPath {
    /// As the end of a side sees it.
    pub(super) fn from(&self, side: Side) -> Path {
        let [own, peer] = [side, side.other()].map(|it| self.addresses[it as usize]);
        Path { own, peer }
    }
}

/// One end.
#[derive(Debug)]
pub(super) struct StackEnd {
    /// None once it has failed.
    pub(super) stack: Option<Box<dyn StreamStack>>,
    /// By number.
    pub(super) streams: BTreeMap<u64, StackStream>,
    /// Those whose application is to be called whenever they were active.
    pub(super) watched: BTreeSet<u64>,
    /// Streams are opened up to this one, as soon as the peer allows it.
    pub(super) wanted: u64,
    pub(super) opened: u64,
    pub(super) is_connected: bool,
    /// How often in a row it has asked to be woken at a time that was over.
    pub(super) overdue: u32,
    /// The path that it is on, and how many of its migrations are over.
    pub(super) path: usize,
    pub(super) migrated: usize,
    /// Datagrams that have arrived and are not read yet, the bytes of them that count in the socket's
    /// buffer, and when they are read.
    pub(super) unread: Vec<Packet>,
    pub(super) unread_bytes: u64,
    pub(super) reads_at: Time,
    pub(super) processor: Processor,
    pub(super) counters: StackCounters,
    /// What it told last, and why it failed, if it has.
    told: State,
    commands: Vec<HostCommand>,
    pub(super) failure: Option<String>,
}

/// A real implementation cannot be copied, and a world that has one is not.
impl Clone for StackEnd {
    fn clone(&self) -> Self {
        let why = "a real implementation of a protocol cannot be copied";
        resume_unwind(Box::new(Failed(why.to_owned())))
    }
}

/// A stream at one end.
#[derive(Clone, Debug)]
pub(super) struct StackStream {
    /// Whether the stack knows it.
    pub(super) is_open: bool,
    /// Bytes that the application has written and the stack has had no room for.
    pub(super) pending: u64,
    pub(super) is_closing: bool,
    /// Its urgency, if the application gives it another one and the stack was not told.
    pub(super) urgency: Option<u8>,
    is_ended: bool,
    pub(super) received: u64,
    pub(super) is_finished: bool,
    pub(super) is_acknowledged: bool,
    /// When so many bytes are received, the application is called.
    pub(super) awaited: u64,
}

impl StackStream {
    pub(super) fn new() -> Self {
        Self {
            is_open: false,
            pending: 0,
            is_closing: false,
            urgency: None,
            is_ended: false,
            received: 0,
            is_finished: false,
            is_acknowledged: false,
            awaited: u64::MAX,
        }
    }
}

impl Stacks {
    pub(super) fn new(
        settings: Arc<StackSettings>,
        flow: u32,
        ends: [usize; 2],
        hosts: [u32; 2],
        routes: Vec<[Route; 2]>,
        seed: u32,
    ) -> Self {
        let address = |side: Side, which: u8| {
            let node = ends[side as usize];
            let port = PORTS[usize::from(settings.receiver_opens == (side == Side::Receiver))];
            // Flows between the same nodes have ports of their own.
            let port = port.wrapping_add(flow as u16);
            match settings.ip {
                IpVersion::V4 => SocketAddr::from((address_of_node(node, which), port)),
                IpVersion::V6 => SocketAddr::from((address_of_node_v6(node, which), port)),
            }
        };
        let path = |(place, routes)| {
            let [sender, receiver] = settings.addresses(place);
            let addresses = [address(Side::Sender, sender), address(Side::Receiver, receiver)];
            StackPath { routes, addresses }
        };
        let paths = routes.into_iter().enumerate().map(path).collect();
        Self {
            flow,
            seed: u64::from(seed),
            nodes: ends.map(|it| it as u32),
            hosts,
            counts_packets: false,
            paths,
            ends: [None, None],
            settings,
        }
    }

    /// Which end connects.
    fn role(&self, side: Side) -> Role {
        let is_receiver = side == Side::Receiver;
        if self.settings.receiver_opens == is_receiver { Role::Client } else { Role::Server }
    }

    /// Where the end there is that begins now.
    pub(super) fn place(&self, now: Time, side: Side) -> Place {
        let role = self.role(side);
        let (_, path) = self.beginning(now, role);
        let further = self.paths.iter().enumerate().filter(|(place, _)| *place != path);
        let further = further.map(|(_, it)| it.from(side)).collect();
        let seed = self.seed << 1 | side as u64;
        let Path { own, peer } = self.paths[path].from(side);
        let has_other_packets = self.counts_packets;
        Place { role, own, peer, further, has_other_packets, seed }
    }

    /// The end there begins now, with that stack, or without any because of a failure.
    pub(super) fn begin(
        &mut self,
        now: Time,
        side: Side,
        made: Result<Box<dyn StreamStack>, String>,
    ) {
        let role = self.role(side);
        let (migrated, path) = self.beginning(now, role);
        let (stack, failure) = match made {
            Ok(stack) => (Some(stack), None),
            Err(failure) => (None, Some(failure)),
        };
        self.ends[side as usize] = Some(StackEnd {
            stack,
            streams: BTreeMap::new(),
            watched: BTreeSet::new(),
            wanted: 0,
            opened: if role == Role::Client { 0 } else { u64::MAX },
            is_connected: false,
            overdue: 0,
            path,
            migrated,
            unread: Vec::new(),
            unread_bytes: 0,
            reads_at: Time::NEVER,
            processor: Processor::default(),
            counters: StackCounters::default(),
            told: State::default(),
            commands: Vec::new(),
            failure,
        });
    }

    /// What the end there counted, and its stack tells.
    pub(super) fn counted(&self, side: Side) -> StackCounts {
        let counted = |it: &StackEnd| StackCounts {
            counters: it.counters,
            state: it.state(),
            failure: it.failure.clone(),
            made: None,
            sink: None,
        };
        self.ends[side as usize].as_ref().map(counted).unwrap_or_default()
    }

    /// What decrypts the packets of both ends, as far as they are here.
    pub(super) fn secrets(&self) -> impl Iterator<Item = String> {
        let ends = self.ends.iter().flatten().filter_map(|it| it.stack.as_deref());
        ends.map(|it| guarded(|| it.secrets()).unwrap_or_default())
    }
}

impl StackEnd {
    /// Calls the stack. One that panics is over.
    pub(super) fn call<T>(&mut self, call: impl FnOnce(&mut dyn StreamStack) -> T) -> Option<T> {
        let stack = self.stack.as_mut()?;
        match guarded(|| call(stack.as_mut())) {
            Ok(result) => Some(result),
            Err(failure) => {
                self.fail(failure);
                None
            }
        }
    }

    pub(super) fn fail(&mut self, failure: String) {
        (self.told, self.commands) = (self.state(), self.commands());
        self.stack = None;
        self.failure.get_or_insert(failure);
    }

    /// What it tells of its connection.
    pub(super) fn state(&self) -> State {
        let state = |it: &dyn StreamStack| guarded(|| it.state()).unwrap_or_default();
        self.stack.as_deref().map_or(self.told, state)
    }

    /// The commands that its host has run.
    pub(super) fn commands(&self) -> Vec<HostCommand> {
        let commands = |it: &dyn StreamStack| guarded(|| it.commands()).unwrap_or_default();
        self.stack.as_deref().map_or_else(|| self.commands.clone(), commands)
    }

    /// Bytes of a stream that its stack took and that are not acknowledged, if it tells.
    pub(super) fn unacknowledged(&self, number: u64) -> u64 {
        let told = |it: &dyn StreamStack| guarded(|| it.unacknowledged(number)).unwrap_or_default();
        self.stack.as_deref().and_then(told).unwrap_or_default()
    }

    pub(super) fn note_round_trip(&mut self) {
        if let Some(rtt) = self.state().smoothed_rtt.filter(|_| self.is_connected) {
            self.counters.rtt_sum += inside(rtt);
            self.counters.rtt_samples += 1;
        }
    }

    /// Opens the streams that are wanted, as far as the peer allows it.
    pub(super) fn open(&mut self, now: Time) {
        while self.opened < self.wanted
            && let Some(Some(number)) = self.call(|it| it.open(outside(now)))
        {
            if number != self.opened {
                let next = self.opened;
                return self.fail(format!("it opens stream {number}, and {next} is the next one"));
            }
            self.opened += 1;
            let stream = self.streams.entry(number).or_insert_with(StackStream::new);
            stream.is_open = true;
            self.push(now, number);
        }
    }

    /// Hands a stream's bytes to the stack, as many as it has room for.
    pub(super) fn push(&mut self, now: Time, number: u64) {
        let Some(stream) = self.streams.get_mut(&number).filter(|it| it.is_open) else { return };
        let (pending, is_closing, is_ended) = (stream.pending, stream.is_closing, stream.is_ended);
        let urgency = stream.urgency.take();
        let now = outside(now);
        if let Some(urgency) = urgency {
            self.call(|it| it.prioritise(now, number, urgency));
        }
        let taken = match pending {
            0 => 0,
            _ => self.call(|it| it.write(now, number, pending)).unwrap_or_default(),
        };
        if taken > pending {
            return self.fail(format!("it takes {taken} B of the {pending} B that there are"));
        }
        let left = if pending == u64::MAX { pending } else { pending - taken };
        let ends = is_closing && !is_ended && left == 0;
        if ends {
            self.call(|it| it.finish(now, number));
        }
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.pending = left;
            stream.is_ended |= ends;
        }
    }

    /// The application closes a stream: of data without end, what the stack has is all.
    pub(super) fn close(&mut self, now: Time, number: u64) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.is_closing = true;
            if stream.pending == u64::MAX {
                stream.pending = 0;
            }
            self.push(now, number);
        }
    }
}

/// What has passed since the run began, as stacks count it.
pub(super) fn outside(now: Time) -> std::time::Duration {
    std::time::Duration::from_nanos(now.as_nanos())
}

/// A time as stacks count it, as the world does; what is beyond its end is the end.
pub(super) fn inside(time: std::time::Duration) -> Duration {
    let picoseconds = time.as_nanos().saturating_mul(1000);
    Duration::from_picos(u64::try_from(picoseconds).unwrap_or(u64::MAX))
}

pub(super) fn ecn_for_stack(ecn: Ecn) -> stack::Ecn {
    match ecn {
        Ecn::NotCapable => stack::Ecn::NotCapable,
        Ecn::Capable => stack::Ecn::Capable0,
        Ecn::Scalable => stack::Ecn::Capable1,
        Ecn::Congestion => stack::Ecn::Congestion,
    }
}

pub(super) fn ecn_of_stack(ecn: stack::Ecn) -> Ecn {
    match ecn {
        stack::Ecn::NotCapable => Ecn::NotCapable,
        stack::Ecn::Capable0 => Ecn::Capable,
        stack::Ecn::Capable1 => Ecn::Scalable,
        stack::Ecn::Congestion => Ecn::Congestion,
    }
}

/// Calls what is written outside; one that panics says why.
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        if panic.is::<Failed>() {
            // A controller in it that is written outside ends the run, as in any other flow.
            resume_unwind(panic);
        }
        format!("it panicked: {}", panic_text(&*panic))
    })
}
