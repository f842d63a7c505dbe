//! A connection over a channel that loses, doubles, delays, reorders and marks
//! packets as it likes, and is fair after a while: every byte arrives once and
//! in order, and the connection comes to its end.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use windtunnel_controllers::{DESCRIPTIONS, Description, Need, Settings as ControllerSettings};
use windtunnel_engine::{Duration, Random, Rate, Streams, Time};
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::{Body, Ecn, Packet};
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{
    Acknowledgements, Buffers, EcnMode, Endpoint, Misbehaviour, Nagle, Offload, Recovery, Role,
    Socket, TcpSettings, Window,
};

/// What is tried.
#[derive(Clone, Debug)]
struct Case {
    recovery: Recovery,
    timestamps: bool,
    ecn: EcnMode,
    server_ecn: EcnMode,
    pacing: bool,
    offload: Offload,
    sack_compression: bool,
    quick: bool,
    misbehaviour: Option<Misbehaviour>,
    controller: usize,
    /// The one at the receivers, where there are timestamps.
    receiver: Option<usize>,
    segment: u16,
    acknowledge_every: u8,
    /// The least retransmission timeout.
    least_timeout: Duration,
    initial_window: f64,
    /// How many segments the receivers hold, besides a few bytes.
    buffer: u64,
    /// What client and server write.
    bytes: [u64; 2],
    writes: (Option<u64>, Nagle),
    channel: Channel,
}

/// What the hosts' interfaces do.
fn offloads() -> impl Strategy<Value = Offload> {
    let coalescing = [1, 50, 5_000].map(Duration::from_micros);
    let receive = prop::option::of(prop::sample::select(coalescing.to_vec()));
    (any::<bool>(), receive).prop_map(|(segmentation, receive)| {
        let usual = Offload::default();
        let coalescing = receive.unwrap_or(usual.coalescing);
        Offload { segmentation, receive: receive.is_some(), coalescing }
    })
}

/// What lies between the ends.
#[derive(Clone, Debug)]
struct Channel {
    seed: u64,
    rate: u64,
    delay: Duration,
    /// How many packets wait at the most, beside the one that is being sent.
    room: usize,
    /// This many packets in each direction are treated unfairly: each with these
    /// probabilities, and the delays up to this many times the channel's own.
    unfair: u64,
    loss: f64,
    duplication: f64,
    delaying: f64,
    delays: u64,
    marking: f64,
    /// Between these packets nothing passes at all.
    silence: (u64, u64),
}

fn recoveries() -> impl Strategy<Value = Recovery> {
    prop::sample::select(vec![
        Recovery::Tahoe,
        Recovery::Reno,
        Recovery::NewReno,
        Recovery::Sack,
        Recovery::Rack,
    ])
}

fn modes() -> impl Strategy<Value = EcnMode> {
    prop::sample::select(vec![
        EcnMode::Off,
        EcnMode::Classic,
        EcnMode::Dctcp,
        EcnMode::Accurate,
        EcnMode::Scalable,
        EcnMode::SomeCongestion,
    ])
}

/// The controllers that a receiver may have.
fn receivers() -> Vec<&'static Description> {
    let may = |it: &Need| *it == Need::OneWayDelay;
    DESCRIPTIONS.iter().copied().filter(|it| it.needs.iter().all(may)).collect()
}

fn channels() -> impl Strategy<Value = Channel> {
    let rates = prop::sample::select(vec![
        64_000,
        1_000_000,
        100_000_000,
        10_000_000_000,
        100_000_000_000_u64,
    ]);
    let delays = prop::sample::select(vec![
        Duration::from_nanos(500),
        Duration::from_micros(50),
        Duration::from_millis(1),
        Duration::from_millis(30),
        Duration::from_millis(300),
        Duration::from_secs(5),
    ]);
    let often = || prop_oneof![Just(0.0), 0.0..0.1, 0.0..0.6];
    let shape = (any::<u64>(), rates, delays, prop_oneof![1_usize..4, 1_usize..200], 0_u64..400);
    let faults = (often(), often(), often(), 1_u64..8, often(), (0_u64..200, 0_u64..40));
    (shape, faults).prop_map(|((seed, rate, delay, room, unfair), faults)| {
        let (loss, duplication, delaying, delays, marking, (from, length)) = faults;
        let silence = (from, from + length);
        Channel {
            seed,
            rate,
            delay,
            room,
            unfair,
            loss,
            duplication,
            delaying,
            delays,
            marking,
            silence,
        }
    })
}

