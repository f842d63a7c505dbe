//! A packet's bytes are what the simulator says of it: as many as its size, and
//! each field with its value.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddrV4, SocketAddrV6};

use etherparse::TcpOptionElement::{
    MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted,
    Timestamp, WindowScale,
};
use etherparse::{IpEcn, NetSlice, SlicedPacket, TcpOptionElement, TcpSlice, TransportSlice};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use windtunnel_engine::Time;
use windtunnel_packets::ip::{self, Addresses, IpVersion};
use windtunnel_packets::ndn::wire::size::{
    DataShape, InterestShape, NameSize, SignatureKind, data_size, interest_size,
};
use windtunnel_packets::ndn::wire::{self, Component, ComponentType, LpPacket};
use windtunnel_packets::ndn::{
    self, Data, Interest, LinkPacket, Nack, NackReason, Name, PacketFormat, PrefixId,
};
use windtunnel_packets::tcp::{ByteCounters, Flags, SackBlock, Segment, SynOptions};
use windtunnel_packets::udp::{self, Datagram};
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore};

fn addresses(version: IpVersion) -> Addresses {
    match version {
        IpVersion::V4 => Addresses::V4 {
            source: SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 49152),
            destination: SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 2), 5001),
        },
        IpVersion::V6 => {
            let address = |last| Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last);
            Addresses::V6 {
                source: SocketAddrV6::new(address(1), 49152, 0, 0),
                destination: SocketAddrV6::new(address(2), 5001, 0, 0),
            }
        }
    }
}

fn segment_bytes(segment: &Segment, ecn: Ecn, version: IpVersion) -> Vec<u8> {
    ip::encode_segment(segment, ecn, &addresses(version), &[])
}

fn any_version() -> impl Strategy<Value = IpVersion> {
    prop_oneof![Just(IpVersion::V4), Just(IpVersion::V6)]
}

fn any_ecn() -> impl Strategy<Value = Ecn> {
    prop_oneof![
        Just(Ecn::NotCapable),
        Just(Ecn::Capable),
        Just(Ecn::Scalable),
        Just(Ecn::Congestion)
    ]
}

const FLAGS: [Flags; 8] = [
    Flags::FIN,
    Flags::RST,
    Flags::PSH,
    Flags::ACK,
    Flags::ECE,
    Flags::CWR,
    Flags::AE,
    Flags::TIMESTAMPS,
];

prop_compose! {
    fn any_flags()(chosen in any::<[bool; FLAGS.len()]>()) -> Flags {
        FLAGS.iter().zip(chosen).fold(Flags::default(), |all, (it, wanted)| all.with_if(*it, wanted))
    }
}

fn any_byte_counters() -> impl Strategy<Value = ByteCounters> {
    let counter = || 0..ByteCounters::MODULUS;
    prop_oneof![
        [counter(), counter()]
            .prop_map(|[capable, congestion]| ByteCounters::Capable { capable, congestion }),
        [counter(), counter()]
            .prop_map(|[scalable, congestion]| ByteCounters::Scalable { scalable, congestion }),
        [counter(), counter(), counter()].prop_map(|[capable, congestion, scalable]| {
            ByteCounters::All { capable, congestion, scalable }
        }),
    ]
}

prop_compose! {
    fn any_segment()(
        flags in any_flags(),
        numbers in any::<[u32; 4]>(),
        window in any::<u16>(),
        length in 0..=9000_u16,
        blocks in vec((any::<u32>(), 1..100_000_u32), 0..4),
        offers in option::of((any::<u16>(), option::of(0..=14_u8), any::<bool>())),
        counters in option::of(any_byte_counters()),
    ) -> Segment {
        let flags = flags.with_if(Flags::SYN, offers.is_some());
        let mut segment = Segment::new(0, numbers[0], flags);
        [_, segment.acknowledgement, segment.timestamp, segment.echo] = numbers;
        segment.window = window;
        if let Some(counters) = counters {
            segment.set_byte_counters(counters);
        }
        if let Some((maximum_segment, window_scale, sack_permitted)) = offers {
            segment.set_syn_options(SynOptions { maximum_segment, window_scale, sack_permitted });
        } else {
            segment.length = length;
            for (start, length) in blocks {
                segment.add_sack_block(SackBlock { start, end: start.wrapping_add(length) });
            }
        }
        segment
    }
}

