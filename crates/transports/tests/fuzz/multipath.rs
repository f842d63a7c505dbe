//! A multipath connection over channels that lose, double, delay, reorder and fall silent as
//! they like, and are fair after a while: every byte arrives once and in order, and the
//! connection comes to its end.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use windtunnel_controllers::{DESCRIPTIONS, Settings as ControllerSettings};
use windtunnel_engine::{Duration, Random, Rate, Streams, Time};
use windtunnel_packets::multipath::{Multipath, Version};
use windtunnel_packets::tcp::Segment;
use windtunnel_packets::{Body, Packet};
use windtunnel_transports::mptcp::scheduler::SchedulerSettings;
use windtunnel_transports::mptcp::{
    self, Endpoint, MultipathSettings, PathChange, PathSettings, PathState,
};
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{Buffers, EcnMode, Nagle, Recovery, Role, Socket, TcpSettings};

use crate::channel::writes;

/// What is tried.
#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    recovery: Recovery,
    controller: usize,
    scheduler: usize,
    version: Version,
    opportunistic: bool,
    capable: bool,
    /// How many segments the receivers hold.
    buffer: u64,
    /// What client and server write.
    bytes: [u64; 2],
    writes: (Option<u64>, Nagle),
    channels: Vec<Channel>,
    /// Paths that become backups or are removed; the first is never removed.
    changes: Vec<PathChange>,
}

/// What one path does in both directions.
#[derive(Clone, Debug)]
struct Channel {
    rate: u64,
    delay: Duration,
    room: usize,
    is_backup: bool,
    has_address: bool,
    /// So many packets are treated unfairly, each with these probabilities.
    unfair: u64,
    loss: f64,
    duplication: f64,
    delaying: f64,
    /// Between these packets nothing passes at all.
    silence: (u64, u64),
    /// From this packet on nothing ever passes; the first path never dies.
    dies: u64,
}

