//! Paths that carry smaller packets than their ends: RFC 1191 and RFC 8201 (reports of routers),
//! RFC 4821 and RFC 8899 (without them), RFC 5927 (forged reports).

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use etherparse::icmpv4::DestUnreachableHeader::FragmentationNeeded;
use etherparse::{Icmpv4Type, Icmpv6Type, PacketBuilder};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::decode_segment;
use windtunnel_tcp::{ConnectionId, Status, TcpHost, controller, settings};

const PORT: u16 = 7007;
const DELAY: Duration = Duration::from_millis(10);
const ENDS: [&str; 2] = ["10.9.0.1", "10.9.0.2"];
const ENDS_V6: [&str; 2] = ["fd00::1", "fd00::2"];

/// Two hosts with a router between them; the first sends.
struct Path {
    hosts: [TcpHost; 2],
    id: ConnectionId,
    served: Option<ConnectionId>,
    now: Time,
    /// Packets on their way, by when they arrive and at which host.
    packets: BTreeMap<(Time, u64), (usize, Vec<u8>)>,
    count: u64,
    /// How much the application has to send.
    unwritten: usize,
    /// The largest packet that the router passes on, and whether it reports others.
    mtu: usize,
    reports: bool,
    too_large: usize,
    /// How long the packets are that arrive with data, at most.
    longest: usize,
    delivered: u64,
}

impl Path {
    fn new(ends: [&str; 2], mtu: usize, reports: bool) -> Self {
        let ends: [IpAddr; 2] = ends.map(|it| it.parse().unwrap());
        let settings = settings(&controller("new-reno").unwrap(), 1500);
        let mut hosts = ends.map(|it| TcpHost::new(vec![it], settings.clone(), [3, 4]));
        let peer = SocketAddr::new(ends[1], PORT);
        hosts[1].listen(peer);
        let id = hosts[0].connect(Time::ZERO, peer).unwrap();
        let (packets, now) = (BTreeMap::new(), Time::ZERO);
        Self {
            hosts,
            id,
            served: None,
            now,
            packets,
            count: 0,
            unwritten: 5_000_000,
            mtu,
            reports,
            too_large: 0,
            longest: 0,
            delivered: 0,
        }
    }

    /// The connection lives until then.
    fn until(&mut self, end: Time) {
        let mut bytes = vec![0; 1 << 16];
        while self.now < end {
            let piece = self.unwritten.min(bytes.len());
            self.unwritten -= self.hosts[0].write(self.now, self.id, &bytes[..piece]);
            let peer = SocketAddr::new(self.destination(), PORT);
            self.served = self.served.or_else(|| self.hosts[1].accept(peer));
            if let Some(id) = self.served {
                while self.hosts[1].read(self.now, id, &mut bytes) > 0 {}
            }
            (0..2).for_each(|it| self.forward(it));
            self.step(end);
        }
        (0..2).for_each(|it| self.forward(it));
        let endpoint = self.hosts[0].endpoint(self.id).unwrap();
        self.delivered = endpoint.counters().acknowledged_bytes;
    }

    fn destination(&self) -> IpAddr {
        self.hosts[0].peer(self.id).unwrap().ip()
    }

    /// What a host sends leaves for the other, or is too large.
    fn forward(&mut self, from: usize) {
        while let Some(packet) = self.hosts[from].take_packet() {
            self.count += 1;
            if packet.len() <= self.mtu {
                self.longest = self.longest.max(packet.len());
                self.packets.insert((self.now + DELAY, self.count), (1 - from, packet));
            } else {
                self.too_large += 1;
                let report = report(&packet, self.mtu as u16);
                if self.reports {
                    self.packets.insert((self.now + DELAY, self.count), (from, report));
                }
            }
        }
    }

    /// The next thing happens.
    fn step(&mut self, end: Time) {
        let arrival = self.packets.first_key_value().map(|it| it.0.0);
        let wakes = self.hosts.iter().filter_map(TcpHost::next_wake);
        self.now = wakes.chain(arrival).fold(end, Time::min).max(self.now);
        self.hosts.iter_mut().for_each(|it| it.wake(self.now));
        while let Some(first) = self.packets.first_entry()
            && first.key().0 <= self.now
        {
            let (to, packet) = first.remove();
            self.hosts[to].receive(self.now, &packet);
        }
    }