/// What receivers do against the rules: mostly nothing.
fn misbehaviours() -> impl Strategy<Value = Option<Misbehaviour>> {
    use Misbehaviour::{DividedAcknowledgements, HiddenMarks, InventedDuplicates};
    let some = vec![DividedAcknowledgements, InventedDuplicates, HiddenMarks];
    prop_oneof![3 => Just(None), 1 => prop::sample::select(some).prop_map(Some)]
}

/// The pieces that applications write, and what of them waits.
pub(crate) fn writes() -> impl Strategy<Value = (Option<u64>, Nagle)> {
    let nagle = prop::sample::select(vec![Nagle::Off, Nagle::Classic, Nagle::Minshall]);
    (prop::option::of(50_u64..5_000), nagle)
}

fn cases() -> impl Strategy<Value = Case> {
    let sizes = || prop_oneof![Just(1_u64), 1_u64..3_000, 1_u64..300_000];
    let bytes = (sizes(), prop_oneof![Just(0), sizes()]);
    let ecn = (modes(), prop_oneof![Just(None), modes().prop_map(Some)]);
    let receiving = (any::<(bool, bool)>(), misbehaviours());
    let pacing = (any::<bool>(), offloads(), receiving);
    let controllers = (0..DESCRIPTIONS.len(), prop::option::of(0..receivers().len()));
    let choices = (recoveries(), any::<bool>(), ecn, pacing, controllers);
    let segment = prop::sample::select(vec![100_u16, 536, 1_448, 8_948]);
    let least_timeout = prop::sample::select(vec![0, 200, 1_000]).prop_map(Duration::from_millis);
    let timing = (1_u8..4, least_timeout, prop_oneof![Just(10.0), 1.0..100.0]);
    let ends = (segment, timing, prop_oneof![1_u64..4, 1_u64..1_000], (bytes, writes()));
    (choices, ends, channels()).prop_map(|(choices, ends, channel)| {
        let (recovery, timestamps, (ecn, server_ecn), pacing, controllers) = choices;
        let (pacing, offload, ((sack_compression, quick), misbehaviour)) = pacing;
        let (controller, receiver) = controllers;
        let (segment, timing, buffer, ((there, back), writes)) = ends;
        let (acknowledge_every, least_timeout, initial_window) = timing;
        Case {
            recovery,
            timestamps,
            ecn,
            server_ecn: server_ecn.unwrap_or(ecn),
            pacing,
            offload,
            sack_compression,
            quick,
            misbehaviour,
            controller,
            receiver,
            segment,
            acknowledge_every,
            least_timeout,
            initial_window,
            buffer,
            bytes: [there, back],
            writes,
            channel,
        }
    })
}

impl Case {
    fn settings(&self) -> TcpSettings {
        TcpSettings {
            maximum_segment: self.segment,
            timestamps: self.timestamps,
            recovery: self.recovery,
            ecn: self.ecn,
            server_ecn: self.server_ecn,
            acknowledgements: Acknowledgements {
                every: self.acknowledge_every,
                sack_compression: self.sack_compression,
                quick: self.quick,
                misbehaviour: self.misbehaviour,
                ..Acknowledgements::default()
            },
            timeout: RtoLimits { minimum: self.least_timeout, ..RtoLimits::default() },
            buffers: Buffers {
                send: 1 << 30,
                ..Buffers::with_receive(self.buffer * u64::from(self.segment) + self.buffer % 7)
            },
            socket: Socket { write_size: self.writes.0, nagle: self.writes.1, ..Socket::default() },
            small_queues: Some(false),
            offload: self.offload,
            receiver_controller: match self.receiver {
                Some(it) if self.timestamps => Some(ControllerSettings::defaults(receivers()[it])),
                _ => None,
            },
            pacing: self.pacing,
            window: Window { initial: self.initial_window, ..Window::default() },
            ..TcpSettings::new(ControllerSettings::defaults(DESCRIPTIONS[self.controller]))
        }
    }

