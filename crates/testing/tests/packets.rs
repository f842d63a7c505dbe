//! Stacks that send whole IP packets: what the network reads of their headers, and what it refuses.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use etherparse::{IpEcn, IpHeaders, IpSlice, Ipv4Header, Ipv6Header};
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, MakeStack, Place, Read, Role, Stack, State, StreamStack, Unit,
};
use windtunnel_testing::{Network, Outcome};

/// The number for experiments (RFC 3692).
const PROTOCOL: u8 = 253;
const HOPS: u8 = 17;

/// What is wrong with the packets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    ComesFromElsewhere,
    GoesElsewhere,
    IsCut,
    IsTooLong,
    IsNoPacket,
}

/// Its client sends as many packets of 1000 B of data as are written, at once and ECN-capable, and
/// the server counts what arrives.
#[derive(Clone, Debug)]
struct Packets(Fault);

impl MakeStack for Packets {
    fn name(&self) -> &'static str {
        "packets"
    }

    fn unit(&self) -> Unit {
        Unit::IpPacket
    }

    fn largest_datagram(&self) -> u16 {
        1040
    }

    fn make(&self, _now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        Ok(Box::new(End { fault: self.0, place, written: 0, received: 0, read: 0, event: None }))
    }
}

#[derive(Debug)]
struct End {
    fault: Fault,
    place: Place,
    written: u64,
    received: u64,
    read: u64,
    event: Option<Event>,
}

impl End {
    fn packet(&self) -> Vec<u8> {
        let Place { own, peer, .. } = self.place;
        let elsewhere = |it: SocketAddr| match it.ip() {
            IpAddr::V4(_) => "192.0.2.1".parse().unwrap(),
            IpAddr::V6(_) => "2001:db8::1".parse().unwrap(),
        };
        let from = if self.fault == Fault::ComesFromElsewhere { elsewhere(own) } else { own.ip() };
        let to = if self.fault == Fault::GoesElsewhere { elsewhere(peer) } else { peer.ip() };
        let headers = match (from, to) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let mut header =
                    Ipv4Header::new(1000, HOPS, PROTOCOL.into(), from.octets(), to.octets())
                        .unwrap();
                header.ecn = IpEcn::TWO;
                header.header_checksum = header.calc_header_checksum();
                IpHeaders::Ipv4(header, Default::default())
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let mut header = Ipv6Header {
                    payload_length: 1000,
                    next_header: PROTOCOL.into(),
                    hop_limit: HOPS,
                    source: from.octets(),
                    destination: to.octets(),
                    ..Ipv6Header::default()
                };
                header.set_ecn(IpEcn::TWO);
                IpHeaders::Ipv6(header, Default::default())
            }
            _ => unreachable!("both ends have addresses of one version"),
        };
        let mut bytes = Vec::new();
        headers.write(&mut bytes).unwrap();
        let length = bytes.len() + 1000;
        bytes.resize(length, 7);
        match self.fault {
            Fault::IsCut => bytes.truncate(length - 1),
            Fault::IsTooLong => bytes.push(0),
            Fault::IsNoPacket => bytes = vec![0; 9],
            _ => {}
        }
        bytes
    }
}

impl Stack for End {
    fn receive(&mut self, _now: Duration, datagrams: &[Datagram<'_>]) {
        for datagram in datagrams {
            let ip = IpSlice::from_slice(datagram.bytes).unwrap();
            assert_eq!(
                (ip.source_addr(), ip.destination_addr()),
                (self.place.peer.ip(), self.place.own.ip())
            );
            let (ecn, dscp, hops) = match &ip {
                IpSlice::Ipv4(it) => {
                    let header = it.header().to_header();
                    assert_eq!(header.header_checksum, header.calc_header_checksum());
                    (header.ecn, header.dscp, header.time_to_live)
                }
                IpSlice::Ipv6(it) => {
                    (it.header().ecn(), it.header().dscp(), it.header().hop_limit())
                }
            };
            let expected = match datagram.ecn {
                Ecn::Capable0 => IpEcn::TWO,
                Ecn::Congestion => IpEcn::THREE,
                _ => panic!("nobody clears the field"),
            };
            assert_eq!((ecn, dscp.value(), hops), (expected, 46, HOPS));
            assert_eq!(ip.payload().payload, [7; 1000]);
            self.received += 1000;
        }
        self.event = Some(if self.read == 0 { Event::Opened(0) } else { Event::Readable(0) });
    }

    fn wake(&mut self, _now: Duration) {}

    fn send(&mut self, _now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        self.written = self.written.checked_sub(1000)?;
        *buffer = self.packet();
        Some(Departure {
            from: None,
            to: self.place.own,
            ecn: Ecn::NotCapable,
            segment: buffer.len(),
        })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        None
    }

    fn state(&self) -> State {
        State::default()
    }
}

impl StreamStack for End {
    fn open(&mut self, _now: Duration) -> Option<u64> {
        (self.place.role == Role::Client).then_some(0)
    }

