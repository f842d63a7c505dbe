//! The producer: its answers are as large as their encodings.

use proptest::prelude::*;
use windtunnel_engine::Duration;
use windtunnel_packets::Body;
use windtunnel_packets::ndn::wire;
use windtunnel_packets::ndn::wire::size::{NameSize, SignatureKind};
use windtunnel_packets::ndn::{Interest, Name, PacketFormat, PrefixId, encode_data};
use windtunnel_transports::ndn::producer::Producer;

proptest! {
    #[test]
    fn an_answer_is_as_large_as_its_encoding(
        segment in any::<u64>(),
        content in 0..=7000_u32,
        freshness_ms in any::<u32>(),
    ) {
        let prefix: wire::Name<'static> = "/some/prefix".parse().unwrap();
        let (response_delay, signature) = (Duration::ZERO, SignatureKind::Ed25519);
        let producer = Producer { content, freshness_ms, response_delay, signature, publishing: None };
        let name = Name { prefix: PrefixId::new(0, PacketFormat::Ndn), segment };
        let interest =
            Interest { name, nonce: 1, lifetime_ms: 4000, hop_limit: None, must_be_fresh: false };
        let packet = producer.answer(&interest, NameSize::of(&prefix));
        let Body::Data(data) = packet.body else { panic!("the answer to an Interest is Data") };
        prop_assert_eq!(data.name, name);
        let bytes = encode_data(&data, &prefix, signature, false).unwrap();
        prop_assert_eq!(bytes.len(), packet.size() as usize);
    }
}
