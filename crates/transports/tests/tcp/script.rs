//! One end of a connection against a script: segments in, segments out, each at
//! its millisecond. The test plays the peer.
//!
//! Data is counted in segments of [`SEGMENT`] bytes, the first being number 0.
//! The connection opens at 0 with a SYN, which is answered after a round trip.

use std::ops::Range;
use std::sync::Arc;

use windtunnel_controllers::{Controller, DESCRIPTIONS, Settings as ControllerSettings};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::{
    ByteCounters, Flags, SackBlock, Segment, SynOptions, TIMESTAMPS_SIZE,
};
use windtunnel_packets::{Body, Ecn, Packet};
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{
    Buffers, EcnMode, Endpoint, Idleness, Recovery, Role, TcpSettings, Window,
};

/// The bytes of a full segment.
pub(crate) const SEGMENT: u64 = 1000;
/// By how many bits the test scales its windows down.
const SCALE: u8 = 8;

/// Timeouts of RFC 6298, no timestamps, and a window of 10 that AIMD governs.
pub(crate) fn settings(recovery: Recovery) -> TcpSettings {
    TcpSettings {
        maximum_segment: SEGMENT as u16,
        timestamps: false,
        recovery,
        ecn: EcnMode::Off,
        server_ecn: EcnMode::Off,
        timeout: RtoLimits { minimum: Duration::from_secs(1), ..RtoLimits::default() },
        buffers: Buffers { send: 1 << 24, ..Buffers::with_receive(1 << 24) },
        window: Window { after_idleness: Idleness::Restart, ..Window::default() },
        small_queues: Some(false),
        ..TcpSettings::new(controller("aimd"))
    }
}

/// The same with a first window of this many segments.
pub(crate) fn with_window(recovery: Recovery, segments: f64) -> TcpSettings {
    let mut settings = settings(recovery);
    settings.window.initial = segments;
    settings
}

pub(crate) fn controller(name: &str) -> ControllerSettings {
    let description = DESCRIPTIONS.iter().find(|it| it.name == name);
    ControllerSettings::defaults(description.expect("a registered controller"))
}

pub(crate) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

/// The sequence number at which a segment starts.
pub(crate) fn sequence(segment: u64) -> u32 {
    (1 + segment * SEGMENT) as u32
}

/// A segment from the peer.
#[derive(Clone, Copy)]
pub(crate) struct Incoming {
    segment: Segment,
    ecn: Ecn,
}

/// Everything before segment number `next` has arrived at the peer.
pub(crate) fn ack(next: u64) -> Incoming {
    let mut segment = Segment::new(0, 1, Flags::ACK);
    segment.acknowledgement = sequence(next);
    segment.window = u16::MAX;
    Incoming { segment, ecn: Ecn::NotCapable }
}

/// Data from the peer: segment number `number`.
pub(crate) fn data(number: u64) -> Incoming {
    let mut it = ack(0);
    it.segment.sequence = sequence(number);
    it.segment.length = SEGMENT as u16;
    it
}

/// Any segment, from whomever.
pub(crate) fn arriving(segment: Segment) -> Incoming {
    Incoming { segment, ecn: Ecn::NotCapable }
}

impl Incoming {
    /// These segments have arrived beyond a gap, or a second time.
    pub(crate) fn sack(mut self, segments: Range<u64>) -> Self {
        let Range { start, end } = segments;
        let block = SackBlock { start: sequence(start), end: sequence(end) };
        self.segment.add_sack_block(block);
        self
    }

    /// Echoes the clock of that millisecond, and sends its own.
    pub(crate) fn stamps(mut self, own: u32, echo: u32) -> Self {
        self.segment.timestamp = own;
        self.segment.echo = echo;
        self.flags(Flags::TIMESTAMPS)
    }

    /// Advertises room for this many bytes.
    pub(crate) fn window(mut self, bytes: u64) -> Self {
        self.segment.window = (bytes >> SCALE) as u16;
        self
    }

    pub(crate) fn flags(mut self, flags: Flags) -> Self {
        self.segment.flags = self.segment.flags.with(flags);
        self
    }

    /// Accurate ECN's field ACE after this many marked packets (RFC 9768, section 3.2.2).
    pub(crate) fn counted(self, marked: u8) -> Self {
        self.ace(5 + marked)
    }

