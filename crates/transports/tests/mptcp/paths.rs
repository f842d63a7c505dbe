//! Two ends of a multipath connection with several paths between them: each has a rate, a queue
//! and a delay in both directions, and does to packets in transit what a test likes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use windtunnel_controllers::{DESCRIPTIONS, Settings as ControllerSettings};
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_packets::multipath::Version;
use windtunnel_packets::tcp::Segment;
use windtunnel_packets::{Body, Packet};
use windtunnel_transports::mptcp::scheduler::SchedulerSettings;
use windtunnel_transports::mptcp::{self, Endpoint, MultipathSettings, PathSettings};
use windtunnel_transports::tcp::{Buffers, EcnMode, Role, TcpSettings};

/// The bytes of data in a segment that fills a packet of 1500.
pub(crate) const SEGMENT: u64 = 1420;

pub(crate) fn tcp(controller: &str) -> TcpSettings {
    let description = DESCRIPTIONS.iter().find(|it| it.name == controller).unwrap();
    TcpSettings {
        maximum_segment: SEGMENT as u16,
        ecn: EcnMode::Off,
        server_ecn: EcnMode::Off,
        buffers: Buffers { send: 1 << 22, ..Buffers::with_receive(1 << 22) },
        small_queues: Some(false),
        ..TcpSettings::new(ControllerSettings::defaults(description))
    }
}

pub(crate) fn scheduler(name: &str) -> SchedulerSettings {
    let it = mptcp::DESCRIPTIONS.iter().find(|it| it.name == name).unwrap();
    SchedulerSettings::Registered(it)
}

/// `count` paths from one address of the server, each with an address of the client.
pub(crate) fn settings(tcp: TcpSettings, name: &str, count: u8) -> MultipathSettings {
    let path = |it| PathSettings { addresses: [it, 0], is_backup: false };
    let paths = (0..count).map(path).collect();
    let mut settings = MultipathSettings::new(tcp, Version::V1, paths, scheduler(name));
    settings.options.paced_as_plain = Some(false);
    settings
}

/// What a path is like in both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) rate: u64,
    pub(crate) delay: Duration,
    /// Packets that wait beside the one that is being sent.
    pub(crate) room: usize,
}

/// A path of that many megabits per second and milliseconds, with room for this many packets.
pub(crate) fn path(megabits: u64, milliseconds: u64, room: usize) -> Shape {
    let delay = Duration::from_millis(milliseconds);
    Shape { rate: megabits * 1_000_000, delay, room }
}

/// Whether a packet of a path gets across, from the client (`true`) or back.
pub(crate) type Fate<'a> = Box<dyn FnMut(Time, usize, bool, &Segment) -> bool + 'a>;

pub(crate) struct Paths<'a> {
    pub(crate) ends: [Endpoint; 2],
    pub(crate) now: Time,
    shapes: Vec<Shape>,
    /// Which bottleneck each path has.
    bottlenecks: Vec<usize>,
    /// When each packet in the queue of a bottleneck leaves it, by direction.
    leaves: Vec<[VecDeque<Time>; 2]>,
    arrivals: BinaryHeap<Reverse<(Time, usize)>>,
    packets: Vec<(Packet, usize)>,
    fate: Fate<'a>,
    /// Everything that was sent: when, by which end, on which path.
    pub(crate) sent: Vec<(Time, usize, usize, Segment)>,
}

/// The number of the first subflow; the others follow.
const FIRST: u32 = 40;

impl<'a> Paths<'a> {
    pub(crate) fn new(settings: MultipathSettings, shapes: Vec<Shape>) -> Self {
        let settings = Arc::new(settings);
        let count = shapes.len() as u32;
        let end = |role| Endpoint::new(FIRST..FIRST + count, role, &settings);
        Self {
            ends: [Role::Client, Role::Server].map(end),
            now: Time::ZERO,
            bottlenecks: (0..shapes.len()).collect(),
            leaves: shapes.iter().map(|_| Default::default()).collect(),
            shapes,
            arrivals: BinaryHeap::new(),
            packets: Vec::new(),
            fate: Box::new(|_, _, _, _| true),
            sent: Vec::new(),
        }
    }

