//! Segments that come from a network are what was sent, or an error.

use std::net::SocketAddr;

use etherparse::{PacketBuilder, TcpHeader, TcpOptions};
use proptest::prelude::*;
use windtunnel_packets::Ecn;
use windtunnel_packets::ip::{
    Addresses, MalformedSegment, ReceivedSegment, decode_segment, encode_segment_with, encode_udp,
};
use windtunnel_packets::tcp::{ByteCounters, Flags, SackBlock, Segment, SynOptions};

fn addresses(is_v6: bool) -> Addresses {
    let [source, destination]: [SocketAddr; 2] = if is_v6 {
        ["[fd00::1]:40000", "[fd00::2]:80"].map(|it| it.parse().unwrap())
    } else {
        ["10.0.0.1:40000", "10.0.0.2:80"].map(|it| it.parse().unwrap())
    };
    Addresses::between(source, destination).unwrap()
}

prop_compose! {
    fn any_segment()(
        bits in 0_u16..0x200,
        has_timestamps in any::<bool>(),
        numbers in any::<[u32; 4]>(),
        window in any::<u16>(),
        blocks in prop::collection::vec((any::<u32>(), 1..100_000_u32), 0..4),
        offered in (any::<u16>(), prop::option::of(0..=14_u8), any::<bool>()),
        counters in prop::option::of(any::<[u16; 2]>()),
    ) -> Segment {
        let wire = [
            Flags::FIN, Flags::SYN, Flags::RST, Flags::PSH, Flags::ACK, Flags::default(),
            Flags::ECE, Flags::CWR, Flags::AE,
        ];
        let set = (0..).zip(wire).filter(|(bit, _)| bits >> bit & 1 == 1);
        let flags = set.fold(Flags::default(), |all, (_, it)| all.with(it));
        let flags = flags.with_if(Flags::TIMESTAMPS, has_timestamps);
        let mut segment = Segment::new(0, numbers[0], flags);
        [_, segment.acknowledgement, segment.timestamp, segment.echo] = numbers;
        if !has_timestamps {
            (segment.timestamp, segment.echo) = (0, 0);
        }
        segment.window = window;
        if flags.has(Flags::SYN) {
            let (maximum_segment, window_scale, sack_permitted) = offered;
            segment.set_syn_options(SynOptions { maximum_segment, window_scale, sack_permitted });
            return segment;
        }
        if let Some([capable, congestion]) = counters.map(|it| it.map(u32::from)) {
            segment.set_byte_counters(ByteCounters::Capable { capable, congestion });
        }
        for (start, length) in blocks {
            segment.add_sack_block(SackBlock { start, end: start.wrapping_add(length) });
        }
        segment
    }
}

proptest! {
    #[test]
    fn what_was_sent_is_received(
        segment in any_segment(),
        data in prop::collection::vec(any::<u8>(), 0..1400),
        is_v6 in any::<bool>(),
    ) {
        let addresses = addresses(is_v6);
        // That of a SYN is not taken.
        let data = if segment.flags.has(Flags::SYN) { &[] } else { &data[..] };
        let mut segment = segment;
        segment.length = data.len() as u16;
        let bytes = encode_segment_with(&segment, Ecn::Capable, &addresses, data);
        let expected = ReceivedSegment { segment, addresses, ecn: Ecn::Capable, data };
        prop_assert_eq!(decode_segment(&bytes), Ok(expected));
    }

    #[test]
    fn bits_that_changed_and_bytes_that_are_missing_are_found(
        segment in any_segment(), is_v6 in any::<bool>(), place in any::<usize>(), bit in 0..8,
    ) {
        let whole = encode_segment_with(&segment, Ecn::Capable, &addresses(is_v6), &[]);
        prop_assert!(decode_segment(&whole[..place % whole.len()]).is_err());
        let mut changed = whole.clone();
        let place = place % whole.len();
        changed[place] ^= 1_u8 << bit;
        // IPv6 has no checksum of its own header: class, flow label and hop limit may change.
        let is_covered = !is_v6 || !matches!(place, 0..4 | 7);
        prop_assert!(!is_covered || decode_segment(&changed).is_err());
    }

    #[test]
    fn options_of_any_bytes_do_no_harm(options in prop::collection::vec(any::<u8>(), 0..=40)) {
        let options = TcpOptions::try_from_slice(&options).unwrap();
        for syn in [false, true] {
            let header = TcpHeader { syn, ack: true, options: options.clone(), ..header() };
            prop_assert!(decode_segment(&packet(header, b"")).is_ok());
        }
    }
}

