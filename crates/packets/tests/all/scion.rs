//! The SCION header, hop fields, messages and beacons: the lengths of the specification, the
//! chain of authenticators, and that what is encoded is decoded again.

use std::net::Ipv4Addr;

use proptest::prelude::*;
use windtunnel_engine::Duration;
use windtunnel_packets::Ecn;
use windtunnel_packets::scion::{
    AsEntry, ControlMessage, Fragment, HopEntry, HopField, HostAddress, InfoField, IsdAs, Key,
    Path, PathHeader, PathSection, PathSegment, PeerEntry, Position, ScionHeader, Scmp, ScmpError,
    SegmentKind, StaticInfo, expiry_steps, lifetime, protocol,
};

fn path(lengths: &[usize]) -> Path {
    let section = |length: &usize| PathSection {
        info: InfoField::default(),
        hops: vec![HopField::default(); *length],
    };
    Path { sections: lengths.iter().map(section).collect() }
}

fn header(path: PathHeader) -> ScionHeader {
    ScionHeader {
        dscp: 0,
        ecn: Ecn::Capable,
        flow: 1,
        next: protocol::UDP,
        source: IsdAs(0x0001_ff00_0000_0110),
        destination: IsdAs(0x0002_ff00_0000_0210),
        from: HostAddress::V4(Ipv4Addr::new(10, 0, 0, 1)),
        to: HostAddress::V4(Ipv4Addr::new(10, 0, 0, 2)),
        path,
    }
}

/// With IPv4 hosts: 116 bytes for 5 hops in 2 segments, 160 for 8 hops in 3, and 36 without a
/// path. Over IPv4 and UDP it is 28 more, over IPv6 48.
#[test]
fn headers_have_the_lengths_of_the_specification() {
    for (lengths, expected) in [(&[2, 3][..], 116), (&[3, 2, 3], 160), (&[2], 36 + 4 + 8 + 24)] {
        let path = path(lengths);
        let position = Position::first(&path);
        let bytes = header(PathHeader::Standard(path.clone(), position)).encode(&[]);
        assert_eq!(bytes.map(|it| it.len()), Some(expected));
        assert_eq!(usize::from(ScionHeader::length(4, path.length() as u16)), expected);
    }
    assert_eq!(header(PathHeader::Empty).encode(&[]).map(|it| it.len()), Some(36));
}

/// The fields stand where the specification has them.
#[test]
fn fields_stand_in_their_places() {
    let mut path = path(&[2, 2]);
    path.sections[0].info = InfoField {
        is_peering: true,
        is_forward: false,
        segment_id: 0x1234,
        timestamp: 0x5566_7788,
    };
    path.sections[1].hops[0] =
        HopField { expiry: 63, ingress: 0x0102, egress: 0x0304, mac: [9, 8, 7, 6, 5, 4] };
    let position = Position { section: 1, hop: 2, segment_ids: [0x1234, 0, 0] };
    let header = header(PathHeader::Standard(path, position));
    let bytes = header.encode(&[0xaa; 5]).expect("it fits");
    assert_eq!(bytes[..4], [0x00, 0x20, 0x00, 0x01], "version, ECT(0), flow");
    assert_eq!(bytes[4..12], [17, 104 / 4, 0, 5, 1, 0, 0, 0], "next, length, payload, path");
    assert_eq!(bytes[12..20], 0x0002_ff00_0000_0210_u64.to_be_bytes(), "to");
    assert_eq!(bytes[20..28], 0x0001_ff00_0000_0110_u64.to_be_bytes(), "from");
    assert_eq!(bytes[28..36], [10, 0, 0, 2, 10, 0, 0, 1]);
    // Current segment 1 and hop field 2; the segments have 2, 2 and 0.
    assert_eq!(bytes[36..40], (1_u32 << 30 | 2 << 24 | 2 << 12 | 2 << 6).to_be_bytes());
    assert_eq!(bytes[40..48], [2, 0, 0x12, 0x34, 0x55, 0x66, 0x77, 0x88]);
    assert_eq!(bytes[80..92], [0, 63, 1, 2, 3, 4, 9, 8, 7, 6, 5, 4]);
    assert_eq!(bytes[104..], [0xaa; 5]);
}

/// Hop fields are valid for 337.5 s times the value and one: 6 h with 63, 24 h with 255.
#[test]
fn expiry_counts_parts_of_a_day() {
    assert_eq!(lifetime(0), Duration::from_millis(337_500));
    assert_eq!(lifetime(63), Duration::from_secs(6 * 3600));
    assert_eq!(lifetime(255), Duration::from_secs(24 * 3600));
    assert_eq!(expiry_steps(Duration::from_secs(337)), None);
    for expiry in 0..=255 {
        assert_eq!(expiry_steps(lifetime(expiry)), Some(expiry));
    }
}