    /// How long the protocol may take at the most once the channel is fair and no
    /// queue overflows: the longest timeout, and then a segment in each direction in a round
    /// trip, each once delayed; ten times all that.
    fn patience(&self) -> Duration {
        let piece = self.writes.0.unwrap_or(u64::MAX).min(u64::from(self.segment));
        let segments = (self.bytes[0] + self.bytes[1]) / piece + 10;
        let rate = Rate::from_bits_per_second(self.channel.rate).expect("not zero");
        let packet = rate.transmission_time(u32::from(self.segment) + 100);
        let queue = packet * (self.channel.room as u64 + 2);
        let round = self.channel.delay * 2 + queue + Duration::from_millis(240);
        (Duration::from_secs(120) + round * segments) * 10
    }
}

/// What a test knows of one direction: what its receiver got, and what its sender
/// was reported.
struct Direction {
    /// Which bytes arrived.
    arrived: Vec<bool>,
    in_order: usize,
    /// The sender heard that everything before this byte arrived, and these.
    acknowledged: u32,
    reported: Vec<bool>,
    /// Whether the receiver takes nothing back: where it divides its acknowledgements, one that ends within
    /// a segment may report that whole segment, which the sender takes for data that was given up.
    is_honest: bool,
    /// The byte after the last that the sender was on_acknowledgement there is room for.
    edge: u64,
    /// Acknowledgements that arrived, and when the sender has certainly taken them in.
    arriving: VecDeque<(Time, Segment)>,
    packets: u64,
    leaves: VecDeque<Time>,
}

impl Direction {
    fn new(bytes: u64, misbehaviour: Option<Misbehaviour>) -> Self {
        Self {
            is_honest: misbehaviour != Some(Misbehaviour::DividedAcknowledgements),
            arrived: vec![false; bytes as usize],
            in_order: 0,
            acknowledged: 1,
            reported: vec![false; bytes as usize],
            edge: 0,
            arriving: VecDeque::new(),
            packets: 0,
            leaves: VecDeque::new(),
        }
    }

    fn arrives(&mut self, segment: &Segment) {
        let start = segment.sequence as usize - 1;
        self.arrived[start..start + usize::from(segment.length)].fill(true);
        while self.arrived.get(self.in_order) == Some(&true) {
            self.in_order += 1;
        }
    }

    /// An acknowledgement arrives, which the sender has taken in at that time.
    fn on_acknowledgement(&mut self, segment: &Segment, scale: u8, taken: Time) {
        let edge = u64::from(segment.acknowledgement) + (u64::from(segment.window) << scale);
        self.edge = self.edge.max(edge);
        self.arriving.push_back((taken, *segment));
    }

    /// The sender takes in what arrived until then.
    fn take_in(&mut self, now: Time) {
        while let Some((taken, segment)) = self.arriving.front().copied()
            && taken <= now
        {
            self.arriving.pop_front();
            self.take_in_one(&segment);
        }
    }

    fn take_in_one(&mut self, segment: &Segment) {
        self.acknowledged = self.acknowledged.max(segment.acknowledgement);
        for block in segment.sack_blocks() {
            let last = self.reported.len() + 1;
            let (start, end) = (block.start as usize, (block.end as usize).min(last));
            self.reported[start - 1..end - 1].fill(true);
        }
    }

