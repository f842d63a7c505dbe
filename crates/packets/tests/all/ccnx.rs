//! CCNx packets: the RFC's own example, packets of another implementation, sizes, and what
//! comes back of any packet and of any bytes.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use windtunnel_packets::ccnx::{
    ContentObject, DecodeError, EncodeError, Interest, InterestReturn, Name, NameError, Packet,
    Restrictions, ReturnCode, Segment, SegmentType, Validation, size,
};

fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

/// RFC 8609, section 3.6.1, table 7: `ccnx:/foo/bar/hi`.
#[test]
fn a_name_has_the_bytes_of_the_rfc() {
    let interest =
        Interest { name: name("ccnx:/foo/bar/hi"), hop_limit: 255, ..Default::default() };
    let bytes = Packet::Interest(interest).encode().expect("it is small");
    let name = b"\0\0\0\x14\0\x01\0\x03foo\0\x01\0\x03bar\0\x01\0\x02hi";
    assert_eq!(bytes[12..], name[..]);
    assert_eq!(bytes[..12], [1, 0, 0, 36, 255, 0, 0, 8, 0, 1, 0, 24]);
}

/// `v1_interest_all_fields.h` of PARC's Libccnx-common (BSD licence), whose types of name
/// segments are those of an earlier draft.
#[test]
fn an_interest_of_another_implementation_is_read() {
    let mut bytes = vec![1, 0, 0, 132, 0x20, 0, 0x11, 14, 0, 1, 0, 2, 0xea, 0xeb];
    bytes.extend([0, 1, 0, 114, 0, 0, 0, 45, 0, 2, 0, 4]);
    bytes.extend(b"cool\0\x08\0\x21\x01");
    let payload_id: Vec<u8> = (0..32).collect();
    bytes.extend(&payload_id);
    bytes.extend([0, 2, 0, 16]);
    bytes.extend(0xa0..=0xaf_u8);
    bytes.extend([0, 3, 0, 32]);
    bytes.extend(0xb0..=0xcf_u8);
    bytes.extend([0, 1, 0, 5, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4]);
    assert_eq!(bytes.len(), 132);
    let Ok(Packet::Interest(it)) = Packet::decode(&bytes) else { panic!("an Interest") };
    assert_eq!((it.hop_limit, it.lifetime_ms), (32, Some(0xeaeb)));
    let kinds: Vec<u16> = it.name.segments.iter().map(|it| it.kind.0).collect();
    assert_eq!((kinds, &it.name.segments[0].value[..]), (vec![2, 8], &b"cool"[..]));
    assert_eq!(it.restrictions.key_id, Some((0xa0..=0xaf).collect()));
    assert_eq!(it.restrictions.object_hash, Some((0xb0..=0xcf).collect()));
    assert_eq!(it.payload, Some((0xd0..=0xd4).collect()));
    // Flags are reserved, and not kept; all else comes back.
    bytes[6] = 0;
    assert_eq!(Packet::Interest(it).encode(), Ok(bytes));
}

