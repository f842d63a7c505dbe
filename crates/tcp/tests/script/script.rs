//! Runs a script: one line for each thing that happens, its millisecond first.
//!
//! ```text
//! 0    listen
//! 0    < S 0(0) win 65535 <mss 1460>
//! 0    > S. 0(0) ack 1
//! 100  < . 1(0) ack 1 win 65535
//! 100  accept
//! 100  write 1000
//! 100  > P. 1(1000) ack 1
//! ```
//!
//! Every packet that is sent must be expected, in this order and at this time.

use std::collections::VecDeque;
use std::net::SocketAddr;

use etherparse::{PacketBuilder, SlicedPacket, TcpHeader, TcpOptions, TransportSlice};
use windtunnel_engine::{Duration, Time};
use windtunnel_tcp::{ConnectionId, Status, TcpHost, controller, settings};
use windtunnel_transports::tcp::TcpSettings;

use crate::line::{Choice, Line};

const OURS: [u8; 4] = [10, 0, 0, 2];
const PEERS: [u8; 4] = [10, 0, 0, 1];
const PORT: u16 = 7007;
const PEERS_PORT: u16 = 40_000;
/// The peer's SYN: its numbers wrap soon.
const PEERS_FIRST: u32 = u32::MAX - 1_500;

/// A byte of either stream by its place.
fn byte(place: u64) -> u8 {
    (place % 251) as u8
}