    fn write(&mut self, _now: Duration, _stream: u64, bytes: u64) -> u64 {
        self.written += bytes;
        bytes
    }

    fn finish(&mut self, _now: Duration, _stream: u64) {}

    fn read(&mut self, _now: Duration, _stream: u64) -> Read {
        let bytes = self.received - std::mem::replace(&mut self.read, self.received);
        Read { bytes, is_end: false }
    }

    fn next_event(&mut self) -> Option<Event> {
        let event = self.event.take()?;
        if event == Event::Opened(0) {
            self.event = Some(Event::Readable(0));
        }
        Some(event)
    }
}

fn network(ip: &str) -> Network {
    Network::scenario(&format!(
        r#"
        duration = "2 s"
        nodes = {{ sender = {{}}, router = {{}}, receiver = {{}} }}
        links.access = {{ nodes = ["sender", "router"], rate = "1 Gbps", delay = "5 ms" }}
        links.link = {{ nodes = ["router", "receiver"], rate = "8 Mbps", delay = "5 ms", overhead = "0 B" }}
        flows.test = {{ from = "sender", to = "receiver", protocol = "quic", ip = "{ip}", dscp = "EF" }}
        "#
    ))
}

fn transfer(ip: &str, fault: Fault, packets: u64) -> Outcome {
    let queue =
        r#"{ kind = "codel", limit = "200 packets", target = "1 s", ce_threshold = "10 ms" }"#;
    network(ip).with("queue", queue).transfer(Packets(fault), 1000 * packets)
}

/// 100 packets of 1020 B, or 1040 B over IPv6, wait at a link of 8 Mbps, which marks what has waited
/// for more than 10 ms: about 90 of them.
#[test]
fn packets_of_both_versions_arrive_as_they_were_sent_but_for_marks_and_class() {
    for (ip, size) in [("v4", 1020.0), ("v6", 1040.0)] {
        let outcome = transfer(ip, Fault::None, 100);
        assert_eq!((outcome.received_bytes, outcome.failure()), (100_000, None), "{ip}");
        let waited = (1..100).filter(|it| f64::from(*it) * size * 1e-6 > 10e-3).count() as u64;
        assert!(outcome.ends[1].counters.marks.abs_diff(waited) <= 1, "{ip}: {outcome:?}");
    }
}

#[test]
fn a_packet_that_is_not_one_of_the_flow_ends_it_and_is_described() {
    for (fault, said) in [
        (
            Fault::ComesFromElsewhere,
            [
                "it sends a packet from 192.0.2.1, and is at 10.0.0.1",
                "it sends a packet from 2001:db8::1, and is at fd00::1",
            ],
        ),
        (
            Fault::GoesElsewhere,
            [
                "it sends a packet to 192.0.2.1, and its peer is at 10.0.0.3",
                "it sends a packet to 2001:db8::1, and its peer is at fd00::3",
            ],
        ),
        (
            Fault::IsCut,
            [
                "it sends 1019 B that are not one IP packet with its headers",
                "it sends 1039 B that are not one IP packet with its headers",
            ],
        ),
        (
            Fault::IsTooLong,
            [
                "it sends 1021 B that are not one IP packet with its headers",
                "it sends 1041 B that are not one IP packet with its headers",
            ],
        ),
        (Fault::IsNoPacket, ["it sends 9 B that are not one IP packet with its headers"; 2]),
    ] {
        for (ip, said) in ["v4", "v6"].into_iter().zip(said) {
            let outcome = transfer(ip, fault, 3);
            assert_eq!(outcome.failure(), Some(said), "{fault:?} over {ip}");
            assert_eq!(outcome.received_bytes, 0);
        }
    }
}

/// The k-th packet leaves the sender's processor after k times its cost, and the receiver's
/// processor has read it once more as long after it has arrived.
#[test]
fn a_processor_takes_its_time_for_each_packet() {
    let on_the_way = 10e-3 + (1020.0 + 38.0) * 8e-9 + 1020.0 * 1e-6;
    for milliseconds in [15.5, 31.4, 60.3, 99.2] {
        let network = network("v4")
            .set("flows.test.quic", "{ cost = \"2 ms\" }")
            .duration(&format!("{milliseconds} ms"));
        let outcome = network.transfer(Packets(Fault::None), 100_000);
        let expected = (milliseconds * 1e-3 - on_the_way - 2e-3) / 2e-3;
        assert_eq!(outcome.received_bytes, 1000 * expected as u64, "until {milliseconds} ms");
    }
}
