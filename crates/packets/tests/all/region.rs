//! The region protocol's packets: their bytes by hand, and that what is encoded is what is
//! decoded, whatever the bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::Time;
use windtunnel_packets::ip::{Addresses, encode_datagram};
use windtunnel_packets::region::{
    AddressKind, BorderRecord, Code, DecodeError, EncodeError, Encoding, ErrorKind, ExternalRecord,
    Header, Neighbour, Record, RegionControl, RegionLink, RouterRecord, Service, ServiceOption,
    SessionMessage, TypedAddress, TypedAddresses, Update, protocol,
};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Dscp, Ecn};

fn example() -> Header {
    Header {
        dscp: 46,
        ecn: Ecn::Scalable,
        hop_limit: 64,
        protocol: protocol::IPV6,
        destination: Code::of_sub_region(2, 0x0a_0b0c),
        source: Code::of_region(1),
        ..Header::default()
    }
}

/// By hand from the layouts of [`Encoding`]; the checksum is RFC 1071's.
#[test]
fn the_bytes_of_each_encoding_are_those_of_its_layout() {
    let [class, zero] = [46 << 2 | 1, 0];
    let payload = [7, 8, 9];
    let encode = |encoding| example().encode(encoding, &payload).unwrap();
    assert_eq!(
        encode(Encoding::Compact),
        [0x10, class, 0, 19, 64, 41, 4, 0, 2, 10, 11, 12, 1, 0, 0, 0, 7, 8, 9]
    );
    let words: [u16; 9] = [0x45b9, 23, 0, 0x4000, 0x4029, 0x0100, 0, 0x020a, 0x0b0c];
    let sum: u32 = words.into_iter().map(u32::from).sum();
    let [high, low] = (!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes();
    assert_eq!(
        encode(Encoding::Ipv4Shaped),
        [0x45, class, 0, 23, 0, 0, 0x40, 0, 64, 41, high, low, 1, 0, 0, 0, 2, 10, 11, 12, 7, 8, 9]
    );
    let [first, second] = [0x20 | class >> 4, class << 4];
    assert_eq!(
        encode(Encoding::Flow),
        [first, second, zero, zero, 0, 3, 41, 64, 1, 0, 0, 0, 2, 10, 11, 12, 7, 8, 9]
    );
}

#[test]
fn headers_have_the_sizes_that_overhead_is_computed_from() {
    for encoding in Encoding::ALL {
        let length = example().encode(encoding, &[]).unwrap().len();
        assert_eq!(length, usize::from(encoding.header()));
    }
}

#[test]
fn wrong_packets_are_told_by_what_is_wrong() {
    let decode = |change: fn(&mut Vec<u8>), encoding| {
        let mut bytes = example().encode(encoding, &[7; 5]).unwrap();
        change(&mut bytes);
        Header::decode(&bytes).map(|_| ()).unwrap_err()
    };
    let compact = |change| decode(change, Encoding::Compact);
    let shaped = |change| decode(change, Encoding::Ipv4Shaped);
    assert_eq!(compact(|it| it[0] = 0x70), DecodeError::Version(7));
    assert_eq!(compact(|it| it[6] = 3), DecodeError::Length { offset: 6, length: 3 });
    assert_eq!(compact(|it| it[3] = 15), DecodeError::Length { offset: 2, length: 15 });
    assert_eq!(compact(|it| it[3] = 22), DecodeError::TooShort { needed: 22, available: 21 });
    assert_eq!(compact(|it| it.truncate(9)), DecodeError::TooShort { needed: 16, available: 9 });
    assert_eq!(compact(Vec::clear), DecodeError::TooShort { needed: 1, available: 0 });
    assert_eq!(shaped(|it| it[8] -= 1), DecodeError::Checksum);
    // The first fragment: the checksum is right, one's complement addition being what it is.
    let fragment = |it: &mut Vec<u8>| {
        it[6] = 0x60;
        it[10] -= 0x20;
    };
    assert_eq!(shaped(fragment), DecodeError::Fragment);
    let mut header = example();
    let must_know = ServiceOption::Other { kind: 0x90, value: vec![1] };
    header.service = Service(vec![ServiceOption::Flow(3), must_know]);
    for (encoding, offset) in [(Encoding::Compact, 24), (Encoding::Flow, 28)] {
        let bytes = header.encode(encoding, &[]).unwrap();
        let error = Header::decode(&bytes).unwrap_err();
        assert_eq!(error, DecodeError::UnknownService { offset, kind: 0x90 });
        assert_eq!(error.offset(), offset);
    }
}

#[test]
fn what_does_not_fit_is_not_encoded() {
    let payload = vec![0; 65_535 - 16];
    assert_eq!(example().encode(Encoding::Compact, &payload).unwrap().len(), 65_535);
    for encoding in Encoding::ALL {
        let header = usize::from(encoding.header());
        let most = vec![0; 65_536 - header];
        assert_eq!(example().encode(encoding, &most), Err(EncodeError::TooLarge));
    }
    let mut header = example();
    header.service = Service(vec![ServiceOption::Agreement(1); 6]);
    let many = EncodeError::TooManyServices { limit: 40, length: 48 };
    assert_eq!(header.encode(Encoding::Ipv4Shaped, &[]), Err(many));
    assert!(header.encode(Encoding::Compact, &[]).is_ok());
    let long = ServiceOption::Other { kind: 9, value: vec![0; 256] };
    header.service = Service(vec![long]);
    assert_eq!(header.encode(Encoding::Compact, &[]), Err(EncodeError::TooLong(256)));
}

/// Two X25519 keys add 64 bytes, and the preamble 8.
#[test]
fn typed_addresses_take_their_bytes() {
    let key = TypedAddress { kind: AddressKind::PublicKey, bytes: vec![1; 32] };
    let keys = TypedAddresses { destination: key.clone(), source: key, next: protocol::IPV4 };
    assert_eq!(keys.encode().unwrap().len(), 72);
    let mac = TypedAddress { kind: AddressKind::Mac, bytes: vec![2; 6] };
    let hidden = TypedAddresses { destination: mac, source: TypedAddress::default(), next: 59 };
    let bytes = hidden.encode().unwrap();
    assert_eq!(bytes, [3, 6, 0, 0, 59, 0, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0]);
    assert_eq!(TypedAddresses::decode(&bytes), Ok((hidden, &[][..])));
    let wrong = TypedAddress { kind: AddressKind::Ipv4, bytes: vec![0; 5] };
    let wrong = TypedAddresses { destination: wrong, ..TypedAddresses::default() };
    assert_eq!(wrong.encode(), Err(EncodeError::TooLong(5)));
    let unknown = [9, 0, 0, 0, 59, 0, 0, 0];
    assert_eq!(TypedAddresses::decode(&unknown), Err(DecodeError::Value { offset: 0, value: 9 }));
}

/// The checksum over codes, addresses, length, protocol and segment is that of RFC 1071, and
/// says so if any of them is another one.
#[test]
fn a_packet_in_the_wrong_region_has_a_wrong_checksum() {
    let address = |kind, bytes: &[u8]| TypedAddress { kind, bytes: bytes.to_vec() };
    let addresses = TypedAddresses {
        source: address(AddressKind::Ipv4, &[10, 0, 0, 1]),
        destination: address(AddressKind::Mac, &[2, 0, 0, 0, 0, 9]),
        next: 0,
    };
    let ports = ["10.0.0.1:4000", "10.0.0.2:5000"].map(|it| it.parse().unwrap());
    let datagram = Datagram {
        flow: 0,
        length: 5,
        sequence: 0,
        sent: Time::ZERO,
        dscp: Dscp::DEFAULT,
        path: 0,
        content: None,
    };
    let ip = Addresses::V4 { source: ports[0], destination: ports[1] };
    let packet = encode_datagram(&datagram, Ecn::Capable, &ip);
    let codes = [Code::of_region(1), Code::of_region(2)];
    let payload = addresses.in_place_of_ip(&packet, codes).unwrap();
    let (decoded, transport) = TypedAddresses::decode(&payload).unwrap();
    assert_eq!((decoded.next, decoded.source, transport.len()), (17, addresses.source.clone(), 13));
    let sum = |codes: [Code; 2], payload: &[u8]| {
        let mut bytes = codes.map(|it| it.0.to_be_bytes()).concat();
        bytes.extend(&payload[8..8 + 12]);
        bytes.extend([0, 0, 0, 13, 0, 0, 0, 17]);
        bytes.extend(&payload[8 + 12..]);
        bytes.push(0);
        let words = bytes.chunks(2).map(|it| u32::from(it[0]) << 8 | u32::from(it[1]));
        let sum: u32 = words.sum();
        (sum & 0xffff) + (sum >> 16)
    };
    assert_eq!(sum(codes, &payload), 0xffff);
    assert_ne!(sum([codes[0], Code::of_region(3)], &payload), 0xffff);
    assert!(addresses.in_place_of_ip(&[0x45; 12], codes).is_err());
}

#[test]
fn an_error_has_the_fields_of_its_table() {
    let error = |kind| RegionControl::Error { kind, quote: vec![5] }.encode();
    assert_eq!(error(ErrorKind::Unreachable(1)), [1, 1, 0, 0, 0, 0, 0, 0, 5]);
    assert_eq!(error(ErrorKind::TooBig(1464)), [2, 0, 0, 0, 0, 0, 5, 184, 5]);
    assert_eq!(error(ErrorKind::HopLimit), [3, 0, 0, 0, 0, 0, 0, 0, 5]);
    assert_eq!(error(ErrorKind::BadHeader(6)), [4, 0, 0, 0, 0, 0, 0, 6, 5]);
}

fn option() -> impl Strategy<Value = ServiceOption> {
    prop_oneof![
        any::<u16>().prop_map(ServiceOption::PathMtu),
        any::<u32>().prop_map(ServiceOption::Flow),
        any::<u32>().prop_map(ServiceOption::Agreement),
        any::<u16>().prop_map(ServiceOption::Subtype),
        (4..128u8, vec(any::<u8>(), 0..9))
            .prop_map(|(kind, value)| ServiceOption::Other { kind, value }),
    ]
}

fn ecn() -> impl Strategy<Value = Ecn> {
    prop_oneof![
        Just(Ecn::NotCapable),
        Just(Ecn::Capable),
        Just(Ecn::Scalable),
        Just(Ecn::Congestion)
    ]
}

prop_compose! {
    fn header()(
        dscp in 0..64u8, ecn in ecn(), hop_limit: u8, protocol in 1..=255u8,
        destination: u32, source: u32, flow_label in 0..1u32 << 20,
        service in vec(option(), 0..4),
    ) -> Header {
        let [destination, source] = [destination, source].map(Code);
        let service = Service(service);
        Header { dscp, ecn, hop_limit, protocol, destination, source, flow_label, service }
    }
}

fn address() -> impl Strategy<Value = TypedAddress> {
    let of = |kind| move |bytes| TypedAddress { kind, bytes };
    prop_oneof![
        Just(TypedAddress::default()),
        vec(any::<u8>(), 4).prop_map(of(AddressKind::Ipv4)),
        vec(any::<u8>(), 16).prop_map(of(AddressKind::Ipv6)),
        vec(any::<u8>(), 6).prop_map(of(AddressKind::Mac)),
        vec(any::<u8>(), 1..=255).prop_map(of(AddressKind::PublicKey)),
    ]
}

fn record() -> impl Strategy<Value = Record> {
    let neighbour = any::<[u32; 2]>().prop_map(|[router, metric]| Neighbour { router, metric });
    let router = (any::<[u32; 3]>(), vec(neighbour, 0..5)).prop_map(
        |([router, sequence, sub_region], neighbours)| {
            Record::Router(RouterRecord { router, sequence, sub_region, neighbours })
        },
    );
    let external = (any::<[u32; 3]>(), any::<u8>(), any::<u16>(), vec(any::<u8>(), 0..6));
    let external = external.prop_map(|([router, sequence, code], preference, mtu, path)| {
        let code = Code(code);
        Record::External(ExternalRecord { router, sequence, code, preference, mtu, path })
    });
    let link = any::<(u8, u16)>().prop_map(|(region, mtu)| RegionLink { region, mtu });
    let border = (any::<[u32; 3]>(), any::<bool>(), vec(link, 0..5)).prop_map(
        |([router, sequence, code], carries, links)| {
            let code = Code(code);
            Record::Border(BorderRecord { router, sequence, code, carries, links })
        },
    );
    prop_oneof![router, external, border]
}

fn message() -> impl Strategy<Value = SessionMessage> {
    let update = (any::<u32>(), any::<u16>(), vec(any::<u8>(), 0..6));
    let update = update.prop_map(|(code, mtu, path)| {
        SessionMessage::Update(Update { code: Code(code), mtu, path })
    });
    prop_oneof![
        Just(SessionMessage::Acknowledgement),
        record().prop_map(SessionMessage::Record),
        update,
    ]
}

fn control() -> impl Strategy<Value = RegionControl> {
    let kind = prop_oneof![
        (0..5u8).prop_map(ErrorKind::Unreachable),
        any::<u32>().prop_map(ErrorKind::TooBig),
        Just(ErrorKind::HopLimit),
        any::<u32>().prop_map(ErrorKind::BadHeader),
    ];
    let data = || vec(any::<u8>(), 0..20);
    prop_oneof![
        (kind, data()).prop_map(|(kind, quote)| RegionControl::Error { kind, quote }),
        (any::<bool>(), any::<u32>(), data()).prop_map(|(is_reply, identifier, data)| {
            RegionControl::Echo { is_reply, identifier, data }
        }),
        (any::<[u32; 2]>(), message()).prop_map(|([sequence, acknowledgement], message)| {
            RegionControl::Session { sequence, acknowledgement, message }
        }),
    ]
}

proptest! {
    #[test]
    fn a_header_comes_back(header in header(), payload in vec(any::<u8>(), 0..40), extra in 0..5) {
        for encoding in Encoding::ALL {
            let Ok(mut bytes) = header.encode(encoding, &payload) else {
                prop_assert!(encoding == Encoding::Ipv4Shaped);
                continue;
            };
            // What a link pads it with is not of the packet.
            bytes.extend(vec![0; extra as usize]);
            let (found, mut decoded, rest) = Header::decode(&bytes).unwrap();
            prop_assert_eq!((found, rest), (encoding, &payload[..]));
            if encoding != Encoding::Flow {
                prop_assert_eq!(decoded.flow_label, 0);
                decoded.flow_label = header.flow_label;
            }
            prop_assert_eq!(&decoded, &header);
        }
    }

    #[test]
    fn whatever_the_bytes_what_is_decoded_can_be_encoded(bytes in vec(any::<u8>(), 0..80)) {
        let mut bytes = bytes;
        for version in [None, Some(0x10), Some(0x20), Some(0x45)] {
            if let (Some(first), Some(version)) = (bytes.first_mut(), version) {
                *first = version;
            }
            if let Ok((encoding, header, payload)) = Header::decode(&bytes) {
                let again = header.encode(encoding, payload).unwrap();
                let decoded = Header::decode(&again).unwrap();
                prop_assert_eq!(decoded, (encoding, header, payload));
            }
        }
    }

    #[test]
    fn addresses_come_back(destination in address(), source in address(), next: u8, rest: [u8; 3]) {
        let addresses = TypedAddresses { destination, source, next };
        let bytes = [addresses.encode().unwrap(), rest.to_vec()].concat();
        prop_assert_eq!(TypedAddresses::decode(&bytes), Ok((addresses, &rest[..])));
    }

    #[test]
    fn a_message_comes_back(message in control()) {
        prop_assert_eq!(RegionControl::decode(&message.encode()), Ok(message));
    }

    #[test]
    fn a_message_cut_short_is_an_error_or_another_message(message in control(), cut in 0..64usize) {
        let bytes = message.encode();
        let cut = &bytes[..cut.min(bytes.len())];
        if let Ok(decoded) = RegionControl::decode(cut) {
            prop_assert_eq!(decoded.encode(), cut);
        }
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in vec(any::<u8>(), 0..60), kind in 0..20u8) {
        let bytes = [&[kind][..], &bytes].concat();
        let _ = RegionControl::decode(&bytes);
        let _ = TypedAddresses::decode(&bytes);
    }
}
