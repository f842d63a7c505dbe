//! NDN's packets on the wire, against the format's own rules, against bytes of
//! another implementation, and against whatever bytes may come.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use windtunnel_packets::ndn::wire::size::{
    self, DataShape, InterestShape, LinkHeaders, NameSize, SignatureKind,
};
use windtunnel_packets::ndn::wire::tlv::{NumberOctets, write_element};
use windtunnel_packets::ndn::wire::{
    ApplicationParameters, CachePolicyType, Component, ComponentType, ContentType, Data,
    DecodeError, ElementType, EncodeError, Interest, InterestSignature, KeyLocator, LpPacket,
    MAX_NDN_PACKET_SIZE, MetaInfo, NackReason, Name, NameError, SignatureInfo, SignatureType,
};

fn name(uri: &str) -> Name<'static> {
    uri.parse().unwrap_or_else(|error| panic!("{uri}: {error}"))
}

fn octets(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<_> = hexadecimal.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

fn leaked(octets: Vec<u8>) -> &'static [u8] {
    octets.leak()
}

fn null_signed(name: Name<'_>) -> Data<'_> {
    Data {
        name,
        meta_info: MetaInfo::default(),
        content: None,
        signature_info: SignatureInfo::new(SignatureType::NULL),
        signature_value: &[],
    }
}

/// The bytes are what the packet encodes to, and decode to the packet.
macro_rules! assert_wire {
    ($type:ident, $packet:expr, $hexadecimal:expr) => {{
        let (packet, bytes) = ($packet, octets($hexadecimal));
        assert_eq!(packet.encode().as_deref(), Ok(&bytes[..]));
        assert_eq!($type::decode(&bytes).as_ref(), Ok(&packet));
    }};
}

// By hand, from the specification's definitions.

#[test]
fn an_interest_has_its_elements_in_the_specified_order() {
    let packet = Interest {
        can_be_prefix: true,
        must_be_fresh: true,
        nonce: Some(0x0102_0304),
        lifetime_ms: Some(2000),
        hop_limit: Some(64),
        ..Interest::new(name("/A/seg=1"))
    };
    let bytes = "05 19  07 06 08 01 41 32 01 01  21 00  12 00  0A 04 01 02 03 04  \
                 0C 02 07 D0  22 01 40";
    assert_wire!(Interest, packet, bytes);
}

#[test]
fn a_data_has_its_elements_in_the_specified_order() {
    let last = NumberOctets::from(256);
    let packet = Data {
        meta_info: MetaInfo {
            content_type: Some(ContentType::KEY),
            freshness_period_ms: Some(10),
            final_block_id: Some(Component::segment(&last)),
        },
        content: Some(&[0xAB]),
        ..null_signed(name("/A"))
    };
    let bytes = "06 1D  07 03 08 01 41  14 0C 18 01 02 19 01 0A 1A 04 32 02 01 00  15 01 AB  \
                 16 03 1B 01 C8  17 00";
    assert_wire!(Data, packet, bytes);
}

#[test]
fn a_link_packet_has_its_fields_by_number_and_the_fragment_last() {
    let packet = LpPacket {
        sequence: Some(1),
        nack: Some(NackReason::DUPLICATE),
        congestion_mark: Some(1),
        fragment: Some(&[0x05, 0x00]),
        ..LpPacket::default()
    };
    let bytes = "64 1C  51 08 00 00 00 00 00 00 00 01  FD 03 20 05 FD 03 21 01 64  \
                 FD 03 40 01 01  50 02 05 00";
    assert_wire!(LpPacket, packet, bytes);
}

#[test]
fn an_interest_lives_4_seconds_unless_it_says_otherwise() {
    let mut interest = Interest::new(name("/A"));
    assert_eq!(interest.effective_lifetime_ms(), 4000);
    interest.lifetime_ms = Some(10);
    assert_eq!(interest.effective_lifetime_ms(), 10);
}

// Encoded by python-ndn 0.5.2.

#[test]
fn python_ndns_interest_with_a_segment_number() {
    let packet = Interest { nonce: Some(0x0102_0304), ..Interest::new(name("/video/v=3/seg=17")) };
    assert_wire!(Interest, packet, "0515070d0805766964656f3601033201110a0401020304");
}

#[test]
fn python_ndns_interest_with_a_forwarding_hint() {
    let packet = Interest {
        can_be_prefix: true,
        must_be_fresh: true,
        forwarding_hint: vec![name("/isp/a"), name("/isp/b")],
        nonce: Some(0xDEAD_BEEF),
        lifetime_ms: Some(4000),
        hop_limit: Some(32),
        ..Interest::new(name("/video/%00x"))
    };
    assert_wire!(
        Interest,
        packet,
        "0534070b0805766964656f08020078210012001e1407080803697370080161070808036973700801620a04dead
         beef0c020fa0220120"
    );
}

#[test]
fn python_ndns_interest_with_parameters() {
    let packet = Interest {
        nonce: Some(1),
        lifetime_ms: Some(10),
        parameters: Some(ApplicationParameters { value: b"xyz", signature: None }),
        ..Interest::new(name(
            "/call/params-sha256=6c4e6085d7df6dcad1934e93635ebcd7ce9df5729faafeed13aa7ebde3cec98f",
        ))
    };
    assert_wire!(
        Interest,
        packet,
        "05380728080463616c6c02206c4e6085d7df6dcad1934e93635ebcd7ce9df5729faafeed13aa7ebde3cec98f0a
         04000000010c010a240378797a"
    );
}

#[test]
fn python_ndns_signed_interest() {
    let value = octets("2e20cdf397e44519a528e92f189409d7edfc55096f8f101692c4e8b57f36b3e14819");
    let info = SignatureInfo {
        key_locator: Some(KeyLocator::Name(name("/key/1"))),
        ..SignatureInfo::new(SignatureType::HMAC_WITH_SHA256)
    };
    let signature =
        InterestSignature { info, nonce: None, sequence_number: None, value: &value[2..] };
    let packet = Interest {
        nonce: Some(1),
        lifetime_ms: Some(10),
        parameters: Some(ApplicationParameters { value: b"xyz", signature: Some(signature) }),
        ..Interest::new(name(
            "/call/params-sha256=ec18aa07e2d567479f2de2de913d3e83c801e27c555a10f184d59c1d808dc604",
        ))
    };
    assert_wire!(
        Interest,
        packet,
        "056b0728080463616c6c0220ec18aa07e2d567479f2de2de913d3e83c801e27c555a10f184d59c1d808dc6040a
         04000000010c010a240378797a2c0f1b01041c0a070808036b65790801312e20cdf397e44519a528e92f189409
         d7edfc55096f8f101692c4e8b57f36b3e14819"
    );
}

#[test]
fn python_ndns_data_with_a_digest() {
    let digest = octets("9b1f8de43586f28d3c04ab1bb4ce0441201c90cfbb6530463f11427062d938d9");
    let last = NumberOctets::from(300);
    let packet = Data {
        meta_info: MetaInfo {
            freshness_period_ms: Some(1000),
            final_block_id: Some(Component::segment(&last)),
            ..MetaInfo::default()
        },
        content: Some(b"hello"),
        signature_info: SignatureInfo::new(SignatureType::DIGEST_SHA256),
        signature_value: &digest,
        ..null_signed(name("/video/v=3/seg=17"))
    };
    assert_wire!(
        Data,
        packet,
        "0649070d0805766964656f360103320111140a190203e81a043202012c150568656c6c6f16031b010017209b1f
         8de43586f28d3c04ab1bb4ce0441201c90cfbb6530463f11427062d938d9"
    );
}

#[test]
fn python_ndns_data_without_content_and_with_an_empty_one() {
    assert_wire!(Data, null_signed(name("/x")), "060c070308017816031b01c81700");
    let empty = Data {
        meta_info: MetaInfo { content_type: Some(ContentType::BLOB), ..MetaInfo::default() },
        content: Some(&[]),
        ..null_signed(name("/x"))
    };
    assert_wire!(Data, empty, "061307030801781403180100150016031b01c81700");
}

#[test]
fn python_ndns_data_with_lengths_of_three_octets() {
    let signature = octets("86707ea9238fe77750ae60ea4e700c6092ae98fbe69ee0d801e80045aebeb647");
    let packet = Data {
        meta_info: MetaInfo {
            content_type: Some(ContentType::KEY),
            freshness_period_ms: Some(3_600_000),
            final_block_id: None,
        },
        content: Some(&[0; 260]),
        signature_info: SignatureInfo {
            key_locator: Some(KeyLocator::Name(name("/key/1"))),
            ..SignatureInfo::new(SignatureType::HMAC_WITH_SHA256)
        },
        signature_value: &signature,
        ..null_signed(name("/x/t=1700000000000000/off=65536/seq=4294967296"))
    };
    let bytes = format!(
        "06fd0165071d080178380800060a24181e40003404000100003a080000000100000000140918010219040036ee
         8015fd0104{}160f1b01041c0a070808036b6579080131172086707ea9238fe77750ae60ea4e700c6092ae98fb
         e69ee0d801e80045aebeb647",
        "00".repeat(260)
    );
    assert_wire!(Data, packet, &bytes);
}

#[test]
fn python_ndns_link_packets() {
    let interest = octets("050b07030801610a0401020304");
    let bare = LpPacket { fragment: Some(&interest), ..LpPacket::default() };
    assert_wire!(
        LpPacket,
        LpPacket { nack: Some(NackReason::CONGESTION), ..bare },
        "6418fd032005fd03210132500d050b07030801610a0401020304"
    );
    assert_wire!(
        LpPacket,
        LpPacket { congestion_mark: Some(1), ..bare },
        "6414fd03400101500d050b07030801610a0401020304"
    );
    let full = LpPacket {
        fragment_index: Some(1),
        fragment_count: Some(2),
        pit_token: Some(&[1, 2, 3, 4]),
        incoming_face_id: Some(300),
        next_hop_face_id: Some(5),
        cache_policy: Some(CachePolicyType::NO_CACHE),
        congestion_mark: Some(1),
        ..bare
    };
    assert_wire!(
        LpPacket,
        full,
        "6434520101530102620401020304fd032c02012cfd03300105fd033405fd03350101fd03400101500d050b0703
         0801610a0401020304"
    );
}

#[test]
fn python_ndns_name_of_many_types() {
    let mut encoded = Vec::new();
    name("/8=a/32=k/65535=z/v=256/~-._").write(&mut encoded);
    assert_eq!(encoded, octets("071508016120016bfdffff017a3602010008047e2d2e5f"));
}

// What must be refused, and what ignored.

fn interest_of(elements: &str) -> Vec<u8> {
    element(ElementType::INTEREST, &octets(elements))
}

fn element(element_type: ElementType, value: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    write_element(&mut output, element_type, value);
    output
}

fn refusal_of_interest(elements: &str) -> DecodeError {
    Interest::decode(&interest_of(elements)).expect_err(elements)
}

#[test]
fn unknown_critical_elements_discard_an_interest() {
    for critical in ["09 00", "1F 00", "23 00", "FD 03 21 00"] {
        let refusal = refusal_of_interest(&format!("07 03 08 01 41 {critical}"));
        assert!(
            matches!(refusal, DecodeError::Unexpected { offset: 7, .. }),
            "{critical}: {refusal}"
        );
    }
}

#[test]
fn unknown_elements_that_are_not_critical_are_ignored() {
    let bytes = interest_of("07 03 08 01 41  7E 01 00  0A 04 00 00 00 01  FD 03 20 00");
    let interest = Interest { nonce: Some(1), ..Interest::new(name("/A")) };
    assert_eq!(Interest::decode(&bytes), Ok(interest));
}

#[test]
fn not_even_an_ignorable_element_stands_before_the_name() {
    let refusal = refusal_of_interest("7E 00 07 03 08 01 41");
    assert!(matches!(refusal, DecodeError::WrongElement { offset: 2, .. }), "{refusal}");
    let data = element(ElementType::DATA, &octets("7E 00 07 00 16 03 1B 01 00 17 00"));
    assert!(matches!(Data::decode(&data), Err(DecodeError::WrongElement { offset: 2, .. })));
}

#[test]
fn critical_elements_out_of_order_or_repeated_are_refused() {
    for elements in [
        "07 03 08 01 41  12 00  21 00",
        "07 03 08 01 41  0A 04 00 00 00 01  0A 04 00 00 00 01",
        "07 03 08 01 41  07 03 08 01 41",
        "07 03 08 01 41  22 01 05  0C 01 0A",
    ] {
        let refusal = refusal_of_interest(elements);
        assert!(matches!(refusal, DecodeError::Unexpected { .. }), "{elements}: {refusal}");
    }
}

#[test]
fn elements_out_of_order_that_are_not_critical_are_ignored() {
    let bytes = interest_of("07 03 08 01 41  22 01 05  22 01 06");
    assert_eq!(Interest::decode(&bytes).unwrap().hop_limit, Some(5));
}

#[test]
fn lengths_that_the_format_fixes_are_checked() {
    for (elements, found) in [
        ("07 03 08 01 41  21 01 00", 1),
        ("07 03 08 01 41  12 01 00", 1),
        ("07 03 08 01 41  0A 03 00 00 01", 3),
        ("07 03 08 01 41  0C 03 00 00 01", 3),
        ("07 03 08 01 41  22 02 00 01", 2),
    ] {
        match refusal_of_interest(elements) {
            DecodeError::Length { offset: 7, found: octets, .. } => assert_eq!(octets, found),
            other => panic!("{elements}: {other}"),
        }
    }
}

#[test]
fn an_interest_needs_a_name_with_a_component() {
    assert_eq!(refusal_of_interest("07 00"), DecodeError::EmptyName { offset: 2 });
    assert!(matches!(refusal_of_interest(""), DecodeError::Missing { offset: 2, .. }));
    assert_eq!(Interest::new(Name::new()).encode(), Err(EncodeError::EmptyName));
}

#[test]
fn a_forwarding_hint_has_at_least_one_name() {
    let refusal = refusal_of_interest("07 03 08 01 41  1E 00");
    assert!(matches!(refusal, DecodeError::Missing { offset: 9, .. }), "{refusal}");
    let refusal = refusal_of_interest("07 03 08 01 41  1E 05 1F 03 07 01 00");
    assert!(matches!(refusal, DecodeError::Unexpected { offset: 9, .. }), "{refusal}");
}

#[test]
fn parameters_require_their_digest_in_the_name() {
    assert_eq!(
        refusal_of_interest("07 03 08 01 41  24 00"),
        DecodeError::MissingParametersDigest { offset: 7 }
    );
    let mut interest = Interest::new(name("/A"));
    interest.parameters = Some(ApplicationParameters { value: &[], signature: None });
    assert_eq!(interest.encode(), Err(EncodeError::MissingParametersDigest));
}

#[test]
fn half_an_interest_signature_is_refused() {
    let start = format!("07 22 02 20 {}", "00".repeat(32));
    for elements in ["24 00  2C 03 1B 01 00", "24 00  2E 00", "2C 03 1B 01 00  2E 00"] {
        let refusal = refusal_of_interest(&format!("{start} {elements}"));
        assert!(matches!(refusal, DecodeError::Missing { .. }), "{elements}: {refusal}");
    }
}

#[test]
fn components_are_of_types_1_to_65535_and_digests_have_32_octets() {
    let refusal = refusal_of_interest("07 07 FE 00 01 00 00 01 41");
    assert_eq!(refusal, DecodeError::ComponentType { offset: 4, found: 65_536 });
    let refusal = refusal_of_interest("07 03 01 01 41");
    assert_eq!(refusal, DecodeError::DigestLength { offset: 4, found: 1 });
}

#[test]
fn a_data_needs_its_signature() {
    for (elements, missing) in [
        ("07 00 15 00", ElementType::SIGNATURE_INFO),
        ("07 00 16 03 1B 01 00", ElementType::SIGNATURE_VALUE),
        ("07 00 16 00 17 00", ElementType::SIGNATURE_TYPE),
        ("07 00 16 05 1B 01 01 1C 00 17 00", ElementType::NAME),
    ] {
        match Data::decode(&element(ElementType::DATA, &octets(elements))) {
            Err(DecodeError::Missing { missing: found, .. }) => assert_eq!(found, missing),
            other => panic!("{elements}: {other:?}"),
        }
    }
}

#[test]
fn a_final_block_id_is_one_component() {
    for (elements, offset) in [("1A 00", 6), ("1A 06 08 01 41 08 01 42", 11)] {
        let meta_info = element(ElementType::META_INFO, &octets(elements));
        let start = [octets("07 00"), meta_info, octets("16 03 1B 01 00 17 00")].concat();
        match Data::decode(&element(ElementType::DATA, &start)) {
            Err(
                DecodeError::Length { offset: found, .. }
                | DecodeError::Unexpected { offset: found, .. },
            ) => assert_eq!(found, offset),
            other => panic!("{elements}: {other:?}"),
        }
    }
}

#[test]
fn a_key_locator_is_a_name_or_a_digest_and_not_both() {
    let both = octets("07 00  16 09 1B 01 01 1C 04 07 00 1D 00  17 00");
    let refusal = Data::decode(&element(ElementType::DATA, &both)).unwrap_err();
    assert!(matches!(refusal, DecodeError::Unexpected { offset: 13, .. }), "{refusal}");
}

#[test]
fn a_certificates_validity_period_is_let_through() {
    let signed = octets("07 00  16 07 1B 01 01 FD 00 FD 00  17 00");
    let data = Data {
        signature_info: SignatureInfo::new(SignatureType::SHA256_WITH_RSA),
        ..null_signed(Name::new())
    };
    assert_eq!(Data::decode(&element(ElementType::DATA, &signed)), Ok(data));
}

#[test]
fn link_headers_are_ignored_only_where_the_rule_allows() {
    let decode = |header: &str| {
        let elements = octets(&format!("{header} 50 01 AA"));
        LpPacket::decode(leaked(element(ElementType::LP_PACKET, &elements)))
    };
    let fragment = LpPacket { fragment: Some(&[0xAA]), ..LpPacket::default() };
    for ignored in ["FD 03 44 00", "FD 03 44 00 FD 03 44 00", "FD 03 BC 01 00"] {
        assert_eq!(decode(ignored), Ok(fragment), "{ignored}");
    }
    for critical in ["54 00", "20 00", "FD 03 46 00", "FD 03 47 00", "FD 03 C0 00"] {
        let refusal = decode(critical);
        assert!(matches!(refusal, Err(DecodeError::Unexpected { .. })), "{critical}: {refusal:?}");
    }
}

#[test]
fn link_fields_out_of_order_are_refused_or_ignored_by_the_same_rule() {
    let decode = |elements: &str| {
        LpPacket::decode(leaked(element(ElementType::LP_PACKET, &octets(elements))))
    };
    assert!(matches!(decode("50 01 AA  52 01 00"), Err(DecodeError::Unexpected { offset: 5, .. })));
    assert_eq!(decode("50 01 AA  FD 03 40 01 01").unwrap().congestion_mark, None);
}

#[test]
fn a_sequence_has_8_octets_and_a_pit_token_1_to_32() {
    for header in
        ["51 04 00 00 00 00".to_owned(), "62 00".to_owned(), "62 21".to_owned() + &"00".repeat(33)]
    {
        let bytes = element(ElementType::LP_PACKET, &octets(&header));
        assert!(matches!(LpPacket::decode(&bytes), Err(DecodeError::Length { offset: 2, .. })));
    }
    let packet = LpPacket { pit_token: Some(&[0; 33]), ..LpPacket::default() };
    assert!(matches!(packet.encode(), Err(EncodeError::Length { found: 33, .. })));
}

#[test]
fn a_nack_without_a_reason_states_none() {
    let bytes = element(ElementType::LP_PACKET, &octets("FD 03 20 00"));
    assert_eq!(LpPacket::decode(&bytes).unwrap().nack, Some(NackReason::NONE));
}

#[test]
fn a_bare_network_packet_is_a_link_packet_without_headers() {
    let interest = Interest::new(name("/A")).encode().unwrap();
    let packet = LpPacket { fragment: Some(&interest), ..LpPacket::default() };
    assert_eq!(LpPacket::decode(&interest), Ok(packet));
    assert_eq!(packet.encode(), Ok(interest.clone()));
}

#[test]
fn part_of_a_network_packet_never_goes_bare() {
    let packet = LpPacket { fragment: Some(&[0x05, 0x07, 0x08]), ..LpPacket::default() };
    assert_wire!(LpPacket, packet, "64 05 50 03 05 07 08");
    assert_wire!(LpPacket, LpPacket::default(), "64 00");
}

#[test]
fn a_packet_has_at_most_8800_octets() {
    let room = MAX_NDN_PACKET_SIZE - 4 - 5 - 4 - 5 - 2;
    let of = |length| Data { content: Some(leaked(vec![7; length])), ..null_signed(name("/A")) };
    let largest = of(room).encode().unwrap();
    assert_eq!(largest.len(), MAX_NDN_PACKET_SIZE);
    assert_eq!(Data::decode(&largest), Ok(of(room)));
    assert_eq!(of(room + 1).encode(), Err(EncodeError::TooLarge { size: 8801 }));
    let larger = element(ElementType::DATA, &vec![0; 8797]);
    assert_eq!(Data::decode(&larger), Err(DecodeError::TooLarge { size: 8801 }));
}

#[test]
fn one_input_holds_one_packet() {
    let mut bytes = null_signed(name("/A")).encode().unwrap();
    bytes.push(0);
    assert_eq!(
        Data::decode(&bytes),
        Err(DecodeError::TrailingOctets { offset: bytes.len() - 1, count: 1 })
    );
    assert!(matches!(Data::decode(&[]), Err(DecodeError::Truncated { .. })));
}

#[test]
fn errors_say_what_where_and_what_would_be_right() {
    assert_eq!(
        refusal_of_interest("07 03 08 01 41  0A 03 00 00 01").to_string(),
        "byte 7: the value of Nonce (10) has 3 octets; it must have 4 octets"
    );
    assert_eq!(
        refusal_of_interest("07 03 08 01 41  12 00  21 00").to_string(),
        "byte 9: CanBePrefix (33) is unknown, repeated or out of order in Interest (5), \
         and may not be ignored"
    );
    assert_eq!(
        Interest::decode(&octets("05 FD 00 05")).unwrap_err().to_string(),
        "byte 1: 5 is encoded in 3 octets; its shortest form has 1"
    );
}

// Names.

#[test]
fn uris_are_written_as_the_specification_says() {
    let digest = "89".repeat(32);
    for uri in [
        "/",
        "/Hello%20world/42=Hello%20world",
        "/.../..../.a/9=...",
        "/a%2Bb~%3D%25%2F%00%FF",
        "/seg=0/off=255/v=256/t=65536/seq=18446744073709551615",
        "/32=metadata/65535=x",
        &format!("/sha256digest={digest}/params-sha256={digest}"),
    ] {
        assert_eq!(name(uri).to_string(), uri);
    }
}

#[test]
fn other_spellings_of_a_uri_are_read() {
    assert_eq!(name("ndn:/a/b"), name("/a/b"));
    assert_eq!(name("ndn://host/a/b/"), name("/a/b"));
    assert_eq!(name("ndn://host"), Name::new());
    assert_eq!(name("/8=a/%61"), name("/a/a"));
    assert_eq!(name("/50=%07"), name("/seg=7"));
    let mixed = format!("/sha256digest={}", "aB".repeat(32));
    assert_eq!(name(&mixed).to_string(), mixed.to_lowercase());
}

#[test]
fn a_number_that_is_not_in_its_shortest_form_is_not_written_as_one() {
    assert_eq!(name("/50=%00%07").to_string(), "/50=%00%07");
    assert_eq!(name("/50=%01%02%03").to_string(), "/50=%01%02%03");
}

#[test]
fn periods_alone_take_three_more() {
    let two: Name<'_> = [Component::generic(b".."), Component::generic(b"")].into_iter().collect();
    assert_eq!(two.to_string(), "/...../...");
    assert_eq!(name("/...../..."), two);
}

#[test]
fn wrong_uris_are_refused_with_their_reason() {
    let refusal = |uri: &str| uri.parse::<Name<'_>>().expect_err(uri);
    assert_eq!(refusal("a"), NameError::NoSlash);
    assert_eq!(refusal(""), NameError::NoSlash);
    assert_eq!(refusal("/a//b"), NameError::EmptyComponent { index: 2 });
    assert!(matches!(refusal("/a/.."), NameError::Relative { .. }));
    assert!(matches!(refusal("/a b"), NameError::Unescaped { octet: b' ', .. }));
    assert!(matches!(refusal("/8=a=b"), NameError::Unescaped { octet: b'=', .. }));
    assert!(matches!(refusal("/%4"), NameError::Escape { .. }));
    assert!(matches!(refusal("/%+1"), NameError::Escape { .. }));
    for unknown in ["/0=a", "/08=a", "/65536=a", "/segment=1", "/=a", "/+8=a"] {
        assert!(matches!(refusal(unknown), NameError::Type { .. }), "{unknown}");
    }
    for number in ["/seg=", "/seg=01", "/seg=-1", "/seg=+1", "/seg=18446744073709551616"] {
        assert!(matches!(refusal(number), NameError::Number { .. }), "{number}");
    }
    assert!(matches!(refusal("/sha256digest=00"), NameError::Digest { .. }));
    assert_eq!(refusal("/1=a"), NameError::DigestLength { found: 1 });
}

#[test]
fn canonical_order_is_by_type_then_length_then_octets() {
    let mut digest = String::from("/sha256digest=");
    digest.push_str(&"ff".repeat(32));
    let ordered = ["/", &digest, "/...", "/a", "/a/b", "/b", "/aa", "/seg=0", "/seg=256", "/300=a"];
    for pair in ordered.windows(2) {
        assert!(name(pair[0]) < name(pair[1]), "{} < {}", pair[0], pair[1]);
    }
}

#[test]
fn a_name_is_a_prefix_by_components_not_by_letters() {
    assert!(Name::new().is_prefix_of(&name("/a")));
    assert!(name("/a").is_prefix_of(&name("/a")));
    assert!(name("/a").is_prefix_of(&name("/a/b")));
    assert!(!name("/a").is_prefix_of(&name("/ab")));
    assert!(!name("/a/b").is_prefix_of(&name("/a")));
}

#[test]
fn sizes_are_known_at_compile_time() {
    const SHAPE: InterestShape = InterestShape {
        can_be_prefix: false,
        must_be_fresh: true,
        lifetime_ms: None,
        hop_limit: false,
    };
    const SIZE: u32 = size::interest_size(NameSize(7), 17, &SHAPE);
    assert_eq!(SIZE, 2 + 2 + 7 + 3 + 2 + 6);
}

// Whatever the packet. The strategies are boxed: nested by value, they would
// outgrow a test's stack.

fn any_octets(most: usize) -> BoxedStrategy<&'static [u8]> {
    vec(any::<u8>(), 0..=most).prop_map(leaked).boxed()
}

