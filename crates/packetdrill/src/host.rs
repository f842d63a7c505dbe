//! A host in virtual time, and what it sends.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use windtunnel_controllers::Controller;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_tcp::{ConnectionId, State, TcpHost};
use windtunnel_transports::tcp::{Agreed, Limit, TcpSettings};

use crate::numbers::Numbers;
use crate::outcome::{Moment, Stop};
use crate::script::{Segment, SegmentFlags, TcpOption, TooBig};
use crate::wire::Wire;

/// The port that the host listens at.
const PORT: u16 = 8080;
/// The port of the peer.
const PEERS_PORT: u16 = 40_001;
/// What the first numbers of connections are made from: the same ones in each run.
const SECRET: [u64; 2] = [17, 4711];

/// A segment that the host sent.
#[derive(Debug)]
pub(crate) struct Sent {
    /// When, in nanoseconds since the host exists.
    pub(crate) time: i64,
    /// With the numbers of the script.
    pub(crate) segment: Segment,
}

/// A host in virtual time.
#[derive(Debug)]
pub(crate) struct VirtualHost {
    pub(crate) tcp: TcpHost,
    pub(crate) numbers: Numbers,
    /// What it sent and nobody has looked at, in this order.
    pub(crate) sent: VecDeque<Sent>,
    pub(crate) trace: Vec<Moment>,
    /// By how much its time is ahead of the script's, in nanoseconds: it was late so far.
    pub(crate) ahead: i64,
    wire: Wire,
    now: i64,
    /// The port that its last SYN came from.
    port: u16,
}

impl VirtualHost {
    pub(crate) fn new(settings: [TcpSettings; 2], ipv6: bool, tick: Option<u32>) -> Self {
        let wire = Wire::new(ipv6);
        Self {
            tcp: TcpHost::new(vec![wire.own], settings, SECRET),
            numbers: Numbers::new(tick),
            sent: VecDeque::new(),
            trace: Vec::new(),
            ahead: 0,
            wire,
            now: 0,
            port: PORT,
        }
    }

    /// Its time, for what is done to it.
    pub(crate) fn time(&self) -> Time {
        Time::ZERO + Duration::from_nanos(self.now.cast_unsigned())
    }

    /// The script's time in nanoseconds.
    pub(crate) fn script_time(&self) -> i64 {
        self.now - self.ahead
    }

    /// Where it listens.
    pub(crate) fn listener(&self) -> SocketAddr {
        self.wire.own_port(PORT)
    }