/// What a receiver would see: the ECN field and the TCP header.
fn received(bytes: &[u8]) -> (IpEcn, TcpSlice<'_>) {
    let sliced = SlicedPacket::from_ip(bytes).expect("it is an IP packet");
    let ecn = match sliced.net.expect("it has an IP header") {
        NetSlice::Ipv4(ip) => {
            let header = ip.header().to_header();
            assert_eq!(header.header_checksum, header.calc_header_checksum());
            header.ecn
        }
        NetSlice::Ipv6(ip) => ip.header().to_header().ecn(),
        NetSlice::Arp(_) => unreachable!("nobody asked for an address"),
    };
    match sliced.transport.expect("it has a TCP header") {
        TransportSlice::Tcp(tcp) => (ecn, tcp),
        other => panic!("no TCP header: {other:?}"),
    }
}

/// Kind, length and content of each option, except for those that only pad.
fn raw_options(mut bytes: &[u8]) -> Vec<(u8, u8, &[u8])> {
    let mut found = Vec::new();
    while let [kind, rest @ ..] = bytes {
        if *kind == 1 {
            bytes = rest;
            continue;
        }
        let length = usize::from(rest[0]);
        found.push((*kind, rest[0], &bytes[2..length]));
        bytes = &bytes[length..];
    }
    found
}

/// RFC 9768, section 3.2.3: kind 172 counts ECT(0), CE and ECT(1), kind 174 ECT(1), CE
/// and ECT(0); the last ones may be missing.
fn accurate_ecn_option(options: &[u8]) -> Option<ByteCounters> {
    let (kind, length, content) =
        raw_options(options).into_iter().find(|it| matches!(it.0, 172 | 174))?;
    let counters: Vec<u32> =
        content.chunks_exact(3).map(|it| u32::from_be_bytes([0, it[0], it[1], it[2]])).collect();
    assert_eq!(usize::from(length), 2 + 3 * counters.len());
    Some(match (kind, &counters[..]) {
        (172, &[capable, congestion]) => ByteCounters::Capable { capable, congestion },
        (174, &[scalable, congestion]) => ByteCounters::Scalable { scalable, congestion },
        (172, &[capable, congestion, scalable]) => {
            ByteCounters::All { capable, congestion, scalable }
        }
        other => panic!("{other:?}"),
    })
}

fn options(segment: &Segment) -> Vec<TcpOptionElement> {
    let bytes = segment_bytes(segment, Ecn::Capable, IpVersion::V4);
    let (_, tcp) = received(&bytes);
    tcp.options_iterator().map(|it| it.expect("each option is well-formed")).collect()
}

proptest! {
    #[test]
    fn a_segments_bytes_are_as_many_as_its_size(
        segment in any_segment(), ecn in any_ecn(), version in any_version()
    ) {
        let size = version.header() + segment.size();
        prop_assert_eq!(segment_bytes(&segment, ecn, version).len(), usize::from(size));
    }

    #[test]
    fn a_segments_fields_arrive(
        segment in any_segment(), ecn in any_ecn(), version in any_version()
    ) {
        let bytes = segment_bytes(&segment, ecn, version);
        let (field, tcp) = received(&bytes);
        let codepoint = match ecn {
            Ecn::NotCapable => IpEcn::NotEct,
            Ecn::Capable => IpEcn::Ect0,
            Ecn::Scalable => IpEcn::Ect1,
            Ecn::Congestion => IpEcn::CongestionExperienced,
        };
        prop_assert_eq!(field, codepoint);
        prop_assert_eq!(tcp.sequence_number(), segment.sequence);
        prop_assert_eq!(tcp.acknowledgment_number(), segment.acknowledgement);
        prop_assert_eq!(tcp.window_size(), segment.window);
        prop_assert_eq!(tcp.options().len(), usize::from(segment.options_size()));
        prop_assert_eq!(tcp.payload().len(), usize::from(segment.length));
        // The nine flags are the last bits of the 13th and 14th bytes.
        let header = tcp.header_slice();
        let flags = u16::from_be_bytes([header[12], header[13]]) & 0x1ff;
        prop_assert_eq!(flags, segment.flags.wire());
        let sent: Vec<_> = segment.sack_blocks().map(|it| (it.start, it.end)).collect();
        let mut arrived = Vec::new();
        prop_assert_eq!(accurate_ecn_option(tcp.options()), segment.byte_counters());
        // etherparse does not know accurate ECN's option, which is the last one.
        let known = tcp.options_iterator().take_while(Result::is_ok);
        for option in known {
            match option.expect("each option is well-formed") {
                Timestamp(value, echo) => {
                    prop_assert_eq!((value, echo), (segment.timestamp, segment.echo));
                }
                SelectiveAcknowledgement(first, others) => {
                    arrived.push(first);
                    arrived.extend(others.into_iter().flatten());
                }
                _ => {}
            }
        }
        prop_assert_eq!(arrived, sent);
    }

    #[test]
    fn a_datagrams_bytes_are_as_many_as_its_size(
        length in 0..=9000_u16, ecn in any_ecn(), version in any_version()
    ) {
        let datagram = Datagram { flow: 0, length, sequence: 1, sent: Time::ZERO, dscp: Dscp::DEFAULT, path: 0, content: None };
        let size = version.header() + udp::HEADER + length;
        let bytes = ip::encode_datagram(&datagram, ecn, &addresses(version));
        prop_assert_eq!(bytes.len(), usize::from(size));
    }
}