fn key(number: u8) -> Key {
    Key::new([number; 16])
}

/// A segment through this many systems, each with a key of its own.
fn segment(count: u8, segment_id: u16) -> PathSegment {
    let mut segment = PathSegment { timestamp: 1000, segment_id, entries: Vec::new() };
    for number in 0..count {
        let ingress = u16::from(number > 0) * (u16::from(number) + 10);
        let egress = u16::from(number + 1 < count) * (u16::from(number) + 20);
        let field = HopField { expiry: 63, ingress, egress, mac: [0; 6] };
        let peers = vec![PeerEntry {
            peer: IsdAs(99),
            peer_interface: 5,
            mtu: 1400,
            field: HopField { ingress: 40, ..field },
        }];
        let entry = AsEntry {
            isd_as: IsdAs(u64::from(number) + 1),
            next: IsdAs(u64::from(number + 1 < count) * (u64::from(number) + 2)),
            hop: HopEntry { field, ingress_mtu: 1472 },
            peers,
            mtu: 1472,
            info: StaticInfo { intra_latency: 7, inter_latency: 1000, ..StaticInfo::default() },
        };
        segment.extend(&key(number), entry);
    }
    segment
}

/// Which hop fields of a segment the keys of its systems accept, along the chain
/// β(i+1) = β(i) ⊕ MAC(i)[0..2].
fn accepted(segment: &PathSegment) -> Vec<bool> {
    let mut beta = segment.segment_id;
    let mut accepted = Vec::new();
    for (number, entry) in (0..).zip(&segment.entries) {
        let field = &entry.hop.field;
        accepted.push(key(number).is_right(beta, segment.timestamp, field));
        beta ^= u16::from_be_bytes([field.mac[0], field.mac[1]]);
    }
    accepted
}

#[test]
fn all_hop_fields_of_a_segment_are_right_along_the_chain() {
    assert_eq!(accepted(&segment(6, 0xbeef)), [true; 6]);
    // Those of peers stand behind the hop field of their own system.
    let segment = segment(4, 3);
    for (number, entry) in segment.entries.iter().enumerate() {
        let peer = &entry.peers[0].field;
        assert!(key(number as u8).is_right(segment.beta(number + 1), segment.timestamp, peer));
        assert!(!key(number as u8).is_right(segment.beta(number), segment.timestamp, peer));
    }
}

proptest! {
    /// Whatever bit of a hop field or of its segment changes, its system refuses it.
    #[test]
    fn a_changed_hop_field_is_refused(number in 0_usize..4, bit in 0_usize..88) {
        let mut changed = segment(4, 77);
        let field = &mut changed.entries[number].hop.field;
        match bit {
            0..8 => field.expiry ^= 1 << bit,
            8..24 => field.ingress ^= 1 << (bit - 8),
            24..40 => field.egress ^= 1 << (bit - 24),
            _ => field.mac[(bit - 40) / 8] ^= 1 << (bit % 8),
        }
        prop_assert!(!accepted(&changed)[number]);
    }

    /// In another order they are refused: from the first one on that is elsewhere.
    #[test]
    fn reordered_hop_fields_are_refused(first in 0_usize..5, second in 0_usize..5) {
        prop_assume!(first != second);
        let mut reordered = segment(5, 4711);
        reordered.entries.swap(first, second);
        let accepted = accepted(&reordered);
        let least = first.min(second);
        prop_assert!(accepted[..least].iter().all(|it| *it));
        prop_assert!(!accepted[least] && !accepted[first.max(second)]);
    }

    /// A hop field of another segment through the same systems is refused: it was behind
    /// another accumulator. Of 65,536 accumulators one is the same, and tells nothing.
    #[test]
    fn a_foreign_hop_field_is_refused(number in 0_usize..4, other: u16) {
        let mut spliced = segment(4, 4711);
        let foreign = segment(4, other);
        prop_assume!(foreign.beta(number) != spliced.beta(number));
        spliced.entries[number] = foreign.entries[number].clone();
        prop_assert!(!accepted(&spliced)[number]);
    }
}

fn hop() -> impl Strategy<Value = HopField> {
    (any::<u8>(), any::<u16>(), any::<u16>(), any::<[u8; 6]>())
        .prop_map(|(expiry, ingress, egress, mac)| HopField { expiry, ingress, egress, mac })
}