fn any_number() -> BoxedStrategy<u64> {
    prop_oneof![
        0..600_u64,
        any::<u16>().prop_map(u64::from),
        any::<u32>().prop_map(u64::from),
        any::<u64>()
    ]
    .boxed()
}

fn any_component() -> BoxedStrategy<Component<'static>> {
    let generic = any_octets(300).prop_map(Component::generic);
    let number = any_number()
        .prop_map(|number| Component::segment(Box::leak(Box::new(NumberOctets::from(number)))));
    let typed = (3..=u16::MAX, any_octets(9)).prop_map(|(number, value)| {
        Component::new(ComponentType::new(number).unwrap(), value).unwrap()
    });
    let digest = (1..=2_u16, vec(any::<u8>(), 32)).prop_map(|(number, value)| {
        Component::new(ComponentType::new(number).unwrap(), leaked(value)).unwrap()
    });
    prop_oneof![4 => generic, 2 => number, 1 => typed, 1 => digest].boxed()
}

fn any_name() -> BoxedStrategy<Name<'static>> {
    vec(any_component(), 0..5).prop_map(|components| components.into_iter().collect()).boxed()
}

fn any_signature_info() -> BoxedStrategy<SignatureInfo<'static>> {
    let key_locator = prop_oneof![
        any_name().prop_map(KeyLocator::Name),
        any_octets(40).prop_map(KeyLocator::KeyDigest),
    ];
    (any_number(), option::of(key_locator), option::of(any_number()))
        .prop_map(|(number, key_locator, time_ms)| SignatureInfo {
            signature_type: SignatureType(number),
            key_locator,
            time_ms,
        })
        .boxed()
}