    /// A packet of full size that is under way, after a while.
    fn full_packet(&mut self) -> Vec<u8> {
        loop {
            let mut packets = self.packets.values();
            if let Some((_, packet)) = packets.find(|it| it.1.len() == 1500) {
                return packet.clone();
            }
            self.until(self.now + Duration::from_millis(1));
        }
    }

    fn segment(&self) -> u16 {
        self.hosts[0].endpoint(self.id).unwrap().settings().maximum_segment
    }
}

/// What a router reports of a packet, as RFC 792 and RFC 4443 have it.
fn report(packet: &[u8], mtu: u16) -> Vec<u8> {
    quote(packet, mtu, decode_segment(packet).unwrap().addresses.source().ip())
}

fn quote(packet: &[u8], mtu: u16, to: IpAddr) -> Vec<u8> {
    let mut bytes = Vec::new();
    match to {
        IpAddr::V4(to) => PacketBuilder::ipv4([10, 9, 0, 254], to.octets(), 64)
            .icmpv4(Icmpv4Type::DestinationUnreachable(FragmentationNeeded { next_hop_mtu: mtu }))
            .write(&mut bytes, &packet[..28]),
        IpAddr::V6(to) => PacketBuilder::ipv6([0xfd; 16], to.octets(), 64)
            .icmpv6(Icmpv6Type::PacketTooBig { mtu: mtu.into() })
            .write(&mut bytes, &packet[..packet.len().min(1232)]),
    }
    .unwrap();
    bytes
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

#[test]
fn a_segment_becomes_as_small_as_a_router_says() {
    for (ends, headers) in [(ENDS, 52), (ENDS_V6, 72)] {
        let mut path = Path::new(ends, 1400, true);
        path.until(at(1));
        assert_eq!(path.segment(), 1400 - headers);
        assert!(path.delivered > 500_000, "{} bytes", path.delivered);
    }
}

/// RFC 4821, section 7.7; RFC 8899, section 4.3: several timeouts in a row.
#[test]
fn a_path_whose_routers_say_nothing_carries_smaller_segments_after_some_timeouts() {
    for (ends, headers) in [(ENDS, 52), (ENDS_V6, 72)] {
        let mut path = Path::new(ends, 1400, false);
        path.until(at(10));
        assert!(path.delivered > 1_000_000, "{} bytes", path.delivered);
        let least = 1400 - headers - 8;
        assert!((least..=1400 - headers).contains(&path.segment()), "{}", path.segment());
    }
}

/// IPv4 has no least size worth the name (RFC 791).
#[test]
fn a_path_for_small_packets_alone_is_found() {
    let mut path = Path::new(ENDS, 300, false);
    path.until(at(60));
    assert!(path.delivered > 100_000, "{} bytes", path.delivered);
}

/// RFC 4821, section 7.5: what is lost of a probe is no congestion. The timeouts are those by
/// which the small link is found.
#[test]
fn probes_that_are_too_large_do_not_lower_the_window() {
    let mut path = Path::new(ENDS, 1400, false);
    path.until(at(10));
    let counters = path.hosts[0].endpoint(path.id).unwrap().counters();
    assert_eq!((counters.decreases, counters.timeouts), (1, 4));
    // The initial window, a probe of the tail and four retransmissions came before.
    assert!(path.too_large > 10 + 1 + 4, "{} packets, of which some are probes", path.too_large);
}

/// RFC 1191, section 6.3; RFC 8201, section 4: not before ten minutes, for routes change.
#[test]
fn a_segment_becomes_larger_again_when_the_path_carries_it() {
    for reports in [false, true] {
        let mut path = Path::new(ENDS, 1400, reports);
        path.until(at(10));
        path.mtu = 1500;
        for (seconds, is_larger) in [(500, false), (650, true)] {
            path.until(at(seconds));
            path.unwritten = 5_000_000;
            path.until(at(seconds + 10));
            let sizes = (path.segment(), path.longest);
            assert_eq!(sizes == (1448, 1500), is_larger, "{sizes:?}, {seconds}, {reports}");
        }
    }
}

/// An outage is not a small link: once it is over, the segments are soon what they were.
#[test]
fn an_outage_does_not_leave_small_segments_behind() {
    let mut path = Path::new(ENDS, 1500, false);
    path.until(at(2));
    path.mtu = 0;
    path.until(at(12));
    path.mtu = 1500;
    path.until(at(60));
    assert_eq!(path.segment(), 1448);
}

/// RFC 5927, section 4.1: what it quotes must be in flight; section 7.2; RFC 8201, section 4.
#[test]
fn forged_reports_are_not_believed() {
    let mut path = Path::new(ENDS, 1500, false);
    path.unwritten = 100_000_000;
    path.until(Time::ZERO + Duration::from_millis(200));
    let in_flight = path.full_packet();
    let receive = |path: &mut Path, packet: &[u8], mtu| {
        let now = path.now;
        path.hosts[0].receive(now, &report(packet, mtu));
        path.segment()
    };
    for shift in [1 << 30, 1 << 31, 3 << 30_u32] {
        let mut other = in_flight.clone();
        let sequence = u32::from_be_bytes(other[24..28].try_into().unwrap());
        other[24..28].copy_from_slice(&sequence.wrapping_add(shift).to_be_bytes());
        assert_eq!(receive(&mut path, &with_checksum(other), 600), 1448, "not in flight");
    }
    for mtu in [0, 67, 1500, 9000] {
        assert_eq!(receive(&mut path, &in_flight, mtu), 1448, "not a size that it can be");
    }
    let mut spoiled = report(&in_flight, 600);
    spoiled[27] ^= 1;
    let now = path.now;
    path.hosts[0].receive(now, &spoiled);
    assert_eq!(path.segment(), 1448, "a wrong checksum");
    assert_eq!(receive(&mut path, &in_flight, 600), 548, "this is a report");
}

/// RFC 8201, section 4: all links of IPv6 carry 1280 bytes. And what fits was not dropped for its
/// size.
#[test]
fn reports_of_what_no_router_drops_are_not_believed() {
    let mut path = Path::new(ENDS_V6, 1500, false);
    path.unwritten = 100_000_000;
    path.until(Time::ZERO + Duration::from_millis(200));
    let in_flight = path.full_packet();
    let mut short = in_flight.clone();
    short[4..6].copy_from_slice(&100_u16.to_be_bytes());
    let reports = [(&in_flight, 1279, 1428), (&short, 1300, 1428), (&in_flight, 1280, 1208)];
    for (quoted, mtu, segment) in reports {
        let report = quote(quoted, mtu, "fd00::1".parse().unwrap());
        let now = path.now;
        path.hosts[0].receive(now, &report);
        assert_eq!(path.segment(), segment, "{mtu}");
    }
}

/// What was sent before segments had to become smaller has arrived after all, with the FIN: that
/// is not sent again, and known to be acknowledged.
#[test]
fn a_fin_that_came_before_the_report_is_acknowledged() {
    let mut path = Path::new(ENDS, 1500, false);
    path.unwritten = 1448;
    path.until(Time::ZERO + Duration::from_millis(100));
    // The ninth is acknowledged with the FIN.
    path.unwritten = 9 * 1448;
    path.until(Time::ZERO + Duration::from_millis(101));
    let now = path.now;
    path.hosts[0].close(now, path.id);
    path.hosts[1].close(now, path.served.unwrap());
    let last = path.full_packet();
    path.until(Time::ZERO + Duration::from_millis(112));
    // Of the acknowledgements only the last arrives; the window lets only a part go again.
    path.packets = path.packets.pop_last().into_iter().collect();
    let now = path.now;
    path.hosts[0].receive(now, &report(&last, 600));
    assert_eq!(path.segment(), 548, "the report is believed");
    path.until(at(2));
    assert_eq!(path.hosts.each_ref().map(|it| it.status(path.id)), [Status::Closed; 2]);
}

/// A segment whose checksum is that of its bytes.
fn with_checksum(mut packet: Vec<u8>) -> Vec<u8> {
    use etherparse::{Ipv4HeaderSlice, TcpSlice};
    let source = Ipv4HeaderSlice::from_slice(&packet).unwrap();
    let tcp = TcpSlice::from_slice(&packet[20..]).unwrap();
    let checksum = tcp.calc_checksum_ipv4(source.source(), source.destination()).unwrap();
    packet[36..38].copy_from_slice(&checksum.to_be_bytes());
    packet
}