fn any_path() -> impl Strategy<Value = (Path, Position)> {
    let info = (any::<bool>(), any::<bool>(), any::<u16>(), any::<u32>()).prop_map(
        |(is_peering, is_forward, segment_id, timestamp)| InfoField {
            is_peering,
            is_forward,
            segment_id,
            timestamp,
        },
    );
    let section = (info, prop::collection::vec(hop(), 1..20))
        .prop_map(|(info, hops)| PathSection { info, hops });
    let sections = prop::collection::vec(section, 1..4);
    (sections, any::<prop::sample::Index>()).prop_map(|(sections, place)| {
        let path = Path { sections };
        let mut position = Position::first(&path);
        for _ in 0..place.index(path.hops()) {
            let current = position.current(&path).expect("it is on the path");
            position.advance(&current);
        }
        (path, position)
    })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded((path, position) in any_path(), payload: Vec<u8>) {
        let header = header(PathHeader::Standard(path, position));
        let bytes = header.encode(&payload).expect("it fits");
        prop_assert_eq!(ScionHeader::decode(&bytes), Ok((header, &payload[..])));
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes: Vec<u8>) {
        if let Ok((header, payload)) = ScionHeader::decode(&bytes) {
            let again = header.encode(payload).expect("it came from bytes");
            prop_assert_eq!(ScionHeader::decode(&again), Ok((header, payload)));
        }
        let _ = ControlMessage::decode(&bytes);
        let _ = Fragment::decode(&bytes);
        let _ = PathSegment::decode(&bytes);
        let _ = Scmp::decode(&bytes, &header(PathHeader::Empty));
    }

    /// Bytes that begin as a true header does get further into the decoder.
    #[test]
    fn a_damaged_header_is_decoded_or_refused(
        (path, position) in any_path(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let header = header(PathHeader::Standard(path, position));
        let mut bytes = header.encode(&[1, 2, 3]).expect("it fits");
        for (place, value) in damage {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let _ = ScionHeader::decode(&bytes);
    }

    /// Twice back is where it came from, for the path and the place on it.
    #[test]
    fn a_path_back_and_back_again_is_the_path((path, position) in any_path()) {
        let back = path.reversed(&Position::first(&path));
        let again = back.reversed(&Position::first(&back));
        prop_assert_eq!(&again, &path);
        let there = position.reversed(&path).reversed(&back);
        prop_assert_eq!(there, position);
        let [one, other] = [position.current(&path), position.reversed(&path).current(&back)];
        prop_assert_eq!(one.map(|it| it.hop), other.map(|it| it.hop));
    }

    #[test]
    fn segments_are_decoded_as_they_were(
        count in 1_u8..8,
        segment_id: u16,
        crossing in prop::collection::vec((any::<u16>(), any::<u32>()), 0..5),
    ) {
        let mut segment = segment(count, segment_id);
        segment.entries[0].info.crossing_latency = crossing;
        prop_assert_eq!(PathSegment::decode(&segment.encode()), Ok(segment.clone()));
        let whole = ControlMessage::Reply {
            identifier: 7,
            segments: vec![(SegmentKind::Up, segment.clone()), (SegmentKind::Down, segment)],
        };
        let bytes = whole.encode();
        prop_assert_eq!(ControlMessage::decode(&bytes), Ok(whole));
        let parts: Vec<Vec<u8>> =
            Fragment::split(1, &bytes, 300).iter().map(Fragment::encode).collect();
        let joined: Vec<u8> = parts
            .iter()
            .flat_map(|it| Fragment::decode(it).expect("it is one").bytes.to_vec())
            .collect();
        prop_assert_eq!(joined, bytes);
    }
}

#[test]
fn messages_about_errors_are_decoded_as_they_were() {
    let header = ScionHeader { next: protocol::SCMP, ..header(PathHeader::Empty) };
    let origin = IsdAs(0x0001_ff00_0000_0110);
    for error in [
        ScmpError::Unreachable(3),
        ScmpError::TooBig(1400),
        ScmpError::Parameter { code: ScmpError::INVALID_MAC, pointer: 92 },
        ScmpError::ExternalInterfaceDown { origin, interface: 41 },
        ScmpError::InternalConnectivityDown { origin, ingress: 41, egress: 42 },
    ] {
        let message = Scmp::Error { error, quote: vec![1, 2, 3] };
        let bytes = message.encode(&header);
        assert_eq!(bytes.len(), usize::from(error.length()) + 3);
        assert_eq!(Scmp::decode(&bytes, &header), Ok(message));
        let mut damaged = bytes.clone();
        damaged[6] ^= 1;
        assert!(Scmp::decode(&damaged, &header).is_err(), "the checksum covers it");
    }
    let echo = Scmp::Echo { is_reply: true, identifier: 1, sequence: 2, data: vec![5] };
    assert_eq!(Scmp::decode(&echo.encode(&header), &header), Ok(echo));
}
