//! Two ends of a connection with a path between them: a bottleneck of a rate,
//! a queue and a delay, and whatever a test does to packets in transit.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use windtunnel_controllers::{DESCRIPTIONS, Settings as ControllerSettings};
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_packets::tcp::Segment;
use windtunnel_packets::{Body, Ecn, Packet};
use windtunnel_transports::tcp::{Buffers, EcnMode, Endpoint, Role, TcpSettings};

pub(crate) fn settings(controller: &str) -> TcpSettings {
    let description = DESCRIPTIONS.iter().find(|it| it.name == controller).unwrap();
    TcpSettings {
        ecn: EcnMode::Off,
        server_ecn: EcnMode::Off,
        buffers: Buffers { send: 1 << 30, ..Buffers::with_receive(1 << 30) },
        small_queues: Some(false),
        ..TcpSettings::new(ControllerSettings::defaults(description))
    }
}

/// What becomes of a packet from the client to the server (`true`) or back.
pub(crate) type Fate<'a> = Box<dyn FnMut(Time, bool, &Segment) -> Vec<Duration> + 'a>;

/// Two ends and the path between them.
pub(crate) struct Path<'a> {
    pub(crate) ends: [Endpoint; 2],
    pub(crate) now: Time,
    rate: Rate,
    delay: Duration,
    room: usize,
    /// When each packet in the queue leaves it.
    leaves: VecDeque<Time>,
    arrivals: BinaryHeap<Reverse<(Time, u64, usize)>>,
    packets: Vec<(Packet, usize)>,
    fate: Fate<'a>,
    /// Drops at the bottleneck.
    pub(crate) drops: u64,
}

impl<'a> Path<'a> {
    pub(crate) fn new(settings: TcpSettings, rate: u64, delay: Duration, room: usize) -> Self {
        let settings = Arc::new(settings);
        Self {
            ends: [Role::Client, Role::Server].map(|role| Endpoint::new(7, role, &settings)),
            now: Time::ZERO,
            rate: Rate::from_bits_per_second(rate).unwrap(),
            delay,
            room,
            leaves: VecDeque::new(),
            arrivals: BinaryHeap::new(),
            packets: Vec::new(),
            fate: Box::new(|_, _, _| vec![Duration::ZERO]),
            drops: 0,
        }
    }

    /// Decides what becomes of each packet: none, one or several arrivals, each
    /// with a delay of its own beside the path's.
    pub(crate) fn with(
        mut self,
        fate: impl FnMut(Time, bool, &Segment) -> Vec<Duration> + 'a,
    ) -> Self {
        self.fate = Box::new(fate);
        self
    }

    fn send(&mut self, from: usize, outbox: Vec<Packet>) {
        for packet in outbox {
            let Body::Segment(segment) = packet.body else { unreachable!() };
            let mut leaves = self.now;
            if from == 0 {
                while self.leaves.front().is_some_and(|it| *it <= self.now) {
                    self.leaves.pop_front();
                }
                // One is being sent, the others wait.
                if self.leaves.len() > self.room {
                    self.drops += 1;
                    continue;
                }
                let start = self.leaves.back().copied().unwrap_or(self.now).max(self.now);
                leaves = start + self.rate.transmission_time(packet.size());
                self.leaves.push_back(leaves);
            }
            for extra in (self.fate)(self.now, from == 0, &segment) {
                let arrives = leaves + self.delay + extra;
                let number = self.packets.len();
                self.packets.push((packet, 1 - from));
                self.arrivals.push(Reverse((arrives, number as u64, number)));
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

    /// The client opens the connection and writes.
    pub(crate) fn open(&mut self, bytes: u64) {
        self.act(0, |it, now, outbox| {
            it.open(now, outbox);
            it.write(now, bytes, outbox);
        });
    }

    /// Lets time pass until `end`, or until nothing happens any more.
    pub(crate) fn run_until(&mut self, end: Time) {
        let mut at_once = 0_u32;
        loop {
            let arrival = self.arrivals.peek().map(|it| it.0.0);
            let wakes = [0, 1].map(|it| self.ends[it].next_wake().map(|time| time.max(self.now)));
            let next = arrival.into_iter().chain(wakes.into_iter().flatten()).min();
            let Some(next) = next.filter(|it| *it <= end) else { break };
            at_once = if next == self.now { at_once + 1 } else { 0 };
            assert!(at_once < 1_000_000, "turns for ever at {next:?}");
            self.now = next;
            if arrival == Some(next) {
                let Reverse((_, _, number)) = self.arrivals.pop().unwrap();
                let (packet, to) = self.packets[number];
                let Body::Segment(segment) = packet.body else { unreachable!() };
                let ecn: Ecn = packet.ecn;
                self.act(to, |it, now, outbox| it.receive(now, &segment, ecn, outbox));
            } else {
                let end = usize::from(wakes[0] != Some(next));
                self.act(end, |it, now, outbox| it.wake(now, outbox));
            }
        }
    }
}