fn stream(place: u64, length: usize) -> Vec<u8> {
    (place..).take(length).map(byte).collect()
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

/// Runs a script with the settings that real connections have, and NewReno.
pub(crate) fn run(script: &str) {
    run_with(script, |_| {});
}

/// The same with other settings.
pub(crate) fn run_with(script: &str, change: impl Fn(&mut TcpSettings)) {
    let mut settings = settings(&controller("new-reno").unwrap(), 1500);
    settings.iter_mut().for_each(change);
    let secret = [0x0011_2233_4455_6677, 0x8899_aabb_ccdd_eeff];
    let mut runner = Runner {
        host: TcpHost::new(vec![OURS.into()], settings, secret),
        now: Time::ZERO,
        id: None,
        peer: SocketAddr::from((PEERS, PEERS_PORT)),
        own_port: PORT,
        first: None,
        clock: 0,
        sent: VecDeque::new(),
        written: 0,
        read: 0,
    };
    for (number, text) in (1..).zip(script.lines()) {
        let text = text.split('#').next().unwrap_or_default().trim();
        if let Some((time, what)) = text.split_once(char::is_whitespace) {
            let time = time.parse().unwrap_or_else(|_| panic!("line {number}: when?"));
            runner.step(at(time), what.trim(), &format!("line {number}, `{text}`"));
        }
    }
    assert_eq!(runner.sent, [], "was not expected at the end");
}

struct Runner {
    host: TcpHost,
    now: Time,
    id: Option<ConnectionId>,
    peer: SocketAddr,
    own_port: u16,
    /// The number of our SYN, once it was sent, and what was added to our clock.
    first: Option<u32>,
    clock: u32,
    /// What was sent and not expected yet.
    sent: VecDeque<(u64, Line)>,
    written: u64,
    read: u64,
}

impl Runner {
    fn step(&mut self, time: Time, what: &str, place: &str) {
        self.until(time, place);
        let (verb, rest) = what.split_once(char::is_whitespace).unwrap_or((what, ""));
        let amount = || rest.trim().parse::<usize>().unwrap_or_else(|_| panic!("{place}: number"));
        let own = SocketAddr::from((OURS, PORT));
        let now = self.now;
        match verb {
            "<" => self.inject(&Line::parse(rest)),
            ">" => {
                let next = self.sent.pop_front();
                let wanted = (time.as_nanos() / 1_000_000, Line::parse(rest));
                let is_met =
                    next.as_ref().is_some_and(|it| it.0 == wanted.0 && wanted.1.is_met_by(&it.1));
                assert!(is_met, "{place}: sent was {next:?}, then {:?}", self.sent);
                return;
            }
            "listen" => self.host.listen(own),
            "connect" => {
                self.peer.set_port(PORT);
                self.id = self.host.connect(now, self.peer);
            }
            "accept" => {
                self.id = self.host.accept(own);
                assert!(self.id.is_some(), "{place}: nothing to accept");
            }
            "write" => {
                let bytes = stream(self.written, amount());
                assert_eq!(self.host.write(now, self.id(), &bytes), bytes.len(), "{place}");
                self.written += bytes.len() as u64;
            }
            "read" => {
                let mut bytes = vec![0; 1 << 20];
                let count = self.host.read(now, self.id(), &mut bytes[..amount()]);
                assert_eq!(count, amount(), "{place}");
                assert_eq!(bytes[..count], stream(self.read, count), "{place}");
                self.read += count as u64;
            }
            "end" => assert!(self.host.is_at_end(self.id()), "{place}"),
            "close" => self.host.close(now, self.id()),
            "reset" => self.host.reset(now, self.id()),
            "forget" => self.host.forget(now, self.id()),
            "status" => {
                let wanted = match rest.trim() {
                    "opening" => Status::Opening,
                    "established" => Status::Established,
                    "closed" => Status::Closed,
                    "reset" => Status::Reset,
                    "timed-out" => Status::TimedOut,
                    other => panic!("{place}: status `{other}`"),
                };
                assert_eq!(self.host.status(self.id()), wanted, "{place}");
            }
            "idle" => assert!(self.host.is_idle(), "{place}"),
            other => panic!("{place}: `{other}`"),
        }
        self.collect();
    }

    fn id(&self) -> ConnectionId {
        self.id.expect("a connection")
    }

    fn until(&mut self, time: Time, place: &str) {
        assert!(self.now <= time, "{place}: scripts go forward");
        let mut wakes = 0;
        while let Some(wake) = self.host.next_wake().filter(|it| *it <= time) {
            self.now = self.now.max(wake);
            self.host.wake(self.now);
            self.collect();
            wakes += 1;
            assert!(wakes < 10_000, "{place}: wakes for ever");
        }
        self.now = time;
    }

    /// What the peer sends.
    fn inject(&mut self, line: &Line) {
        let has = |flag| line.flags.contains(flag);
        let first = self.first.unwrap_or_default();
        let header = TcpHeader {
            source_port: self.peer.port(),
            destination_port: self.own_port,
            sequence_number: PEERS_FIRST.wrapping_add(line.sequence),
            acknowledgment_number: line.acknowledgement.map_or(0, |it| first.wrapping_add(it)),
            syn: has('S'),
            fin: has('F'),
            rst: has('R'),
            psh: has('P'),
            urg: has('U'),
            urgent_pointer: u16::from(has('U')),
            ece: has('E'),
            cwr: has('W'),
            ack: has('.'),
            window_size: line.window.unwrap_or_default(),
            ..TcpHeader::default()
        };
        let options = line.options.as_deref().unwrap_or_default();
        let elements: Vec<_> = options.iter().map(|it| it.element(first, self.clock)).collect();
        let options = TcpOptions::try_from_elements(&elements).unwrap();
        let data = stream(u64::from(line.sequence.wrapping_sub(1)), line.length.into());
        let mut packet = Vec::new();
        PacketBuilder::ipv4(PEERS, OURS, 64)
            .tcp_header(TcpHeader { options, ..header })
            .write(&mut packet, &data)
            .unwrap();
        self.host.receive(self.now, &packet);
    }

    /// Takes what was sent.
    fn collect(&mut self) {
        let milliseconds = self.now.as_nanos() / 1_000_000;
        while let Some(packet) = self.host.take_packet() {
            let sliced = SlicedPacket::from_ip(&packet).unwrap();
            let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("no TCP") };
            assert_eq!(tcp.checksum(), tcp.calc_checksum_ipv4(OURS, PEERS).unwrap());
            assert_eq!(tcp.destination_port(), self.peer.port());
            if tcp.syn() {
                self.own_port = tcp.source_port();
                if self.first.replace(tcp.sequence_number()).is_none() {
                    // What its clock shows is the time of the script.
                    let shown = tcp.options_iterator().find_map(|it| match it {
                        Ok(etherparse::TcpOptionElement::Timestamp(it, _)) => Some(it),
                        _ => None,
                    });
                    self.clock = shown.map_or(0, |it| it.wrapping_sub(milliseconds as u32));
                }
            }
            let first = self.first.unwrap_or_default();
            let elements = tcp.options_iterator().map(|it| it.expect("a known option"));
            let options =
                elements.filter_map(|it| Choice::of(it, PEERS_FIRST, self.clock)).collect();
            let has = [
                (tcp.syn(), 'S'),
                (tcp.fin(), 'F'),
                (tcp.rst(), 'R'),
                (tcp.psh(), 'P'),
                (tcp.ece(), 'E'),
                (tcp.cwr(), 'W'),
                (tcp.ack(), '.'),
            ];
            let line = Line {
                flags: has.into_iter().filter(|it| it.0).map(|it| it.1).collect(),
                sequence: tcp.sequence_number().wrapping_sub(first),
                length: tcp.payload().len() as u16,
                acknowledgement: tcp
                    .ack()
                    .then(|| tcp.acknowledgment_number().wrapping_sub(PEERS_FIRST)),
                window: Some(tcp.window_size()),
                options: Some(options),
            };
            let place = u64::from(line.sequence.wrapping_sub(1));
            assert_eq!(tcp.payload(), stream(place, tcp.payload().len()), "the bytes of {line:?}");
            self.sent.push_back((milliseconds, line));
        }
    }
}