/// Both ends of a flow, by their addresses and ports as they are in the bytes.
fn ends(addresses: &Addresses) -> [(Vec<u8>, u16); 2] {
    let bytes = ip::encode_segment(&Segment::new(0, 0, Flags::ACK), Ecn::Capable, addresses, &[]);
    let sliced = SlicedPacket::from_ip(&bytes).expect("it is an IP packet");
    let (source, destination, hops) = match sliced.net.expect("it has an IP header") {
        NetSlice::Ipv4(ip) => {
            let header = ip.header();
            assert!(header.dont_fragment(), "RFC 6864, section 4.1");
            (header.source().to_vec(), header.destination().to_vec(), header.ttl())
        }
        NetSlice::Ipv6(ip) => {
            let header = ip.header();
            (header.source().to_vec(), header.destination().to_vec(), header.hop_limit())
        }
        NetSlice::Arp(_) => unreachable!("nobody asked for an address"),
    };
    assert_eq!(hops, 64, "the default of RFC 1700");
    let (_, tcp) = received(&bytes);
    [(source, tcp.source_port()), (destination, tcp.destination_port())]
}

#[test]
fn a_packet_goes_from_its_source_to_its_destination_and_its_answer_back() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let there = addresses(version);
        let [source, destination] = ends(&there);
        let last = |it: &(Vec<u8>, u16)| (it.0.len(), it.0.last().copied(), it.1);
        let bytes = if version == IpVersion::V4 { 4 } else { 16 };
        assert_eq!(last(&source), (bytes, Some(1), 49152));
        assert_eq!(last(&destination), (bytes, Some(2), 5001));
        assert_eq!(ends(&there.reversed()), [destination, source]);
    }
}

#[test]
fn the_options_of_a_syn_come_in_the_order_of_linux() {
    let mut syn = Segment::new(0, 0, Flags::SYN.with(Flags::TIMESTAMPS));
    syn.timestamp = 7;
    let mut offered =
        SynOptions { maximum_segment: 1460, window_scale: Some(7), sack_permitted: true };
    syn.set_syn_options(offered);
    let size = MaximumSegmentSize(1460);
    assert_eq!(
        options(&syn),
        [size.clone(), SelectiveAcknowledgementPermitted, Timestamp(7, 0), Noop, WindowScale(7)]
    );
    offered.sack_permitted = false;
    syn.set_syn_options(offered);
    assert_eq!(options(&syn), [size, Noop, Noop, Timestamp(7, 0), Noop, WindowScale(7)]);
}

#[test]
fn timestamps_and_sack_blocks_are_aligned_to_four_bytes() {
    let mut segment = Segment::new(0, 0, Flags::ACK.with(Flags::TIMESTAMPS));
    segment.add_sack_block(SackBlock { start: 10, end: 20 });
    let blocks = SelectiveAcknowledgement((10, 20), [None; 3]);
    assert_eq!(options(&segment), [Noop, Noop, Timestamp(0, 0), Noop, Noop, blocks]);
}

const SIGNATURES: [SignatureKind; 6] = [
    SignatureKind::DigestSha256,
    SignatureKind::Null,
    SignatureKind::HmacSha256,
    SignatureKind::Ed25519,
    SignatureKind::EcdsaP256,
    SignatureKind::Rsa2048,
];

prop_compose! {
    fn any_prefix()(components in vec(vec(any::<u8>(), 0..300), 0..4)) -> wire::Name<'static> {
        components.iter().map(|it| Component::generic(it)).collect()
    }
}

prop_compose! {
    fn any_interest()(
        segment in any::<u64>(),
        nonce in any::<u32>(),
        lifetime_ms in any::<u32>(),
        hop_limit in option::of(any::<u8>()),
        must_be_fresh in any::<bool>(),
    ) -> Interest {
        let name = Name { prefix: PrefixId::new(0, PacketFormat::Ndn), segment };
        Interest { name, nonce, lifetime_ms, hop_limit, must_be_fresh }
    }
}