fn any_parameters() -> BoxedStrategy<ApplicationParameters<'static>> {
    let nonce = vec(any::<u8>(), 1..12).prop_map(leaked);
    let signature =
        (any_signature_info(), option::of(nonce), option::of(any_number()), any_octets(80));
    let signature = signature.prop_map(|(info, nonce, sequence_number, value)| InterestSignature {
        info,
        nonce,
        sequence_number,
        value,
    });
    (any_octets(300), option::of(signature))
        .prop_map(|(value, signature)| ApplicationParameters { value, signature })
        .boxed()
}

fn any_interest() -> BoxedStrategy<Interest<'static>> {
    let flags = (any::<bool>(), any::<bool>());
    let options = (option::of(any::<u32>()), option::of(any_number()), option::of(any::<u8>()));
    let hint = vec(any_name(), 0..3);
    (any_name(), flags, hint, options, option::of(any_parameters()))
        .prop_map(
            |(mut name, flags, forwarding_hint, (nonce, lifetime_ms, hop_limit), parameters)| {
                let number = if parameters.is_some() { 2 } else { 1 };
                let digest = ComponentType::new(number).unwrap();
                name.push(Component::new(digest, &[0x5A; 32]).unwrap());
                Interest {
                    name,
                    can_be_prefix: flags.0,
                    must_be_fresh: flags.1,
                    forwarding_hint,
                    nonce,
                    lifetime_ms,
                    hop_limit,
                    parameters,
                }
            },
        )
        .boxed()
}

