//! Whatever comes: nothing panics, nothing grows without bounds, and data arrive as they were
//! sent.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use proptest::prelude::*;
use windtunnel_engine::{Duration, Random, Streams, Time};
use windtunnel_packets::Ecn;
use windtunnel_packets::ip::{Addresses, decode_segment, encode_segment_with};
use windtunnel_packets::tcp::{Flags, SackBlock, Segment, SynOptions};
use windtunnel_tcp::{ConnectionId, Status, TcpHost, controller, settings};
use windtunnel_transports::tcp::Recovery;

const PORT: u16 = 7007;
/// More than any connection may take in these tests.
const LONGEST: Duration = Duration::from_secs(600);
const BUFFER: u64 = 20_000;
/// More turns than anything takes that happens at one instant.
const MOST_TURNS: usize = 1000;
/// More packets than a host has to send at one instant.
const MOST_PACKETS: usize = 1000;

/// How one end is.
#[derive(Clone, Copy, Debug)]
struct Nature {
    secret: [u64; 2],
    timestamps: bool,
    recovery: Recovery,
    largest_packet: u16,
    bytes: u32,
}

fn any_nature() -> impl Strategy<Value = Nature> {
    let recovery = prop_oneof![Just(Recovery::Rack), Just(Recovery::Sack), Just(Recovery::NewReno)];
    let sizes = (200_u16..=1500, 0_u32..60_000);
    (any::<[u64; 2]>(), any::<bool>(), recovery, sizes).prop_map(
        |(secret, timestamps, recovery, (largest_packet, bytes))| Nature {
            secret,
            timestamps,
            recovery,
            largest_packet,
            bytes,
        },
    )
}

fn host(address: IpAddr, it: Nature) -> TcpHost {
    let mut settings = settings(&controller("cubic").unwrap(), it.largest_packet);
    for settings in &mut settings {
        settings.timestamps = it.timestamps;
        settings.recovery = it.recovery;
        settings.buffers.receive = Some(BUFFER);
        settings.buffers.send = BUFFER;
    }
    TcpHost::new(vec![address], settings, it.secret)
}

/// One end and what it has to do.
struct End {
    host: TcpHost,
    id: Option<ConnectionId>,
    sends: Vec<u8>,
    written: usize,
    received: Vec<u8>,
    is_closed: bool,
}

impl End {
    fn act(&mut self, now: Time, own: SocketAddr, random: &mut Random) {
        self.id = self.id.or_else(|| self.host.accept(own));
        let Some(id) = self.id else { return };
        // Applications are slow at times.
        if random.happens(0.5) {
            self.written += self.host.write(now, id, &self.sends[self.written..]);
        }
        let mut buffer = [0; 3000];
        if random.happens(0.5) {
            let count = self.host.read(now, id, &mut buffer);
            self.received.extend(&buffer[..count]);
        }
        if self.written == self.sends.len() && !self.is_closed {
            self.is_closed = true;
            self.host.close(now, id);
        }
        assert!(self.host.unacknowledged(id) <= BUFFER);
    }

    fn is_done(&self) -> bool {
        let Some(id) = self.id else { return false };
        self.host.status(id) == Status::Closed && self.host.is_at_end(id)
    }
}

fn addresses(is_v6: bool) -> [IpAddr; 2] {
    let number = |it| -> IpAddr {
        if is_v6 { [0xfd00, 0, 0, 0, 0, 0, 0, it].into() } else { [10, 0, 0, it as u8].into() }
    };
    [1, 2].map(number)
}