fn full_name(prefix: &wire::Name<'static>, segment: u64) -> wire::Name<'static> {
    let mut name = prefix.clone();
    name.push_number(ComponentType::SEGMENT, segment);
    name
}

fn size_of(interest: &Interest, prefix: &wire::Name<'_>) -> u16 {
    let shape = InterestShape {
        can_be_prefix: false,
        must_be_fresh: interest.must_be_fresh,
        lifetime_ms: Some(u64::from(interest.lifetime_ms)),
        hop_limit: interest.hop_limit.is_some(),
    };
    interest_size(NameSize::of(prefix), interest.name.segment, &shape) as u16
}

proptest! {
    #[test]
    fn an_interest_and_its_nack_arrive_in_as_many_bytes_as_their_sizes(
        prefix in any_prefix(),
        interest in any_interest(),
        marked in any::<bool>(),
        reason in option::of(prop_oneof![
            Just(NackReason::NONE), Just(NackReason::CONGESTION), Just(NackReason::NO_ROUTE)
        ]),
    ) {
        let body = match reason {
            Some(reason) => Body::Nack(Nack { interest, reason }),
            None => Body::Interest(interest),
        };
        let packet = Packet::ndn(body, size_of(&interest, &prefix)).marked_if(marked);
        let bytes = ndn::encode_interest(&interest, &prefix, reason, marked).unwrap();
        prop_assert_eq!(bytes.len(), packet.size() as usize);
        let link_packet = LpPacket::decode(&bytes).unwrap();
        prop_assert_eq!(link_packet.nack, reason);
        prop_assert_eq!(link_packet.congestion_mark, marked.then_some(1));
        let decoded = wire::Interest::decode(link_packet.fragment.unwrap()).unwrap();
        prop_assert_eq!(&decoded.name, &full_name(&prefix, interest.name.segment));
        prop_assert_eq!(decoded.nonce, Some(interest.nonce));
        prop_assert_eq!(decoded.lifetime_ms, Some(u64::from(interest.lifetime_ms)));
        prop_assert_eq!(decoded.hop_limit, interest.hop_limit);
        prop_assert_eq!(decoded.must_be_fresh, interest.must_be_fresh);
    }

    #[test]
    fn a_data_arrives_in_as_many_bytes_as_its_size(
        prefix in any_prefix(),
        interest in any_interest(),
        marked in any::<bool>(),
        content in 0..=7000_u32,
        freshness_ms in any::<u32>(),
        signature in proptest::sample::select(&SIGNATURES),
    ) {
        let freshness_period_ms = (freshness_ms > 0).then_some(u64::from(freshness_ms));
        let shape =
            DataShape { content_length: content, freshness_period_ms, signature, ..DataShape::default() };
        let size = data_size(NameSize::of(&prefix), interest.name.segment, &shape);
        let data = Data { name: interest.name, content, freshness_ms };
        let packet = Packet::ndn(Body::Data(data), size as u16).marked_if(marked);
        let bytes = ndn::encode_data(&data, &prefix, signature, marked).unwrap();
        prop_assert_eq!(bytes.len(), packet.size() as usize);
        let link_packet = LpPacket::decode(&bytes).unwrap();
        prop_assert_eq!(link_packet.congestion_mark, marked.then_some(1));
        let decoded = wire::Data::decode(link_packet.fragment.unwrap()).unwrap();
        prop_assert_eq!(&decoded.name, &full_name(&prefix, interest.name.segment));
        prop_assert_eq!(decoded.content.map(<[u8]>::len), Some(content as usize));
        prop_assert_eq!(decoded.signature_info.signature_type, signature.signature_type());
    }
}

/// A fragment says which one of how many it is; a packet that is whole says nothing of it.
#[test]
fn a_link_packet_is_numbered_if_it_is_a_fragment() {
    let inside = PacketStore::default().insert(Packet::ndn(
        Body::Data(Data {
            name: Name { prefix: PrefixId::new(0, PacketFormat::Ndn), segment: 0 },
            content: 10,
            freshness_ms: 0,
        }),
        10,
    ));
    let link_packet = LinkPacket {
        inside,
        prefix: PrefixId::new(0, PacketFormat::Ndn),
        sequence: 77,
        offset: 4,
        headers: 0,
        pit_token: 0,
        index: 1,
        count: 3,
    };
    let bytes = ndn::encode_link_packet(&link_packet, b"0123456789", 4, None, false).unwrap();
    let decoded = LpPacket::decode(&bytes).unwrap();
    let numbers = (decoded.sequence, decoded.fragment_index, decoded.fragment_count);
    assert_eq!(numbers, (Some(77), Some(1), Some(3)));
    assert_eq!(decoded.fragment, Some(&b"4567"[..]));
    let whole = LinkPacket { offset: 0, index: 0, count: 1, ..link_packet };
    let bytes = ndn::encode_link_packet(&whole, b"0123456789", 10, None, false).unwrap();
    let decoded = LpPacket::decode(&bytes).unwrap();
    let numbers = (decoded.sequence, decoded.fragment_index, decoded.fragment_count);
    assert_eq!(numbers, (None, None, None));
}