fn any_data() -> BoxedStrategy<Data<'static>> {
    let content_type = any_number().prop_map(ContentType);
    let meta_info =
        (option::of(content_type), option::of(any_number()), option::of(any_component()));
    let meta_info = meta_info.prop_map(|(content_type, freshness_period_ms, final_block_id)| {
        MetaInfo { content_type, freshness_period_ms, final_block_id }
    });
    let content = option::of(any_octets(600));
    (any_name(), meta_info, content, any_signature_info(), any_octets(260))
        .prop_map(|(name, meta_info, content, signature_info, signature_value)| Data {
            name,
            meta_info,
            content,
            signature_info,
            signature_value,
        })
        .boxed()
}

fn any_fragment() -> BoxedStrategy<&'static [u8]> {
    prop_oneof![
        any_octets(300),
        any_interest().prop_map(|interest| leaked(interest.encode().unwrap())),
        any_data().prop_map(|data| leaked(data.encode().unwrap())),
    ]
    .boxed()
}

fn any_link_packet() -> BoxedStrategy<LpPacket<'static>> {
    let fragmentation =
        (option::of(any::<u64>()), option::of(any_number()), option::of(any_number()));
    let pit_token = option::of(vec(any::<u8>(), 1..=32).prop_map(leaked));
    let nack = option::of(any_number().prop_map(NackReason));
    let faces = (option::of(any_number()), option::of(any_number()));
    let cache_policy = option::of(any_number().prop_map(CachePolicyType));
    let rest = (cache_policy, option::of(any_number()), option::of(any_fragment()));
    let header = (fragmentation, pit_token, nack, faces, rest).prop_map(
        |(fragmentation, pit_token, nack, faces, rest)| LpPacket {
            sequence: fragmentation.0,
            fragment_index: fragmentation.1,
            fragment_count: fragmentation.2,
            pit_token,
            nack,
            incoming_face_id: faces.0,
            next_hop_face_id: faces.1,
            cache_policy: rest.0,
            congestion_mark: rest.1,
            fragment: rest.2,
        },
    );
    let bare = any_fragment()
        .prop_map(|fragment| LpPacket { fragment: Some(fragment), ..LpPacket::default() });
    prop_oneof![3 => header, 1 => bare].boxed()
}