    /// The field ACE with the lowest three bits of this.
    pub(crate) fn ace(mut self, value: u8) -> Self {
        self.segment.flags = self.segment.flags.with_ace(value);
        self
    }

    /// Accurate ECN's option after this many bytes of ECT(0) and of CE.
    pub(crate) fn counted_bytes(mut self, capable: u32, congestion: u32) -> Self {
        let counters = ByteCounters::Capable { capable: 1 + capable, congestion };
        self.segment.set_byte_counters(counters);
        self
    }

    pub(crate) fn ecn(mut self, ecn: Ecn) -> Self {
        self.ecn = ecn;
        self
    }

    /// Acknowledges this many segments.
    pub(crate) fn acknowledging(mut self, segments: u64) -> Self {
        self.segment.acknowledgement = sequence(segments);
        self
    }

    /// Acknowledges this many bytes.
    pub(crate) fn acknowledging_bytes(mut self, bytes: u64) -> Self {
        self.segment.acknowledgement = 1 + bytes as u32;
        self
    }

    /// Acknowledges this many segments and the FIN behind them.
    pub(crate) fn acknowledging_fin_of(mut self, segments: u64) -> Self {
        self.segment.acknowledgement = sequence(segments) + 1;
        self
    }

    /// This many bytes of data instead of a full segment.
    pub(crate) fn length(mut self, bytes: u16) -> Self {
        self.segment.length = bytes;
        self
    }
}

/// A segment that the end under test sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    pub(crate) time: Time,
    pub(crate) segment: Segment,
    pub(crate) ecn: Ecn,
}

impl Outgoing {
    /// The same as it arrives at the other end.
    pub(crate) fn again(&self) -> Incoming {
        Incoming { segment: self.segment, ecn: self.ecn }
    }

    pub(crate) fn has(&self, flags: Flags) -> bool {
        self.segment.flags.has(flags)
    }

    /// Which segment it acknowledges next.
    pub(crate) fn acknowledges(&self) -> u64 {
        u64::from(self.segment.acknowledgement - 1) / SEGMENT
    }

    /// Its SACK blocks: the first segment of each, and the one after the last.
    pub(crate) fn blocks(&self) -> Vec<(u64, u64)> {
        let number = |byte: u32| u64::from(byte - 1) / SEGMENT;
        self.segment.sack_blocks().map(|it| (number(it.start), number(it.end))).collect()
    }

    pub(crate) fn milliseconds(&self) -> u64 {
        self.time.as_nanos() / 1_000_000
    }
}

/// One end, and what it sent.
pub(crate) struct Script {
    pub(crate) end: Endpoint,
    now: Time,
    out: Vec<Outgoing>,
}

impl Script {
    /// An end to which nothing has happened yet.
    pub(crate) fn closed(role: Role, settings: &TcpSettings) -> Self {
        let end = Endpoint::new(0, role, &Arc::new(settings.clone()));
        Self { end, now: Time::ZERO, out: Vec::new() }
    }

    /// A client whose SYN of time 0 was answered after `rtt` milliseconds, by a server that
    /// does with ECN what the client would; its application has written this many segments.
    pub(crate) fn connected(settings: &TcpSettings, rtt: u64, segments: u64) -> Self {
        let mut script = Self::closed(Role::Client, settings);
        script.open();
        let flags = Flags::ACK.with_if(Flags::TIMESTAMPS, settings.timestamps);
        script.receive(rtt, syn(flags.with(agreement(settings.ecn))));
        script.all();
        script.write(segments * SEGMENT);
        // The window of a SYN is not scaled: the peer's full one follows.
        script.receive(rtt, ack(0));
        script
    }

    pub(crate) fn act(&mut self, act: impl FnOnce(&mut Endpoint, Time, &mut Vec<Packet>)) {
        let mut outbox = Vec::new();
        act(&mut self.end, self.now, &mut outbox);
        for packet in outbox {
            let Body::Segment(segment) = packet.body else { unreachable!("TCP sends segments") };
            self.out.push(Outgoing { time: self.now, segment, ecn: packet.ecn });
        }
    }

    pub(crate) fn open(&mut self) {
        self.act(Endpoint::open);
    }

