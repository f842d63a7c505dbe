//! The ends of a WireGuard tunnel (Donenfeld 2017): sizes, handshakes, and what waits.

use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_networks::function::{FunctionActions, LinkState, NetworkFunction};
use windtunnel_networks::tunnel::{ENTER, LEAVE, WireGuardEnd, WireGuardSettings};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route};

const IDLE: LinkState = LinkState { free_from: Time::ZERO, is_idle: true };
const SETTINGS: WireGuardSettings =
    WireGuardSettings { version: IpVersion::V4, mtu: 1420, crypto: None };

fn packet(network_size: u16) -> Packet {
    let datagram = Datagram {
        flow: 3,
        length: network_size - 28,
        sequence: 0,
        sent: Time::ZERO,
        dscp: Dscp::DEFAULT,
        path: 0,
        content: None,
    };
    let body = Body::Datagram(datagram);
    Packet { body, ecn: Ecn::Capable, network_size, hops: 0, route: Route(5) }
}

fn seconds(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

/// Both ends, and what goes between them without delay.
struct Bench {
    ends: [WireGuardEnd; 2],
    packets: PacketStore,
    now: Time,
    /// The sizes of all that was sent between the ends.
    sent: Vec<u32>,
    /// The sizes of what left at each end.
    left: [Vec<u32>; 2],
    /// Whether nothing gets from one end to the other.
    is_cut: bool,
}

impl Bench {
    fn new(settings: WireGuardSettings) -> Self {
        let ends = [[7, 8], [8, 7]].map(|nodes| WireGuardEnd::new(nodes, settings));
        let (packets, left) = (PacketStore::default(), [Vec::new(), Vec::new()]);
        Self { ends, packets, now: Time::ZERO, sent: Vec::new(), left, is_cut: false }
    }

    fn enter(&mut self, now: Time, end: usize, size: u16) {
        self.wait(now);
        let mut actions = FunctionActions::default();
        self.ends[end].receive(now, ENTER, packet(size), &mut self.packets, &mut actions);
        self.carry(end, actions);
    }

    /// Lets the time pass.
    fn wait(&mut self, until: Time) {
        loop {
            let wakes = [0, 1].map(|it| self.ends[it].next_wake(IDLE));
            let end = usize::from(wakes[1] < wakes[0]);
            if wakes[end] > until {
                break;
            }
            self.now = self.now.max(wakes[end]);
            let mut actions = FunctionActions::default();
            self.ends[end].wake(self.now, IDLE, &mut actions);
            self.carry(end, actions);
        }
        self.now = until;
    }

    fn carry(&mut self, from: usize, actions: FunctionActions) {
        self.left[from].extend(actions.forwarded.iter().map(Packet::size));
        for packet in actions.sent {
            self.sent.push(packet.size());
            if self.is_cut {
                self.packets.discard(&packet);
                continue;
            }
            let mut more = FunctionActions::default();
            let other = 1 - from;
            self.ends[other].receive(self.now, LEAVE, packet, &mut self.packets, &mut more);
            self.carry(other, more);
        }
    }
}

/// 20 + 8 + 148, and 20 + 8 + 92.
const HANDSHAKE: [u32; 2] = [176, 120];

#[test]
fn the_first_packet_waits_for_a_handshake_and_the_next_ones_do_not() {
    let mut bench = Bench::new(SETTINGS);
    bench.enter(seconds(1), 0, 1420);
    bench.enter(seconds(2), 1, 1420);
    assert_eq!(bench.sent, [HANDSHAKE[0], HANDSHAKE[1], 1480, 1480]);
    assert_eq!(bench.left, [[1420], [1420]]);
    assert!(bench.packets.is_empty());
}

/// Around packets of the MTU, 60 bytes over IPv4 and 80 over IPv6.
#[test]
fn packets_are_padded_to_sixteen_bytes_but_never_beyond_the_mtu() {
    for (version, headers) in [(IpVersion::V4, 60), (IpVersion::V6, 80)] {
        let mut bench = Bench::new(WireGuardSettings { version, ..SETTINGS });
        let sizes = [(40, 48), (48, 48), (1400, 1408), (1409, 1420), (1420, 1420)];
        for (size, padded) in sizes {
            bench.enter(seconds(1), 0, size);
            assert_eq!(bench.sent.last(), Some(&(padded + headers)), "{size}");
            assert_eq!(bench.left[1].last(), Some(&u32::from(size)));
        }
    }
}

#[test]
fn what_is_larger_than_the_mtu_is_dropped() {
    let mut bench = Bench::new(SETTINGS);
    bench.enter(seconds(1), 0, 1421);
    assert_eq!((bench.ends[0].counters().too_large, bench.sent.len()), (1, 0));
}

#[test]
fn the_end_that_began_a_session_renews_it_when_it_sends_after_120_seconds() {
    let mut bench = Bench::new(SETTINGS);
    for (second, end, handshakes) in [(0, 0, 1), (119, 0, 1), (121, 1, 1), (121, 0, 2), (200, 1, 2)]
    {
        bench.enter(seconds(second), end, 100);
        let begun: u64 = bench.ends.iter().map(|it| it.counters().handshakes).sum();
        assert_eq!(begun, handshakes, "{second} s");
    }
    // Nothing has waited for it.
    assert_eq!((bench.left[0].len(), bench.left[1].len()), (2, 3));
}

#[test]
fn nothing_is_sent_in_a_session_of_180_seconds() {
    let mut bench = Bench::new(SETTINGS);
    bench.enter(seconds(0), 0, 100);
    bench.is_cut = true;
    bench.sent.clear();
    bench.enter(seconds(179), 1, 100);
    assert_eq!(bench.sent, [112 + 60]);
    bench.sent.clear();
    bench.enter(seconds(181), 1, 100);
    assert_eq!(bench.sent, HANDSHAKE[..1]);
    bench.is_cut = false;
    bench.wait(seconds(187));
    assert_eq!(bench.left[0].len(), 1, "it has waited for the handshake");
}

#[test]
fn a_handshake_without_an_answer_is_tried_again_every_five_seconds() {
    let mut bench = Bench::new(SETTINGS);
    bench.is_cut = true;
    bench.enter(seconds(0), 0, 100);
    bench.wait(seconds(14));
    assert_eq!(bench.sent, [HANDSHAKE[0]; 3]);
    bench.is_cut = false;
    bench.wait(seconds(16));
    assert_eq!(bench.left[1], [100]);
}

#[test]
fn of_more_than_128_packets_that_wait_for_a_session_the_oldest_go() {
    let mut bench = Bench::new(SETTINGS);
    bench.is_cut = true;
    (0..130).for_each(|it| bench.enter(seconds(0), 0, 100 + it));
    assert_eq!(bench.ends[0].counters().dropped, 2);
    bench.is_cut = false;
    bench.wait(seconds(6));
    let expected: Vec<u32> = (102..230).collect();
    assert_eq!(bench.left[1], expected);
    assert!(bench.packets.is_empty());
}

/// Both begin at once; their messages cross.
#[test]
fn ends_that_begin_at_once_come_to_a_session() {
    let mut bench = Bench::new(SETTINGS);
    let mut begin = |end: usize| {
        let mut actions = FunctionActions::default();
        bench.ends[end].receive(seconds(1), ENTER, packet(100), &mut bench.packets, &mut actions);
        actions
    };
    let both = [0, 1].map(&mut begin);
    bench.now = seconds(1);
    both.into_iter().enumerate().for_each(|(end, actions)| bench.carry(end, actions));
    assert_eq!(bench.left, [[100], [100]]);
    bench.enter(seconds(2), 0, 200);
    bench.enter(seconds(2), 1, 200);
    assert_eq!(bench.left, [[100, 200], [100, 200]]);
}

/// 1408 bytes take 1.1264 ms at 10 Mbps; of three at once the last waits for two others.
#[test]
fn a_core_encrypts_and_decrypts_at_its_rate_one_packet_after_another() {
    let crypto = Rate::from_bits_per_second(10_000_000);
    let mut bench = Bench::new(WireGuardSettings { crypto, ..SETTINGS });
    bench.enter(seconds(1), 0, 32);
    bench.wait(seconds(2));
    bench.left[1].clear();
    (0..3).for_each(|_| bench.enter(seconds(2), 0, 1408));
    let one = Duration::from_nanos(1_126_400);
    // The second end decrypts while the first encrypts the next.
    for (packets, times) in [(0, 1), (1, 2), (2, 3), (3, 4)] {
        bench.wait(seconds(2) + one * times);
        assert_eq!(bench.left[1].len(), packets, "after {times} times");
    }
}

#[test]
fn a_core_that_is_too_slow_drops_what_finds_1024_packets_before_it() {
    let crypto = Rate::from_bits_per_second(1_000_000);
    let mut bench = Bench::new(WireGuardSettings { crypto, ..SETTINGS });
    bench.enter(seconds(1), 0, 32);
    bench.wait(seconds(2));
    (0..1030).for_each(|_| bench.enter(seconds(2), 0, 1408));
    assert_eq!(bench.ends[0].counters().dropped, 6);
    bench.wait(seconds(60));
    assert_eq!((bench.left[1].len(), bench.packets.len()), (1025, 0));
}

/// RFC 6040, figure 4.
#[test]
fn a_mark_from_within_the_tunnel_is_carried_out_or_its_packet_is_dropped() {
    for (inner, expected) in [(Ecn::Capable, [1, 0]), (Ecn::NotCapable, [0, 1])] {
        let mut bench = Bench::new(SETTINGS);
        bench.enter(seconds(1), 0, 32);
        let mut actions = FunctionActions::default();
        let inside = Packet { ecn: inner, ..packet(100) };
        bench.ends[0].receive(seconds(1), ENTER, inside, &mut bench.packets, &mut actions);
        assert_eq!(actions.sent[0].ecn, inner);
        actions.sent[0].ecn = Ecn::Congestion;
        bench.carry(0, actions);
        let counters = bench.ends[1].counters();
        assert_eq!([counters.marks, counters.unmarkable], expected, "{inner:?}");
    }
}