/// Lets two hosts exchange what they have through a network that loses, repeats, delays and
/// spoils packets so often.
fn meet(natures: [Nature; 2], is_v6: bool, trouble: f64, seed: u64) {
    let random = &mut Streams::new(seed, 0).stream("network");
    let addresses = addresses(is_v6);
    let own = addresses.map(|it| SocketAddr::new(it, PORT));
    let mut ends = [0, 1].map(|it| {
        let sends = (0..natures[it].bytes).map(|at| (at * 7 % 251) as u8 ^ it as u8).collect();
        let host = host(addresses[it], natures[it]);
        End { host, id: None, sends, written: 0, received: Vec::new(), is_closed: false }
    });
    let mut now = Time::ZERO;
    ends[1].host.listen(own[1]);
    ends[0].id = ends[0].host.connect(now, own[1]);
    let mut travelling: BTreeMap<(Time, u64), (usize, Vec<u8>)> = BTreeMap::new();
    let mut count = 0;
    let mut turns_of_an_instant = 0;
    while !ends.iter().all(End::is_done) {
        let states = ends.each_ref().map(|it| it.id.map(|id| it.host.status(id)));
        assert!(now.since(Time::ZERO) < LONGEST, "{states:?}");
        for side in [0, 1] {
            ends[side].act(now, own[side], random);
            let packets: Vec<_> = packets(&mut ends[side].host).take(MOST_PACKETS).collect();
            assert!(packets.len() < MOST_PACKETS, "sends for ever at {now:?}: {states:?}");
            for packet in packets {
                let copies = if random.happens(trouble) { 2 } else { 1 };
                for _ in 0..copies {
                    let mut packet = packet.clone();
                    if random.happens(trouble) {
                        let place = random.bits() as usize % packet.len();
                        packet[place] ^= 1 << (random.bits() % 8);
                    }
                    let late = if random.happens(trouble) { random.bits() % 60 } else { 0 };
                    if !random.happens(trouble) {
                        count += 1;
                        let arrives = now + Duration::from_millis(u64::from(10 + late));
                        travelling.insert((arrives, count), (1 - side, packet));
                    }
                }
            }
        }
        let wakes = ends.iter().filter_map(|it| it.host.next_wake());
        let arrives = travelling.keys().next().map(|it| it.0);
        // Applications have a turn every 50 ms.
        let turn = now + Duration::from_millis(50);
        let next = wakes.chain(arrives).min().unwrap_or(turn).min(turn).max(now);
        turns_of_an_instant = if next > now { 0 } else { turns_of_an_instant + 1 };
        assert!(turns_of_an_instant < MOST_TURNS, "time stands still at {now:?}: {states:?}");
        now = next;
        while let Some(first) = travelling.first_entry().filter(|it| it.key().0 <= now) {
            let (side, packet) = first.remove();
            ends[side].host.receive(now, &packet);
        }
        ends.iter_mut().for_each(|it| it.host.wake(now));
    }
    assert!(ends[0].received == ends[1].sends, "what the first received");
    assert!(ends[1].received == ends[0].sends, "what the second received");
}

/// A host with an established connection to a peer that sends what it wants, and the numbers
/// of the two SYNs.
fn attacked(nature: Nature) -> (TcpHost, ConnectionId, Addresses, [u32; 2]) {
    const PEERS_FIRST: u32 = u32::MAX - 5_000;
    let [peer, own] = addresses(false);
    let mut it = host(own, nature);
    let own = SocketAddr::new(own, PORT);
    it.listen(own);
    let addresses = Addresses::between(SocketAddr::new(peer, 4000), own).unwrap();
    let mut syn = Segment::new(0, PEERS_FIRST, Flags::SYN.with(Flags::TIMESTAMPS));
    syn.set_syn_options(SynOptions {
        maximum_segment: 1460,
        window_scale: Some(7),
        sack_permitted: true,
    });
    it.receive(Time::ZERO, &encode_segment_with(&syn, Ecn::NotCapable, &addresses, &[]));
    let answer = it.take_packet().unwrap();
    let first = decode_segment(&answer).unwrap().segment;
    let mut last = Segment::new(0, PEERS_FIRST.wrapping_add(1), Flags::ACK);
    last.acknowledgement = first.sequence.wrapping_add(1);
    last.window = 1000;
    it.receive(Time::ZERO, &encode_segment_with(&last, Ecn::NotCapable, &addresses, &[]));
    let id = it.accept(own).unwrap();
    (it, id, addresses, [first.sequence, PEERS_FIRST])
}

/// What the host has to send.
fn packets(host: &mut TcpHost) -> impl Iterator<Item = Vec<u8>> {
    std::iter::from_fn(|| host.take_packet())
}

/// How many packets the host has to send; they are lost.
fn taken(host: &mut TcpHost) -> usize {
    packets(host).count()
}

/// A segment with numbers near those that are valid, and a checksum that is.
#[derive(Clone, Debug)]
struct Forged {
    flags: u16,
    numbers: [u32; 2],
    clocks: [u32; 2],
    blocks: Vec<(u32, u32)>,
    window: u16,
    length: usize,
    has_timestamps: bool,
}