    /// Where the peer is.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.wire.peer_port(PEERS_PORT)
    }

    /// What is known of a connection, or of the one that waits to be accepted, by the names of
    /// packetdrill. As in Linux's `tcp_info`, windows are in segments, and times in microseconds:
    /// the connection is busy while data are not acknowledged. The threshold is there once it is
    /// finite.
    pub(crate) fn info(&self, connection: Option<ConnectionId>) -> BTreeMap<&'static str, u64> {
        let mut info = BTreeMap::new();
        let listens = self.tcp.waiting(self.listener());
        let Some(connection) = connection.or(listens.flatten()) else {
            info.extend(listens.map(|_| ("tcpi_state", State::Listen as u64)));
            return info;
        };
        info.insert("tcpi_state", self.tcp.state(self.time(), connection) as u64);
        let Some(endpoint) = self.tcp.endpoint(connection) else { return info };
        info.extend(options(endpoint.agreed()).map(|it| ("tcpi_options", it)));
        info.insert("tcpi_snd_mss", endpoint.settings().maximum_segment.into());
        let outstanding = endpoint.outstanding();
        info.insert("tcpi_ca_state", outstanding.state as u64);
        info.insert("tcpi_unacked", outstanding.segments);
        info.insert("tcpi_sacked", outstanding.delivered);
        info.insert("tcpi_lost", outstanding.lost);
        info.insert("tcpi_retrans", outstanding.resent);
        info.extend(endpoint.delivered_marked().map(|it| ("tcpi_delivered_ce", it.into())));
        info.extend(endpoint.delivered_bytes().into_iter().flatten().filter_map(counter_of));
        info.extend(endpoint.reordering().map(|it| ("tcpi_reordering", it)));
        info.insert("tcpi_total_retrans", endpoint.counters().retransmissions);
        if let Some(controller) = endpoint.controller() {
            info.insert("tcpi_snd_cwnd", controller.cwnd() as u64);
            let ssthresh = controller.ssthresh();
            if ssthresh.is_finite() {
                info.insert("tcpi_snd_ssthresh", ssthresh as u64);
            }
        }
        if let Some(rtt) = endpoint.smoothed_rtt() {
            info.insert("tcpi_rtt", microseconds(rtt));
        }
        let limits = endpoint.limits(self.time());
        let is_busy = |it: &Limit| !matches!(it, Limit::Handshake | Limit::Idle);
        let busy = Limit::ALL.into_iter().filter(is_busy).map(|it| microseconds(limits.of(it)));
        info.insert("tcpi_busy_time", busy.sum());
        info.insert("tcpi_rwnd_limited", microseconds(limits.of(Limit::ReceiveWindow)));
        info
    }

    /// Lets time pass up to the script's `time`.
    pub(crate) fn pass_until(&mut self, time: i64) {
        let time = time + self.ahead;
        while self.wake_until(time) {}
        self.now = self.now.max(time);
    }

    /// Lets time pass up to the script's `time`, or until so many segments were sent that nobody
    /// has looked at.
    pub(crate) fn pass_until_sent(&mut self, count: usize, time: i64) {
        let time = time + self.ahead;
        while self.sent.len() < count {
            if !self.wake_until(time) {
                self.now = self.now.max(time);
                return;
            }
        }
    }

    /// Lets the next thing happen, if it is not later than a time of the host's.
    fn wake_until(&mut self, time: i64) -> bool {
        let next = self.tcp.next_wake().map(|it| it.as_picos().div_ceil(1_000).cast_signed());
        let Some(next) = next.filter(|it| *it <= time) else { return false };
        self.now = self.now.max(next);
        self.tcp.wake(self.time());
        self.collect();
        true
    }

    /// A segment of the peer's arrives.
    pub(crate) fn receive(&mut self, segment: &Segment) -> Result<(), Stop> {
        let mut options = segment.options.iter().flatten();
        if let Some(TcpOption::Other(name)) = options.find(|it| it.is_other()) {
            return Stop::skips(format!("the option `{name}`"));
        }
        self.note(format!("< {segment}"));
        let mut outside = segment.clone();
        self.numbers.of_wire(&mut outside);
        let Some(packet) = self.wire.encode(&outside, [PEERS_PORT, self.port]) else {
            return Stop::skips("the options of this segment are longer than 40 bytes");
        };
        self.tcp.receive(self.time(), &packet);
        self.collect();
        Ok(())
    }

    /// The report of a router arrives.
    pub(crate) fn receive_report(&mut self, report: &TooBig) -> Result<(), Stop> {
        let sequence = self.numbers.own_of_wire(report.sequence);
        let outside = TooBig { sequence, ..*report };
        let Some(packet) = self.wire.encode_too_big(&outside, [self.port, PEERS_PORT]) else {
            return Stop::skips("a report of such a packet");
        };
        self.tcp.receive(self.time(), &packet);
        self.collect();
        Ok(())
    }

    /// Takes what was sent.
    pub(crate) fn collect(&mut self) {
        while let Some(packet) = self.tcp.take_packet() {
            let Some(it) = self.wire.decode(&packet) else { continue };
            let mut segment = it.segment;
            if segment.flags.has(SegmentFlags::SYN) {
                self.port = it.source_port;
                segment.sequence.into_iter().for_each(|it| self.numbers.begin(it));
            }
            self.numbers.of_script(&mut segment);
            self.note(format!("> {}", self.shown(&segment)));
            self.sent.push_back(Sent { time: self.now, segment });
        }
    }

    /// A segment that was sent as a script would have it, with timestamps of the script's if it
    /// has any.
    pub(crate) fn shown(&self, segment: &Segment) -> Segment {
        let mut segment = segment.clone();
        for option in segment.options.iter_mut().flatten() {
            if let TcpOption::Timestamps { value, .. } = option {
                *value = self.numbers.timestamp_of_script(*value);
            }
        }
        segment
    }

    /// Something happened that belongs in the trace.
    pub(crate) fn note(&mut self, what: String) {
        self.trace.push(Moment { time_s: seconds(self.script_time()), what });
    }
}

/// The counter of the bytes that came with an ECN field.
fn counter_of((field, bytes): (Ecn, u32)) -> Option<(&'static str, u64)> {
    let name = match field {
        Ecn::NotCapable => return None,
        Ecn::Capable => "tcpi_delivered_e0_bytes",
        Ecn::Scalable => "tcpi_delivered_e1_bytes",
        Ecn::Congestion => "tcpi_delivered_ce_bytes",
    };
    Some((name, bytes.into()))
}

/// The bits of Linux's `tcpi_options` (`TCPI_OPT_TIMESTAMPS`, `_SACK` and `_WSCALE`). There is another
/// one for whether a packet came that was ECN-capable, which is not known here: none with ECN.
fn options(agreed: Agreed) -> Option<u64> {
    let bits = [agreed.timestamps, agreed.sack, agreed.window_scale];
    let sum = bits.into_iter().zip(0..).map(|(has, bit)| u64::from(has) << bit).sum();
    (!agreed.ecn).then_some(sum)
}

fn microseconds(duration: Duration) -> u64 {
    duration.as_picos() / 1_000_000
}

/// Seconds of nanoseconds.
pub(crate) fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 * 1e-9
}