    /// The sender sends data: what was not acknowledged, and there is room for.
    fn sends(&self, segment: &Segment) -> TestCaseResult {
        let end = segment.sequence + u32::from(segment.length);
        prop_assert!(end > self.acknowledged, "sends again what is acknowledged: {segment:?}");
        prop_assert!(u64::from(end) <= self.edge, "beyond {}: {segment:?}", self.edge);
        let bytes = segment.sequence as usize - 1..end as usize - 1;
        let reported = self.reported[bytes].iter().all(|it| *it);
        prop_assert!(!reported || !self.is_honest, "sends again what was reported: {segment:?}");
        Ok(())
    }
}

struct Run<'a> {
    case: &'a Case,
    random: Random,
    now: Time,
    ends: [Endpoint; 2],
    scale: u8,
    directions: [Direction; 2],
    arrivals: BinaryHeap<Reverse<(Time, usize)>>,
    packets: Vec<(Packet, usize)>,
    /// When the channel was last unfair.
    unfair: Time,
    /// Packets that found the queue full.
    drops: u64,
}

impl<'a> Run<'a> {
    fn new(case: &'a Case) -> Self {
        let settings = Arc::new(case.settings());
        Self {
            case,
            random: Streams::new(case.channel.seed, 0).stream("channel"),
            now: Time::ZERO,
            ends: [Role::Client, Role::Server].map(|role| Endpoint::new(0, role, &settings)),
            scale: 0,
            directions: case.bytes.map(|it| Direction::new(it, case.misbehaviour)),
            arrivals: BinaryHeap::new(),
            packets: Vec::new(),
            unfair: Time::ZERO,
            drops: 0,
        }
    }

    fn act(
        &mut self,
        end: usize,
        act: impl FnOnce(&mut Endpoint, Time, &mut Vec<Packet>),
    ) -> TestCaseResult {
        let mut outbox = Vec::new();
        act(&mut self.ends[end], self.now, &mut outbox);
        for packet in outbox {
            self.send(end, packet)?;
        }
        Ok(())
    }

    fn send(&mut self, from: usize, packet: Packet) -> TestCaseResult {
        let Body::Segment(segment) = packet.body else { unreachable!("TCP sends segments") };
        if segment.length > 0 {
            self.directions[from].take_in(self.now);
            self.directions[from].sends(&segment)?;
        }
        let Channel { rate, delay, room, .. } = self.case.channel;
        let direction = &mut self.directions[from];
        while direction.leaves.front().is_some_and(|it| *it <= self.now) {
            direction.leaves.pop_front();
        }
        if direction.leaves.len() > room {
            self.drops += 1;
            return Ok(());
        }
        let rate = Rate::from_bits_per_second(rate).expect("not zero");
        let start = direction.leaves.back().copied().unwrap_or(self.now);
        let leaves = start.max(self.now) + rate.transmission_time(packet.size());
        direction.leaves.push_back(leaves);
        let number = direction.packets;
        direction.packets += 1;
        self.pass(from, packet, number, leaves + delay);
        Ok(())
    }

    /// The channel does to a packet what it likes.
    fn pass(&mut self, from: usize, mut packet: Packet, number: u64, arrives: Time) {
        let Channel {
            unfair, loss, duplication, delaying, delays, marking, silence, delay, ..
        } = self.case.channel;
        if number >= unfair {
            self.arrive(from, packet, arrives);
            return;
        }
        let lost = (silence.0..silence.1).contains(&number) || self.random.happens(loss);
        let doubled = self.random.happens(duplication);
        let late = self.random.happens(delaying);
        let mut later = Duration::ZERO;
        if late {
            later = (delay + Duration::from_micros(10)).scaled(self.random.unit() * delays as f64);
        }
        if lost || doubled || late {
            self.unfair = self.unfair.max(arrives + later);
        }
        if packet.ecn.is_capable() && self.random.happens(marking) {
            let mild = self.case.ecn == EcnMode::SomeCongestion && self.random.happens(0.5);
            packet.ecn = if mild { Ecn::Scalable } else { Ecn::Congestion };
            self.unfair = self.unfair.max(arrives);
        }
        if doubled {
            self.arrive(from, packet, arrives);
        }
        if !lost {
            self.arrive(from, packet, arrives + later);
        }
    }