/// `v1_content_nameA_crc32c.h` of the same, with a checksum that its authors took from CRC RevEng.
fn content_object() -> Vec<u8> {
    let mut bytes = vec![1, 1, 0, 85, 0, 0, 0, 44];
    // A header for fragments, of a draft.
    bytes.extend([0, 4, 0, 20, 0x12, 0x23, 0x34, 0x45, 0x56, 0x67, 0x78, 0x89]);
    bytes.extend([0x05, 0xdc, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    bytes.extend([0, 2, 0, 8, 0, 0, 0, 0, 0, 0x6d, 0xdd, 0]);
    bytes.extend([0, 2, 0, 21, 0, 0, 0, 17, 0, 2, 0, 5]);
    bytes.extend(b"hello\xf0\0\0\x04ouch");
    bytes.extend([0, 3, 0, 4, 0, 2, 0, 0, 0, 4, 0, 4, 0x2c, 0x3c, 0xc0, 0xaf]);
    bytes
}

#[test]
fn a_content_object_of_another_implementation_has_the_checksum_that_is_computed() {
    let bytes = content_object();
    let Ok(Packet::ContentObject(it)) = Packet::decode(&bytes) else { panic!("an object") };
    assert_eq!(it.cache_time_ms, Some(7_200_000));
    assert_eq!(it.validation, Validation::Crc32c);
    // Without the header that is not known, from the Content Object on, the bytes are the same.
    let again = Packet::ContentObject(it).encode().expect("it is small");
    assert_eq!(again[20..], bytes[44..]);
}

#[test]
fn a_changed_byte_does_not_have_the_checksum() {
    let mut bytes = content_object();
    bytes[60] ^= 1;
    let error = Packet::decode(&bytes).expect_err("a byte is wrong");
    assert!(matches!(error, DecodeError::Checksum { offset: 81, found: 0x2c3c_c0af, .. }));
}

/// As Cefore 0.10 builds them: a name of 20 bytes, 1,024 bytes of payload, no validation.
#[test]
fn packets_have_the_sizes_of_cefores() {
    let name = name("ccnx:/foo/bar/hi");
    assert_eq!(name.size(), 20);
    for (chunk, interest, object) in [(5, 47, 1093), (70_000, 49, 1095)] {
        assert_eq!(size::interest_size(20, chunk, 2000), interest);
        assert_eq!(size::content_object_size(20, chunk, 1024, false), object);
    }
    let last = size::content_object_size(20, 70_000, 1024, true);
    assert_eq!(last, 1095 + 4 + 3, "the last chunk says so");
}

#[test]
fn sizes_are_those_of_the_encoding() {
    for chunk in [0, 255, 256, 65_535, 65_536, u64::MAX] {
        let named = name("ccnx:/a/longer%20name").with_chunk(chunk);
        let shape = name("ccnx:/a/longer%20name").size();
        let interest = Interest {
            name: named.clone(),
            hop_limit: 255,
            lifetime_ms: Some(4000),
            ..Interest::default()
        };
        let bytes = Packet::Interest(interest).encode().expect("it is small");
        assert_eq!(bytes.len() as u32, size::interest_size(shape, chunk, 4000));
        for end_chunk in [None, Some(chunk)] {
            let object = ContentObject {
                name: Some(named.clone()),
                cache_time_ms: Some(1),
                expiry_ms: Some(2),
                end_chunk,
                payload: Some(vec![0; 1000]),
                validation: Validation::None,
            };
            let bytes = Packet::ContentObject(object).encode().expect("it is small");
            let is_last = end_chunk.is_some();
            assert_eq!(bytes.len() as u32, size::content_object_size(shape, chunk, 1000, is_last));
        }
    }
}

#[test]
fn names_are_written_as_they_are_read() {
    for text in ["ccnx:/", "ccnx:/foo/bar/Chunk=70000", "ccnx:/a%20b/0x1001=x", "ccnx:/Name="] {
        assert_eq!(name(text).to_string(), text);
    }
    assert_eq!(name("ccnx:/Name=a").to_string(), "ccnx:/a");
    let wrong = [("/foo", NameError::Scheme), ("ccnx:/%4", NameError::Escape("%4".to_owned()))];
    for (text, error) in wrong {
        assert_eq!(text.parse::<Name>(), Err(error));
    }
    let number = NameError::Number("x".to_owned());
    assert_eq!("ccnx:/Chunk=x".parse::<Name>(), Err(number));
}

#[test]
fn wrong_packets_are_told_by_what_is_wrong() {
    let whole = Packet::Interest(Interest { name: name("ccnx:/a"), ..Interest::default() });
    let whole = whole.encode().expect("it is small");
    let with = |place: usize, value: u8| {
        let mut bytes = whole.clone();
        bytes[place] = value;
        Packet::decode(&bytes).expect_err("a byte is wrong").to_string()
    };
    assert_eq!(with(0, 2), "byte 0: version 2 instead of 1");
    assert_eq!(with(1, 3), "byte 1: packet type 3 is not valid; it must be 0 to 2");
    let length = "byte 2: a length of 99 bytes, where it must be 8 to 21";
    assert_eq!(with(3, 99), length);
    assert!(with(7, 7).starts_with("byte 7: a length of 7 bytes"));
    assert_eq!(with(9, 2), "byte 8: the Interest message is missing");
    assert_eq!(with(13, 1), "byte 12: the name is missing");
    assert_eq!(with(19, 9), "byte 20: 9 bytes must follow here, but only 1 do");
}

#[test]
fn what_does_not_fit_is_not_encoded() {
    let payload = Some(vec![0; 65_536]);
    let object = ContentObject { payload, ..ContentObject::default() };
    let error = Packet::ContentObject(object).encode().expect_err("it is too large");
    assert!(matches!(error, EncodeError::TooLarge(it) if it > 65_535));
}

fn names() -> impl Strategy<Value = Name> {
    let segment = (any::<u16>(), vec(any::<u8>(), 0..20));
    vec(segment, 0..6).prop_map(|segments| Name {
        segments: segments
            .into_iter()
            .map(|(kind, value)| Segment { kind: SegmentType(kind), value })
            .collect(),
    })
}

fn interests() -> impl Strategy<Value = Interest> {
    let bytes = || of(vec![any::<u8>(); 32]);
    (names(), any::<u8>(), of(any::<u64>()), bytes(), bytes(), of(vec(any::<u8>(), 0..50)))
        .prop_map(|(name, hop_limit, lifetime_ms, key_id, object_hash, payload)| Interest {
            name,
            hop_limit,
            lifetime_ms,
            restrictions: Restrictions { key_id, object_hash },
            payload,
        })
}

fn validations() -> impl Strategy<Value = Validation> {
    let other = (vec(any::<u8>(), 5..9), vec(any::<u8>(), 0..40));
    prop_oneof![
        Just(Validation::None),
        Just(Validation::Crc32c),
        other.prop_map(|(algorithm, payload)| Validation::Other { algorithm, payload }),
    ]
}

fn packets() -> impl Strategy<Value = Packet> {
    let numbers = (of(any::<u64>()), of(any::<u64>()), of(any::<u64>()));
    let objects = (of(names()), numbers, of(vec(any::<u8>(), 0..50)), validations()).prop_map(
        |(name, (cache_time_ms, expiry_ms, end_chunk), payload, validation)| ContentObject {
            name,
            cache_time_ms,
            expiry_ms,
            end_chunk,
            payload,
            validation,
        },
    );
    let returned = (any::<u8>(), interests());
    prop_oneof![
        interests().prop_map(Packet::Interest),
        objects.prop_map(Packet::ContentObject),
        returned.prop_map(|(code, interest)| {
            Packet::InterestReturn(InterestReturn { code: ReturnCode(code), interest })
        }),
    ]
}

proptest! {
    #[test]
    fn a_packet_comes_back(packet in packets(), extra in vec(any::<u8>(), 0..5)) {
        let mut bytes = packet.encode().expect("it is small");
        bytes.extend(extra);
        prop_assert_eq!(Packet::decode(&bytes), Ok(packet));
    }

    #[test]
    fn a_packet_cut_short_is_an_error(packet in packets(), cut in 1..200_usize) {
        let bytes = packet.encode().expect("it is small");
        let rest = bytes.len().saturating_sub(cut);
        prop_assert!(Packet::decode(&bytes[..rest]).is_err());
    }

    #[test]
    fn a_packet_with_a_wrong_byte_is_an_error_or_another_packet(
        packet in packets(), place: usize, flipped in 1..=255_u8,
    ) {
        let mut bytes = packet.encode().expect("it is small");
        let place = place % bytes.len();
        bytes[place] ^= flipped;
        if let Ok(other) = Packet::decode(&bytes) {
            let again = other.encode().expect("it was as small");
            prop_assert_eq!(Packet::decode(&again), Ok(other));
        }
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in vec(any::<u8>(), 0..100)) {
        let mut bytes = bytes;
        if let Some([version, kind, high, .., header]) = bytes.first_chunk_mut::<8>() {
            (*version, *kind, *high, *header) = (1, *kind % 3, 0, 8);
        }
        let _ = Packet::decode(&bytes);
    }

    #[test]
    fn a_name_comes_back_from_its_text(name in names()) {
        let text = name.to_string();
        prop_assert_eq!(text.parse::<Name>(), Ok(name));
    }
}