fn header() -> TcpHeader {
    TcpHeader { source_port: 40_000, destination_port: 80, ..TcpHeader::default() }
}

fn packet(header: TcpHeader, data: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp_header(header);
    builder.write(&mut packet, data).unwrap();
    packet
}

/// The reserved bit of IPv4's header is within its checksum (RFC 791, section 3.1).
#[test]
fn a_reserved_bit_that_changed_is_found() {
    let whole = packet(TcpHeader { ack: true, ..header() }, b"");
    assert!(decode_segment(&whole).is_ok());
    let mut changed = whole;
    changed[6] ^= 0x80;
    assert_eq!(decode_segment(&changed), Err(MalformedSegment::Checksum));
}

/// Only a jumbogram has no length in its header (RFC 2675).
#[test]
fn an_ipv6_packet_without_a_length_is_none() {
    let mut segment = Vec::new();
    let builder = PacketBuilder::ipv6([1; 16], [2; 16], 64);
    let header = TcpHeader { ack: true, ..header() };
    builder.tcp_header(header).write(&mut segment, b"").unwrap();
    assert!(decode_segment(&segment).is_ok());
    segment[4..6].fill(0);
    assert_eq!(decode_segment(&segment), Err(MalformedSegment::Packet));
}

/// RFC 1071, section 2: zero has two forms, and Linux sends the one that UDP needs.
#[test]
fn a_checksum_of_zero_may_have_either_form() {
    let place = 20 + 16;
    let zero = (0..=u16::MAX)
        .map(|it| packet(TcpHeader { ack: true, window_size: it, ..header() }, b""))
        .find(|it| it[place..place + 2] == [0, 0]);
    let mut bytes = zero.expect("one of all sums is zero");
    assert!(decode_segment(&bytes).is_ok());
    bytes[place..place + 2].fill(0xff);
    assert!(decode_segment(&bytes).is_ok());
    bytes[place] = 0xfe;
    assert_eq!(decode_segment(&bytes), Err(MalformedSegment::Checksum));
}

/// RFC 9293, section 3.7.1.
#[test]
fn a_syn_without_options_offers_536_bytes_or_1220() {
    for (is_v6, maximum_segment) in [(false, 536), (true, 1220)] {
        let header = TcpHeader { syn: true, ..header() };
        let mut bytes = packet(header.clone(), b"");
        if is_v6 {
            bytes.clear();
            let own = |last| [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
            let builder = PacketBuilder::ipv6(own(1), own(2), 64).tcp_header(header);
            builder.write(&mut bytes, b"").unwrap();
        }
        let offered = decode_segment(&bytes).unwrap().segment.syn_options();
        let expected = SynOptions { maximum_segment, window_scale: None, sack_permitted: false };
        assert_eq!(offered, expected);
    }
}

#[test]
fn what_is_no_segment_is_named() {
    let datagram = encode_udp(b"data", Default::default(), Ecn::Capable, &addresses(false));
    assert_eq!(decode_segment(&datagram), Err(MalformedSegment::Protocol));
    assert_eq!(decode_segment(b""), Err(MalformedSegment::Packet));
    let mut short = packet(header(), b"");
    // A header of four words.
    short[20 + 12] = 4 << 4;
    assert_eq!(decode_segment(&short), Err(MalformedSegment::Header));
}