fn any_forged() -> impl Strategy<Value = Forged> {
    let number = || {
        prop_oneof![
            4 => 0_u32..4000,
            2 => (0_u32..60_000).prop_map(u32::wrapping_neg),
            1 => any::<u32>(),
        ]
    };
    let numbers = [number(), number()];
    let blocks = prop::collection::vec((number(), number()), 0..4);
    let flags = prop_oneof![4 => Just(0b1_0000_u16), 2 => Just(0b1_0001), 1 => 0_u16..0x200];
    let clocks = [number(), number()];
    let rest = (any::<u16>(), 0_usize..1500, any::<bool>());
    (flags, numbers, clocks, blocks, rest).prop_map(
        |(flags, numbers, clocks, blocks, (window, length, has_timestamps))| Forged {
            flags,
            numbers,
            clocks,
            blocks,
            window,
            length,
            has_timestamps,
        },
    )
}

impl Forged {
    fn packet(&self, addresses: &Addresses, [own, peers]: [u32; 2]) -> Vec<u8> {
        const FLAGS: [Flags; 8] = [
            Flags::FIN,
            Flags::SYN,
            Flags::RST,
            Flags::PSH,
            Flags::ACK,
            Flags::ECE,
            Flags::CWR,
            Flags::AE,
        ];
        let set = (0..).zip(FLAGS).filter(|(bit, _)| self.flags >> bit & 1 == 1);
        let flags = set.fold(Flags::default(), |all, (_, it)| all.with(it));
        let flags = flags.with_if(Flags::TIMESTAMPS, self.has_timestamps);
        let mut segment = Segment::new(0, peers.wrapping_add(self.numbers[0]), flags);
        segment.acknowledgement = own.wrapping_add(self.numbers[1]);
        [segment.timestamp, segment.echo] = self.clocks;
        segment.window = self.window;
        if !flags.has(Flags::SYN) {
            for (start, end) in self.blocks.iter().filter(|it| it.0 != it.1) {
                let [start, end] = [start, end].map(|it| own.wrapping_add(*it));
                segment.add_sack_block(SackBlock { start, end });
            }
        }
        encode_segment_with(&segment, Ecn::Congestion, addresses, &vec![7; self.length])
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn data_arrive_as_they_were_sent_whatever_the_network_does(
        natures in [any_nature(), any_nature()],
        is_v6 in any::<bool>(),
        trouble in 0.0..0.05,
        seed in any::<u64>(),
    ) {
        meet(natures, is_v6, trouble, seed);
    }

    #[test]
    fn bytes_without_meaning_do_no_harm(
        nature in any_nature(),
        packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..120), 1..20),
    ) {
        let (mut host, id, _, _) = attacked(nature);
        for mut packet in packets {
            host.receive(Time::ZERO, &packet);
            // As IPv4 and as IPv6.
            if let Some(first) = packet.first_mut() {
                *first = 0x45;
            }
            host.receive(Time::ZERO, &packet);
            if let Some(first) = packet.first_mut() {
                *first = 0x60;
            }
            host.receive(Time::ZERO, &packet);
        }
        prop_assert_eq!(host.status(id), Status::Established);
    }

    /// From one who knows the numbers: a connection may break, nothing else.
    #[test]
    fn forged_segments_break_at_most_their_own_connection(
        nature in any_nature(),
        segments in prop::collection::vec((any_forged(), 0_u64..400, any::<bool>()), 1..60),
    ) {
        let (mut host, id, addresses, firsts) = attacked(nature);
        let mut now = Time::ZERO;
        for (it, milliseconds, reads) in segments {
            let mut last = now;
            now += Duration::from_millis(milliseconds);
            let mut wakes = 0;
            while let Some(wake) = host.next_wake().filter(|it| *it <= now) {
                // What is overdue is done now: time does not run backwards.
                last = wake.max(last);
                host.wake(last);
                wakes += 1;
                prop_assert!(wakes < 1000, "wakes for ever");
            }
            host.write(now, id, &[1; 2000]);
            let before = taken(&mut host);
            host.receive(now, &it.packet(&addresses, firsts));
            let sent = taken(&mut host);
            prop_assert!(before < 400 && sent < 400, "{before} and {sent} packets");
            if reads {
                let mut buffer = vec![0; 70_000];
                prop_assert!(host.read(now, id, &mut buffer) as u64 <= BUFFER);
            }
            prop_assert!(host.unacknowledged(id) <= BUFFER);
        }
    }
}