fn any_packet() -> BoxedStrategy<Vec<u8>> {
    prop_oneof![
        any_interest().prop_map(|interest| interest.encode().unwrap()),
        any_data().prop_map(|data| data.encode().unwrap()),
        any_link_packet().prop_map(|packet| packet.encode().unwrap()),
    ]
    .boxed()
}

/// A fault in bytes: where (scaled to their length), of which kind, and with
/// which octet.
type Fault = (u16, u8, u8);

fn damage(bytes: &mut Vec<u8>, (place, kind, octet): Fault) {
    if bytes.is_empty() {
        return;
    }
    let index = usize::from(place) % bytes.len();
    match kind % 4 {
        0 | 1 => bytes[index] = octet,
        2 => bytes.insert(index, octet),
        _ => drop(bytes.remove(index)),
    }
}

/// Decodes `bytes` as each packet; what decodes, encodes to what decodes to the
/// same.
fn decode_all(bytes: &[u8]) {
    if let Ok(interest) = Interest::decode(bytes) {
        let encoded = interest.encode().expect("it was decoded");
        assert_eq!(Interest::decode(&encoded), Ok(interest));
    }
    if let Ok(data) = Data::decode(bytes) {
        let encoded = data.encode().expect("it was decoded");
        assert_eq!(Data::decode(&encoded), Ok(data));
    }
    if let Ok(packet) = LpPacket::decode(bytes) {
        let encoded = packet.encode().expect("it was decoded");
        assert_eq!(LpPacket::decode(&encoded), Ok(packet));
    }
}