    pub(crate) fn write(&mut self, bytes: u64) {
        self.act(|it, now, outbox| it.write(now, bytes, outbox));
    }

    pub(crate) fn close(&mut self) {
        self.act(Endpoint::close);
    }

    pub(crate) fn now(&self) -> Time {
        self.now
    }

    pub(crate) fn milliseconds(&self) -> u64 {
        self.now.as_nanos() / 1_000_000
    }

    /// Lets the timers run until that millisecond.
    pub(crate) fn until(&mut self, milliseconds: u64) {
        self.until_time(at(milliseconds));
    }

    pub(crate) fn until_time(&mut self, time: Time) {
        assert!(self.now <= time, "scripts go forward");
        let mut wakes = 0;
        while let Some(wake) = self.end.next_wake().filter(|it| *it <= time) {
            self.now = self.now.max(wake);
            self.act(Endpoint::wake);
            wakes += 1;
            assert!(wakes < 100_000, "wakes for ever at {:?}", self.now);
        }
        self.now = time;
    }

    /// A segment arrives at that millisecond.
    pub(crate) fn receive(&mut self, milliseconds: u64, it: Incoming) {
        self.until(milliseconds);
        self.receive_now(it);
    }

    pub(crate) fn receive_now(&mut self, it: Incoming) {
        let Incoming { segment, ecn } = it;
        self.act(|end, now, outbox| end.receive(now, &segment, ecn, outbox));
    }

    /// The application takes this many bytes.
    pub(crate) fn take(&mut self, bytes: u64) {
        self.act(|end, now, outbox| end.take(now, bytes, outbox));
    }

    /// What was sent since this was asked last.
    pub(crate) fn all(&mut self) -> Vec<Outgoing> {
        std::mem::take(&mut self.out)
    }

    /// The numbers of the data segments sent since the last question.
    pub(crate) fn sent(&mut self) -> Vec<u64> {
        self.sent_at().into_iter().map(|(_, number)| number).collect()
    }

    /// The same with the milliseconds.
    pub(crate) fn sent_at(&mut self) -> Vec<(u64, u64)> {
        let data = self.all().into_iter().filter(|it| it.segment.length > 0);
        data.map(|it| (it.milliseconds(), u64::from(it.segment.sequence - 1) / SEGMENT)).collect()
    }

    /// The one segment sent since the last question.
    pub(crate) fn only(&mut self) -> Outgoing {
        let all = self.all();
        assert_eq!(all.len(), 1, "one segment was to be sent: {all:?}");
        all[0]
    }

    pub(crate) fn cwnd(&self) -> f64 {
        self.end.controller().expect("data was written").cwnd()
    }

    pub(crate) fn ssthresh(&self) -> f64 {
        self.end.controller().expect("data was written").ssthresh()
    }
}

/// A SYN from the peer; with [`Flags::ACK`] the answer to one.
pub(crate) fn syn(flags: Flags) -> Incoming {
    let mut segment = Segment::new(0, 0, Flags::SYN.with(flags));
    segment.acknowledgement = 1;
    segment.window = u16::MAX;
    segment.set_syn_options(SynOptions {
        // It counts options too, which there may be.
        maximum_segment: SEGMENT as u16 + TIMESTAMPS_SIZE,
        window_scale: Some(SCALE),
        sack_permitted: true,
    });
    Incoming { segment, ecn: Ecn::NotCapable }
}

/// The flags of a SYN that asks for what that is (RFC 3168, section 6.1.1; RFC 9768,
/// table 2).
pub(crate) fn request(mode: EcnMode) -> Flags {
    match mode {
        EcnMode::Off => Flags::default(),
        EcnMode::Classic | EcnMode::Dctcp | EcnMode::SomeCongestion => Flags::ECE.with(Flags::CWR),
        EcnMode::Accurate | EcnMode::Scalable => Flags::ECE.with(Flags::CWR).with(Flags::AE),
    }
}

/// The flags of the answer to it that agrees, where the SYN was not ECN-capable.
pub(crate) fn agreement(mode: EcnMode) -> Flags {
    match mode {
        EcnMode::Off => Flags::default(),
        EcnMode::Classic | EcnMode::Dctcp | EcnMode::SomeCongestion => Flags::ECE,
        EcnMode::Accurate | EcnMode::Scalable => Flags::CWR,
    }
}