    fn arrive(&mut self, from: usize, packet: Packet, time: Time) {
        self.arrivals.push(Reverse((time, self.packets.len())));
        self.packets.push((packet, 1 - from));
    }

    fn deliver(&mut self, number: usize) -> TestCaseResult {
        let (packet, to) = self.packets[number];
        let Body::Segment(segment) = packet.body else { unreachable!("TCP sends segments") };
        if segment.length > 0 {
            self.directions[1 - to].arrives(&segment);
        }
        if segment.flags.has(Flags::SYN) {
            self.scale = segment.syn_options().window_scale.unwrap_or(0);
        }
        if segment.flags.has(Flags::ACK) {
            // The window of a SYN is not scaled.
            let scale = if segment.flags.has(Flags::SYN) { 0 } else { self.scale };
            // A poll comes later than what arrives at the same time.
            let Offload { receive, coalescing, .. } = self.case.offload;
            let coalescing = receive.then(|| coalescing + Duration::from_picos(1));
            let taken = self.now + coalescing.unwrap_or(Duration::ZERO);
            self.directions[to].on_acknowledgement(&segment, scale, taken);
        }
        self.act(to, |it, now, outbox| it.receive(now, &segment, packet.ecn, outbox))?;
        let received = self.ends[to].counters().received_bytes;
        let there = self.directions[1 - to].in_order as u64;
        prop_assert!(received <= there, "{received} bytes of {there}");
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
            let end = usize::from(wakes[0] != Some(next));
            self.act(end, Endpoint::wake)?;
        }
        Ok(true)
    }

    fn report(&self) -> String {
        let counters = [0, 1].map(|it| self.ends[it].counters());
        format!("at {:?}, fair since {:?}: {counters:#?}", self.now, self.unfair)
    }
}

fn every_byte_arrives_once(case: &Case) -> TestCaseResult {
    let mut run = Run::new(case);
    let patience = case.patience();
    run.act(0, Endpoint::open)?;
    for end in 0..2 {
        run.act(end, |it, now, outbox| {
            it.write(now, case.bytes[end], outbox);
            it.close(now, outbox);
        })?;
    }
    let mut steps = 0_u64;
    while !run.ends.iter().all(Endpoint::is_closed) {
        prop_assert!(run.step()?, "nothing goes on {}", run.report());
        // Each packet that finds the queue full may cost the longest timeout.
        let limit = run.unfair + patience + Duration::from_secs(61) * run.drops;
        prop_assert!(run.now <= limit, "stalls {}", run.report());
        steps += 1;
        prop_assert!(steps < 3_000_000, "turns for ever {}", run.report());
    }
    while run.step()? {
        steps += 1;
        prop_assert!(steps < 3_000_000, "does not rest {}", run.report());
    }
    for end in 0..2 {
        let (own, peer) = (run.ends[end].counters(), run.ends[1 - end].counters());
        prop_assert_eq!(own.acknowledged_bytes, case.bytes[end]);
        prop_assert_eq!(peer.received_bytes, case.bytes[end]);
        prop_assert_eq!(run.ends[end].in_flight(), 0);
        prop_assert_eq!(run.ends[end].unacknowledged(), 0);
        prop_assert!(own.decreases_undone <= own.decreases);
    }
    Ok(())
}

#[test]
fn over_any_channel_every_byte_arrives_once_and_in_order() {
    super::drive(&cases(), 200, false, |case| every_byte_arrives_once(&case));
}

#[test]
#[ignore = "runs as long as WINDTUNNEL_FUZZ_SECONDS says"]
fn over_any_channel_for_long() {
    super::drive(&cases(), 1_000, true, |case| every_byte_arrives_once(&case));
}