/// Octets that mean something to the format turn up often.
fn telling_octet() -> impl Strategy<Value = u8> {
    prop_oneof![
        proptest::sample::select(&[
            0_u8, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 18, 20, 21, 22, 23, 27, 30, 33, 34, 36, 44, 46,
            80, 98, 100, 253, 254, 255
        ]),
        any::<u8>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_interest_comes_back(interest in any_interest()) {
        let encoded = interest.encode().unwrap();
        prop_assert_eq!(Interest::decode(&encoded), Ok(interest));
    }

    #[test]
    fn every_data_comes_back(data in any_data()) {
        let encoded = data.encode().unwrap();
        prop_assert_eq!(Data::decode(&encoded), Ok(data));
    }

    #[test]
    fn every_link_packet_comes_back(packet in any_link_packet()) {
        let encoded = packet.encode().unwrap();
        prop_assert_eq!(LpPacket::decode(&encoded), Ok(packet));
    }

    #[test]
    fn every_name_comes_back_from_its_uri(name in any_name()) {
        prop_assert_eq!(name.to_string().parse(), Ok(name));
    }

    #[test]
    fn no_text_makes_the_uri_parser_panic(text in "[/a-z0-9=.%é]{0,20}") {
        if let Ok(name) = text.parse::<Name<'_>>() {
            prop_assert_eq!(name.to_string().parse(), Ok(name));
        }
    }

    #[test]
    fn names_order_as_their_components_do(a in any_name(), b in any_name()) {
        prop_assert_eq!(a.cmp(&b), a.components().cmp(b.components()));
    }

    #[test]
    fn a_prefix_is_the_first_components(name in any_name(), other in any_name(), count in 0..5_usize) {
        let prefix: Name<'_> = name.components().take(count).collect();
        prop_assert!(prefix.is_prefix_of(&name));
        let begins = other.components().count() >= count.min(name.components().count())
            && prefix.components().eq(other.components().take(prefix.components().count()));
        prop_assert_eq!(prefix.is_prefix_of(&other), begins);
    }

    #[test]
    fn an_interests_size_is_that_of_its_encoding(
        prefix in any_name(),
        segment in any_number(),
        flags in any::<(bool, bool, bool)>(),
        lifetime_ms in option::of(any_number()),
    ) {
        let shape = InterestShape {
            can_be_prefix: flags.0, must_be_fresh: flags.1, lifetime_ms, hop_limit: flags.2,
        };
        let size = size::interest_size(NameSize::of(&prefix), segment, &shape);
        let mut name = prefix;
        name.push_number(ComponentType::SEGMENT, segment);
        prop_assert_eq!(
            NameSize::of(&name).0 as usize, name.components_size()
        );
        let interest = Interest {
            can_be_prefix: shape.can_be_prefix,
            must_be_fresh: shape.must_be_fresh,
            nonce: Some(7),
            lifetime_ms,
            hop_limit: shape.hop_limit.then_some(9),
            ..Interest::new(name)
        };
        prop_assert_eq!(size as usize, interest.encode().unwrap().len());
    }

    #[test]
    fn a_datas_size_is_that_of_its_encoding(
        prefix in any_name(),
        segment in any_number(),
        content_length in 0..7_000_u32,
        freshness_period_ms in option::of(any_number()),
        final_block in option::of(any_number()),
        signature in proptest::sample::select(&[
            SignatureKind::DigestSha256, SignatureKind::Null, SignatureKind::HmacSha256,
            SignatureKind::Ed25519, SignatureKind::EcdsaP256, SignatureKind::Rsa2048,
        ]),
        key_locator in option::of(vec(any_octets(30).prop_map(Component::generic), 0..9)),
    ) {
        let key: Option<Name<'_>> = key_locator.map(|components| components.into_iter().collect());
        let shape = DataShape {
            content_length, freshness_period_ms, final_block, signature,
            key_locator: key.as_ref().map(NameSize::of),
        };
        let size = size::data_size(NameSize::of(&prefix), segment, &shape);
        let mut name = prefix;
        name.push_number(ComponentType::SEGMENT, segment);
        let last = final_block.map(NumberOctets::from);
        let content = vec![0; content_length as usize];
        let value = vec![0; signature.value_length() as usize];
        let data = Data {
            name,
            meta_info: MetaInfo {
                content_type: None,
                freshness_period_ms,
                final_block_id: last.as_ref().map(Component::segment),
            },
            content: Some(&content),
            signature_info: SignatureInfo {
                key_locator: key.map(KeyLocator::Name),
                ..SignatureInfo::new(signature.signature_type())
            },
            signature_value: &value,
        };
        prop_assert_eq!(size as usize, data.encode().unwrap().len());
    }

    #[test]
    fn a_link_packets_size_is_that_of_its_encoding(
        content in any_octets(600),
        congestion_mark: bool,
        pit_token in option::of(1..=32_u32),
        nack in option::of(proptest::sample::select(&[
            NackReason::NONE, NackReason::CONGESTION, NackReason::DUPLICATE, NackReason::NO_ROUTE,
        ])),
    ) {
        let network = Data { content: Some(content), ..null_signed(name("/A")) }.encode().unwrap();
        let headers = LinkHeaders { congestion_mark, pit_token, nack, fragment: None };
        let token = pit_token.map(|length| vec![0; length as usize]);
        let packet = LpPacket {
            congestion_mark: congestion_mark.then_some(1),
            pit_token: token.as_deref(),
            nack,
            fragment: Some(&network),
            ..LpPacket::default()
        };
        let size = size::link_size(network.len() as u32, &headers);
        prop_assert_eq!(size as usize, packet.encode().unwrap().len());
    }
}