fn channel() -> impl Strategy<Value = Channel> {
    let rate = prop::sample::select(vec![200_000, 1_000_000, 20_000_000, 1_000_000_000_u64]);
    let delay = prop::sample::select(vec![0_u64, 50, 5_000, 30_000, 300_000]);
    let often = || prop_oneof![Just(0.0), 0.0..0.1, 0.0..0.5];
    let shape = (rate, delay, 1_usize..100, any::<bool>(), any::<bool>());
    let faults = (0_u64..300, often(), often(), often(), (0_u64..200, 0_u64..30));
    let dies = prop_oneof![4 => Just(u64::MAX), 1 => 0_u64..300];
    (shape, faults, dies).prop_map(|(shape, faults, dies)| {
        let (rate, delay, room, is_backup, has_address) = shape;
        let (unfair, loss, duplication, delaying, (from, length)) = faults;
        Channel {
            rate,
            delay: Duration::from_micros(delay),
            room,
            is_backup,
            has_address,
            unfair,
            loss,
            duplication,
            delaying,
            silence: (from, from + length),
            dies,
        }
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let recovery = prop::sample::select(vec![
        Recovery::Reno,
        Recovery::NewReno,
        Recovery::Sack,
        Recovery::Rack,
    ]);
    let version = prop::sample::select(vec![Version::V0, Version::V1]);
    let sizes = || prop_oneof![Just(1_u64), 1_u64..5_000, 1_u64..300_000];
    let bytes = (sizes(), prop_oneof![Just(0), sizes()]);
    let flags = (any::<bool>(), prop::bool::weighted(0.9), writes());
    let choices = (recovery, 0..DESCRIPTIONS.len(), 0..mptcp::DESCRIPTIONS.len(), version, flags);
    let channels = prop::collection::vec(channel(), 1..=8);
    let buffer = prop_oneof![2_u64..10, 2_u64..1_000];
    let times = prop_oneof![0_u64..200, 0_u64..10_000];
    let changes = prop::collection::vec((times, any::<prop::sample::Index>(), 0..3_usize), 0..6);
    (any::<u64>(), choices, buffer, bytes, channels, changes).prop_map(
        |(seed, choices, buffer, (there, back), mut channels, changes)| {
            let (recovery, controller, scheduler, version, (opportunistic, capable, writes)) =
                choices;
            channels[0].dies = u64::MAX;
            let change = |(time, path, state): (u64, prop::sample::Index, usize)| {
                let path = path.index(channels.len());
                let states = [PathState::Backup, PathState::Active, PathState::Removed];
                let state = states[state.min(1 + path)];
                PathChange { at: Time::ZERO + Duration::from_millis(time), path, state }
            };
            let mut changes: Vec<PathChange> = changes.into_iter().map(change).collect();
            changes.sort_by_key(|it| it.at);
            Case {
                seed,
                recovery,
                controller,
                scheduler,
                version,
                opportunistic,
                capable,
                buffer,
                bytes: [there, back],
                writes,
                channels,
                changes,
            }
        },
    )
}

const SEGMENT: u64 = 1_400;

impl Case {
    fn settings(&self) -> MultipathSettings {
        let tcp = TcpSettings {
            maximum_segment: SEGMENT as u16,
            recovery: self.recovery,
            ecn: EcnMode::Off,
            server_ecn: EcnMode::Off,
            timeout: RtoLimits::default(),
            buffers: Buffers { send: 1 << 30, ..Buffers::with_receive(self.buffer * SEGMENT) },
            socket: Socket { write_size: self.writes.0, nagle: self.writes.1, ..Socket::default() },
            small_queues: Some(false),
            ..TcpSettings::new(ControllerSettings::defaults(DESCRIPTIONS[self.controller]))
        };
        let paths = self.channels.iter().enumerate().map(|(place, it)| PathSettings {
            addresses: [place as u8, if it.has_address { place as u8 } else { 0 }],
            is_backup: it.is_backup,
        });
        let scheduler = SchedulerSettings::Registered(&mptcp::DESCRIPTIONS[self.scheduler]);
        let mut settings = MultipathSettings::new(tcp, self.version, paths.collect(), scheduler);
        settings.options.paced_as_plain = Some(false);
        settings.options.opportunistic_retransmission = self.opportunistic;
        settings.options.server_is_capable = self.capable;
        settings.changes.clone_from(&self.changes);
        settings
    }
}

/// Which bytes arrived that one end sends, and how many of them in order.
struct Direction {
    arrived: Vec<bool>,
    in_order: usize,
}

struct Run<'a> {
    case: &'a Case,
    random: Random,
    now: Time,
    ends: [Endpoint; 2],
    directions: [Direction; 2],
    leaves: Vec<[VecDeque<Time>; 2]>,
    sent: Vec<[u64; 2]>,
    arrivals: BinaryHeap<Reverse<(Time, usize)>>,
    packets: Vec<(Packet, usize)>,
}

impl<'a> Run<'a> {
    fn new(case: &'a Case) -> Self {
        let settings = Arc::new(case.settings());
        let end = |role| Endpoint::new(0..case.channels.len() as u32, role, &settings);
        Self {
            case,
            random: Streams::new(case.seed, 0).stream("channels"),
            now: Time::ZERO,
            ends: [Role::Client, Role::Server].map(end),
            directions: case
                .bytes
                .map(|it| Direction { arrived: vec![false; it as usize], in_order: 0 }),
            leaves: case.channels.iter().map(|_| Default::default()).collect(),
            sent: vec![[0; 2]; case.channels.len()],
            arrivals: BinaryHeap::new(),
            packets: Vec::new(),
        }
    }

    fn act(&mut self, end: usize, act: impl FnOnce(&mut Endpoint, Time, &mut Vec<Packet>)) {
        let mut outbox = Vec::new();
        act(&mut self.ends[end], self.now, &mut outbox);
        outbox.into_iter().for_each(|it| self.send(end, it));
    }

    fn send(&mut self, from: usize, packet: Packet) {
        let Body::Segment(segment) = packet.body else { unreachable!("TCP sends segments") };
        assert!(segment.options_size() <= 40, "{segment:?}");
        let path = segment.connection as usize;
        let it = &self.case.channels[path];
        let leaves = &mut self.leaves[path][from];
        while leaves.front().is_some_and(|it| *it <= self.now) {
            leaves.pop_front();
        }
        if leaves.len() > it.room {
            return;
        }
        let rate = Rate::from_bits_per_second(it.rate).expect("not zero");
        let start = leaves.back().copied().unwrap_or(self.now).max(self.now);
        let leave = start + rate.transmission_time(packet.size());
        leaves.push_back(leave);
        let number = self.sent[path][from];
        self.sent[path][from] += 1;
        let is_unfair = number < it.unfair;
        let lost = number >= it.dies
            || is_unfair
                && ((it.silence.0..it.silence.1).contains(&number) || self.random.happens(it.loss));
        let doubled = is_unfair && self.random.happens(it.duplication);
        let late = is_unfair && self.random.happens(it.delaying);
        let mut arrives = leave + it.delay;
        if doubled {
            self.arrive(from, packet, arrives);
        }
        if late {
            let most = it.delay + Duration::from_millis(1);
            arrives += most.scaled(4.0 * self.random.unit());
        }
        if !lost {
            self.arrive(from, packet, arrives);
        }
    }

    fn arrive(&mut self, from: usize, packet: Packet, time: Time) {
        self.arrivals.push(Reverse((time, self.packets.len())));
        self.packets.push((packet, 1 - from));
    }

    /// Which data a segment has; none if it has none.
    fn data_of(&self, segment: &Segment) -> Option<usize> {
        match segment.multipath() {
            Some(Multipath::Mapping { sequence, .. }) => Some(sequence as usize),
            Some(Multipath::Capable) => Some(0),
            None => Some(segment.sequence as usize - 1),
            _ => None,
        }
    }

    fn deliver(&mut self, number: usize) -> TestCaseResult {
        let (packet, to) = self.packets[number];
        let Body::Segment(segment) = packet.body else { unreachable!("TCP sends segments") };
        if segment.length > 0 {
            let start = self.data_of(&segment).expect("data has a place");
            let direction = &mut self.directions[1 - to];
            direction.arrived[start..start + usize::from(segment.length)].fill(true);
            while direction.arrived.get(direction.in_order) == Some(&true) {
                direction.in_order += 1;
            }
        }
        self.act(to, |it, now, outbox| it.receive(now, &segment, packet.ecn, outbox));
        let received = self.ends[to].received_bytes();
        let there = self.directions[1 - to].in_order as u64;
        prop_assert!(received <= there, "{received} bytes of {there}");
        let held = self.ends[to].waiting_bytes();
        prop_assert!(held <= (self.case.buffer + 1) * SEGMENT, "holds {held}");
        Ok(())
    }

    /// Goes to the next event; false if there is none.
    fn step(&mut self) -> Result<bool, TestCaseError> {
        let arrival = self.arrivals.peek().map(|it| it.0.0);
        let wakes = [0, 1].map(|it| self.ends[it].next_wake().map(|time| time.max(self.now)));
        let next = arrival.into_iter().chain(wakes.into_iter().flatten()).min();
        let Some(next) = next else { return Ok(false) };
        self.now = next;
        if arrival == Some(next) {
            let Reverse((_, number)) = self.arrivals.pop().expect("peeked");
            self.deliver(number)?;
        } else {
            self.act(usize::from(wakes[0] != Some(next)), Endpoint::wake);
        }
        Ok(true)
    }

    fn report(&self) -> String {
        let ends = self.ends.iter().zip(self.case.bytes);
        let told = ends.map(|(it, bytes)| {
            let subflows: Vec<_> = it.subflows().map(|it| it.0).collect();
            let (received, closed) = (it.received_bytes(), it.is_closed());
            format!("wrote {bytes}, received {received}, closed {closed}: {subflows:#?}")
        });
        format!("at {:?}: {}", self.now, told.collect::<Vec<_>>().join("\n"))
    }
}

fn every_byte_arrives_once(case: &Case) -> TestCaseResult {
    let mut run = Run::new(case);
    run.act(0, Endpoint::open);
    for end in 0..2 {
        run.act(end, |it, now, outbox| {
            it.write(now, case.bytes[end], outbox);
            it.close(now, outbox);
        });
    }
    let mut steps = 0_u64;
    while !run.ends.iter().all(Endpoint::is_closed) {
        prop_assert!(run.step()?, "nothing goes on {}", run.report());
        steps += 1;
        prop_assert!(steps < 1_000_000, "turns for ever {}", run.report());
        prop_assert!(run.now.as_seconds() < 100_000.0, "stalls {}", run.report());
    }
    for end in 0..2 {
        let peer = &run.ends[1 - end];
        prop_assert_eq!(peer.received_bytes(), case.bytes[end]);
        prop_assert_eq!(run.ends[end].unacknowledged(), 0);
        prop_assert_eq!(run.ends[end].counters().acknowledged_bytes, case.bytes[end]);
        let given: u64 = run.ends[end].subflows().map(|it| it.0.first_bytes).sum();
        prop_assert_eq!(given, case.bytes[end]);
    }
    Ok(())
}

#[test]
fn over_any_paths_every_byte_arrives_once_and_in_order() {
    super::drive(&cases(), 200, false, |case| every_byte_arrives_once(&case));
}

#[test]
#[ignore = "runs as long as WINDTUNNEL_FUZZ_SECONDS says"]
fn over_any_paths_for_long() {
    super::drive(&cases(), 1_000, true, |case| every_byte_arrives_once(&case));
}