    /// All paths go through the bottleneck of the first.
    pub(crate) fn through_one_bottleneck(mut self) -> Self {
        self.bottlenecks.fill(0);
        self
    }

    pub(crate) fn with(
        mut self,
        fate: impl FnMut(Time, usize, bool, &Segment) -> bool + 'a,
    ) -> Self {
        self.fate = Box::new(fate);
        self
    }

    fn send(&mut self, from: usize, outbox: Vec<Packet>) {
        for packet in outbox {
            let Body::Segment(segment) = packet.body else { unreachable!() };
            assert_eq!(packet.network_size, 20 + segment.size(), "{segment:?}");
            assert!(packet.network_size <= 1500 && segment.options_size() <= 40, "{segment:?}");
            let path = (segment.connection - FIRST) as usize;
            self.sent.push((self.now, from, path, segment));
            let shape = self.shapes[path];
            let leaves = &mut self.leaves[self.bottlenecks[path]][from];
            while leaves.front().is_some_and(|it| *it <= self.now) {
                leaves.pop_front();
            }
            if leaves.len() > shape.room {
                continue;
            }
            let rate = Rate::from_bits_per_second(shape.rate).unwrap();
            let start = leaves.back().copied().unwrap_or(self.now).max(self.now);
            let leave = start + rate.transmission_time(packet.size());
            leaves.push_back(leave);
            if (self.fate)(self.now, path, from == 0, &segment) {
                self.arrivals.push(Reverse((leave + shape.delay, self.packets.len())));
                self.packets.push((packet, 1 - from));
            }
        }
    }

    pub(crate) fn act(
        &mut self,
        end: usize,
        act: impl FnOnce(&mut Endpoint, Time, &mut Vec<Packet>),
    ) {
        let mut outbox = Vec::new();
        act(&mut self.ends[end], self.now, &mut outbox);
        self.send(end, outbox);
    }

    /// The client opens the connection, and that end writes.
    pub(crate) fn open(&mut self, writer: usize, bytes: u64) {
        self.act(0, Endpoint::open);
        self.act(writer, |it, now, outbox| it.write(now, bytes, outbox));
    }

    /// Lets time pass until `end`, or until nothing happens any more.
    pub(crate) fn run_until(&mut self, end: Time) {
        let mut at_once = 0_u32;
        loop {
            let arrival = self.arrivals.peek().map(|it| it.0.0);
            let wakes = [0, 1].map(|it| self.ends[it].next_wake().map(|time| time.max(self.now)));
            let next = arrival.into_iter().chain(wakes.into_iter().flatten()).min();
            let Some(next) = next.filter(|it| *it <= end) else {
                self.now = end;
                break;
            };
            at_once = if next == self.now { at_once + 1 } else { 0 };
            assert!(at_once < 100_000, "turns for ever at {next:?}");
            self.now = next;
            if arrival == Some(next) {
                let Reverse((_, number)) = self.arrivals.pop().unwrap();
                let (packet, to) = self.packets[number];
                let Body::Segment(segment) = packet.body else { unreachable!() };
                self.act(to, |it, now, outbox| it.receive(now, &segment, packet.ecn, outbox));
            } else {
                let end = usize::from(wakes[0] != Some(next));
                self.act(end, |it, now, outbox| it.wake(now, outbox));
            }
        }
    }

    /// What an end has received in order, in bytes.
    pub(crate) fn received(&self, end: usize) -> u64 {
        self.ends[end].received_bytes()
    }

    /// The goodput of what the server receives between two times, in megabits per second.
    pub(crate) fn megabits(&mut self, from: u64, until: u64) -> f64 {
        self.run_until(at(from));
        let before = self.received(1);
        self.run_until(at(until));
        (self.received(1) - before) as f64 * 8e-3 / (until - from) as f64
    }
}

/// This many milliseconds after the beginning.
pub(crate) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}