/// Elements that are well-formed, in a nesting that need not be.
fn any_elements() -> BoxedStrategy<Vec<u8>> {
    let known = [
        7, 7, 8, 8, 10, 12, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 33, 34, 36, 38, 40, 42,
        44, 46, 50, 80, 81, 82, 83, 98, 126, 253, 800, 801, 812, 816, 820, 821, 832, 836,
    ];
    let element_type = proptest::sample::select(known.to_vec()).boxed();
    let leaf = vec(any::<u8>(), 0..9).boxed();
    leaf.prop_recursive(4, 40, 8, move |inner| {
        vec((element_type.clone(), inner), 0..8).prop_map(|mut elements| {
            elements.sort_by_key(|&(number, _)| (number == 80, number));
            let elements =
                elements.iter().map(|(number, value)| element(ElementType(*number), value));
            elements.collect::<Vec<_>>().concat()
        })
    })
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn no_elements_make_a_decoder_panic(
        elements in any_elements(),
        packet_type in proptest::sample::select(&[5, 6, 100]),
    ) {
        decode_all(&element(ElementType(packet_type), &elements));
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes in vec(telling_octet(), 0..60)) {
        decode_all(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn no_fault_makes_a_decoder_panic(
        packet in any_packet(),
        faults in vec((any::<u16>(), any::<u8>(), telling_octet()), 1..4),
        kept in any::<u16>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = packet;
        faults.into_iter().for_each(|fault| damage(&mut bytes, fault));
        if cut {
            bytes.truncate(usize::from(kept) % (bytes.len() + 1));
        }
        decode_all(&bytes);
    }
}
